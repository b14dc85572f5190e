"""Tests read and replace what is public: a private name of a module may change without them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
REPLACING = {"setattr", "delattr", "patch", "object"}
"""Of pytest's monkeypatch, and of `mock.patch`, whose `patch.object` it is too."""
DOCUMENTED = {"_meta", "_state", "_base_manager", "_replace"}
"""Of Django's models and of named tuples: public, in spite of their underscore."""


def private_names(code: str) -> Iterator[str]:
    """Yield the names with a leading underscore that a test module replaces, imports or reads.

    Those of its own objects (`self`, `cls`) are its own.
    """
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Call(func=ast.Attribute(attr=called) | ast.Name(id=called), args=[*given]):
                for argument in given[:2] if called in REPLACING else ():
                    name = argument.value if isinstance(argument, ast.Constant) else ""
                    if isinstance(name, str) and any(map(is_private, name.split("."))):
                        yield name
            case ast.Attribute(value=ast.Name(id="self" | "cls")):
                pass
            case ast.Attribute(attr=name) if is_private(name) and name not in DOCUMENTED:
                yield name
            case ast.ImportFrom(names=names):
                yield from (one.name for one in names if is_private(one.name))


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def test_a_replaced_private_name_is_found() -> None:
    found = private_names(
        'monkeypatch.setattr(jobs, "_send", None)\nmock.patch("clubs.jobs._steps")\n'
        'patch.object(jobs, "_x")\nmonkeypatch.setattr(jobs, "send", "_other")\n'
    )
    assert list(found) == ["_send", "clubs.jobs._steps", "_x"]


def test_a_private_name_that_is_read_is_found() -> None:
    found = private_names(
        "from clubs.jobs import _send, send\nclubs.jobs._steps()\nself._own\nMatch._meta\nx.__name__\n"
    )
    assert list(found) == ["_send", "_steps"]


def test_no_test_needs_a_private_name() -> None:
    found = {
        (path.relative_to(TESTS).as_posix(), name)
        for path in sorted(TESTS.rglob("*.py"))
        for name in private_names(path.read_text())
    }
    assert not found
