"""A club evening of the continuous ladder: its check-ins and pairing runs."""

from __future__ import annotations

from datetime import date, datetime
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from clubs.journal.append_only import AppendOnly
from clubs.members.models import Member
from clubs.organisations.models import Organisation, Season
from clubs.rulebooks.models import RuleBook
from clubs.templatetags.french_dates import hour_and_place


class EveningState(models.TextChoices):
    """Planned → open → running → last games → closing → closed; the four between are live."""

    PLANNED = "planned", _("Annoncée")
    OPEN = "open", _("Ouverte")
    RUNNING = "running", _("En cours")
    LAST_GAMES = "last_games", _("Derniers matchs")
    CLOSING = "closing", _("Clôture")
    CLOSED = "closed", _("Clôturée")
    CANCELLED = "cancelled", _("Annulée")


class CheckInState(models.TextChoices):
    WAITING = "waiting", _("attend")
    PLAYING = "playing", _("joue")
    LEFT = "left", _("parti")


PRESENT_VALUES = (CheckInState.WAITING.value, CheckInState.PLAYING.value)
LIVE_VALUES = (
    EveningState.OPEN.value,
    EveningState.RUNNING.value,
    EveningState.LAST_GAMES.value,
    EveningState.CLOSING.value,
)


class EveningQuerySet(models.QuerySet["Evening"]):
    def of(self, organisation: Organisation) -> Self:
        return self.filter(organisation=organisation)

    def live(self) -> Self:
        """Return the evenings whose check-in has opened and that are not closed yet."""
        return self.filter(state__in=Evening.LIVE)

    def closed(self) -> Self:
        return self.filter(state=Evening.State.CLOSED)

    def newest_first(self) -> Self:
        """Order them from the last day on; of one day, from the one that began last."""
        return self.order_by("-held_on", "-starts_at", "-pk")

    def live_then_closed(self) -> Self:
        """Return the evenings that have opened: the live ones, then the closed ones, newest first."""
        opened = self.filter(state__in=[*Evening.LIVE, Evening.State.CLOSED])
        in_time = opened.alias(is_closed=Q(state=Evening.State.CLOSED))
        return in_time.order_by("is_closed", "-held_on", "-starts_at", "-pk")

    def coming(self, *, on: date) -> Self:
        """Return the evenings announced for that day or a later one, and not opened yet."""
        return self.filter(state=Evening.State.PLANNED, held_on__gte=on)

    def past(self, *, on: date) -> Self:
        """Return the closed evenings, and those whose day passed without their being opened."""
        return self.filter(
            Q(state=Evening.State.CLOSED) | Q(state=Evening.State.PLANNED, held_on__lt=on)
        )

    def at_address(self, address: str) -> Self:
        """Return the evening of an address: 2026-11-21 is the day's first, 2026-11-21/2 the second."""
        day, _slash, number = address.partition("/")
        return self.filter(held_on=date.fromisoformat(day), number=int(number or 1))


class Evening(models.Model):
    """One evening is one session: several a day, also at the same time in two rooms.

    `number` is its rank among those announced for its day. It is stored, so that its address stays.
    `rule_book` is fixed when check-in opens: nothing changes mid-evening.
    """

    State = EveningState
    LIVE = LIVE_VALUES

    # Of evenings read with `ranking.live.version_columns`.
    last_event: int | None
    last_entry: int | None

    organisation = models.ForeignKey(
        Organisation, on_delete=models.PROTECT, related_name="evenings"
    )
    season = models.ForeignKey(Season, on_delete=models.PROTECT, related_name="evenings")
    held_on = models.DateField(_("date"))
    number = models.PositiveSmallIntegerField(_("numéro dans la journée"), default=1)
    starts_at = models.DateTimeField(_("heure"))
    place = models.CharField(_("lieu"), max_length=120, blank=True)
    state = models.CharField(
        max_length=12, choices=EveningState.choices, default=EveningState.PLANNED.value
    )
    rule_book = models.ForeignKey(
        RuleBook, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    door_code = models.CharField(max_length=12, unique=True)
    board_code = models.CharField(max_length=4, blank=True)
    screen_version = models.PositiveIntegerField(default=0)
    screen_open = models.BooleanField(default=False)
    auto_pair = models.BooleanField(_("appariement automatique"), default=True)
    guests_wait = models.BooleanField(_("l’accueil admet les invités"), default=True)
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    cancel_reason = models.TextField(blank=True)
    edits = models.PositiveIntegerField(default=0)

    DETAILS = ("starts_at", "place", "auto_pair")
    """What the committee changes of an announced evening."""

    objects = EveningQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "held_on", "number"],
                name="each_evening_of_a_day_has_its_number",
            ),
            models.UniqueConstraint(
                fields=["organisation", "starts_at", "place"],
                condition=~Q(state=EveningState.CANCELLED.value),
                name="one_evening_begins_at_an_hour_in_a_place",
            ),
            models.CheckConstraint(
                condition=~Q(state=EveningState.CLOSED.value) | Q(closed_at__isnull=False),
                name="closed_evening_says_when",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.organisation_id} {self.address}"

    @property
    def is_live(self) -> bool:
        return self.state in self.LIVE

    @property
    def has_waiting_list(self) -> bool:
        """Return whether who is free waits for a match: before the last games."""
        return self.state in (EveningState.OPEN, EveningState.RUNNING)

    def was_missed(self, *, at: datetime) -> bool:
        """Return whether its day has passed, by the club's calendar, and it was not opened.

        Its state stays: the committee may cancel it, or announce it for another day.
        """
        today = at.astimezone(self.organisation.zone).date()
        return self.state == EveningState.PLANNED and self.held_on < today

    @property
    def address(self) -> str:
        """Return its part of an address: the day, and its number from the day's second on."""
        day = self.held_on.isoformat()
        return day if self.number == 1 else f"{day}/{self.number}"

    @property
    def apart(self) -> str:
        """Return what follows its day in a title: hour and place from the day's second evening on."""
        return "" if self.number == 1 else f", {hour_and_place(self)}"

    def get_absolute_url(self) -> str:
        return reverse("pairings:evening", kwargs={"day": self.address})


def is_free(*, at: datetime) -> Q:
    """Filter check-ins of those who may be called now: they wait, and take no pause."""
    not_paused = Q(paused_until__isnull=True) | Q(paused_until__lte=at)
    return Q(state=CheckInState.WAITING.value) & not_paused


class CheckInQuerySet(models.QuerySet["CheckIn"]):
    def present(self) -> Self:
        """Return the check-ins of those who are there: they wait or play."""
        return self.filter(state__in=PRESENT_VALUES)

    def waiting(self, *, at: datetime) -> Self:
        """Return the check-ins that a pairing run may use (present and free), in order of arrival."""
        return self.filter(is_free(at=at)).order_by("waiting_since", "pk")


class CheckIn(models.Model):
    """The presence of one member at one evening."""

    State = CheckInState

    evening = models.ForeignKey(
        Evening, on_delete=models.PROTECT, related_name="check_ins", db_index=False
    )
    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="check_ins")
    state = models.CharField(
        max_length=8, choices=CheckInState.choices, default=CheckInState.WAITING.value
    )
    arrived_at = models.DateTimeField()
    waiting_since = models.DateTimeField()
    paused_until = models.DateTimeField(null=True, blank=True)
    source = models.CharField(max_length=10)

    objects = CheckInQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["evening", "member"], name="a_member_checks_in_once_an_evening"
            ),
            models.UniqueConstraint(
                fields=["member"],
                condition=Q(state__in=PRESENT_VALUES),
                name="a_member_is_present_at_one_evening_at_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.member_id} @ {self.evening_id}: {self.state}"


class PairingRun(AppendOnly):
    """One run of the pairing rule: its input, settings, output and reasons."""

    evening = models.ForeignKey(Evening, on_delete=models.PROTECT, related_name="pairing_runs")
    at = models.DateTimeField()
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    strategy = models.CharField(max_length=20)
    rule_book = models.ForeignKey(RuleBook, on_delete=models.PROTECT, null=True, related_name="+")
    given = models.JSONField()
    outcome = models.JSONField()

    def __str__(self) -> str:
        return f"run {self.pk} of evening {self.evening_id}"


class GuestRequestQuerySet(models.QuerySet["GuestRequest"]):
    def waiting(self) -> Self:
        """Return the unanswered requests, in order of arrival."""
        return self.filter(answered_at__isnull=True).order_by("asked_at", "pk")


class GuestRequest(models.Model):
    """A request to play as a guest. It has no member, no number and no seat before the answer.

    `visitor`: the account, where the newcomer has one on this site.
    """

    evening = models.ForeignKey(Evening, on_delete=models.PROTECT, related_name="guest_requests")
    visitor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    first_name = models.CharField(max_length=60, blank=True)
    last_name = models.CharField(max_length=60, blank=True)
    asked_at = models.DateTimeField()
    answered_at = models.DateTimeField(null=True, blank=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    member = models.OneToOneField(
        Member, on_delete=models.PROTECT, null=True, blank=True, related_name="guest_request"
    )

    objects = GuestRequestQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(member__isnull=True) | Q(answered_at__isnull=False),
                name="a_guest_is_a_member_after_the_answer_only",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.first_name} {self.last_name}".strip()

    @property
    def is_refused(self) -> bool:
        return self.answered_at is not None and self.member_id is None
