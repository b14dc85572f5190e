"""Aeroplane mode: what was seen is read again with its hour, the rest says so."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from tests.browser.waiting import go_offline, until

pytestmark = [pytest.mark.browser, pytest.mark.real_clock]
SEEN = re.compile(r"Hors ligne\. Dernière vue : \d\d:\d\d\.")


def ready(page):
    """Wait for the worker to hold this page's scope and its files."""
    page.evaluate("navigator.serviceWorker.ready")
    until(page, "navigator.serviceWorker.controller !== null")


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

    go_offline(page)
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

    page.context.set_offline(False)  # an old page loads itself again
    expect(strip).to_be_hidden()
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
    go_offline(page)
    page.reload()
    expect(page.locator("[data-seen-offline]")).to_have_text(SEEN)
    assert page.locator("[data-card]").get_attribute("data-card") != "old"


def test_what_counts_down_went_on_while_its_page_was_kept(window):
    page = window("amelie")
    ready(page)
    page.goto("/c/faizers/ma-soiree/")
    began = time.monotonic()
    page.evaluate(
        """async () => {
          const cache = await caches.open("pages");
          const headers = new Headers({ "Content-Type": "text/html" });
          headers.set("X-Seen", new Date(Date.now() - 120e3).toISOString());
          headers.set("X-Reader", document.body.dataset.reader);
          const then = `data-server-now="2026-01-01T20:00:00+01:00"`;
          const html = `<p data-seen-offline hidden>{seen}</p><b ${then}></b>`;
          await cache.put("/c/faizers/ma-soiree/", new Response(html, { headers }));
        }"""
    )
    go_offline(page)
    page.reload()
    now = datetime.fromisoformat(page.locator("b").get_attribute("data-server-now"))
    later = now - datetime(2026, 1, 1, 19, 0, tzinfo=UTC)
    since = timedelta(seconds=time.monotonic() - began)
    assert timedelta(minutes=2) <= later <= timedelta(minutes=2) + since, "since it was seen"


def test_a_page_that_was_kept_again_meanwhile_stays(window):
    """The page's own look at what is kept may meet an entry just taken away, and another just put."""
    page = window("amelie")
    ready(page)
    page.goto("/c/faizers/ma-soiree/")
    page.add_init_script(
        """
        Cache.prototype.match = async () => void (globalThis.looked = true);
        const remove = Cache.prototype.delete;
        Cache.prototype.delete = function (key) {
          globalThis.removed = true;
          return remove.call(this, key);
        };
        """
    )
    page.goto("/c/faizers/ma-soiree/")
    until(page, "globalThis.looked === true")
    page.wait_for_timeout(200)
    assert not page.evaluate("globalThis.removed")
    assert "/c/faizers/ma-soiree/" in kept(page)


def test_nothing_of_mine_is_left_after_signing_out(window):
    page = window("karim")
    ready(page)
    page.goto("/c/faizers/moi/carte/")
    assert "/c/faizers/moi/carte/" in kept(page)
    page.goto("/compte/logout/")
    page.locator("main form button").click()
    page.wait_for_url(lambda url: "logout" not in url)
    until(page, "caches.open('pages').then((c) => c.keys()).then((k) => k.length === 0)")
    go_offline(page)
    page.goto("/c/faizers/moi/carte/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Pas de réseau pour l’instant")


def test_another_reader_on_the_same_phone_never_sees_the_first_ones_pages(window):
    page = window("karim")
    ready(page)
    page.goto("/c/faizers/moi/carte/")
    assert "/c/faizers/moi/carte/" in kept(page)
    page.context.clear_cookies()  # the session ends without anybody pressing a button
    page.goto("/c/faizers/classement/")
    until(page, "caches.open('pages').then((c) => c.keys()).then((k) => k.length === 0)")


WAITS = """() => outbox.keep({
  key: crypto.randomUUID(), url: "/c/faizers/theme/", page: "/c/faizers/moi/reglages/",
  reader: document.body.dataset.reader, fields: { theme: "dark" }, names: {}, at: Date.now(),
})"""
"""An entry as the entry page keeps it; the server answers it with a redirect and a cookie."""


def test_what_is_kept_leaves_from_the_offline_page_by_itself(window):
    """It says that it waits, and goes when the network is back; nobody opens the entry again."""
    page = window("amelie")
    ready(page)
    page.goto("/c/faizers/ma-soiree/")
    go_offline(page)
    page.evaluate(WAITS)
    expect(page.locator("[data-outbox]")).to_contain_text("1 résultat attend l’envoi.")
    page.reload()
    expect(page.locator("[data-outbox]")).to_contain_text("1 résultat attend l’envoi.")
    expect(page.locator("[data-seen-offline]")).to_have_text(SEEN)
    page.evaluate(WAITS)
    expect(page.locator("[data-outbox]")).to_contain_text("2 résultats attendent l’envoi.")
    page.goto("/c/faizers/classement/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Pas de réseau pour l’instant")

    page.context.set_offline(False)  # the ranking is read, and its page sends what waits
    expect(page.get_by_role("heading", level=1)).to_have_text("Classement")
    page.wait_for_load_state()
    until(page, "outbox.kept().then((entries) => entries.length === 0)")
    assert page.evaluate("document.cookie").count("theme=dark") or any(
        cookie["name"] == "theme" and cookie["value"] == "dark" for cookie in page.context.cookies()
    )
    page.goto("/c/faizers/ma-soiree/")
    expect(page.locator("[data-outbox]")).to_be_hidden()


def test_what_the_server_refuses_stays_and_says_where_to_read_why(window):
    page = window("karim")
    page.goto("/c/faizers/ma-soiree/")
    page.evaluate(WAITS.replace("/c/faizers/theme/", "/c/faizers/nulle-part/"))
    page.evaluate("outbox.flush()")
    link = page.locator("[data-outbox-refused]")
    expect(link).to_be_visible()
    assert link.get_attribute("href") == "/c/faizers/moi/reglages/"
    assert page.evaluate("outbox.kept().then((entries) => entries.length)") == 1


def test_a_page_from_the_cache_is_read_again_when_the_network_is_back(window):
    page = window("karim")
    ready(page)
    page.goto("/c/faizers/ma-soiree/")
    go_offline(page)
    page.reload()
    expect(page.locator("[data-seen-offline]")).to_have_text(SEEN)
    page.context.set_offline(False)
    expect(page.locator("[data-seen-offline]")).to_be_hidden()


def test_another_reader_neither_sees_nor_sends_what_waits(window):
    page = window("karim")
    page.goto("/c/faizers/classement/")
    page.evaluate(
        """() => outbox.keep({ key: "k", url: "/nulle-part/", page: "/nulle-part/",
                              reader: "somebody else", fields: {}, names: {}, at: 0 })"""
    )
    page.goto("/c/faizers/ma-soiree/")
    page.evaluate("outbox.flush()")
    expect(page.locator("[data-outbox]")).to_be_hidden()
    left = page.evaluate(
        """() => new Promise((done) => { indexedDB.open("club", 1).onsuccess = (event) => {
             event.target.result.transaction("outbox").objectStore("outbox").count().onsuccess =
               (counted) => done(counted.target.result); }; })"""
    )
    assert left == 1


def test_a_short_address_leads_to_the_kept_page(window):
    page = window("amelie")
    page.goto("/compte/password/change/")  # the site's own worker, beside the club's
    ready(page)
    page.goto("/c/faizers/ma-soiree/")
    ready(page)
    go_offline(page)
    page.goto("/ma-soiree/")
    expect(page.locator("[data-seen-offline]")).to_have_text(SEEN)
    assert page.url.endswith("/c/faizers/ma-soiree/")


def test_only_a_script_says_whether_the_phone_is_online(window):
    page = window("amelie")
    page.goto("/c/faizers/ma-soiree/")
    expect(page.locator("[data-net]")).to_contain_text("En ligne")
    expect(page.locator("[data-net-on]")).to_be_visible()
    go_offline(page)
    expect(page.locator("[data-net-off]")).to_be_visible()
    expect(page.locator("[data-net-on]")).to_be_hidden()
    silent = window("amelie", java_script_enabled=False)
    silent.goto("/c/faizers/ma-soiree/")
    expect(silent.get_by_role("banner")).to_contain_text("Ma soirée")
    for words in silent.locator("[data-net] > *").all():
        expect(words).to_be_hidden()


def test_what_waits_for_its_owner_to_sign_in_says_so_on_every_page_and_leaves_after(window):
    page = window("amelie")
    page.goto("/c/faizers/classement/")
    go_offline(page)
    page.evaluate(WAITS.replace("/theme/", "/moi/reglages/").replace("theme:", "forget_devices:"))
    page.context.clear_cookies()  # the session ends meanwhile
    page.context.set_offline(False)
    strip = page.locator("[data-outbox-sign-in]")
    expect(strip).to_be_visible()
    expect(strip).to_contain_text(
        "Un résultat enregistré sur ce téléphone sera envoyé après une nouvelle connexion."
    )
    page.goto("/c/faizers/joueurs/?tri=nom")
    expect(strip).to_be_visible()
    strip.get_by_role("link", name="Se connecter").click()
    page.wait_for_url("**/compte/login/**")
    expect(strip).to_have_count(0)
    page.locator("#id_login").fill("amelie@demo.club")
    page.locator("#id_password").fill("faizers-demo")
    page.locator("#id_password").press("Enter")
    page.wait_for_url("**/c/faizers/joueurs/?tri=nom")
    until(page, "outbox.kept().then((entries) => entries.length === 0)")
    expect(strip).to_be_hidden()


def test_another_reader_who_signed_in_is_not_asked_to_sign_in_for_what_waits(window):
    page = window("karim")
    page.goto("/c/faizers/classement/")
    page.evaluate(WAITS.replace("document.body.dataset.reader", '"somebody else"'))
    page.goto("/c/faizers/joueurs/")
    page.evaluate("outbox.flush()")
    expect(page.locator("[data-outbox-sign-in]")).to_be_hidden()


def test_what_another_site_posts_goes_past_the_worker(window, site):
    """Sent on by the worker, it would arrive as sent by a page of this site."""
    page = window("amelie")
    ready(page)
    page.route(
        "http://elsewhere.test/*",
        lambda route: route.fulfill(
            content_type="text/html",
            body=f'<form method="post" action="{site}/c/faizers/ma-soiree/"><button>Go</button></form>',
        ),
    )
    own = "document.body.insertAdjacentHTML('beforeend', '<form method=post><button>Go</button></form>')"
    for address, script, by_worker in [
        ("/c/faizers/ma-soiree/", own, True),
        ("http://elsewhere.test/", "0", False),
    ]:
        page.goto(address)
        page.evaluate(script)
        with page.expect_response(lambda answer: answer.request.method == "POST") as answered:
            page.get_by_role("button", name="Go").click()
        assert answered.value.from_service_worker is by_worker
