"""What a page is on paper: no navigation, a table from the first sheet on, nothing left folded."""

from __future__ import annotations

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.real_clock]

SEEN = """selector => [...document.querySelectorAll(selector)]
    .filter(e => getComputedStyle(e).display !== "none").length"""
KEPT_WHOLE = """() => [...document.querySelectorAll(".table, ul.list, ol.list")]
    .filter(e => e.offsetParent !== null)
    .map(e => e.closest(".card, .table-card"))
    .filter(card => card && getComputedStyle(card).breakInside !== "auto").length"""
HEADS = """() => [...document.querySelectorAll(".table thead")]
    .map(e => getComputedStyle(e).display)"""

WIDER = """() => [...document.querySelectorAll(".table")].filter(e => e.offsetParent !== null)
    .map(e => [e, e.closest(".table-card, .scroll-x") ?? e.parentElement])
    .filter(([e, card]) => e.getBoundingClientRect().right > card.getBoundingClientRect().right + 1)
    .map(([e]) => e.textContent.trim().slice(0, 60))"""
ABOVE = """() => [...document.querySelectorAll(".table tbody th")]
    .filter(e => getComputedStyle(e).position === "sticky").length"""
UPRIGHT = {"width": 688, "height": 1017}  # an A4 sheet between its margins


def test_the_tables_of_lists_are_as_wide_as_an_upright_sheet(window):
    """Their last columns were cut off, and a tournament's names covered the rules between rows."""
    page = window(size=UPRIGHT)
    page.emulate_media(media="print")
    lists, tournament = "/c/federation/cotes", "/c/faizers/tournois/open-dautomne"
    for path in (
        *(f"{lists}/fisf/", f"{lists}/fesa/", f"{lists}/general/"),
        *(f"{lists}/fisf/publications/1/", f"{tournament}/classement/", f"{tournament}/grille/"),
    ):
        assert page.goto(path).status == 200, path
        assert page.locator(".table").count(), path
        assert page.evaluate(WIDER) == [], path
        assert page.evaluate(ABOVE) == 0, path


def test_a_long_table_begins_under_its_title_and_repeats_its_head(window):
    """Kept whole, it would begin on the second sheet and leave the first one empty."""
    page = window(size={"width": 1280, "height": 800})
    for path in ("/classement/", "/joueurs/", "/regles/", "/soirees/"):
        assert page.goto(path).status == 200
        page.emulate_media(media="print")
        assert page.evaluate(KEPT_WHOLE) == 0, path
        assert set(page.evaluate(HEADS)) <= {"table-header-group"}, path
        assert page.evaluate(SEEN, ".site-header, .bottom-bar, .site-footer, .btn") == 0, path
        page.emulate_media(media="screen")


def test_what_is_folded_on_the_screen_is_read_on_paper(window):
    page = window()
    page.goto("/confidentialite/")
    folded = page.locator("main details").first
    assert not folded.locator("p, ul").first.is_visible()
    page.emulate_media(media="print")
    assert folded.locator("p, ul").first.is_visible()


def test_a_page_with_the_committees_menu_fills_the_sheet(window):
    """A landscape sheet is as wide as the screens that show the menu beside the page."""
    page = window("helene", size={"width": 1123, "height": 794})
    page.goto("/gestion/journal/")
    page.emulate_media(media="print")
    assert page.locator("main").bounding_box()["width"] > 1000
