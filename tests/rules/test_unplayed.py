"""Games that were not played, by FIDE's signs or a column, and that no system rates (000 §4, 003 §5)."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from clubs.persons.matching import People
from ratings import systems
from ratings.competitions.files.headings import HEADS
from ratings.competitions.files.import_files import columns_of, lines_of
from ratings.competitions.files.lines import CompetitionLine
from ratings.systems.protocol import Event, Game, frozen

HEAD = ["ronde", "joueur 1", "joueur 2", "résultat", "score 1", "score 2"]
NOBODY = People({}, {})


def read(cells: dict[str, str]) -> CompetitionLine:
    row = {"joueur 1": "Ana Pop", "joueur 2": "Dan Ene", **cells}
    rows = [list(row), list(row.values())]
    return lines_of(rows, "games", NOBODY, columns_of(rows[0], "games"))[0]


@pytest.mark.parametrize(
    ("cells", "halves", "both", "bye"),
    [
        ({"résultat": "+"}, 2, False, False),
        ({"résultat": "-"}, 0, False, False),
        ({"résultat": "−"}, 0, False, False),
        ({"résultat": "+/-"}, 2, False, False),
        ({"résultat": "- : +"}, 0, False, False),
        ({"résultat": "--"}, 0, True, False),
        ({"résultat": "+ - -"}, 2, False, False),
        ({"résultat": "- - +"}, 0, False, False),
        ({"résultat": "- - -"}, 0, True, False),
        ({"résultat": "F", "joueur 2": ""}, 2, False, True),
        ({"résultat": "U", "joueur 2": ""}, 2, False, True),
        ({"résultat": "H", "joueur 2": ""}, 1, False, True),
        ({"résultat": "Z", "joueur 2": ""}, 0, False, True),
        ({"résultat": "", "joueur 2": "exempt"}, 2, False, True),
        ({"résultat": "1", "joueur 2": "BYE"}, 2, False, True),
        ({"résultat": "½", "joueur 2": "BYE"}, 1, False, True),
        ({"résultat": "0-1", "joueur 1": "Exempt"}, 2, False, True),
        ({"score 1": "50", "score 2": "0", "joueur 2": "Exempt"}, 2, False, True),
        ({"résultat": "1", "joueur 2": "liber"}, 2, False, True),
        ({"résultat": "1", "joué": "non"}, 2, False, False),
        ({"résultat": "", "joué": "nu"}, 0, True, False),
        ({"joué": "non", "score 1": "50", "score 2": "0"}, 2, False, False),
        ({"joué": "non", "score 1": "0", "score 2": "50"}, 0, False, False),
        ({"joué": "non", "score 1": "0", "score 2": "0"}, 0, True, False),
        ({"joué": "non", "score 1": "", "score 2": ""}, 0, True, False),
        ({"score 1": "+", "score 2": "-"}, 2, False, False),
        ({"score 1": "−", "score 2": "+"}, 0, False, False),
        ({"joué": "non", "score 1": "+", "score 2": ""}, 2, False, False),
        ({"joué": "non", "score 1": "-", "score 2": "-"}, 0, True, False),
        ({"résultat": "", "forfait": "1"}, 0, False, False),
        ({"résultat": "", "forfait": "2"}, 2, False, False),
        ({"résultat": "", "forfait": "1 et 2".replace(" et ", "+")}, 0, True, False),
        ({"résultat": "", "forfait": "Dan Ene"}, 2, False, False),
        ({"résultat": "0", "forfait": "oui"}, 0, False, False),
    ],
)
def test_a_game_that_was_not_played_is_read_as_such(cells, halves, both, bye):
    line = read(cells)
    assert line.problems == [] and line.unplayed is not None
    assert (line.halves, line.unplayed.both, line.is_bye) == (halves, both, bye)
    assert line.game_facts == ({"played": False, "both": True} if both else {"played": False})


@pytest.mark.parametrize(
    "cells",
    [
        {"résultat": "1"},
        {"résultat": "½"},
        {"résultat": "1-0", "joué": "oui"},
        {"résultat": "0", "forfait": "non"},
        {"résultat": "n", "joué": ""},
    ],
)
def test_a_game_that_was_played_stays_a_game(cells):
    line = read(cells)
    assert line.problems == [] and line.unplayed is None and line.game_facts == {}


@pytest.mark.parametrize(
    ("text", "halves"),
    [
        *((text, 2) for text in ("1 - 0", "1:0", "1,0", "1.0", "1 – 0")),
        *((text, 1) for text in ("½ - ½", "½:½", "0,5", "0,5 - 0,5", "1/2 – 1/2", "=")),
        *((text, 0) for text in ("0 - 1", "0:1", "0,0", "0 − 1", "Défaite")),
    ],
)
def test_a_result_is_read_as_programs_of_several_countries_write_it(text, halves):
    line = read({"résultat": text})
    assert (line.problems, line.unplayed, line.halves) == ([], None, halves)


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({"résultat": "", "forfait": "oui"}, "1, 2 ou 1+2"),
        ({"résultat": "1", "joué": "peut-être"}, "oui ou non"),
    ],
)
def test_what_is_not_clear_is_asked(cells, said):
    assert [said in problem for problem in read(cells).problems] == [True]


def test_the_column_has_a_name_in_each_language():
    assert {"joue", "played", "jucat"} <= set(HEADS["games"]["played"])


@pytest.mark.parametrize("code", ["faizers", "fisf", "fesa", "absp", "glicko2"])
def test_no_system_rates_a_game_that_was_not_played(code):
    system = systems.system(code)()
    played = Game("a", 1, 2, 2), Game("b", 1, 3, 2), Game("c", 2, 3, 0)
    unplayed = Game("d", 1, 2, 0, facts=frozen({"played": False}))
    states = {pk: system.sample(150, 40) for pk in (1, 2, 3)}
    facts = frozen({"official": True})
    event = Event("t", date(2026, 9, 1), 1, games=played, facts=facts)
    alone = system.settle(states, event)
    assert [change.player for change in alone] == [1, 2, 3]
    assert system.settle(states, replace(event, games=(*played, unplayed))) == alone
    nothing = replace(event, games=())
    assert system.settle(states, replace(event, games=(unplayed,))) == system.settle(
        states, nothing
    )
