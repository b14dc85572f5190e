"""A suspension at a tournament: who may be entered, who may be paired, who finishes what has begun."""

from __future__ import annotations

from datetime import timedelta

import pytest

from pairings.absences import suspensions
from pairings.evenings import actions as evenings
from pairings.tournaments import actions as tournaments
from pairings.tournaments import registration
from pairings.tournaments.rounds.actions import present_ids
from pairings.tournaments.rules import TournamentRefused
from tests.clubhouse import running_evening
from tests.pairings.absences.test_suspensions import suspend, suspend_on_days
from tests.tournament_day import entry_of, make_tournament, play_round, publish, round_of

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


def weekly(club):
    """Return the details of a tournament of three rounds, one a week."""
    ends_on = club.at.date() + timedelta(days=15)
    return {"system": "swiss", "round_count": 3, "round_minutes": 7 * 24 * 60, "ends_on": ends_on}


def left_of(tournament, member, number=1):
    """Return how many evenings of a suspension this member has left on the day of that round."""
    found = suspensions.at_tournament(tournament, [member.pk], number=number).get(member.pk)
    return found.left if found else 0


@pytest.mark.parametrize(
    ("sessions", "announced", "left"), [(1, 0, 1), (1, 1, 0), (2, 1, 1), (3, 1, 2)]
)
def test_an_evening_announced_before_a_tournament_counts_as_served_by_then(
    club, sessions, announced, left
):
    club.close()
    suspend(club, sessions=sessions)
    for number in range(announced):
        club.announce(club.at + (30 + number) * MINUTE)
    member, made = club.members[0], make_tournament(club, size=0)
    assert left_of(made, member) == left
    whom = {"tournament": made, "member": member, "cote": 1500}
    if not left:
        assert registration.enter(**whom, by=club.committee, at=club.at)
        return
    with pytest.raises(TournamentRefused, match=f"porte encore sur {left} soirée") as refused:
        registration.enter(**whom, by=club.committee, at=club.at)
    assert refused.value.code == "suspended"
    assert not made.entries.exists()


def test_an_evening_called_off_is_not_served_by_the_time_of_a_tournament(club):
    club.close()
    suspend(club)
    evening = club.announce(club.at + 30 * MINUTE)
    made = make_tournament(club, size=0)
    assert left_of(made, club.members[0]) == 0
    evenings.cancel_evening(evening=evening, reason="fermé", by=club.committee, at=club.at)
    assert left_of(made, club.members[0]) == 1


@pytest.mark.parametrize(("minutes", "left"), [(59, 0), (60, 1), (61, 1)])
def test_an_evening_that_opens_when_the_tournament_begins_is_not_served_yet(club, minutes, left):
    club.close()
    suspend(club)
    club.announce(club.at + minutes * MINUTE)
    assert left_of(make_tournament(club, size=0), club.members[0]) == left


@pytest.mark.parametrize(("minutes", "paired"), [(-1, True), (0, True), (1, False)])
def test_a_player_of_a_tournament_that_has_begun_finishes_it(club, minutes, paired):
    """Its ranking was frozen a minute before the decision, at the same time, a minute later."""
    club.close()
    made, member = make_tournament(club, size=8), club.members[0]
    suspend(club)
    made = tournaments.freeze(tournament=made, by=club.committee, at=club.at + minutes * MINUTE)
    assert entry_of(made, member).is_present(1)
    boards = publish(club, made, 1).matches.all()
    assert (member.pk in {pk for one in boards for pk in (one.first_id, one.second_id)}) is paired


@pytest.mark.parametrize(("counts", "barred"), [(False, [1, 2]), (True, [1])])
def test_a_suspension_that_is_served_between_two_rounds_bars_from_those_before(
    club, counts, barred
):
    """Three rounds, one a week, and a club night nine days after the first, between two of them."""
    club.rule_book({"pairing": {"suspension_counts_tournaments": counts}})
    club.close()
    made = make_tournament(club, size=3, **weekly(club))
    suspend(club)
    member, club.at = club.members[0], made.starts_at
    made = tournaments.freeze(tournament=made, by=club.committee, at=club.at)
    club.announce(made.starts_at + timedelta(days=9))
    entries, rounds = made.entries.all(), [round_of(made, number) for number in (1, 2, 3)]
    assert [one.number for one in rounds if member.pk not in present_ids(one, entries)] == barred


def test_midnight_in_a_tournament_of_one_day_serves_nothing(club):
    """Its first day counts as an evening; the fifth round begins at one in the morning."""
    club.rule_book({"pairing": {"suspension_counts_tournaments": True}})
    club.close()
    made, member = make_tournament(club, size=8, round_minutes=75), club.members[0]
    suspend(club)
    made = tournaments.freeze(tournament=made, by=club.committee, at=club.at + MINUTE)
    assert round_of(made, 5).starts_at.date() > made.held_on
    assert member.pk not in present_ids(round_of(made, 5), made.entries.all())


@pytest.mark.parametrize(("day", "left"), [(-2, 0), (-1, 1), (0, 1), (1, 1), (2, 0)])
def test_an_older_suspension_counts_on_its_days_alone(club, day, left):
    made, member = make_tournament(club, size=0), club.members[0]
    first = made.held_on - timedelta(days=1 + day)
    suspend_on_days(club, member, first, first + timedelta(days=2))
    assert left_of(made, member) == left


def test_an_older_suspension_ends_between_two_days_of_a_tournament(club):
    made, member = make_tournament(club, size=3, **weekly(club)), club.members[0]
    suspend_on_days(club, member, made.held_on, made.held_on + timedelta(days=6))
    made = tournaments.freeze(tournament=made, by=club.committee, at=club.at)
    assert [left_of(made, member, number) for number in (1, 2, 3)] == [1, 0, 0]


def test_a_club_night_between_two_rounds_of_a_day_is_served_on_the_next_day(club):
    """Six rounds, two a day, two hours apart; on the second day a club night is between them."""
    ends_on = club.at.date() + timedelta(days=2)
    two_a_day = {"round_minutes": 120, "rounds_a_day": 2, "round_count": 6, "ends_on": ends_on}
    made, member = make_tournament(club, size=4, system="swiss", **two_a_day), club.members[0]
    suspend(club)
    made = tournaments.freeze(tournament=made, by=club.committee, at=club.at + MINUTE)
    club.announce(round_of(made, 4).starts_at - timedelta(hours=1))
    barred = [number for number in range(1, 7) if left_of(made, member, number)]
    assert barred == [1, 2, 3, 4]


def test_who_was_suspended_as_it_began_enters_once_that_is_served(club):
    """It has a round a week; the club night is between the first two."""
    club.close()
    made = make_tournament(club, size=4, **weekly(club))
    late = club.members[4]
    suspend(club, member=late)
    club.at = made.starts_at
    made = tournaments.freeze(tournament=made, by=club.committee, at=club.at)
    whom = {"tournament": made, "member": late, "cote": 1500, "by": club.committee}
    with pytest.raises(TournamentRefused, match="porte encore sur 1 soirée"):
        registration.enter(**whom, at=club.at)
    play_round(club, made, 1)
    club.at += timedelta(days=2)
    running_evening(club.organisation, club.members[:2], club.committee, club.at)
    entry = registration.enter(**whom, at=club.at)
    assert entry.first_round == 2
    boards = publish(club, made, 2).matches.all()
    assert late.pk in {pk for one in boards for pk in (one.first_id, one.second_id)}
