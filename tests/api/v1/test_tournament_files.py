"""A program brings a tournament in: a short file in its request, a long one by a worker."""

from __future__ import annotations

import pytest
from django.test import Client

from clubs.journal.models import JournalEntry
from clubs.members.models import Member
from clubs.upkeep import jobs
from clubs.upkeep.models_jobs import Job
from pairings.exchange.formats import json as tournament_json
from pairings.tasks import bring_tournament
from pairings.tournaments.files import kept
from pairings.tournaments.models import Tournament, TournamentFile
from tests.api.keys import code_of, key_of
from tests.pairings.tournaments.test_long_files import NAMES, sheet_with

pytestmark = pytest.mark.django_db


@pytest.fixture
def bring(club, send, monkeypatch):
    """Bring in a file of six players and three boards a round: of three rounds, a long one."""
    monkeypatch.setattr(jobs, "LONG", 12)

    def sent(rounds=3, once=""):
        content = tournament_json.write(sheet_with(rounds)).decode()
        body = {"format": "json", "content": content}
        return send("tournament-files", body, club.committee.member, once=once)

    return sent


@pytest.fixture
def state_at(club):
    """What an address says of a file, to the committee's key or another."""
    key = key_of(club.committee.member, club.at)

    def asked(address, key=key):
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return Client().get(address, headers=headers)

    return asked


def share_a_name(club):
    """Give two members the same name, one of the file."""
    held = [one.pk for one in club.members[:2]]
    Member.objects.filter(pk__in=held).update(search_name="karim n diaye")


@pytest.mark.parametrize(("rounds", "status"), [(1, 201), (2, 201), (3, 202)])
def test_up_to_the_limit_a_file_is_imported_in_its_request(bring, rounds, status):
    answer = bring(rounds)
    assert answer.status_code == status, answer.content
    assert Tournament.objects.exists() == (status == 201)
    assert TournamentFile.objects.exists() == Job.objects.exists() == (status == 202)


def test_the_answer_to_a_long_file_holds_the_address_that_says_what_becomes_of_it(
    club, bring, state_at
):
    first = bring(once="k").json()
    assert first == {
        "address": f"http://testserver/c/faizers/api/v1/tournament-files/{TournamentFile.objects.get().pk}",
        "state": "waiting",
        "detail": "",
        "slug": None,
        "guests": 0,
        "differences": [],
    }
    assert state_at(first["address"]).json() == first
    assert bring_tournament(Job.objects.get().pk) == Job.State.DONE
    brought = Tournament.objects.get()
    after = {**first, "state": "brought", "slug": brought.slug, "guests": 6}
    assert state_at(first["address"]).json() == after
    again = bring(once="k")
    assert (again.status_code, again.json()) == (202, after)
    assert Tournament.objects.count() == Job.objects.count() == 1
    entry = JournalEntry.objects.get(verb="tournament_restored")
    assert entry.origin == "api" and entry.actor == club.committee.user


def test_a_file_that_was_changed_says_what_a_program_sends_to_have_it(club, send):
    content = tournament_json.write(sheet_with(1)).decode().replace("Karim", "Karima")
    body = {"format": "json", "content": content}
    answer = send("tournament-files", body, club.committee.member)
    assert code_of(answer) == (422, "altered")
    (error,) = answer.json()["errors"]
    assert error["field"] == "body.content" and "accept_altered" in error["message"]
    accepted = send("tournament-files", {**body, "accept_altered": True}, club.committee.member)
    assert accepted.status_code == 201


def test_a_long_file_sent_twice_without_a_key_is_imported_once(bring):
    assert bring().json() == bring().json()
    assert Job.objects.count() == TournamentFile.objects.count() == 1


def test_a_file_makes_a_second_tournament_only_where_the_program_says_so(club, send):
    content = tournament_json.write(sheet_with(1)).decode()
    body = {"format": "json", "content": content}
    first = send("tournament-files", body, club.committee.member)
    again = send("tournament-files", body, club.committee.member)
    assert (first.status_code, *code_of(again)) == (201, 422, "already_imported")
    (error,) = again.json()["errors"]
    assert first.json()["slug"] in error["message"] and "again" in error["message"]
    second = send("tournament-files", {**body, "again": True}, club.committee.member)
    assert second.status_code == 201 and Tournament.objects.count() == 2


def test_a_long_file_that_made_a_tournament_is_not_kept_again(club, bring):
    bring()
    bring_tournament(Job.objects.get().pk)
    assert code_of(bring()) == (422, "already_imported")
    assert TournamentFile.objects.count() == 1


def test_names_that_say_too_little_are_refused_at_once(club, bring):
    share_a_name(club)
    answer = bring(once="k")
    assert (answer.status_code, answer.json()["code"]) == (422, "bad_file")
    assert NAMES[0] in answer.json()["errors"][0]["message"]
    assert not TournamentFile.objects.exists() and not Job.objects.exists()


def test_an_import_that_failed_says_why(club, bring, state_at):
    address = bring().json()["address"]
    share_a_name(club)
    assert bring_tournament(Job.objects.get().pk) == Job.State.FAILED
    told = state_at(address).json()
    assert told["state"] == "failed" and NAMES[0] in told["detail"] and told["slug"] is None


def test_only_the_committee_with_that_scope_follows_a_file(club, other_club, bring, state_at):
    address, at = bring().json()["address"], club.at
    chair, stranger = club.committee.member, other_club.committee.member
    codes = [
        (state.status_code, state.json()["code"])
        for state in (
            state_at(address, ""),
            state_at(address, key_of(chair, at, "read", "results", "direct")),
            state_at(address, key_of(club.members[0], at)),
            state_at(address, key_of(stranger, at)),
            state_at(
                address.replace("faizers", other_club.organisation.slug), key_of(stranger, at)
            ),
        )
    ]
    assert codes == [
        (401, "token_needed"),
        (403, "scope_needed"),
        (403, "role_needed"),
        (403, "token_of_another_club"),
        (404, "not_found"),
    ]


def test_a_file_of_the_page_that_nobody_imports_yet_is_not_found(club, bring, state_at):
    address = bring().json()["address"]
    held = kept.keep(
        sheet=sheet_with(3),
        organisation=club.organisation,
        file_name="f.json",
        digest="0",
        by=club.committee,
        at=club.at,
    )
    assert state_at(f"{address.rpartition('/')[0]}/{held.pk}").status_code == 404
