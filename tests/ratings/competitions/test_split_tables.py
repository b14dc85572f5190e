"""A FESA table of more than 16 games at the desk: proposed as two halves, kept as decided (003 §12)."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from ratings.competitions.models import CompetitionDraft
from ratings.ledger import settlement
from ratings.ledger.models import LedgerEntry, Period
from tests.ratings.competitions.test_views import OFFICIAL

pytestmark = pytest.mark.django_db
ROOT = "/c/faizers/gestion/cotes/fesa/apporter/"


@pytest.fixture
def desk(club, as_user):
    club.rating_list("fesa", name="Elo")
    return as_user(club.committee.user)


def read(club, desk, kind, head, rows):
    content = "\n".join([head, *rows]).encode()
    given = {"sheet": kind, "label": "Open", "held_on": "2026-09-01", **OFFICIAL}
    answer = desk.post(ROOT, {**given, "file": SimpleUploadedFile("t.csv", content)})
    assert answer.status_code == 302, answer.content.decode()
    return answer["Location"]


def marathon(club, desk, rounds):
    """Two players who meet in each round, each winning every other game."""
    one, other = (str(member.number) for member in club.members[:2])
    rows = [f"{n};{one};{other};{n % 2}" for n in range(1, rounds + 1)]
    return read(club, desk, "games", "ronde;joueur 1;joueur 2;résultat", rows)


def started(club, desk):
    """Both have an Elo, so that the table can be rated."""
    rows = [f"{member.number};1500;40" for member in club.members[:2]]
    desk.post(read(club, desk, "starts", "joueur;cote;parties", rows), {"sure": "1"})
    settlement.settle(period=Period.objects.get(), by=club.committee, at=club.at)


@pytest.mark.parametrize(("rounds", "cut"), [(15, None), (16, None), (17, 9), (18, 9), (24, 12)])
def test_two_halves_are_proposed_above_sixteen_games(club, desk, rounds, cut):
    asked = desk.get(marathon(club, desk, rounds)).context["split"]
    assert (asked["chosen"] if asked else None) == cut


def test_the_two_halves_come_as_two_competitions_rated_one_after_the_other(club, desk):
    started(club, desk)
    page = marathon(club, desk, 18)
    refused = desk.post(page, {})
    assert refused.status_code == 422 and "un tableau ou deux" in refused.content.decode()
    desk.post(page + "tableaux/", {"after": "10"})
    assert 'value="10" selected' in desk.get(page).content.decode()
    desk.post(page, {})
    halves = list(Period.objects.filter(label__startswith="Open (").in_order())
    assert [(half.label, half.games.count()) for half in halves] == [
        ("Open (1/2)", 10),
        ("Open (2/2)", 8),
    ]
    for half in halves:
        settlement.settle(period=half, by=club.committee, at=club.at)
    own = LedgerEntry.objects.filter(member=club.members[0]).order_by("pk")
    assert [entry.after["games"] for entry in own] == [40, 50, 58]


@pytest.mark.parametrize("after", ["18", "deux"])
def test_a_cut_after_no_round_of_the_file_is_refused(club, desk, after):
    started(club, desk)
    page = marathon(club, desk, 18)
    refused = desk.post(page + "tableaux/", {"after": after}, follow=True)
    assert "Sélectionnez un choix valide" in refused.content.decode()
    assert not refused.context["split"]["is_decided"]


def test_one_table_may_be_kept(club, desk):
    started(club, desk)
    page = marathon(club, desk, 18)
    desk.post(page + "tableaux/", {"after": ""})
    desk.post(page, {})
    whole = Period.objects.get(label="Open", kind="")
    settlement.settle(period=whole, by=club.committee, at=club.at)
    assert whole.games.count() == 18 and LedgerEntry.objects.filter(period=whole).count() == 2
    desk.post(page + "tableaux/", {"after": "9"})  # too late: it is in the list
    assert "split_after" not in CompetitionDraft.objects.latest("pk").facts
