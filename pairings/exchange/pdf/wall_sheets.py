"""PDF sheets to hang on the wall, one function per sheet.

Pairings by table and by name, initial ranking, standings, crosstable, final ranking: in the
reader's language, black on white, large where they are read standing. The players' sheets are in
`handouts`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from reportlab.lib.pagesizes import A4

from clubs.exchange.paper import GAP, MARGIN, Column, Paper, TableRow
from clubs.search import without_accents
from clubs.ui.french import written
from clubs.ui.pdf import BOLD, CENTRE, FONT, RIGHT, fonts, text_width
from clubs.ui.punctuation import labelled
from pairings.exchange.snapshot import (
    ABSENT,
    BYE,
    CANCELLED,
    DRAW,
    FORFEIT,
    FORFEIT_WIN,
    LOSS,
    PENDING,
    PLAYED,
    WIN,
    SheetBoard,
    SheetPlayer,
    SheetRound,
    SheetStanding,
    TournamentSheet,
)

MARKS = {WIN: "+", DRAW: "=", LOSS: "−", FORFEIT_WIN: "+F", ABSENT: "−F", PENDING: "…"}
NOBODY = "X"
"""The table and the opponent of who meets nobody, as pages and walls show them."""
WALL = 13.0
"""Size of text that is read standing, from one step away."""
NAME_ROOM = 110.0
"""The points that a name needs on a ranking, on two lines where it is long."""
ROUNDS_ACROSS = 16
"""The rounds of a crosstable that fit on a sheet beside the names."""


def pairings_by_table(sheet: TournamentSheet, number: int, *, at: datetime | None = None) -> bytes:
    """Return one line per table, for the wall."""
    each = round_of(sheet, number)
    paper = sheet_paper(sheet, _("Ronde %(number)s, par table") % {"number": number}, each, at)
    known = sheet.by_number
    columns = [
        Column(_("Table"), 58, CENTRE, bold=True),
        Column(_("Joueur 1")),
        Column("", 84, CENTRE),
        Column(_("Joueur 2")),
    ]
    boards = sorted(each.boards, key=lambda board: (board.kind == BYE, board.table))
    rows = [
        TableRow(
            (
                str(board.table) if board.second is not None else NOBODY,
                known[board.first].name,
                _score(board),
                known[board.second].name if board.second is not None else NOBODY,
            )
        )
        for board in boards
    ]
    notes = _notes_on_nobody(each) + _absent(sheet, each)
    if any(board.is_provisional for board in boards):
        notes.append(_("* : résultat pas encore définitif."))
    paper.table(columns, rows, size=WALL, notes=notes)
    return paper.pdf()


def pairings_by_name(sheet: TournamentSheet, number: int, *, at: datetime | None = None) -> bytes:
    """Return one line per player with their table and opponent.

    Sorted from A to Z, accents ignored.
    """
    each = round_of(sheet, number)
    paper = sheet_paper(sheet, _("Ronde %(number)s, par nom") % {"number": number}, each, at)
    known = sheet.by_number
    columns = [Column(_("Joueur"), bold=True), Column(_("Table"), 64, CENTRE, bold=True)]
    columns.append(Column(_("Adversaire")))
    lines = []
    for board in each.boards:
        for player in board.players():
            opponent = board.opponent_of(player)
            if opponent is None:
                text, table = NOBODY, NOBODY
            else:
                text, table = known[opponent].name, str(board.table)
            lines.append((known[player], table, text))
    lines += [(known[player], "–", _("absent")) for player in each.absent if player in known]
    lines.sort(key=lambda line: (without_accents(line[0].listed), line[0].number))
    rows = [TableRow((_family_first(player), table, text)) for player, table, text in lines]
    paper.table(columns, rows, size=WALL, notes=_notes_on_nobody(each))
    return paper.pdf()


def initial_ranking(sheet: TournamentSheet, *, at: datetime | None = None) -> bytes:
    """Return the entries in the order of the initial ranking; before it, without a rank."""
    is_frozen = any(each.initial_rank for each in sheet.players)
    paper = sheet_paper(sheet, _("Classement initial") if is_frozen else _("Inscrits"), None, at)
    if is_frozen:
        paper.lines.append(_("Par cote, puis par ordre alphabétique."))
    club = _club_column(sheet)
    rank = [Column(_("Rang"), 44, RIGHT, bold=True)] if is_frozen else []
    columns = [*rank, Column(_("Joueur"), bold=True), *club, Column(_("Cote"), 80, RIGHT)]
    rows = [
        TableRow(
            (
                *([str(each.initial_rank or "–")] if is_frozen else []),
                _family_first(each),
                *([each.club] if club else []),
                f"{each.rating if each.rating is not None else '–'} {each.rating_origin}".strip(),
            )
        )
        for each in sheet.by_initial_rank
    ]
    notes = []
    if sheet.is_filled_up and is_frozen:
        notes.append(_("Effectif impair : le joueur fictif X s’ajoute, dernier du classement."))
    paper.table(columns, rows, size=11, notes=notes)
    return paper.pdf()


def standings(sheet: TournamentSheet, *, at: datetime | None = None) -> bytes:
    """Return the ranking after the last round that counts."""
    if sheet.final:
        title = _("Classement final")
    elif sheet.standings_after:
        title = _("Classement après la ronde %(n)s") % {"n": sheet.standings_after}
    else:
        title = _("Classement")
    columns, rows = _ranking(sheet, sheet.standings)
    paper = sheet_paper(sheet, title, None, at, wide=_needs_width(columns))
    paper.table(columns, rows, size=11, notes=_ranking_notes(sheet))
    return paper.pdf()


def final_ranking(sheet: TournamentSheet, *, at: datetime | None = None) -> bytes:
    """Return the final ranking, with a rule under the podium.

    Before the end it is the standings, with a title that says so.
    """
    if not sheet.final:
        return standings(sheet, at=at)
    columns, rows = _ranking(sheet, sheet.standings, podium=True)
    paper = sheet_paper(sheet, _("Classement final"), None, at, wide=_needs_width(columns))
    played = ngettext("%(count)s ronde", "%(count)s rondes", len(sheet.shown_rounds))
    entered = ngettext("%(count)s joueur", "%(count)s joueurs", len(sheet.players))
    counts = [entered % {"count": len(sheet.players)}, played % {"count": len(sheet.shown_rounds)}]
    paper.lines.append(f"{', '.join(counts)} · {sheet.system_label}")
    paper.table(columns, rows, size=11.5, notes=_ranking_notes(sheet))
    return paper.pdf()


def crosstable(sheet: TournamentSheet, *, at: datetime | None = None) -> bytes:
    """Return everybody's results by round: the opponent's place, the result, the score.

    Rounds that do not fit beside the names go on over more sheets.
    """
    rounds = sheet.shown_rounds
    paper = sheet_paper(sheet, _("Grille des résultats"), None, at, wide=len(rounds) > 5)
    order = [line.player for line in sheet.standings] or [each.number for each in sheet.players]
    legend = _(
        "+ gagné, = nul, − perdu ; F : par forfait ; X : joueur fictif (exempt) ; a : "
        "absent ; … : pas encore de résultat ; * : pas encore définitif. Le nombre est "
        "le nº de l’adversaire."
    )
    for start in range(0, max(len(rounds), 1), ROUNDS_ACROSS):
        part = rounds[start : start + ROUNDS_ACROSS]
        paper.table(*_crosstable_part(sheet, order, part), size=9, notes=[legend])
    return paper.pdf()


# Parts


def _crosstable_part(
    sheet: TournamentSheet, order: Sequence[int], rounds: Sequence[SheetRound]
) -> tuple[list[Column], list[TableRow]]:
    """Return the columns and rows of the rounds that fit beside one another on a sheet."""
    places = {player: place for place, player in enumerate(order, start=1)}
    lines = {line.player: line for line in sheet.standings}
    known = sheet.by_number
    room = 50.0 if len(rounds) <= 9 else max(34.0, 520 / len(rounds))
    first = sheet.columns[:1]
    columns = [Column(_("Nº"), 30, RIGHT), Column(_("Joueur"), bold=True)]
    columns += [Column(f"R{each.number}", room, CENTRE) for each in rounds]
    columns += [Column(column.label, 40, RIGHT, bold=True) for column in first]
    rows = []
    for player in order:
        cells, under = [str(places[player]), known[player].name], ["", known[player].club]
        for each in rounds:
            board = next((b for b in each.boards if player in b.players()), None)
            cell, below = _crossed(board, player, places, is_absent=player in each.absent)
            cells.append(cell)
            under.append(below)
        for column in first:
            value = lines[player].values.get(column.code) if player in lines else None
            cells.append(value.text if value is not None else "")
        rows.append(TableRow(tuple(cells), under=tuple(under)))
    return columns, rows


def round_of(sheet: TournamentSheet, number: int) -> SheetRound:
    """Return that round; without boards where it does not exist yet."""
    each = sheet.round(number)
    return each if each is not None else SheetRound(number=number)


def sheet_paper(
    sheet: TournamentSheet,
    title: str,
    each: SheetRound | None,
    at: datetime | None,
    *,
    wide: bool = False,
    numbered: bool = True,
) -> Paper:
    """Return a document with the tournament's header.

    It has the tournament's name and place, its days, or the day and the time of the round.
    """
    zone = ZoneInfo(sheet.zone)
    starts = each.starts_at.astimezone(zone) if each is not None and each.starts_at else None
    where = [long_date(starts.date()) if starts is not None else days_of(sheet), sheet.place]
    if starts is not None and (starts.hour or starts.minute):  # midnight: the file had no hour
        where.append(_("début à %(time)s") % {"time": f"{starts:%H:%M}"})
    foot = ""
    if at is not None:
        moment = at.astimezone(zone)
        foot = _("Imprimé le %(day)s à %(time)s") % {
            "day": written(moment, "SHORT_DATE_FORMAT"),
            "time": f"{moment:%H:%M}",
        }
    return Paper(
        title=title,
        lines=[sheet.name, " · ".join(part for part in where if part)],
        author=sheet.organisation,
        foot=foot,
        wide=wide,
        numbered=numbered,
    )


def days_of(sheet: TournamentSheet) -> str:
    """Return the day of the tournament, or its first and its last one."""
    days = [sheet.held_on, *([sheet.ends_on] if sheet.ends_on is not None else [])]
    return " – ".join(dict.fromkeys(map(long_date, days)))


def long_date(day: date) -> str:
    """Return the date in the reader's language: samedi 28 novembre 2026."""
    return written(day, "l j F Y")


def _family_first(player: SheetPlayer) -> str:
    return f"{player.last_name} {player.first_name}".strip() or player.name


def _score(board: SheetBoard) -> str:
    """Return the text between two names: nothing yet, the score, or why there is none."""
    if board.kind == PLAYED:
        mark = " *" if board.is_provisional else ""
        return f"{board.first_score} – {board.second_score}{mark}"
    if board.kind == FORFEIT:
        return _("forfait")
    if board.kind == CANCELLED:
        return _("annulé")
    return "–" if board.kind == PENDING else ""


def _notes_on_nobody(each: SheetRound) -> list[str]:
    """Return what the X of who meets nobody means, where somebody does."""
    is_odd = any(board.second is None for board in each.boards)
    return [_("X : exempt, ne joue pas cette ronde.")] if is_odd else []


def _absent(sheet: TournamentSheet, each: SheetRound) -> list[str]:
    """Return the sentence that names who was not paired, and who lost by forfeit."""
    away = [n for board in each.boards for n in board.players() if board.outcome(n) == ABSENT]
    names = [sheet.by_number[n].name for n in (*each.absent, *away) if n in sheet.by_number]
    if not names:
        return []
    sentence = ngettext("Absence : %(names)s", "Absences : %(names)s", len(names))
    return [sentence % {"names": ", ".join(names)}]


def _ranking(
    sheet: TournamentSheet, lines: Iterable[SheetStanding], *, podium: bool = False
) -> tuple[list[Column], list[TableRow]]:
    fonts()  # texts are measured before the document is opened
    club = _club_column(sheet)
    columns = [Column(_("Rang"), 52, RIGHT, bold=True), Column(_("Joueur"), bold=True), *club]
    for column in sheet.columns:
        widest = text_width(column.label, BOLD, 10) + GAP
        columns.append(Column(column.label, max(50.0, widest), RIGHT))
    shown = list(lines)
    rows = []
    for place, line in enumerate(shown):
        player = sheet.by_number[line.player]
        values = [line.values.get(column.code) for column in sheet.columns]
        texts = [value.text if value is not None else "" for value in values]
        last = place + 1 == len(shown)
        closes = podium and line.place <= 3 and not last and shown[place + 1].place > 3
        cells = (
            _place(line) if sheet.is_ranked else "–",
            player.name,
            *([player.club] if club else []),
            *texts,
        )
        rows.append(TableRow(cells, rule=closes))
    return columns, rows


def _needs_width(columns: Iterable[Column]) -> bool:
    """Return whether an upright page would leave too little for the names beside the other columns."""
    return A4[0] - 2 * MARGIN - sum(column.width for column in columns) < NAME_ROOM


def _club_column(sheet: TournamentSheet) -> list[Column]:
    """Return a column as wide as the clubs' names need, or none where nobody has a club."""
    clubs = {each.club for each in sheet.players if each.club}
    widest = max((text_width(club, FONT, 11) for club in clubs), default=0.0)
    return [Column(_("Club"), min(120.0, max(44.0, widest + GAP)))] if clubs else []


def _place(line: SheetStanding) -> str:
    return f"{line.place} ex" if line.tied else str(line.place)


def _ranking_notes(sheet: TournamentSheet) -> list[str]:
    notes = [
        " · ".join(
            labelled(each.label, each.long_label) for each in sheet.columns if each.long_label
        )
    ]
    if sheet.is_ranked and any(line.tied for line in sheet.standings):
        notes.append(_("ex : ex æquo, à égalité sur tous les critères."))
    if sheet.provisional:
        notes.append(_("Des résultats comptés ici ne sont pas encore définitifs."))
    return [note for note in notes if note]


def _crossed(
    board: SheetBoard | None, player: int, places: dict[int, int], *, is_absent: bool
) -> tuple[str, str]:
    """Return the cell of one round: the opponent with the result, and the score below."""
    if board is None:
        return ("a" if is_absent else "", "")
    opponent = board.opponent_of(player)
    if opponent is None:
        return NOBODY, ""
    if board.kind == CANCELLED:
        return f"{places.get(opponent, '?')}", _("annulé")
    star = "*" if board.is_provisional else ""
    cell = f"{places.get(opponent, '?')}{MARKS[board.outcome(player)]}{star}"
    score, other = board.scores_of(player)
    return cell, f"{score}–{other}" if score is not None else ""
