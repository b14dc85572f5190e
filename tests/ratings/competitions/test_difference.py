"""What a correction changes, as its page tells it."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.template.loader import render_to_string


def test_each_publication_that_a_correction_touches_has_a_line_of_its_own():
    told = {"periods": [], "editions": [(1, 4, "Elo"), (2, 5, "Libere")]}
    page = Paginator([], 1).get_page(1)
    shown = render_to_string("ratings/competitions/_difference.html", {"told": told, "page": page})
    lines = shown.rpartition("<p>")[2].split("<br>")
    assert len(lines) == 3 and "Elo" in lines[1] and "Libere" in lines[2]
