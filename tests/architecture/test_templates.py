"""What holds for every template file."""

from __future__ import annotations

from django.conf import settings


def test_no_line_of_a_template_is_longer_than_120_characters():
    long = [
        f"{path.relative_to(settings.BASE_DIR)}:{number}"
        for path in sorted((settings.BASE_DIR / "templates").rglob("*.html"))
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if len(line) > 120
    ]
    assert not long
