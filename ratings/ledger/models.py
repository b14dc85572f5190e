"""Lists, periods, and what is only added: games (a later version supersedes), entries, editions."""

from __future__ import annotations

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from clubs.journal.append_only import AppendOnly, AppendOnlyQuerySet
from clubs.members.models import Member
from clubs.organisations.models import Organisation
from clubs.rulebooks.models import RuleBook
from clubs.ui.french import written
from ratings.ledger import origins
from ratings.ledger.origins import UNOFFICIAL, Origin, OriginKind
from ratings.systems.protocol import Game
from ratings.systems.words import list_title


class RatingList(models.Model):
    """Organisation × system × kind of game. `title`: its name as pages print it."""

    organisation = models.ForeignKey(
        Organisation, on_delete=models.PROTECT, related_name="rating_lists"
    )
    slug = models.SlugField(max_length=40)
    name = models.CharField(_("nom"), max_length=80)
    system = models.CharField(max_length=20)
    kind = models.CharField(max_length=30, blank=True)
    facts = models.JSONField(default=dict)
    version = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "slug"], name="rating_list_slug_is_unique_in_organisation"
            ),
        ]

    def __str__(self) -> str:
        return list_title(self.name)

    title = property(__str__)


class PeriodQuerySet(models.QuerySet["Period"]):
    def in_order(self) -> Self:
        """Order the periods as a list is settled and replayed."""
        return self.order_by("held_on", "position", "pk")

    def after(self, period: Period) -> Self:
        return self.filter(
            Q(held_on__gt=period.held_on)
            | Q(held_on=period.held_on, position__gt=period.position)
            | Q(held_on=period.held_on, position=period.position, pk__gt=period.pk)
        )

    def before(self, period: Period) -> Self:
        return self.filter(
            Q(held_on__lt=period.held_on)
            | Q(held_on=period.held_on, position__lt=period.position)
            | Q(held_on=period.held_on, position=period.position, pk__lt=period.pk)
        )

    def rated(self) -> Self:
        return self.filter(settled_at__isnull=False, removed_at=None)

    def waiting_for_the_officer(self) -> Self:
        """Select what waits at the desk: all but the club's own evenings, rated when they close."""
        return self.waiting().exclude(origins.OWN_EVENING)

    def waiting(self) -> Self:
        return self.filter(settled_at=None, removed_at=None).exclude(kind=UNOFFICIAL)

    def shown(self) -> Self:
        """Select the competitions that a list shows: those rated, and those kept unofficial."""
        kept = Q(kind=UNOFFICIAL, removed_at=None)
        return self.filter(Q(settled_at__isnull=False, kind="") | kept)

    def opened_for(self, *origin: Origin) -> Self:
        """Select the periods of an evening, tournament, file or sanction, in any list."""
        return self.filter(origins.is_one_of(*origin))

    def opened_for_any_part(self, origin: Origin) -> Self:
        """Select them with the other tables of a split tournament."""
        return self.filter(origins.is_one_of(origin, part=False))


class Period(models.Model):
    """What is settled at once: an evening, a competition, a table, an official game.

    `rule_book` is the version in force on its date, fixed when it is first settled (empty: the
    document's defaults). `removed_at` takes a period out of the replay without deleting it.
    `origin`, `origin_id` and `origin_part`: see `ratings.ledger.origins`. `evening_number`: a club's
    own evening that no officer renamed has its number among those of the day.
    """

    rating_list = models.ForeignKey(RatingList, on_delete=models.PROTECT, related_name="periods")
    key = models.CharField(max_length=60)
    origin = models.CharField(
        max_length=16,
        choices=[(kind.value, kind.value) for kind in OriginKind],
        default=OriginKind.NAMED.value,
    )
    origin_id = models.PositiveBigIntegerField(null=True, blank=True)
    origin_part = models.PositiveSmallIntegerField(default=1)
    label = models.CharField(max_length=120)
    evening_number = models.PositiveSmallIntegerField(null=True, blank=True)
    held_on = models.DateField()
    position = models.PositiveIntegerField(default=0)
    kind = models.CharField(max_length=30, blank=True)
    facts = models.JSONField(default=dict)
    rule_book = models.ForeignKey(
        RuleBook, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    rule_fixed = models.BooleanField(default=False)
    settled_at = models.DateTimeField(null=True, blank=True)
    removed_at = models.DateTimeField(null=True, blank=True)

    objects = PeriodQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["rating_list", "key"], name="period_key_is_unique_in_list"
            ),
            models.UniqueConstraint(
                fields=["rating_list", "origin", "origin_id", "origin_part"],
                condition=Q(origin_id__isnull=False),
                name="period_is_opened_once_for_its_origin",
            ),
            models.CheckConstraint(
                condition=Q(origin=OriginKind.NAMED.value, origin_id__isnull=True)
                | (~Q(origin=OriginKind.NAMED.value) & Q(origin_id__isnull=False)),
                name="period_has_the_id_of_its_origin",
            ),
        ]

    def __str__(self) -> str:
        return self.label

    @property
    def organisation(self) -> Organisation:
        return self.rating_list.organisation

    @property
    def title(self) -> str:
        """Return its name as pages print it: an evening is named by its date, a cut as a sanction."""
        if self.origin == OriginKind.SANCTION.value:
            return str(_("Sanction"))
        if self.evening_number is None:
            return self.label
        which = f" ({self.evening_number})" if self.evening_number > 1 else ""
        return str(_("Soirée du %(day)s") % {"day": written(self.held_on, "j F") + which})


class RatedGameQuerySet(AppendOnlyQuerySet):
    def in_force(self) -> Self:
        """Select the last version of each game that was not withdrawn."""
        return self.filter(superseded_by__isnull=True, withdrawn=False)


class RatedGame(AppendOnly):
    """One game as posted. `source` ("match:42") and `revision` make posting idempotent.

    `added`: an officer added it to the competition; what is posted again from elsewhere keeps it.
    """

    period = models.ForeignKey(
        Period, on_delete=models.PROTECT, related_name="games", db_index=False
    )
    source = models.CharField(max_length=60)
    revision = models.PositiveIntegerField(default=0)
    position = models.PositiveIntegerField(default=0)
    first = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="+")
    second = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="+")
    first_halves = models.PositiveSmallIntegerField()
    first_score = models.IntegerField(null=True)
    second_score = models.IntegerField(null=True)
    facts = models.JSONField(default=dict)
    added = models.BooleanField(default=False)
    withdrawn = models.BooleanField(default=False)
    posted_at = models.DateTimeField()
    supersedes = models.OneToOneField(
        "self", on_delete=models.PROTECT, null=True, related_name="superseded_by"
    )

    objects = RatedGameQuerySet.as_manager()  # type: ignore[misc]

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["period", "source", "revision"], name="a_game_is_posted_once"
            ),
            models.CheckConstraint(
                condition=~Q(first=F("second")), name="rated_game_needs_two_people"
            ),
            models.CheckConstraint(
                condition=Q(first_halves__lte=2), name="rated_game_result_is_0_1_or_2_halves"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.source} r{self.revision}"

    @property
    def game(self) -> Game:
        """Return the value that was posted, which the systems take too."""
        return Game.from_row(getattr(self, column) for column in Game.COLUMNS)


class RatedPlacing(AppendOnly):
    """One line of a placing sheet (collective games)."""

    period = models.ForeignKey(
        Period, on_delete=models.PROTECT, related_name="placings", db_index=False
    )
    revision = models.PositiveIntegerField(default=0)
    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="+")
    place = models.PositiveIntegerField()
    facts = models.JSONField(default=dict)
    withdrawn = models.BooleanField(default=False)
    posted_at = models.DateTimeField()
    supersedes = models.OneToOneField(
        "self", on_delete=models.PROTECT, null=True, related_name="superseded_by"
    )

    objects = RatedGameQuerySet.as_manager()  # type: ignore[misc]

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["period", "member", "revision"], name="a_member_has_one_place_in_a_sheet"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.place}: {self.member_id}"


class LedgerEntryQuerySet(AppendOnlyQuerySet):
    def in_force(self) -> Self:
        """Select entries that no later replay superseded and that still move something."""
        return self.filter(superseded_by__isnull=True, voided=False)

    def in_order(self) -> Self:
        """Order a list's entries as its periods: a correction writes an entry later than its turn."""
        return self.order_by("held_on", "period__position", "period_id", "pk")


class LedgerEntry(AppendOnly):
    """One member's move: states before and after, why, under which rules, by whom.

    `voided`: a replay in which the member no longer moves; it supersedes an entry, before = after.
    Only columns used by reads are indexed: others slow the rating.
    """

    START = "start"
    SETTLED = "settled"
    ADJUSTED = "adjusted"
    KINDS = [(START, "start"), (SETTLED, "settled"), (ADJUSTED, "adjusted")]

    rating_list = models.ForeignKey(
        RatingList, on_delete=models.PROTECT, related_name="entries", db_index=False
    )
    period = models.ForeignKey(Period, on_delete=models.PROTECT, null=True, related_name="entries")
    member = models.ForeignKey(
        Member, on_delete=models.PROTECT, related_name="ledger_entries", db_index=False
    )
    kind = models.CharField(max_length=10, choices=KINDS, default=SETTLED)
    before = models.JSONField()
    after = models.JSONField()
    shown_before = models.IntegerField(null=True)
    shown_after = models.IntegerField(null=True)
    because = models.JSONField(default=list)
    rule_book = models.ForeignKey(
        RuleBook, on_delete=models.PROTECT, null=True, related_name="+", db_index=False
    )
    held_on = models.DateField()
    written_at = models.DateTimeField()
    written_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+", db_index=False
    )
    reason = models.TextField(blank=True)
    voided = models.BooleanField(default=False)
    supersedes = models.OneToOneField(
        "self", on_delete=models.PROTECT, null=True, related_name="superseded_by"
    )

    objects = LedgerEntryQuerySet.as_manager()  # type: ignore[misc]

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["period", "member"],
                condition=Q(supersedes__isnull=True, period__isnull=False),
                name="a_period_rates_a_member_once",
            ),
        ]
        indexes = [
            models.Index(fields=["rating_list", "member", "held_on"], name="ledger_by_member"),
        ]

    def __str__(self) -> str:
        return f"{self.member_id}: {self.shown_before} → {self.shown_after}"

    @property
    def delta(self) -> int | None:
        """Return how far the shown number moved; None where there is no number before or after."""
        if self.shown_before is None or self.shown_after is None:
            return None
        return self.shown_after - self.shown_before


class StandingCote(models.Model):
    """The latest state of each member in a list: a cache of the ledger for pages, rebuilt by replay.

    `replay_ratings --check` compares it with the ledger.
    """

    rating_list = models.ForeignKey(RatingList, on_delete=models.PROTECT, related_name="cotes")
    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="cotes")
    state = models.JSONField()
    shown = models.IntegerField(null=True, db_index=True)
    games = models.PositiveIntegerField(default=0)
    status = models.CharField(max_length=16, blank=True)
    last_on = models.DateField(null=True)
    last_entry = models.ForeignKey(
        LedgerEntry, on_delete=models.PROTECT, null=True, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["rating_list", "member"], name="one_cote_per_member_and_list"
            ),
        ]
        indexes = [models.Index(fields=["rating_list", "-shown"], name="cotes_by_rank")]

    def __str__(self) -> str:
        return f"{self.member_id}: {self.shown}"


class Edition(AppendOnly):
    """A published ranking: numbered, dated, immutable. An erratum links to the edition it corrects.

    `rating_list` None is the club's own ranking. `columns`: {"since", "sections", "columns"};
    `rows`: one object a player. `sha256` is of everything printed but the names (see editions).
    """

    organisation = models.ForeignKey(
        Organisation, on_delete=models.PROTECT, related_name="editions"
    )
    rating_list = models.ForeignKey(
        RatingList, on_delete=models.PROTECT, null=True, related_name="editions"
    )
    number = models.PositiveIntegerField()
    title = models.CharField(max_length=160)
    note = models.TextField(blank=True)
    covers_until = models.DateField()
    published_at = models.DateTimeField()
    published_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    columns = models.JSONField()
    rows = models.JSONField()
    rule_book = models.ForeignKey(RuleBook, on_delete=models.PROTECT, null=True, related_name="+")
    journal_seq = models.PositiveBigIntegerField()
    journal_hash = models.CharField(max_length=64)
    sha256 = models.CharField(max_length=64)
    erratum_of = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, related_name="errata"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "rating_list", "number"], name="edition_number_is_unique"
            ),
            # Two NULLs are not equal: the club's own editions need their own constraint.
            models.UniqueConstraint(
                fields=["organisation", "number"],
                condition=Q(rating_list__isnull=True),
                name="club_edition_number_is_unique",
            ),
            # With a condition it is an index: SQLite would rebuild the table, and lose its triggers.
            models.UniqueConstraint(
                fields=["erratum_of"],
                condition=Q(erratum_of__isnull=False),
                name="an_edition_is_mended_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.title} nº {self.number}"
