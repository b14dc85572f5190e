"""No module of the apps is over 400 lines and no function over 60: a longer one is split by subject."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = [
    path
    for app in ("api", "clubs", "config", "pairings", "ratings")
    for path in sorted((ROOT / app).rglob("*.py"))
    if "migrations" not in path.parts
]
LINES_OF_A_MODULE = 400
LINES_OF_A_FUNCTION = 60


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_module_and_no_function_is_too_long(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    long = [
        f"{node.name}: {node.end_lineno - node.lineno + 1}"
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno + 1 > LINES_OF_A_FUNCTION
    ]
    assert len(text.splitlines()) <= LINES_OF_A_MODULE
    assert not long
