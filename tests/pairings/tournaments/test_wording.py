"""Texts of a tournament on pages: reasons of a board, ties, cells of the crosstable."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from django.utils import translation

from pairings.systems.protocol import Tie
from pairings.tournaments.wording import tie_words, value_words, warning_words, why_words

NAMES = {1: "Ada", 2: "Bea", 3: "Cyr"}
CLASSIQUE = SimpleNamespace(system="formule_classique")


def named(pk):
    return NAMES[pk]


def met(day, **more):
    return {"since": 1, "times": 1, "day": day, "key": "9", **more}


def test_a_permutation_tells_who_was_skipped_and_the_round_they_met_in():
    skipped = [
        {"opponent": 2, "why": "met", "meeting": met(2)},
        {"opponent": "X", "why": "met", "meeting": met(1)},
    ]
    why = {
        "first": 1,
        "second": 3,
        "reason": "up",
        "proposed": 2,
        "skipped": skipped,
        "meeting": None,
    }
    assert why_words(CLASSIQUE, why, named) == (
        "déjà rencontré : remontée dans le classement ; "
        "pas Bea (déjà rencontré à la ronde 2), pas X (déjà rencontré à la ronde 1)"
    )


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("fr", "pas Bea (pour éviter une revanche plus bas)"),
        ("en", "not Bea (to avoid a rematch further down)"),
        ("ro", "nu Bea (pentru a evita o revanșă mai jos)"),
    ],
)
def test_who_is_skipped_for_a_rematch_further_down_is_said_once(language, words):
    skipped = [{"opponent": 2, "why": "lookahead", "meeting": None}]
    why = {"first": 1, "second": 3, "reason": "up", "proposed": 2, "skipped": skipped}
    with translation.override(language):
        assert why_words(CLASSIQUE, {**why, "meeting": None}, named).endswith(words)


def test_a_repeat_says_when_they_met():
    why = {"first": 1, "second": 3, "reason": "kept", "skipped": [], "meeting": met(3)}
    assert why_words(CLASSIQUE, why, named).endswith("ils se sont rencontrés à la ronde 3")


def test_the_fictive_player_is_named_and_the_arbiters_words_are_kept():
    bye = {"player": 1, "reason": "fictive", "how": "direct", "skipped": []}
    assert "joueur fictif X" in why_words(CLASSIQUE, bye, named)
    hand = {"reason": "manual", "words": "covoiturage"}
    assert why_words(CLASSIQUE, hand, named, for_members=True) == "choix de l’arbitre : covoiturage"
    assert why_words(CLASSIQUE, hand, named) == "choix de l’arbitre"


def test_a_warning_names_those_concerned():
    told = warning_words([{"code": "second_bye", "players": [2]}], named)
    assert told == ["Ce joueur rencontre le joueur fictif pour la deuxième fois. (Bea)"]


@pytest.mark.parametrize(
    ("tie", "words"),
    [
        (Tie((1, 2), 7, True, None, ()), "tous se sont rencontrés, le PPM départage"),
        (Tie((1, 2), 7, False, (1, 2), ()), "car Ada et Bea ne se sont pas rencontrés"),
        (Tie((1, 2), 7, True, None, ((1, 2),)), "Ex æquo : Ada, Bea."),
    ],
)
def test_a_tie_is_explained_with_its_names(tie, words):
    assert words in tie_words(tie, named)


@pytest.mark.parametrize("are_met", [True, False])
def test_match_points_are_not_read_as_an_hour_in_english(are_met):
    """ "At 7 PM" is an hour."""
    with translation.override("en"):
        assert tie_words(
            Tie((1, 2), 7, are_met, None if are_met else (1, 2), ()), named
        ).startswith("Level on 7 PM (Ada, Bea): ")


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [("pm", 7, "7"), ("pdep", 42, "+42"), ("pdep", -7, "−7"), ("ppm", None, "–"), ("pdep", 0, "0")],
)
def test_a_value_is_written_as_the_club_writes_it(name, value, shown):
    assert value_words(name, value) == shown
