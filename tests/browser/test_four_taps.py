"""Entering a result takes few taps: the first field has the focus, the second after three digits."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PHONE
from tests.browser.waiting import box, go_offline

pytestmark = [pytest.mark.browser, pytest.mark.real_clock]


def test_two_scores_are_typed_without_a_tap_between_them(window):
    page = window("amelie")
    page.get_by_role("link", name="Saisir le résultat").click()
    page.wait_for_selector("[data-score=mine]:focus")

    def type_first(digits: str) -> tuple[str, str]:
        page.fill("[data-score=theirs]", "")
        page.fill("[data-score=mine]", "")
        page.focus("[data-score=mine]")
        page.keyboard.type(digits)
        return page.input_value("[data-score=mine]"), page.input_value("[data-score=theirs]")

    assert type_first("389398") == ("389", "398")
    assert type_first("389\n398") == ("389", "398")  # Enter after each, as on a numeric pad
    assert type_first("389") == ("389", "")
    page.keyboard.press("Tab")  # to the field that has the focus already
    page.keyboard.type("398")
    assert page.input_value("[data-score=theirs]") == "398"
    page.fill("[data-score=theirs]", "")
    page.focus("[data-score=theirs]")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.score") is None
    # On the smallest phone the field with the focus is wholly above the foot bar.
    page.set_viewport_size({"width": 320, "height": 568})
    assert type_first("389398") == ("389", "398")
    field = box(page.locator("[data-score=theirs]"))
    assert field["y"] + field["height"] <= box(page.locator(".foot-bar"))["y"]
    page.set_viewport_size(PHONE)
    # The scores of the match before, typed again by mistake.
    warning = page.locator("[data-score-warning]")
    mine, theirs = page.get_attribute("[data-score-live]", "data-before").split("-")
    assert type_first(mine + theirs) == (mine, theirs)
    expect(warning).to_have_text("Ce sont les scores de votre match précédent\u00a0: relisez-les.")
    page.fill("[data-score=theirs]", str(int(theirs) + 1))
    expect(warning).to_be_hidden()
    # 2000 is the highest score: 200 may go on, 201 may not.
    assert type_first("2000") == ("2000", "")
    assert type_first("1999") == ("1999", "")
    assert type_first("2014") == ("201", "4")
    # A correction of the first score keeps the focus.
    page.focus("[data-score=mine]")
    page.keyboard.press("End")
    page.keyboard.press("Backspace")
    page.keyboard.type("8")
    assert page.input_value("[data-score=mine]") == "208"
    assert page.evaluate("document.activeElement.dataset.score") == "mine"
    # An error has the focus before the fields.
    page.fill("[data-score=theirs]", "")
    page.get_by_role("button", name="Envoyer le résultat à Grégoire").click()
    page.wait_for_selector(".error-summary:focus")


def test_the_hour_of_a_kept_result_is_the_clubs_whatever_the_phone_says(window):
    page = window("amelie", timezone_id="America/New_York")
    page.get_by_role("link", name="Saisir le résultat").click()
    page.fill("[data-score=mine]", "412")
    page.fill("[data-score=theirs]", "388")
    hours = [datetime.now(ZoneInfo("Europe/Paris"))]
    go_offline(page)
    page.get_by_role("button", name="Envoyer le résultat").click()
    expect(page.get_by_role("heading", name="En attente d’envoi")).to_be_visible()
    hours.append(datetime.now(ZoneInfo("Europe/Paris")))
    assert page.locator("[data-hole=time]").inner_text() in [f"{hour:%H:%M}" for hour in hours]
