"""The ranking on a phone: nine rows, and the reader's own wherever they scroll."""

from __future__ import annotations

import pytest

from tests.browser.waiting import box

pytestmark = [pytest.mark.browser, pytest.mark.real_clock]
WHOLE_ROWS = """() => {
  const bar = document.querySelector(".bottom-bar").getBoundingClientRect().top;
  const own = document.querySelector(".list--ranking .is-own-row");
  const rows = [...document.querySelectorAll(".list--ranking > li")];
  const limit = own ? Math.min(bar, own.getBoundingClientRect().top) : bar;
  return rows.filter((row) => {
    const box = row.getBoundingClientRect();
    return box.top >= 0 && box.bottom <= limit + 0.5;
  }).length;
}"""


def own_row(page):
    return page.locator(".list--ranking > li", has=page.locator(".own-mark:visible"))


def is_above_the_bar(page) -> bool:
    row = box(own_row(page))
    bar = box(page.locator(".bottom-bar"))
    return row["y"] >= 0 and row["y"] + row["height"] <= bar["y"] + 0.5


def test_nine_rows_and_the_own_row_are_on_the_screen_and_the_filters_are_folded(window):
    page = window()
    page.goto("/c/faizers/")
    page.click("button[name=as][value=amelie]")
    page.wait_for_url("**/ma-soiree/")
    page.goto("/c/faizers/classement/")
    own_row(page).evaluate("row => row.classList.add('is-own-row')")
    assert page.evaluate(WHOLE_ROWS) >= 9
    assert is_above_the_bar(page)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    assert is_above_the_bar(page)
    page.evaluate("scrollTo(0, 0)")
    assert not page.locator("#q-phone").is_visible()
    page.get_by_text("Filtrer").click()
    page.fill("#q-phone", "dufour")
    with page.expect_navigation():
        page.press("#q-phone", "Enter")
    assert page.locator(".list--ranking > li").count() == 1


@pytest.mark.parametrize("width", [320, 360])
def test_the_menu_of_columns_fits_a_narrow_phone(window, width):
    page = window()
    page.set_viewport_size({"width": width, "height": 800})
    page.goto("/c/faizers/classement/")
    page.locator(".menu--sort summary").click()
    page.locator(".menu--sort a").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") == 0
