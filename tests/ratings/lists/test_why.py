"""Why a rating moved: a sentence first, the formula folded under it."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from django.urls import reverse

from clubs.templatetags.ui import in_decimals
from ratings.ledger.models import LedgerEntry
from ratings.lists.explanations import WORDS, adding_up, lines_of


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


def printed_sum(effects) -> Decimal:
    return sum((in_decimals(effect, 2) for effect in effects), Decimal())


@pytest.mark.django_db
def test_the_printed_lines_add_up_to_the_digit(club, as_user):
    for n, score in enumerate((410, 390, 300)):
        club.played(club.members[n], club.members[n + 4], scores=(score, 350))
    club.close()
    club.next_evening()
    for n, score in enumerate((410, 300, 420, 430)):
        club.played(club.members[n], club.members[(n + 1) % 4], scores=(score, 360))
        club.played(club.members[n], club.members[4 + n], scores=(score - 90, 340))
    club.close()
    apart = 0
    for entry in LedgerEntry.objects.exclude(shown_before=None):
        page = as_user().get(f"/joueurs/{entry.member.address}/cote/{entry.pk}/").content.decode()
        shown = re.sub("<details.*?</details>", "", page, flags=re.S)
        lines = re.findall(r'<b class="num [\w-]+">([^<]+)</b>', shown)
        signs = str.maketrans({"−": "-", ",": ".", "=": "0"})
        total = sum((Decimal(line.translate(signs)) for line in lines), Decimal())
        assert total == entry.shown_after - entry.shown_before, lines
        stored = [line["effect"] for line in entry.because if line["effect"] is not None]
        apart += printed_sum(stored) != total
    assert apart, "each rounded alone they would add up too: this shows nothing"


@pytest.mark.parametrize(
    "kinds", [["game", "game"], ["game", "rounding"], ["rounding", "rounding"]]
)
def test_only_the_last_rounding_takes_what_is_left(kinds):
    because = [
        {"kind": kind, "article": "x", "values": {}, "effect": number("1.004")} for kind in kinds
    ]
    effects = [line.effect for line in adding_up(lines_of(because, names={}))]
    rounds = kinds[-1] == "rounding"
    assert effects[0] == 1.004 and printed_sum(effects) == Decimal("2.01" if rounds else "2.00")


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


@pytest.mark.parametrize(
    ("inactive", "words"), [(False, "jusqu’au 25 août"), (True, "depuis le 26 août")]
)
def test_a_player_is_out_of_the_fisf_ranking_from_the_day_after_their_last_one(inactive, words):
    values = {"until": "2026-08-25", "inactive": inactive}
    assert words in WORDS["ranked_until", "000"](values, "")[0]
