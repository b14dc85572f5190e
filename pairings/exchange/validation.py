"""Consistency of a sheet: everybody once a round, known players, possible results.

A file may be well formed and still inconsistent after a manual edit, so every import checks its
sheet before returning it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from django.utils.translation import gettext as _

from pairings.exchange.problems import Problem
from pairings.exchange.snapshot import BYE, FORFEIT, PLAYED, SheetBoard, SheetRound, TournamentSheet
from pairings.systems.points.match_points import games_won


def problems_of(sheet: TournamentSheet) -> list[Problem]:
    """Return every contradiction of the sheet, each with its place."""
    wins = (
        []
        if sheet.winning_games in (1, 2)
        else [Problem(_("un match se joue en une ou deux manches gagnantes."))]
    )
    return [*wins, *_players(sheet), *_rounds(sheet), *_standings(sheet)]


def _players(sheet: TournamentSheet) -> Iterator[Problem]:
    for number, times in Counter(player.number for player in sheet.players).items():
        if number < 1:
            yield Problem(_("un numéro commence à 1."), field=_player(number))
        if times > 1:
            yield Problem(_("ce numéro est donné à plusieurs joueurs."), field=_player(number))
    for player in sheet.players:
        if not player.name.strip():
            yield Problem(_("le nom manque."), field=_player(player.number))
        if player.initial_rank < 0:
            yield Problem(_("un rang initial commence à 1."), field=_player(player.number))


def _rounds(sheet: TournamentSheet) -> Iterator[Problem]:
    for expected, each in enumerate(sheet.rounds, start=1):
        where = _("Ronde %(number)s") % {"number": each.number}
        if each.number != expected:
            text = _("les rondes se suivent à partir de 1 ; ici il faut la ronde %(number)s.")
            yield Problem(text % {"number": expected}, field=where)
        for problem in _boards(each, sheet):
            place = f"{where}, {problem.field}" if problem.field else where
            yield Problem(problem.text, field=place)


def _boards(each: SheetRound, sheet: TournamentSheet) -> Iterator[Problem]:
    known, absent = sheet.by_number, set(each.absent)
    seats = Counter(player for board in each.boards for player in board.players())
    for player, times in seats.items():
        if player not in known:
            yield Problem(_("ce joueur n’est pas inscrit."), field=_player(player))
        if times > 1:
            yield Problem(_("ce joueur a plus d’un match."), field=_player(player))
        if player in absent:
            yield Problem(_("ce joueur est absent et a un match."), field=_player(player))
    for player in absent - set(known):
        yield Problem(_("ce joueur n’est pas inscrit."), field=_player(player))
    for table, times in Counter(board.table for board in each.boards if board.table).items():
        if times > 1 or table < 0:
            yield Problem(_("ce numéro de table ne convient pas."), field=_table(table))
    for board in each.boards:
        text = _result(board, sheet)
        if text:
            yield Problem(text, field=_table(board.table))


def _result(board: SheetBoard, sheet: TournamentSheet) -> str:
    """Return the problem of one board's result, or an empty value."""
    if (board.second is None) != (board.kind == BYE):
        return _("seul un match contre le joueur fictif n’a qu’un joueur.")
    if (board.kind == FORFEIT) != bool(board.absent):
        return _("indiquez la personne absente pour un forfait, et seulement pour un forfait.")
    scores = [board.first_score, board.second_score, *(n for game in board.games for n in game)]
    if board.kind != PLAYED:
        return _("seul un match joué a un score.") if any(n is not None for n in scores) else ""
    if board.first_score is None or board.second_score is None:
        return _("un match joué a deux scores.")
    if board.games:
        if games_won(board.games) != (board.first_score, board.second_score):
            return _("les scores ne sont pas les manches gagnées.")
        if len(board.games) > 2 * sheet.winning_games - 1:
            return _("il y a plus de manches que ce match n’en permet.")
    singles = board.games or ((board.first_score, board.second_score),)
    low, high = sheet.score_bounds
    if not all(low <= n <= high for game in singles for n in game):
        return out_of_bounds(low, high)
    return ""


def out_of_bounds(low: int, high: int) -> str:
    """Return the sentence about a score outside of its bounds."""
    return _("un score va de %(low)s à %(high)s.") % {
        "low": str(low).replace("-", "−"),
        "high": high,
    }


def _standings(sheet: TournamentSheet) -> Iterator[Problem]:
    known = sheet.by_number
    columns = {column.code for column in sheet.columns}
    for player, times in Counter(line.player for line in sheet.standings).items():
        if player not in known or times > 1:
            text = _("ce joueur est inconnu ou apparaît deux fois au classement.")
            yield Problem(text, field=_player(player))
    for line in sheet.standings:
        if line.place < 1 or not set(line.values) <= columns:
            text = _("cette ligne du classement a une place ou une colonne inconnue.")
            yield Problem(text, field=_player(line.player))


def _player(number: int) -> str:
    return _("joueur nº %(number)s") % {"number": number}


def _table(number: int) -> str:
    return _("table %(number)s") % {"number": number}
