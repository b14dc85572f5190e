"""Each registry that an upper app fills at start is listed in its app's `registries` and is filled."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator

import pytest

from tests.our_code import ROOT, modules, tree_of

APPS = ("clubs", "ratings", "pairings")


def registries() -> Iterator[tuple[str, str, ast.stmt]]:
    """Every registry with the statement after it, which says who fills it."""
    for app in APPS:
        body = ast.parse((ROOT / app / "registries.py").read_text(encoding="utf-8")).body
        for statement, following in zip(body, [*body[1:], ast.Pass()], strict=True):
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                yield app, statement.target.id, following


LISTED = list(registries())


@pytest.mark.parametrize(
    ("app", "name", "following"), LISTED, ids=[f"{app}.{name}" for app, name, _following in LISTED]
)
def test_each_registry_is_filled_and_says_by_whom(app: str, name: str, following: ast.stmt) -> None:
    assert getattr(importlib.import_module(f"{app}.registries"), name)
    assert isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
    assert any(who in str(following.value.value) for who in (*APPS, "api"))


def test_the_registries_are_those_of_three_apps() -> None:
    assert {app for app, _name, _following in LISTED} == set(APPS)


@pytest.mark.parametrize("app", (*APPS, "api"))
def test_only_the_start_of_an_app_fills_them(app: str) -> None:
    names = {name for _app, name, _following in LISTED}
    filled = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in modules([app])
        if path.name != "apps.py"
        for node in ast.walk(tree_of(path))
        if written(node) & names
    ]
    # The one function that a system is declared with, called by the apps when they start.
    expected = [line for line in filled if line.startswith("clubs/rulebooks/actions.py")]
    assert filled == expected and len(expected) == (app == "clubs")


def written(node: ast.AST) -> set[str]:
    """The names whose content a statement or call changes."""
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = [target.value for target in node.targets if isinstance(target, ast.Subscript)]
    elif isinstance(node, ast.AugAssign):
        targets = [node.target]
    elif (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("append", "extend", "insert", "update", "setdefault")
    ):
        targets = [node.func.value]
    return {getattr(target, "attr", getattr(target, "id", "")) for target in targets}
