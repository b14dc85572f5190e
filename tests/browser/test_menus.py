"""A menu opened by keyboard closes by Escape, and when the focus leaves it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.alone import show

pytestmark = [pytest.mark.browser, pytest.mark.real_clock]

PAGE = """<!doctype html><details class="menu"><summary>Thème</summary><button name="theme" value="light">Clair</button></details>
<a href="#">Classement</a><script type="module" src="/static/js/theme.js"></script>"""


@pytest.fixture
def page(chromium):
    page = chromium.new_page()
    show(page, PAGE)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button")).to_be_focused()
    yield page
    page.close()


SENDS = """<!doctype html><form method="post"><details class="menu"><summary>Langue</summary><button>English</button></details></form>
<main>Soirée</main><template data-unanswered><p class="unsent">Pas de réponse</p></template>
<script type="module" src="/static/js/theme.js"></script><script type="module" src="/static/js/submit.js"></script>"""


@pytest.fixture
def waiting(chromium):
    """A page whose form is sent from a menu and waits for its answer; the menu is closed again."""
    page = chromium.new_page()
    show(page, SENDS, "https://club.test")
    # Nothing is sent: the page stays, as it does while it waits.
    page.evaluate("document.addEventListener('submit', (event) => event.preventDefault())")
    page.get_by_text("Langue").click()
    page.get_by_role("button").click()
    page.get_by_text("Soirée").click()
    expect(page.locator("details")).not_to_have_attribute("open", "")
    yield page
    page.close()


def test_a_form_of_a_closed_menu_says_in_sight_that_it_got_no_answer(waiting):
    waiting.evaluate(
        "navigator.serviceWorker.dispatchEvent(new MessageEvent('message', {data: 'unanswered'}))"
    )
    expect(waiting.get_by_role("alert")).to_be_visible()


def test_escape_closes_a_menu_and_gives_the_focus_back(page):
    page.keyboard.press("Escape")
    expect(page.locator("details")).not_to_have_attribute("open", "")
    expect(page.locator("summary")).to_be_focused()


def test_a_choice_closes_its_menu_and_gives_the_focus_back(page):
    page.keyboard.press("Enter")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    expect(page.locator("details")).not_to_have_attribute("open", "")
    expect(page.locator("summary")).to_be_focused()


def test_a_menu_closes_when_the_focus_goes_past_it(page):
    page.keyboard.press("Tab")
    expect(page.get_by_role("link")).to_be_focused()
    expect(page.locator("details")).not_to_have_attribute("open", "")
