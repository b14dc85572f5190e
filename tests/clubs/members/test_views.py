"""The committee's pages, driven as a browser would: the file of members, the rules, the posters."""

from __future__ import annotations

import base64
import csv
import io
import re
import zipfile
import zlib
from datetime import timedelta
from decimal import Decimal

import pytest
import time_machine
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from openpyxl import Workbook

from clubs.accounts.models import User
from clubs.exchange import csv as exports
from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members.models import Member, MemberImport
from clubs.rulebooks import actions as rulebooks
from clubs.rulebooks.actions import LADDER
from clubs.rulebooks.models import RuleBook
from tests.older_pages import send
from tests.printed_fields import Printed

pytestmark = pytest.mark.django_db
HEAD = ["Prénom", "Nom", "E-mail", "Numéro"]
PEOPLE = [["Ștefan", "Țurcanu", "stefan@example.org", "501"], ["Zoë", "Élie", "", ""]]
WESTERN = [["Zoë", "Élie", "zoe@example.org", "501"], ["François", "Noël", "", ""]]


def text(rows, separator: str) -> str:
    return "".join(separator.join(row) + "\r\n" for row in rows)


def workbook(rows) -> bytes:
    book = Workbook()
    for row in rows:
        book.active.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def upload(desk, root, name: str, content: bytes):
    return desk.post(f"{root}/gestion/import/", {"file": SimpleUploadedFile(name, content)})


def preview(desk, answer):
    """Follow an accepted upload to its preview, with the guessed columns."""
    assert answer.status_code == 302, answer.content.decode()[:2000]
    page = desk.get(answer["Location"])
    assert page.status_code == 200
    columns = page.context["form"].initial
    mapped = desk.post(answer["Location"], columns)
    assert mapped.status_code == 302
    return mapped["Location"], desk.get(mapped["Location"])


def as_read(page) -> dict[str, str]:
    """What the button of a preview sends: the version that the page prints."""
    return dict(re.findall(r'name="(seen)" value="(\w+)"', page.content.decode()))


def how_many(club) -> int:
    return Member.objects.of(club.organisation).count()


# The file of members


@pytest.mark.parametrize(
    ("name", "content", "rows", "encoding"),
    [
        ("bom.csv", text([HEAD, *PEOPLE], ";").encode("utf-8-sig"), PEOPLE, "UTF-8"),
        ("tabs.txt", text([HEAD, *PEOPLE], "\t").encode(), PEOPLE, "UTF-8"),
        ("commas.csv", text([HEAD, *PEOPLE], ",").encode(), PEOPLE, "UTF-8"),
        ("latin.csv", text([HEAD, *WESTERN], ";").encode("latin-1"), WESTERN, "Windows-1252"),
        ("people.xlsx", workbook([HEAD, *PEOPLE]), PEOPLE, "xlsx"),
        ("numbers.xlsx", workbook([HEAD, [*PEOPLE[0][:3], 501.0], PEOPLE[1]]), PEOPLE, "xlsx"),
    ],
    ids=lambda value: value if isinstance(value, str) and "." in value else "",
)
def test_a_file_is_read_previewed_written_and_undone(
    club, desk, root, name, content, rows, encoding
):
    before = how_many(club)
    url, page = preview(desk, upload(desk, root, name, content))
    assert page.context["counts"] == {"new": 2, "update": 0, "double": 0, "error": 0}
    assert page.context["draft"].encoding == encoding
    assert how_many(club) == before

    assert desk.post(url).status_code == 302
    assert how_many(club) == before + 2
    first = Member.objects.get(organisation=club.organisation, number=501)
    assert [first.first_name, first.last_name, first.email] == rows[0][:3]
    second = Member.objects.get(organisation=club.organisation, first_name=rows[1][0])
    assert (second.last_name, second.number) == (rows[1][1], 502)

    again = desk.post(url)
    assert again.status_code == 302
    assert how_many(club) == before + 2

    done = url.replace("/apercu/", "/bilan/")
    assert desk.get(done).context["undoable"] is True
    desk.post(done)
    assert how_many(club) == before
    assert not Member.objects.filter(pk__in=[first.pk, second.pk]).exists()
    assert desk.get(done).context["undoable"] is False


def test_a_file_read_twice_says_at_the_second_writing_what_the_first_one_wrote(club, desk, root):
    content = text([HEAD[:2], ["Zoë", "Élie"]], ";").encode()
    drafts = [preview(desk, upload(desk, root, "people.csv", content)) for _twice in range(2)]
    before = how_many(club)
    (url, first), (other, second) = drafts
    assert desk.post(url, as_read(first)).status_code == 302
    refused = desk.post(other, as_read(second))
    assert how_many(club) == before + 1
    assert refused.context["counts"]["double"] == 1
    assert "L’aperçu a changé depuis votre lecture" in refused.content.decode()
    assert desk.post(other, as_read(refused)).status_code == 302
    assert how_many(club) == before + 2


def test_a_preview_read_before_its_columns_were_changed_writes_nothing(club, desk, root):
    rows = [[*HEAD[:3], "Autre"], ["Zoë", "Élie", "zoe@example.org", "z@example.org"]]
    url, page = preview(desk, upload(desk, root, "people.csv", text(rows, ";").encode()))
    before = how_many(club)
    draft = MemberImport.objects.get()
    draft.columns = {**draft.columns, "email": 3}
    draft.save(update_fields=["columns"])
    assert desk.post(url, as_read(page)).status_code == 200
    assert how_many(club) == before


def test_a_name_with_a_letter_that_nobody_sees_is_told_as_one_that_is_there(club, desk, root):
    member = club.members[0]
    rows = [HEAD, [f"{member.first_name}\u3164", f"\u200b{member.last_name}\x07", "", ""]]
    _url, page = preview(desk, upload(desk, root, "people.csv", text(rows, ";").encode()))
    assert page.context["counts"] == {"new": 0, "update": 0, "double": 1, "error": 0}


def test_a_line_that_would_rename_a_member_is_read_before(club, desk, root):
    """A club's own number may be one that the site gave to somebody else."""
    held, same = club.members[1], club.members[2]
    other = ["Nina", "Petit", "", str(held.number)]
    known = [same.first_name.upper(), same.last_name, "", str(same.number)]
    _, page = preview(desk, upload(desk, root, "a.csv", text([HEAD, other, known], ";").encode()))
    assert page.context["counts"] == {"new": 0, "update": 2, "double": 0, "error": 0}
    assert [line.number for line in page.context["renamed"]] == [2]
    printed = " ".join(page.content.decode().split())
    assert f"Ligne 2 : {held.full_name} → Nina Petit" in printed
    assert f'href="{root}/gestion/import/"' in printed
    held.refresh_from_db()
    assert held.first_name != "Nina"


def test_a_file_and_a_form_are_about_the_members_of_their_own_club(club, neighbours, desk, root):
    """A number, an address and a name that another club has are free here."""
    one, other = neighbours.members[:2]
    Member.objects.filter(pk=one.pk).update(number=777)
    Member.objects.filter(pk=other.pk).update(email="nina@example.org")
    rows = [["Zoë", "Élie", "", "777"], ["Nina", "Petit", "nina@example.org", ""]]
    _, page = preview(desk, upload(desk, root, "a.csv", text([HEAD, *rows], ";").encode()))
    assert page.context["counts"] == {"new": 2, "update": 0, "double": 0, "error": 0}
    namesake = neighbours.join("Inès", "Neuve")
    before = how_many(club)
    desk.post(f"{root}/gestion/membres/nouveau/", {"first_name": "Inès", "last_name": "Neuve"})
    assert how_many(club) == before + 1
    namesake.refresh_from_db()
    assert namesake.organisation == neighbours.organisation


def test_an_import_is_not_undone_after_a_day(club, desk, root):
    url, _page = preview(desk, upload(desk, root, "a.csv", text([HEAD, *PEOPLE], ";").encode()))
    desk.post(url)
    MemberImport.objects.update(imported_at=timezone.now() - timedelta(hours=24, seconds=1))
    done = url.replace("/apercu/", "/bilan/")
    assert desk.get(done).context["undoable"] is False
    desk.post(done)
    assert Member.objects.get(number=501).left_at is None


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.csv", b"   \r\n"),
        ("head-only.csv", text([HEAD], ";").encode()),
        ("members.pdf", b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\n"),
        ("renamed.csv", b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\n"),
        ("photo.png", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01"),
        ("photo.csv", b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01"),
        ("broken.xlsx", b"PK\x03\x04 no archive at all"),
        ("rows.csv", text([HEAD, *([["A", "B", "", ""]] * 100_000)], ";").encode()),
        (
            "big.csv",
            text([HEAD, *([["Anastasia", "Constantinescu", "", ""]] * 100_000)], ";").encode(),
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_list_of_members_is_refused_with_a_sentence(club, desk, root, name, content):
    before = how_many(club)
    answer = upload(desk, root, name, content)
    assert answer.status_code == 422
    assert str(answer.context["form"].errors["file"][0]).endswith((".", "colonnes."))
    assert not MemberImport.objects.exists()
    assert how_many(club) == before


@pytest.mark.parametrize("column", range(4))
def test_a_formula_without_a_value_is_named_by_its_line_and_column(club, desk, root, column):
    """Its text is not kept and it is not run; no cell is left out in silence."""
    row = ["Zoë", "Élie", "zoe@example.org", "777"]
    row[column] = '=HYPERLINK("http://x","y")'
    content = workbook([HEAD, PEOPLE[0], [], row])
    url, page = preview(desk, upload(desk, root, "f.xlsx", content))
    (wrong,) = page.context["errors"]
    assert wrong.number == 4
    assert HEAD[column] in wrong.problems[0] and "formule" in wrong.problems[0]
    assert "HYPERLINK" not in page.content.decode()
    before = how_many(club)
    desk.post(url)
    assert how_many(club) == before


def test_a_formula_with_its_value_and_one_in_an_unused_column_are_no_trouble(club, desk, root):
    content = workbook([[*HEAD, "Total"], [*PEOPLE[0], "=1+1"]])
    _url, page = preview(desk, upload(desk, root, "f.xlsx", content))
    assert page.context["counts"]["error"] == 0
    stored = with_stored_value(workbook([HEAD, ["=A9", "Rusu", "", ""]]), "Ion")
    url, page = preview(desk, upload(desk, root, "g.xlsx", stored))
    assert page.context["counts"] == {"new": 1, "update": 0, "double": 0, "error": 0}
    desk.post(url)
    assert Member.objects.get(last_name="Rusu").first_name == "Ion"


def with_stored_value(content: bytes, value: str) -> bytes:
    """The same workbook as a spreadsheet program saves it: the formula with its last value."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            part = old.read(name)
            if name.endswith("sheet1.xml"):
                text = part.decode()
                assert "<v></v>" in text or "<v />" in text or "<v/>" in text, text
                for empty in ("<v></v>", "<v />", "<v/>"):
                    text = text.replace(f"</f>{empty}", f"</f><v>{value}</v>")
                part = re.sub(r'<c r="A2"[^>]*>', '<c r="A2" t="str">', text).encode()
            new.writestr(name, part)
    return out.getvalue()


def test_a_blank_line_does_not_shift_the_numbers(club, desk, root):
    content = text([HEAD, PEOPLE[0], ["", "", "", ""], ["Ion", "Rusu", "bad", ""]], ";").encode()
    url, page = preview(desk, upload(desk, root, "a.csv", content))
    assert [line.number for line in page.context["errors"]] == [4]
    answer = upload(desk, root, "b.csv", text([["", ""], HEAD, *PEOPLE], ";").encode())
    assert "ligne 1 est vide" in str(answer.context["form"].errors["file"][0])
    assert url


def test_an_automatic_number_is_never_one_that_a_later_line_asks_for(club, desk, root):
    taken = max(member.number for member in club.everybody())
    rows = [["Ana", "Rusu", "", ""], ["Ion", "Rusu", "", str(taken + 1)], ["Oana", "Rusu", "", ""]]
    url, _page = preview(desk, upload(desk, root, "a.csv", text([HEAD, *rows], ";").encode()))
    assert desk.post(url).status_code == 302
    made = Member.objects.filter(last_name="Rusu").order_by("pk")
    assert [(member.first_name, member.number - taken) for member in made] == [
        ("Ana", 2),
        ("Ion", 1),
        ("Oana", 3),
    ]


def test_the_number_of_a_departed_member_is_nobody_elses(club, desk, root):
    gone = club.join("Luc", number=900)
    members.leave(member=gone, by=club.committee, at=club.at, forget=False)
    rows = [["Ana", "Rusu", "", ""], ["Ion", "Rusu", "", "900"]]
    _url, page = preview(desk, upload(desk, root, "a.csv", text([HEAD, *rows], ";").encode()))
    assert [(line.number, line.problems) for line in page.context["errors"]] == [
        (3, ["le numéro 900 reste celui d’un ancien membre"])
    ]
    url, _page = preview(desk, upload(desk, root, "b.csv", text([HEAD, rows[0]], ";").encode()))
    desk.post(url)
    assert Member.objects.get(first_name="Ana").number == 901


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (text([HEAD, PEOPLE[0], ["x"] * 51], ";"), "Ligne 3"),
        (text([HEAD, PEOPLE[0], ["Ana", "y" * 1001, "", ""]], ";"), "Ligne 3, colonne 2"),
    ],
    ids=["wide", "long"],
)
def test_what_is_too_big_is_named_by_its_line(desk, root, content, words):
    answer = upload(desk, root, "a.csv", content.encode())
    assert words in str(answer.context["form"].errors["file"][0])


def test_a_letter_that_cannot_be_read_and_a_failed_formula_are_no_names(desk, root):
    content = text([HEAD, ["Ana", "Rusu", "", ""], ["#REF!", "Noël", "", ""]], ";")
    _url, page = preview(desk, upload(desk, root, "a.csv", content.encode()))
    assert [line.number for line in page.context["errors"]] == [3]
    broken = text([HEAD, ["Zo", "Rusu", "", ""]], ";").encode("cp1252").replace(b"Zo;", b"Zo\x81;")
    _url, page = preview(desk, upload(desk, root, "b.csv", broken))
    assert "illisible" in page.context["errors"][0].problems[0]


def test_a_file_without_the_column_of_first_names_keeps_the_other_choices(desk, root):
    answer = upload(desk, root, "a.csv", text([HEAD, *PEOPLE], ";").encode())
    refused = desk.post(answer["Location"], {"last_name": "2", "first_name": ""})
    first = Printed(refused, "first_name")
    assert refused.status_code == 422 and first.is_refused and first.label == "Prénom"
    assert first.error == "Indiquez au moins la colonne du prénom."
    assert refused.context["form"]["last_name"].value() == "2"


def test_two_lines_for_one_member_or_one_line_for_two_are_refused(club, desk, root):
    one, other = club.members[:2]
    for member in (one, other):
        member.email = f"m{member.number}@example.org"
        member.save(update_fields=["email"])
    rows = [
        ["Ana", "Rusu", "", str(one.number)],
        ["Ana", "Rusu", one.email, ""],
        ["Ion", "Rusu", one.email.upper(), str(other.number)],
    ]
    _url, page = preview(desk, upload(desk, root, "a.csv", text([HEAD, *rows[:2]], ";").encode()))
    assert [(line.number, line.problems) for line in page.context["errors"]] == [
        (3, ["même membre qu’à la ligne 2"])
    ]
    _url, page = preview(desk, upload(desk, root, "b.csv", text([HEAD, rows[2]], ";").encode()))
    assert "deux membres différents" in page.context["errors"][0].problems[0]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (["Ion", "Rusu", "no-address", ""], "no-address"),
        (["Ion", "Rusu", "", "501"], "même numéro qu’à la ligne 2"),
        (["Ion", "Rusu", "STEFAN@example.org", ""], "même adresse qu’à la ligne 2"),
        (["Ion", "Rusu", "", "-4"], "-4"),
        (["", "Rusu", "", ""], "prénom"),
        (["-", "Rusu", "", ""], "prénom"),
    ],
)
def test_one_wrong_line_is_named_and_nothing_is_written(club, desk, root, wrong, words):
    before = how_many(club)
    content = text([HEAD, *PEOPLE, wrong], ";").encode()
    url, page = preview(desk, upload(desk, root, "a.csv", content))
    assert [line.number for line in page.context["errors"]] == [4]
    assert "Ligne 4" in page.content.decode()
    assert words in page.context["errors"][0].problems[0]
    refused = desk.post(url)
    assert refused.status_code == 200
    assert "La ligne 4" in refused.content.decode()
    assert how_many(club) == before
    assert MemberImport.objects.get().imported_at is None


def test_a_known_number_is_mended_not_doubled(club, desk, root):
    known = club.members[0]
    rows = [HEAD, ["Ana", "Rusu", "ANA@example.org", str(known.number)]]
    before = how_many(club)
    url, page = preview(desk, upload(desk, root, "a.csv", text(rows, ";").encode()))
    assert page.context["counts"]["update"] == 1
    desk.post(url)
    known.refresh_from_db()
    assert (known.full_name, known.email, how_many(club)) == ("Ana Rusu", "ana@example.org", before)


# One member by form


def test_a_name_already_there_is_asked_about_once_and_kept_as_typed(club, desk, root):
    known = club.members[0]
    before = how_many(club)
    typed = {"first_name": known.first_name, "last_name": known.last_name, "number": "777"}
    page = desk.post(f"{root}/gestion/membres/nouveau/", typed)
    words = page.content.decode()
    assert page.status_code == 422
    assert how_many(club) == before
    assert 'name="sure"' in words
    for value in typed.values():
        assert f'value="{value}"' in words
    assert desk.post(f"{root}/gestion/membres/nouveau/", {**typed, "sure": "1"}).status_code == 302
    assert Member.objects.get(number=777).full_name == known.full_name


def test_a_name_of_somebody_who_left_is_asked_about_with_the_way_to_their_record(club, desk, root):
    known = club.join("Prénom Unique", "Nom")
    typed = {"first_name": known.first_name, "last_name": known.last_name, "number": ""}
    members.leave(member=known, by=club.committee, at=club.at, forget=False)
    page = desk.post(f"{root}/gestion/membres/nouveau/", typed)
    words = " ".join(page.content.decode().split())
    assert page.status_code == 422 and f"(numéro {known.number}) a quitté le club." in words
    assert f'href="{root}/gestion/membres/{known.pk}/"' in words
    record = desk.get(f"{root}/gestion/membres/{known.pk}/").content.decode()
    assert "a quitté le club le 20\u00a0novembre 2026" in record
    again = club.join("Prénom Unique", "Nom")  # who is there is named first
    page = desk.post(f"{root}/gestion/membres/nouveau/", typed).content.decode()
    assert f"est déjà membre (numéro {again.number})" in " ".join(page.split())


# The rules


def controls(page) -> dict[str, str]:
    """What a browser would send back of the form as it was printed."""
    form = page.context["form"]
    sent = {}
    for name in form.fields:
        value = form[name].value()
        assert f'name="{name}"' in page.content.decode(), name
        if value is not False and value is not None:
            sent[name] = "on" if value is True else str(value)
    return sent


def test_every_number_of_the_book_has_a_control(desk, root):
    page = desk.get(f"{root}/gestion/regles/brouillon/")
    controls(page)
    printed = set(page.context["form"].fields)
    wanted = {f"{line.part}-{line.name}" for line in rulebooks.lines(None, LADDER)}
    assert len(wanted) > 40
    assert printed == wanted - {"pairing-pdi_ignore_groups"} | {"seen"}


def test_saving_an_unchanged_form_makes_an_empty_draft(club, desk, root):
    url = f"{root}/gestion/regles/brouillon/"
    answer = desk.post(url, controls(desk.get(url)))
    assert answer.status_code == 302, answer.context["form"].errors
    assert RuleBook.objects.of(club.organisation, LADDER).drafts().get().values == {}


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("pairing-ds_weights", "1;2;3"),
        ("pairing-ds_weights", "1e9"),
        ("pairing-pr_win", "1e999999999"),
        ("pairing-pr_win", "9" * 40),
        ("cote-k_beginner", "\u0663"),
        ("cote-divisor", "nan"),
        ("cote-divisor", "1/0"),
    ],
)
def test_a_number_that_is_none_is_refused_next_to_its_field(club, desk, root, name, typed):
    url = f"{root}/gestion/regles/brouillon/"
    sent = {**controls(desk.get(url)), name: typed}
    page = desk.post(url, sent)
    assert page.status_code == 422
    assert list(page.context["form"].errors) == [name]
    assert page.context["form"][name].value() == typed
    assert not RuleBook.objects.of(club.organisation, LADDER).exists()


def test_a_changed_number_is_printed_once_adopted_and_in_force(club, desk, root, as_user):
    url = f"{root}/gestion/regles/brouillon/"
    sent = {**controls(desk.get(url)), "cote-k_expert": "17", "cote-divisor": "412,5"}
    assert desk.post(url, sent).status_code == 302
    draft = RuleBook.objects.of(club.organisation, LADDER).drafts().get()
    assert draft.values == {"cote": {"k_expert": 17, "divisor": 412.5}}

    visitor = as_user()
    assert "412,5" not in visitor.get(f"{root}/regles/").content.decode()
    tomorrow = timezone.now().astimezone(club.organisation.zone).date() + timedelta(days=1)
    adopted = send(
        desk,
        f"{root}/gestion/regles/adopter/",
        {"day": tomorrow.isoformat(), "reason": "Vote", "voted_by": "Comité"},
    )
    assert adopted.status_code == 302
    assert "412,5" in visitor.get(f"{root}/regles/1/").content.decode()
    assert "412,5" not in visitor.get(f"{root}/regles/").content.decode()
    with time_machine.travel(timezone.now() + timedelta(days=2)):
        assert "412,5" in visitor.get(f"{root}/regles/").content.decode()


def test_a_past_date_is_refused_beside_the_date(club, desk, root):
    url = f"{root}/gestion/regles/brouillon/"
    desk.post(url, {**controls(desk.get(url)), "cote-k_expert": "17"})
    answer = send(
        desk, f"{root}/gestion/regles/adopter/", {"day": "2020-01-01", "reason": "Mon motif"}
    )
    assert answer.status_code == 422
    assert "passé" in answer.context["form"].errors["day"][0]
    assert "Mon motif" in answer.content.decode()
    assert not RuleBook.objects.adopted().exists()


@pytest.mark.parametrize(
    ("field", "typed"),
    [
        ("cote-k_expert", "dix"),
        ("cote-k_expert", "101"),
        ("cote-k_expert", ""),
        ("cote-divisor", "NaN"),
        ("cote-divisor", "1/0"),
        ("pairing-strategy", "no such way"),
        ("match-min_score", "5"),
    ],
)
def test_a_bad_value_is_refused_beside_its_field_and_kept(club, desk, root, field, typed):
    url = f"{root}/gestion/regles/brouillon/"
    answer = desk.post(url, {**controls(desk.get(url)), field: typed})
    assert answer.status_code == 422
    assert list(answer.context["form"].errors) == [field]
    assert answer.context["form"][field].value() == typed
    assert not RuleBook.objects.exists()


# What leaves the site


@pytest.mark.parametrize(
    "dangerous", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "＝1", "＠x"]
)
def test_no_cell_is_a_formula(dangerous):
    assert exports.cell(dangerous) == f"'{dangerous}"


def test_numbers_and_plain_words_stay_as_they_are():
    assert [exports.cell(v) for v in (-3, Decimal("1.5"), None, "Țurcanu", "a=b")] == [
        "-3", "1,5", "", "Țurcanu", "a=b",
    ]  # fmt: skip


def test_the_journals_file_opens_in_a_spreadsheet_and_runs_nothing(club, desk, root):
    club.edit(club.committee.member, {"first_name": "=cmd|x", "last_name": "Ș"})
    answer = desk.get(f"{root}/gestion/journal/?format=csv")
    assert answer["Content-Type"].startswith("text/csv")
    assert answer.content.startswith(b"\xef\xbb\xbf")
    rows = list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig")), delimiter=";"))
    assert len(rows) == 1 + JournalEntry.objects.filter(organisation=club.organisation).count()
    assert "'=cmd|x Ș" in {row[2] for row in rows}
    assert not [cell for row in rows for cell in row if cell.startswith(exports.DANGEROUS)]


def pdf_streams(content: bytes) -> str:
    """Every stream of a PDF, unpacked."""
    found = []
    for raw in re.findall(rb"stream\r?\n(.*?)endstream", content, re.DOTALL):
        packed = base64.a85decode(raw.strip()[:-2]) if raw.strip().endswith(b"~>") else raw
        try:
            found.append(zlib.decompressobj().decompress(packed).decode("latin-1"))
        except zlib.error:
            found.append(packed.decode("latin-1"))
    return "\n".join(found)


@pytest.mark.parametrize("poster", ["porte", "cartes"])
def test_a_poster_is_a_pdf_with_romanian_letters(club, desk, root, poster):
    name = "Clubul Țurțuș Ășî"
    type(club.organisation).objects.filter(pk=club.organisation.pk).update(name=name)
    club.edit(club.members[0], {"first_name": "Țurțuș", "last_name": "Ășî"})
    answer = desk.get(f"{root}/gestion/affiches/{poster}.pdf")
    assert answer["Content-Type"] == "application/pdf"
    assert answer.content.startswith(b"%PDF-")
    assert answer.content.rstrip().endswith(b"%%EOF")
    assert b"DejaVuSans" in answer.content
    words = pdf_streams(answer.content).upper()
    for letter in "ȚțșĂ":
        assert f"<{ord(letter):04X}>" in words, letter


# Invitations, theme, language


def test_a_child_gets_no_account_before_a_parents_agreement_is_noted(club, root, as_user):
    child = club.join("Tim", is_child=True)
    _invitation, token = club.invite(at=timezone.now(), member=child)
    url = f"{root}/i/{token}/"
    body = {"account": "1", "email": "tim@example.org", "password": "une-phrase-longue"}
    for answer in (as_user().get(url), as_user().post(url, body)):
        assert answer.status_code == 403
        assert "L’accord d’un parent manque encore" in answer.content.decode()
    assert not User.objects.filter(email="tim@example.org").exists()
    Member.objects.filter(pk=child.pk).update(guardian_agreed_on=timezone.now().date())
    assert as_user().post(url, body).status_code == 302
    assert User.objects.filter(email="tim@example.org").exists()


def test_who_is_a_member_already_is_told_so_before_typing_anything(club, root, as_user):
    invitation, token = club.invite(at=timezone.now())
    answer = as_user(club.members[0].user).get(f"{root}/i/{token}/", follow=True)
    assert answer.redirect_chain[-1][0] == f"{root}/moi/"
    assert "Ce compte est déjà membre du club." in answer.content.decode()
    invitation.refresh_from_db()
    assert invitation.used_count == 0


@pytest.mark.parametrize("own", [True, False])
def test_an_invitation_of_another_member_says_whose_it_is_not(club, root, as_user, own):
    invited, reader = club.join("Ion"), club.members[0]
    _invitation, token = club.invite(member=reader if own else invited, at=timezone.now())
    page = as_user(reader.user).get(f"{root}/i/{token}/", follow=True).content.decode()
    assert ("Ce compte est déjà membre du club." in page) is own
    assert ("Cette invitation est pour une autre personne." in page) is not own


@pytest.mark.parametrize("end", ["revoked", "used", "expired"])
def test_an_invitation_that_is_over_says_410(club, root, as_user, end):
    invitation, token = club.invite(at=timezone.now())
    url = f"{root}/i/{token}/"
    assert as_user().get(url).status_code == 200
    now = timezone.now()
    changed = {
        "revoked": {"revoked_at": now},
        "used": {"used_count": 1},
        "expired": {"created_at": now - timedelta(days=2), "expires_at": now - timedelta(days=1)},
    }[end]
    type(invitation).objects.filter(pk=invitation.pk).update(**changed)
    page = as_user().get(url)
    assert page.status_code == 410
    words = {"revoked": "annulée", "used": "déjà servi", "expired": "expiré le"}
    said = page.content.decode()
    assert [why for why, word in words.items() if word in said] == [end]
    own = as_user(club.members[0].user).get(url)
    assert own.status_code == 302 and own.url == f"{root}/moi/"
    before = how_many(club)
    assert as_user().post(url, {"account": "1"}).status_code == 410
    assert how_many(club) == before
    assert as_user().get(f"{root}/i/no-such-token/").status_code == 404


def test_a_theme_is_kept_in_a_cookie_and_the_account(club, root, as_user):
    user = club.members[0].user
    client = as_user(user)
    answer = client.post(f"{root}/theme/", {"theme": "dark", "next": f"{root}/regles/"})
    assert answer["Location"] == f"{root}/regles/"
    assert client.cookies["theme"].value == "dark"
    user.refresh_from_db()
    assert user.theme == "dark"
    assert 'data-theme="dark"' in client.get(f"{root}/regles/").content.decode()


def test_an_unknown_theme_and_a_foreign_address_are_not_followed(root, as_user):
    client = as_user()
    answer = client.post(f"{root}/theme/", {"theme": "x", "next": "https://evil.example/"})
    assert "evil" not in answer["Location"]
    assert "theme" not in client.cookies
    assert client.get(f"{root}/theme/").status_code == 405


def test_the_language_is_switched_and_kept(root, as_user):
    client = as_user()
    assert 'lang="fr"' in client.get(f"{root}/regles/").content.decode()
    client.post("/langue/setlang/", {"language": "ro", "next": f"{root}/regles/"})
    assert 'lang="ro"' in client.get(f"{root}/regles/").content.decode()
    client.post("/langue/setlang/", {"language": "xx", "next": f"{root}/regles/"})
    assert 'lang="ro"' in client.get(f"{root}/regles/").content.decode()


def test_saving_the_rules_form_keeps_the_groups_it_does_not_show(club, as_user):

    club.draft_rules({"pairing": {"pdi_ignore_groups": [[1, 2]]}})
    client = as_user(club.committee.user)
    address = f"/c/{club.organisation.slug}/gestion/regles/brouillon/"
    form = client.get(address).context["form"]
    typed = {
        name: form[name].value() for name in form.fields if form[name].value() not in (None, False)
    }
    assert client.post(address, typed).status_code == 302
    draft = club.organisation.rule_books.get()
    assert draft.values == {"pairing": {"pdi_ignore_groups": [[1, 2]]}}


def test_the_list_of_members_is_a_file_as_it_is_filtered_and_can_be_imported(club, desk, root):
    guest = members.create(
        organisation=club.organisation,
        first_name="=Zoë",
        is_guest=True,
        by=club.committee,
        at=timezone.now(),
    )
    page = desk.get(f"{root}/gestion/membres/?etat=invites&q=zoe").content.decode()
    address = re.search(r'href="(\?[^"]*format=csv[^"]*)"', page).group(1).replace("&amp;", "&")
    answer = desk.get(f"{root}/gestion/membres/{address}")
    assert answer["Content-Disposition"] == 'attachment; filename="membres.csv"'
    head, *rows = csv.reader(io.StringIO(answer.content.decode("utf-8-sig")), delimiter=";")
    assert head[:4] == HEAD
    day = guest.joined_on.isoformat() if guest.joined_on else ""
    assert rows == [["'=Zoë", "", "", str(guest.number or ""), "invité", day]]
    everybody = desk.get(f"{root}/gestion/membres/?format=csv&tri=-number").content.decode()
    numbers = [line.split(";")[3] for line in everybody.splitlines()[1:]]
    known = sorted((int(number) for number in numbers if number), reverse=True)
    assert len(known) > 5 and [int(number) for number in numbers if number] == known
