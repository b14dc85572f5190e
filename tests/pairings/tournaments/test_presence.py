"""Who is there in which round: withdrawals, returns, a table added late, a suspension."""

from __future__ import annotations

from datetime import timedelta

import pytest

from clubs.journal.models import JournalEntry
from pairings.tournaments import actions as tournaments
from pairings.tournaments import registration
from pairings.tournaments import standings as tournament_standings
from pairings.tournaments.files import snapshot
from pairings.tournaments.rounds import actions as rounds
from pairings.tournaments.rounds import publishing as round_publishing
from tests.clubhouse import running_evening
from tests.pages import words
from tests.pairings.absences.test_suspensions import suspend
from tests.refusals import refused
from tests.tournament_day import entry_of, frozen, make_tournament, play_round, publish, round_of

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


def test_who_is_suspended_after_their_entry_is_said_so_and_gets_no_table(club, desk, root):
    club.close()
    made, member = make_tournament(club, size=8), club.members[0]
    suspend(club)
    later = club.at + timedelta(minutes=1)
    made = tournaments.freeze(tournament=made, by=club.committee, at=later)
    by_arbiter = {"by": club.arbiter, "at": club.at}
    drawn = rounds.draw(round=round_of(made, 1), **by_arbiter)
    manage = f"{root}/gestion/tournois/{made.slug}"
    control = words(desk.get(f"{manage}/ronde/1/conduite/"))
    assert f"7 présents. Suspension : {member.full_name}" in control
    assert "Présents mais sans table" not in control
    assert f'<option value="{member.pk}">' not in control
    shown = words(desk.get(f"{manage}/inscrits/"))
    assert "ronde 1 : 7 présents" in shown and "suspension" in shown
    published = round_publishing.publish(round=drawn, **by_arbiter)
    alone = published.matches.get(second__isnull=True)
    with refused("suspended"):
        round_publishing.pair_late(
            round=published, first=alone.first_id, second=member.pk, reason="Là", **by_arbiter
        )
    assert published.matches.get(second__isnull=True) == alone


def test_who_has_served_a_suspension_between_two_rounds_is_present_again(club, desk, root):
    """A round a week: at the desk, in the draw and where two are paired by hand."""
    club.close()
    weekly = {"round_minutes": 7 * 24 * 60, "round_count": 2, "system": "swiss"}
    ends_on = club.at.date() + timedelta(days=8)
    made, member = make_tournament(club, size=7, ends_on=ends_on, **weekly), club.members[0]
    suspend(club)
    club.at = made.starts_at
    made = tournaments.freeze(tournament=made, by=club.committee, at=club.at)
    play_round(club, made, 1)
    entered = f"{root}/gestion/tournois/{made.slug}/inscrits/"
    assert "ronde 2 : 6 présents" in words(desk.get(entered))
    club.at += timedelta(days=2)
    running_evening(club.organisation, club.members[1:3], club.committee, club.at)
    assert "ronde 2 : 7 présents" in words(desk.get(entered))
    published = publish(club, made, 2)
    with refused("already_playing"):
        round_publishing.pair_late(
            round=published,
            first=member.pk,
            second=club.members[1].pk,
            reason="Là",
            by=club.arbiter,
            at=club.at,
        )
