"""How people come in: invitations, requests to join, and wrong tries of a member's code."""

from __future__ import annotations

from datetime import datetime
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from clubs.members.models import NAME_LENGTH, Member
from clubs.organisations.models import Organisation


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def usable(self, *, at: datetime) -> Self:
        return self.filter(revoked_at__isnull=True, expires_at__gt=at, used_count__lt=F("max_uses"))


class Invitation(models.Model):
    """An invitation by link or QR. The token is random and stored hashed; it signs nobody in."""

    organisation = models.ForeignKey(
        Organisation, on_delete=models.PROTECT, related_name="invitations"
    )
    token_hash = models.CharField(max_length=64, unique=True)
    member = models.ForeignKey(
        Member, on_delete=models.PROTECT, null=True, blank=True, related_name="invitations"
    )
    email = models.EmailField(blank=True)
    language = models.CharField(max_length=5, default="fr")
    max_uses = models.PositiveIntegerField(default=1)
    used_count = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    expires_at = models.DateTimeField()
    mailed_at = models.DateTimeField(null=True, blank=True)
    mail_failed_at = models.DateTimeField(null=True, blank=True)
    opened_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(used_count__lte=F("max_uses")), name="invitation_is_not_overused"
            ),
        ]

    def __str__(self) -> str:
        return f"invitation {self.pk}"


class JoinRequest(models.Model):
    """A newcomer's request to be a member."""

    organisation = models.ForeignKey(
        Organisation, on_delete=models.PROTECT, related_name="join_requests"
    )
    first_name = models.CharField(_("prénom"), max_length=NAME_LENGTH)
    last_name = models.CharField(_("nom"), max_length=NAME_LENGTH)
    email = models.EmailField(_("adresse e-mail"))
    is_minor = models.BooleanField(_("j’ai moins de 18 ans"), default=False)
    is_child = models.BooleanField(default=False)
    guardian_email = models.EmailField(_("adresse e-mail d’un parent"), blank=True)
    # Of the page it was asked on; empty for those of before 1.16: the club's.
    language = models.CharField(_("langue"), max_length=5, blank=True, default="", db_default="")
    # The guest whose results this person keeps.
    guest = models.ForeignKey(
        Member, on_delete=models.PROTECT, null=True, blank=True, related_name="join_requests"
    )
    asked_at = models.DateTimeField()
    answered_at = models.DateTimeField(null=True, blank=True)
    accepted = models.BooleanField(null=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )

    def __str__(self) -> str:
        return f"{self.first_name} {self.last_name}"


class PinTries(models.Model):
    """One source of tries: the member's own device, somebody's account, or an address.

    `source` is a digest. `wrong` is reset by a right code, `wrong_today` counts the day `day`.
    """

    OWN, ACCOUNT, ADDRESS = "own", "account", "address"
    KINDS = [(OWN, _("son appareil")), (ACCOUNT, _("un compte")), (ADDRESS, _("une adresse"))]

    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="pin_sources")
    kind = models.CharField(max_length=8, choices=KINDS)
    source = models.CharField(max_length=32)
    wrong = models.PositiveIntegerField(default=0)
    locked_until = models.DateTimeField(null=True, blank=True)
    day = models.DateField()
    wrong_today = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["member", "source"], name="tries_of_a_code_are_counted_once_a_source"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.member_id} by {self.kind}: {self.wrong}"
