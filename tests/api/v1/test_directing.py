"""Directing an evening by a key: who may, what was read, once, and never one's own match."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

import pytest
import time_machine
from allauth.mfa.models import Authenticator

from clubs.members import actions as members
from clubs.members.models import Member, RoleGrant
from pairings.arbitration import effects, forced_closing
from pairings.evenings import actions as evenings
from pairings.evenings import pairing
from pairings.evenings.admission import guests, presence
from pairings.evenings.models import Evening
from pairings.matches import actions as match_actions
from pairings.matches.models import Match
from pairings.rules.match_state import Kind, Result
from tests.api.keys import code_of
from tests.api.v1.matrix import check_once, check_rights, check_stale
from tests.clubhouse import NOW, Clubhouse, make_club
from tests.kept import once_a_worker

pytestmark = pytest.mark.django_db
EVENING = "evenings/2026-11-20"
# Each new address with the scope that it asks; what it is sent is in `scene`.
READINGS = ("desk", "pairing", "closing", "decision", "intervention")
ACTS = (
    *("announce", "open", "start", "last games", "cancel", "arrive", "depart", "guest", "request"),
    *("pair", "begin closing", "close", "force", "decide", "intervene"),
)
STALE = {
    **dict.fromkeys(("open", "start", "last games", "cancel", "begin closing"), "state"),
    **dict.fromkeys(("pair", "close", "force"), "seen"),
    **dict.fromkeys(("decide", "intervene"), "version"),
}


@dataclass
class Scene:
    """A running evening with a contested and a called match; others planned, open and in closing."""

    contested: Match
    called: Match
    sent: dict[str, tuple[str, str, object]] = field(default_factory=dict)


@once_a_worker
def staged() -> tuple[Clubhouse, Scene]:
    club = make_club("faizers")
    given = {"by": club.committee, "at": club.at}
    planned, opened, ending = (
        evenings.announce_evening(
            organisation=club.organisation, starts_at=club.at + timedelta(hours=n), **given
        )
        for n in (1, 2, 3)
    )
    for evening in (opened, ending):
        evenings.open_doors(evening=evening, **given)
    evenings.begin_closing(evening=ending, **given)
    contested, (_one, other) = club.entered()
    match_actions.contest(match=contested, by=other, at=club.at, scores=(350, 400), words="non")
    called, _players = club.match()
    contested.refresh_from_db()
    asked = guests.ask(evening=club.evening, first_name="Gus", last_name="", at=club.at)
    waiting = pairing.waiting_ids(club.evening, club.at)
    home, away = club.members[-1], club.members[-2]
    presence.go_home(evening=club.evening, member=away, by=club.committee, at=club.at)
    waiting.remove(away.pk)
    kept = effects.read_effect(contested, Result(Kind.PLAYED, 400, 350))[1]
    absent = effects.read_effect(called, Result(Kind.ABSENT, absent="b", justified=False))[1]
    running, match = f"{EVENING}/1", f"matches/{contested.pk}"
    table = f"matches/{called.pk}"
    reason = {"reason": "vu"}
    ruling = {"choice": "keep", "version": contested.version, "seen": kept, **reason}
    noted = {"act": "absent_b", "version": called.version, "seen": absent, **reason}
    mark = forced_closing.consequences(club.evening).mark
    none = forced_closing.consequences(ending).mark
    told = {"day": "2026-11-28", "hour": "19:30"}
    sent = {
        "announce": ("post", "evenings", told),
        "open": ("post", f"{EVENING}/2/opening", {"state": "planned"}),
        "start": ("post", f"{EVENING}/3/start", {"state": "open"}),
        "last games": ("post", f"{running}/last-games", {"state": "running"}),
        "cancel": ("post", f"{EVENING}/2/cancellation", {"state": "planned", **reason}),
        "arrive": ("post", f"{running}/arrivals", {"member": away.public_id}),
        "depart": ("post", f"{running}/departures", {"member": home.public_id}),
        "guest": ("post", f"{running}/guests", {"first_name": "Gala"}),
        "request": ("post", f"{running}/guest-requests/{asked.pk}", {"admit": True}),
        "pair": ("post", f"{running}/pairing", {"seen": pairing.mark_of(club.evening, waiting)}),
        "begin closing": ("post", f"{running}/closing", {"state": "running"}),
        "close": ("post", f"{EVENING}/4/close", {"seen": none}),
        "force": ("post", f"{running}/forced-close", {"seen": mark, **reason}),
        "decide": ("post", f"{match}/decision", ruling),
        "intervene": ("post", f"{table}/intervention", noted),
        "desk": ("get", f"{running}/desk", None),
        "pairing": ("get", f"{running}/pairing", None),
        "closing": ("get", f"{running}/closing", None),
        "decision": ("get", f"{match}/decision", {"choice": "keep"}),
        "intervention": ("get", f"{table}/intervention", {"act": "cancel"}),
    }
    assert {*sent} == {*ACTS, *READINGS} and planned.number == 2
    return club, Scene(contested, called, sent)


@pytest.fixture
def begun(db):
    return staged()


@pytest.fixture
def scene(begun):
    return begun[1]


# Who may


@pytest.mark.parametrize("name", [*ACTS, *READINGS])
def test_each_role_of_this_and_of_another_club(club, other_club, scene, send, name):
    scope = "office" if name == "announce" else "arbitrate"
    check_rights(club, other_club, send, scene.sent[name], scope)


@pytest.mark.parametrize("name", ["decide", "intervene", "decision", "intervention"])
def test_a_match_of_another_club_is_not_found(other_club, scene, send, name):
    method, path, body = scene.sent[name]
    judge = other_club.arbiter.member
    answer = send(path, body, judge, method=method, of=other_club)
    assert code_of(answer) == (404, "not_found")


def test_a_member_and_a_request_of_elsewhere_are_not_found(club, other_club, scene, send):
    judge, theirs = club.arbiter.member, other_club.members[0]
    for act in ("arrivals", "departures"):
        answer = send(f"{EVENING}/1/{act}", {"member": theirs.public_id}, judge)
        assert code_of(answer) == (404, "not_found")
        assert [error["field"] for error in answer.json()["errors"]] == ["body.member"]
    asked = guests.ask(evening=other_club.evening, first_name="X", last_name="", at=club.at)
    answer = send(f"{EVENING}/1/guest-requests/{asked.pk}", {"admit": True}, judge)
    assert code_of(answer) == (404, "not_found")
    assert code_of(send(f"{EVENING}/9/desk", None, judge, method="get")) == (404, "not_found")


def test_a_key_of_a_role_without_its_second_factor_directs_nothing(club, scene, send, settings):
    """0042: the factor was proved when the key was made, and must still be there when it acts."""
    _method, path, body = scene.sent["force"]
    settings.SECOND_FACTOR = True
    judge = club.arbiter.member
    assert code_of(send(path, body, judge)) == (403, "role_needed")
    Authenticator.objects.create(
        user=judge.user, type=Authenticator.Type.TOTP, data={"secret": "x"}
    )
    assert send(path, body, judge).json()["state"] == "closed"


# What was read, and once


@pytest.mark.parametrize(("name", "part"), STALE.items())
def test_what_changed_since_it_was_read_is_refused(club, scene, send, name, part):
    _method, _path, body = scene.sent[name]
    other = body[part] + 1 if part == "version" else "closed"
    check_stale(club, send, scene.sent[name], {part: other})


def test_a_step_that_the_state_read_does_not_allow_is_not_called_stale(club, send):
    """Read again it would be the same, and a program would send it for ever."""
    path = f"evenings/{club.evening.held_on}/1"
    judge = club.arbiter.member
    assert club.evening.state == "running"
    answer = send(f"{path}/opening", {"state": "running"}, judge)
    assert code_of(answer) == (409, "wrong_state") and "en cours" in answer.json()["detail"]
    assert code_of(send(f"{path}/opening", {"state": "planned"}, judge)) == (409, "stale")


def test_an_act_that_the_match_read_does_not_allow_names_its_state(club, scene, send):
    """Read again it would be the same: "has just changed" sends a program round for ever."""
    contested = scene.contested
    path, judge = f"matches/{contested.pk}", club.arbiter.member
    contested.refresh_from_db()
    read = {"version": contested.version}
    sent = [
        send(f"{path}/confirmation", read, contested.second),
        send(f"{path}/correction-request", {**read, "words": "x"}, contested.second),
        send(f"{path}/intervention", None, judge, method="get"),
        send(f"{path}/correction", None, judge, method="get"),
    ]
    assert [code_of(answer) for answer in sent] == [(409, "wrong_state")] * 4
    assert {answer.json()["detail"] for answer in sent} == {
        "L’état de ce match ne permet pas cela\u00a0: en litige."
    }


def test_no_table_is_called_before_the_games_begin(club, send):
    Evening.objects.filter(pk=club.evening.pk).update(state="open")
    judge, path = club.arbiter.member, f"evenings/{club.evening.held_on}/1/pairing"
    seen = send(path, None, judge, method="get").json()["seen"]
    answer = send(path, {"seen": seen}, judge)
    assert code_of(answer) == (409, "wrong_state") and "ouverte" in answer.json()["detail"]


def test_an_empty_choice_is_not_offered_among_the_others(club, scene, send):
    _method, path, _body = scene.sent["intervene"]
    answer = send(f"{path}?act=rien", None, club.arbiter.member, method="get")
    assert answer.status_code == 422
    assert ": contest, " in answer.json()["errors"][0]["message"].replace("\u00a0", "")


@pytest.mark.parametrize("name", ACTS)
def test_an_act_is_done_once_for_its_key(club, scene, send, name):
    check_once(club, send, scene.sent[name])


def test_others_wait_than_those_that_the_proposal_was_read_for(club, scene, send):
    _method, path, body = scene.sent["pair"]
    judge = club.arbiter.member
    members_here = send(path, None, judge, method="get").json()
    assert members_here["seen"] == body["seen"]
    _arrive, there, who = scene.sent["arrive"]
    assert send(there, who, judge).status_code == 200
    answer = send(path, body, judge)
    assert code_of(answer) == (409, "stale")
    now = send(path, None, judge, method="get").json()
    assert len(now["waiting"]) == len(members_here["waiting"]) + 1
    assert send(path, {"seen": now["seen"]}, judge).json()["tables"]


@pytest.mark.parametrize("name", ["decide", "intervene"])
def test_a_ruling_whose_effect_was_not_read_is_refused(club, scene, send, name):
    _method, path, body = scene.sent[name]
    answer = send(path, {**body, "seen": "another"}, club.arbiter.member)
    assert code_of(answer) == (409, "unread")
    missing = send(path, {**body, "reason": ""}, club.arbiter.member)
    assert missing.status_code == (422 if name == "decide" else 200)
    if name == "decide":
        assert [error["field"] for error in missing.json()["errors"]] == ["body.reason"]


def test_the_effect_is_that_of_the_choice(club, scene, send):
    _method, path, _asked = scene.sent["decision"]
    judge = club.arbiter.member
    whole = send(path, None, judge, method="get").json()
    assert {"keep", "take", "other", "absent_both"} <= {one["value"] for one in whole["options"]}
    assert not any("<" in one["words"] for one in whole["options"])
    assert whole["effect"] is None and whole["contest"]["first_score"] == 350
    wider = {"choice": "other", "first_score": 401, "second_score": 350}
    assert send(path, wider, judge, method="get").json()["effect"]["ties_changed"] == 2
    typed = {"choice": "other", "first_score": 300, "second_score": 500}
    read = send(path, typed, judge, method="get").json()
    rows = {row["player"]["name"]: row["points"] for row in read["effect"]["rows"]}
    before, after = rows[scene.contested.second.full_name]
    assert int(before) < int(after)
    wrong = send(path, {"choice": "other", "first_score": 300}, judge, method="get")
    assert [error["field"] for error in wrong.json()["errors"]] == ["query.second_score"]
    ruling = {**typed, "reason": "feuille", "version": read["match"]["version"]}
    assert code_of(send(path, {**ruling, "seen": whole["seen"]}, judge)) == (409, "unread")
    done = send(path, {**ruling, "seen": read["seen"]}, judge).json()
    assert done["status"] == "final"
    scene.contested.refresh_from_db()
    assert (scene.contested.first_score, scene.contested.second_score) == (300, 500)
    assert scene.contested.contests.get().taken_by == judge.user
    assert code_of(send(path, None, judge, method="get")) == (409, "wrong_state")


def test_a_contested_match_is_decided_not_intervened_in(club, scene, send):
    judge, path = club.arbiter.member, f"matches/{scene.contested.pk}/intervention"
    assert code_of(send(path, {"act": "cancel"}, judge, method="get")) == (409, "wrong_state")


def test_an_evening_with_open_matches_is_closed_by_force_alone(club, scene, send):
    judge, running = club.arbiter.member, f"{EVENING}/1"
    send(f"{running}/closing", {"state": "running"}, judge)
    read = send(f"{running}/closing", None, judge, method="get").json()
    assert [(one["becomes"], one["contested"]) for one in read["open_matches"]] == [
        ("cancel", True),
        ("cancel", False),
    ]
    assert all(one["words"] and not one["barred"] for one in read["open_matches"])
    answer = send(f"{running}/close", {"seen": read["seen"]}, judge)
    assert code_of(answer) == (409, "open_matches")
    forced = {"seen": read["seen"], "reason": ""}
    assert code_of(send(f"{running}/forced-close", forced, judge)) == (409, "reason_required")
    closed = send(f"{running}/forced-close", {**forced, "reason": "La salle ferme."}, judge)
    assert closed.json() == {"evening": "2026-11-20/1", "state": "closed"}
    scene.called.refresh_from_db()
    assert scene.called.status == "cancelled"


@pytest.mark.parametrize("act", ["close", "forced-close"])
def test_a_closing_read_before_a_window_ended_is_stale(club, scene, send, act):
    """No worker has noticed: the result is final by silence, which is not what was read."""
    judge, running = club.arbiter.member, f"{EVENING}/1"
    club.entered()
    send(f"{running}/closing", {"state": "running"}, judge)
    read = send(f"{running}/closing", None, judge, method="get").json()
    assert "keep" in [one["becomes"] for one in read["open_matches"]]
    sent = {"seen": read["seen"]} | ({} if act == "close" else {"reason": "La salle ferme."})
    with time_machine.travel(NOW + timedelta(minutes=6), tick=False):
        assert code_of(send(f"{running}/{act}", sent, judge)) == (409, "stale")


# One's own match


@pytest.fixture
def own(club, scene):
    """A player of both matches who is an arbiter too."""
    system = club.committee.system("test")
    for match in (scene.contested, scene.called):
        members.grant(member=match.first, role=RoleGrant.ARBITER, by=system, at=club.at)
    return scene


@pytest.mark.parametrize("name", ["decide", "intervene"])
def test_an_arbiter_does_not_judge_their_own_match(own, send, name):
    _method, path, body = own.sent[name]
    player = (own.contested if name == "decide" else own.called).first
    read = send(path, None, player, method="get").json()
    assert "un autre arbitre" in read["barred"]
    assert code_of(send(path, body, player)) == (409, "own_match")
    assert Match.objects.get(pk=path.split("/")[1]).is_open


def test_nor_closes_by_force_over_it(club, own, send):
    _method, path, body = own.sent["force"]
    assert code_of(send(path, body, own.called.first)) == (409, "own_match")
    club.evening.refresh_from_db()
    assert club.evening.state == "running"
    read = send(f"{EVENING}/1/closing", None, own.called.first, method="get").json()
    assert any(one["barred"] for one in read["open_matches"])


# The desk


def test_a_refused_newcomer_leaves_no_name(club, scene, send):
    judge, (_method, path, _body) = club.arbiter.member, scene.sent["request"]
    desk = send(f"{EVENING}/1/desk", None, judge, method="get").json()
    assert [one["first_name"] for one in desk["guest_requests"]] == ["Gus"]
    assert send(path, {"admit": False}, judge).json() == {"admitted": False, "player": None}
    assert code_of(send(path, {"admit": True}, judge)) == (409, "stale")
    desk = send(f"{EVENING}/1/desk", None, judge, method="get").json()
    assert desk["guest_requests"] == []


def test_what_the_page_of_a_new_evening_refuses(club, send):
    chair = club.committee.member
    wrong = send("evenings", {"day": "2026-11-28", "hour": "soir"}, chair)
    assert code_of(wrong) == (422, "invalid")
    assert [error["field"] for error in wrong.json()["errors"]] == ["body.hour"]
    outside = send("evenings", {"day": "2036-11-28", "hour": "19:30"}, chair)
    assert code_of(outside) == (409, "no_season")
    told = {"day": "2026-11-28", "hour": "19:30", "place": "Salle B"}
    assert send("evenings", told, chair).status_code == 201
    assert code_of(send("evenings", told, chair)) == (409, "same_start")


# Absences that players report


def test_an_absence_is_reported_and_denied(club, send):
    match, (one, other) = club.match()
    path = f"matches/{match.pk}"
    early = send(f"{path}/absence", {"version": 0}, one.member)
    assert code_of(early) == (409, "too_early")
    Match.objects.filter(pk=match.pk).update(proposed_at=club.at - timedelta(minutes=30))
    assert code_of(send(f"{path}/absence", {"version": 5}, one.member)) == (409, "stale")
    claimed = send(f"{path}/absence", {"version": 0}, one.member, "results", once="k").json()
    assert claimed["status"] == "absence_claimed"
    assert (
        send(f"{path}/absence", {"version": 0}, one.member, "results", once="k").json() == claimed
    )
    assert code_of(send(f"{path}/presence", {"version": 0}, other.member)) == (409, "stale")
    seen = {"version": claimed["version"], "words": "J’étais au bar."}
    denied = send(f"{path}/presence", seen, other.member, "results").json()
    assert denied["status"] == "contested"
    assert match.contests.get().words == "J’étais au bar."
    stranger = club.members[5]
    assert code_of(send(f"{path}/absence", {"version": 2}, stranger)) == (404, "not_found")


def test_who_reported_an_absence_takes_it_back(club, send):
    match, (one, other) = club.match()
    path = f"matches/{match.pk}"
    Match.objects.filter(pk=match.pk).update(proposed_at=club.at - timedelta(minutes=30))
    seen = {"version": send(f"{path}/absence", {"version": 0}, one.member).json()["version"]}
    assert code_of(send(f"{path}/arrival", seen, other.member)) == (409, "not_claimer")
    assert send(f"{path}/arrival", seen, one.member).json()["status"] == "playing"


def test_a_request_sent_again_does_not_name_a_guest_forgotten_since(club, send):
    path, body = f"{EVENING}/1/guests", {"first_name": "Gala", "last_name": "Quatrevaux"}
    first = send(path, body, club.arbiter.member, "arbitrate", once="gala")
    assert first.status_code == 201 and "Gala Quatrevaux" in first.content.decode()
    guest = Member.objects.get(last_name="Quatrevaux")
    presence.go_home(evening=club.evening, member=guest, by=club.arbiter, at=club.at)
    members.leave(member=guest, by=club.committee, at=club.at, forget=True)
    again = send(path, body, club.arbiter.member, "arbitrate", once="gala")
    assert again.json()["player"]["name"] == f"Joueur retiré {guest.number}"


@pytest.mark.parametrize(
    ("last_name", "visibility"), [("Quatrevaux", Member.INITIALS), ("", Member.EVERYBODY)]
)
def test_a_request_sent_again_names_nobody_forgotten_who_showed_a_part_of_the_name(
    club, send, last_name, visibility
):
    member = club.join("Gala", last_name, visibility=visibility)
    path, body = f"{EVENING}/1/arrivals", {"member": member.public_id}
    first = send(path, body, club.arbiter.member, "arbitrate", once="gala")
    assert "Gala" in first.json()["player"]["name"]
    presence.go_home(evening=club.evening, member=member, by=club.arbiter, at=club.at)
    members.leave(member=member, by=club.committee, at=club.at, forget=True)
    again = send(path, body, club.arbiter.member, "arbitrate", once="gala")
    assert again.json()["player"]["name"] == f"Joueur retiré {member.number}"
