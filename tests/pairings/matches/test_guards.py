"""The database refuses what no result, seat, contest or ledger may be, whoever writes it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from pairings.arbitration.models import Contest
from pairings.matches.models import Decision, Match, MatchLine, Seat
from ratings.ledger.models import LedgerEntry

pytestmark = pytest.mark.django_db


def again(row: Any, **changes: Any) -> None:
    """The same row a second time, but for these values."""
    row.pk, row._state.adding = None, True
    for name, value in changes.items():
        setattr(row, name, value)
    row.save()


def change(match: Match, **values: Any) -> None:
    Match.objects.filter(pk=match.pk).update(**values)


def confirmed(club):
    return club.played(scores=(400, 300))[0]


def rated(club):
    match = confirmed(club)
    club.close()
    return match


# The constraint, how the match came about, and what is written.
REFUSED: dict[str, tuple[Callable[[Any], Any], Callable[[Match], Any]]] = {
    "match_needs_two_people": (
        lambda club: club.match()[0],
        lambda match: change(match, second=match.first),
    ),
    "match_has_window_once_submitted": (
        lambda club: club.entered()[0],
        lambda match: change(match, contest_until=None),
    ),
    "final_match_has_a_result": (confirmed, lambda match: change(match, kind="")),
    "played_match_has_two_scores": (confirmed, lambda match: change(match, second_score=None)),
    "only_agreed_results_count": (
        lambda club: club.contested()[0],
        lambda match: change(match, counts=True),
    ),
    "nobody_plays_himself": (
        lambda club: club.match()[0],
        lambda match: Seat.objects.filter(match=match, side="second").update(member=match.first),
    ),
    "one_member_per_side": (
        lambda club: club.match()[0],
        lambda match: Seat.objects.filter(match=match).update(side="first"),
    ),
    "one_open_match_per_member": (
        lambda club: [club.match(), club.match()][1][0],
        lambda match: Seat.objects.filter(match=match, side="first").update(
            member=Match.objects.order_by("pk").first().first
        ),
    ),
    "a_match_has_one_first_decision": (
        confirmed,
        lambda match: again(Decision.objects.get(match=match)),
    ),
    "arbiter_decision_has_a_reason": (
        confirmed,
        lambda match: again(
            Decision.objects.get(match=match),
            basis="arbiter",
            reason="",
            supersedes=Decision.objects.get(match=match),
        ),
    ),
    "timeline_lines_are_numbered": (
        confirmed,
        lambda match: again(MatchLine.objects.filter(match=match).last()),
    ),
    "one_open_contest_per_match": (
        lambda club: club.contested()[0],
        lambda match: again(Contest.objects.get(match=match)),
    ),
    "a_period_rates_a_member_once": (
        rated,
        lambda match: again(LedgerEntry.objects.get(member=match.first)),
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_row_may_be_is_refused(club, name):
    """SQLite's triggers refuse the key of a row that is only added, before its index does."""
    begin, write = REFUSED[name]
    match = begin(club)
    with pytest.raises(IntegrityError, match=rf"{name}|UNIQUE|append-only"), transaction.atomic():
        write(match)


def test_a_decision_is_superseded_once(club):
    """Corrections are one line without branches."""
    match = confirmed(club)
    first = Decision.objects.get(match=match)
    again(Decision.objects.get(pk=first.pk), supersedes=first, rev=first.rev + 1)
    with pytest.raises(IntegrityError), transaction.atomic():
        again(
            Decision.objects.get(pk=first.pk),
            supersedes=first,
            rev=first.rev + 2,
            at=first.at + timedelta(seconds=1),
        )
