"""The table of checks of the screens names tests that exist."""

from __future__ import annotations

import re

from django.conf import settings

TABLE = settings.BASE_DIR / "docs/screen-checks.md"


def test_every_test_named_in_the_table_exists():
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", TABLE.read_text())
    assert len(named) == TABLE.read_text().count("::") > 50
    gone = [
        f"{path}::{name}"
        for path, name in named
        if not (file := settings.BASE_DIR / path).is_file()
        or not re.search(rf"^def {name}\(", file.read_text(), re.M)
    ]
    assert gone == []


def test_every_check_has_a_line_that_says_what_shows_it():
    lines = re.findall(r"^\| (\d+) \| [^|]+ \| ([^|]+) \|$", TABLE.read_text(), re.M)
    assert [int(number) for number, _shown in lines] == list(range(1, 51))
    assert all("::" in shown or "nothing holds it" in shown for _number, shown in lines)
