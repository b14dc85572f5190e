"""Files that a spreadsheet, another country or a clumsy hand makes: read right, or refused in words."""

from __future__ import annotations

import json
from datetime import timedelta
from io import BytesIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from openpyxl import Workbook

from clubs.exchange.tables import ImportRefused
from ratings.competitions import actions as competitions
from ratings.competitions.files import import_files
from ratings.competitions.files.headings import GAMES
from ratings.competitions.files.import_files import People
from ratings.ledger.models import Period

pytestmark = pytest.mark.django_db

NAMES = "joueur 1;joueur 2;résultat\nMădălina Țurcanu;Ștefan Œuvrard;1\n"
ROMANIAN = "joueur 1;joueur 2;résultat\nMădălina Ţurcanu;Ştefan Ionaşcu;1\n"


def names_in(content, name="f.csv"):
    table = import_files.read(name, content, GAMES)
    return table.encoding, table.rows[1][:2]


@pytest.mark.parametrize(
    ("encoding", "said"),
    [("utf-8", "UTF-8"), ("utf-8-sig", "UTF-8"), ("utf-16", "UTF-16")],
)
def test_every_unicode_a_spreadsheet_saves_is_read(encoding, said):
    assert names_in(NAMES.encode(encoding)) == (said, ["Mădălina Țurcanu", "Ștefan Œuvrard"])


def test_a_romanian_windows_file_is_not_read_as_a_french_one():
    assert names_in(ROMANIAN.encode("cp1250")) == (
        "Windows-1250",
        ["Mădălina Ţurcanu", "Ştefan Ionaşcu"],
    )


@pytest.mark.parametrize("name", ["Françoise Œuvrard", "João Guimarães", "Noël Ançay nº 3", "Ærø"])
def test_a_western_windows_file_stays_one(name):
    content = f"joueur 1;joueur 2;résultat\n{name};Étienne Le Goff;1\n".encode("cp1252")
    assert names_in(content) == ("Windows-1252", [name, "Étienne Le Goff"])


def test_half_a_utf_16_letter_is_refused_in_words():
    with pytest.raises(ImportRefused, match="illisible"):
        names_in(NAMES.encode("utf-16") + b"\x00")


@pytest.mark.parametrize("separator", [";", ",", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_separators_and_line_ends(separator, end):
    content = NAMES.replace(";", separator).replace("\n", end).encode()
    assert names_in(content)[1] == ["Mădălina Țurcanu", "Ștefan Œuvrard"]


def problems(rows):
    people = People.of([(1, 1, "Ana", "Unu"), (2, 2, "Bogdan", "Doi")])
    head = ["joueur 1", "joueur 2", "résultat"]
    columns = {"first": 0, "second": 1, "result": 2}
    lines = import_files.lines_of([head, *rows], GAMES, people, columns)
    return [(line.number, line.problems, line.unknown) for line in lines]


@pytest.mark.parametrize(
    ("score", "taken"),
    [("-201", False), ("-200", True), ("-199", True), ("1999", True), ("2000", True)]
    + [("2001", False), ("4OO", False)],
)
def test_a_score_of_a_list_is_between_its_bounds(score, taken):
    rows = [["joueur 1", "joueur 2", "score 1", "score 2"], ["1", "2", "350", score]]
    people = People.of([(1, 1, "Ana", "Unu"), (2, 2, "Bogdan", "Doi")])
    (line,) = import_files.lines_of(rows, GAMES, people, import_files.columns_of(rows[0], GAMES))
    said = f"« {score} » n’est pas un score entre −200 et 2000"
    assert line.problems == ([] if taken else [said])


@pytest.mark.parametrize("cell", ['=HYPERLINK("http://x")', "+1", "-2+3", "@SUM(A1)", "＝1"])
def test_a_formula_is_nobodys_name(cell):
    [(number, told, unknown)] = problems([[cell, "2", "1"]])
    assert number == 2
    assert "formule" in told[0]
    assert unknown == []


def test_a_name_of_signs_or_of_hundreds_of_letters_is_refused_with_its_line():
    assert "n’est pas un nom" in problems([["...", "2", "1"]])[0][1][0]
    assert "60 caractères" in problems([["Zoé " + "x" * 61, "2", "1"]])[0][1][0]
    assert problems([["Zoé " + "x" * 60, "2", "1"]])[0][1] == []


def test_a_formula_saved_without_its_value_names_its_column_and_inscribes_nobody():
    book = Workbook()
    for row in (["joueur 1", "joueur 2", "résultat"], ["=A1", 2, 1], [1, 2, "=1"]):
        book.active.append(row)
    stream = BytesIO()
    book.save(stream)
    table = import_files.read("x.xlsx", stream.getvalue(), GAMES)
    first, second = problems(table.rows[1:])
    assert (first[0], second[0]) == (2, 3)
    assert "joueur 1" in first[1][0]
    assert "résultat" in second[1][0]
    assert first[2] == second[2] == []


def test_json_may_use_the_heads_of_the_table():
    told = json.dumps([{"Joueur 1": "Ana Unu", "adversaire": "2", "résultat": "½"}]).encode()
    rows = import_files.read("x.json", told, GAMES).rows
    [(_number, wrong, unknown)] = problems([rows[1]])
    assert (wrong, unknown) == ([], [])


@pytest.mark.parametrize(
    "told",
    [
        [{"qui": "Ana", "contre": "Bogdan"}],
        [{f"c{n}": n for n in range(60)}],
        [{"first": "1", "second": "2"}],
    ],
)
def test_json_without_the_needed_names_is_refused_and_says_which(told):
    with pytest.raises(ImportRefused, match="colonne"):
        import_files.read("x.json", json.dumps(told).encode(), GAMES)


def test_a_list_in_place_of_a_name_is_a_missing_name():
    told = json.dumps([{"first": ["Ana"], "second": {"x": 1}, "result": "1"}]).encode()
    rows = import_files.read("x.json", told, GAMES).rows
    assert "manque" in problems([rows[1]])[0][1][0]


@pytest.fixture
def held(club):
    return club.rating_list("fisf")


def bring(club, as_user, held, day, content=None):
    page = f"/c/{club.organisation.slug}/gestion/cotes/{held.slug}/apporter/"
    a, b = (member.number for member in club.members[:2])
    rows = content or f"joueur 1;joueur 2;résultat\n{a};{b};1\n".encode()
    file = SimpleUploadedFile("f.csv", rows)
    given = {"file": file, "sheet": "games", "label": "T", "held_on": day}
    return as_user(club.committee.user).post(page, given)


@pytest.mark.parametrize("day", ["0001-01-01", "1949-12-31", "2101-01-01", "31/02/2026", ""])
def test_a_day_that_cannot_be_is_refused_beside_its_field(club, as_user, held, day):
    answer = bring(club, as_user, held, day)
    assert answer.status_code == 422
    assert list(answer.context["form"].errors) == ["held_on"]


def test_a_day_to_come_is_pointed_at_before_anything_is_written(club, as_user, held):
    today = timezone.localdate()
    for day, warned in ((today, False), (today + timedelta(days=2), True)):
        answer = bring(club, as_user, held, day.isoformat())
        page = as_user(club.committee.user).get(answer["Location"])
        assert page.context["in_future"] is warned
        assert ("dans l’avenir" in page.content.decode()) is warned
    assert not Period.objects.filter(rating_list=held).exists()


def test_a_grade_that_the_table_lacks_is_refused_at_the_start(club):
    from ratings.systems.fesa.system import Fesa
    from ratings.systems.protocol import EventRefused, frozen

    assert Fesa().newcomer(frozen({"rating": 1500, "grade": "1 Dan"})).extra["grade"] == "1 Dan"
    with pytest.raises(EventRefused, match="grade"):
        Fesa().newcomer(frozen({"rating": 1500, "grade": "99 Dan"}))


def test_validating_twice_says_that_it_is_counted(club, as_user, held):
    desk = as_user(club.committee.user)
    answer = bring(club, as_user, held, "2026-09-01")
    page = desk.post(answer["Location"], {})["Location"]
    for act in ("calculer", "maintenant"):
        desk.post(page, {"act": act})
    assert desk.post(page, {"act": "valider", "seen": held.version}).status_code == 302
    again = desk.post(page, {"act": "valider", "seen": held.version}, follow=True)
    assert again.status_code == 200
    assert "déjà comptée" in again.content.decode()


@pytest.mark.parametrize(
    ("system", "head", "good", "bad"),
    [
        ("fesa", "joueur;elo;parties;grade", "Ana Nou;1500;30;1 Dan", "Ion Nou;1500;30;99 Dan"),
        ("fisf", "joueur;cote;parties", "Ana Nou;1500;30", "Ion Nou;99999;30"),
    ],
)
def test_a_start_that_the_system_refuses_has_its_line(club, as_user, system, head, good, bad):
    held = club.rating_list(system)
    made = competitions.draft(
        rating_list=held,
        file=import_files.read("f.csv", "\n".join([head, good, bad]).encode(), "starts"),
        file_name="f.csv",
        kind="starts",
        label="Départ",
        held_on=club.at.date(),
        facts={},
        by=club.committee,
        at=club.at,
    )
    wrong = [line.number for line in competitions.preview(made) if line.problems]
    assert wrong == [3]
