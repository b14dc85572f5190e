"""Reading a competition's file: a sheet of games, places or starting cotes, line by line.

Uses no database: `read` returns rows of text, `lines_of` returns what each line means and its
problems. Players are matched by number or by name, accents and case ignored.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from django.utils.translation import gettext as _

from clubs.exchange import tables
from clubs.exchange.csv import DANGEROUS
from clubs.exchange.tables import ImportRefused
from clubs.members.models import NAME_LENGTH
from clubs.persons.matching import People, clean_licence, name_parts
from clubs.search import without_accents
from clubs.ui.punctuation import quoted
from ratings.competitions.files import own_files
from ratings.competitions.files.headings import (
    DAY_FORMATS,
    FACTS_OF_A_START,
    GAMES,
    HEADS,
    LABELS,
    NEEDED,
    PLACINGS,
    STARTS,
    TEXTS_OF_A_START,
)
from ratings.competitions.files.lines import (
    CompetitionLine,
    games_of,
    halves_of,
    has_games,
    read_result,
    who_scored_more,
)
from ratings.systems.unplayed import BYE_OR_NAME, BYE_WORDS, WON, Unplayed, unplayed

WHOLE = re.compile(r"([0-9]{1,6}|[0-9]{1,3}(\s[0-9]{3})+)([.,]0{1,2})?")


@dataclass(frozen=True, slots=True)
class File:
    """A competition's file as rows of text, and what it says about the competition itself."""

    rows: list[list[str]]
    encoding: str
    label: str = ""
    held_on: date | None = None


def read(name: str, content: bytes, kind: str) -> File:
    """Read a CSV, an XLSX or a JSON file. Raises ImportRefused with a sentence."""
    if name.lower().endswith(".json") or content.lstrip()[:1] in (b"{", b"["):
        rows, label, held_on = own_files.read_json(content, kind, tournament=kind != STARTS)
        columns_of(rows[0], kind)
        return File(rows, "JSON", label, held_on)
    table = tables.read(name, content, HEADS[kind])
    return File(table.rows, table.encoding)


def columns_of(head: Sequence[str], kind: str) -> dict[str, int]:
    """Return which column holds what, by its name. Raises ImportRefused naming a missing column."""
    columns = tables.columns_of(head, HEADS[kind])
    check_columns(columns, kind)
    return columns


def check_columns(columns: Mapping[str, int], kind: str) -> None:
    """Raise ImportRefused naming a column that the sheet needs and lacks."""
    for choices in NEEDED[kind]:
        if not any(name in columns for name in choices):
            words = _(" ou ").join(quoted(LABELS[name]()) for name in choices)
            raise ImportRefused(
                _("Il manque la colonne %(name)s.") % {"name": words}, code="no_column"
            )


def lines_of(
    rows: Sequence[Sequence[str]],
    kind: str,
    people: People,
    columns: Mapping[str, int],
) -> list[CompetitionLine]:
    """Return every line with its problems, numbered as in the file (the head is line 1)."""
    check_columns(columns, kind)
    lines: list[CompetitionLine] = []
    for record in tables.records(rows, columns):
        if record.problems:
            lines.append(CompetitionLine(record.line, ("", ""), problems=record.problems))
        else:
            line = READERS[kind](record.line, record.values, people)
            lines += games_of(line, record.values) if kind == GAMES else [line]
    CHECKS[kind](lines)
    _check_licences(lines)
    return lines


def _check_licences(lines: Sequence[CompetitionLine]) -> None:
    """Refuse one licence under two names in the same file, unless both are one known person."""
    seen: dict[str, tuple[int, object]] = {}
    for line in lines:
        for place, licence in enumerate(line.licences):
            if not licence or not line.names[place]:
                continue
            player = line.players[place] if line.players else None
            person = player or without_accents(line.names[place])
            number, holder = seen.setdefault(licence, (line.number, person))
            if holder != person:
                line.problems.append(
                    _("la licence %(licence)s est celle d’un autre nom à la ligne %(n)s")
                    % {"licence": licence, "n": number}
                )


def _people(line: CompetitionLine, people: People) -> None:
    players: list[int | None] = []
    for place, name in enumerate(line.names):
        if not name:
            line.problems.append(_("un nom de joueur manque"))
            players.append(0)
            continue
        pk, problem = people.find(name, line.licences[place] if line.licences else "")
        if problem:
            line.doubtful.append(place)
        elif pk is None:
            problem = _not_a_name(name)
        if problem:
            line.problems.append(problem)
        players.append(pk if not problem else 0)
    line.players = tuple(players)


def _not_a_name(text: str) -> str:
    """Return why a text cannot be a person's name; "" for one that a new member may have."""
    if text.startswith(DANGEROUS):
        return _("« %(text)s » ressemble à une formule, pas à un nom") % {"text": text[:40]}
    if not any(letter.isalpha() for letter in text):
        return _("« %(text)s » n’est pas un nom") % {"text": text[:40]}
    if any(len(part) > NAME_LENGTH for part in name_parts(text, cut=False)):
        return _("un nom dépasse 60 caractères")
    return ""


def _game(number: int, values: Mapping[str, str], people: People) -> CompetitionLine:
    names = (values["first"], values["second"])
    licences = _licences(values, "first_licence", "second_licence")
    line = CompetitionLine(number, names, licences, round=values.get("round", ""))
    line.game = values.get("game", "")
    _unplayed(line, values)
    _people(line, people)
    if not line.is_bye:
        _check_two(line)
    if line.unplayed is not None:
        line.halves = line.unplayed.halves
    elif not has_games(values):
        read_result(line, values)
    return line


def _unplayed(line: CompetitionLine, values: Mapping[str, str]) -> None:
    """Read a forfeit or a bye, by FIDE's signs, by a column, or by "exempt" for the opponent."""
    plain = {name: without_accents(text).strip() for name, text in values.items()}
    result = _one_dash(values.get("result", "")) or _signs_of_scores(values)
    halves = halves_of(result) if result else who_scored_more(values)
    try:
        line.unplayed = unplayed(
            result=result,
            halves=halves,
            played=plain.get("played", ""),
            absent=plain.get("absent", ""),
            names=(plain["first"], plain["second"]),
        )
    except ValueError as unclear:
        line.problems.append(_(str(unclear)))
        return
    words, has_scores = BYE_WORDS, values.get("first_score") or values.get("second_score")
    if line.unplayed is not None or not has_scores:
        words = words | {BYE_OR_NAME}
    alone = [place for place in (0, 1) if plain[("first", "second")[place]] not in words]
    if line.unplayed is not None and not line.names[1]:
        alone = [0]
    if len(alone) == 1:
        if line.unplayed is None:
            told = WON if halves is None else halves if alone == [0] else WON - halves
            line.unplayed = Unplayed(told)
        line.names = (line.names[alone[0]],)
        line.licences = (line.licences[alone[0]],)


def _one_dash(text: str) -> str:
    return text.strip().lower().replace("–", "-").replace("−", "-")


def _signs_of_scores(values: Mapping[str, str]) -> str:
    """Return FIDE's signs written in place of the scores; a dash alone may only fill a cell."""
    signs = "".join(_one_dash(values.get(name, "")) for name in ("first_score", "second_score"))
    return signs if "+" in signs and set(signs) <= {"+", "-"} else ""


def _check_two(line: CompetitionLine) -> None:
    names = line.names
    same_name = without_accents(names[0]) != "" and line.key(0) == line.key(1)
    if same_name or (line.players[0] and line.players[0] == line.players[1]):
        line.problems.append(_("les deux joueurs sont la même personne"))


def _licences(values: Mapping[str, str], *columns: str) -> tuple[str, ...]:
    return tuple(clean_licence(values.get(column, "")) for column in columns)


def _name_of(values: Mapping[str, str]) -> str:
    """Return the whole name; of two columns, so that `name_parts` finds both again."""
    first, last = values.get("first_name", ""), values["player"]
    if not first:
        return last
    if first == first.upper():
        first = first.title()
    return f"{first} {last.upper() if ' ' in first else last}".strip()


def _placing(number: int, values: Mapping[str, str], people: People) -> CompetitionLine:
    line = CompetitionLine(number, (_name_of(values),), _licences(values, "licence"))
    _people(line, people)
    text = values["place"].rstrip(".")
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 100_000):
        line.problems.append(_("« %(text)s » n’est pas une place") % {"text": text[:20]})
    else:
        line.place = int(text)
    return line


def _start(number: int, values: Mapping[str, str], people: People) -> CompetitionLine:
    line = CompetitionLine(number, (_name_of(values),), _licences(values, "licence"))
    _people(line, people)
    for name in FACTS_OF_A_START:
        text = values.get(name, "")
        if not text:
            continue
        if name in TEXTS_OF_A_START:
            line.facts[name] = text
        elif name == "last":
            day = _day(text)
            if day is not None:
                line.facts[name] = day.isoformat()
            else:
                line.problems.append(
                    _("La date « %(day)s » n’est pas écrite AAAA-MM-JJ.") % {"day": text[:20]}
                )
        elif (whole := _whole(text)) is not None:
            line.facts[name] = whole
        else:
            line.problems.append(_("« %(text)s » n’est pas un nombre entier") % {"text": text[:20]})
    return line


def _day(text: str) -> date | None:
    """Return a day as a spreadsheet writes it: 2019-06-15, its time after it or not, 15/06/2019."""
    for form in DAY_FORMATS:
        try:
            return date(*time.strptime(text[:10], form)[:3])
        except ValueError:
            continue
    return None


def _whole(text: str) -> int | None:
    """Return a whole number below 100,000, its thousands apart or not: 1500, 1 500, 1500,0."""
    if not WHOLE.fullmatch(text):
        return None
    number = int("".join(re.split("[.,]", text)[0].split()))
    return number if number < 100_000 else None


READERS: Mapping[str, Callable[[int, Mapping[str, str], People], CompetitionLine]] = {
    GAMES: _game,
    PLACINGS: _placing,
    STARTS: _start,
}


def _key(line: CompetitionLine, place: int) -> int | str:
    """Return the key of a player: the member id, or that of the name."""
    return line.players[place] or line.key(place)


def _check_rounds(lines: Sequence[CompetitionLine]) -> None:
    """Refuse two games of one player in the same round, or in the same game of its match."""
    seen: dict[tuple[str, str, object], int] = {}
    for line in lines:
        if not line.round or line.problems:
            continue
        for place in range(len(line.names)):
            key = (line.round, line.game, _key(line, place))
            if key in seen:
                line.problems.append(
                    _("%(name)s a déjà un résultat à la ronde %(round)s, ligne %(n)s")
                    % {"name": line.names[place], "round": line.round, "n": seen[key]}
                )
                break
            seen[key] = line.number


def _check_places(lines: Sequence[CompetitionLine]) -> None:
    """Refuse a player listed twice, and places that are not 1, 2, 2, 4 … without a gap."""
    _check_once(lines)
    sound = [line for line in lines if not line.problems]
    if len(sound) != len(lines):
        return
    previous_place = 0
    for better, line in enumerate(sorted(sound, key=lambda one: (one.place, one.number))):
        if line.place not in (previous_place, better + 1) or (better == 0 and line.place != 1):
            line.problems.append(
                _("place %(place)s, mais la place %(wanted)s manque ou est en double")
                % {"place": line.place, "wanted": better + 1}
            )
            return
        previous_place = line.place


def _check_once(lines: Sequence[CompetitionLine]) -> None:
    seen: dict[object, int] = {}
    for line in lines:
        if not line.names[0]:
            continue
        key = _key(line, 0)
        if key in seen:
            line.problems.append(_("même joueur qu’à la ligne %(n)s") % {"n": seen[key]})
        seen.setdefault(key, line.number)


CHECKS: Mapping[str, Callable[[Sequence[CompetitionLine]], None]] = {
    GAMES: _check_rounds,
    PLACINGS: _check_places,
    STARTS: _check_once,
}
