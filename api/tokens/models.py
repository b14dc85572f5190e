"""Keys with which a program acts for one member; only a hash of each is stored."""

from __future__ import annotations

from datetime import datetime
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from clubs.members.models import Member


class Scope(models.TextChoices):
    """What a key may do, within the role that its member has at that moment."""

    READ = "read", _("lire ce que je vois")
    RESULTS = (
        "results",
        _(
            "arriver à une soirée, saisir, confirmer et contester mes résultats, signaler une absence"
        ),
    )
    DIRECT = "direct", _("diriger : saisir les résultats d’une ronde")
    ARBITRATE = (
        "arbitrate",
        _("arbitrer une soirée : ouvrir, accueillir, apparier, trancher, clôturer"),
    )
    OFFICE = "office", _("tenir le club : membres, compétitions, annonce des soirées")


OF_A_ROLE = frozenset({Scope.DIRECT, Scope.ARBITRATE, Scope.OFFICE})
"""A key with one of these is made after a recent proof; its acts ask for no other."""


class TokenQuerySet(models.QuerySet["Token"]):
    def live(self, *, at: datetime) -> Self:
        """Select keys that still open something."""
        return self.filter(revoked_at__isnull=True, expires_at__gt=at)

    def ended(self, *, since: datetime, at: datetime) -> Self:
        """Select keys that were revoked or expired since that moment: their programs stopped."""
        expired = Q(revoked_at__isnull=True, expires_at__gt=since, expires_at__lte=at)
        return self.filter(expired | Q(revoked_at__gt=since))


class Token(models.Model):
    """A key of one member of one club, made with one account: worthless without either."""

    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="api_tokens")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="api_tokens"
    )
    name = models.CharField(max_length=60)
    scopes = models.JSONField(default=list)
    key_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = TokenQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(expires_at__gt=F("created_at")), name="a_token_ends_after_it_begins"
            ),
        ]

    def __str__(self) -> str:
        return f"token {self.pk} of {self.member_id}"

    @property
    def scope_words(self) -> list[str]:
        """Return what this key may do, in words."""
        return [str(Scope(scope).label) for scope in self.scopes]
