"""Dated rule books: what a committee changed, from which day."""

from __future__ import annotations

from datetime import datetime
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from clubs.organisations.models import Organisation


class RuleBookQuerySet(models.QuerySet["RuleBook"]):
    def of(self, organisation: Organisation, scope: str) -> Self:
        return self.filter(organisation=organisation, scope=scope)

    def adopted(self) -> Self:
        return self.filter(adopted_at__isnull=False)

    def drafts(self) -> Self:
        return self.filter(adopted_at__isnull=True, dropped_at__isnull=True)

    def at(self, moment: datetime) -> Self:
        """Select adopted versions already in force at that moment, newest first."""
        return (
            self.adopted().filter(effective_from__lte=moment).order_by("-effective_from", "-number")
        )

    def to_come(self, moment: datetime) -> list[RuleBook]:
        """Return the adopted versions that come into force after that moment, in that order.

        Of several from the same moment only the last adopted ever is in force.
        """
        later = self.adopted().filter(effective_from__gt=moment)
        by_date = {book.effective_from: book for book in later.order_by("effective_from", "number")}
        return list(by_date.values())


class RuleBook(models.Model):
    """`values`: {part: {field: value}} over the document's defaults. Frozen once adopted."""

    organisation = models.ForeignKey(
        Organisation, on_delete=models.PROTECT, related_name="rule_books"
    )
    scope = models.CharField(max_length=30)
    number = models.PositiveIntegerField(_("version"))
    values = models.JSONField(default=dict)
    reason = models.TextField(_("motif"), blank=True)
    voted_by = models.CharField(_("adopté par"), max_length=200, blank=True)
    effective_from = models.DateTimeField(_("en vigueur à partir du"), null=True, blank=True)
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    adopted_at = models.DateTimeField(null=True, blank=True)
    adopted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    dropped_at = models.DateTimeField(null=True, blank=True)

    objects = RuleBookQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "scope", "number"], name="rule_book_number_is_unique"
            ),
            models.UniqueConstraint(
                fields=["organisation", "scope"],
                condition=Q(adopted_at__isnull=True, dropped_at__isnull=True),
                name="one_rule_draft_at_a_time",
            ),
            models.CheckConstraint(
                condition=Q(adopted_at__isnull=True) | Q(effective_from__isnull=False),
                name="adopted_rule_book_has_a_date",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.scope} v{self.number}"
