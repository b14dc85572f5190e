"""A competition's file whose head says too little: the reader chooses the columns."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import translation

from clubs.persons.matching import People, name_parts
from ratings import systems
from ratings.competitions.files import import_files
from ratings.competitions.files.headings import FACTS_OF_A_START, LABELS
from ratings.competitions.files.import_files import columns_of
from ratings.competitions.models import CompetitionDraft
from ratings.ledger.models import Period, RatedGame
from tests.our_code import LANGUAGES
from tests.printed_fields import Printed

pytestmark = pytest.mark.django_db
ROOT = "/c/faizers/gestion/cotes/fisf/apporter/"


@pytest.fixture
def desk(club, as_user):
    club.rating_list("fisf")
    return as_user(club.committee.user)


def send(club, desk, head):
    """A file of one game that the second column won 400 to 300."""
    one, other = (str(member.number) for member in club.members[:2])
    text = f"Coupe de Lyon\n{head}\n1;{one};{other};300;400\n"
    given = {"sheet": "games", "label": "T", "held_on": "2026-09-01"}
    answer = desk.post(ROOT, {**given, "file": SimpleUploadedFile("t.csv", text.encode())})
    assert answer.status_code == 302
    return answer["Location"]


def test_an_unknown_head_asks_for_the_columns_and_keeps_what_it_knows(club, desk):
    page = send(club, desk, "Ronde;Qui;Contre;A;B")
    answer = desk.get(page)
    assert answer.status_code == 302 and answer["Location"] == page + "colonnes/"
    shown = desk.get(answer["Location"])
    assert shown.context["form"]["round"].value() == 0
    assert "Contre" in shown.content.decode()

    refused = desk.post(page + "colonnes/", {"round": "0", "first": "1"})
    assert refused.status_code == 422 and "joueur 2" in str(refused.context["form"].errors)
    assert refused.context["form"]["first"].value() == "1"
    chosen = {"round": "0", "first": "1", "second": "2", "first_score": "3", "second_score": "4"}
    assert desk.post(page + "colonnes/", chosen).status_code == 302
    assert desk.get(page).context["error_count"] == 0
    desk.post(page, {})
    game = RatedGame.objects.get()
    assert (game.first_id, game.second_id) == tuple(member.pk for member in club.members[:2])
    assert (game.first_score, game.second_score, game.first_halves) == (300, 400, 0)
    assert "columns" not in Period.objects.get().facts


def test_a_known_head_may_be_read_otherwise_until_it_is_brought_in(club, desk):
    page = send(club, desk, "Ronde;Joueur 1;Joueur 2;Score 1;Score 2")
    assert page + "colonnes/" in desk.get(page).content.decode()
    turned = {"first": "2", "second": "1", "first_score": "4", "second_score": "3"}
    beyond = desk.post(page + "colonnes/", {**turned, "round": "99"})
    assert beyond.status_code == 422 and Printed(beyond, "round").is_refused
    desk.post(page + "colonnes/", turned)
    desk.post(page, {})
    assert RatedGame.objects.get().first_id == club.members[1].pk
    late = desk.post(page + "colonnes/", {**turned, "first": "1", "second": "2"})
    assert late.status_code == 422 and "déjà importée" in str(late.context["form"].errors)
    assert CompetitionDraft.objects.get().facts["columns"]["first"] == 2


@pytest.mark.parametrize("system", ["fisf", "fesa", "absp", "glicko2", "faizers"])
def test_the_example_of_starts_has_the_columns_of_its_system(club, as_user, system):
    held = club.rating_list(system, name=system)
    desk = as_user(club.committee.user)
    page = f"/c/faizers/gestion/cotes/{held.slug}/apporter/"
    head, *rows = desk.get(f"{page}exemple-starts.csv").content.decode("utf-8-sig").splitlines()
    assert head in desk.get(page).content.decode()
    columns = headings_of(head.split(";"))
    assert set(columns) == {"player", *systems.system(system).start_columns}
    given = {"sheet": "starts", "label": "T", "held_on": "2026-09-01"}
    content = "\n".join([head, *rows]).encode()
    sent = desk.post(page, {**given, "file": SimpleUploadedFile("t.csv", content)})
    draft = desk.get(sent["Location"])
    assert draft.context["error_count"] == 0 and draft.context["doubts"] == []


@pytest.mark.parametrize(("system", "columns"), [("fesa", 4), ("absp", 6)])
def test_the_example_of_games_has_scores_only_where_the_game_has(club, as_user, system, columns):
    held = club.rating_list(system, name=system)
    page = f"/c/faizers/gestion/cotes/{held.slug}/apporter/exemple-games.csv"
    content = as_user(club.committee.user).get(page).content.decode("utf-8-sig")
    rows = [line.split(";") for line in content.splitlines()]
    assert len(rows) == 5 and {len(row) for row in rows} == {columns}


def test_a_doubtful_start_is_asked_before_it_comes_in(club, desk):
    text = f"joueur;cote;parties\n{club.members[0].number};1500;200\n"
    given = {"sheet": "starts", "label": "T", "held_on": "2026-09-01"}
    page = desk.post(ROOT, {**given, "file": SimpleUploadedFile("t.csv", text.encode())})[
        "Location"
    ]
    assert "resterait provisoire" in desk.get(page).content.decode()
    refused = desk.post(page, {})
    assert refused.status_code == 422 and Printed(refused, "id_sure").is_refused
    assert "puis dites qu’ils sont justes" in Printed(refused, "id_sure").error
    assert desk.post(page, {"sure": "1"}).status_code == 302


def test_games_without_a_rating_are_asked_about(club, desk):
    number = club.members[0].number
    text = f"joueur;cote;parties;tournois;dernière\n{number};;40;5;2026-06-15\n"
    given = {"sheet": "starts", "label": "T", "held_on": "2026-09-01"}
    page = desk.post(ROOT, {**given, "file": SimpleUploadedFile("t.csv", text.encode())})[
        "Location"
    ]
    assert "des parties, mais pas de cote" in desk.get(page).content.decode()
    assert desk.post(page, {}).status_code == 422


def test_a_line_that_only_names_somebody_is_asked_about(club, desk):
    """A row too short would give them the lowest starting cote without a word."""
    one, other = (member.number for member in club.members[:2])
    text = f"joueur;cote;parties\n{one}\n{other};1500;3\n"
    given = {"sheet": "starts", "label": "T", "held_on": "2026-09-01"}
    sent = desk.post(ROOT, {**given, "file": SimpleUploadedFile("t.csv", text.encode())})
    shown = desk.get(sent["Location"])
    assert "un nom, et rien d’autre" in shown.content.decode()
    assert len(shown.context["doubts"]) == 1
    assert desk.post(sent["Location"], {}).status_code == 422


@pytest.mark.parametrize(("kind", "told"), [("starts", "1500"), ("placings", "1")])
@pytest.mark.parametrize(
    ("head", "last", "first", "name", "parts"),
    [
        ("nom;prénom", "DUPONT", "Marie", "Marie DUPONT", ("Marie", "Dupont")),
        ("nom;prénom", "Dupont", "Marie Claire", "Marie Claire DUPONT", ("Marie Claire", "Dupont")),
        ("nom;prénom", "DE LA TOUR", "JEAN", "Jean DE LA TOUR", ("Jean", "De La Tour")),
        ("last name;first name", "McDonald", "Ann", "Ann McDonald", ("Ann", "McDonald")),
        ("nume;prenume", "POP", "", "POP", ("POP", "")),
    ],
)
def test_a_name_in_two_columns_is_one_name(kind, told, head, last, first, name, parts):
    rows = [[*head.split(";"), "cote" if kind == "starts" else "place"], [last, first, told]]
    (line,) = import_files.lines_of(rows, kind, People({}, {}), columns_of(rows[0], kind))
    assert line.names == (name,) and not line.problems
    assert name_parts(name) == parts


def test_a_start_is_read_as_a_french_spreadsheet_writes_it():
    rows = [["joueur", "cote", "parties", "tournois", "dernière"]]
    rows += [["Ana Pop", "1\u202f715", "1500,0", "5", "15/06/2026"]]
    rows += [["Dan Ene", "1.500", "40", "5,5", "32/06/2026"]]
    columns = columns_of(rows[0], "starts")
    first, second = import_files.lines_of(rows, "starts", People({}, {}), columns)
    assert not first.problems
    assert first.facts == {"rating": 1715, "games": 1500, "tournaments": 5, "last": "2026-06-15"}
    assert second.problems[0] == "«\u00a01.500\u00a0» n’est pas un nombre entier"
    assert len(second.problems) == 3 and second.facts == {"games": 40}


def test_a_file_is_refused_for_its_lines_whatever_was_ticked(club, desk):
    page = send(club, desk, "Ronde;Joueur 1;Joueur 2;Score 1;Score 2")
    draft = CompetitionDraft.objects.get()
    draft.rows = [*draft.rows, ["1", "Zoé Neuve", "Zoé Neuve", "1", "2"]]
    draft.save()
    refused = desk.post(page, {"newcomers": "1"})
    assert refused.status_code == 422 and refused.context["form"].non_field_errors()
    assert not Period.objects.exists()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_column_of_a_start_is_found_by_the_name_that_readers_see(language):
    with translation.override(language):
        names = [*FACTS_OF_A_START, "player"]
        assert set(headings_of([LABELS[name]() for name in names])) == set(names)


def headings_of(head):
    return columns_of(head, "starts")
