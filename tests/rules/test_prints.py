"""What is printed: everybody on it once, every page numbered, every letter in the embedded font."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest
from django.utils import translation
from reportlab.pdfgen.canvas import Canvas

from clubs.exchange.paper import Paper
from clubs.ui.pdf import BOLD, FONT, cut, draw_text, fonts, in_fonts, text_width
from pairings.exchange.pdf import handouts, wall_sheets
from pairings.exchange.snapshot import (
    CANCELLED,
    FORFEIT,
    SheetBoard,
    SheetColumn,
    SheetValue,
    TournamentSheet,
)
from tests.sheets import MORNING, played, player, tournament

Pages = list[list[str]]


@pytest.fixture(autouse=True)
def french() -> Iterator[None]:
    with translation.override("fr"):
        yield


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> Pages:
    """The words that the next document draws, page by page."""
    told: Pages = [[]]

    def spy(name: str) -> None:
        real = getattr(Canvas, name)

        def draw(self: Canvas, x: float, y: float, text: str, *rest: Any, **more: Any) -> Any:
            told[-1].append(text)
            assert 0 <= x <= self._pagesize[0] and 0 <= y <= self._pagesize[1], text
            return real(self, x, y, text, *rest, **more)

        monkeypatch.setattr(Canvas, name, draw)

    for name in ("drawString", "drawRightString", "drawCentredString"):
        spy(name)
    real_page = Canvas.showPage

    def show(self: Canvas) -> None:
        told.append([])
        real_page(self)

    monkeypatch.setattr(Canvas, "showPage", show)
    return told


def words(pages: Pages) -> list[str]:
    return [text for page in pages for text in page]


def final(sheet: TournamentSheet) -> TournamentSheet:
    return replace(sheet, final=True, provisional=False)


EVERY = {
    "by table": lambda sheet: wall_sheets.pairings_by_table(sheet, 2, at=MORNING),
    "by name": lambda sheet: wall_sheets.pairings_by_name(sheet, 2, at=MORNING),
    "initial": lambda sheet: wall_sheets.initial_ranking(sheet, at=MORNING),
    "standings": lambda sheet: wall_sheets.standings(sheet, at=MORNING),
    "crosstable": lambda sheet: wall_sheets.crosstable(sheet, at=MORNING),
    "final": lambda sheet: wall_sheets.final_ranking(final(sheet), at=MORNING),
    "slips": lambda sheet: handouts.result_slips(sheet, 2, address=lambda b: f"/t/{b.table}/"),
    "certificates": lambda sheet: handouts.certificates(final(sheet)),
}


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("size", [2, 23, 128])
def test_every_print_is_a_pdf_with_its_font_inside(name, size):
    content = EVERY[name](tournament(size, 7))
    assert content.startswith(b"%PDF-") and content.rstrip().endswith(b"%%EOF")
    assert b"/FontFile2" in content and b"DejaVuSans" in content


@pytest.mark.parametrize("name", EVERY)
def test_the_same_sheet_prints_the_same_bytes(name):
    assert EVERY[name](tournament(9, 2)) == EVERY[name](tournament(9, 2))


@pytest.mark.parametrize("name", [name for name in EVERY if name != "certificates"])
def test_every_page_says_which_it_is_of_how_many(pages, name):
    EVERY[name](tournament(128, 7))
    made = pages[:-1]
    told = [text for page in made for text in page if re.match(r"page \d+ / \d+$", text)]
    assert told == [f"page {n} / {len(made)}" for n in range(1, len(made) + 1)]
    assert len(made) > 1


def test_by_table_every_board_stands_once_with_the_absent_named(pages):
    sheet = tournament(24, 3)
    wall_sheets.pairings_by_table(sheet, 2)
    boards = sheet.rounds[1].boards
    found = words(pages)
    tables = [text for text in found if text.isdigit()]
    assert tables == [str(b.table) for b in boards if b.second is not None]
    for each in sheet.players:
        if each.number not in sheet.rounds[1].absent:
            assert found.count(each.name) == 1
    assert found.count("X") == 2  # in place of the table and of the opponent
    assert "X\u00a0: exempt, ne joue pas cette ronde." in found
    away = sheet.by_number[sheet.rounds[1].absent[0]]
    assert f"Absence\u00a0: {away.name}" in found


def test_by_name_everybody_stands_once_in_alphabetical_order_whatever_the_accents(pages):
    sheet = tournament(24, 3)
    wall_sheets.pairings_by_name(sheet, 2)
    family = {f"{p.last_name} {p.first_name}" for p in sheet.players}
    found = [text for text in words(pages) if text in family]
    assert len(found) == 24 and set(found) == family
    assert found[0].startswith("Brâncuși")
    firsts = [name.split()[0] for name in found]
    assert firsts.index("Brâncuși") < firsts.index("de") < firsts.index("Martin")
    assert firsts.index("Œhler") > firsts.index("N’Diaye")  # Œ = OE, after N, before T
    assert firsts.index("Țurcanu") > firsts.index("Œhler")


def test_by_name_a_player_finds_their_table_and_their_opponent(pages):
    sheet = tournament(6, 1, pending=False)
    board = sheet.rounds[0].boards[2]
    wall_sheets.pairings_by_name(sheet, 1)
    found = words(pages)
    one, two = (sheet.by_number[n] for n in board.players())
    place = found.index(f"{one.last_name} {one.first_name}")
    assert found[place : place + 3][1:] == [str(board.table), two.name]


def test_by_name_who_meets_nobody_has_an_x_as_on_the_wall_of_the_room(pages):
    sheet = tournament(7, 1)
    alone = next(board.first for board in sheet.rounds[0].boards if board.second is None)
    wall_sheets.pairings_by_name(sheet, 1)
    found = words(pages)
    name = f"{sheet.by_number[alone].last_name} {sheet.by_number[alone].first_name}"
    assert found[found.index(name) + 1 :][:2] == ["X", "X"]
    assert "X\u00a0: exempt, ne joue pas cette ronde." in found


def test_a_result_stands_between_the_names_and_says_when_it_is_not_final(pages):
    boards = (
        played(1, 1, 2, 412, 388, is_provisional=True),
        SheetBoard(table=2, first=3, second=4, kind=FORFEIT, absent="a"),
        SheetBoard(table=3, first=5, second=6),
    )
    sheet = tournament(6, 1)
    wall_sheets.pairings_by_table(
        replace(sheet, rounds=(replace(sheet.rounds[0], boards=boards),)), 1
    )
    found = words(pages)
    assert "412 – 388 *" in found and "forfait" in found and "–" in found
    legend = "*\u00a0: résultat pas encore définitif."
    assert legend in found
    assert f"Absence\u00a0: {sheet.by_number[3].name}" in found
    pages[:] = [[]]
    wall_sheets.pairings_by_table(
        replace(sheet, rounds=(replace(sheet.rounds[0], boards=boards[1:]),)), 1
    )
    assert "forfait" in words(pages) and legend not in words(pages)


def test_each_table_has_its_slip_and_its_own_qr(pages):
    asked = []

    def address(board: SheetBoard) -> str:
        asked.append(board.table)
        return f"https://club.example/t/{board.table}/"

    sheet = tournament(23, 2)
    handouts.result_slips(sheet, 2, address=address)
    boards = [b for b in sheet.rounds[1].boards if b.second is not None]
    assert asked == [b.table for b in boards]
    found = words(pages)
    assert [text for text in found if text.isdigit()] == [str(b.table) for b in boards]
    assert len(pages) - 1 == -(-len(boards) // 8)


def test_a_slip_of_two_winning_games_has_three_games(pages):
    handouts.result_slips(replace(tournament(2, 1), winning_games=2), 1)
    found = words(pages)
    assert [text for text in found if text.startswith("manche")] == [
        "manche 1", "manche 2", "manche 3",
    ]  # fmt: skip


def test_nobody_is_ranked_before_a_game_counts_where_places_are_shared(pages):
    drawn = tournament(6, 1)
    level = tuple(replace(line, place=1, tied=True) for line in drawn.standings)
    wall_sheets.standings(replace(drawn, standings=level, is_ranked=False))
    found = words(pages)
    assert found.count("–") == 6 and "1 ex" not in found
    assert not any(text.startswith("ex\u00a0:") for text in found)


def test_the_standings_say_after_which_round_what_is_tied_and_what_is_not_final(pages):
    wall_sheets.standings(tournament(6, 3))
    found = words(pages)
    assert "Classement après la ronde 3" in found
    assert found.count("2 ex") == 2
    assert any("pas encore définitifs" in text for text in found)
    assert any(text.startswith("ex\u00a0: ex æquo") for text in found)


def test_a_round_after_midnight_has_its_own_day(pages):
    """Paris: 23:10 in universal time is ten past midnight there."""
    sheet = tournament(6, 2)
    late = replace(sheet.rounds[1], starts_at=datetime(2026, 11, 28, 23, 10, tzinfo=UTC))
    wall_sheets.pairings_by_table(replace(sheet, rounds=(sheet.rounds[0], late)), 2)
    [line] = [text for text in words(pages) if "novembre" in text]
    assert line.startswith("dimanche 29 novembre 2026") and line.endswith("début à 00:10")


@pytest.mark.parametrize("work", [wall_sheets.final_ranking, handouts.certificates])
def test_a_tournament_of_several_days_has_its_first_and_its_last(pages, work):
    work(final(replace(tournament(6, 3), ends_on=date(2026, 11, 30))))
    days = "samedi 28 novembre 2026 – lundi 30 novembre 2026"
    assert any(text.startswith(days) for text in words(pages))


def test_a_final_ranking_before_the_end_is_not_called_final(pages):
    wall_sheets.final_ranking(tournament(6, 3))
    assert "Classement final" not in words(pages)


def test_the_crosstable_names_the_opponent_by_their_line(pages):
    sheet = tournament(4, 1, pending=False)
    boards = (played(1, 1, 2, 412, 388), played(2, 3, 4, 300, 300))
    wall_sheets.crosstable(replace(sheet, rounds=(replace(sheet.rounds[0], boards=boards),)))
    found = words(pages)
    assert [text for text in found if re.match(r"\d[+=−]", text)] == ["2+", "1−", "4=", "3="]
    assert "412–388" in found and "388–412" in found


def test_the_crosstable_tells_forfeits_byes_absences_and_cancelled_matches_apart(pages):
    sheet = tournament(6, 1)
    boards = (
        SheetBoard(table=1, first=1, second=2, kind=FORFEIT, absent="b"),
        SheetBoard(table=2, first=3, second=None, kind="bye"),
        SheetBoard(table=3, first=4, second=5, kind=CANCELLED),
    )
    each = replace(sheet.rounds[0], boards=boards, absent=(6,))
    wall_sheets.crosstable(replace(sheet, rounds=(each,)))
    found = words(pages)
    for mark in ("2+F", "1−F", "X", "a", "annulé"):
        assert mark in found, mark


@pytest.mark.parametrize("rounds", [15, 16, 17, 40])
def test_a_crosstable_of_many_rounds_goes_on_over_more_sheets(pages, rounds):
    """All beside one another, the first rounds were printed left of the sheet, and no name was."""
    sheet = tournament(6, rounds)
    wall_sheets.crosstable(sheet, at=MORNING)
    found = words(pages)
    for number in range(1, rounds + 1):
        assert found.count(f"R{number}") == 1
    sheets = -(-rounds // 16)
    for each in sheet.players:
        assert found.count(each.name) == sheets
    assert len(pages) - 1 == sheets


def test_certificates_stop_where_they_are_told_and_say_ex_aequo(pages):
    handouts.certificates(final(tournament(6, 3)), first=2)
    assert len(pages) - 1 == 3  # two share the second place
    assert "1re place" in pages[0] and "2e place, ex æquo" in pages[1]
    assert "Ștefania Țurcanu" in pages[0] and "Club FAIZERS" in pages[0]
    assert not any("page" in text for text in words(pages))


def test_a_certificate_has_neither_a_missing_value_nor_one_that_is_no_merit(pages):
    sheet = final(tournament(6, 3))
    columns = (
        *sheet.columns,
        SheetColumn(code="firsts", label="Débuts"),
        SheetColumn(code="third", label="3e place"),
        SheetColumn(code="initial", label="Initial"),
    )
    values = {
        **sheet.standings[0].values,
        "ppm": SheetValue(text="–", exact=None),
        "firsts": SheetValue(text="4", exact=4),
        "third": SheetValue(text="0", exact=0),
        "initial": SheetValue(text="13", exact=13),
    }
    first = replace(sheet.standings[0], values=values)
    handouts.certificates(
        replace(sheet, columns=columns, standings=(first, *sheet.standings[1:])), first=1
    )
    (line,) = [text for text in words(pages) if text.startswith("sur 6 joueurs")]
    assert line == "sur 6 joueurs · PM 19 · Pdep −7"


@pytest.mark.parametrize("name", EVERY)
def test_an_empty_tournament_prints_a_sentence_not_an_empty_page(pages, name):
    empty = replace(tournament(2, 1), players=(), rounds=(), standings=())
    EVERY[name](empty)
    assert any(len(text) > 10 for text in words(pages))


def test_a_long_name_never_runs_into_its_neighbour():
    fonts()
    name = "Marie-Christine de La Rochefoucauld-Vandenbroucke"
    for room in (20, 60, 120, 300):
        shown = cut(name, BOLD, 12, room)
        assert text_width(shown, BOLD, 12) <= room or shown == "…"
    assert cut("Léa", FONT, 12, 100) == "Léa"


LONG = (
    ("Jean-Christophe Emmanuel", "d’Aubigny de La Rochefoucauld"),
    ("Ștefania-Alexandrina", "Țurcănescu-d’Ornellas Ioniță"),
)


def long_names(sheet: TournamentSheet) -> TournamentSheet:
    """Names of 48 and 49 letters, each player's own by the last one."""
    people = []
    for each in sheet.players:
        first, last = LONG[each.number % 2]
        last = f"{last} {each.number}"
        people.append(
            replace(each, name=f"{first} {last}", first_name=first, last_name=last, club="Châlons")
        )
    return replace(sheet, players=tuple(people))


@pytest.mark.parametrize("name", [name for name in EVERY if name != "certificates"])
def test_a_long_name_is_never_cut(pages, name):
    """Two people with one first name are told apart by what stands last."""
    EVERY[name](long_names(tournament(12, 3)))
    assert not [text for text in words(pages) if text.endswith("…") and len(text) > 8]


@pytest.mark.parametrize("work", [wall_sheets.standings, wall_sheets.final_ranking])
def test_a_ranking_of_many_columns_leaves_its_names_whole(pages, work):
    sheet = long_names(final(tournament(8)))
    labels = ("Vict.", "Écart", "V. entre eux", "É. entre eux", "Matchs", "Débuts", "Initial")
    columns = tuple(SheetColumn(code=f"c{n}", label=label) for n, label in enumerate(labels))
    values = {column.code: SheetValue(text="-1\u00a0234", exact=1) for column in columns}
    lines = tuple(replace(line, values=values) for line in sheet.standings)
    work(replace(sheet, columns=columns, standings=lines))
    assert {*labels} <= set(words(pages))
    assert [word for word in words(pages) if word.endswith("…")] == []


def test_a_document_is_named_after_its_tournament(monkeypatch):
    titles: list[str] = []
    monkeypatch.setattr(Canvas, "setTitle", lambda self, title: titles.append(title))
    wall_sheets.pairings_by_table(tournament(), 1)
    assert titles == [f"Ronde 1, par table – {tournament().name}"]


def test_notes_never_stand_alone_on_a_page(pages):
    for size in range(2, 80):
        sheet = replace(tournament(size, 1), columns=tournament().columns)
        pages[:] = [[]]
        wall_sheets.standings(sheet)
        last = pages[-2]
        names = {each.name for each in sheet.players}
        assert names & set(last), size


def test_a_date_is_in_the_readers_language(pages):
    with translation.override("ro"):
        wall_sheets.standings(tournament())
    assert any("noiembrie 2026" in text.lower() for text in words(pages))


def test_every_letter_of_the_clubs_languages_is_in_the_font():
    fonts()
    from reportlab.pdfbase import pdfmetrics

    for name in (FONT, BOLD):
        glyphs = pdfmetrics.getFont(name).face.charToGlyph
        assert all(ord(letter) in glyphs for letter in "ȘșȚțĂăÂâÎîŒœÆæÉéÀàÇç’“”„«»–—−…\u00a0\u202f")


@pytest.mark.parametrize("align", ["left", "right", "centre"])
def test_a_name_in_japanese_is_printed_beside_letters_of_the_font(monkeypatch, align):
    fonts()
    drawn: list[tuple[float, str, str]] = []
    monkeypatch.setattr(
        Canvas, "drawString", lambda self, x, y, text: drawn.append((x, self._fontname, text))
    )
    draw_text(Canvas(io.BytesIO()), "Élise 山田 Ț", 100, 50, BOLD, 10, align)
    (start, first, text), (then, second, name), (last, third, rest) = drawn
    assert (text, name, rest) == ("Élise ", "山田", " Ț")
    assert (first, second, third) == (BOLD, "HeiseiKakuGo-W5", BOLD)
    assert then - start == pytest.approx(text_width(text, BOLD, 10))
    assert last - then == 20  # two letters as wide as they are high
    end = last + text_width(rest, BOLD, 10)
    assert {"left": start, "right": end, "centre": (start + end) / 2}[align] == pytest.approx(100)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("김철수", [("HYGothic-Medium", "김철수")]),
        ("刘强", [("STSong-Light", "刘强")]),
        ("鄧麗君", [("HeiseiKakuGo-W5", "鄧麗君")]),
        ("한汉", [("HYGothic-Medium", "한"), ("STSong-Light", "汉")]),
        ("Jo 🙂", [(BOLD, "Jo ")]),  # no font has it: a box was printed
        ("Jo 👍🏽 ☺", [(BOLD, "Jo  ☺")]),
        ("Ana שרה כהן 7", [(BOLD, "Ana ןהכ הרש 7")]),  # from left to right on paper
        ("كمال", [(BOLD, "\ufedd\ufe8e\ufee4\ufedb")]),  # each letter joined to its neighbours
        ("ود בת", [(BOLD, "תב \ufea9\ufeed")]),
    ],
)
def test_the_font_of_a_name_is_the_one_that_has_most_of_its_letters(name, parts):
    fonts()
    assert in_fonts(name, BOLD) == parts


def test_a_player_without_a_family_name_is_printed_by_their_name(pages):
    guest = player(1, name="Zoé (invitée)", first_name="", last_name="")
    wall_sheets.initial_ranking(replace(tournament(2, 1), players=(guest, player(2))))
    assert "Zoé (invitée)" in words(pages)


def test_before_the_initial_ranking_its_print_is_a_list_of_who_entered(pages):
    sheet = tournament(4, 1)
    people = tuple(replace(one, initial_rank=0) for one in sheet.players)
    wall_sheets.initial_ranking(replace(sheet, players=people))
    said = words(pages)
    assert "Inscrits" in said and "Rang" not in said and "–" not in said
    assert not any("Classement initial" in text or "Par cote" in text for text in said)
    wall_sheets.initial_ranking(sheet)
    assert "Classement initial" in words(pages) and "Rang" in words(pages)


def test_a_document_without_pages_says_so(pages):
    Paper(title="Rien").pdf()
    assert any("Rien à imprimer" in text for text in words(pages))


def test_a_tournament_where_nobody_has_a_club_has_no_club_column(pages):
    people = tuple(player(n, club="") for n in range(1, 7))
    sheet = replace(tournament(6, 3), players=people)
    wall_sheets.standings(sheet)
    wall_sheets.initial_ranking(sheet)
    assert "Club" not in words(pages)
    assert len([text for text in words(pages) if text == people[0].name]) == 1
