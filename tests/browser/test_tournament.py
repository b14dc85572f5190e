"""The director's Saturday in a browser: 23 players from entries to certificates, without a manual."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import DESK

pytestmark = [pytest.mark.browser, pytest.mark.real_clock]

FIRST = [
    "Adèle",
    "Bruno",
    "Clara",
    "David",
    "Emma",
    "Félix",
    "Gina",
    "Henri",
    "Iris",
    "Jules",
    "Karen",
]
LAST = [
    "Aubry",
    "Blanc",
    "Colin",
    "Duval",
    "Étienne",
    "Ferry",
    "Girard",
    "Huet",
    "Imbert",
    "Joly",
    "Klein",
]


def players() -> str:
    """Twenty-one visitors as a file; two members of the club are entered at the desk."""
    lines = ["Prénom;Nom;Club;Cote;Payé"]
    for number in range(21):
        first, last = FIRST[number % 11], LAST[(number * 3 + number // 11) % 11]
        lines.append(f"{first};{last}-{number};Lyon;{1850 - 12 * number};oui")
    return "\n".join(lines)


def enter(page: Any, name: str, cote: int) -> None:
    page.select_option("select[name=member]", label=name)
    page.fill("input[name=cote][id=id_cote]", str(cote))
    page.click("button:text-is('Inscrire')")
    page.wait_for_selector(f".messages >> text=Inscription enregistrée : {name}")


def fill_grid(page: Any, address: str, numbers: Any) -> None:
    """Every blank row typed by keyboard: score, Tab, score, and Enter at the end."""
    page.goto(f"{address}saisie/")
    inputs = page.locator(".grid-scores input")
    for place in range(0, inputs.count(), 2):
        first, second = inputs.nth(place), inputs.nth(place + 1)
        if first.input_value():
            continue
        step = next(numbers)
        first.focus()
        page.keyboard.type(str(380 + step * 7 % 97))
        page.keyboard.press("Tab")
        assert second.evaluate("box => box === document.activeElement")
        page.keyboard.type(str(330 + step * 11 % 89))
    page.keyboard.press("Enter")
    page.wait_for_selector(".messages")


def close_round(page: Any, address: str) -> None:
    page.goto(f"{address}conduite/")
    page.click("text=Terminer la ronde")
    page.fill("#unread_reason", "Une seule personne à la table de marque")
    page.click("text=Terminer sans relire")
    page.wait_for_selector(".messages")


def test_a_director_runs_a_tournament_from_entries_to_certificates(window):
    director = window("helene", size=DESK)
    director.goto("/tournois/")
    director.click("text=Nouveau tournoi")
    director.fill("input[name=name]", "Grand prix de la ville")
    day = datetime.now(UTC) + timedelta(days=9)
    director.fill("input[name=day]", f"{day:%Y-%m-%d}")
    director.fill("input[name=hour]", "09:30")
    director.click("text=Annoncer le tournoi")

    # Entries: a file, then two members at the desk; the same name twice is refused.
    file = {"name": "inscrits.csv", "mimeType": "text/csv", "buffer": players().encode()}
    director.set_input_files("input[name=file]", files=[file])
    director.click("text=Lire ce fichier")
    director.wait_for_selector(".messages >> text=21 inscriptions enregistrées")
    enter(director, "Zoé Faÿ", 1700)
    enter(director, "Agnès Noël", 1690)
    expect(director.locator("main")).to_contain_text("23 inscrits", use_inner_text=True)
    director.set_input_files("input[name=file]", files=[file])
    director.click("text=Lire ce fichier")
    assert "déjà une inscription" in director.inner_text("[role=alert] >> nth=0")

    director.click(".breadcrumb li:nth-child(2) a")
    expect(director.locator("main")).to_contain_text(
        "Le tournoi aura 5 rondes", use_inner_text=True
    )
    director.click("text=Figer le classement initial")
    home = director.url
    director.click("text=Préparer la ronde 1")
    base = home + "ronde/{}/"

    # Two absences announced before the draw.
    director.click("text=Présences")
    rows = director.locator("tbody tr")
    for place in (4, 9):
        rows.nth(place).locator("button:has-text('Noter l’absence')").click()
        director.wait_for_load_state()
    expect(director.locator("main")).to_contain_text("21 présents", use_inner_text=True)

    # The draw is a draft; two players are put together, two are swapped, with reasons.
    director.goto(base.format(1) + "conduite/")
    director.click("text=Apparier >> nth=0")
    expect(director.locator("main")).to_contain_text("Publier la ronde", use_inner_text=True)
    director.click("summary:has-text('Apparier à la main')")
    choice = director.locator("form[method=get]:has(input[name=acte][value=main])")
    choice.locator("select[name=first]").select_option(label="Zoé Faÿ")
    choice.locator("select[name=second]").select_option(label="Agnès Noël")
    choice.locator("button").click()
    pair = director.locator("form[action$='/main/']")
    pair.locator("input[name=reason]").fill("Elles l’ont demandé")
    pair.locator("button").click()
    expect(director.locator("main")).to_contain_text(
        "choix de l’arbitre : Elles l’ont demandé", use_inner_text=True
    )
    director.click("summary:has-text('Échanger deux joueurs')")
    boards = [
        board.locator("th").all_inner_texts()
        for board in director.locator(".table--draft tbody").all()
    ]
    one, other = [b[0] for b in boards if "Zoé Faÿ" not in b and "X" not in b][1:3]
    choice = director.locator("form[method=get]:has(select[name=first]):not(:has([name=acte]))")
    choice.locator("select[name=first]").select_option(label=one)
    choice.locator("select[name=second]").select_option(label=other)
    choice.locator("button").click()
    director.wait_for_selector("text=Ce que cet échange coûterait")
    swap = director.locator("form[action$='/echanger/']")
    swap.locator("button").click()
    expect(director.locator(".error-summary, .field__error").first).to_be_visible()
    swap = director.locator("form[action$='/echanger/']")
    swap.locator("input[name=reason]").fill("Même famille")
    swap.locator("button").click()
    expect(director.locator("main")).to_contain_text(
        "choix de l’arbitre : Même famille", use_inner_text=True
    )
    director.click("text=Publier la ronde")
    director.wait_for_selector("text=Il manque 10 résultats")

    # On two phones: entered, contested. At the desk: a forfeit and the other boards.
    zoe, agnes = window("zoe"), window("agnes")
    # Days before the round, and with a club night tonight, "Ma soirée" is about tonight.
    zoe.goto(home.replace("/gestion/", "/") + "ronde/1/")
    zoe.click("a.list__row:has-text('Agnès Noël')")
    zoe.click("text=Saisir le résultat")
    zoe.fill("[data-score=mine]", "412")
    zoe.fill("[data-score=theirs]", "377")
    zoe.click("text=Envoyer le résultat à Agnès")
    zoe.wait_for_url("**/ma-soiree/")
    agnes.goto("/ma-soiree/")
    agnes.click("text=Lire et répondre")
    agnes.click("text=Non, je conteste")
    agnes.fill("input[name=mine]", "387")
    agnes.fill("input[name=theirs]", "412")
    agnes.click("main button.btn--primary, main button.btn--danger")
    agnes.wait_for_url("**/ma-soiree/")

    director.goto(base.format(1) + "saisie/")
    forfeit = director.locator("select[name$=-absent]").nth(2)
    forfeit.select_option("b")
    director.click("button.btn--primary:text-is('Enregistrer')")
    director.wait_for_selector(".messages >> text=1 résultat enregistré")
    numbers = count(1)
    fill_grid(director, base.format(1), numbers)
    director.click("text=Trancher")
    # Its scripts ran: a choice made before them shows no effect.
    director.wait_for_url("**/arbitrage/litiges/*/")
    director.check("input[name=choice][value=take]")
    director.wait_for_selector("#effect input[name=seen]", state="attached")
    director.fill("textarea[name=reason]", "La feuille dit 387.")
    director.click("button[name=decide]")
    director.wait_for_selector(".messages")

    # A second person compares a row with its slip; whoever typed it is not offered to.
    director.goto(base.format(1) + "saisie/")
    assert director.locator("text=à relire").count() > 0
    assert director.locator("button[name=check]").count() == 0
    second = window("odile", size=DESK)
    second.goto(base.format(1) + "saisie/")
    second.click("button[name=check] >> nth=0")
    second.wait_for_selector(".messages >> text=vérifiée")

    close_round(director, base.format(1))
    for number in range(2, 6):
        director.goto(home + "inscrits/")
        if number == 3:  # one gives up …
            director.locator("button:has-text('Noter l’abandon')").nth(11).click()
            director.wait_for_load_state()
        if number == 4:  # … and comes back
            director.locator("button:has-text('Noter le retour')").click()
            director.wait_for_load_state()
        director.goto(base.format(number) + "conduite/")
        director.click("text=Apparier >> nth=0")
        director.click("text=Publier la ronde")
        director.wait_for_selector("text=Il manque")
        fill_grid(director, base.format(number), numbers)
        close_round(director, base.format(number))

    director.goto(home)
    director.click("text=Publier le classement final et clôturer")
    director.wait_for_selector("text=Le tournoi est terminé")
    public = window()
    public.goto("/tournois/grand-prix-de-la-ville/classement/")
    expect(public.locator("main")).to_contain_text("Classement final", use_inner_text=True)
    assert public.locator("tbody tr").count() == 23
    public.goto("/tournois/grand-prix-de-la-ville/grille/")
    assert public.locator("thead th").count() == 2 + 5 + 3
    slip = director.request.get("/gestion/tournois/grand-prix-de-la-ville/diplomes.pdf")
    assert slip.ok
    assert slip.body()[:5] == b"%PDF-"
    told = director.request.get("/tournois/grand-prix-de-la-ville/ronde/1/")
    assert "387" in told.text()


def test_the_wall_of_a_tournament_turns_without_scrolling(window):
    wall = window(size={"width": 1920, "height": 1080})
    for view in ("tables", "noms", "classement", "horloge"):
        wall.goto(f"/tournois/coupe-des-quatre-villes/ecran/?vue={view}")
        wall.wait_for_selector(".wall-part")
        over = "[document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]"
        assert wall.evaluate(over) == [0, 0], view


def test_a_tournament_fits_a_small_phone(window):
    phone = window(size={"width": 360, "height": 740})
    base = "/tournois/open-dautomne/"
    for path in ("", "inscrits/", "ronde/5/", "ronde/5/?par=nom", "classement/", "grille/"):
        phone.goto(base + path)
        wide = phone.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide == 0, path
