"""Undoing an arbiter's mistake by another action, while nothing depends on it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from clubs.journal.models import JournalEntry
from pairings.absences.models import Absence
from pairings.arbitration import undo
from pairings.evenings import common, pairing
from pairings.evenings.admission import presence
from pairings.evenings.models import CheckIn
from pairings.matches import actions as match_actions
from pairings.matches.models import Match, MatchLine
from pairings.matches.refusals import ResultRefused

pytestmark = pytest.mark.django_db


def states(club, *members):
    return [CheckIn.objects.get(evening=club.evening, member=m).state for m in members]


def take_back(club, match, by=None, at=None):
    return undo.undo(match=match, by=by or club.arbiter, at=at or club.at)


def fresh(match) -> Match:
    return Match.objects.select_related("evening", "first", "second").get(pk=match.pk)


def refused(club, match, code, **how):
    with pytest.raises((undo.UndoRefused, ResultRefused, common.EveningRefused)) as refusal:
        take_back(club, match, **how)
    assert refusal.value.code == code
    assert str(refusal.value).endswith(".")


def test_a_pairing_made_by_hand_is_cancelled_and_both_wait(club):
    match, (a, b) = club.match()
    assert undo.undoable(fresh(match), at=club.at) == "pairing"
    assert take_back(club, match) is None
    match.refresh_from_db()
    assert match.status == "cancelled"
    assert states(club, a.member, b.member) == ["waiting", "waiting"]
    assert JournalEntry.objects.filter(verb="match_cancel").count() == 1


def test_a_pairing_is_not_undone_once_somebody_sat_down(club):
    match, (a, _b) = club.match()
    match_actions.sit_down(match=match, by=a, at=club.at)
    refused(club, match, "too_late")


def test_a_pairing_of_the_rule_is_not_the_arbiters_slip(club):
    pairing.pair_waiting(evening=club.evening, by=club.arbiter, at=club.at)
    match = club.evening.matches.first()
    refused(club, match, "too_late")


def test_a_match_cancelled_is_paired_again_and_the_cancelled_one_stays(club):
    match, (a, b) = club.match()
    match_actions.cancel(match=match, reason="erreur", by=club.arbiter, at=club.at)
    again = take_back(club, match)
    assert (again.first, again.second) == (a.member, b.member) and again.pk != match.pk
    assert states(club, a.member, b.member) == ["playing", "playing"]
    match.refresh_from_db()
    assert match.status == "cancelled"


def test_an_absence_noted_by_mistake_leaves_no_absence_and_no_points(club):
    match, (a, b) = club.match()
    club.mark_absent(match, "b")
    assert states(club, b.member) == ["left"]
    again = take_back(club, match)
    match.refresh_from_db()
    assert match.status == "cancelled" and not match.counts
    assert not Absence.objects.filter(withdrawn_at__isnull=True).exists()
    assert states(club, a.member, b.member) == ["playing", "playing"]
    assert {again.first_id, again.second_id} == {a.member.pk, b.member.pk}
    lines = MatchLine.objects.filter(match=match).order_by("number")
    assert [line.event for line in lines] == ["mark_absent", "correct"]


def test_a_double_absence_brings_both_back(club):
    match, (a, b) = club.match()
    club.mark_absent(match, "both")
    take_back(club, match)
    assert states(club, a.member, b.member) == ["playing", "playing"]


def test_a_player_paired_again_meanwhile_stays_where_they_are(club):
    match, (a, b) = club.match()
    match_actions.cancel(match=match, reason="erreur", by=club.arbiter, at=club.at)
    other = next(m for m in club.members if m.pk not in (a.member.pk, b.member.pk))
    pairing.pair_by_hand(
        evening=club.evening, first=a.member, second=other, reason="x", by=club.arbiter, at=club.at
    )
    before = JournalEntry.objects.count()
    refused(club, match, "not_waiting")
    assert JournalEntry.objects.count() == before


def test_a_failed_undoing_changes_nothing_at_all(club):
    match, (a, b) = club.match()
    club.mark_absent(match, "b")
    presence.go_home(evening=club.evening, member=a.member, by=a, at=club.at)
    refused(club, match, "not_waiting")
    match.refresh_from_db()
    assert (match.status, match.absent) == ("final", "b")
    assert states(club, b.member) == ["left"]


@pytest.mark.parametrize(("minutes", "possible"), [(9, True), (10, True), (11, False)])
def test_ten_minutes_and_no_more(club, minutes, possible):
    match, _players = club.match()
    match_actions.cancel(match=match, reason="erreur", by=club.arbiter, at=club.at)
    at = club.at + timedelta(minutes=minutes)
    assert bool(undo.undoable(fresh(match), at=at)) is possible


def test_a_result_and_what_the_clock_did_are_never_undone_here(club):
    played, _players = club.played()
    refused(club, played, "too_late")
    claimed, (c, _d) = club.match()
    later = club.at + timedelta(minutes=16)
    match_actions.claim_absence(match=claimed, by=c, at=later)
    match_actions.lapse(match=claimed, at=later + timedelta(minutes=6))
    assert undo.undoable(fresh(claimed), at=later + timedelta(minutes=6)) == ""


def test_nobody_undoes_an_act_on_their_own_match(club):
    match, _players = club.match(club.arbiter.member, club.members[0])
    refused(club, match, "own_match")


def test_the_list_names_what_can_be_taken_back_newest_first(club):
    first, _players = club.match()
    second, _players = club.match()
    match_actions.cancel(match=first, reason="erreur", by=club.arbiter, at=club.at)
    found = undo.recent(club.evening, at=club.at)
    assert sorted((match.pk, act) for match, act in found) == [
        (first.pk, "cancel"),
        (second.pk, "pairing"),
    ]
    assert undo.recent(club.evening, at=club.at + timedelta(minutes=11)) == []
