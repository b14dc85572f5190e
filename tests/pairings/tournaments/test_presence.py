"""Who is there in which round: withdrawals, returns, a table added late, a suspension."""

from __future__ import annotations

import pytest

from clubs.journal.models import JournalEntry
from pairings.tournaments import registration
from pairings.tournaments import standings as tournament_standings
from pairings.tournaments.files import snapshot
from pairings.tournaments.rounds import publishing as round_publishing
from tests.tournament_day import entry_of, frozen, play_round, publish

pytestmark = pytest.mark.django_db


def absent_in(tournament, number: int) -> tuple[int, ...]:
    sheet = snapshot.photograph(tournament_standings.sheet_of(tournament))
    return sheet.rounds[number - 1].absent


def test_who_is_back_at_a_table_added_late_still_missed_the_rounds_before(house):
    made, by_arbiter = frozen(house, 8), {"by": house.arbiter, "at": house.at}
    gone = house.members[0]
    registration.withdraw(entry=entry_of(made, gone), number=1, **by_arbiter)
    play_round(house, made, 1)
    second = publish(house, made, 2)
    alone = second.matches.get(second__isnull=True)
    round_publishing.pair_late(
        round=second, first=gone.pk, second=alone.first_id, reason="Les voilà", **by_arbiter
    )
    entry = entry_of(made, gone)
    assert (entry.withdrawn_from, entry.away) == (None, [1])
    assert [absent_in(made, number) for number in (1, 2, 3)] == [(1,), (), ()]


def test_a_withdrawal_noted_twice_keeps_the_first_round_missed(house):
    made, by_arbiter = frozen(house, 8), {"by": house.arbiter, "at": house.at}
    gone = entry_of(made, house.members[0])
    for number in (1, 2):
        registration.withdraw(entry=gone, number=number, **by_arbiter)
        assert entry_of(made, house.members[0]).withdrawn_from == 1
        play_round(house, made, number)
    assert JournalEntry.objects.filter(verb="tournament_withdrawn").count() == 1
