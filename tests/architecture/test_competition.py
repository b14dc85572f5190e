"""Only one module asks whether a match is of an evening or of a round."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.our_code import ROOT, modules, tree_of

COLUMNS = {"round", "round_id", "evening", "evening_id"}
MODULES = [
    path
    for path in modules(("pairings", "api"))
    if path.parts[-2:] != ("matches", "competition.py")
]

ASKS = re.compile(
    r"{%-?\s*(?:if|elif|with)\b[^%]*\bmatch\.(?:round|evening)(?:_id)?(?![.|\w])"
    r"|\bmatch\.(?:round|evening)(?:_id)?\|(?:yesno|default)"
)


def is_column(node: ast.expr) -> bool:
    """Is it `match.round`, `task.match.evening_id` …?"""
    if not (isinstance(node, ast.Attribute) and node.attr in COLUMNS):
        return False
    return (getattr(node.value, "id", "") or getattr(node.value, "attr", "")) == "match"


def asked_in(tree: ast.AST) -> Iterator[int]:
    """Lines that compare a match's evening or round with None, or take it as a condition."""
    for node in ast.walk(tree):
        tests: list[ast.expr] = []
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            tests = [node.left]
        elif isinstance(node, (ast.If, ast.IfExp, ast.Assert)):
            tests = [node.test]
        elif isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
            tests = node.values
        elif isinstance(node, ast.UnaryOp):
            tests = [node.operand]
        yield from (test.lineno for test in tests if is_column(test))


def test_what_a_match_is_played_in_is_asked_of_its_competition() -> None:
    asked = [
        f"{path.relative_to(ROOT)}: line {line}"
        for path in MODULES
        for line in asked_in(tree_of(path))
    ]
    assert asked == []


@pytest.mark.parametrize("question", ["match.round is None", "a if match.evening else b"])
def test_a_question_elsewhere_is_found(question: str) -> None:
    assert list(asked_in(ast.parse(question))) == [1]


def test_templates_ask_the_competition_too() -> None:
    asked = [
        f"{path.relative_to(ROOT)}: {found.group()}"
        for path in sorted((ROOT / "templates").rglob("*.html"))
        for found in ASKS.finditer(path.read_text(encoding="utf-8"))
    ]
    assert asked == []


@pytest.mark.parametrize(
    ("template", "asks"),
    [
        ("{% if match.round %}", True),
        ('{% elif match.kind == "bye" and not task.match.evening_id %}', True),
        ("{{ match.evening|yesno }}", True),
        ("{% if match.evening.place %}", False),
        ("{% if match.rounds %}", False),
    ],
)
def test_a_question_of_a_template_is_found(template: str, asks: bool) -> None:
    assert bool(ASKS.search(template)) is asks
