"""A match, its seats, what was entered, and the results in force."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import F, FilteredRelation, OuterRef, Q, Subquery
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from clubs.journal.append_only import AppendOnly
from clubs.members.models import Member
from clubs.organisations.models import Organisation
from clubs.rulebooks import actions as rulebooks
from clubs.rulebooks.models import RuleBook
from pairings.evenings.models import Evening, PairingRun
from pairings.matches.competition import Competition, competition_of
from pairings.rules.match_state import OPEN, RESULT_COLUMNS, Absent, Ending, Kind, Status
from pairings.tournaments.models import Round
from ratings.ledger.models import StandingCote

OPEN_VALUES = tuple(sorted(status.value for status in OPEN))
STATUS_CHOICES = [(status.value, status.value) for status in Status]


def _state(side: str) -> Subquery:
    """Return the state that one player's rating starts from in the club's list, of a match."""
    cotes = StandingCote.objects.filter(
        rating_list__organisation=OuterRef("organisation"), rating_list__slug=rulebooks.LADDER
    )
    return Subquery(cotes.filter(member=OuterRef(side)).values("state")[:1])


class MatchQuerySet(models.QuerySet["Match"]):
    def of(self, organisation: Organisation) -> Self:
        return self.filter(organisation=organisation)

    def involving(self, member: Member) -> Self:
        """Return the current matches of this row only.

        For a person's whole past use `of_people(family_of(…))`.
        """
        return self.filter(Q(first=member) | Q(second=member))

    def of_people(self, members: Collection[int]) -> Self:
        return self.filter(Q(first__in=members) | Q(second__in=members))

    def open(self) -> Self:
        return self.filter(status__in=OPEN_VALUES)

    def with_states(self) -> Self:
        """Read the players' states in the club's list with each match: `first_state`, `second_state`."""
        return self.annotate(first_state=_state("first"), second_state=_state("second"))

    def with_decision(self) -> Self:
        """Read the decision in force with each match, and what stood before it.

        `decided`, with its `supersedes`, and `entry`, the last one of the player who entered first;
        each is no attribute of a match without one.
        """
        of_match = Submission.objects.filter(match=OuterRef("pk"))
        # Inside `entered`: its outer row is a submission, not the match.
        author = Submission.objects.filter(match=OuterRef("match")).order_by("pk").values("by")[:1]
        entered = of_match.filter(by=Subquery(author)).order_by("-pk").values("pk")[:1]
        entry = FilteredRelation("submissions", condition=Q(submissions__pk=Subquery(entered)))
        last = Decision.objects.filter(match=OuterRef("pk")).order_by("-pk").values("pk")[:1]
        decided = FilteredRelation("decisions", condition=Q(decisions__pk=Subquery(last)))
        return self.annotate(decided=decided, entry=entry).select_related(
            "decided__supersedes", "entry"
        )

    def due(self, *, at: datetime) -> Self:
        """Return the matches whose window or deadline has ended."""
        return self.filter(
            Q(status__in=[Status.SUBMITTED.value, Status.ABSENCE_CLAIMED.value])
            & Q(contest_until__lt=at)
            | Q(status__in=[Status.PROPOSED.value, Status.PLAYING.value]) & Q(deadline_until__lt=at)
        )

    def played(self) -> Self:
        """Return the matches that count, by the one shared predicate."""
        return self.filter(counts=True)


class EnteredResult(models.Model):
    """The columns of what players enter: `ENTERED_COLUMNS`."""

    first_score = models.IntegerField(null=True, blank=True)
    second_score = models.IntegerField(null=True, blank=True)
    games = models.JSONField(default=list, blank=True)

    class Meta:
        abstract = True


class HeldResult(EnteredResult):
    """The columns of a result in force: `RESULT_COLUMNS`."""

    kind = models.CharField(max_length=8, blank=True)
    absent = models.CharField(max_length=4, blank=True)
    justified = models.BooleanField(default=False)

    class Meta:
        abstract = True


class Match(HeldResult):
    """One pairing of two members, or a bye (no second). `version` is raised by each change.

    `first_score … justified` are the current result: the claim while submitted, the result in force
    once final. Earlier versions are in `Submission` and `Decision`. Where two games must be won,
    `games` are their scores and the two scores are the games won (004). `checked_version`: the
    version that a second person compared with the slip. `counts`: the result affects the ranking
    now (final, or agreed and still in its window).
    """

    # Of matches read `with_states`.
    first_state: Mapping[str, object] | None
    second_state: Mapping[str, object] | None
    # Of matches read `with_decision`: no attributes of one without a decision, or without an entry.
    decided: Decision
    entry: Submission
    # Of matches read with `ranking.live.version_columns`.
    last_event: int | None
    last_entry: int | None

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="matches")
    evening = models.ForeignKey(
        Evening,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="matches",
        db_index=False,
    )
    round = models.ForeignKey(
        Round, on_delete=models.PROTECT, null=True, blank=True, related_name="matches"
    )
    pairing_run = models.ForeignKey(
        PairingRun, on_delete=models.PROTECT, null=True, blank=True, related_name="matches"
    )
    rule_book = models.ForeignKey(
        RuleBook, on_delete=models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    table_number = models.PositiveIntegerField(_("table"), null=True, blank=True)
    first = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="matches_as_first")
    second = models.ForeignKey(
        Member, on_delete=models.PROTECT, null=True, blank=True, related_name="matches_as_second"
    )
    status = models.CharField(max_length=16, choices=STATUS_CHOICES, default=Status.PROPOSED.value)
    version = models.PositiveIntegerField(default=0)
    rev = models.PositiveIntegerField(default=0)
    why = models.CharField(max_length=16, blank=True)
    counts = models.BooleanField(default=False)
    submitted_by = models.ForeignKey(
        Member, on_delete=models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    confirmed = models.BooleanField(default=False)
    proposed_at = models.DateTimeField()
    called_again_at = models.DateTimeField(null=True, blank=True)
    first_seated_at = models.DateTimeField(null=True, blank=True)
    second_seated_at = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    contest_until = models.DateTimeField(null=True, blank=True)
    deadline_until = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    checked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        db_index=False,
    )
    checked_at = models.DateTimeField(null=True, blank=True)
    checked_version = models.PositiveIntegerField(null=True, blank=True)
    pairing_reason = models.JSONField(default=dict)

    objects = MatchQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(second__isnull=True) | ~Q(first=F("second")),
                name="match_needs_two_people",
            ),
            models.CheckConstraint(
                condition=~Q(status__in=[Status.SUBMITTED.value, Status.ABSENCE_CLAIMED.value])
                | Q(contest_until__isnull=False, submitted_by__isnull=False),
                name="match_has_window_once_submitted",
            ),
            models.CheckConstraint(
                condition=~Q(status=Status.FINAL.value) | ~Q(kind=""),
                name="final_match_has_a_result",
            ),
            models.CheckConstraint(
                condition=~Q(kind="played")
                | Q(first_score__isnull=False, second_score__isnull=False),
                name="played_match_has_two_scores",
            ),
            models.CheckConstraint(
                condition=Q(counts=False)
                | Q(status=Status.FINAL.value)
                | Q(status=Status.SUBMITTED.value, confirmed=True),
                name="only_agreed_results_count",
            ),
            models.CheckConstraint(
                condition=Q(evening__isnull=True) | Q(round__isnull=True),
                name="match_is_of_an_evening_or_of_a_round",
            ),
            models.UniqueConstraint(
                fields=["round", "table_number"],
                condition=Q(round__isnull=False) & ~Q(status=Status.CANCELLED.value),
                name="one_match_per_table_in_a_round",
            ),
        ]
        indexes = [
            models.Index(fields=["evening", "status"], name="matches_by_evening"),
            models.Index(fields=["status", "contest_until"], name="matches_by_window"),
        ]

    def __str__(self) -> str:
        return f"match {self.pk}"

    def get_absolute_url(self) -> str:
        return reverse("pairings:match", kwargs={"match_id": self.pk})

    @property
    def competition(self) -> Competition:
        """Return the evening or the round, and what differs between the two."""
        return competition_of(self)

    @property
    def is_open(self) -> bool:
        return self.status in OPEN_VALUES

    @property
    def is_ruled(self) -> bool:
        """Return whether the result is an arbiter's, not the one that a player entered."""
        return self.why in (Ending.ARBITER, Ending.CORRECTED)

    @property
    def how(self) -> str:
        """Return how a final match ended, for its tag: an absence first, then who agreed to what."""
        return "forfeit" if self.kind == Kind.ABSENT else self.why

    def result_columns(self) -> dict[str, object]:
        """Return the result in force, as the columns that a decision about it has too."""
        return {name: getattr(self, name) for name in RESULT_COLUMNS}

    @property
    def is_checked(self) -> bool:
        """Return whether a second person has compared this version with the slip."""
        return self.checked_version is not None and self.checked_version == self.version

    def players(self) -> list[Member]:
        """Return both members, or one for a bye."""
        return [self.first] if self.second is None else [self.first, self.second]

    def opponent_of(self, player: Member) -> Member | None:
        """Return whom this player meets; None for a bye."""
        return self.second if self.first_id == player.pk else self.first

    def absentee_ids(self) -> list[int]:
        """Return the members who are absent in the current result."""
        sides = {Absent.FIRST.value: self.first_id, Absent.SECOND.value: self.second_id}
        away = sides.values() if self.absent == Absent.BOTH else [sides.get(self.absent)]
        return [pk for pk in away if pk is not None]

    def seats(self, member: Member | None) -> bool:
        """Return whether this member plays this match, under their own row or one merged into it."""
        if member is None:
            return False
        if member.pk in (self.first_id, self.second_id):
            return True
        return any(player.merged_into_id == member.pk for player in self.players())


class Seat(models.Model):
    """A member's place in a match: one live seat a person.

    `live` while the match is open, or until another competition needs its player (`seats`).
    """

    match = models.ForeignKey(
        Match, on_delete=models.PROTECT, related_name="seat_rows", db_index=False
    )
    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="seats")
    side = models.CharField(max_length=6, choices=[("first", "first"), ("second", "second")])
    live = models.BooleanField(default=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["match", "side"], name="one_member_per_side"),
            models.UniqueConstraint(fields=["match", "member"], name="nobody_plays_himself"),
            models.UniqueConstraint(
                fields=["member"], condition=Q(live=True), name="one_open_match_per_member"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.member_id} at {self.match_id}"


class Submission(AppendOnly, EnteredResult):
    """One entry by a player, with its time. Every version is kept."""

    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="submissions")
    by = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()
    first_score = models.IntegerField()
    second_score = models.IntegerField()
    photo = models.CharField(max_length=120, blank=True)

    def __str__(self) -> str:
        return f"{self.first_score}–{self.second_score}"


class Decision(AppendOnly, HeldResult):
    """A result in force, in a chain without branches: each supersedes the one before."""

    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="decisions")
    supersedes = models.OneToOneField(
        "self", on_delete=models.PROTECT, null=True, related_name="superseded_by"
    )
    rev = models.PositiveIntegerField()
    status = models.CharField(max_length=16)
    basis = models.CharField(max_length=16)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        db_index=False,
    )
    by_member = models.ForeignKey(
        Member, on_delete=models.PROTECT, null=True, related_name="+", db_index=False
    )
    at = models.DateTimeField()
    reason = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["match"],
                condition=Q(supersedes__isnull=True),
                name="a_match_has_one_first_decision",
            ),
            models.CheckConstraint(
                condition=~Q(basis__in=["arbiter", "corrected"]) | ~Q(reason=""),
                name="arbiter_decision_has_a_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"decision {self.rev} of match {self.match_id}"

    @property
    def how(self) -> str:
        """Return how this result came about, for its tag: as `Match.how` of the result in force."""
        return "forfeit" if self.kind == Kind.ABSENT else self.basis


class MatchLine(AppendOnly):
    """One entry of a match's timeline: an accepted action."""

    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="lines", db_index=False)
    number = models.PositiveIntegerField()
    at = models.DateTimeField()
    event = models.CharField(max_length=20)
    from_status = models.CharField(max_length=16)
    to_status = models.CharField(max_length=16)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        db_index=False,
    )
    by_member = models.ForeignKey(
        Member, on_delete=models.PROTECT, null=True, related_name="+", db_index=False
    )
    role = models.CharField(max_length=12)
    first_score = models.IntegerField(null=True)
    second_score = models.IntegerField(null=True)
    reason = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["match", "number"], name="timeline_lines_are_numbered")
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.match_id}"
