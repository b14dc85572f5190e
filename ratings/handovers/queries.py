"""Hand-overs in words, for the journals of both sides."""

from __future__ import annotations

from collections.abc import Collection

from clubs.journal.wording import Subject
from ratings.handovers.models import HandOver


def subjects(ids: Collection[int]) -> dict[int, Subject]:
    """Return hand-overs in words; the page is the federation's, so the club's journal has no link."""
    handovers = HandOver.objects.filter(pk__in=ids).select_related("rating_list")
    return {one.pk: (f"{one.label}, {one.rating_list.title}", "") for one in handovers}
