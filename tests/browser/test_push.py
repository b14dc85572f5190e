"""A phone says yes, its page is closed, and a message still shows there."""

from __future__ import annotations

import re
from datetime import datetime

import pytest
from playwright.sync_api import expect

from tests.browser.phones import deliver, prepare
from tests.browser.waiting import until
from tests.permissions.access import PHONE as SUBSCRIPTION

pytestmark = [pytest.mark.browser, pytest.mark.real_clock]


def prepared(page, site, device=""):
    keys = {name: SUBSCRIPTION[name] for name in ("p256dh", "auth")}
    prepare(page, site, {"endpoint": SUBSCRIPTION["endpoint"] + device, "keys": keys})


def test_a_message_shows_on_a_phone_whose_page_is_closed(window, site):
    page = window("amelie")
    prepared(page, site)
    page.get_by_role("button", name="Oui, me prévenir").click()
    said = page.locator("[data-push-words]")
    expect(said).to_have_text(re.compile("C’est fait"))
    assert page.evaluate("wanted.userVisibleOnly") is True
    page.reload()
    expect(page.locator("[data-push]")).to_be_hidden()  # asked once

    other = page.context.new_page()
    other.goto("/c/faizers/classement/")
    page.close()
    message = {"title": "Table 4", "body": "Karim B.", "tag": "table:4", "url": "/c/faizers/"}
    assert deliver(other, site, message) == [["Table 4", "Karim B.", "table:4", "/c/faizers/"]]


def test_a_phone_with_a_wrong_clock_counts_right_stays_awake_and_sounds_after_a_tap(window, site):
    page = window("amelie")
    prepared(page, site)
    assert page.evaluate("Math.abs(Date.now() - performance.timeOrigin) > 3.5e6")
    assert page.evaluate("window.locked") is None  # they play: nothing to look out for
    page.get_by_role("link", name="Saisir le résultat").click()
    page.get_by_label("Votre score").fill("389")
    page.get_by_label("Score de l’adversaire").fill("398")
    page.get_by_role("button", name=re.compile("Envoyer le résultat à")).click()
    page.locator('[data-card="sent"]').wait_for()
    page.context.close()

    rival = window("gregoire")
    prepared(rival, site)
    rival.locator('[data-card="to_confirm"]').wait_for()
    until(rival, "window.locked")
    line = rival.locator("[data-sound]")
    expect(line).to_contain_text("Touchez l’écran")
    rival.locator("main h2").first.click()
    expect(line).to_contain_text("Son activé")
    rival.get_by_role("link", name="Lire et répondre").click()
    counted = rival.locator("[data-countdown-time]").first
    expect(counted).to_have_text(re.compile(r"^[0-5]:\d\d$"))
    ends = datetime.fromisoformat(
        rival.locator("[data-countdown]").first.get_attribute("data-until")
    )

    def wrong_by() -> float:
        minutes, seconds = counted.inner_text().split(":")
        left = (ends - datetime.now(ends.tzinfo)).total_seconds()
        return abs(60 * int(minutes) + int(seconds) - left)

    # An hour would be wrong; a busy machine is late now and then.
    assert min(wrong_by() for _look in range(5)) < 2
    rival.get_by_role("button", name="Oui, je confirme").click()
    rival.locator('[data-card="result"]').wait_for()  # on the waiting list again
    until(rival, "window.locked")
    expect(rival.locator("[data-sound]")).to_be_visible()


def test_devices_that_were_all_stopped_at_once_stay_stopped(window, site):
    phone, tablet = window("amelie"), window("amelie")
    for page, device in ((phone, "1"), (tablet, "2")):
        prepared(page, site, device)
        page.goto("/c/faizers/moi/notifications/")
        page.get_by_role("button", name="Me prévenir sur cet appareil").click()
        expect(page.locator("[data-push-words]")).to_have_text(re.compile("C’est fait"))
    phone.reload()
    expect(phone.get_by_text("2 appareils vous préviennent.")).to_be_visible()
    expect(phone.get_by_text("Cet appareil vous prévient.")).to_be_visible()
    phone.get_by_role("button", name="Arrêter sur tous mes appareils").click()
    expect(phone.get_by_text("Aucun appareil ne vous prévient plus.")).to_be_visible()
    for page in (phone, tablet):
        for _visit in range(2):
            page.goto("/c/faizers/moi/notifications/")
            expect(page.get_by_role("button", name="Me prévenir sur cet appareil")).to_be_visible()
            expect(page.get_by_text("Cet appareil vous prévient.")).to_be_hidden()
            expect(page.get_by_text("Aucun appareil ne vous prévient.")).to_be_visible()
        assert page.evaluate("localStorage.getItem('test-subscription')") is None
    tablet.get_by_role("button", name="Me prévenir sur cet appareil").click()
    expect(tablet.locator("[data-push-words]")).to_have_text(re.compile("C’est fait"))


def test_a_browser_that_blocks_the_question_says_so(window, site):
    page = window("amelie")
    refused = "Notification.requestPermission = async () => window.refused ?? 'denied'"
    page.add_init_script(refused)
    page.add_init_script(
        "Object.defineProperty(Notification, 'permission', { get: () => 'default' })"
    )
    page.goto("/c/faizers/ma-soiree/")
    page.evaluate("navigator.serviceWorker.ready")
    yes = page.get_by_role("button", name="Oui, me prévenir")
    page.evaluate("window.refused = 'default'")  # the question was put away unanswered
    yes.click()
    expect(yes).to_be_visible()
    page.evaluate("window.refused = 'denied'")
    yes.click()
    expect(page.get_by_text("Votre navigateur bloque les notifications")).to_be_focused()
    expect(yes).to_be_hidden()


def test_the_question_leaves_an_open_page_when_the_evening_closes(window, site):
    page = window("amelie")
    prepared(page, site)
    question = page.get_by_role("heading", name="Vous prévenir quand votre table est prête")
    expect(question).to_be_visible()
    closing = """([card]) => {
      card.removeAttribute("data-expects-table");
      card.dispatchEvent(new CustomEvent("htmx:afterSwap", { bubbles: true }));
    }"""
    page.evaluate(closing, [page.locator("[data-card]").element_handle()])
    expect(question).to_be_hidden()
