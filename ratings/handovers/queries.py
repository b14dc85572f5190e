"""What was handed over: in words for the journals of both sides, and by a club the last time."""

from __future__ import annotations

from collections.abc import Collection

from clubs.journal.wording import Subject
from clubs.organisations.models import Organisation
from ratings.handovers.models import HandOver
from ratings.ledger.models import RatingList


def subjects(ids: Collection[int]) -> dict[int, Subject]:
    """Return hand-overs in words; the page is the federation's, so the club's journal has no link."""
    handovers = HandOver.objects.filter(pk__in=ids).select_related("rating_list")
    return {one.pk: (f"{one.label}, {one.rating_list.title}", "") for one in handovers}


def last_of(club: Organisation, lists: Collection[RatingList]) -> HandOver | None:
    """Return what this club handed over last to one of these lists."""
    return HandOver.objects.filter(club=club, rating_list__in=lists).order_by("-pk").first()
