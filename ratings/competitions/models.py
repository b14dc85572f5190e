"""What exists before a competition is rated: its file as a draft."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class CompetitionDraft(models.Model):
    """A competition's file, read but not yet in the list: previewed, then brought in whole.

    `rows` is the file as text, its head first. `period` is the period created from it.
    `choices`: who names are, {key of `matching.name_key`: member id, or 0 for a new player}.
    `handed`: of a hand-over, {"players": {key: the club's member}, "keys": sources of the games}.
    """

    rating_list = models.ForeignKey(
        "ratings.RatingList", on_delete=models.PROTECT, related_name="drafts"
    )
    file_name = models.CharField(max_length=200)
    encoding = models.CharField(max_length=20, blank=True)
    label = models.CharField(_("nom"), max_length=120)
    held_on = models.DateField(_("date"))
    facts = models.JSONField(default=dict)
    rows = models.JSONField()
    choices = models.JSONField(default=dict)
    handed = models.JSONField(default=dict)
    version = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    period = models.OneToOneField(
        "ratings.Period", on_delete=models.PROTECT, null=True, related_name="draft"
    )
    brought_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.label
