"""A rating officer's afternoon (J9): a file for each kind of list, then an error two competitions back."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import DESK

pytestmark = [pytest.mark.browser, pytest.mark.real_clock]

YESTERDAY = (datetime.now(UTC) - timedelta(days=1)).date()
"""The demo's competitions are all older, and no zone is still a day before."""
PEOPLE = ("Antonin Michel", "Nigel Ricardo", "Étienne Le Goff", "Yuki Moreau")
GAMES = "ronde;joueur 1;joueur 2;résultat\n1;{0};{1};1\n1;{2};{3};0\n2;{0};{2};1\n2;{1};{3};½\n"
PLACES = "place;joueur\n1;{0}\n2;{1}\n2;{2}\n4;{3}\n"
LISTS = {
    "fisf": (GAMES, PEOPLE),
    "absp": (GAMES, ("Brigitte Saint-Leger", "dragos ionescu", "TURCANU Madalina", "Luc Maurin")),
    "romania-compunere-seniors": (PLACES, PEOPLE[2:] + ("Luc Maurin", "Octavian Mocanu")),
    "fesa": (GAMES, ("Étienne Le Goff", "Yuki Moreau", "Dragoș Ionescu", "Răzvan Crăciun")),
}

ASKS_FIRST = ("fisf", "absp", "fesa")
"""Lists whose document asks about new players; of the others the dry run begins by itself."""


def bring_in(page, slug, rows, people):
    """Upload, read the preview, bring in, compute blind, read the control page, validate."""
    page.goto(f"/c/federation/gestion/cotes/{slug}/apporter/")
    content = rows.format(*people).encode()
    page.get_by_label("Fichier CSV, XLSX ou JSON").set_input_files(
        {"name": "tournoi.csv", "mimeType": "text/csv", "buffer": content}
    )
    page.get_by_label("Nom de la compétition").fill(f"Coupe {'W' * 90} {slug}")
    page.get_by_label("Date", exact=True).fill(YESTERDAY.isoformat())
    if slug == "fesa":
        page.get_by_label("Minutes par joueur").fill("30")
        page.get_by_label("Secondes de byoyomi").fill("30")
        page.get_by_label("Arbitre reconnu").fill("A. Olufsen")
    page.get_by_role("button", name="Lire le fichier").click()
    expect(page.get_by_text("Lignes en erreur")).to_be_visible()
    page.get_by_role("button", name=re.compile("^Importer")).click()
    if slug in ASKS_FIRST:
        page.get_by_role("button", name="Calculer à blanc").click()
    here = page.get_by_role("button", name="Calculer sans attendre")
    here.click()
    expect(page.get_by_role("heading", name="3. Contrôle")).to_be_visible()
    page.get_by_role("button", name="Valider et compter").click()
    expect(page.get_by_text("La compétition est comptée.")).to_be_visible()
    expect(page.get_by_role("link", name="Corriger")).to_be_visible()
    # A title of one endless word does not widen the page.
    assert page.evaluate("document.documentElement.scrollWidth") <= DESK["width"]


def test_a_file_for_each_kind_of_list_then_an_error_two_competitions_back(window):
    page = window("helene", size=DESK)
    for slug, (rows, people) in LISTS.items():
        bring_in(page, slug, rows, people)

    # Why did that number move? The player reads it line by line.
    page.get_by_role("link", name=re.compile("Pourquoi")).first.click()
    expect(page.get_by_text("Cote après").first).to_be_visible()

    # An error two competitions back: preview first, then a reason, then done.
    page.goto("/c/federation/cotes/fisf/competitions/")
    page.locator(".list__row").nth(2).click()
    page.get_by_role("link", name="Corriger").click()
    game = page.locator("main .list .list__row").first
    name = game.inner_text().split(" – ")[0].strip()
    game.click()
    first, second = page.get_by_label("Score du premier"), page.get_by_label("Score du second")
    mine, theirs = first.input_value(), second.input_value()
    first.fill(theirs)
    second.fill(mine)
    page.get_by_label("victoire" if int(theirs) > int(mine) else "défaite", exact=True).check()
    page.get_by_role("button", name="Voir ce que cela change").click()
    expect(page.get_by_role("heading", name="Ce que cela change")).to_be_visible()
    expect(page.locator("table .became").first).to_be_visible()
    page.get_by_label("Motif").fill("Les deux scores étaient inversés.")
    page.get_by_role("button", name="Faire la correction").click()
    expect(page.get_by_text("La correction est enregistrée.")).to_be_visible()
    page.get_by_role("link", name="page publique").click()
    player = page.get_by_role("row", name=re.compile(name)).first
    player.get_by_role("link", name=re.compile("Pourquoi")).click()
    expect(page.get_by_text("Les deux scores étaient inversés.")).to_be_visible()
