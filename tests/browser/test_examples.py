"""The wall of docs/examples in a browser, with what the API answers it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from playwright.sync_api import expect

from pairings.matches import actions as match_actions
from tests.browser.conftest import DESK, PHONE

pytestmark = [pytest.mark.browser, pytest.mark.django_db]
WALL = Path(__file__).resolve().parents[2] / "docs/examples/wall.html"
ROOT = "/c/faizers/api/v1/"


def test_the_wall_of_the_examples_shows_the_evening_and_what_changes(club, chromium):
    """The answers are read before the page asks: a route has no connection of the test's."""
    match, (one, _other) = club.match()
    for days in range(1, 12):  # announced ahead: each is later than tonight
        club.announce(club.at + timedelta(days=days))
    paths = [f"evenings/{club.evening.held_on}/1", "rankings/live?limit=20"]
    answers, away = {}, []

    def read():
        answers.update({ROOT + path: Client().get(ROOT + path) for path in paths})

    def answer(route):
        url = route.request.url.removeprefix("http://club.test")
        if url.startswith("/wall.html"):
            route.fulfill(path=WALL)
        elif away:
            away[0](route)
        elif url not in answers:
            route.fulfill(status=404, body="")
        elif route.request.headers.get("if-none-match") == answers[url]["ETag"]:
            route.fulfill(status=304)
        else:
            found = answers[url]
            route.fulfill(status=found.status_code, body=found.content, headers=dict(found.items()))

    read()
    context = chromium.new_context(viewport=DESK)
    page = context.new_page()
    page.route("**/*", answer)
    page.clock.install()
    page.goto("http://club.test/wall.html?club=faizers")
    expect(page.locator("#ranking tr")).to_have_count(10)
    expect(page.locator("#ranking tr").first).to_contain_text("PR")
    expect(page.locator("#status")).to_contain_text("8 attendent")
    table = page.locator("#tables tr")
    expect(table).to_contain_text(match.first.full_name)
    expect(table).to_contain_text("à table")
    match_actions.submit(match=match, by=one, scores=(400, 350), at=club.at)
    read()
    page.clock.fast_forward(10_000)
    expect(table).to_contain_text("à confirmer")
    for size in (DESK, PHONE):
        page.set_viewport_size(size)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    proxy = "<html><title>502 Bad Gateway</title></html>"
    for gone in (lambda route: route.abort(), lambda route: route.fulfill(status=502, body=proxy)):
        away[:] = [gone]
        page.clock.fast_forward(10_000)
        expect(page.locator("#status")).to_have_text(
            "Le site ne répond pas (dernières données connues)"
        )
        expect(table).to_contain_text("à confirmer")
        away.clear()
        page.clock.fast_forward(10_000)
        expect(page.locator("#status")).to_contain_text("attendent")
    context.close()
