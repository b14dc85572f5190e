"""Phones that asked to be notified, what each member wants to hear of, and what waits to be sent."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from typing import Self

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from clubs.members.models import Member

QUIET_FROM, QUIET_UNTIL = time(22), time(8)
ENDPOINT_LENGTH = 1024
"""The longest address of the push services: that of Windows."""


class Kind(models.TextChoices):
    """What a notification is about."""

    TABLE = "table", _("ma table est prête")
    CALL = "call", _("l’arbitre m’appelle à ma table")
    CONFIRM = "confirm", _("un résultat attend ma réponse")
    RULING = "ruling", _("l’arbitre a décidé d’un de mes matchs")
    EVENING = "evening", _("une soirée a lieu demain")


CAN_WAIT = (Kind.RULING, Kind.EVENING)
"""Kinds held back during quiet hours. The others are about a table where somebody waits."""


class PushSubscription(models.Model):
    """A browser that receives notifications, as its push service names it: one member's at a time."""

    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="push_subscriptions")
    endpoint = models.CharField(max_length=ENDPOINT_LENGTH, unique=True)
    p256dh = models.CharField(max_length=100)
    auth = models.CharField(max_length=50)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"device of {self.member_id}"


class PushChoices(models.Model):
    """What a member wants to be notified of; without a row, everything, and quiet at night."""

    member = models.OneToOneField(Member, on_delete=models.PROTECT, related_name="push_choices")
    table = models.BooleanField(Kind.TABLE.label, default=True)
    call = models.BooleanField(Kind.CALL.label, default=True)
    confirm = models.BooleanField(Kind.CONFIRM.label, default=True)
    ruling = models.BooleanField(Kind.RULING.label, default=True)
    evening = models.BooleanField(Kind.EVENING.label, default=True)
    by_mail = models.BooleanField(
        _("m’écrire par e-mail si aucun de mes appareils ne peut être prévenu"), default=True
    )
    quiet_from = models.TimeField(_("début du silence"), null=True, blank=True, default=QUIET_FROM)
    quiet_until = models.TimeField(
        _("fin du silence"),
        null=True,
        blank=True,
        default=QUIET_UNTIL,
        help_text=_("Décisions et annonces attendent la fin du silence. À table, rien n’attend."),
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(quiet_from__isnull=True, quiet_until__isnull=True)
                | Q(quiet_from__isnull=False, quiet_until__isnull=False),
                name="quiet_hours_have_a_start_and_an_end",
            ),
        ]

    def __str__(self) -> str:
        return f"choices of {self.member_id}"

    def due_at(self, kind: Kind, at: datetime) -> datetime | None:
        """Return when to send a notification of that kind: now or after the quiet hours, or never.

        `at`: in the time zone of the organisation.
        """
        if not getattr(self, kind.value):
            return None
        if kind not in CAN_WAIT or self.quiet_from is None or self.quiet_until is None:
            return at
        now = at.time()
        over_midnight = self.quiet_from > self.quiet_until
        after_start, before_end = now >= self.quiet_from, now < self.quiet_until
        quiet = after_start or before_end if over_midnight else after_start and before_end
        if not quiet:
            return at
        day = at.date() + timedelta(days=1 if over_midnight and after_start else 0)
        return datetime.combine(day, self.quiet_until, tzinfo=at.tzinfo)


class PushNoticeQuerySet(models.QuerySet["PushNotice"]):
    def due(self, *, at: datetime) -> Self:
        """Select those to send now: not sent, not held back, and still of use."""
        return self.filter(sent_at__isnull=True, due_at__lte=at, until__gt=at)


class PushNotice(models.Model):
    """One notification to one member, written in their language when it happened.

    `translations`: of one that is held back, {language: [title, body]}, because its reader may choose
    another language before it is sent; None for one that is sent at once.
    """

    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="push_notices")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    key = models.CharField(max_length=60)
    title = models.CharField(max_length=120)
    body = models.CharField(max_length=300, blank=True)
    translations = models.JSONField(null=True, blank=True)
    path = models.CharField(max_length=200)
    due_at = models.DateTimeField()
    until = models.DateTimeField(db_index=True)
    sent_at = models.DateTimeField(null=True, blank=True)

    objects = PushNoticeQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["member", "key"], name="a_member_is_notified_once_of_a_thing"
            ),
            models.CheckConstraint(
                condition=Q(due_at__lt=F("until")), name="a_notification_is_due_while_of_use"
            ),
        ]
        indexes = [
            models.Index(
                fields=["due_at"],
                condition=Q(sent_at__isnull=True),
                name="push_notices_to_send",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} to {self.member_id}"

    def words_in(self, language: str) -> tuple[str, str]:
        """Return title and body in a language, or as they were written when it happened."""
        title, body = (self.translations or {}).get(language, (self.title, self.body))
        return title, body


class UnsentMail(models.Model):
    """A mail that the mail server has not taken yet, or never took; its task's id and nothing else."""

    key = models.CharField(max_length=40, primary_key=True)
    at = models.DateTimeField(db_index=True)
    given_up = models.BooleanField()

    def __str__(self) -> str:
        return self.key
