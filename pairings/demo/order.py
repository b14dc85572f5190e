"""Acts of several tables in the order of their moments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from heapq import heapify, heappop, heapreplace

Acts = Iterator[datetime]
"""What happens at one table: the moment of each act is yielded before the act is done."""


def in_order(tables: Iterable[Acts]) -> None:
    """Do the acts of several tables in the order of their moments, as the journal of a club has them."""
    waiting = [(next(acts), number, acts) for number, acts in enumerate(tables)]
    heapify(waiting)
    while waiting:
        _at, number, acts = waiting[0]
        later = next(acts, None)
        if later is None:
            heappop(waiting)
        else:
            heapreplace(waiting, (later, number, acts))
