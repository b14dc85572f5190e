"""A tournament of groups of four, Swiss and king of the hill, run at the desk by keyboard alone."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.conftest import DESK

pytestmark = [pytest.mark.browser, pytest.mark.real_clock]

PLAYERS = 24
SYSTEMS = ("quads", "swiss", "king_of_the_hill")
"""The system of each round."""


def entries() -> bytes:
    """Twenty-four visitors whose alphabetical order is that of their cotes."""
    lines = ["Prénom;Nom;Club;Cote"]
    lines += [f"{chr(65 + n)}lix;Essai-{n:02};Lyon;{1900 - 10 * n}" for n in range(PLAYERS)]
    return "\n".join(lines).encode()


def announced(page: Any) -> str:
    """Announce the tournament, its systems and its players; return the address of round 1."""
    page.goto("/gestion/tournois/nouveau/")
    page.fill("input[name=name]", "Ronde au clavier")
    page.fill("input[name=day]", "2026-12-06")
    page.fill("input[name=hour]", "09:30")
    page.select_option("select[name=system]", "schedule")
    page.click("text=Annoncer le tournoi")
    desk = page.url
    page.goto(desk.replace("inscrits/", "reglages/"))
    for row, system in enumerate(SYSTEMS):
        page.fill(f"input[name=first_{row}]", str(row + 1))
        page.fill(f"input[name=last_{row}]", str(row + 1))
        page.select_option(f"select[name=system_{row}]", system)
    page.click("text=Enregistrer les systèmes")
    page.goto(desk)
    file = {"name": "inscrits.csv", "mimeType": "text/csv", "buffer": entries()}
    page.set_input_files("input[name=file]", files=[file])
    page.click("text=Lire ce fichier")
    page.wait_for_selector(".messages >> text=24 inscriptions enregistrées")
    page.goto(desk.replace("inscrits/", ""))
    page.click("text=Figer le classement initial")
    page.wait_for_selector("text=Préparer la ronde 1")
    return desk.replace("inscrits/", "ronde/1/conduite/")


def arrive(page: Any, words: str) -> None:
    """Wait for the next page, which these words are on, and for its keys."""
    from playwright.sync_api import expect

    expect(page.locator("main")).to_contain_text(words)
    page.wait_for_selector("html[data-keys=on]", state="attached")


def press(page: Any, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def type_results(page: Any, number: int) -> None:
    """Type every slip of the round: score, Tab, score, Tab over the forfeits, Tab."""
    for board in range(PLAYERS // 2):
        page.keyboard.type(str(400 + (board * 7 + number * 13) % 60))
        press(page, "Tab")
        page.keyboard.type(str(380 + (board * 11 + number * 5) % 60))
        if board < PLAYERS // 2 - 1:
            press(page, "Tab", "Tab")
    press(page, "Enter")


def swap_and_lock(page: Any) -> None:
    """Exchange the first two players once the cost is read, then lock the second board."""
    from playwright.sync_api import expect

    press(page, "x", "ArrowDown", "Tab", "ArrowDown", "ArrowDown", "Tab", "Enter")
    arrive(page, "Ce que cet échange coûterait")
    expect(page.locator("#swap_reason")).to_be_focused()
    page.keyboard.type("Même voiture")
    press(page, "Enter")
    arrive(page, "choix de l’arbitre\u00a0: Même voiture")
    press(page, "b", "ArrowDown", "Enter")
    expect(page.locator(".table--draft [aria-pressed=true]")).to_have_count(1)
    page.wait_for_selector("html[data-keys=on]", state="attached")


def test_a_director_runs_quads_swiss_and_king_of_the_hill_by_keyboard(window):
    from playwright.sync_api import expect

    page = window("helene", size=DESK)
    page.goto(announced(page))
    for number, reason in enumerate(("groupe nº", "moitié", "voisins au classement"), start=1):
        press(page, "a", "Enter")
        arrive(page, "Publier la ronde")
        expect(page.locator(".table--draft tbody")).to_have_count(PLAYERS // 2)
        expect(page.locator(".table__why").first).to_contain_text(reason)
        if number == 1:
            swap_and_lock(page)
        press(page, "p", "Enter")
        arrive(page, "Il manque 12 résultats")
        press(page, "s")
        expect(page.locator(".grid-scores input").first).to_be_focused()
        type_results(page, number)
        arrive(page, "12 résultats enregistrés")
        press(page, "r")
        arrive(page, "Terminer la ronde")
        # Nobody has compared the slips again: ending the round asks why.
        press(page, "t", "Enter")
        arrive(page, "Terminer sans seconde lecture")
        expect(page.locator("#unread_reason")).to_be_focused()
        page.keyboard.type("Une seule personne à la table")
        press(page, "Enter")
        arrive(
            page, "L’appariement restera un brouillon" if number < 3 else "Publier le classement"
        )
    press(page, "n", "Enter")
    arrive(page, "Le tournoi est terminé")
    page.goto("/tournois/ronde-au-clavier/classement/")
    expect(page.locator("tbody tr")).to_have_count(PLAYERS)
