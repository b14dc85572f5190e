"""A tournament: its settings, entries, rounds, draws and final rankings."""

from __future__ import annotations

from datetime import date
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from clubs.journal.append_only import AppendOnly
from clubs.members.models import Member
from clubs.organisations.models import Organisation
from ratings.ledger.models import RatingList


class TournamentState(models.TextChoices):
    """Entries → running (initial ranking frozen) → closed."""

    ENTRIES = "entries", _("Inscriptions")
    RUNNING = "running", _("En cours")
    CLOSED = "closed", _("Terminé")
    CANCELLED = "cancelled", _("Annulé")


class RoundState(models.TextChoices):
    """Planned → draft → published → closed."""

    PLANNED = "planned", _("À venir")
    DRAFT = "draft", _("Brouillon")
    PUBLISHED = "published", _("Publiée")
    CLOSED = "closed", _("Terminée")


class TournamentQuerySet(models.QuerySet["Tournament"]):
    def of(self, organisation: Organisation) -> Self:
        return self.filter(organisation=organisation)


class Tournament(models.Model):
    """A tournament and its settings.

    `rules` hold what differs from the document in the pairing system's dataclass, `match_rules`
    what differs in the match lifecycle: a tournament keeps its settings when the rule book changes.
    `split_after`: a list that rates whole tables (003 §12) takes two, decided before round 1.
    `version` is raised by each change of the tournament itself.
    """

    State = TournamentState

    organisation = models.ForeignKey(
        Organisation, on_delete=models.PROTECT, related_name="tournaments"
    )
    slug = models.SlugField(max_length=80)
    name = models.CharField(_("nom"), max_length=120)
    held_on = models.DateField(_("date"))
    ends_on = models.DateField(_("dernier jour"), null=True, blank=True)
    starts_at = models.DateTimeField(_("heure de la première ronde"))
    place = models.CharField(_("lieu"), max_length=120, blank=True)
    state = models.CharField(
        max_length=10, choices=TournamentState.choices, default=TournamentState.ENTRIES.value
    )
    system = models.CharField(_("système"), max_length=20)
    rules = models.JSONField(default=dict)
    match_rules = models.JSONField(default=dict)
    round_count = models.PositiveIntegerField(_("nombre de rondes"), null=True, blank=True)
    minutes = models.PositiveIntegerField(_("minutes par joueur"), default=25)
    byoyomi = models.PositiveIntegerField(_("secondes de supplément par coup"), default=0)
    director = models.CharField(_("arbitre principal"), max_length=80, blank=True)
    split_after = models.PositiveIntegerField(
        _("tableau de cotes coupé après la ronde"), null=True, blank=True
    )
    round_minutes = models.PositiveIntegerField(_("minutes entre deux rondes"), default=75)
    rounds_a_day = models.PositiveIntegerField(_("rondes par jour"), null=True, blank=True)
    rating_list = models.ForeignKey(
        RatingList, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    rated_on = models.DateField(_("date des cotes"), null=True, blank=True)
    self_entry = models.BooleanField(_("inscription par les membres"), default=True)
    fee = models.CharField(_("droit d’inscription"), max_length=40, blank=True)
    version = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField()
    frozen_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    objects = TournamentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "slug"], name="tournament_slug_is_unique_in_organisation"
            ),
            models.CheckConstraint(
                condition=~Q(
                    state__in=[TournamentState.RUNNING.value, TournamentState.CLOSED.value]
                )
                | Q(frozen_at__isnull=False),
                name="running_tournament_has_a_frozen_ranking",
            ),
            models.CheckConstraint(
                condition=~Q(state=TournamentState.CLOSED.value) | Q(closed_at__isnull=False),
                name="closed_tournament_says_when",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("pairings:tournament", kwargs={"slug": self.slug})

    @property
    def is_open(self) -> bool:
        """Return whether entries, rounds and results may still change."""
        return self.state in (TournamentState.ENTRIES, TournamentState.RUNNING)

    @property
    def last_day(self) -> date:
        """Return the day it ends: its date in every list."""
        return self.ends_on or self.held_on


class EntryQuerySet(models.QuerySet["Entry"]):
    def in_order(self) -> Self:
        """Order by the frozen initial ranking; before it, by cote, then as they were made.

        By no name: some hide theirs. Where a page shows the alphabetical order of 004 §2 before it
        is frozen, it is `actions.initial_order`.
        """
        return self.order_by("initial", "-cote", "pk")


class Entry(models.Model):
    """One member in a tournament. `initial` is their place once the initial ranking is frozen.

    `away`: numbers of the rounds they are announced absent from; `withdrawn_from`: absent from that
    round on. `first_round`: above 1 for a late arrival. `cote_origin`: PL, PL* or how it was given.
    """

    SELF, DESK, FILE = "self", "desk", "file"
    SOURCES = [(SELF, _("sur le site")), (DESK, _("à l’accueil")), (FILE, _("par un fichier"))]

    tournament = models.ForeignKey(Tournament, on_delete=models.PROTECT, related_name="entries")
    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="entries")
    cote = models.IntegerField(_("cote"), default=0)
    cote_origin = models.CharField(_("origine de la cote"), max_length=10, blank=True)
    home_club = models.CharField(_("club"), max_length=60, blank=True)
    initial = models.PositiveIntegerField(_("place initiale"), null=True, blank=True)
    first_round = models.PositiveIntegerField(default=1)
    away = models.JSONField(default=list)
    withdrawn_from = models.PositiveIntegerField(null=True, blank=True)
    paid = models.BooleanField(_("droit payé"), default=False)
    source = models.CharField(max_length=5, choices=SOURCES, default=DESK)
    entered_at = models.DateTimeField()

    objects = EntryQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tournament", "member"], name="a_member_enters_a_tournament_once"
            ),
            models.UniqueConstraint(
                fields=["tournament", "initial"],
                condition=Q(initial__isnull=False),
                name="initial_places_are_unique",
            ),
            models.CheckConstraint(
                condition=Q(first_round__gte=1), name="rounds_are_counted_from_one"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.member_id} in {self.tournament_id}"

    @property
    def person(self) -> Member:
        """Return who entered: the member, where the guest who did was merged with one since."""
        return self.member.current_row

    @property
    def rating(self) -> int | None:
        """Return the cote as pages print it: None for a player without one, stored as 0."""
        return self.cote or None

    def is_of(self, member: Member | None) -> bool:
        """Return whether this member entered, under their own row or one merged into it."""
        if member is None:
            return False
        return member.pk in (self.member_id, self.member.merged_into_id)

    def is_present(self, number: int) -> bool:
        """Return whether the player would be paired in that round."""
        gone = self.withdrawn_from is not None and number >= self.withdrawn_from
        return number >= self.first_round and number not in self.away and not gone

    def away_once_back(self, number: int) -> list[int]:
        """Return the rounds missed by a player who is back in that one: a withdrawal is over."""
        left = self.withdrawn_from
        missed = range(left, number) if left is not None else ()
        return sorted({*self.away, *missed} - {number})


class RoundQuerySet(models.QuerySet["Round"]):
    def never_drawn(self) -> Self:
        """Select those that may be deleted: planned, and neither drawn here nor read from a file."""
        return self.filter(state=RoundState.PLANNED, draws=None, matches=None)


class Round(models.Model):
    """One round.

    `draft` holds the boards while only the arbiters see them. A board of the draft: {"first",
    "second" (null: the fictive player), "why", "locked"}. `version` is raised by each change: a
    request from a page with an older version is refused. `clock_from`, `clock_until`: the clock of
    the room, once the director has started it.
    """

    State = RoundState

    tournament = models.ForeignKey(Tournament, on_delete=models.PROTECT, related_name="rounds")
    number = models.PositiveIntegerField()
    state = models.CharField(
        max_length=10, choices=RoundState.choices, default=RoundState.PLANNED.value
    )
    starts_at = models.DateTimeField(_("début prévu"))
    draft = models.JSONField(default=list)
    warnings = models.JSONField(default=list)
    alternative = models.JSONField(null=True, blank=True)
    strategy = models.CharField(max_length=20, blank=True)
    version = models.PositiveIntegerField(default=0)
    published_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    clock_from = models.DateTimeField(null=True, blank=True)
    clock_until = models.DateTimeField(null=True, blank=True)

    objects = RoundQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(clock_from__isnull=True, clock_until__isnull=True)
                | Q(clock_from__isnull=False, clock_until__isnull=False)
                & Q(clock_until__gt=models.F("clock_from")),
                name="clock_of_a_round_runs_forward",
            ),
            models.UniqueConstraint(
                fields=["tournament", "number"], name="rounds_of_a_tournament_are_numbered"
            ),
            models.CheckConstraint(
                condition=~Q(state__in=[RoundState.PUBLISHED.value, RoundState.CLOSED.value])
                | Q(published_at__isnull=False),
                name="published_round_says_when",
            ),
            models.CheckConstraint(
                condition=~Q(state=RoundState.CLOSED.value) | Q(closed_at__isnull=False),
                name="closed_round_says_when",
            ),
        ]

    def __str__(self) -> str:
        return f"round {self.number} of {self.tournament_id}"

    @property
    def is_public(self) -> bool:
        return self.state in (RoundState.PUBLISHED, RoundState.CLOSED)


class RoundDraw(AppendOnly):
    """One run of the pairing rule for a round: the present players, the settings, the output."""

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="draws")
    at = models.DateTimeField()
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    strategy = models.CharField(max_length=20)
    given = models.JSONField()
    outcome = models.JSONField()

    def __str__(self) -> str:
        return f"draw {self.pk} of round {self.round_id}"


class FinalRanking(AppendOnly):
    """The final ranking as published: numbered, never edited; a later one supersedes it."""

    tournament = models.ForeignKey(Tournament, on_delete=models.PROTECT, related_name="rankings")
    number = models.PositiveIntegerField()
    at = models.DateTimeField()
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    reason = models.TextField(blank=True)
    rules = models.JSONField()
    lines = models.JSONField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tournament", "number"], name="final_rankings_are_numbered"
            ),
            models.CheckConstraint(
                condition=Q(number=1) | ~Q(reason=""), name="a_later_ranking_says_why"
            ),
        ]

    def __str__(self) -> str:
        return f"ranking {self.number} of {self.tournament_id}"


class TournamentFile(models.Model):
    """A long file of a tournament, read but not yet imported: previewed, then imported by a worker.

    `rows`: its name, the rest of it, then a player a row (`files/kept.py`). `guests`, and `moved`,
    members whose place is not the file's, are known once it is imported.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+")
    file_name = models.CharField(max_length=200)
    digest = models.CharField(max_length=64)
    rows = models.JSONField()
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    tournament = models.OneToOneField(
        Tournament, on_delete=models.PROTECT, null=True, related_name="file"
    )
    guests = models.PositiveIntegerField(default=0)
    moved = models.JSONField(default=list)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "digest"],
                condition=Q(tournament__isnull=True),
                name="a_tournament_file_waits_once",
            ),
        ]

    def __str__(self) -> str:
        return self.file_name
