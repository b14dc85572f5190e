"""Somebody asks to be forgotten during an evening: each state of the evening has its answer.

At a table the departure is refused and nothing changes; anywhere else it goes through, and what
others still wait for is decided without them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest

from clubs.accounts.actor import Actor
from clubs.journal import chain as journal
from clubs.members import actions as members
from clubs.members.actions import MemberRefused
from clubs.members.models import Member
from pairings.arbitration import actions as arbitration
from pairings.arbitration import undo
from pairings.arbitration.models import Contest
from pairings.evenings.admission import presence
from pairings.evenings.common import EveningRefused
from pairings.evenings.models import CheckIn
from pairings.matches import actions as matches
from pairings.matches.models import Match
from pairings.rules.match_state import Result
from tests.clubhouse import Clubhouse
from tests.permissions.furnished_club import rows

pytestmark = pytest.mark.django_db


def called(club: Clubhouse) -> Match:
    return club.match()[0]


def playing(club: Clubhouse) -> Match:
    match, (a, _b) = club.match()
    return matches.start(match=match, by=a, at=club.at)


def entered(club: Clubhouse) -> Match:
    """Their own score waits for the opponent."""
    match, (a, _b) = club.match()
    return matches.submit(match=match, by=a, scores=(400, 350), at=club.at)


def to_confirm(club: Clubhouse) -> Match:
    """The opponent's score waits for them."""
    match, (_a, b) = club.match()
    return matches.submit(match=match, by=b, scores=(350, 400), at=club.at)


def claimed(club: Clubhouse) -> Match:
    """The opponent says that they are not there: a task of the arbiter."""
    match, (_a, b) = club.match()
    club.at += timedelta(minutes=16)
    return matches.claim_absence(match=match, by=b, at=club.at)


@pytest.mark.parametrize("state", [called, playing, entered, to_confirm, claimed])
def test_at_a_table_the_departure_is_refused_and_nothing_changes(
    club: Clubhouse, state: Callable[[Clubhouse], Match]
) -> None:
    match = state(club)
    before = rows()
    for by in (club.player(match.first), club.committee):
        with pytest.raises(MemberRefused) as refused:
            members.leave(member=match.first, by=by, at=club.at, forget=True)
        assert refused.value.code == "playing"
        assert f"table {match.table_number}" in str(refused.value)
    assert rows() == before


def contested(club: Clubhouse) -> tuple[Match, Contest]:
    match, (a, b) = club.match()
    matches.submit(match=match, by=b, scores=(350, 400), at=club.at)
    match = matches.contest(match=match, by=a, at=club.at, words="faux", scores=(400, 350))
    return match, match.contests.get()


def late_request(club: Clubhouse) -> tuple[Match, Contest]:
    """A final result that they asked the committee to correct."""
    match, (a, b) = club.match()
    matches.submit(match=match, by=b, scores=(350, 400), at=club.at)
    matches.confirm(match=match, by=a, at=club.at)
    match.refresh_from_db()
    contest = arbitration.ask_committee(match=match, by=a, at=club.at, words="je me suis trompé")
    return match, contest


@pytest.mark.parametrize("state", [contested, late_request])
def test_a_dispute_stays_with_the_arbiter_and_is_decided_without_them(
    club: Clubhouse,
    as_user,
    state: Callable[[Clubhouse], tuple[Match, Contest]],
    after_commit,
) -> None:
    match, contest = state(club)
    gone, opponent, name = match.first, match.second, match.first.last_name
    with after_commit():
        members.leave(member=gone, by=club.player(gone), at=club.at, forget=True)
    assert CheckIn.objects.get(evening=club.evening, member=gone).state == CheckIn.State.LEFT
    desk = as_user(club.arbiter.user)
    page = desk.get(f"/arbitrage/litiges/{contest.pk}/").content.decode()
    assert "Joueur retiré" in page and name not in page
    words = re.sub("<[^>]*>", "", page)
    assert re.findall(r"Joueur (?!retiré)", words) == [], "one of two may be meant"
    assert "Joueur retiré" in desk.get("/arbitrage/litiges/").content.decode()
    match, contest = Match.objects.get(pk=match.pk), Contest.objects.get(pk=contest.pk)
    with after_commit():
        if match.is_open:
            decided = {"match": match, "reason": "feuille", "by": club.arbiter, "at": club.at}
            matches.decide(result=Result("played", 400, 350), **decided)
        else:
            arbitration.close_request(contest=contest, answer="non", by=club.committee, at=club.at)
    here = CheckIn.objects.filter(evening=club.evening)
    assert here.get(member=gone).state == CheckIn.State.LEFT  # nobody pairs who is gone
    assert here.get(member=opponent).state == CheckIn.State.WAITING
    assert list(journal.verify(club.organisation)) == []


def test_who_rests_leaves_the_line(club: Clubhouse) -> None:
    ada = club.members[0]
    presence.pause(evening=club.evening, member=ada, by=club.player(ada), at=club.at)
    members.leave(member=ada, by=club.player(ada), at=club.at, forget=True)
    assert CheckIn.objects.get(member=ada).state == CheckIn.State.LEFT


def test_an_absence_undone_does_not_bring_back_who_is_forgotten(club: Clubhouse) -> None:
    match, (a, _b) = club.match()
    matches.mark_absent(match=match, absent="a", justified=False, by=club.arbiter, at=club.at)
    members.leave(member=a.member, by=club.committee, at=club.at, forget=True)
    match.refresh_from_db()
    with pytest.raises(EveningRefused):
        undo.undo(match=match, by=club.arbiter, at=club.at)
    assert CheckIn.objects.get(member=a.member).state == CheckIn.State.LEFT


def guest_of(club: Clubhouse) -> Member:
    return presence.welcome_guest(
        evening=club.evening, first_name="Gaspard", last_name="", by=club.arbiter, at=club.at
    ).member


def test_the_committee_forgets_a_guest_who_waits_and_not_one_at_a_table(club: Clubhouse) -> None:
    waits, plays = guest_of(club), guest_of(club)
    match, _players = club.match(plays, club.members[0])
    members.leave(member=waits, by=club.committee, at=club.at, forget=True)
    waits.refresh_from_db()
    assert waits.full_name == f"Joueur retiré {waits.number}"
    assert CheckIn.objects.get(member=waits).state == CheckIn.State.LEFT
    with pytest.raises(MemberRefused):
        members.leave(member=plays, by=club.committee, at=club.at, forget=True)
    by = Actor(None, plays, "player")
    matches.submit(match=match, by=by, scores=(400, 350), at=club.at)
    matches.confirm(match=match, by=club.player(club.members[0]), at=club.at)
    members.leave(member=plays, by=club.committee, at=club.at, forget=True)
    assert "Gaspard" not in str(rows())
