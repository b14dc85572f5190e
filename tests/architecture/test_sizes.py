"""No module is over 400 lines, no function over 60, no folder over 12 modules: they are split by subject."""

from __future__ import annotations

import ast
from collections import Counter

from tests.our_code import ROOT, modules, tree_of

MODULES = modules()
LINES_OF_A_MODULE = 400
LINES_OF_A_FUNCTION = 60
MODULES_OF_A_FOLDER = 12


def test_no_module_is_too_long() -> None:
    long = {
        path.relative_to(ROOT).as_posix(): lines
        for path in MODULES
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > LINES_OF_A_MODULE
    }
    assert not long, f"split by subject, {LINES_OF_A_MODULE} lines at most: {long}"


def test_no_function_is_too_long() -> None:
    long = [
        f"{path.relative_to(ROOT)} {node.name}: {node.end_lineno - node.lineno + 1}"
        for path in MODULES
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno + 1 > LINES_OF_A_FUNCTION
    ]
    assert long == []


def test_no_folder_is_crowded() -> None:
    """The API's views are as many as its resources."""
    counted = Counter(path.parent for path in MODULES if path.name != "__init__.py")
    crowded = {
        folder.relative_to(ROOT).as_posix(): modules
        for folder, modules in counted.items()
        if modules > MODULES_OF_A_FOLDER and folder != ROOT / "api/v1/views"
    }
    assert crowded == {}
