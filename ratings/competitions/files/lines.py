"""One line of a competition's file as read: who, and what it says of the result.

A result is a word, two scores, or the games of a match.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.translation import gettext as _

from clubs.persons.matching import name_key
from clubs.search import without_accents
from ratings.competitions.files.headings import GAME_CELLS
from ratings.systems.unplayed import Unplayed, facts_of_unplayed, halves_by_scores

SCORE = r"-?\d{1,4}"
LOWEST_SCORE, HIGHEST_SCORE = -200, 2000
"""The bounds of 002 V.A. A list takes competitions played elsewhere, by bounds that it cannot know:
these are wide and only catch a slip of the keyboard."""
WON = {"1", "1.0", "1-0", "v", "g", "w", "victoire", "1 0"}
DRAWN = {"1/2", "½", "0.5", ".5", "=", "n", "d", "r", "nul", "½-½", "0.5-0.5", "1/2-1/2"}
LOST = {"0", "0.0", "0-1", "p", "l", "defaite", "0 1"}
AS_SIGNS = str.maketrans({"–": "-", "−": "-", ":": "-", ",": "."})


@dataclass(slots=True)
class CompetitionLine:
    """One line of the file. `players` are member ids, None where no member matches, 0 in doubt.

    `doubts`: what of a start is hardly right, asked once. `unplayed`: what a game that was not played is worth; a bye then has one player.
    `doubtful`: the places whose name an officer can tell (a homonym, a licence of somebody else).
    `part`: which game of its match, where one line of the file has several; 0 for the whole line.
    """

    number: int
    names: tuple[str, ...]
    licences: tuple[str, ...] = ()
    players: tuple[int | None, ...] = ()
    halves: int = 0
    scores: tuple[int, int] | None = None
    place: int = 0
    round: str = ""
    game: str = ""
    part: int = 0
    unplayed: Unplayed | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    doubtful: list[int] = field(default_factory=list)

    def key(self, place: int) -> str:
        """Return what an officer's choice for that player is stored under."""
        return name_key(self.names[place], self.licences[place] if self.licences else "")

    @property
    def is_bye(self) -> bool:
        return self.unplayed is not None and len(self.names) == 1

    @property
    def game_facts(self) -> dict[str, object]:
        """Return what is stored with the game: its round, and that it was not played."""
        facts: dict[str, object] = {"round": self.round} if self.round else {}
        return facts if self.unplayed is None else facts | facts_of_unplayed(self.unplayed)

    @property
    def source(self) -> str:
        """Return what tells the game apart from the others of its file."""
        return f"{self.number}.{self.part}" if self.part else str(self.number)

    @property
    def unknown(self) -> list[str]:
        """Return the names that match no member."""
        return [self.names[place] for place in self.open_places]

    @property
    def open_places(self) -> list[int]:
        """Return the places of the line whose name matches no member."""
        return [place for place, player in enumerate(self.players) if player is None]


def read_result(line: CompetitionLine, values: Mapping[str, str]) -> None:
    """Set the result of a line that is one game; add its problems."""
    score, other = values.get("first_score", ""), values.get("second_score", "")
    if score or other:
        line.scores = _scores(line, score, other)
    written = values.get("result", "")
    if written:
        halves = halves_of(written)
        if halves is None:
            line.problems.append(_("« %(text)s » n’est pas un résultat") % {"text": written[:20]})
        elif line.scores is not None and halves != by_scores(line.scores):
            line.problems.append(_("le résultat ne correspond pas aux scores"))
        line.halves = halves or 0
    elif line.scores is not None:
        line.halves = by_scores(line.scores)
    elif not line.problems:
        line.problems.append(_("le résultat manque"))


def has_games(values: Mapping[str, str]) -> bool:
    """Return whether the file has columns of the games of a match."""
    return any(name in values for cells in GAME_CELLS for name in cells)


def games_of(line: CompetitionLine, values: Mapping[str, str]) -> list[CompetitionLine]:
    """Return a line a game of a match of two winning games, whose two scores are the games won.

    Every game is rated (004 §4.2), as in the club's own lists. A line of a file without columns of
    games is one game, and so is one that was not played.
    """
    if not has_games(values) or line.unplayed is not None or line.problems:
        return [line]
    written = [(values.get(first, ""), values.get(second, "")) for first, second in GAME_CELLS]
    while written and not any(written[-1]):
        written.pop()
    if not written:
        told = any(values.get(name) for name in ("first_score", "second_score", "result"))
        line.problems.append(
            _("les manches de ce match manquent : chacune compte")
            if told
            else _("le résultat manque")
        )
        return [line]
    scores = [_scores(line, score, other) for score, other in written]
    games = [score for score in scores if score is not None]
    if not line.problems and not _is_won_by(line, values, games):
        line.problems.append(_("le résultat n’est pas celui des manches"))
    if line.problems:
        return [line]
    return [
        replace(
            line, part=number, game=str(number), scores=game, halves=by_scores(game), problems=[]
        )
        for number, game in enumerate(games, start=1)
    ]


def _is_won_by(
    line: CompetitionLine, values: Mapping[str, str], games: list[tuple[int, int]]
) -> bool:
    """Return whether what else the line says of the match are the games won."""
    halves = [by_scores(game) for game in games]
    won = (halves.count(2), halves.count(0))
    told = (values.get("first_score", ""), values.get("second_score", ""))
    if any(told) and told != tuple(map(str, won)):
        return False
    return not values.get("result") or halves_of(values["result"]) == by_scores(won)


def halves_of(text: str) -> int | None:
    """Return the half points of the first player by a written result; None for another text."""
    plain, sign = without_accents(text), "".join(text.lower().translate(AS_SIGNS).split())
    for known, halves in ((WON, 2), (DRAWN, 1), (LOST, 0)):
        if sign in known or plain in known:
            return halves
    return None


def by_scores(scores: tuple[int, int]) -> int:
    """Return the half points of the first player by two scores."""
    return 2 if scores[0] > scores[1] else 1 if scores[0] == scores[1] else 0


def who_scored_more(values: Mapping[str, str]) -> int | None:
    """Return who has the better score; None where the scores do not say it."""
    written = [values.get(name, "") for name in ("first_score", "second_score")]
    has_scores = all(re.fullmatch(SCORE, text) for text in written)
    return halves_by_scores(*map(int, written)) if has_scores else None


def _scores(line: CompetitionLine, own: str, other: str) -> tuple[int, int] | None:
    numbers = []
    for text in (own, other):
        if not text:
            line.problems.append(_("il manque un score"))
            return None
        is_number = re.fullmatch(SCORE, text)
        if not is_number or not LOWEST_SCORE <= int(text) <= HIGHEST_SCORE:
            line.problems.append(
                _("« %(text)s » n’est pas un score entre %(low)s et %(high)s")
                % {"text": text[:20], "low": f"−{-LOWEST_SCORE}", "high": HIGHEST_SCORE}
            )
            return None
        numbers.append(int(text))
    return numbers[0], numbers[1]
