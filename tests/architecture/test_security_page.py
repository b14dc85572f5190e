"""docs/security.md and docs/reliability.md name tests, modules and constraints that there are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.apps import apps

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("security.md", "reliability.md")
FOLDERS = "api|benchmarks|clubs|config|deploy|docs|pairings|ratings|templates|tests"
CONSTRAINTS = {
    constraint.name for model in apps.get_models() for constraint in model._meta.constraints
}


def text_of(page: str) -> str:
    return (ROOT / "docs" / page).read_text(encoding="utf-8")


def rows(page: str, after: str) -> list[list[str]]:
    """The cells of the rows of a table, by what stands in its head."""
    table = text_of(page).partition(after)[2].partition("\n\n")[0]
    return [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]


def missing(text: str) -> list[str]:
    """What the text names and there is not."""
    tests = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text)
    assert len(tests) == text.count("::")
    gone = [
        f"{path}::{name}"
        for path, name in tests
        if not (file := ROOT / path).is_file()
        or not re.search(rf"^(async )?def {name}\(", file.read_text(encoding="utf-8"), re.M)
    ]
    paths = re.findall(rf"`((?:{FOLDERS})/[\w./-]+|[\w.-]+\.(?:py|txt))`", text)
    gone += [path for path in paths if not (ROOT / path).exists()]
    names = re.findall(r"`([a-z]+(?:_[a-z0-9]+){2,})`", text)
    return gone + [name for name in names if name not in CONSTRAINTS]


@pytest.mark.parametrize("page", PAGES)
def test_every_test_module_and_constraint_named_on_the_page_exists(page: str) -> None:
    assert text_of(page).count("::") > 40
    assert missing(text_of(page)) == []


@pytest.mark.parametrize(
    "wrong",
    [
        "`tests/architecture/test_security_page.py::test_nothing`",
        "`tests/nowhere.py::test_every_test_module_and_constraint_named_on_the_page_exists`",
        "`clubs/nowhere.py`",
        "`nobody_plays_them_self`",
    ],
)
def test_a_name_that_is_not_there_is_found(wrong: str) -> None:
    assert len(missing(wrong)) == 1


def test_each_threat_has_a_row_and_what_is_not_done_is_said() -> None:
    threats = rows("security.md", "| # | threat |")
    assert [number for number, *_rest in threats] == [str(number) for number in range(1, 26)]
    for number, _threat, done, shown in threats:
        assert "::" in shown, number
        assert "`" in done or "not done" in done, number


def test_each_row_of_the_standard_has_a_test_or_says_why_not() -> None:
    standard = rows("security.md", "| requirements |")
    numbers = [number for ids, *_rest in standard for number in ids.split()]
    assert len(numbers) == len(set(numbers)) >= 166
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", number) for number in numbers)
    assert [
        ids for ids, _done, shown in standard if "::" not in shown and "not done" not in shown
    ] == []
