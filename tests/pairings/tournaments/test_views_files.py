"""The pages for a tournament's prints, exports and imports."""

from __future__ import annotations

import io
import json
from datetime import timedelta

import pytest
import time_machine
from django.core.files.uploadedfile import SimpleUploadedFile
from openpyxl import load_workbook

from clubs.accounts.models import User
from clubs.journal.models import JournalEntry
from clubs.members.models import Member
from pairings.exchange.pdf import handouts, wall_sheets
from pairings.matches import actions as match_actions
from pairings.matches.models import Match
from pairings.rules.match_state import Result
from pairings.tournaments import closing as tournament_closing
from pairings.tournaments.models import Tournament
from pairings.tournaments.rounds import actions as rounds
from pairings.tournaments.views import files as tournament_files
from tests.clubhouse import Clubhouse, make_club
from tests.kept import once_a_worker
from tests.our_code import LANGUAGES
from tests.pages import words
from tests.tournament_day import (
    end_round,
    frozen,
    make_tournament,
    play,
    play_round,
    publish,
    round_of,
)

pytestmark = pytest.mark.django_db
CLUB = "/c/tournoi"


@once_a_worker
def club_that_plays() -> tuple[Clubhouse, Tournament]:
    """A tournament whose round 1 is played, and round 2 published with one result."""
    house = make_club("tournoi", size=9)
    made = frozen(house)
    play_round(house, made, 1)
    second = publish(house, made, 2)
    first = second.matches.get(table_number=1)
    house.record(first, Result("played", 412, 388))
    return house, made


@pytest.fixture
def begun(db):
    return club_that_plays()


@pytest.fixture
def running(begun):
    return begun[1]


@pytest.fixture(autouse=True)
def evening(house):
    with time_machine.travel(house.at + timedelta(minutes=1), tick=True):
        yield


def public(open_, rest: str = "") -> str:
    return f"{CLUB}/tournois/{open_.slug}/{rest}"


def manage(open_, rest: str = "") -> str:
    return f"{CLUB}/gestion/tournois/{open_.slug}/{rest}"


def upload(name: str, content: bytes | str) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content.encode() if isinstance(content, str) else content)


PRINTS = [
    "imprimer/initial.pdf",
    "imprimer/classement.pdf",
    "imprimer/grille.pdf",
    "ronde/2/par-table.pdf",
    "ronde/2/par-nom.pdf",
]


@pytest.mark.parametrize("path", PRINTS)
def test_everybody_may_print_what_everybody_may_see(as_user, running, path):
    answer = as_user().get(public(running, path))
    assert answer.status_code == 200 and answer["Content-Type"] == "application/pdf"
    assert answer.content.startswith(b"%PDF-") and b"DejaVuSans" in answer.content
    assert answer["Content-Disposition"].startswith(f'inline; filename="{running.slug}-')


@pytest.mark.parametrize(
    "path",
    ["imprimer/secret.pdf", "ronde/3/par-table.pdf", "ronde/9/par-nom.pdf", "ronde/2/autre.pdf"],
)
def test_a_print_that_is_not_there_is_a_404(as_user, running, path):
    assert as_user().get(public(running, path)).status_code == 404


def test_a_draft_is_not_printed(house, director, running):
    second = round_of(running, 2)
    play(house, second)
    end_round(house, second)
    rounds.draw(round=round_of(running, 3), by=house.arbiter, at=house.at)
    assert director.get(public(running, "ronde/3/par-table.pdf")).status_code == 404
    assert director.get(manage(running, "ronde/3/feuilles.pdf")).status_code == 404


def test_the_files_page_shows_each_reader_what_they_may_take(as_user, director, running):
    seen = words(as_user().get(public(running, "fichiers/")))
    for path in PRINTS:
        assert public(running, path) in seen
    assert "export/json" not in seen and "feuilles.pdf" not in seen
    assert seen.count('class="hidden-text"> Ronde 1<') == seen.count("ronde/1/par-") > 1
    desk = words(director.get(public(running, "fichiers/")))
    assert "export/json" in desk and "ronde/2/feuilles.pdf" in desk and "export/tsh" in desk


def test_the_files_page_costs_few_queries(as_user, running, django_assert_max_num_queries):
    client = as_user()
    client.get(public(running, "fichiers/"))
    with django_assert_max_num_queries(8):
        client.get(public(running, "fichiers/"))


def test_slips_are_for_the_desk_and_each_has_the_address_of_its_table(
    as_user, director, running, monkeypatch
):
    asked = []
    real = handouts.qr
    monkeypatch.setattr(
        handouts, "qr", lambda canvas, text, *rest: (asked.append(text), real(canvas, text, *rest))
    )
    answer = director.get(manage(running, "ronde/2/feuilles.pdf"))
    assert answer.content.startswith(b"%PDF-")
    matches = Match.objects.filter(round=round_of(running, 2), second__isnull=False)
    assert asked == [
        f"http://testserver{CLUB}/matchs/{match.pk}/saisir/"
        for match in matches.order_by("table_number")
    ]
    assert as_user().get(manage(running, "ronde/2/feuilles.pdf")).status_code in (302, 403)


def test_certificates_wait_for_the_final_ranking(house, director, running):
    answer = director.get(manage(running, "diplomes.pdf"), follow=True)
    assert "quand le classement final est publié" in words(answer)
    play(house, round_of(running, 2))
    end_round(house, round_of(running, 2))
    for number in (3, 4, 5):
        play_round(house, running, number)
    tournament_closing.close(tournament=running, by=house.arbiter, at=house.at)
    podium = director.get(manage(running, "diplomes.pdf?premiers=3"))
    everybody = director.get(manage(running, "diplomes.pdf"))
    assert podium.content.count(b"/Type /Page\n") < everybody.content.count(b"/Type /Page\n") == 9


def test_the_schedule_is_a_calendar(as_user, running):
    answer = as_user().get(public(running, "horaires.ics"))
    text = answer.content.replace(b"\r\n ", b"").decode()
    assert answer["Content-Type"] == "text/calendar; charset=utf-8"
    assert text.count("BEGIN:VEVENT") == 5
    assert f"URL:http://testserver{public(running)}" in text
    assert f"UID:{running.slug}-round-1@{running.organisation.slug}.testserver" in text
    assert "STATUS:" not in text


def test_the_schedule_of_a_cancelled_tournament_says_so(house, as_user):
    made = frozen(house, 8)
    tournament_closing.cancel(tournament=made, reason="Neige", by=house.committee, at=house.at)
    text = as_user().get(public(made, "horaires.ics")).content.decode()
    assert text.count("STATUS:CANCELLED") == text.count("BEGIN:VEVENT") == 5


def test_public_prints_hide_what_a_member_hides(house, as_user, running, monkeypatch):
    shown = []
    monkeypatch.setitem(
        tournament_files.PRINTS,
        "initial",
        ("", lambda sheet, at: shown.append(sheet) or wall_sheets.initial_ranking(sheet)),
    )
    hidden = house.members[0]
    Member.objects.filter(pk=hidden.pk).update(visibility="initials")
    as_user().get(public(running, "imprimer/initial.pdf"))
    first = shown[0].players[0]
    assert first.name == "P.N." and first.first_name == first.last_name == ""
    assert hidden.full_name not in repr(shown[0])


def test_prints_hang_with_the_names_of_everybody_unless_a_member_asks(
    house, as_user, director, running, monkeypatch
):
    """A sheet on a wall is read by visitors, also where an arbiter printed it."""
    drawn = ("", lambda sheet, *_round, at: repr(sheet).encode())
    monkeypatch.setitem(tournament_files.PRINTS, "initial", drawn)
    monkeypatch.setitem(tournament_files.ROUND_PRINTS, "par-table", drawn)
    hidden = house.members[0]
    Member.objects.filter(pk=hidden.pk).update(visibility="members")
    for path in ("imprimer/initial.pdf", "ronde/2/par-table.pdf"):
        for reader in (director, as_user(house.arbiter.user)):
            assert hidden.full_name not in words(reader.get(public(running, path)))
            asked = words(reader.get(public(running, f"{path}?noms=membres")))
            assert hidden.full_name in asked
        visitor = as_user().get(public(running, f"{path}?noms=membres"))
        assert hidden.full_name not in words(visitor)


def test_the_page_of_prints_says_where_its_sheets_may_hang(as_user, director, running):
    page = director.get(public(running, "fichiers/"))
    assert "?noms=membres" in words(page) and "tout le monde peut lire" in words(page)
    asked = words(director.get(public(running, "fichiers/?noms=membres")))
    assert "initial.pdf?noms=membres" in asked and "par-nom.pdf?noms=membres" in asked
    assert "feuilles.pdf?noms" not in asked
    visitors = words(as_user().get(public(running, "fichiers/?noms=membres")))
    assert "pdf?noms" not in visitors and "tout le monde peut lire" not in visitors


# Exports


@pytest.mark.parametrize(
    ("kind", "start"),
    [
        ("json", b'{\n "format": "club-tournament"'),
        ("tsh", b"(Nom0), (Pr"),
        ("trf", b"012 "),
        ("inscrits-csv", "\ufeffRang initial;Nom".encode()),
        ("resultats-csv", "\ufeffRonde;Table".encode()),
        ("classement-csv", "\ufeffPlace;Joueur".encode()),
        ("inscrits-xlsx", b"PK"),
        ("resultats-xlsx", b"PK"),
        ("classement-xlsx", b"PK"),
    ],
)
def test_the_desk_takes_every_file_away(as_user, director, running, kind, start):
    answer = director.get(manage(running, f"export/{kind}/"))
    assert answer.status_code == 200, words(answer)[:300]
    assert answer.content.startswith(start)
    assert answer["Content-Disposition"].startswith("attachment; filename=")
    assert as_user().get(manage(running, f"export/{kind}/")).status_code in (302, 403)


@pytest.mark.parametrize("kind", ["json", "tsh", "trf"])
def test_a_file_for_programs_is_the_same_in_every_language(house, as_user, running, kind):
    files = {}
    for language in LANGUAGES:
        User.objects.filter(pk=house.committee.user.pk).update(language=language)
        reader = as_user(User.objects.get(pk=house.committee.user.pk))
        assert reader.get(manage(running))["Content-Language"] == language
        files[language] = reader.get(manage(running, f"export/{kind}/")).content
    assert len(set(files.values())) == 1


@pytest.mark.parametrize("kind", ["exe", "json-csv", "secret-csv", "inscrits-ods"])
def test_a_file_that_is_not_there_is_a_404(director, running, kind):
    assert director.get(manage(running, f"export/{kind}/")).status_code == 404


def test_the_results_table_agrees_with_the_json(director, running):
    told = json.loads(director.get(manage(running, "export/json/")).content)["tournament"]
    page = load_workbook(
        io.BytesIO(director.get(manage(running, "export/resultats-xlsx/")).content)
    ).active
    rows = list(page.iter_rows(min_row=2, values_only=True))
    boards = [(r["number"], b) for r in told["rounds"] for b in r["boards"]]
    scores = [(b["first_score"] or "", b["second_score"] or "") for _number, b in boards]
    assert [(row[0], row[1] or 0) for row in rows] == [(n, b["table"]) for n, b in boards]
    assert [(row[4] or "", row[5] or "") for row in rows] == scores
    assert (412, 388) in scores


# Import of results


def completed(director, running, change=lambda line: line) -> bytes:
    """Return the exported results with a score for every pending board."""
    text = director.get(manage(running, "export/resultats-csv/")).content.decode("utf-8-sig")
    head, *lines = text.splitlines()
    made = []
    for line in lines:
        cells = line.split(";")
        if cells[3] != "exempt" and not cells[4] and not cells[6]:
            cells[4], cells[5] = "401", "377"
        made.append(change(";".join(cells)))
    return "\r\n".join([head, *made, ""]).encode()


def test_results_of_a_file_are_entered_each_with_its_journal_line(house, director, running):
    content = completed(director, running)
    before = JournalEntry.objects.count()
    answer = director.post(manage(running, "resultats/"), {"file": upload("r.csv", content)})
    assert answer.status_code == 302, words(answer)
    second = round_of(running, 2)
    assert not second.matches.open().exists()
    entered = second.matches.filter(first_score=401, second_score=377)
    assert entered.count() == 3
    assert JournalEntry.objects.count() == before + 3
    # The same file again changes nothing, and says so.
    assert "3 résultats importés" in words(director.get(answer.url))
    answer = director.post(manage(running, "resultats/"), {"file": upload("r.csv", content)})
    assert JournalEntry.objects.count() == before + 3
    shown = words(director.get(answer.url))
    assert "Aucun résultat nouveau" in shown and "résultats importés" not in shown
    assert "résultat importé" not in shown


def test_a_file_without_a_result_is_not_called_known(director, running):
    content = director.get(manage(running, "export/resultats-csv/")).content
    blank = b"".join(line for line in content.splitlines(True) if b";exempt;" not in line)
    assert round_of(running, 2).matches.open().exists()
    answer = director.post(manage(running, "resultats/"), {"file": upload("r.csv", blank)})
    shown = words(director.get(answer.url))
    assert "Aucun résultat nouveau dans ce fichier" in shown and "connus" not in shown


def test_one_wrong_line_and_no_result_is_entered(director, running):
    content = completed(director, running, lambda line: line.replace("401;377", "4O1;377", 1))
    answer = director.post(manage(running, "resultats/"), {"file": upload("r.csv", content)})
    assert answer.status_code == 422 and "4O1" in words(answer) and "Ligne 8" in words(answer)
    assert round_of(running, 2).matches.open().count() == 3


def test_a_result_that_differs_from_a_phones_is_contested_as_at_the_desk(house, director, running):
    waiting = round_of(running, 2).matches.get(table_number=2)
    match_actions.submit(
        match=waiting, by=house.player(waiting.first), scores=(300, 301), at=house.at
    )
    content = completed(director, running)
    answer = director.post(manage(running, "resultats/"), {"file": upload("r.csv", content)})
    assert answer.status_code == 302
    waiting.refresh_from_db()
    assert waiting.status == "contested"


def test_a_file_that_is_no_table_is_refused_with_a_sentence(director, running):
    for name, content in (("r.csv", ""), ("r.pdf", "%PDF-1.4"), ("r.xlsx", "PK\x03\x04cut")):
        answer = director.post(manage(running, "resultats/"), {"file": upload(name, content)})
        assert answer.status_code == 422
    assert "error-summary" in words(answer)


def test_before_the_ranking_is_frozen_the_entries_are_what_can_be_printed(house, as_user):
    made = make_tournament(house, 4)
    page = as_user().get(public(made, "fichiers/"))
    assert [str(label) for _code, label in page.context["prints"]] == ["Inscrits"]
    assert "imprimer/initial.pdf" in words(page) and "Classement initial" not in words(page)


# Import of a tournament


def take(director, **fields):
    return director.post(f"{CLUB}/gestion/reprendre-un-tournoi/", fields)


def test_a_tournament_comes_back_from_its_json(house, director, running):
    play(house, round_of(running, 2))
    content = director.get(manage(running, "export/json/")).content
    answer = take(director, file=upload("t.json", content))
    assert answer.status_code == 302, words(answer)
    again = Tournament.objects.exclude(pk=running.pk).get()
    assert answer["Location"].endswith(f"/gestion/tournois/{again.slug}/")
    assert again.entries.count() == 9 and again.rounds.get(number=2).matches.count() == 5
    assert director.get(answer["Location"]).status_code == 200
    for path in ("", "inscrits/", "classement/", "grille/", "ronde/2/", "fichiers/"):
        assert director.get(public(again, path)).status_code == 200, path


def test_a_cut_file_leaves_nothing_behind(director, running):
    content = director.get(manage(running, "export/json/")).content
    before = Tournament.objects.count(), Member.objects.count(), JournalEntry.objects.count()
    answer = take(director, file=upload("t.json", content[: len(content) // 2]))
    assert answer.status_code == 422 and "coupé" in words(answer)
    assert before == (
        Tournament.objects.count(), Member.objects.count(), JournalEntry.objects.count(),
    )  # fmt: skip


def test_a_setting_nested_too_deeply_is_refused_with_a_sentence(director, running):
    content = json.loads(director.get(manage(running, "export/json/")).content)
    content["tournament"]["settings"]["a"] = json.loads("[" * 450 + "]" * 450)
    answer = take(director, file=upload("t.json", json.dumps(content)))
    assert answer.status_code == 422 and "cette valeur est inconnue" in words(answer)


def test_a_changed_file_is_taken_only_when_one_says_so(house, director, running):
    play(house, round_of(running, 2))
    content = director.get(manage(running, "export/json/")).content
    changed = content.replace(b'"first_score": 412', b'"first_score": 512')
    answer = take(director, file=upload("t.json", changed))
    assert answer.status_code == 422 and "modifié depuis son export" in words(answer)
    assert take(director, file=upload("t.json", changed), accept_altered="on").status_code == 302


def test_a_tsh_division_needs_a_name_and_a_day_and_keeps_what_was_typed(director, running):
    division = "Poultry, Phil 1823 2; 412\nDuck, Dan 1700 1; 388\n"
    answer = take(director, file=upload("a.t", division), name="Open de Lyon")
    assert answer.status_code == 422 and "Donnez la date" in words(answer)
    assert 'value="Open de Lyon"' in words(answer)
    sent = {"name": "Open de Lyon", "day": "2026-11-28"}
    answer = take(director, file=upload("a.t", division), **sent)
    assert answer.status_code == 422 and "Choisissez le classement" in words(answer)
    assert Tournament.objects.get() == running
    sent["ranking"] = "wins_and_spread"
    answer = take(director, file=upload("a.t", division), **sent)
    assert answer.status_code == 302, words(answer)
    made = Tournament.objects.get(name="Open de Lyon")
    assert Member.objects.filter(last_name="Poultry", is_guest=True).exists()
    match = Match.objects.get(round__tournament=made)
    assert (match.first_score, match.second_score) == (412, 388)


def test_a_file_that_made_a_tournament_makes_another_only_when_one_says_so(director, running):
    """The box appears with the question. One that was cancelled does not count."""
    division = "Poultry, Phil 1823 2; 412\nDuck, Dan 1700 1; 388\n"
    sent = {"name": "Open de Lyon", "day": "2026-11-28", "ranking": "wins_and_spread"}
    address = f"{CLUB}/gestion/reprendre-un-tournoi/"
    assert "second tournoi" not in words(director.get(address))
    assert take(director, file=upload("a.t", division), **sent).status_code == 302
    asked = take(director, file=upload("b.t", division), **sent | {"name": "Open"})
    assert asked.status_code == 422 and "second tournoi" in words(asked)
    assert "Open de Lyon" in words(asked) and "28 novembre 2026" in words(asked)
    assert Tournament.objects.count() == 2
    again = take(director, file=upload("a.t", division), again="on", **sent)
    assert again.status_code == 302 and Tournament.objects.count() == 3
    Tournament.objects.exclude(pk=running.pk).update(state="cancelled")
    assert take(director, file=upload("a.t", division), **sent).status_code == 302


def test_a_file_too_big_is_refused_before_it_is_read(director, running):
    big = b" " * (8 * 1024 * 1024 + 1)
    for answer in (
        take(director, file=upload("t.json", big)),
        director.post(manage(running, "resultats/"), {"file": upload("r.csv", big)}),
    ):
        assert answer.status_code == 422 and "dépasse 8 Mo" in words(answer)


def test_a_wrong_division_names_every_line(director, running):
    division = "Poultry, Phil 1823 2; 4x2\nDuck 1700\n"
    sent = {"name": "Open", "day": "2026-11-28", "ranking": "pm"}
    answer = take(director, file=upload("a.t", division), **sent)
    assert answer.status_code == 422
    assert "Ligne 1" in words(answer) and "Ligne 2" in words(answer)
    assert Tournament.objects.get() == running
