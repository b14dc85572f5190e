"""Wrong tries of a member's code, by where they were made."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from clubs.members.models import Member


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
