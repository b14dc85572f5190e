"""A suspension counts the evenings that open after the decision; midnight changes nothing."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from clubs.sanctions.models import Sanction
from pairings.absences import actions as absences
from pairings.absences import suspensions
from pairings.evenings import actions as evenings
from pairings.evenings import common, pairing
from pairings.evenings.admission import presence
from pairings.evenings.models import CheckIn
from pairings.matches.models import Match
from pairings.tournaments.models import Round, Tournament
from tests.clubhouse import running_evening

pytestmark = pytest.mark.django_db


def suspend(club, *, sessions=1, at=None, from_tonight=False, member=None):
    member = member or club.members[0]
    sanction = Sanction.objects.create(
        member=member, proposed_at=club.at, trigger_key=f"x{Sanction.objects.count()}", grounds={}
    )
    return club.impose(
        sanction, "Trois absences.", at=at or club.at, sessions=sessions, from_tonight=from_tonight
    )


def suspend_on_days(club, member, first, last):
    """A suspension as older versions stored it: by its two dates."""
    Sanction.objects.create(
        member=member,
        status=Sanction.Status.IMPOSED,
        reason="x",
        trigger_key="x",
        proposed_at=club.at,
        decided_at=club.at,
        suspended_from=first,
        suspended_until=last,
    )


def suspended_evenings(club, member, evenings):
    """Return which of these next evenings the member may not attend."""
    found = []
    for number in range(evenings):
        club.at += timedelta(days=7)
        everybody = [one for one in club.everybody() if one.pk != member.pk]
        club.evening = running_evening(club.organisation, everybody, club.committee, club.at)
        try:
            presence.check_in(
                evening=club.evening, member=member, source="desk", by=club.committee, at=club.at
            )
        except common.EveningRefused as refused:
            assert refused.code == "suspended"
            found.append(number)
        club.close()
    return found


@pytest.mark.parametrize(("sessions", "refused"), [(1, [0]), (2, [0, 1]), (3, [0, 1, 2])])
def test_a_suspension_covers_the_next_evenings_and_no_more(club, sessions, refused):
    club.close()
    suspend(club, sessions=sessions)
    assert suspended_evenings(club, club.members[0], 4) == refused


@pytest.mark.parametrize(("hour", "minute", "days"), [(23, 50, 0), (0, 10, 1)])
def test_the_evening_that_runs_is_finished_and_not_counted_before_and_after_midnight(
    club, hour, minute, days
):
    evening = club.evening.held_on + timedelta(days=days)
    zone = ZoneInfo("Europe/Paris")
    at = datetime(evening.year, evening.month, evening.day, hour, minute, tzinfo=zone)
    suspend(club, at=at)
    member = club.members[0]
    assert suspensions.of_member(member, club.evening) is None
    pairing.pair_waiting(evening=club.evening, by=club.arbiter, at=at, allow_early_repeat=True)
    assert Match.objects.involving(member).exists()
    Match.objects.update(status="cancelled", counts=False)
    club.close()
    assert suspended_evenings(club, member, 2) == [0]


@pytest.mark.parametrize(("hour", "minute", "days"), [(23, 50, 0), (0, 10, 1)])
def test_at_once_takes_the_member_off_tonights_list_and_does_not_count_tonight(
    club, hour, minute, days
):
    evening = club.evening.held_on + timedelta(days=days)
    at = datetime(
        evening.year, evening.month, evening.day, hour, minute, tzinfo=ZoneInfo("Europe/Paris")
    )
    member, everybody = club.members[0], CheckIn.objects.filter(evening=club.evening)
    before = {row.member_id: row.state for row in everybody}
    suspend(club, at=at, from_tonight=True)
    after = {row.member_id: row.state for row in everybody.all()}
    assert after == before | {member.pk: CheckIn.State.LEFT}
    with pytest.raises(common.EveningRefused) as refused:
        presence.check_in(
            evening=club.evening, member=member, source="qr", by=club.player(member), at=at
        )
    assert refused.value.code == "suspended" and "Trois absences." in str(refused.value)
    pairing.pair_waiting(evening=club.evening, by=club.arbiter, at=at, allow_early_repeat=True)
    assert not Match.objects.involving(member).exists()
    Match.objects.update(status="cancelled", counts=False)
    club.close()
    assert suspended_evenings(club, member, 2) == [0]


def room(club, place, *, minutes=0):
    """Open another evening of the same day, beside those that are open."""
    at = club.at + timedelta(minutes=minutes)
    evening = club.announce(at, place=place, at=at)
    evenings.open_doors(evening=evening, by=club.committee, at=at)
    evening.refresh_from_db()
    return evening


def refused_at(evenings, member):
    return [suspensions.of_member(member, evening) is not None for evening in evenings]


@pytest.mark.parametrize(
    ("sessions", "refused", "left"),
    [(1, [True, False], 0), (2, [True, True], 0), (3, [True] * 2, 1)],
)
def test_each_evening_of_a_day_counts_as_one(club, sessions, refused, left):
    club.close()
    sanction = suspend(club, sessions=sessions)
    day = [room(club, "A", minutes=60), room(club, "A", minutes=180)]
    assert refused_at(day, club.members[0]) == refused
    assert suspensions.still_to_serve(sanction, at=club.at) == left


@pytest.mark.parametrize(
    ("minutes", "refused"),
    [(-1, [False, False]), (0, [False, False]), (1, [False, True])],
)
def test_a_room_that_opened_before_the_decision_is_finished_as_the_first(club, minutes, refused):
    """Two rooms at once: the second opens just before the decision, with it, or just after."""
    rooms = [club.evening, room(club, "B", minutes=30)]
    sanction = suspend(club, at=club.at + timedelta(minutes=30 - minutes))
    assert refused_at(rooms, club.members[0]) == refused
    assert suspensions.still_to_serve(sanction, at=club.at) == (0 if refused[1] else 1)


def test_at_once_takes_the_member_out_of_every_room_and_counts_none(club):
    rooms = [club.evening, room(club, "B", minutes=10)]
    sanction = suspend(club, at=club.at + timedelta(minutes=30), from_tonight=True)
    assert refused_at(rooms, club.members[0]) == [True, True]
    assert suspensions.still_to_serve(sanction, at=club.at) == 1
    later = room(club, "C", minutes=60)
    assert refused_at([later], club.members[0]) == [True]


def test_rooms_that_open_at_the_same_moment_are_both_the_first(club):
    club.close()
    suspend(club, sessions=1)
    rooms = [room(club, "A", minutes=60), room(club, "B", minutes=60)]
    assert refused_at(rooms, club.members[0]) == [True, True]


def test_an_evening_of_another_club_does_not_count(club, other_club):
    club.close()
    sanction = suspend(club)
    other_club.close()
    other_club.next_evening(days=3)
    assert suspensions.still_to_serve(sanction, at=other_club.at) == 1
    assert suspended_evenings(club, club.members[0], 2) == [0]


def test_an_evening_called_off_does_not_count(club):
    club.close()
    suspend(club)
    planned = club.announce(club.at + timedelta(days=3))
    evenings.cancel_evening(evening=planned, reason="fermé", by=club.committee, at=club.at)
    assert suspended_evenings(club, club.members[0], 2) == [0]


def test_a_lifted_suspension_ends_at_that_moment(club):
    club.close()
    sanction = suspend(club, sessions=3)
    assert suspended_evenings(club, club.members[0], 1) == [0]
    assert suspensions.still_to_serve(sanction, at=club.at) == 2
    absences.lift(sanction=sanction, reason="appel", by=club.committee, at=club.at)
    assert suspended_evenings(club, club.members[0], 1) == []


@pytest.fixture
def tournament(club):
    """Make a tournament that is played two days after the decision."""
    day = club.at + timedelta(days=2)

    def make(**details):
        return Tournament.objects.create(
            **{
                "organisation": club.organisation,
                "slug": "open",
                "name": "Open",
                "held_on": day.date(),
                "starts_at": day,
                "state": Tournament.State.RUNNING,
                "frozen_at": day,
                "system": "round_robin",
                "created_at": club.at,
                **details,
            }
        )

    return make


@pytest.mark.parametrize(("counts", "refused"), [(False, [0]), (True, [])])
def test_a_tournament_day_counts_as_an_evening_only_where_the_committee_says_so(
    club, tournament, counts, refused
):
    club.rule_book({"pairing": {"suspension_counts_tournaments": counts}})
    club.close()
    suspend(club)
    tournament()
    assert suspended_evenings(club, club.members[0], 1) == refused


@pytest.mark.parametrize(
    ("details", "refused"),
    [
        ({}, [0, 1]),
        ({"ends_on": date(2026, 11, 23)}, [0]),
        ({"ends_on": date(2026, 11, 24)}, []),
        ({"state": Tournament.State.ENTRIES, "frozen_at": None}, [0, 1, 2]),
        ({"state": Tournament.State.CANCELLED}, [0, 1, 2]),
    ],
    ids=["a day", "two days", "three days", "not begun", "called off"],
)
def test_each_day_of_a_tournament_that_was_played_counts(club, tournament, details, refused):
    club.rule_book({"pairing": {"suspension_counts_tournaments": True}})
    club.close()
    suspend(club, sessions=3)
    tournament(**details)
    assert suspended_evenings(club, club.members[0], 4) == refused


@pytest.mark.parametrize(
    ("last", "days_of_rounds", "sessions"),
    [
        (date(2026, 12, 14), (0, 0, 1), 4),
        (date(2026, 11, 30), (0, 0, 0, 1, 1, 7, 7, 7, 8, 8), 6),
    ],
)
def test_of_a_tournament_over_weeks_the_days_with_a_round_count(
    club, tournament, last, days_of_rounds, sessions
):
    """Two evenings are left to serve: of one with days to spare, and of one of two weekends."""
    club.rule_book({"pairing": {"suspension_counts_tournaments": True}})
    club.close()
    suspend(club, sessions=sessions)
    made = tournament(ends_on=last)
    for number, days in enumerate(days_of_rounds, start=1):
        Round.objects.create(
            tournament=made, number=number, starts_at=made.starts_at + timedelta(days=days)
        )
    assert suspended_evenings(club, club.members[0], 4) == [0, 1]


@pytest.mark.parametrize(("days", "left"), [(0, 4), (3, 3), (10, 2)])
def test_days_of_a_tournament_that_have_not_begun_are_still_to_serve(club, tournament, days, left):
    """Of one of three rounds, the first two days after the decision, then one a week."""
    club.rule_book({"pairing": {"suspension_counts_tournaments": True}})
    club.close()
    sanction = suspend(club, sessions=4)
    made = tournament(ends_on=date(2026, 12, 6))
    for number in (1, 2, 3):
        Round.objects.create(
            tournament=made, number=number, starts_at=made.starts_at + timedelta(weeks=number - 1)
        )
    assert suspensions.still_to_serve(sanction, at=club.at + timedelta(days=days)) == left


@pytest.mark.parametrize(("days", "left"), [(4, 3), (11, 2)])
def test_an_announced_evening_counts_the_days_of_a_tournament_before_it(
    club, tournament, days, left
):
    """Not those after it: the page of its arrivals named nobody as suspended until it opened."""
    club.rule_book({"pairing": {"suspension_counts_tournaments": True}})
    club.close()
    suspend(club, sessions=4)
    made = tournament(ends_on=date(2026, 12, 6))
    for number in (1, 2, 3):
        Round.objects.create(
            tournament=made, number=number, starts_at=made.starts_at + timedelta(weeks=number - 1)
        )
    evening = club.announce(club.at + timedelta(days=days))
    assert suspensions.of_member(club.members[0], evening).left == left


@pytest.mark.parametrize("sessions", [(1, 3), (3, 1)])
def test_of_two_suspensions_the_longer_is_named(club, sessions):
    club.close()
    for number in sessions:
        suspend(club, sessions=number)
    evening = room(club, "A", minutes=60)
    found = suspensions.of_member(club.members[0], evening)
    assert found is not None and found.left == 3


@pytest.mark.parametrize(
    ("minutes", "refused"), [(-1, False), (0, False), (1, True)], ids=["before", "at once", "after"]
)
def test_at_once_means_nothing_for_an_evening_that_is_over(club, minutes, refused):
    """It closed before the decision, with it, or a minute later."""
    closed_at = club.at + timedelta(hours=4)
    suspend(club, at=closed_at - timedelta(minutes=minutes), from_tonight=True)
    club.evening.refresh_from_db()
    club.evening.closed_at = closed_at
    assert refused_at([club.evening], club.members[0]) == [refused]


def test_whether_a_suspension_still_runs(club):
    one, other, third = club.members[:3]
    club.close()
    suspend(club, member=one)
    suspend_on_days(club, other, club.evening.held_on, club.evening.held_on)
    lifted = suspend(club, member=third)
    absences.lift(sanction=lifted, reason="appel", by=club.committee, at=club.at)
    running = [suspensions.has_any(member, at=club.at) for member in (one, other, third)]
    assert running == [True, True, False]
    assert suspended_evenings(club, one, 1) == [0]
    assert not any(suspensions.has_any(member, at=club.at) for member in (one, other, third))


def test_an_older_suspension_still_ends_on_its_day(club):
    member, day = club.members[0], club.evening.held_on
    suspend_on_days(club, member, day, day)
    assert suspensions.of_member(member, club.evening) is not None
    assert suspended_evenings_after(club, member) == []


def suspended_evenings_after(club, member):
    club.close()
    return suspended_evenings(club, member, 1)
