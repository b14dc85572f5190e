"""A long file of a tournament: previewed, imported once by a worker; a short one in the request."""

from __future__ import annotations

from datetime import date

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from clubs.accounts.actor import Refused
from clubs.members.models import Member
from clubs.personal_data.register import Someone
from clubs.upkeep import jobs
from clubs.upkeep.models_jobs import Job
from pairings.exchange.formats import json as tournament_json
from pairings.exchange.snapshot import SheetPlayer, SheetRound, TournamentSheet
from pairings.personal_data import forget_in_tournament_files
from pairings.tasks import bring_tournament
from pairings.tournaments.files import kept
from pairings.tournaments.models import Tournament, TournamentFile
from tests.clubhouse import make_club
from tests.sheets import played

pytestmark = pytest.mark.django_db
UPLOAD = "/c/long/gestion/reprendre-un-tournoi/"
NAMES = ("Karim N’Diaye", "Ioana Brâncuși", "Paul Martin", "Ada Un", "Bob Deux", "Cléo Trois")


def sheet_with(rounds):
    """A Swiss of six with this many rounds played: 6 players and 3 boards a round."""
    people = tuple(
        SheetPlayer(number=n, name=name, first_name=name.split()[0], last_name=name.split()[1])
        for n, name in enumerate(NAMES, start=1)
    )
    pairs = (((1, 2), (3, 4), (5, 6)), ((1, 3), (2, 5), (4, 6)), ((1, 5), (2, 6), (3, 4)))
    return TournamentSheet(
        name="Open de loin",
        held_on=date(2026, 9, 12),
        system="swiss",
        rounds_planned=4,
        players=people,
        rounds=tuple(
            SheetRound(
                number=number,
                published=True,
                closed=True,
                boards=tuple(
                    played(table, one, other, 400 + number, 300 + table)
                    for table, (one, other) in enumerate(pairs[number - 1], start=1)
                ),
            )
            for number in range(1, rounds + 1)
        ),
    )


@pytest.fixture
def house(monkeypatch):
    monkeypatch.setattr(jobs, "LONG", 12)
    return make_club("long", size=2)


@pytest.fixture
def desk(house, as_user):
    return as_user(house.committee.user)


def sent(desk, sheet, name="open.json"):
    file = SimpleUploadedFile(name, tournament_json.write(sheet))
    return desk.post(UPLOAD, {"file": file})


def keep(house, sheet):
    return kept.keep(
        sheet=sheet,
        organisation=house.organisation,
        file_name="open.json",
        digest="0",
        by=house.committee,
        at=house.at,
    )


@pytest.mark.parametrize(("rounds", "is_long"), [(1, False), (2, False), (3, True)])
def test_up_to_the_limit_a_file_is_imported_in_its_request(house, desk, rounds, is_long):
    sheet = sheet_with(rounds)
    size = len(sheet.players) + sum(len(each.boards) for each in sheet.rounds)
    assert (size > jobs.LONG) == is_long
    answer = sent(desk, sheet)
    assert answer.status_code == 302
    assert TournamentFile.objects.exists() == is_long
    assert Tournament.objects.exists() != is_long


def test_what_is_kept_of_a_file_is_read_back_equal(house):
    sheet = sheet_with(3)
    assert kept.sheet_of(TournamentFile.objects.get(pk=keep(house, sheet).pk)) == sheet


def test_a_long_file_is_previewed_then_imported_by_a_worker(house, desk):
    sheet = sheet_with(3)
    page = sent(desk, sheet)["Location"]
    shown = desk.get(page).content.decode()
    assert sheet.name in shown and "Ioana Brâncuși" in shown
    assert "6 noms inconnus deviendront des invités" in shown
    assert not Tournament.objects.exists()
    assert desk.post(page)["Location"] == page
    assert desk.post(page).status_code == 200
    job = Job.objects.get()
    assert "C’est demandé" in desk.get(page).content.decode()
    assert bring_tournament(job.pk) == Job.State.DONE
    made = Tournament.objects.get()
    assert made.entries.count() == 6 and made.rounds.filter(state="closed").count() == 3
    told = desk.get(page, follow=True)
    assert told.redirect_chain[-1][0].endswith(f"/gestion/tournois/{made.slug}/")
    assert "6 noms inconnus sont devenus des invités." in told.content.decode()
    assert desk.post(page).status_code == 302 and Job.objects.count() == 1
    assert Tournament.objects.count() == 1


def test_a_second_click_on_the_file_waits_at_the_same_page(house, desk):
    sheet = sheet_with(3)
    assert sent(desk, sheet)["Location"] == sent(desk, sheet)["Location"]
    assert TournamentFile.objects.count() == 1


def test_two_workers_import_a_file_once(house):
    held = keep(house, sheet_with(3))
    stale = TournamentFile.objects.get(pk=held.pk)
    kept.bring(draft=held, by=house.committee, at=house.at)
    with pytest.raises(Refused) as refused:
        kept.bring(draft=stale, by=house.committee, at=house.at)
    assert refused.value.code == "stale" and Tournament.objects.count() == 1


def test_a_failure_says_why_and_keeps_the_file(house, desk):
    page = sent(desk, sheet_with(3))["Location"]
    desk.post(page, headers={"accept-language": "fr"})
    for member in house.members:  # since the file was sent, two members have one name of it
        Member.objects.filter(pk=member.pk).update(search_name="karim n diaye")
    assert bring_tournament(Job.objects.get().pk) == Job.State.FAILED
    told = desk.get(page).content.decode()
    assert "plusieurs membres s’appellent Karim N’Diaye" in told
    assert not Tournament.objects.exists() and TournamentFile.objects.count() == 1
    Member.objects.filter(pk=house.members[0].pk).update(search_name="other")
    desk.post(page)
    assert bring_tournament(Job.objects.latest("pk").pk) == Job.State.DONE


def test_a_forgotten_person_leaves_the_kept_file_which_is_sent_again(house, desk):
    sheet = sheet_with(3)
    page = sent(desk, sheet)["Location"]
    member = house.members[0]
    Member.objects.filter(pk=member.pk).update(
        first_name="Paul", last_name="Martin", search_name="paul martin", sort_name="martin paul"
    )
    member.refresh_from_db()
    forget_in_tournament_files(Someone.of(member))
    assert TournamentFile.objects.get().rows == [[sheet.name]]
    refused = desk.get(page)
    assert refused.status_code == 422 and "a été effacé" in refused.content.decode()
    assert desk.get(sent(desk, sheet)["Location"]).status_code == 200
