"""Why a rating moved: a sentence first, the formula folded under it."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from ratings.ledger.models import LedgerEntry
from ratings.lists.explanations import lines_of


def said(score: str, effect: str, expected: str = "0.25") -> str:
    values = {"We": expected, "W": score, "K": 20, "E_opponent": 1200}
    line = {
        "kind": "game",
        "article": "002 IV.A",
        "opponent": 7,
        "values": {name: number(value) for name, value in values.items()},
        "effect": number(effect),
    }
    (printed,) = lines_of([line], names={7: "Grégoire"})
    return printed.sentence.replace("\xa0", " ")


def number(value):
    from ratings.systems.storage import to_json

    return to_json(float(value))


@pytest.mark.parametrize(
    ("score", "effect", "sentence"),
    [
        ("1", "15", "Avec 25 % de chances de gagner, la victoire ajoute 15,00 à la cote."),
        ("0", "-4.93", "Avec 25 % de chances de gagner, la défaite retire 4,93 à la cote."),
        ("0.5", "5", "Avec 25 % de chances de gagner, le nul ajoute 5,00 à la cote."),
        ("0.5", "-5", "Avec 25 % de chances de gagner, le nul retire 5,00 à la cote."),
        ("2", "5", ""),
    ],
)
def test_a_game_is_told_without_symbols(score, effect, sentence):
    assert said(score, effect) == sentence


@pytest.mark.django_db
def test_the_sentence_comes_first_and_the_formula_is_folded(club, as_user):
    _match, (a, _b) = club.played()
    club.close()
    entry = LedgerEntry.objects.get(member=a.member)
    page = as_user().get(f"/joueurs/{a.member.address}/cote/{entry.pk}/").content.decode()
    shown = re.sub("<details.*?</details>", "", page, flags=re.S)
    assert "Avec 50\xa0% de chances de gagner, la victoire ajoute" in shown
    assert "K 30" not in shown and "K" in page
    assert "Lignes du calcul" in page and "Lignes du calcul" not in shown


@pytest.mark.django_db
def test_the_page_names_the_version_of_the_rules_of_that_evening(club, as_user):
    club.close()
    book = club.rule_book()
    club.next_evening()
    _match, (a, _b) = club.played()
    club.close()
    entry = LedgerEntry.objects.get(member=a.member)
    page = as_user().get(f"/joueurs/{a.member.address}/cote/{entry.pk}/").content.decode()
    assert f"règles version {book.number}" in page
    assert f'href="{reverse("clubs:rules_version", args=[book.number])}?livre=faizers"' in page
