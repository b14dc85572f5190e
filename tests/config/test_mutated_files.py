"""Three hundred damaged files through every form that takes one: a sentence or a preview, never a 500."""

from __future__ import annotations

import io
import json
import random
import re
import zipfile
from datetime import date
from functools import cache

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from openpyxl import Workbook

from clubs.exchange import tables
from clubs.members.models import Member, MemberImport
from pairings.exchange.formats import json as tournament_json
from pairings.exchange.formats import tsh
from pairings.tournaments import standings as tournament_standings
from pairings.tournaments.files import snapshot
from tests.tournament_day import frozen, make_tournament, play, play_round, publish

pytestmark = pytest.mark.django_db
SEED = 20261122
EACH = 18
KINDS = ("csv", "xlsx", "json")
MEMBERS = [["Prénom", "Nom", "E-mail", "Numéro"], ["Ana", "Unu", "ana@example.org", "501"]]
GAMES = [["ronde", "joueur 1", "joueur 2", "résultat", "score 1", "score 2"]]
GAMES += [["1", "Prénom0 Nom0", "Prénom1 Nom1", "1", "400", "300"]]
STARTS = [["joueur", "cote", "parties", "grade"], ["Prénom0 Nom0", "1500", "30", ""]]
ENTRIES = [["Prénom", "Nom", "Numéro", "Cote"], ["Dan", "Trei", "", "1500"]]
RESULTS = [["Ronde", "Table", "Joueur 1", "Joueur 2", "Score 1", "Score 2"]]
RESULTS += [["2", "1", "", "", "400", "300"]]
ODD_CELLS = (
    "²", "٣", "½", "1e400", "-1", "9" * 30, "9" * 5000, "=1+1", "\u202egnp", "\ud83c", "\x07", "\u0000",
    "x" * 1001, "x" * 70_000, "a\nb", '"', ";;;", "2026-13-45", "#REF!", "\ufffd", " ", "'", "<b>",
)  # fmt: skip
ODD_VALUES = (
    None, True, -1, 10**30, 1e308, "", "²", "\u0000", "\ud800", "x" * 2000, [], {}, [[[]]], {"num": 1, "den": 0},
)  # fmt: skip


def csv_of(rows) -> bytes:
    return "".join(";".join(row) + "\n" for row in rows).encode("utf-8", "surrogatepass")


def workbook(rows) -> bytes:
    book = Workbook()
    for row in rows:
        book.active.append(row)
    out = io.BytesIO()
    book.save(out)
    return repacked(out.getvalue())


def repacked(content: bytes) -> bytes:
    """Without the hour of its making: every run sends the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as given, zipfile.ZipFile(out, "w") as made:
        for name in given.namelist():
            part = re.sub(
                rb"20\d\d-\d\d-\d\dT[0-9:]{8}Z", b"2026-11-22T00:00:00Z", given.read(name)
            )
            made.writestr(zipfile.ZipInfo(name), part)
    return out.getvalue()


def odd_cell(dice: random.Random, rows) -> list[list[str]]:
    """The table with a cell that nobody types on purpose, or of another shape."""
    found = [list(row) for row in rows]
    line = dice.randrange(len(found))
    shape = dice.randrange(8)
    if shape == 0:
        found[line] += [dice.choice(ODD_CELLS)] * dice.choice([1, 40, 60])
    elif shape == 1:
        del found[line][dice.randrange(len(found[line])) :]
    elif shape == 2:
        found += [list(found[-1]) for _line in range(dice.choice([1, 30]))]
    else:
        found[line][dice.randrange(len(found[line]))] = dice.choice(ODD_CELLS)
    return found


def odd_bytes(dice: random.Random, content: bytes) -> bytes:
    """The file as a bad disk or a broken connection leaves it."""
    a, b = sorted(dice.randrange(len(content) + 1) for _end in range(2))
    return dice.choice(
        [
            lambda: content[: len(content) // 2],
            lambda: content[:a],
            lambda: content[a:],
            lambda: content[:a] + content[b:],
            lambda: content[:b] + content[a:],
            lambda: content[:a] + b"\x00" * dice.choice([1, 200]) + content[a:],
            lambda: content[:a] + dice.randbytes(b - a) + content[b:],
            lambda: bytes(c if dice.random() > 0.01 else dice.randrange(256) for c in content),
            lambda: dice.choice([b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"%PDF-"]) + content,
        ]
    )()


def odd_part(dice: random.Random, content: bytes) -> bytes:
    """A sound archive with a part that is missing, damaged, of another kind or huge."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as given, zipfile.ZipFile(out, "w") as made:
        names = given.namelist()
        chosen = dice.choice(
            [n for n in names if "sheet1" in n or "workbook" in n or "Types" in n or "rels" in n]
        )
        for name in names:
            part = given.read(name)
            if name == chosen:
                part = dice.choice(
                    [
                        lambda part=part: odd_bytes(dice, part),
                        lambda part=part: odd_bytes(dice, part),
                        lambda: b"",
                        lambda: b"<a/>",
                        lambda part=part: part.replace(b'r="2"', b'r="99999999999"'),
                        lambda part=part: part.replace(b'r="A1"', b'r="ZZZZZZ0"'),
                        lambda part=part: part.replace(b't="n"', b't="s"').replace(b"<v>", b"<v>9"),
                        lambda part=part: part.replace(b't="inlineStr"', b't="d"'),
                        lambda part=part: part.replace(b'state="visible"', b'state="x"'),
                        lambda: None,
                    ]
                )()
            if part is not None:
                made.writestr(zipfile.ZipInfo(name), part)
    return out.getvalue()


def odd_json(dice: random.Random, told) -> bytes:
    """The document with one value of another kind, at any depth."""
    document = json.loads(json.dumps(told))
    places = []

    def walk(node):
        for key in list(node if isinstance(node, dict) else range(len(node))):
            places.append((node, key))
            if isinstance(node[key], dict | list):
                walk(node[key])

    walk(document)
    for _time in range(dice.choice([1, 1, 3])):
        node, key = dice.choice(places)
        node[key] = dice.choice(ODD_VALUES)
    return json.dumps(document).encode()


def mutants(form: str, rows, told=None, kinds=KINDS):
    """Names and contents of the damaged files of a form, the same every time."""
    dice = random.Random(f"{SEED} {form}")
    sound = workbook(rows)
    for number in range(EACH):
        for kind in kinds:
            if kind == "xlsx":
                content = dice.choice([odd_bytes, odd_part, odd_part])(dice, sound)
            elif kind == "json":
                document = told or [dict(zip(rows[0], rows[1], strict=True))]
                content = odd_json(dice, document)
                if dice.random() < 0.3:
                    content = odd_bytes(dice, content)
            else:
                content = csv_of(odd_cell(dice, rows))
                if dice.random() < 0.3:
                    content = odd_bytes(dice, content)
            name = f"{number}.{kind if dice.random() < 0.9 else dice.choice(['xls', 'txt', ''])}"
            yield name, content


def archive(parts, how=zipfile.ZIP_STORED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", how) as made:
        for name, content in parts.items():
            made.writestr(name, content)
    return out.getvalue()


@cache
def named():
    """What damage has a name; made by the first test that sends it."""
    spaces = {"xl/worksheets/sheet1.xml": b" " * (tables.MAX_UNPACKED + 1)}
    return [
        ("cut.xlsx", workbook(MEMBERS)[: len(workbook(MEMBERS)) // 2]),
        ("bomb.xlsx", archive(spaces, zipfile.ZIP_DEFLATED)),
        ("parts.xlsx", archive({f"{number}.xml": b"" for number in range(101)})),
        ("nothing.xlsx", archive({})),
        ("deep.json", b"[" * 100_000),
        ("numbers.json", b'[{"first": ' + b"9" * 10_000 + b"}]"),
        ("picture.csv", b"\x89PNG\r\n\x1a\n" + bytes(range(256))),
        ("page.csv", b"<!doctype html><title>x</title>"),
        ("nul.csv", b"nom;pr\x00nom\na;b\n"),
        ("cell.csv", b"nom;prenom\n" + b"x" * 1_000_000 + b";b\n"),
        ("quote.csv", b'nom;prenom\n"' + b"x\n" * 4_000),
    ]


def check(client, address: str, given: dict, name: str, content: bytes, field: str = "file"):
    """Send the file; what comes back is the page with a sentence, or the way to the preview."""
    kind = ("text/csv", "image/png", "application/json", "")[len(content) % 4]
    sent = {**given, field: SimpleUploadedFile(name or "x", content, content_type=kind)}
    answer = client.post(address, sent)
    assert answer.status_code in (302, 422), (name, answer.status_code, content[:200])
    if answer.status_code == 422:
        form = answer.context["file_form" if "file_form" in answer.context else "form"]
        told = [text for errors in form.errors.values() for text in errors]
        assert told and all(len(text) > 10 for text in told), (name, told)
        assert not any("Error" in text or "Traceback" in text for text in told), (name, told)
    return answer


def files(form: str, rows, told=None, kinds=KINDS):
    return [*named(), *mutants(form, rows, told, kinds)]


def test_the_file_of_members(club, desk):
    root = "/c/faizers/gestion/import/"
    for name, content in files("members", MEMBERS, kinds=("csv", "xlsx")):
        with transaction.atomic():
            answer = check(desk, root, {}, name, content)
            if answer.status_code == 302:
                page = answer["Location"]
                assert desk.get(page).status_code == 200
                columns = {"first_name": "0", "last_name": "1", "email": "2", "number": "3"}
                mapped = desk.post(page, columns)
                assert mapped.status_code in (200, 302, 422)
                preview = page.replace("colonnes", "apercu")
                assert desk.get(preview).status_code in (200, 302)
                assert desk.post(preview).status_code in (200, 302, 422)
            transaction.set_rollback(True)


@pytest.mark.parametrize("column", ["²", "٣", "-1", "9" * 5000, "x", ""])
def test_a_column_that_is_no_number_is_asked_for_again(club, desk, column):
    file = SimpleUploadedFile("m.csv", csv_of(MEMBERS))
    page = desk.post("/c/faizers/gestion/import/", {"file": file})["Location"]
    answer = desk.post(page, {"first_name": column})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "la colonne du prénom" in page or page.count('aria-invalid="true"') == 1
    assert MemberImport.objects.get().columns["first_name"] == 0


@pytest.mark.parametrize(("sheet", "rows"), [("games", GAMES), ("starts", STARTS)])
def test_the_files_of_the_rating_desk(club, desk, sheet, rows):
    held = club.rating_list("fisf")
    address = f"/c/faizers/gestion/cotes/{held.slug}/apporter/"
    given = {"sheet": sheet, "label": "T", "held_on": "2026-09-01"}
    for name, content in files(sheet, rows):
        with transaction.atomic():
            answer = check(desk, address, given, name, content)
            if answer.status_code == 302:
                assert desk.get(answer["Location"], follow=True).status_code == 200
                columns = f"{answer['Location']}colonnes/"
                assert desk.get(columns).status_code == 200
                assert desk.post(columns, {"first": "²", "player": "0"}).status_code in (302, 422)
                assert desk.post(answer["Location"], {}).status_code in (200, 302, 422)
            transaction.set_rollback(True)


def sheet_of(tournament):
    return snapshot.photograph(tournament_standings.sheet_of(tournament))


@pytest.fixture
def running(club):
    """Round 1 played, round 2 published."""
    made = frozen(club)
    play_round(club, made, 1)
    publish(club, made, 2)
    return made


def test_the_entries_of_a_tournament(club, desk):
    made = make_tournament(club, size=4)
    address = f"/c/faizers/gestion/tournois/{made.slug}/inscrits/"
    for name, content in files("entries", ENTRIES, kinds=("csv", "xlsx")):
        with transaction.atomic():
            check(desk, address, {"import": "1"}, name, content)
            transaction.set_rollback(True)


def test_the_results_of_a_round(club, desk, running):
    address = f"/c/faizers/gestion/tournois/{running.slug}/resultats/"
    for name, content in files("results", RESULTS, kinds=("csv", "xlsx")):
        with transaction.atomic():
            check(desk, address, {}, name, content)
            transaction.set_rollback(True)


def test_a_whole_tournament_in_json(club, desk, running):
    told = json.loads(tournament_json.write(sheet_of(running)))
    # An open round comes back as one: its players may have no other match open here.
    play(club, running.rounds.get(number=2))
    address = "/c/faizers/gestion/reprendre-un-tournoi/"
    taken = 0
    for name, content in files("tournament", [[]], told, kinds=("json", "json")):
        with transaction.atomic():
            given = {"name": "Open", "day": str(date(2026, 11, 28)), "accept_altered": "on"}
            answer = check(desk, address, given, name, content)
            if answer.status_code == 302:
                assert desk.get(answer["Location"]).status_code == 200
                taken += 1
            transaction.set_rollback(True)
    assert taken, "no file went past the first refusal"


def test_a_division_of_tsh(club, desk, running):
    sound = tsh.write(sheet_of(running))
    dice = random.Random(f"{SEED} tsh")
    address = "/c/faizers/gestion/reprendre-un-tournoi/"
    for number in range(2 * EACH):
        lines = sound.decode().splitlines(keepends=True)
        line = dice.randrange(len(lines))
        words = lines[line].split(" ")
        words[dice.randrange(len(words))] = dice.choice(ODD_CELLS)
        lines[line] = " ".join(words)
        content = "".join(lines).encode("utf-8", "surrogatepass")
        if number % 3 == 0:
            content = odd_bytes(dice, sound)
        with transaction.atomic():
            given = {"name": "Open", "day": str(date(2026, 11, 28))}
            check(desk, address, given, f"{number}.t", content)
            transaction.set_rollback(True)


def test_a_table_of_rounds(club, desk):
    made = make_tournament(club)
    address = f"/c/faizers/gestion/tournois/{made.slug}/reglages/"
    dice = random.Random(f"{SEED} table")
    for _number in range(EACH):
        content = odd_bytes(dice, b"1-8 2-7 3-6 4-5\n1-7 8-6 2-5 3-4\n")
        with transaction.atomic():
            check(desk, address, {"tables": "1", "size": "8"}, "t.txt", content)
            transaction.set_rollback(True)


def test_three_hundred_files_are_sent_and_the_sound_ones_are_taken(club, desk):
    forms = {"members": 2, "games": 3, "starts": 3, "entries": 2, "results": 2, "tournament": 2}
    assert EACH * (sum(forms.values()) + 2 + 1) >= 300
    assert list(mutants("members", MEMBERS)) == list(mutants("members", MEMBERS))
    for name, content in (("m.csv", csv_of(MEMBERS)), ("m.xlsx", workbook(MEMBERS))):
        answer = check(desk, "/c/faizers/gestion/import/", {}, name, content)
        assert answer.status_code == 302
    assert not Member.objects.filter(first_name="Ana").exists()
