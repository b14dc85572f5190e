"""A club evening as people live it: two phones, an arbiter's tablet and the wall (J4, J5, J6)."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import DESK, PHONE
from tests.browser.deadlines import end_windows
from tests.browser.phones import deliver, prepare
from tests.browser.test_access import findings
from tests.browser.waiting import box, go_offline
from tests.push_server import push_server

pytestmark = [pytest.mark.browser, pytest.mark.real_clock]


def card(page, state):
    """Wait until the phone's one card is in that state, without touching anything."""
    page.locator(f'[data-card="{state}"]').wait_for()


def enter(page, mine, theirs):
    page.get_by_role("link", name="Saisir le résultat").click()
    page.get_by_label("Votre score").fill(str(mine))
    page.get_by_label("Score de l’adversaire").fill(str(theirs))
    # Once the page is there, nothing pushes it sideways.
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def call_everybody(arbiter, window):
    """Pair those who wait: one goes home when they are odd, an avoidable repeat is avoided."""
    arbiter.wait_for_load_state()
    page = arbiter.locator("main")
    if "exempt" in page.inner_text():
        words = page.inner_text()
        leaver = next(name for name in ACCOUNTS if name in words and name != "Grégoire Ançay")
        phone = window(ACCOUNTS[leaver])
        phone.get_by_role("button", name="Je m’arrête là").click()
        phone.wait_for_load_state()
        arbiter.reload()
    other_way = arbiter.get_by_role("button", name="Éviter cette revanche")
    by_the_book = arbiter.get_by_role("button", name="Appeler ces tables")
    (other_way if other_way.count() else by_the_book).click()


def keys_work(arbiter, on=True):
    expect(arbiter.locator("html")).to_have_attribute("data-keys", "on" if on else "off")


def by_keyboard(arbiter):
    """A key goes to an act and Enter acts; none acts while somebody types, or once switched off."""
    keys_work(arbiter)
    arbiter.keyboard.press("h")
    field = arbiter.get_by_label("Premier joueur")
    expect(field).to_be_focused()
    arbiter.keyboard.press("s")
    expect(field).to_be_focused()
    arbiter.get_by_role("heading", level=1).click()
    arbiter.keyboard.press("s")
    expect(arbiter.get_by_role("button", name="Derniers matchs")).to_be_focused()
    arbiter.keyboard.press("b")
    tables = arbiter.locator('[data-key-shortcut="b"]').get_by_role("link")
    expect(tables.first).to_be_focused()
    expect(arbiter.locator(".key").first).to_be_visible()
    arbiter.keyboard.press("?")
    switch = arbiter.get_by_label("Raccourcis actifs sur cet appareil")
    switch.uncheck()
    keys_work(arbiter, on=False)
    expect(arbiter.locator(".key").first).to_be_hidden()
    arbiter.get_by_role("heading", level=1).click()
    arbiter.keyboard.press("b")
    expect(tables.first).not_to_be_focused()
    switch.check()
    keys_work(arbiter)


# Text that a room reads: its size in px, and what does not fit its box or the screen.
WALL = """() => {
  const sizes = [], cut = [];
  for (const e of document.querySelectorAll("body *")) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.checkVisibility({ visibilityProperty: true }) || e.closest(".hidden-text, .wall-tools, svg")) continue;
    sizes.push([parseFloat(getComputedStyle(e).fontSize), e.className]);
    const box = e.getBoundingClientRect();
    if (box.right > innerWidth + 1 || box.bottom > innerHeight + 1) cut.push(e.className + " " + e.textContent.trim());
  }
  return { smallest: Math.min(...sizes.map(([size]) => size)), cut,
    heads: document.querySelector(".wall-cols")?.getBoundingClientRect().height,
    names: Math.min(...sizes.filter(([, name]) => /__name|__who/.test(name)).map(([size]) => size)),
    bars: document.scrollingElement.scrollHeight > innerHeight || document.scrollingElement.scrollWidth > innerWidth };
}"""


def read_from_afar(wall):
    """The whole wall fits every screen, and a room can read it."""
    for width, height in ((1024, 768), (390, 844), (768, 1024)):
        wall.set_viewport_size({"width": width, "height": height})
        measured = wall.evaluate(WALL)
        assert measured["cut"] == [] and not measured["bars"], (width, measured)
    # Upright, a phone shows names as large as its other pages do.
    wall.set_viewport_size({"width": 390, "height": 844})
    assert wall.evaluate(WALL)["names"] >= 16
    wall.set_viewport_size({"width": 1920, "height": 1080})
    measured = wall.evaluate(WALL)
    assert measured["cut"] == [] and not measured["bars"], measured
    assert measured["smallest"] >= 29 and measured["names"] >= 44, measured
    assert 0 < measured["heads"] < 2 * measured["smallest"]


def the_evening_ends(arbiter, address, amelie, gregoire, wall):
    """The arbiter reads what becomes of open matches, closes; phones and wall show how it went."""
    amelie.goto("/ma-soiree/")
    gregoire.goto("/ma-soiree/")
    arbiter.goto(f"{address.rsplit('conduite/')[0]}cloture/")
    arbiter.get_by_role("link", name=re.compile("^Forcer la clôture")).click()
    arbiter.get_by_label("Motif").fill("La salle ferme.")
    arbiter.get_by_role("button", name=re.compile("^Terminer ces")).click()
    expect(wall.locator(".wall-podium")).to_be_visible()
    for phone in (amelie, gregoire):
        card(phone, "recap")
        phone.get_by_role("link", name="Voir le bilan").click()
        expect(phone.get_by_role("heading", level=1)).to_contain_text("Votre soirée")
        expect(phone.get_by_role("heading", name="Ce que la soirée a changé")).to_be_visible()
        expect(phone.get_by_role("link", name="Pourquoi ma cote a bougé")).to_be_visible()


@pytest.fixture
def services():
    with push_server() as running:
        yield running


def say_yes(phone, site, browser):
    """Let this phone be notified, and close the page; return another page that stays open there."""
    prepare(phone, site, browser.subscription)
    phone.get_by_role("button", name="Oui, me prévenir").click()
    expect(phone.locator("[data-push-words]")).to_have_text(re.compile("C’est fait"))
    other = phone.context.new_page()
    other.goto("/c/faizers/classement/")
    phone.close()
    return other


def open_message(other, site, browser, *, about):
    """Wait for the message of a closed page, see it on the phone, and open what it leads to."""
    for _tenth in range(200):
        if any(about in message["tag"] for message in browser.messages()):
            break
        other.wait_for_timeout(100)
    message = next(message for message in browser.messages() if about in message["tag"])
    shown = deliver(other, site, message)
    assert shown[-1] == [message["title"], message["body"], message["tag"], message["url"]]
    page = other.context.new_page()
    page.goto(message["url"])
    return page, message


def test_an_evening_end_to_end(window, site, worker, services, demo_folder):
    end_windows(demo_folder, 0)  # no other result becomes the last one meanwhile
    amelie, gregoire = window("amelie"), window("gregoire")
    phone = services.browser("gregoire")
    pocket = say_yes(gregoire, site, phone)
    arbiter = window("odile", size=DESK)
    wall = window(size={"width": 1920, "height": 1080})

    arbiter.goto("/arbitrage/")
    arbiter.get_by_role("link", name="Gérer la soirée").click()
    by_keyboard(arbiter)
    address = arbiter.url
    wall.goto(arbiter.get_by_role("link", name="Ouvrir l’écran avec le code").get_attribute("href"))
    expect(wall.locator(".wall-code")).to_have_text(re.compile("^[2-9A-Z]{4}$"))
    before = wall.locator(".wall-rank").all_inner_texts()
    assert before
    expect(wall.locator(".wall-rank")).to_have_text(before, use_inner_text=True)
    read_from_afar(wall)

    # Amélie enters; the sentence says who wins before anything is sent.
    card(amelie, "playing")
    enter(amelie, 389, 398)
    assert findings(amelie) == []
    expect(amelie.locator("[data-score-title]")).to_have_text("Grégoire Ançay gagne de 9 points.")
    amelie.get_by_role("button", name="Envoyer le résultat à Grégoire").click()
    card(amelie, "sent")

    # The page where the other player types a code shows every key on a low screen.
    amelie.get_by_role("link", name="Faire confirmer sur ce téléphone").click()
    amelie.set_viewport_size({"width": 375, "height": 560})
    amelie.locator(".keypad__keys").wait_for()
    for key in amelie.locator(".keypad__keys button").all():
        place = box(key)
        assert place["y"] + place["height"] <= 560
        assert place["height"] >= 44 and place["width"] >= 44
    expect(amelie.get_by_role("link", name="Non, je conteste")).to_be_attached()
    amelie.set_viewport_size(PHONE)
    amelie.goto("/ma-soiree/")
    card(amelie, "sent")

    # Grégoire's page is closed, and the phone says it; Grégoire confirms; both read what it
    # changed, the wall moves.
    gregoire, message = open_message(pocket, site, phone, about="confirm")
    assert message["title"] == "Un résultat attend votre réponse"
    assert message["body"].startswith("Vous avez jusqu’à")
    gregoire.goto("/ma-soiree/")
    card(gregoire, "to_confirm")
    gregoire.get_by_role("link", name="Lire et répondre").click()
    expect(gregoire.locator(".score-card__score").first).to_have_text("398")
    assert findings(gregoire) == []
    expect(gregoire.get_by_text(re.compile("Vous avez jusqu’à"))).to_be_visible()
    gregoire.get_by_role("button", name="Oui, je confirme").click()
    for phone in (gregoire, amelie):
        card(phone, "result")
        expect(phone.get_by_text("Votre place en direct")).to_be_visible()
    gregoire.get_by_role("button", name="Je peux rejouer").click()
    card(gregoire, "waiting")
    expect(wall.locator(".wall-last")).to_contain_text("398")
    # The wall fetches its parts one after the other.
    expect(wall.locator(".wall-rank")).not_to_have_text(before, use_inner_text=True)

    # The arbiter pairs those who wait; the reasons can be read.
    arbiter.goto(address)
    keys_work(arbiter)
    arbiter.get_by_role("heading", level=1).click()
    arbiter.keyboard.press("a")
    arbiter.wait_for_url("**/appariement/")
    call_everybody(arbiter, window)
    card(amelie, "called")
    left = wall.locator(".wall-table--call [data-until-short]").first
    expect(left).to_have_text(re.compile(r"^\d+:\d\d$"))
    expect(left).not_to_have_text(left.inner_text())  # it counts by itself
    amelie.get_by_role("link", name="Pourquoi cet appariement ?").click()
    expect(amelie.get_by_role("heading", level=1)).to_contain_text("Pourquoi")
    amelie.goto("/ma-soiree/")

    # They enter again; the other contests with another version; nothing moves before the decision.
    rival = amelie.locator(".person__name").inner_text().replace("contre ", "")
    other = window(ACCOUNTS[rival])
    amelie.get_by_role("button", name="Je suis à table").click()
    expect(amelie.get_by_text("Vous êtes à table")).to_be_visible()
    enter(amelie, 401, 300)
    amelie.get_by_role("button", name=re.compile("Envoyer le résultat à")).click()
    card(other, "to_confirm")
    other.get_by_role("link", name="Lire et répondre").click()
    other.get_by_role("link", name="Non, je conteste").click()
    assert findings(other) == []
    other.get_by_label("Votre score").fill("430")
    other.get_by_label("Score de l’adversaire").fill("401")
    other.get_by_label("En une phrase").fill("Cent trente points oubliés.")
    other.get_by_role("button", name="Envoyer à l’arbitre").click()
    card(other, "contested")
    expect(other.get_by_text("dans la liste de l’arbitre")).to_be_visible()
    card(amelie, "contested")

    # The arbiter sees both versions and the effect, then decides with a reason.
    arbiter.goto("/arbitrage/litiges/")
    arbiter.get_by_role("link", name=re.compile("Amélie Dufour")).first.click()
    expect(arbiter.get_by_text("Cent trente points oubliés.").first).to_be_visible()
    arbiter.get_by_text(re.compile("^Retenir")).click()
    arbiter.get_by_label("Motif, montré aux deux joueurs").fill("Feuille recomptée.")
    arbiter.get_by_role("button", name="Voir l’effet").click()
    expect(
        arbiter.get_by_role("region", name=re.compile("^Effet sur le classement"))
    ).to_be_visible()
    arbiter.get_by_role("button", name="Rendre la décision").click()
    expect(arbiter.get_by_text("La décision est rendue.")).to_be_visible()
    card(other, "result")
    expect(other.get_by_text("dans la liste de l’arbitre")).to_have_count(0)  # it is no longer so
    card(amelie, "result")
    expect(amelie.get_by_text("Feuille recomptée.")).to_be_visible()

    # Everybody can read why the cote moves, and the ranking says it is projected.
    amelie.goto("/joueurs/amelie-dufour/ce-soir/")
    expect(amelie.get_by_text("Cote projetée").first).to_be_visible()
    amelie.goto("/classement/")
    expect(amelie.get_by_text(re.compile("cote projetée, définitive"))).to_be_visible()
    the_evening_ends(arbiter, address, amelie, gregoire, wall)


def test_one_phone_and_a_code_are_enough(window):
    marie = window("marie-christine")
    card(marie, "playing")
    enter(marie, 420, 380)
    marie.get_by_role("button", name="Faire confirmer sur ce téléphone").click()
    for digit in "2468":
        marie.get_by_role("button", name=digit, exact=True).click()
    card(marie, "result")


def test_without_javascript_a_result_is_entered_and_confirmed_by_plain_forms(window):
    nadia = window(java_script_enabled=False)
    nadia.goto("/compte/login/")
    nadia.fill("input[name=login]", "lea@demo.club")
    nadia.fill("input[name=password]", "faizers-demo")
    nadia.press("input[name=password]", "Enter")
    nadia.wait_for_url("**/ma-soiree/")
    nadia.get_by_role("link", name="Saisir le résultat").click()
    nadia.get_by_label("Votre score").fill("abc")
    nadia.get_by_label("Score de l’adversaire").fill("380")
    nadia.get_by_role("button", name=re.compile("Envoyer le résultat à")).click()
    expect(nadia.get_by_text("n’est pas un score").first).to_be_visible()
    assert nadia.get_by_label("Score de l’adversaire").input_value() == "380"
    assert nadia.title().startswith("Erreur")
    nadia.get_by_label("Votre score").fill("412")
    nadia.get_by_role("button", name=re.compile("Envoyer le résultat à")).click()
    nadia.goto("/ma-soiree/")
    expect(nadia.get_by_text("Résultat envoyé")).to_be_visible()
    other = window("beatrice", java_script_enabled=False)
    other.get_by_role("link", name="Lire et répondre").click()
    expect(other.get_by_text(re.compile("Vous avez jusqu’à"))).to_be_visible()
    expect(other.locator(".countdown__time")).not_to_be_visible()  # it would not count
    other.get_by_role("button", name="Oui, je confirme").click()
    expect(other.get_by_text("Résultat confirmé")).to_be_visible()


ACCOUNTS = {
    "Ioana Brâncuși": "ioana",
    "Agnès Noël": "agnes",
    "François Lœb": "francois",
    "Inês Gonçalves": "ines",
    "Țepeș Dănilă": "tepes",
    "Grégoire Ançay": "gregoire",
    "Léa Müller": "lea",
    "Béatrice Œhler": "beatrice",
    "Ousmane Diallo": "ousmane",
    "Cătălina Șerban": "catalina",
    "Marie-Christine Vandenbroucke": "marie-christine",
    "Mihai Țîru": "mihai",
}


def test_an_entry_survives_a_dead_network_and_is_sent_once(window):
    ousmane = window("ousmane")  # among the first: never the one who is left over
    ousmane.goto("/ma-soiree/")
    if ousmane.locator('[data-card="called"], [data-card="playing"]').count() == 0:
        arbiter = window("odile", size=DESK)
        arbiter.goto("/arbitrage/")
        arbiter.get_by_role("link", name="Gérer la soirée").click()
        arbiter.get_by_role("link", name="Apparier maintenant").click()
        arbiter.get_by_role("button", name="Appeler ces tables").click()
        ousmane.locator('[data-card="called"]').wait_for()
    ousmane.get_by_role("link", name="Saisir le résultat").click()
    ousmane.get_by_label("Votre score").fill("377")
    ousmane.get_by_label("Score de l’adversaire").fill("366")
    go_offline(ousmane)
    ousmane.get_by_role("button", name=re.compile("Envoyer le résultat à")).click()
    expect(ousmane.get_by_text("Votre saisie est enregistrée sur ce téléphone")).to_be_visible()
    ousmane.context.set_offline(False)
    ousmane.reload()
    card(ousmane, "sent")
    expect(ousmane.locator(".lead.num")).to_contain_text("377")
    ousmane.goto(ousmane.url)
    expect(ousmane.get_by_text("Résultat envoyé")).to_be_visible()

    # Signed in again in another tab while the form was open: its token is no longer the right one.
    ousmane.get_by_role("link", name="Corriger").click()
    ousmane.get_by_label("Votre score").fill("378")
    ousmane.context.add_cookies([{"name": "csrftoken", "value": "y" * 32, "url": ousmane.url}])
    ousmane.get_by_role("button", name=re.compile("Envoyer le résultat à")).click()
    card(ousmane, "sent")
    expect(ousmane.locator(".lead.num")).to_contain_text("378")


def test_the_matches_of_tonight_stand_beside_the_card_on_a_wide_screen(window):
    page = window("karim")
    card_of_now = page.locator("[data-card] > div").first
    tonight = page.get_by_role("heading", name="Vos matchs")
    assert box(tonight)["x"] == box(card_of_now)["x"]
    page.set_viewport_size(DESK)
    beside = box(card_of_now)
    assert box(tonight)["x"] > beside["x"] + beside["width"]
