"""A status is named by its enum: a string retyped elsewhere is not found when a status changes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FIELDS = {"status", "state", "status__in", "state__in"}
MODULES = [
    path
    for app in ("api", "clubs", "pairings", "ratings")
    for path in sorted((ROOT / app).rglob("*.py"))
    if not {"migrations", "conformance", "styleguide"} & set(path.parts)
]
NO_STATUS = {("api/v1/views/play.py", "live")}
"""A part of an address: which of the two rankings, the live one or the closed one."""


def words_in(node: ast.expr) -> Iterator[str]:
    values = node.elts if isinstance(node, (ast.Tuple, ast.List, ast.Set)) else [node]
    for value in values:
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield value.value


def retyped_in(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Strings compared with a status, or given for one to a filter, an update or a new row."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(getattr(side, "attr", getattr(side, "id", "")) in FIELDS for side in sides):
                yield from ((node.lineno, word) for side in sides for word in words_in(side))
        elif isinstance(node, ast.keyword) and node.arg in FIELDS:
            yield from ((node.value.lineno, word) for word in words_in(node.value))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_status_is_retyped_as_a_string(path: Path) -> None:
    found = retyped_in(ast.parse(path.read_text()))
    name = path.relative_to(ROOT).as_posix()
    assert [(line, word) for line, word in found if (name, word) not in NO_STATUS] == []
