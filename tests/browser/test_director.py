"""A tournament of groups of four, Swiss and king of the hill, run at the desk by keyboard alone.

Then handed to a federation, matched, rated, corrected at the club and in the list.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import DESK

pytestmark = [pytest.mark.browser, pytest.mark.real_clock]

PLAYERS = 24
SYSTEMS = ("quads", "swiss", "king_of_the_hill")
"""The system of each round."""
RATED = (
    "Andreea;Vlăduț",
    "Aïcha;Ben Saïd",
    "Bogdan;Lăzărescu",
    "Brigitt;Saint-Leger",
    "Claire;Jégou",
    "Corneliu;Bădescu",
    "Geneviève;Œuvrard",
    "Hervé;Bohbot",
    "Ilinca;Șoimaru",
    "Luc;Maurin",
    "Marc;Théolin",
    "Octavian;Mocanu",
)
"""Players of the federation's list: each new one meets one of them in the first round."""
INBOX = "/c/federation/gestion/cotes/transmissions/"


def entries() -> bytes:
    """Twenty-four visitors: the upper half is known to the federation, one of them written nearly."""
    names = [*RATED, *(f"Z{chr(65 + n)}lix;Essai" for n in range(PLAYERS - len(RATED)))]
    lines = [f"{name};Lyon;{1900 - 10 * n}" for n, name in enumerate(names)]
    return "\n".join(["Prénom;Nom;Club;Cote", *lines]).encode()


def announced(page: Any) -> str:
    """Announce the tournament, its systems and its players; return the address of round 1."""
    page.goto("/gestion/tournois/nouveau/")
    page.fill("input[name=name]", "Ronde au clavier")
    page.fill("input[name=day]", date.today().isoformat())
    page.fill("input[name=hour]", "09:30")
    page.select_option("select[name=system]", "schedule")
    page.click("text=Annoncer le tournoi")
    page.wait_for_url("**/inscrits/")
    desk = page.url
    page.goto(desk.replace("inscrits/", "reglages/"))
    for row, system in enumerate(SYSTEMS):
        page.fill(f"input[name=first_{row}]", str(row + 1))
        page.fill(f"input[name=last_{row}]", str(row + 1))
        page.select_option(f"select[name=system_{row}]", system)
    page.click("text=Enregistrer les systèmes")
    page.wait_for_selector(".messages >> text=Les réglages du tournoi sont enregistrés")
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
    press(page, "x", "ArrowDown", "Tab", "ArrowDown", "ArrowDown", "Tab", "Enter")
    arrive(page, "Ce que cet échange coûterait")
    expect(page.locator("#swap_reason")).to_be_focused()
    page.keyboard.type("Même voiture")
    press(page, "Enter")
    arrive(page, "choix de l’arbitre\u00a0: Même voiture")
    press(page, "b", "ArrowDown", "Enter")
    expect(page.locator(".table--draft [aria-pressed=true]")).to_have_count(1)
    page.wait_for_selector("html[data-keys=on]", state="attached")


def hand_over(page: Any, home: str) -> None:
    """Open a list to the club, hand the tournament over, match its names, rate it."""
    page.goto("/c/federation/gestion/cotes/clubs/")
    page.select_option("select[name=club]", label="Club FAIZERS")
    page.check("label:has-text('Libere') input")
    page.click("text=Noter ce que ce club alimente")
    expect(page.locator(".list__sub")).to_contain_text("Libere")
    page.goto(home)
    page.click("text=Transmettre à la fédération")
    page.check("input[name=official][value=yes]")
    page.click("main form button.btn--big")
    expect(page.locator(".messages")).to_be_visible()
    page.goto(INBOX)
    page.click("main a:has-text('Ronde au clavier')")
    page.click("button[value=accepter]")
    near = page.locator("fieldset:has-text('Brigitt Saint-Leger')")
    near.locator("label:has-text('Brigitte Saint-Léger') input[type=radio]").check()
    page.click("text=Garder ces choix")
    expect(page.get_by_text("Vos choix sont enregistrés.")).to_be_visible()
    page.click("text=Retour à l’aperçu")
    page.check("input[name=newcomers]")
    page.get_by_role("button", name=re.compile("^Importer")).click()
    page.get_by_role("button", name="Calculer à blanc").click()
    page.get_by_role("button", name="Calculer sans attendre").click()
    expect(page.get_by_role("heading", name="3. Contrôle")).to_be_visible()
    page.get_by_role("button", name="Valider et compter").click()
    expect(page.get_by_text("La compétition est comptée.")).to_be_visible()


def correct(page: Any, home: str) -> tuple[str, str]:
    """Turn the first score of the last round at the club and close again; return it."""
    page.goto(home)
    page.click("summary:has-text('Rouvrir le tournoi')")
    again = page.locator("form[action$='/rouvrir/']")
    again.locator("input[name=reason]").fill("Feuille relue")
    again.locator("button").click()
    expect(page.locator(".messages")).to_be_visible()
    page.goto(f"{home}ronde/{len(SYSTEMS)}/saisie/")
    boxes = page.locator(".grid-scores input")
    scores = boxes.nth(0).input_value(), boxes.nth(1).input_value()
    boxes.nth(0).fill(scores[1])
    boxes.nth(1).fill(scores[0])
    page.fill("input[name=reason]", "Feuille relue")
    boxes.nth(1).press("Enter")
    arrive(page, "1 résultat enregistré")
    page.goto(home)
    page.fill("#close-reason", "Feuille relue")
    page.click("text=Publier le classement final")
    arrive(page, "Le tournoi est terminé")
    return scores


def test_a_director_runs_quads_swiss_and_king_of_the_hill_by_keyboard(window):
    page = window("helene", size=DESK)
    first = announced(page)
    home = first.removesuffix("ronde/1/conduite/")
    page.goto(first)
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

    hand_over(page, home)
    scores = correct(page, home)
    page.goto(INBOX)
    page.click("main a:has-text('Ronde au clavier')")
    expect(page.locator("main")).to_contain_text(f"{scores[1]} – {scores[0]}")
    page.click("text=Voir ce que cela change")
    page.fill("[name=reason]", "Feuille relue au club")
    page.click("button[value=appliquer]")
    expect(page.locator(".messages")).to_be_visible()
    page.goto(INBOX)
    page.click("main a:has-text('Ronde au clavier')")
    expect(page.locator("main")).to_contain_text("dans la liste")
