"""Tables by a key, without the rules: two paired by hand, opponents swapped, the last act undone."""

from __future__ import annotations

from datetime import timedelta

import pytest

from clubs.members import actions as members
from clubs.members.models import RoleGrant
from pairings.evenings import pairing, proposal
from pairings.evenings.admission import presence
from pairings.evenings.models import CheckIn
from pairings.matches import actions as match_actions
from pairings.matches.models import Match
from tests.api.keys import code_of
from tests.api.v1.matrix import check_once, check_rights, check_stale

pytestmark = pytest.mark.django_db
RUNNING = "evenings/2026-11-20/1"
BY_HAND = f"{RUNNING}/pairing/by-hand"
ACTS, READINGS = ("pair", "swap", "undo"), ("cost", "last acts")


@pytest.fixture
def sent(club):
    """Two tables that were called by hand; six others wait."""
    one, other = (club.match()[0] for _table in range(2))
    pair = {"first": club.members[4].public_id, "second": club.members[5].public_id}
    seen = pairing.mark_of(club.evening, pairing.waiting_ids(club.evening, club.at))
    tables = {"one": {"match": one.pk, "version": 0}, "other": {"match": other.pk, "version": 0}}
    return {
        "cost": ("get", BY_HAND, pair),
        "pair": ("post", BY_HAND, {**pair, "reason": "Ils attendent.", "seen": seen}),
        "swap": ("post", f"{RUNNING}/swaps", {**tables, "reason": "Même famille."}),
        "last acts": ("get", f"{RUNNING}/last-acts", None),
        "undo": ("post", f"matches/{one.pk}/undo", {"version": 0}),
    }


def names(table):
    return table["first"]["name"], table["second"]["name"]


# Who may, what was read, and once


@pytest.mark.parametrize("name", [*ACTS, *READINGS])
def test_each_role_of_this_and_of_another_club(club, other_club, sent, send, name):
    check_rights(club, other_club, send, sent[name])


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("pair", {"seen": "another"}),
        ("swap", {"one": 1}),
        ("swap", {"other": 1}),
        ("undo", {"version": 1}),
    ],
)
def test_what_changed_since_it_was_read_is_refused(club, sent, send, name, other):
    if name == "swap":
        other = {part: {**sent["swap"][2][part], "version": 1} for part in other}
    check_stale(club, send, sent[name], other)


@pytest.mark.parametrize("name", ACTS)
def test_an_act_is_done_once_for_its_key(club, sent, send, name):
    check_once(club, send, sent[name])


def test_members_tables_and_matches_of_another_club_are_not_found(club, other_club, sent, send):
    theirs, _players = other_club.match()
    judge, stranger = club.arbiter.member, other_club.arbiter.member.public_id
    for name, changed, field in (
        ("cost", {"first": stranger}, "query.first"),
        ("pair", {"second": stranger}, "body.second"),
        ("swap", {"other": {"match": theirs.pk, "version": 0}}, "body.other.match"),
    ):
        method, path, body = sent[name]
        answer = send(path, {**body, **changed}, judge, method=method)
        assert code_of(answer) == (404, "not_found")
        assert [error["field"] for error in answer.json()["errors"]] == [field]
    answer = send(f"matches/{theirs.pk}/undo", {"version": 0}, judge)
    assert code_of(answer) == (404, "not_found")


@pytest.mark.parametrize(
    ("name", "body", "field"),
    [
        ("pair", {"first": "a\0"}, "body.first"),
        ("pair", {"reason": "x" * 501}, "body.reason"),
        ("pair", {"seen": "x" * 65}, "body.seen"),
        ("swap", {"one": {"match": 1}}, "body.one.version"),
        ("undo", {"version": -1}, "body.version"),
        ("undo", {"reason": "non"}, "body.reason"),
    ],
)
def test_a_wrong_value_is_named_by_its_place(sent, judge, send, name, body, field):
    _method, path, right = sent[name]
    answer = send(path, {**right, **body}, judge)
    assert code_of(answer) == (422, "invalid")
    assert [error["field"] for error in answer.json()["errors"]] == [field]


# By hand


def test_the_cost_is_read_before_two_are_paired(club, sent, judge, send):
    _method, path, asked = sent["cost"]
    one, other = club.members[4:6]
    read = send(path, asked, judge, method="get").json()
    page = proposal.read_by_hand(club.evening, first=one, second=other, at=club.at)
    assert read["words"] == page.words and read["gaps"] == list(page.cost.gaps)
    assert (read["repeat"], read["repeats"]) == (False, [0, 0])
    assert read["proposed"] is page.cost.is_proposed
    left = {name for pair in read["rest"]["pairs"] for name in names(pair)}
    assert len(left) == 4 and not left & {one.full_name, other.full_name}
    assert len(read["plan"]["pairs"]) == 3 and read["rest"]["unpaired"] == []
    _post, path, body = sent["pair"]
    assert read["seen"] == body["seen"]
    table = send(path, body, judge).json()
    assert (table["table"], table["status"], table["version"]) == (3, "proposed", 0)
    assert names(table) == (one.full_name, other.full_name)
    match = Match.objects.get(pk=table["match"])
    assert match.pairing_reason == {"reason": "manual", "words": "Ils attendent."}


def test_a_repeat_is_said(club, sent, judge, send):
    _method, path, asked = sent["cost"]
    club.played(*club.members[4:6])
    read = send(path, asked, judge, method="get").json()
    assert read["repeat"] and read["repeats"] == [0, 1]
    assert read["words"][0].startswith("Revanche") and not read["proposed"]


@pytest.mark.parametrize(
    ("first", "second", "code"), [(4, 4, "same_player"), (0, 4, "not_waiting")]
)
def test_only_two_who_wait_are_paired_and_with_a_reason(
    club, sent, judge, send, first, second, code
):
    pair = {
        "first": club.members[first].public_id,
        "second": club.members[second].public_id,
    }
    for name in ("cost", "pair"):
        method, path, body = sent[name]
        assert code_of(send(path, {**body, **pair}, judge, method=method)) == (409, code)
    _method, path, body = sent["pair"]
    assert code_of(send(path, {**body, "reason": " "}, judge)) == (409, "reason_required")
    assert club.evening.matches.count() == 2


def test_somebody_who_arrived_since_makes_the_cost_another_one(club, sent, judge, send):
    _method, path, body = sent["pair"]
    away = club.members[6]
    presence.go_home(evening=club.evening, member=away, by=club.committee, at=club.at)
    answer = send(path, body, judge)
    assert code_of(answer) == (409, "stale")
    assert "soirée vient de changer" in answer.json()["detail"]


# Swap


def test_opponents_of_two_tables_are_swapped(club, sent, judge, send):
    _method, path, body = sent["swap"]
    a, b, c, d = (member.full_name for member in club.members[:4])
    tables = send(path, body, judge).json()["tables"]
    assert [(names(table), table["table"]) for table in tables] == [((a, d), 1), ((c, b), 2)]
    old = Match.objects.filter(pk__in=[body["one"]["match"], body["other"]["match"]])
    assert {match.status for match in old} == {"cancelled"}


def test_a_table_that_has_begun_or_is_itself_is_not_swapped(club, sent, judge, send):
    _method, path, body = sent["swap"]
    assert code_of(send(path, {**body, "other": body["one"]}, judge)) == (409, "same_match")
    assert code_of(send(path, {**body, "reason": ""}, judge)) == (409, "reason_required")
    begun = Match.objects.get(pk=body["one"]["match"])
    match_actions.start(match=begun, by=club.arbiter, at=club.at)
    newer = {**body, "one": {"match": begun.pk, "version": 1}}
    assert code_of(send(path, newer, judge)) == (409, "wrong_state")
    assert club.evening.matches.count() == 2


# Undo


def test_a_call_by_hand_is_taken_back(club, sent, judge, send):
    _method, path, body = sent["undo"]
    one = int(path.split("/")[1])
    shown = send(f"{RUNNING}/last-acts", None, judge, method="get").json()["items"]
    assert [(item["act"], item["match"]["id"]) for item in shown] == [
        ("pairing", one + 1),
        ("pairing", one),
    ]
    assert shown[1]["words"].startswith("Apparié à la main")
    answer = send(path, body, judge).json()
    undone = {"match": one, "version": 1, "status": "cancelled"}
    assert answer == {"undone": undone, "again": None}
    here = CheckIn.objects.filter(evening=club.evening, member__in=club.members[:2])
    assert {row.state for row in here} == {"waiting"}


def test_a_cancelled_match_and_an_absence_are_called_again(club, sent, judge, send):
    _method, path, _body = sent["undo"]
    one = Match.objects.get(pk=path.split("/")[1])
    match_actions.cancel(match=one, reason="erreur", by=club.arbiter, at=club.at)
    assert code_of(send(path, {"version": 0}, judge)) == (409, "stale")
    again = send(path, {"version": 1}, judge).json()["again"]
    assert (names(again), again["status"]) == (
        (one.first.full_name, one.second.full_name),
        "proposed",
    )
    away = Match.objects.get(pk=again["match"])
    club.mark_absent(away, "b")
    answer = send(f"matches/{away.pk}/undo", {"version": 1}, judge).json()
    assert answer["undone"]["status"] == "cancelled" and names(answer["again"]) == names(again)


def test_what_something_depends_on_is_not_undone(club, sent, judge, send):
    _method, path, body = sent["undo"]
    Match.objects.filter(pk=path.split("/")[1]).update(first_seated_at=club.at)
    assert code_of(send(path, body, judge)) == (409, "too_late")
    old = club.at - timedelta(minutes=11)
    club.evening.matches.update(first_seated_at=None, proposed_at=old)
    assert code_of(send(path, body, judge)) == (409, "too_late")
    assert send(f"{RUNNING}/last-acts", None, judge, method="get").json() == {"items": []}


def test_an_arbiter_does_not_take_back_their_own_match(club, sent, send):
    _method, path, body = sent["undo"]
    match = Match.objects.get(pk=path.split("/")[1])
    by = club.committee.system("test")
    members.grant(member=match.first, role=RoleGrant.ARBITER, by=by, at=club.at)
    assert code_of(send(path, body, match.first)) == (409, "own_match")
