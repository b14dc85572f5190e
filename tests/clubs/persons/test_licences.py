"""A federation's own file of licences: CSV or XLSX, mapped, previewed, written, kept current."""

from __future__ import annotations

from datetime import timedelta
from io import BytesIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils.translation import override
from openpyxl import Workbook

from clubs.exchange.tables import columns_of
from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members.actions import Newcomer
from clubs.members.models import Member
from clubs.persons import actions as persons
from clubs.persons import licence_words, licences
from clubs.persons.licences import LineKind
from clubs.persons.models import LicenceFile, Person
from ratings.ledger import settlement
from tests.clubhouse import make_club
from tests.our_code import LANGUAGES
from tests.refusals import refused

pytestmark = pytest.mark.django_db
HEAD = ["Licence", "Prénom", "Nom", "Pays", "Club", "Année de naissance", "Statut"]
COLUMNS = dict(zip(licence_words.COLUMNS, range(7), strict=True))
PAGE = "/c/federation/gestion/personnes/licences/"


@pytest.fixture
def federation():
    return make_club("federation", size=2)


def file_of(held, *rows):
    return LicenceFile.objects.create(
        organisation=held.organisation,
        file_name="licences.csv",
        rows=[HEAD, *[[*row, *[""] * (7 - len(row))] for row in rows]],
        columns=COLUMNS,
        created_at=held.at,
        created_by=held.committee.user,
    )


def write(held, *rows, lapse=False):
    return licences.write(draft=file_of(held, *rows), lapse=lapse, by=held.committee, at=held.at)


def kinds(held, *rows):
    return [line.kind for line in licences.preview(file_of(held, *rows), on=held.at)]


def test_a_spreadsheet_goes_through_the_columns_page_into_the_register(federation, as_user):
    book = Workbook()
    for row in (["Nr", "P", "N"], [12, "Ana", "Pop"], [13, "Dan", "Ene"], ["", "Eva", "Stan"]):
        book.active.append(row)
    content = BytesIO()
    book.save(content)
    desk = as_user(federation.committee.user)
    sent = desk.post(PAGE, {"file": SimpleUploadedFile("l.xlsx", content.getvalue())})
    assert sent.status_code == 302 and sent["Location"].endswith("/colonnes/")
    missing = desk.post(sent["Location"], {"first_name": "1"})
    assert missing.status_code == 422 and "licence" in str(missing.context["form"].errors)
    mapped = desk.post(sent["Location"], {"licence": "0", "first_name": "1", "last_name": "2"})
    shown = desk.get(mapped["Location"])
    assert shown.context["counts"][LineKind.NEW] == 2
    assert "Enregistrer 2 lignes" in shown.content.decode()  # not the one that is left out
    assert not Person.objects.exists()
    desk.post(mapped["Location"], {})
    assert dict(Person.objects.values_list("licence", "member__last_name")) == {
        "12": "Pop",
        "13": "Ene",
    }
    assert not Member.objects.belonging().filter(last_name="Pop").exists()
    again = desk.get(mapped["Location"])
    assert again.status_code == 302
    named = desk.get("/c/federation/gestion/personnes/?q=13").context["people"]
    assert [member.last_name for member in named] == ["Ene"]


def test_a_file_lapses_no_licence_of_another_federation(federation, neighbours):
    write(neighbours, ["12", "Eva", "Stan"])
    write(federation, ["13", "Dan", "Ene"])
    told = write(federation, ["14", "Ana", "Pop"], lapse=True)
    assert told["lapsed"] == 1
    states = dict(Person.objects.values_list("licence", "status"))
    assert states == {"12": "current", "13": "lapsed", "14": "current"}


def test_the_next_file_changes_adds_and_lapses(federation):
    write(federation, ["12", "Ana", "Pop", "FR", "Lyon", "1980"], ["13", "Dan", "Ene"])
    told = write(
        federation,
        ["12", "Ana", "Popp", "", "Paris", "", "suspendue"],
        ["14", "Ion", "Dan"],
        lapse=True,
    )
    assert (told[LineKind.CHANGED], told[LineKind.NEW], told["lapsed"]) == (1, 1, 1)
    ana = Person.objects.get(licence="12")
    assert (ana.member.full_name, ana.member.search_name) == ("Ana Popp", "ana popp")
    assert (ana.country, ana.club, ana.birth_year) == ("FR", "Paris", 1980)
    assert ana.status == Person.Status.SUSPENDED.value
    dan = Person.objects.get(licence="13")
    # A form that an officer opened before is told of it.
    assert (dan.status, dan.version) == (Person.Status.LAPSED.value, 2)
    assert JournalEntry.objects.filter(verb="licences_imported").count() == 2


def test_a_licence_with_a_letter_that_nobody_sees_is_the_same_one(federation):
    write(federation, ["12", "Ana", "Pop"])
    assert kinds(federation, ["12\u200b", "Ana", "Pop"]) == [LineKind.SAME]


def test_a_suspension_is_lifted_by_a_word_of_the_file_alone(federation):
    write(federation, ["12", "Ana", "Pop", "", "", "", "suspendue"], ["13", "Dan", "Ene"])
    write(federation, ["12", "Ana", "Pop"], lapse=True)
    states = dict(Person.objects.values_list("licence", "status"))
    assert states == {"12": "suspended", "13": "lapsed"}
    write(federation, ["12", "Ana", "Pop", "", "", "", "à jour"], ["13", "Dan", "Ene"])
    assert set(Person.objects.values_list("status", flat=True)) == {"current"}


def test_the_preview_counts_the_licences_that_a_complete_list_would_end(federation, as_user):
    write(federation, *[[str(n), "Ana", f"Pop{n}"] for n in range(12, 16)])
    desk = as_user(federation.committee.user)
    page = f"{PAGE}{file_of(federation, ['12', 'Ana', 'Pop12']).pk}/"
    assert desk.get(page).context["absent"] == 3
    said = desk.post(page, {"lapse": "on"}, follow=True).content.decode()
    assert "Licences échues : 3." in said


@pytest.mark.parametrize("word", ["radié", "Radiée", "2026"])
def test_a_line_whose_status_is_no_known_word_is_left_out_and_says_so(federation, word):
    """It counted as a current licence, without a word."""
    file = file_of(federation, ["12", "Ana", "Pop", "", "", "", word], ["13", "Dan", "Ene"])
    line, other = licences.preview(file, on=federation.at)
    assert line.kind == LineKind.LEFT_OUT and other.kind == LineKind.NEW
    assert line.problems == [
        f"«\u00a0{word}\u00a0» n’est pas un statut connu\u00a0: à jour, échue, suspendue ou sans licence"
    ]


def test_the_words_of_the_register_itself_are_read_in_every_language(federation):
    """Its own file, taken by a reader of one language and brought back by another."""
    for language in LANGUAGES:
        for status in Person.Status:
            with override(language):
                word = str(status.label)
            row = ["12", "Ana", "Pop", "", "", "", word]
            [line] = licences.preview(file_of(federation, row), on=federation.at)
            assert line.values["status"] == status.value, word


def test_the_preview_says_what_changed_lines_change(federation, as_user, monkeypatch):
    rows = [[str(n), "Ana", f"Pop{n}", "", "Lyon", "1980"] for n in range(12, 15)]
    write(federation, *rows)
    changed = [[*row[:4], "Paris", "", "suspendue"] for row in rows]
    page = f"{PAGE}{file_of(federation, *changed).pk}/"
    desk = as_user(federation.committee.user)
    shown = desk.get(page)
    words = "club\u00a0: Lyon → Paris\u00a0; statut\u00a0: licence à jour → licence suspendue"
    assert [change for _line, change in shown.context["changed"]] == [words] * 3
    assert f"Ana Pop12, {words}" in shown.content.decode()
    monkeypatch.setattr("clubs.persons.views.CHANGED_SHOWN", 1)
    shown = desk.get(page)
    assert len(shown.context["changed"]) == 1 and "Et 2 autres lignes." in shown.content.decode()


@pytest.mark.parametrize(
    "born", ["1980", "1980-05-12 00:00:00", "12/05/1980", "12.05.1980", "12-05-1980"]
)
def test_a_day_of_birth_gives_its_year_however_it_is_written(federation, born):
    write(federation, ["12", "Ana", "Pop", "", "", born])
    assert Person.objects.get().birth_year == 1980


@pytest.mark.parametrize(
    "title",
    ["Né", "Né(e) le", "Date de naissance", "DATE_NAISSANCE", "Date of birth", "Data nașterii"],
)
def test_the_column_of_the_birth_is_known_by_its_usual_names(title):
    """Left unread, it would leave the names of minors whole."""
    head = ["Licence", "Prénom", "Nom", title]
    assert columns_of(head, licence_words.COLUMNS).get("birth_year") == 3


@pytest.mark.parametrize("born", ["80", "198O", "05.80", "19805"])
def test_what_has_no_year_is_left_out(federation, born):
    assert kinds(federation, ["12", "Ana", "Pop", "", "", born]) == [LineKind.LEFT_OUT]


def test_a_player_of_the_lists_gets_their_licence(federation):
    members.create_outsiders(
        organisation=federation.organisation, people=[Newcomer("Ana", "Pop")], at=federation.at
    )
    told = write(federation, ["12", "POP", "Ana"])
    assert told[LineKind.JOINED] == 1
    assert Person.objects.get().member.full_name == "Ana Pop"


def test_an_empty_cell_leaves_what_is_known_of_somebody_without_a_licence(federation):
    write(federation, ["12", "Ana", "Pop", "FR", "Lyon", "1980"])
    Person.objects.update(licence="")
    told = write(federation, ["13", "Dan", "Ene"], lapse=True)
    assert told["lapsed"] == 0  # nothing that the file could name
    told = write(federation, ["12", "Ana", "Pop", "", "Paris"])
    assert told[LineKind.JOINED] == 1
    ana = Person.objects.get(licence="12")
    assert (ana.country, ana.club, ana.birth_year) == ("FR", "Paris", 1980)


def test_a_licence_of_two_names_is_left_out_and_all_others_are_written(federation):
    write(federation, ["12", "Ana", "Pop"])
    rows = [
        ["12", "Dan", "Ene"],  # held by another name
        ["13", "Ion", "Dan"],
        ["13", "Mia", "Rus"],  # twice in the file
        ["", "Eva", "Stan"],
        ["15", "", "Stan"],
        ["17", "-", "Stan"],  # no name that search and sorting could show
        ["16", "Geo", "Stan", "", "", "1716"],
    ]
    lines = licences.preview(file_of(federation, *rows), on=federation.at)
    assert [line.kind for line in lines] == [
        LineKind.LEFT_OUT,
        LineKind.NEW,
        *[LineKind.LEFT_OUT] * 5,
    ]
    assert "Ana Pop" in lines[0].problems[0] and "ligne 3" in lines[2].problems[0]
    told = write(federation, *rows, lapse=True)
    assert (told[LineKind.NEW], told[LineKind.LEFT_OUT], told["lapsed"]) == (1, 6, 0)
    assert Person.objects.get(licence="12").member.full_name == "Ana Pop"


@pytest.mark.parametrize(
    ("cells", "taken"),
    [
        ({0: "1" * 20}, True),
        ({0: "1" * 21}, False),
        ({1: "A" * 60, 2: "B" * 60}, True),
        ({1: "A" * 61}, False),
        ({2: "B" * 61}, False),
        ({5: 2}, False),
        ({5: 3}, True),
        ({5: 110}, True),
        ({5: 111}, False),
    ],
)
def test_a_licence_a_name_and_an_age_have_their_bounds(federation, cells, taken):
    row = ["12", "Ana", "Pop", "", "", ""]
    for place, cell in cells.items():
        row[place] = cell if isinstance(cell, str) else str(federation.at.year - cell)
    [line] = licences.preview(file_of(federation, row), on=federation.at)
    assert (line.kind, len(line.problems)) == (
        (LineKind.NEW, 0) if taken else (LineKind.LEFT_OUT, 1)
    )


def test_a_line_that_is_left_out_takes_its_licence_from_no_other_line(federation):
    rows = [["12", "Ana", "Pop", "", "", "", "radiée"], ["12", "Ana", "Pop"]]
    assert kinds(federation, *rows) == [LineKind.LEFT_OUT, LineKind.NEW]


def test_one_known_player_gets_one_licence_of_a_file(federation):
    members.create_outsiders(
        organisation=federation.organisation, people=[Newcomer("Ana", "Pop")], at=federation.at
    )
    rows = [["12", "Ana", "Pop"], ["13", "Ana", "Pop"]]
    assert kinds(federation, *rows) == [LineKind.JOINED, LineKind.NEW]


def test_a_member_of_the_federation_keeps_the_name_that_they_are_known_by(federation):
    """The file renames whom the lists alone know."""
    member = federation.members[0]
    known = member.full_name
    write(federation, ["12", member.first_name, member.last_name])
    write(federation, ["12", member.first_name, f"{member.last_name}s", "", "Lyon"])
    member.refresh_from_db()
    assert (member.full_name, member.person.club) == (known, "Lyon")


def test_a_form_that_was_open_before_a_file_is_told_of_it(federation):
    rows = ["12", "Ana", "Pop"], ["13", "Dan", "Ene"]
    write(federation, *rows)
    Person.objects.filter(licence="13").update(licence="")
    write(federation, [*rows[0], "", "Lyon"], rows[1])
    assert set(Person.objects.values_list("licence", "version")) == {("12", 2), ("13", 2)}


def test_the_columns_of_a_file_that_is_written_stay(federation):
    draft = file_of(federation, ["12", "Ana", "Pop"])
    licences.choose_columns(draft=draft, columns={"licence": 0, "first_name": 1})
    licences.write(draft=draft, lapse=False, by=federation.committee, at=federation.at)
    with refused("stale"):
        licences.choose_columns(draft=draft, columns={"licence": 0, "first_name": 2})
    draft.refresh_from_db()
    assert draft.columns == {"licence": 0, "first_name": 1}


def test_two_namesakes_without_a_licence_are_not_guessed(federation):
    people = [Newcomer("Ana", "Pop"), Newcomer("Ana", "Pop")]
    members.create_outsiders(organisation=federation.organisation, people=people, at=federation.at)
    assert kinds(federation, ["12", "Ana", "Pop"]) == [LineKind.NEW]


def test_the_preview_names_new_persons_who_have_the_name_of_a_known_one(federation, as_user):
    """A number that changes each year would double the register, and the lists with it."""
    write(federation, ["2025-12", "Ana", "Pop"], ["2025-13", "Dan", "Ene"])
    known = Person.objects.get(licence="2025-12").member
    draft = file_of(federation, ["2026-12", "POP", "Ana"], ["2025-13", "Dan", "Ene"])
    desk = as_user(federation.committee.user)
    page = desk.get(f"{PAGE}{draft.pk}/")
    assert [line.namesakes for line in page.context["namesakes"]] == [[known]]
    shown = page.content.decode()
    assert "Nouvelles personnes du nom d’une personne connue" in shown
    assert f"/gestion/personnes/{known.pk}/" in shown and "2025-12" in shown
    assert '<details class="card card--pad" open>' in shown
    alone = desk.get(f"{PAGE}{file_of(federation, ['14', 'Eva', 'Stan']).pk}/").content.decode()
    assert "du nom d’une personne connue" not in alone


def test_a_person_who_may_be_a_minor_is_shown_short(federation):
    year = federation.at.year
    write(federation, ["12", "Ana", "Pop", "", "", str(year - 17)])
    write(federation, ["13", "Dan", "Ene", "", "", str(year - 19)])
    assert [p.member.is_minor for p in Person.objects.order_by("licence")] == [True, False]


def test_a_known_player_who_may_be_a_minor_is_shown_short(federation):
    """They came with a competition, which does not say how old they are."""
    people = [Newcomer("Ana", "Pop"), Newcomer("Dan", "Ene"), Newcomer("Eva", "Stan")]
    ana, dan, eva = members.create_outsiders(
        organisation=federation.organisation, people=people, at=federation.at
    )
    young = str(federation.at.year - 12)
    write(federation, ["12", "Ana", "Pop", "", "", young], ["13", "Dan", "Ene"])
    write(federation, ["12", "Ana", "Pop", "", "", young], ["13", "Dan", "Ene", "", "", young])
    persons.edit_person(
        member=eva,
        seen=0,
        changes={"birth_year": int(young)},
        by=federation.committee,
        at=federation.at,
    )
    for member in (ana, dan, eva):
        member.refresh_from_db()
        assert member.is_minor and member.name_for(viewer_is_member=False) != member.full_name
    noted = JournalEntry.objects.get(verb="person_edited").after
    assert noted == {"fields": ["birth_year", "is_minor"]}
    # Who is noted as grown up meanwhile stays so: the next file says nothing new of them.
    federation.edit(dan, {"is_minor": False})
    write(federation, ["13", "Dan", "Ene", "", "Lyon", young])
    dan.refresh_from_db()
    assert (dan.person.club, dan.is_minor) == ("Lyon", False)


@pytest.mark.parametrize("licensed_before", [True, False])
def test_a_player_merged_with_a_minor_of_the_file_is_shown_short(federation, licensed_before):
    """The row that is kept came with a competition, where nobody said how old they are."""
    (kept,) = members.create_outsiders(
        organisation=federation.organisation, people=[Newcomer("Ana", "Popp")], at=federation.at
    )
    if licensed_before:
        write(federation, ["7", "Ana", "Popp"])
        Person.objects.update(licence="")
    write(federation, ["12", "Ana", "Pop", "", "", str(federation.at.year - 12)])
    minor = Member.objects.get(person__licence="12")
    settlement.merge_member(
        member=minor, into=kept, by=federation.committee, at=federation.at, reason="même"
    )
    for row in (kept, minor):
        row.refresh_from_db()
        assert row.is_minor and row.name_for(viewer_is_member=False) != row.full_name
    assert kept.person.licence == "12"


def test_a_file_is_written_once(federation):
    held = file_of(federation, ["12", "Ana", "Pop"])
    licences.write(draft=held, lapse=False, by=federation.committee, at=federation.at)
    with refused("stale"):
        licences.write(
            draft=held,
            lapse=False,
            by=federation.committee,
            at=federation.at + timedelta(minutes=1),
        )
    assert Person.objects.count() == 1


def test_a_thousand_licences_are_written_in_few_statements(
    federation, django_assert_max_num_queries
):
    rows = [[str(n), f"Prénom{n}", f"Nom{n}"] for n in range(1000)]
    held = file_of(federation, *rows)
    with django_assert_max_num_queries(61):
        licences.write(draft=held, lapse=True, by=federation.committee, at=federation.at)
    assert Person.objects.count() == 1000
    assert set(kinds(federation, *rows)) == {LineKind.SAME}
