"""Points of one match of the Formule Classique: PM (004 §3) and Pdep (004 §4.2).

Also which lists of games are a finished match. A match may be one game or two winning games. Its
result is the number of games won; its Pdep is the sum of its games, each limited separately
("limitée à 100 points par partie").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from clubs.rulebooks.fields import gettext_noop as _
from pairings.rules.scoring import (
    ABSENT,
    BOTH_ABSENT,
    BYE,
    CANCELLED,
    FIRST_ABSENT,
    PLAYED,
    MatchRecord,
    RecordRefused,
)

WIN, DRAW, LOSS, FORFEIT = 3, 2, 1, 0
"""PM of a match, whatever its number of games (004 §3)."""

Games = Sequence[Sequence[int]]

NO_GAME, TOO_MANY, UNFINISHED, ALREADY_WON = "no_game", "too_many", "unfinished", "already_won"

GAME_PROBLEMS = {
    NO_GAME: _("Aucune manche n’est saisie."),
    TOO_MANY: _("Il y a plus de manches que ce match n’en permet."),
    UNFINISHED: _("Personne n’a encore gagné assez de manches : il en manque une."),
    ALREADY_WON: _("Le match était déjà gagné avant la dernière manche saisie."),
}


class MatchPoints(NamedTuple):
    """Points of a match for one of its players."""

    pm: int
    pdep: int


NOTHING = MatchPoints(0, 0)


class PointScale(NamedTuple):
    """The numbers of 004 §4.2: the limit per game, and the points of a forfeit for either side."""

    cap: int = 100
    forfeit_win: int = 10
    forfeit_loss: int = -10


def problem_with(games: Games, winning_games: int) -> str | None:
    """Return why this list of games is not a finished match, as a key of `GAME_PROBLEMS`, or None.

    With two winning games: two games won by the same player end it, a third is the last in any case;
    a drawn game counts as played and won by nobody.
    """
    if not games:
        return NO_GAME
    if len(games) > 2 * winning_games - 1:
        return ALREADY_WON if _decided_early(games, winning_games) else TOO_MANY
    if _decided_early(games, winning_games):
        return ALREADY_WON
    if len(games) < 2 * winning_games - 1 and max(games_won(games)) < winning_games:
        return UNFINISHED
    return None


def _decided_early(games: Games, winning_games: int) -> bool:
    return max(games_won(games[:-1])) >= winning_games


def games_won(games: Games) -> tuple[int, int]:
    """Return the games won by the first and by the second player; nobody wins a drawn game."""
    return (
        sum(score > other for score, other in games),
        sum(score < other for score, other in games),
    )


def points_of_games(games: Games, cap: int) -> tuple[MatchPoints, MatchPoints]:
    """Return PM by the games won (§3), Pdep by the limited difference of each game (§4.2)."""
    won, lost = games_won(games)
    pdep = sum(max(-cap, min(cap, score - other)) for score, other in games)
    if won == lost:
        return MatchPoints(DRAW, pdep), MatchPoints(DRAW, -pdep)
    if won > lost:
        return MatchPoints(WIN, pdep), MatchPoints(LOSS, -pdep)
    return MatchPoints(LOSS, pdep), MatchPoints(WIN, -pdep)


def games_of(record: MatchRecord) -> Games:
    """Return the games of a played match: its list, or its one score."""
    if record.games:
        return record.games
    if record.first_score is None or record.second_score is None:
        raise RecordRefused(f"match {record.key or record!r}: played, but a score is missing")
    return ((record.first_score, record.second_score),)


def points_of(record: MatchRecord, scale: PointScale) -> tuple[MatchPoints, MatchPoints | None]:
    """Return both players' PM and Pdep; None for the fictive player.

    A forfeit is a win by 10 points for the player present (§4.2) and −10 for the other; if
    both forfeit, nobody won and nobody scores. X loses all its matches and cannot score, so a
    match against it counts as a forfeit win (§2).
    """
    if record.kind == PLAYED and record.second is not None:
        return points_of_games(games_of(record), scale.cap)
    if record.kind == BYE:
        return MatchPoints(WIN, scale.forfeit_win), None
    if record.kind == CANCELLED:
        return NOTHING, None if record.second is None else NOTHING
    if record.kind == ABSENT and record.second is not None:
        if record.absent == BOTH_ABSENT:
            return NOTHING, NOTHING
        there = MatchPoints(WIN, scale.forfeit_win)
        missing = MatchPoints(FORFEIT, scale.forfeit_loss)
        if record.absent:
            return (missing, there) if record.absent == FIRST_ABSENT else (there, missing)
    raise RecordRefused(
        f"match {record.key or record!r}: neither played, absent, bye nor cancelled"
    )
