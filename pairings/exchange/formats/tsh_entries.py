"""The lines of a tsh division file as values, and whether they agree with each other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from pairings.exchange.problems import FileRefused, Problem
from pairings.exchange.validation import out_of_bounds

MAX_PLAYERS = 5000
DIGIT = re.compile(r"\d")
HEAD = re.compile(r"(?P<name>[^;]*?[^;\s\d])\s+(?P<rating>\d+)(?P<opponents>(?:\s+\S+)*)\s*$")


@dataclass(slots=True)
class TshEntry:
    """One parsed line of the file."""

    line: int
    name: str
    rating: int
    opponents: list[int]
    scores: list[int]
    lists: dict[str, list[int]] = field(default_factory=dict)
    club: str = ""

    def at(self, name: str, place: int) -> int:
        """Return a value of a named list; 0 where it is shorter."""
        values = self.lists.get(name, [])
        return values[place] if place < len(values) else 0


def entries_of(text: str) -> tuple[list[TshEntry], list[Problem]]:
    """Return the players' lines, and the problems of those that cannot be read: these are empty."""
    entries: list[TshEntry] = []
    problems: list[Problem] = []
    for number, raw in enumerate(re.split(r"\r\n|\r|\n", text), start=1):
        line = re.sub(r"(?:^|(?<=\s))#.*", "", raw).strip()
        if not line:
            continue
        if len(entries) >= MAX_PLAYERS:
            raise FileRefused(_("Ce fichier a trop de lignes."), code="too_many")
        entry = _entry(number, line)
        if isinstance(entry, Problem):
            problems.append(entry)
            entry = TshEntry(number, "?", 0, [], [])
        entries.append(entry)
    return entries, problems


def _entry(number: int, line: str) -> TshEntry | Problem:
    parts = [part.strip() for part in line.split(";")]
    head = HEAD.match(parts[0])
    if head is None:
        return Problem(_("il faut « Nom, Prénom », une cote, puis les adversaires."), number)
    if len(parts) < 2:
        return Problem(
            _("il manque le point-virgule avant les scores : la ligne est coupée."), number
        )
    opponents = _numbers(head["opponents"].split())
    scores = _numbers(parts[1].split())
    if opponents is None or any(opponent < 0 for opponent in opponents):
        return Problem(_("un adversaire est le numéro de sa ligne, ou 0."), number, "adversaires")
    if scores is None:
        return Problem(_("un score n’est pas un nombre entier."), number, "scores")
    if len(scores) > len(opponents):
        return Problem(
            _("%(scores)s scores pour %(opponents)s adversaires.")
            % {"scores": len(scores), "opponents": len(opponents)},
            number,
        )
    words = head["name"].split()
    name = " ".join(map(unbracketed, words))
    entry = TshEntry(number, name, int(head["rating"][:9]), opponents, scores)
    for part in parts[2:]:
        key, _space, rest = part.partition(" ")
        if key == "team":
            entry.club = rest.strip()
        elif key in ("board", "p12", "forfeit", "off"):
            values = _numbers(rest.split())
            if values is None:
                return Problem(_("ce ne sont pas des nombres entiers."), number, key)
            entry.lists[key] = values
    return entry


def unbracketed(word: str) -> str:
    """Return a word of a name without the parentheses that an export puts around digits."""
    bare = word.removesuffix(",")
    if bare[:1] == "(" and bare[-1:] == ")" and DIGIT.search(bare):
        return bare[1:-1] + word[len(bare) :]
    return word


def _numbers(words: Sequence[str]) -> list[int] | None:
    if not all(re.fullmatch(r"[+-]?\d{1,6}", word, re.ASCII) for word in words):
        return None
    return [int(word) for word in words]


def cross_checked(entries: Sequence[TshEntry], bounds: tuple[int, int]) -> Iterator[Problem]:
    """Check that both lines of a game agree, and that its scores are possible."""
    for number, entry in enumerate(entries, start=1):
        for place in range(len(entry.opponents)):
            where = _("ronde %(number)s") % {"number": place + 1}
            for text in (
                _unknown_opponent(entries, number, place),
                _forfeit_of_one_line(entries, number, place),
                _wrong_game(entries, number, place, bounds),
            ):
                if text:
                    yield Problem(text, entry.line, where)


def _unknown_opponent(entries: Sequence[TshEntry], number: int, place: int) -> str:
    """Return what is wrong where the opponent of a game or forfeit is no other line."""
    opponent = entries[number - 1].opponents[place] or _missed(entries, number, place)
    if opponent <= len(entries) and opponent != number:
        return ""
    return _("l’adversaire %(number)s n’existe pas.") % {"number": opponent}


def _forfeit_of_one_line(entries: Sequence[TshEntry], number: int, place: int) -> str:
    """Return what is wrong where the opponent's line lacks a forfeit, or is won by it too."""
    missed = _missed(entries, number, place)
    if not 0 < missed <= len(entries):
        return ""
    entry, other = entries[number - 1], entries[missed - 1]
    theirs = other.at("forfeit", place)
    if abs(theirs) == number and not (theirs > 0 and entry.at("forfeit", place) > 0):
        return ""
    return _("ce forfait manque à la ligne %(line)s.") % {"line": other.line}


def _missed(entries: Sequence[TshEntry], number: int, place: int) -> int:
    """Return the opponent of a forfeit, 0 where the line has a game or nothing."""
    entry = entries[number - 1]
    return 0 if entry.opponents[place] else abs(entry.at("forfeit", place))


def _wrong_game(
    entries: Sequence[TshEntry], number: int, place: int, bounds: tuple[int, int]
) -> str:
    """Return what is wrong where the opponent's line has no such game, or its scores are not possible."""
    entry = entries[number - 1]
    opponent = entry.opponents[place]
    if not 0 < opponent <= len(entries) or opponent == number:
        return ""
    other = entries[opponent - 1]
    if place >= len(other.opponents) or other.opponents[place] != number:
        return _("le match de la ligne %(line)s est différent.") % {"line": other.line}
    if place >= len(entry.scores):
        return _("il manque un des deux scores.") if place < len(other.scores) else ""
    low, high = bounds
    if place < len(other.scores) and not low <= entry.scores[place] <= high:
        return out_of_bounds(low, high)
    return ""
