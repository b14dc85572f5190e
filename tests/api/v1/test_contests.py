"""Contests by a key: taken, passed on, talked over; requests after the window; corrections."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

import pytest

from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members.models import RoleGrant
from pairings.arbitration import actions as arbitration
from pairings.arbitration import contests, effects
from pairings.arbitration.models import Contest
from pairings.matches import actions as match_actions
from pairings.matches.models import Match
from pairings.rules.match_state import Kind, Result
from ratings.editions import actions as editions
from tests.api.keys import code_of, key_of
from tests.api.v1.matrix import check_once, check_rights, check_stale
from tests.clubhouse import Clubhouse, make_club
from tests.kept import once_a_worker
from tests.pairings.evenings.test_sessions import first_of_two_closed

pytestmark = pytest.mark.django_db
ACTS = ("take", "recuse", "opinion", "answer", "correct")
READINGS = ("contests", "contest", "correction")


@dataclass
class Scene:
    """A contest of one match, and a late request on another, which ended 310 to 300."""

    contest: Contest
    late: Contest
    over: Match
    sent: dict[str, tuple[str, str, object]]


@once_a_worker
def staged() -> tuple[Clubhouse, Scene]:
    club = make_club("faizers")
    disputed, (_one, other) = club.entered()
    match_actions.contest(match=disputed, by=other, at=club.at, scores=(350, 400), words="non")
    over, (_winner, loser) = club.played(scores=(310, 300))
    asked = {"words": "Mal compté.", "scores": (290, 300)}
    late = arbitration.ask_committee(match=over, by=loser, at=club.at, **asked)
    over.refresh_from_db()
    contest, seen = Contest.objects.get(match=disputed, late=False), contests.mark_of
    path, mark = f"contests/{contest.pk}", {"seen": seen(contest)}
    ruling = {"choice": "take", "request": late.pk, "reason": "vu", "version": over.version}
    effect = effects.read_effect(over, Result(Kind.PLAYED, 290, 300))[1]
    sent = {
        "contests": ("get", "contests", None),
        "contest": ("get", path, None),
        "take": ("post", f"{path}/taking", mark),
        "recuse": ("post", f"{path}/recusal", {**mark, "reason": "C’est ma sœur."}),
        "opinion": ("post", f"{path}/opinions", {**mark, "words": "Que lis-tu ?"}),
        "answer": (
            "post",
            f"contests/{late.pk}/answer",
            {"seen": seen(late), "reason": "La feuille dit 310."},
        ),
        "correction": ("get", f"matches/{over.pk}/correction", {"choice": "cancel"}),
        "correct": ("post", f"matches/{over.pk}/correction", {**ruling, "seen": effect}),
    }
    return club, Scene(contest, late, over, sent)


@pytest.fixture
def begun(db):
    return staged()


@pytest.fixture
def scene(begun):
    return begun[1]


@pytest.fixture
def other_judge(club, scene):
    """A second arbiter, who plays neither match."""
    member = club.members[5]
    by = club.committee.system("test")
    members.grant(member=member, role=RoleGrant.ARBITER, by=by, at=club.at)
    return member


@pytest.fixture
def act(scene, send):
    """Do an act on the contest as it is now; returns what it answers."""

    def do(name, by, contest=None, **more):
        contest = contest or scene.contest
        seen = send(f"contests/{contest.pk}", None, by, method="get").json()["seen"]
        return send(f"contests/{contest.pk}/{name}", {"seen": seen, **more}, by)

    return do


# Who may, what was read, and once


@pytest.mark.parametrize("name", [*ACTS, *READINGS])
def test_each_role_of_this_and_of_another_club(club, other_club, scene, send, name):
    check_rights(club, other_club, send, scene.sent[name])


@pytest.mark.parametrize("name", ACTS)
def test_what_changed_since_it_was_read_is_refused(club, scene, send, name):
    other = {"version": 9} if name == "correct" else {"seen": "another"}
    check_stale(club, send, scene.sent[name], other)


@pytest.mark.parametrize("name", ACTS)
def test_an_act_is_done_once_for_its_key(club, scene, send, name):
    check_once(club, send, scene.sent[name])


@pytest.mark.parametrize("name", [*ACTS, "contest", "correction"])
def test_a_contest_of_another_club_is_not_found(other_club, scene, send, name):
    method, path, body = scene.sent[name]
    answer = send(path, body, other_club.arbiter.member, method=method, of=other_club)
    assert code_of(answer) == (404, "not_found")


def test_another_club_has_a_list_of_its_own(other_club, scene, send):
    rows = send("contests", None, other_club.arbiter.member, method="get", of=other_club)
    assert rows.json() == {"items": []}


@pytest.mark.parametrize("name", ["take", "recuse", "opinion", "answer", "correct"])
def test_an_arbiter_does_not_judge_their_own_match(club, scene, send, name):
    _method, path, body = scene.sent[name]
    is_late = name in ("answer", "correct")
    player = (scene.late if is_late else scene.contest).match.first
    by = club.committee.system("test")
    members.grant(member=player, role=RoleGrant.ARBITER, by=by, at=club.at)
    if name == "recuse":  # they may only leave it to others
        assert send(path, body, player).status_code == 200
        return
    assert code_of(send(path, body, player)) == (409, "own_match")
    number = scene.late.pk if is_late else scene.contest.pk
    read = send(f"contests/{number}", None, player, method="get").json()
    assert "un autre arbitre" in read["barred"]


# Contests


def test_the_list_says_what_waits(scene, judge, send):
    rows = send("contests", None, judge, method="get").json()["items"]
    assert [(row["id"], row["late"], row["taken"]) for row in rows] == [
        (scene.contest.pk, False, False),
        (scene.late.pk, True, False),
    ]
    contest, request = rows
    assert (contest["match"]["status"], contest["words"]) == ("contested", "non")
    assert (request["match"]["status"], request["opened_by"]["name"]) == (
        "final",
        scene.late.opened_by.full_name,
    )
    assert (request["first_score"], request["second_score"]) == (290, 300)


def test_who_took_it_is_seen_and_nobody_takes_it_after_them(scene, judge, other_judge, act, send):
    taken = act("taking", judge).json()
    assert (taken["contest"], taken["taken"], taken["closed"]) == (scene.contest.pk, True, False)
    for by, mine in ((judge, True), (other_judge, False)):
        read = send(f"contests/{scene.contest.pk}", None, by, method="get").json()
        assert (read["taken"], read["mine"], read["seen"]) == (True, mine, taken["seen"])
    assert code_of(act("taking", other_judge)) == (409, "stale")
    assert act("taking", judge).status_code == 200


def test_a_contest_whose_arbiter_lost_the_role_waits_again(
    club, scene, judge, other_judge, act, send
):
    act("taking", judge)
    members.withdraw_role(member=judge, role=RoleGrant.ARBITER, by=club.committee, at=club.at)
    rows = send("contests", None, other_judge, method="get").json()["items"]
    read = send(f"contests/{scene.contest.pk}", None, other_judge, method="get").json()
    decision = f"matches/{scene.contest.match_id}/decision"
    asked = send(decision, None, other_judge, method="get").json()["contest"]
    assert [rows[0]["taken"], read["taken"], asked["taken"]] == [False, False, False]
    assert act("taking", other_judge).json()["taken"]
    read = send(f"contests/{scene.contest.pk}", None, other_judge, method="get").json()
    assert read["mine"]


def test_who_recused_themselves_decides_no_more(scene, judge, other_judge, act, send):
    assert code_of(act("recusal", judge, reason=" ")) == (409, "reason_required")
    act("taking", judge)
    left = act("recusal", judge, reason="C’est ma sœur.").json()
    assert not left["taken"]
    read = send(f"contests/{scene.contest.pk}", None, judge, method="get").json()
    assert read["barred"] == "Vous avez passé ce litige à un autre arbitre."
    assert code_of(act("taking", judge)) == (409, "recused")
    assert code_of(act("opinions", judge, words="mais")) == (409, "recused")
    assert act("taking", other_judge).status_code == 200
    entry = JournalEntry.objects.get(verb="contest_passed_on")
    assert (entry.actor_id, entry.origin, entry.reason) == (judge.user_id, "api", "C’est ma sœur.")


def test_one_asks_and_another_answers(scene, judge, other_judge, act, send):
    assert code_of(act("opinions", judge, words=" ")) == (409, "reason_required")
    assert act("opinions", judge, words="Que lis-tu ?").status_code == 200
    assert code_of(act("opinions", judge, words="Alors ?")) == (409, "own_question")
    rows = send("contests", None, other_judge, method="get").json()["items"]
    assert [row["asked"] for row in rows] == [True, False]
    assert act("opinions", other_judge, words="Je lis 400.").status_code == 200
    read = send(f"contests/{scene.contest.pk}", None, judge, method="get").json()
    assert [(one["by"]["id"], one["asks"], one["words"]) for one in read["opinions"]] == [
        (judge.public_id, True, "Que lis-tu ?"),
        (other_judge.public_id, False, "Je lis 400."),
    ]
    assert not read["asked"] and read["match"]["status"] == "contested"


def test_an_opinion_given_meanwhile_is_read_first(scene, judge, other_judge, act, send):
    """Their words would answer a question that they have not seen."""
    _method, path, body = scene.sent["opinion"]
    act("opinions", judge, words="Que lis-tu ?")
    answer = send(path, body, other_judge)
    assert code_of(answer) == (409, "stale")
    assert "Relisez-le" in answer.json()["detail"]


def test_an_ended_contest_is_read_and_nothing_is_done_to_it(club, scene, judge, act, send):
    match = Match.objects.get(pk=scene.contest.match_id)
    given = {"match": match, "result": Result(Kind.PLAYED, 400, 350), "reason": "feuille"}
    match_actions.decide(**given, version=match.version, by=club.committee, at=club.at)
    read = send(f"contests/{scene.contest.pk}", None, judge, method="get").json()
    assert read["closed_at"] and read["answer"] == "feuille"
    for name, more in (
        ("taking", {}),
        ("recusal", {"reason": "r"}),
        ("opinions", {"words": "w"}),
        ("answer", {"reason": "r"}),
    ):
        assert code_of(act(name, judge, **more)) == (409, "stale")


# Requests after the window


@pytest.fixture
def request_of(club, scene, send):
    """Ask for a correction of the match that is over."""
    path = f"matches/{scene.over.pk}/correction-request"

    def ask(by, *scopes, once="", **more):
        body = {"version": scene.over.version, "words": "Mal compté.", **more}
        return send(path, body, by, *scopes, once=once)

    return ask


def test_a_player_asks_for_a_correction_once(club, scene, judge, request_of, send):
    winner = scene.over.first
    asked = request_of(winner, "results", once="k", mine=301, theirs=290).json()
    assert request_of(winner, "results", once="k", mine=301, theirs=290).json() == asked
    match = {"match": scene.over.pk, "version": scene.over.version, "status": "final"}
    assert asked == {**match, "contest": asked["contest"]}
    stored = Contest.objects.get(pk=asked["contest"])
    assert (stored.first_score, stored.second_score, stored.late) == (301, 290, True)
    assert Contest.objects.filter(match=scene.over).count() == 2
    rows = send("contests", None, judge, method="get").json()["items"]
    assert asked["contest"] in [row["id"] for row in rows if row["late"]]
    entry = JournalEntry.objects.filter(verb="late_request").latest("seq")
    assert (entry.actor_id, entry.origin, entry.reason) == (winner.user_id, "api", "Mal compté.")
    second = request_of(winner, "results")
    assert code_of(second) == (409, "already_asked")
    assert Contest.objects.filter(match=scene.over).count() == 2


def test_what_a_request_is_refused_for(club, other_club, scene, request_of, send):
    winner = scene.over.first  # whose own request is the first
    assert code_of(request_of(winner, "read", "arbitrate")) == (403, "scope_needed")
    assert code_of(request_of(club.members[5])) == (404, "not_found")
    assert code_of(request_of(other_club.members[0])) == (403, "token_of_another_club")
    assert code_of(request_of(winner, version=0)) == (409, "stale")
    assert code_of(request_of(winner, words="")) == (409, "reason_required")
    assert code_of(request_of(winner, mine=301, theirs=99_999)) == (409, "bad_score")
    half = request_of(winner, theirs=301)
    assert code_of(half) == (422, "invalid")
    assert [error["field"] for error in half.json()["errors"]] == ["body.mine"]
    assert code_of(request_of(winner, words="x" * 301)) == (422, "invalid")
    path = f"matches/{scene.contest.match_id}/correction-request"
    version = Match.objects.get(pk=scene.contest.match_id).version
    answer = send(path, {"version": version, "words": "non"}, scene.contest.match.first)
    assert code_of(answer) == (409, "wrong_state")
    assert Contest.objects.filter(late=True).count() == 1


def test_the_window_ends_before_the_request_is_read(club, scene, send):
    """The program read the match in its window: its version is older than the end."""
    match, (_one, other) = club.entered()
    past = club.at - timedelta(days=1)
    Match.objects.filter(pk=match.pk).update(submitted_at=past, contest_until=past)
    path, body = f"matches/{match.pk}/correction-request", {"version": 1, "words": "non"}
    assert code_of(send(path, body, other.member, once="k")) == (409, "stale")
    match.refresh_from_db()
    assert (match.status, match.version) == ("final", 2)
    assert send(path, {**body, "version": 2}, other.member).status_code == 200


def test_a_request_is_answered_without_a_correction(scene, judge, act, send):
    wrong = act("answer", judge, reason=" ", contest=scene.late)
    assert code_of(wrong) == (409, "reason_required")
    told = act("answer", judge, reason="La feuille dit 310.", contest=scene.late).json()
    assert told["closed"]
    scene.late.refresh_from_db()
    assert scene.late.answer == "La feuille dit 310."
    scene.over.refresh_from_db()
    assert (scene.over.first_score, scene.over.version) == (310, 2)
    assert code_of(act("answer", judge, reason="r")) == (409, "stale")  # a contest is decided


# Corrections


def test_a_correction_is_read_then_made_and_answers_the_request(club, scene, judge, send):
    path = f"matches/{scene.over.pk}/correction"
    read = send(path, None, judge, method="get").json()
    assert (read["effect"], read["seen"], read["barred"]) == (None, "", "")
    assert "take" not in [one["value"] for one in read["options"]]
    asked = {"choice": "take", "request": scene.late.pk}
    read = send(path, asked, judge, method="get").json()
    assert "take" in [one["value"] for one in read["options"]]
    rows = {row["player"]["name"]: row["points"] for row in read["effect"]["rows"]}
    before, after = rows[scene.late.opened_by.full_name]
    assert int(before) < int(after)
    ruling = {**asked, "reason": "feuille", "version": read["match"]["version"]}
    assert code_of(send(path, {**ruling, "seen": "another"}, judge)) == (409, "unread")
    done = send(path, {**ruling, "seen": read["seen"]}, judge).json()
    assert (done["status"], done["version"]) == ("final", 3)
    scene.over.refresh_from_db()
    assert (scene.over.first_score, scene.over.second_score) == (290, 300)
    scene.late.refresh_from_db()
    assert (scene.late.closed_by, scene.late.answer) == (judge.user, "feuille")


def test_what_a_correction_is_refused_for(club, scene, judge, act, send):
    _method, path, body = scene.sent["correct"]
    unknown = {**body, "request": scene.contest.pk}
    assert code_of(send(path, unknown, judge)) == (404, "not_found")
    without = {**body, "request": None}
    assert code_of(send(path, without, judge)) == (422, "invalid")  # `take` of nobody
    wrong = send(path, {**body, "reason": ""}, judge)
    assert [error["field"] for error in wrong.json()["errors"]] == ["body.reason"]
    is_open = f"matches/{scene.contest.match_id}/correction"
    assert code_of(send(is_open, None, judge, method="get")) == (409, "wrong_state")
    act("recusal", judge, reason="C’est ma sœur.", contest=scene.late)
    assert code_of(send(path, body, judge)) == (409, "recused")
    scene.over.refresh_from_db()
    assert scene.over.first_score == 310


def test_a_closed_evening_is_corrected_until_a_published_ranking_has_it(club, judge, send):
    match, _players = club.played()
    club.close()
    path, typed = f"matches/{match.pk}/correction", {"choice": "other", "first_score": 300}
    typed["second_score"] = 400

    def correct(**asked):
        read = send(path, asked, judge, method="get").json()
        ruling = {**asked, "reason": "feuille", "seen": read["seen"]}
        return read, send(path, {**ruling, "version": read["match"]["version"]}, judge)

    read, answer = correct(**typed)
    assert read["barred"] == "" and answer.json()["status"] == "final"
    title = {"rating_list": None, "title": "Classement"}
    by = club.committee
    editions.publish(organisation=club.organisation, **title, by=by, at=club.at)
    read, answer = correct(choice="cancel")
    assert code_of(answer) == (409, "published")
    assert read["barred"] == answer.json()["detail"]
    match.refresh_from_db()
    assert (match.status, match.first_score) == ("final", 300)


def test_a_correction_that_was_read_in_another_language_is_made(club, ask, send):
    """What it does to later evenings is named in the reader's language; its mark is in none."""
    match = first_of_two_closed(club)
    arbiter = club.arbiter.member
    path = f"matches/{match.pk}/correction"
    choice = {"choice": "other", "first_score": 300, "second_score": 420}
    query = "&".join(f"{name}={value}" for name, value in choice.items())
    read = ask(f"{path}?{query}", key_of(arbiter, club.at), language="en").json()
    assert read["effect"]["periods"][0].startswith("Club night")
    body = {**choice, "reason": "feuille relue", "version": match.version, "seen": read["seen"]}
    assert send(path, body, arbiter).status_code == 200
