"""Aeroplane mode: what was seen is read again with its hour, the rest says so (RELIABILITY, J4)."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.real_clock]
SEEN = re.compile(r"Hors ligne\. Dernière vue : \d\d:\d\d\.")


def ready(page):
    """Wait for the worker to hold this page's scope and its files."""
    page.evaluate("navigator.serviceWorker.ready")
    page.wait_for_function("navigator.serviceWorker.controller !== null")


def kept(page) -> list[str]:
    return page.evaluate(
        "caches.open('pages').then((c) => c.keys()).then((k) => k.map((r) => new URL(r.url).pathname))"
    )


def test_my_evening_and_my_card_are_read_without_a_network(window):
    page = window("amelie")
    ready(page)
    page.goto("/c/faizers/moi/carte/")
    number = page.locator(".big-table").inner_text()
    page.goto("/c/faizers/ma-soiree/")
    state = page.locator("[data-card]").get_attribute("data-card")
    strip = page.locator("[data-seen-offline]")
    expect(strip).to_be_hidden()

    page.context.set_offline(True)
    page.reload()
    expect(strip).to_have_text(SEEN)
    assert page.locator("[data-card]").get_attribute("data-card") == state
    height = page.locator(".btn").first.evaluate("(b) => getComputedStyle(b).borderRadius")
    assert height not in ("", "0px"), "the style sheets are kept too"
    page.goto("/c/faizers/moi/carte/")
    expect(strip).to_have_text(SEEN)
    expect(page.locator(".big-table")).to_have_text(number)
    expect(page.locator(".qr svg")).to_be_visible()

    page.goto("/c/faizers/classement/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Pas de réseau pour l’instant")
    page.get_by_role("link", name="Ma carte").click()
    expect(page.locator(".big-table")).to_have_text(number)

    page.context.set_offline(False)
    page.goto("/c/faizers/ma-soiree/")
    expect(strip).to_be_hidden()


def test_the_card_shown_offline_is_the_last_one_that_came_by_itself(window):
    page = window("amelie")
    ready(page)
    page.goto("/c/faizers/ma-soiree/")
    page.evaluate(
        """async () => {
          const cache = await caches.open("pages");
          const held = await cache.match("/c/faizers/ma-soiree/");
          const headers = new Headers(held.headers);
          const html = (await held.text()).replace(/data-card="[^"]*"/, 'data-card="old"');
          headers.set("X-Seen", "2020-01-01T00:00:00.000Z");
          await cache.put("/c/faizers/ma-soiree/", new Response(html, { headers }));
          await (await fetch("/c/faizers/ma-soiree/carte/")).text();
        }"""
    )
    page.context.set_offline(True)
    page.reload()
    expect(page.locator("[data-seen-offline]")).to_have_text(SEEN)
    assert page.locator("[data-card]").get_attribute("data-card") != "old"


def test_nothing_of_mine_is_left_after_signing_out(window):
    page = window("karim")
    ready(page)
    page.goto("/c/faizers/moi/carte/")
    assert "/c/faizers/moi/carte/" in kept(page)
    page.goto("/compte/logout/")
    page.locator("main form button").click()
    page.wait_for_url(lambda url: "logout" not in url)
    page.wait_for_function("caches.open('pages').then((c) => c.keys()).then((k) => k.length === 0)")
    page.context.set_offline(True)
    page.goto("/c/faizers/moi/carte/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Pas de réseau pour l’instant")


def test_another_reader_on_the_same_phone_never_sees_the_first_ones_pages(window):
    page = window("karim")
    ready(page)
    page.goto("/c/faizers/moi/carte/")
    assert "/c/faizers/moi/carte/" in kept(page)
    page.context.clear_cookies()  # the session ends without anybody pressing a button
    page.goto("/c/faizers/classement/")
    page.wait_for_function("caches.open('pages').then((c) => c.keys()).then((k) => k.length === 0)")


def test_a_short_address_leads_to_the_kept_page(window):
    page = window("amelie")
    page.goto("/compte/password/change/")  # the site's own worker, beside the club's
    ready(page)
    page.goto("/c/faizers/ma-soiree/")
    ready(page)
    page.context.set_offline(True)
    page.goto("/ma-soiree/")
    expect(page.locator("[data-seen-offline]")).to_have_text(SEEN)
    assert page.url.endswith("/c/faizers/ma-soiree/")
