"""Before and after stand apart on a phone, however many columns a table has."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings
from django.template import engines

pytestmark = [pytest.mark.browser]

CELLS = [
    {"name": "Amélie Dufour-Vanderstraeten", "cells": [(1, 2), (0, 3), (2, 12), (1100, 1122)]},
    {"name": "Karim", "cells": [(1, 1), (0, 0), (2, 2), (1500, 1480)]},
]
OVERFLOWING = """() => [...document.querySelectorAll(".effect")].filter(one => {
  const cell = one.closest("td"), style = getComputedStyle(cell);
  const inner = cell.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  return one.getBoundingClientRect().width > inner + 1;
}).map(one => one.textContent)"""


@pytest.mark.parametrize("wide", [360, 390, 1280])
def test_no_value_runs_into_the_next_column(chromium, tmp_path: Path, wide: int) -> None:
    body = (
        engines["django"]
        .get_template("components/_effect_table.html")
        .render({"columns": ["Rang", "PR", "PDI", "Cote"], "rows": CELLS, "caption": "Effet"})
    )
    folder = Path(settings.BASE_DIR) / "static" / "css"
    links = "".join(
        f'<link rel="stylesheet" href="{(folder / name).as_uri()}">'
        for name in ("tokens.css", "base.css", "components.css")
    )
    page_file = tmp_path / "page.html"
    page_file.write_text(
        f'<!doctype html><html lang="fr"><meta charset="utf-8">{links}'
        f'<main class="container"><section class="card card--pad">{body}</section></main></html>'
    )
    page = chromium.new_page(viewport={"width": wide, "height": 844})
    try:
        page.goto(page_file.as_uri())
        assert page.locator(".effect").count() == 8
        assert page.evaluate(OVERFLOWING) == []
    finally:
        page.close()
