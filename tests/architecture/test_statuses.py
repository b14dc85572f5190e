"""A status and an event are named by their enums: a retyped string is not found when one changes."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from clubs.ui.statuses import STATUS_TAGS
from pairings.rules.match_state import Ending, Event, Status
from tests.our_code import APPS, ROOT, modules, tree_of

FIELDS = {"status", "state", "status__in", "state__in"}
EVENT_FIELDS = {"event", "event__in", "type", "act", "verb", "verb__in"}
EVENTS = {event.value for event in Event} | {event.verb for event in Event}
MODULES = [path for path in modules(APPS) if not {"conformance", "styleguide"} & set(path.parts)]
NO_EVENT = {
    ("api/v1/views/arbitration.py", word) for word in ("contest", "record", "start", "cancel")
}
"""What a program writes in the API, whose schema lists it."""
OF_MATCHES = [path for path in MODULES if path.relative_to(ROOT).parts[0] in ("api", "pairings")]
NO_STATUS = {("api/v1/views/play.py", "live")}
"""A part of an address: which of the two rankings, the live one or the closed one."""


def trees(paths: Iterable[Path]) -> Iterator[tuple[str, ast.AST]]:
    """Each module by its name; one test asks all of them, or the run would be mostly tests' beginnings."""
    for path in paths:
        yield path.relative_to(ROOT).as_posix(), tree_of(path)


def words_in(node: ast.expr) -> Iterator[str]:
    values = node.elts if isinstance(node, (ast.Tuple, ast.List, ast.Set)) else [node]
    for value in values:
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield value.value


def retyped_in(tree: ast.AST, fields: set[str]) -> Iterator[tuple[int, str]]:
    """Strings compared with a field, or given for one to a filter, an update or a new row."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(getattr(side, "attr", getattr(side, "id", "")) in fields for side in sides):
                yield from ((node.lineno, word) for side in sides for word in words_in(side))
        elif isinstance(node, ast.keyword) and node.arg in fields:
            yield from ((node.value.lineno, word) for word in words_in(node.value))


def test_no_status_is_retyped_as_a_string() -> None:
    found = [
        (name, line, word)
        for name, tree in trees(MODULES)
        for line, word in retyped_in(tree, FIELDS)
        if (name, word) not in NO_STATUS
    ]
    assert found == []


def events_in(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Events as strings: compared, given, tested for in a set, or two or more of them in one table.

    Alone, a string as "contest" or "start" is often something else: a variable of a template, a
    button.
    """
    yield from retyped_in(tree, EVENT_FIELDS)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("act_of", "Act"):
            yield from ((node.lineno, word) for part in node.args for word in words_in(part))
        elif isinstance(node, ast.Dict):
            keys = ast.List([key for key in node.keys if key is not None])
            yield from several(node.lineno, keys)
        elif isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            yield from several(node.lineno, node)


def several(line: int, table: ast.expr) -> Iterator[tuple[int, str]]:
    words = [word for word in words_in(table) if word in EVENTS]
    if len(words) > 1:
        yield from ((line, word) for word in words)


def test_no_event_of_a_match_is_retyped_as_a_string() -> None:
    found = [
        (name, line, word)
        for name, tree in trees(OF_MATCHES)
        for line, word in events_in(tree)
        if word in EVENTS and (name, word) not in NO_EVENT
    ]
    assert found == []


@pytest.mark.parametrize(
    "code",
    [
        'line.event == "expire"',
        'act.type in ("decide", "correct")',
        'MatchLine.objects.filter(event="submit")',
        'act_of("start", by, at)',
        'entry.verb == "match_decide"',
        'EVENTS = {"start": 1, "submit": 2}',
        'DECISIONS = ("decide", "correct")',
    ],
)
def test_a_retyped_event_is_found(code: str) -> None:
    assert {word for _line, word in events_in(ast.parse(code))} & EVENTS


def test_each_tag_is_of_a_status_that_exists() -> None:
    final = {f"{Status.FINAL}:{how}" for how in (*Ending, "forfeit")}  # `Match.how`
    tasks = {"todo", "started", "done"}
    assert set(Status) | tasks <= set(STATUS_TAGS) <= set(Status) | tasks | final
