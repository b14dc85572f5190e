"""Tests replace what is public: a private name of a module may change without them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
REPLACING = {"setattr", "delattr", "patch", "object"}
"""Of pytest's monkeypatch, and of `mock.patch`, whose `patch.object` it is too."""


def private_names(code: str) -> Iterator[str]:
    """Yield the names with a leading underscore that a test module replaces."""
    for call in ast.walk(ast.parse(code)):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute | ast.Name):
            called = call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id
            for argument in call.args[:2] if called in REPLACING else ():
                name = argument.value if isinstance(argument, ast.Constant) else ""
                if isinstance(name, str) and any(map(is_private, name.split("."))):
                    yield name


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def test_a_replaced_private_name_is_found() -> None:
    found = private_names(
        'monkeypatch.setattr(jobs, "_send", None)\nmock.patch("clubs.jobs._steps")\n'
        'patch.object(jobs, "_x")\nmonkeypatch.setattr(jobs, "send", "_other")\n'
    )
    assert list(found) == ["_send", "clubs.jobs._steps", "_x"]


def test_no_test_replaces_a_private_name() -> None:
    found = {
        (path.relative_to(TESTS).as_posix(), name)
        for path in sorted(TESTS.rglob("*.py"))
        for name in private_names(path.read_text())
    }
    assert not found
