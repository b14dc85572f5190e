"""How tall the fields of forms are."""

from __future__ import annotations

import pytest
from django.template.loader import render_to_string

from ratings.competitions.forms import SheetForm
from tests.browser.alone import show

pytestmark = [pytest.mark.browser, pytest.mark.real_clock]
SHEETS = "".join(
    f'<link rel="stylesheet" href="/static/css/{name}.css">' for name in ("tokens", "base", "forms")
)


def test_a_sheet_of_places_shows_the_twelve_lines_that_its_form_asks_for(chromium):
    page = chromium.new_page(viewport={"width": 390, "height": 844})
    field = render_to_string("django/forms/field.html", {"field": SheetForm()["sheet"]})
    show(page, f'<!doctype html><html lang="fr"><head>{SHEETS}</head><body>{field}</body></html>')
    lines = "(e) => e.clientHeight / parseFloat(getComputedStyle(e).lineHeight)"
    assert page.locator("textarea").evaluate(lines) >= 12
    page.close()
