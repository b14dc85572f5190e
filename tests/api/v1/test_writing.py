"""A program acts as the pages do: by the same actions, once for its key, within its scope."""

from __future__ import annotations

import importlib.util
import io
import json
from datetime import timedelta
from email.message import Message
from http.client import RemoteDisconnected
from pathlib import Path
from urllib.error import HTTPError, URLError

import pytest
from django.test import Client

from clubs.members.invitations import actions as invitations
from clubs.members.models import Member
from clubs.organisations.models import Organisation
from clubs.upkeep import jobs
from clubs.upkeep.models_jobs import Job
from pairings.exchange.formats import json as tournament_json
from pairings.live.models import Operation
from pairings.matches import actions as match_actions
from pairings.matches.models import Match
from pairings.tasks import bring_tournament
from pairings.tournaments import actions as tournaments
from pairings.tournaments.files.snapshot import photograph
from pairings.tournaments.models import Tournament
from pairings.tournaments.standings import sheet_of
from tests.api.keys import code_of, key_of
from tests.api.v1.test_schema import OPERATIONS
from tests.pairings.tournaments.test_long_files import sheet_with
from tests.tournament_day import frozen, make_tournament, play_round, publish

pytestmark = pytest.mark.django_db
EXAMPLE = Path(__file__).resolve().parents[3] / "docs/examples/bring_a_tournament.py"


# Once for its key


def test_the_same_request_is_done_once_and_answered_again(club, send):
    match, (_one, other) = club.match()
    path, body = f"matches/{match.pk}/result", {"mine": 400, "theirs": 350}
    answers = [send(path, body, other.member, once="k") for _try in range(2)]
    assert [a.json() for a in answers] == [
        {"match": match.pk, "version": 1, "status": "submitted"}
    ] * 2
    assert match.submissions.count() == 1
    assert send(path, body, other.member).json()["version"] == 1  # the same result, without a key


def test_another_result_replaces_the_one_sent_only_for_the_version_that_was_read(club, send):
    match, (one, _other) = club.match()
    path, body = f"matches/{match.pk}/result", {"mine": 400, "theirs": 350}
    send(path, body, one.member)
    for unread in ({}, {"version": 0}, {"version": 2}):
        answer = send(path, {"mine": 410, "theirs": 350} | unread, one.member)
        assert code_of(answer) == (409, "already_sent"), unread
    assert Match.objects.get(pk=match.pk).first_score == 400
    answer = send(path, {"mine": 410, "theirs": 350, "version": 1}, one.member)
    assert answer.json() == {"match": match.pk, "version": 2, "status": "submitted"}
    assert Match.objects.get(pk=match.pk).first_score == 410


def test_a_key_is_for_one_request(club, send):
    match, (_one, other) = club.match()
    path = f"matches/{match.pk}/result"
    send(path, {"mine": 400, "theirs": 350}, other.member, once="k")
    answer = send(path, {"mine": 401, "theirs": 350}, other.member, once="k")
    assert code_of(answer) == (422, "key_reused")
    assert Match.objects.get(pk=match.pk).version == 1


def test_a_key_is_of_one_person_and_one_act(club, send):
    match, (one, _other) = club.match()
    ada, bo = ({"first_name": name, "last_name": "N"} for name in ("Ada", "Bo"))
    acts = [
        ("members", ada, club.committee.member, "k"),
        ("members", bo, club.committee.member, "k2"),
        (f"matches/{match.pk}/result", {"mine": 400, "theirs": 350}, one.member, "k"),
    ]
    first, again = (
        [send(path, body, by, once=key).json() for path, body, by, key in acts] for _time in "12"
    )
    assert first == again
    assert Operation.objects.count() == 3
    assert Member.objects.filter(first_name__in=["Ada", "Bo"]).count() == 2


def test_a_refusal_keeps_no_key(club, send):
    match, (one, other) = club.match()
    path = f"matches/{match.pk}/confirmation"
    assert code_of(send(path, {"version": 1}, other.member, once="k")) == (409, "stale")
    assert not Operation.objects.exists()
    match_actions.submit(match=match, by=one, scores=(400, 350), at=club.at)
    assert send(path, {"version": 1}, other.member, once="k").json()["status"] == "final"


def test_a_refused_act_keeps_the_lapse_that_it_noticed(club, send):
    match, (one, other) = club.match()
    past = club.at - timedelta(days=1)
    match_actions.submit(match=match, by=one, scores=(400, 350), at=club.at)
    Match.objects.filter(pk=match.pk).update(submitted_at=past, contest_until=past)
    answer = send(f"matches/{match.pk}/contest", {"version": 1}, other.member, once="k")
    assert code_of(answer)[0] == 409
    assert Match.objects.get(pk=match.pk).status != "submitted"


@pytest.mark.parametrize("key", ["k" * 59, "k" * 60])
def test_a_key_has_sixty_characters_at_most(club, send, key):
    match, (one, _other) = club.match()
    send(f"matches/{match.pk}/result", {"mine": 4, "theirs": 3}, one.member, once=key)
    assert Operation.objects.get().key.endswith(key)


@pytest.mark.parametrize("key", ["k" * 61, "a\x7f"])
def test_a_key_that_is_no_key_is_refused(club, send, key):
    match, (one, _other) = club.match()
    answer = send(f"matches/{match.pk}/result", {"mine": 4, "theirs": 3}, one.member, once=key)
    assert code_of(answer) == (422, "invalid")


# Who may


@pytest.mark.parametrize(
    ("path", "body", "scopes", "expected"),
    [
        ("arrivals", {"code": "X"}, ["read", "direct", "office"], (403, "scope_needed")),
        ("members", {"first_name": "A"}, ["results", "direct"], (403, "scope_needed")),
        ("members", {"first_name": "A"}, ["office"], (403, "role_needed")),
        ("tournament-files", {"format": "json", "content": ""}, ["office"], (403, "role_needed")),
        ("arrivals", {"code": "X"}, ["results"], (404, "wrong_code")),
        ("arrivals", {"code": "X", "member": 1}, ["results"], (422, "invalid")),
        ("arrivals", {"code": "\x00"}, ["results"], (422, "invalid")),
    ],
)
def test_a_key_does_what_its_scope_and_its_member_may(club, send, path, body, scopes, expected):
    assert code_of(send(path, body, club.members[0], *scopes)) == expected


ACTS = [(method, path) for method, path in OPERATIONS if method != "get"]
OF_ARBITERS = ("/decision", "/intervention", "/correction", "/undo", "/call")


@pytest.mark.parametrize(("method", "path"), ACTS)
def test_rights_are_checked_before_the_body_is_read(club, send, method, path):
    """Who may not act is told so, whatever the body is; who may learns what is wrong with it."""
    named = {"day": "2026-11-20", "nth": 1, "request_id": 1, "contest_id": 1}
    path = path.format(match_id=1, round_number=1, slug="x", member="x", **named)
    own_act = path.startswith(("arrivals", "matches")) and not path.endswith(OF_ARBITERS)
    body, own = "not JSON", method == "post" and own_act
    reads = send(path, body, club.committee.member, "read", method=method)
    assert code_of(reads) == (403, "scope_needed")
    member = send(path, body, club.members[0], method=method)
    assert code_of(member) == ((400, "unreadable") if own else (403, "role_needed"))
    chair = send(path, body, club.committee.member, method=method)
    assert code_of(chair) == (400, "unreadable")
    assert "JSON" in chair.json()["detail"]
    Organisation.objects.filter(pk=club.organisation.pk).update(closed_at=club.at)
    closed = send(path, body, club.committee.member, method=method)
    assert code_of(closed) == (403, "club_closed")


def test_another_players_match_and_another_clubs_key_open_nothing(club, other_club, send):
    match, _players = club.match()
    path, body = f"matches/{match.pk}/result", {"mine": 400, "theirs": 350}
    assert code_of(send(path, body, club.members[5])) == (404, "not_found")
    stranger = other_club.members[0]
    assert code_of(send(path, body, stranger)) == (403, "token_of_another_club")
    assert code_of(send(path, body, stranger, of=other_club)) == (404, "not_found")


# A round, the office


def test_a_director_enters_the_slips_of_a_round(club, send):
    tournament = frozen(club, 8)
    path = f"tournaments/{tournament.slug}/rounds/1/results"
    slip = {"match": 1, "version": 0, "first": 400, "second": 350}
    judge = club.arbiter.member
    assert code_of(send(path, {"results": [slip]}, judge)) == (404, "not_found")
    boards = list(publish(club, tournament, 1).matches.order_by("table_number"))
    slips = [{**slip, "match": board.pk, "version": board.version} for board in boards]
    slips[1]["version"] += 1
    assert code_of(send(path, {"results": slips}, club.members[0])) == (403, "role_needed")
    lines = send(path, {"results": slips}, judge, once="k").json()["results"]
    assert [(line["saved"], line["code"]) for line in lines] == [
        (True, ""),
        (False, "stale"),
        (True, ""),
        (True, ""),
    ]
    assert lines[0]["status"] == "final" and lines[1]["detail"]
    assert send(path, {"results": slips}, judge, once="k").json()["results"] == lines


@pytest.mark.parametrize("once", ["", "k"])
def test_a_match_that_is_not_of_the_round_saves_no_line(club, send, once):
    tournament = make_tournament(club, 8)
    tournament = tournaments.freeze(tournament=tournament, by=club.committee, at=club.at)
    board = publish(club, tournament, 1).matches.get(table_number=1)
    slip = {"match": board.pk, "version": board.version, "first": 400, "second": 350}
    elsewhere = {**slip, "match": 0}
    path = f"tournaments/{tournament.slug}/rounds/1/results"
    answer = send(path, {"results": [slip, elsewhere]}, club.arbiter.member, once=once)
    assert code_of(answer) == (409, "stale")
    board.refresh_from_db()
    assert board.is_open and board.first_score is None


def test_a_table_that_was_cancelled_meanwhile_is_refused_alone(club, send):
    tournament = make_tournament(club, 8)
    tournament = tournaments.freeze(tournament=tournament, by=club.committee, at=club.at)
    boards = list(publish(club, tournament, 1).matches.order_by("table_number"))
    match_actions.cancel(match=boards[0], reason="dispute", by=club.committee, at=club.at)
    boards[0].refresh_from_db()
    scores = {"first": 400, "second": 350}
    slips = [{"match": board.pk, "version": board.version, **scores} for board in boards]
    path = f"tournaments/{tournament.slug}/rounds/1/results"
    lines = send(path, {"results": slips}, club.arbiter.member).json()["results"]
    assert [line["code"] for line in lines] == ["stale", "", "", ""]
    assert [line["status"] for line in lines] == ["cancelled", "final", "final", "final"]


def test_slips_that_the_proxy_sends_again_are_told_as_they_are_stored(club, settings):
    """Without a key: the first process saved one line and was killed, or saved them all."""
    settings.TRUST_PROXY = settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    tournament = frozen(club, 8)
    boards = publish(club, tournament, 1).matches.order_by("table_number")
    slips = [
        {"match": board.pk, "version": board.version, "first": 400, "second": 350}
        for board in boards
    ]
    path = f"/c/faizers/api/v1/tournaments/{tournament.slug}/rounds/1/results"
    headers = {"Authorization": f"Bearer {key_of(club.arbiter.member, club.at)}"}
    headers["X-Request-ID"] = "0" * 32

    def enter(lines):
        body = {"results": lines}
        answer = Client().post(path, body, content_type="application/json", headers=headers)
        assert answer.status_code == 200, answer.content
        told = answer.json()["results"]
        assert all((line["code"], line["status"]) == ("", "final") for line in told)
        return [line["saved"] for line in told]

    assert enter(slips[:1]) == [True]
    assert enter(slips) == [False, True, True, True]
    assert enter(slips) == [False] * 4
    other = [{**slips[0], "first": 401}]
    answer = Client().post(
        path, {"results": other}, content_type="application/json", headers=headers
    )
    assert [line["code"] for line in answer.json()["results"]] == ["stale"]


def test_an_officer_adds_and_corrects_a_member(club, send):
    chair = club.committee.member
    answer = send("members", {"first_name": "Ada", "last_name": "Neuve"}, chair, once="k")
    added = answer.json()
    assert (
        answer.status_code == 201
        and send("members", {"first_name": "Ada", "last_name": "Neuve"}, chair, once="k").json()
        == added
    )
    member = Member.objects.get(public_id=added["id"])
    assert (member.number, member.full_name) == (added["number"], "Ada Neuve")
    again = {"first_name": "ada", "last_name": "neuve"}
    assert code_of(send("members", again, chair)) == (409, "double")
    assert send("members", {**again, "sure": True}, chair).status_code == 201
    path = f"members/{added['id']}"
    changed = send(path, {"last_name": "Nouvelle"}, chair, method="patch").json()
    assert (changed["first_name"], changed["last_name"]) == ("Ada", "Nouvelle")
    assert (changed["is_minor"], changed["is_child"]) == (False, False)
    child = send(path, {"is_child": True}, chair, method="patch").json()
    assert (child["is_minor"], child["is_child"]) == (True, True)
    same = send(path, dict.fromkeys(child.keys() - {"id", "number"}), chair, method="patch")
    assert same.json() == child
    wrong = send(path, {"email": "nobody"}, chair, method="patch")
    assert code_of(wrong) == (422, "invalid")
    assert wrong.json()["errors"][0]["field"] == "body.email"


@pytest.mark.parametrize(
    ("corrected", "ends"), [("right@example.org", True), ("", True), (" WRONG@example.org", False)]
)
def test_an_invitation_mailed_to_a_former_address_is_cancelled(club, send, corrected, ends):
    member = club.join("Ion", "Pop", email="wrong@example.org")
    about = {"organisation": club.organisation, "member": member, "by": club.committee}
    mailed, _token = invitations.invite(**about, email="wrong@example.org", at=club.at)
    by_hand, _token = invitations.invite(**about, at=club.at)
    answer = send(
        f"members/{member.public_id}", {"email": corrected}, club.committee.member, method="patch"
    )
    assert answer.status_code == 200
    mailed.refresh_from_db()
    by_hand.refresh_from_db()
    assert (mailed.revoked_at is not None) is ends and by_hand.revoked_at is None


def test_a_member_of_another_club_is_not_found(club, other_club, send):
    path = f"members/{other_club.members[0].public_id}"
    answer = send(path, {"first_name": "X"}, club.committee.member, method="patch")
    assert code_of(answer) == (404, "not_found")


@pytest.fixture
def example(monkeypatch):
    """The program of docs/examples, which asks this site."""
    spec = importlib.util.spec_from_file_location("bring_a_tournament", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def urlopen(request, timeout):
        answer = Client().post(
            request.full_url.removeprefix("https://club.example.org"),
            request.data,
            content_type="application/json",
            headers=dict(request.header_items()),
        )
        body = io.BytesIO(answer.content)
        if answer.status_code >= 400:
            raise HTTPError(request.full_url, answer.status_code, "", answer.headers, body)
        return body

    monkeypatch.setattr(module, "urlopen", urlopen)
    return module


@pytest.mark.parametrize("arguments", [[], ["https://club.example.org"], ["a", "b", "a.t", "Open"]])
def test_the_example_says_which_arguments_it_takes(example, arguments, capsys):
    assert example.main(arguments) == 2
    assert capsys.readouterr().err.startswith("Usage: bring_a_tournament.py SITE KEY FILE")


def test_the_example_brings_a_tournament_in_once(club, other_club, example, tmp_path, capsys):
    held = make_tournament(other_club, 4, system="round_robin")
    held = tournaments.freeze(tournament=held, by=other_club.committee, at=club.at)
    play_round(other_club, held, 1)
    file = tmp_path / "open.json"
    file.write_bytes(tournament_json.write(photograph(sheet_of(held))))
    arguments = [
        "https://club.example.org/c/faizers",
        key_of(club.committee.member, club.at, "office"),
        str(file),
    ]
    assert [example.main(arguments), example.main(arguments)] == [0, 0]
    brought = Tournament.objects.get(organisation=club.organisation)
    assert capsys.readouterr().out.splitlines()[0].startswith(brought.slug)
    assert brought.rounds.get(number=1).matches.filter(status="final").count() == 2
    altered = json.loads(file.read_text())
    altered["format"] = "nothing"
    file.write_text(json.dumps(altered))
    assert example.main(arguments) == 1
    assert capsys.readouterr().err
    assert Tournament.objects.filter(organisation=club.organisation).count() == 1


@pytest.mark.parametrize("content", [None, "Bénédicte".encode("latin-1")])
def test_the_example_says_which_file_it_cannot_read(example, tmp_path, capsys, content):
    file = tmp_path / "a.t"
    if content is not None:
        file.write_bytes(content)
    assert example.main(["https://club.example.org", "key", str(file), "Open", "2026-12-19"]) == 1
    assert capsys.readouterr().err.startswith(f"{file} cannot be read as UTF-8 text: ")


def gateway_error(body):
    return HTTPError("", 502, "Bad Gateway", Message(), io.BytesIO(body))


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (URLError("Connection refused"), "No answer from https://club.example.org: <urlopen error"),
        (TimeoutError("timed out"), "No answer from https://club.example.org: timed out"),
        (RemoteDisconnected("closed"), "No answer from https://club.example.org: closed"),
        (io.BytesIO(b"<html>"), "No answer from https://club.example.org: Expecting value"),
        (gateway_error(b"<html>"), "The site answers 502 Bad Gateway, without a reason."),
        (gateway_error(b'{"detail": "Plus tard."}'), "Plus tard."),
        (
            gateway_error(
                b'{"detail": "Non.", "errors": [{"field": "body.name", "message": "?"}]}'
            ),
            "Non.\nbody.name: ?",
        ),
    ],
)
def test_the_example_says_that_the_site_did_not_answer(
    example, monkeypatch, tmp_path, capsys, answer, sentence
):
    def urlopen(request, timeout):
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(example, "urlopen", urlopen)
    file = tmp_path / "open.json"
    file.write_text("{}")
    assert example.main(["https://club.example.org", "key", str(file)]) == 1
    assert capsys.readouterr().err.startswith(sentence)


def test_the_example_says_where_a_long_file_is_followed(
    club, other_club, example, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(jobs, "LONG", 12)
    file = tmp_path / "open.json"
    file.write_bytes(tournament_json.write(sheet_with(3)))
    key = key_of(club.committee.member, club.at, "office")
    arguments = ["https://club.example.org/c/faizers", key, str(file)]
    assert example.main(arguments) == 0
    assert "(waiting): http" in capsys.readouterr().out
    bring_tournament(Job.objects.get().pk)
    assert example.main(arguments) == 0
    assert capsys.readouterr().out.startswith(f"{Tournament.objects.get().slug}: 6 unknown names")
