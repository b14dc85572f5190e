"""The page where a result is confirmed, once its time is over; and a wrong code on the same phone."""

from __future__ import annotations

import io
import re

import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.browser.deadlines import end_windows
from tests.browser.test_evening import card, enter
from tests.browser.waiting import go_offline, until

pytestmark = [pytest.mark.browser, pytest.mark.real_clock]
MINUTE = 60_000  # milliseconds


@pytest.fixture
def sent(window):
    """The phone of Amélie, who sent the result of the match with Grégoire."""
    page = window("amelie")
    card(page, "playing")
    enter(page, 389, 398)
    page.get_by_role("button", name="Envoyer le résultat à Grégoire").click()
    card(page, "sent")
    return page


def picture() -> bytes:
    """Return a photo of a score sheet, as small as one can be."""
    out = io.BytesIO()
    Image.new("RGB", (40, 40)).save(out, "PNG")
    return out.getvalue()


def to_contest(page):
    """Open the page to contest and wait for its scripts: without them it is a plain form."""
    page.get_by_role("link", name="Non, je conteste").click()
    page.wait_for_url("**/contester/")


def type_other_scores(page):
    """Open the page to contest and type the scores that are right."""
    card(page, "to_confirm")
    page.get_by_role("link", name="Lire et répondre").click()
    to_contest(page)
    page.get_by_label("Votre score").fill("398")
    page.get_by_label("Score de l’adversaire").fill("388")


def wait_for_worker(page):
    """Return when the service worker answers for this page."""
    page.evaluate("navigator.serviceWorker.ready")
    until(page, "navigator.serviceWorker.controller !== null")


def read(page, demo_folder):
    """Open the page to confirm a minute before its time is over; return the button that says yes."""
    page.clock.install()
    end_windows(demo_folder, MINUTE / 1000)
    page.get_by_role("link", name="Lire et répondre").click()
    yes = page.get_by_role("button", name="Oui, je confirme")
    expect(yes).to_be_visible()
    return yes


def test_the_page_to_confirm_says_what_became_of_it_when_the_time_is_over(
    window, sent, demo_folder
):
    rival = window("gregoire")
    card(rival, "to_confirm")
    yes = read(rival, demo_folder)
    end_windows(demo_folder, 0)
    rival.clock.fast_forward(MINUTE)
    expect(yes).to_be_hidden()
    expect(rival.get_by_text(re.compile("Vous avez jusqu’à"))).to_be_hidden()
    expect(rival.locator("main")).to_contain_text("sans réponse")


def test_a_page_without_a_network_waits_for_one_when_the_time_is_over(window, sent, demo_folder):
    rival = window("gregoire")
    card(rival, "to_confirm")
    yes = read(rival, demo_folder)
    end_windows(demo_folder, 0)
    go_offline(rival)
    rival.clock.fast_forward(MINUTE)
    expect(rival.locator(".countdown--over")).to_be_visible()
    rival.clock.fast_forward(1500)
    rival.wait_for_timeout(500)  # it would be another page by now
    expect(yes).to_be_visible()
    rival.context.set_offline(False)
    expect(yes).to_be_hidden()


def test_the_page_to_contest_keeps_what_is_typed_when_the_time_is_over(window, sent, demo_folder):
    rival = window("gregoire")
    card(rival, "to_confirm")
    read(rival, demo_folder)
    to_contest(rival)
    after = rival.locator(".countdown__after")
    expect(after).to_be_hidden()
    rival.get_by_label("En une phrase").fill("La prolongation compte.")
    end_windows(demo_folder, 0)
    rival.clock.fast_forward(MINUTE)
    expect(after).to_be_visible()
    rival.clock.fast_forward(1500)
    expect(rival.get_by_label("En une phrase")).to_have_value("La prolongation compte.")


def test_without_a_network_a_contest_stays_on_its_page(window, sent):
    """The browser's own page would take its place, and what was typed would be gone."""
    rival = window("gregoire")
    type_other_scores(rival)
    unsent = rival.get_by_role("alert").filter(has_text="rien n’a été envoyé")
    go_offline(rival)
    send = rival.get_by_role("button", name="Envoyer à l’arbitre")
    for _again in range(2):
        send.click()
        expect(unsent).to_have_count(1)
    expect(rival.get_by_label("Votre score")).to_have_value("398")
    rival.context.set_offline(False)
    expect(unsent).to_have_count(0)
    send.click()
    card(rival, "contested")


def test_a_form_that_gets_no_answer_stays_on_its_page(window, sent):
    """The network is on for the browser, and dead: only the service worker learns of it."""
    rival = window("gregoire")
    wait_for_worker(rival)
    type_other_scores(rival)
    rival.evaluate("Object.defineProperty(navigator, 'onLine', { get: () => true })")
    unanswered = rival.get_by_role("alert").filter(has_text="Pas de réponse")
    go_offline(rival)
    send = rival.get_by_role("button", name="Envoyer à l’arbitre")
    for _again in range(2):
        send.click()
        expect(unanswered).to_have_count(1)
        expect(send).to_be_enabled()
    expect(rival.get_by_label("Votre score")).to_have_value("398")
    rival.context.set_offline(False)
    send.click()
    card(rival, "contested")


@pytest.mark.parametrize("photo", [False, True], ids=["no file", "a photo"])
def test_the_service_worker_passes_on_what_holds_no_file(window, sent, photo):
    """Safari has sent forms with a file without their body, where a worker passed them on."""
    rival = window("gregoire")
    wait_for_worker(rival)
    type_other_scores(rival)
    field = rival.locator("input[type=file]")
    field.set_input_files({"name": "feuille.png", "mimeType": "image/png", "buffer": picture()})
    if not photo:
        field.set_input_files([])
    with rival.expect_response(lambda answer: answer.request.method == "POST") as answered:
        rival.get_by_role("button", name="Envoyer à l’arbitre").click()
    assert answered.value.from_service_worker is not photo
    card(rival, "contested")


def test_another_language_asks_before_what_was_typed_is_lost(window, sent):
    rival = window("gregoire", size={"width": 1280, "height": 800})
    card(rival, "to_confirm")
    rival.get_by_role("link", name="Lire et répondre").click()
    to_contest(rival)
    score = rival.get_by_label("Votre score")
    score.fill("398")
    questions = []
    rival.once("dialog", lambda asked: (questions.append(asked.message), asked.dismiss()))
    header = rival.locator(".site-header")
    header.get_by_label("Langue").click()
    header.get_by_role("button", name="English").click()
    expect(score).to_have_value("398")
    assert "sera perdu" in questions.pop()
    rival.once("dialog", lambda asked: asked.accept())
    header.get_by_role("button", name="English").click()
    expect(rival.locator("html")).to_have_attribute("lang", "en")


def test_after_a_wrong_code_the_next_digit_is_typed_at_once_and_the_error_is_read(sent):
    sent.get_by_role("link", name="Faire confirmer sur ce téléphone").click()
    keys = sent.locator(".keypad__keys")
    for _digit in range(4):
        keys.get_by_role("button", name="0", exact=True).click()
    error = sent.get_by_role("alert").filter(has_text=re.compile("code", re.IGNORECASE))
    expect(error).to_be_visible()
    field = sent.locator(".keypad__input")
    expect(field).to_be_focused()
    assert error.get_attribute("id") == field.get_attribute("aria-describedby")
    sent.keyboard.press("7")
    expect(field).to_have_value("7")


def test_a_photo_is_chosen_in_the_sites_words_by_a_button_that_shows_the_focus(window, sent):
    rival = window("gregoire")
    rival.get_by_role("link", name="Lire et répondre").click()
    to_contest(rival)
    button, field = rival.locator("label.btn"), rival.get_by_label("Joindre la feuille de match")
    rival.get_by_label("En une phrase").focus()
    rival.keyboard.press("Tab")
    expect(field).to_be_focused()
    expect(button).to_have_css("outline-style", "solid")
    assert field.bounding_box()["width"] == 1, "the browser's own button is not read"
    field.set_input_files({"name": "feuille.png", "mimeType": "image/png", "buffer": b"-"})
    expect(button).to_contain_text("feuille.png")


def test_without_javascript_the_browsers_own_field_shows_the_chosen_photo(window, sent):
    rival = window("gregoire", java_script_enabled=False)
    rival.get_by_role("link", name="Lire et répondre").click()
    rival.get_by_role("link", name="Non, je conteste").click()
    field = rival.get_by_label("Joindre la feuille de match")
    assert field.bounding_box()["width"] > 100
