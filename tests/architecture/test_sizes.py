"""No module of the apps is over 400 lines and no function over 60: a longer one is split by subject."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODULES = [
    path
    for app in ("api", "clubs", "config", "pairings", "ratings")
    for path in sorted((ROOT / app).rglob("*.py"))
    if "migrations" not in path.parts
]
LINES_OF_A_MODULE = 400
LINES_OF_A_FUNCTION = 60


def test_no_module_is_too_long() -> None:
    long = {
        path.relative_to(ROOT).as_posix(): lines
        for path in MODULES
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > LINES_OF_A_MODULE
    }
    assert long == {}


def test_no_function_is_too_long() -> None:
    long = [
        f"{path.relative_to(ROOT)} {node.name}: {node.end_lineno - node.lineno + 1}"
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno + 1 > LINES_OF_A_FUNCTION
    ]
    assert long == []
