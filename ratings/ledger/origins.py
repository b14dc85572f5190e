"""Where a rating period comes from: the only module that writes and reads its origin columns.

A period also has a key, its permanent name in its list: systems store it in players' states and the
journal prints it, so it stays as it is. Nothing reads an origin out of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import models
from django.db.models import Q


class OriginKind(models.TextChoices):
    NAMED = "named"
    EVENING = "evening"
    EVENING_HANDED_OVER = "from-evening"
    TOURNAMENT = "tournament"
    FILE = "file"
    SANCTION = "sanction"
    HANDED_OVER = "handed-over"


@dataclass(frozen=True, slots=True)
class Origin:
    """What a period was opened for: the kind, the id of its row, and which part of it."""

    kind: OriginKind
    id: int
    part: int = 1

    @property
    def key(self) -> str:
        """Return the period's permanent name; only a second part is said."""
        return f"{self.kind.value}:{self.id}" + (f":{self.part}" if self.part > 1 else "")

    def columns(self) -> dict[str, Any]:
        """Return the values of the period's columns."""
        return {"origin": self.kind.value, "origin_id": self.id, "origin_part": self.part}


def evening(pk: int) -> Origin:
    """Return an evening of the club itself, settled when it closes."""
    return Origin(OriginKind.EVENING, pk)


def evening_handed_over(pk: int) -> Origin:
    """Return a closed evening posted to another list, whose officer rates it."""
    return Origin(OriginKind.EVENING_HANDED_OVER, pk)


def tournament(pk: int, part: int = 1) -> Origin:
    """Return a closed tournament, or one of the tables that it is split into."""
    return Origin(OriginKind.TOURNAMENT, pk, part)


def file(pk: int) -> Origin:
    """Return a competition brought in by the rating officer."""
    return Origin(OriginKind.FILE, pk)


def sanction(pk: int) -> Origin:
    """Return a cut that the committee decided."""
    return Origin(OriginKind.SANCTION, pk)


def handed_over(pk: int) -> Origin:
    """Return a club's competition that an officer of the federation accepted."""
    return Origin(OriginKind.HANDED_OVER, pk)


def hand_over_of(period: Any) -> int | None:
    """Return the id of the hand-over that a period was made of; None for any other origin."""
    return period.origin_id if period.origin == OriginKind.HANDED_OVER.value else None


def is_one_of(*origins: Origin, part: bool = True) -> Q:
    """Return the filter of the periods opened for these; `part` False takes every part of them."""
    condition = Q(pk__in=[])
    for origin in origins:
        columns = origin.columns()
        if not part:
            del columns["origin_part"]
        condition |= Q(**columns)
    return condition


OWN_EVENING = Q(origin=OriginKind.EVENING.value)
PLAYED_ON_THE_SITE = (OriginKind.EVENING.value, OriginKind.TOURNAMENT.value)
"""Origins whose results are corrected where they were played, not in the list."""
UNOFFICIAL = "unofficial"
"""The kind of a period that is kept and shown, and never rated."""
