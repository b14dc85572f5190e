"""What holds for every template file."""

from __future__ import annotations

import re

from django.conf import settings


def test_no_line_of_a_template_is_longer_than_120_characters():
    long = [
        f"{path.relative_to(settings.BASE_DIR)}:{number}"
        for path in sorted((settings.BASE_DIR / "templates").rglob("*.html"))
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if len(line) > 120
    ]
    assert not long


def test_a_name_of_a_list_can_break_on_a_narrow_phone() -> None:
    """Loose words in a row are a box as wide as the longest: 40 letters push the page."""
    loose = re.compile(r'<li class="row[^"]*">(?:<b[^>]*>[^<]*</b>)?[^<]*\{\{')
    found = [
        f"{path.relative_to(settings.BASE_DIR)}:{number}"
        for path in sorted((settings.BASE_DIR / "templates").rglob("*.html"))
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if loose.search(line)
    ]
    assert not found
