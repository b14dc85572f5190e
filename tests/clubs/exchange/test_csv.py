"""A CSV file opens in a spreadsheet of the reader's language, and comes back as it was."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from django.utils import translation

from clubs.exchange import tables
from clubs.exchange.csv import csv_text

HEAD = ["DS, somme", "Joueur 1"]


@pytest.mark.parametrize(
    ("language", "written"),
    [
        ("fr", "DS, somme;Joueur 1\r\n476,10;Ana\r\n"),
        ("ro", "DS, somme;Joueur 1\r\n476,10;Ana\r\n"),
        ("en", '"DS, somme",Joueur 1\r\n476.10,Ana\r\n'),
    ],
)
def test_signs_are_those_of_the_language(language: str, written: str) -> None:
    with translation.override(language):
        text = csv_text(HEAD, [[Decimal("476.10"), "Ana"]])
        assert text == "\ufeff" + written
        table = tables.read("t.csv", text.encode(), {"first": ("joueur 1",)})
    assert table.rows[0] == HEAD and table.rows[1][1] == "Ana"


def test_a_character_that_no_spreadsheet_shows_hides_no_formula():
    assert csv_text(["Nom"], [["\x07=1\x00+1"]]) == "\ufeffNom\r\n'=1+1\r\n"


@pytest.mark.parametrize("language", ["fr", "en"])
@pytest.mark.parametrize("separator", [";", ",", "\t", "\n", "; "])
def test_no_cell_runs_where_a_spreadsheet_of_another_language_parts_it(
    language: str, separator: str
) -> None:
    """Romanian Excel reads the file of an English page, and cuts at the semicolon in a name."""
    with translation.override(language):
        text = csv_text(["Nom", "DS"], [[f"Ana{separator}=HYPERLINK(A1)", -3]])
    parts = [part.strip(' "') for part in re.split(r"[;,\t\r\n]", text)]
    assert [part for part in parts if part[:1] in ("=", "-")] == ["-3"]
