"""Arrows between the apps, doors in their walls, and rules that look at nothing but their arguments."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
APPS = ("clubs", "ratings", "pairings")
# What an app shows to the apps above it. Everything else is its own business.
DOORS = {
    "clubs.models": "people and decisions",
    "clubs.rulebooks.actions": "the rules in force",
    "clubs.journal.chain": "the one way to write the journal",
    "clubs.accounts.client_address": "the address a request comes from",
    "clubs.members.pins": "a member's 4-digit code",
    "clubs.accounts.rate_limits": "how often something may be tried",
    "clubs.sanctions.actions": "who is suspended",
    "clubs.accounts.permissions": "who may do what",
    "clubs.members.actions": "guests and players made at the door",
    "clubs.journal.wording": "the words of the journal",
    "clubs.notifications.outbox": "mails to members",
    "clubs.accounts.actor": "who acts, on whose behalf",
    "clubs.upkeep.database_clock": "the time that sweeps go by",
    "clubs.upkeep.sweeps": "when each periodic task last ran",
    "clubs.ui.typed": "numbers that people type",
    "clubs.rulebooks.fields": "how a rule declares its numbers",
    "clubs.journal.triggers": "the database's own refusal, for migrations",
    "clubs.ui.navigation": "counters in the menu",
    "clubs.ui.dates": "days as French writes them",
    "clubs.ui.elision": "French before a name",
    "clubs.rulebooks.citations": "an article as its reader knows it",
    "clubs.approvals.actions": "a second committee member's agreement",
    "clubs.members.forms": "the base of every form",
    "clubs.tables": "the base of every table",
    "clubs.ui.charts": "drawings",
    "clubs.ui.qr": "QR codes",
    "clubs.members.imports": "a file of rows, read safely",
    "clubs.upkeep.jobs": "long acts that a worker does",
    "clubs.upkeep.views": "the buttons of a long act",
    "clubs.organisations.views": "blocks of the home page, registered from above",
    "clubs.own_row": "the reader's own line in shared rows",
    "clubs.ui.badges": "badges",
    "clubs.ui.csv": "the one writer of CSV files",
    "clubs.templatetags": "how things look",
    "ratings.ledger.settlement": "write",
    "ratings.lists.queries": "read",
    "ratings.systems.columns": "columns and rows of what is published",
    "ratings.competitions.simulation": "where the ladder's own standings are tried",
    "ratings.demo.federation": "the demo federation",
    "ratings.lists.explanations": "stored reasons in words",
    "ratings.editions.views": "an edition's rows as pages print them",
    "ratings.editions.actions": "published rankings, the club's own registered there",
    "ratings.ledger.corrections": "what a correction is",
    "ratings.ledger.correction_policy": "alone, or two together",
    "ratings.ledger.replay": "the difference a correction makes",
    "ratings.systems.categories": "thresholds and names",
    "ratings.ledger.models": "rows to link to",
    "ratings.systems": "formulas, for the conformance door and the projected cote",
}
RULES = [
    *sorted(ROOT.glob("*/systems/*.py")),
    *(
        ROOT / name
        for name in (
            "ratings/systems/categories.py",
            "pairings/rules/scoring.py",
            "pairings/rules/tiebreaks.py",
            "pairings/rules/match_lifecycle.py",
            "pairings/rules/absence_policy.py",
            "clubs/rulebooks/fields.py",
            "ratings/ledger/correction_policy.py",
        )
    ),
]
LOOKS_OUTSIDE = {"random", "time", "secrets", "uuid", "os", "django", "celery", "numpy"}
CLOCKS = {"now", "today", "utcnow"}


def imports(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            if node.module in APPS:
                yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
            else:
                yield node.lineno, node.module


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_imports_go_one_way_only() -> None:
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_app_is_entered_by_its_doors() -> None:
    entered = [
        f"{relative(path)}:{line} imports {module}"
        for app in APPS
        for path in sorted((ROOT / app).rglob("*.py"))
        for line, module in imports(path)
        if module.partition(".")[0] in APPS and module.partition(".")[0] != app
        if not any(module == door or module.startswith(f"{door}.") for door in DOORS)
    ]
    assert entered == []


@pytest.mark.parametrize("path", RULES, ids=relative)
def test_a_rule_reads_no_clock_no_chance_and_no_framework(path: Path) -> None:
    outside = [
        f"line {line}: import {module}"
        for line, module in imports(path)
        if module.partition(".")[0] in LOOKS_OUTSIDE
    ]
    clocks = [
        f"line {node.lineno}: {node.func.attr}()"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in CLOCKS
    ]
    assert outside + clocks == []


@pytest.mark.parametrize("path", RULES, ids=relative)
def test_a_rule_never_rounds_as_python_does(path: Path) -> None:
    """Python rounds 2.5 to 2; every document rounds it to 3. `rounding.half_up` is the one way."""
    calls = [
        node.lineno
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "round"
    ]
    assert calls == []


DEEP = [
    path
    for app in APPS
    for path in sorted((ROOT / app).rglob("*.py"))
    if not {"views", "commands", "migrations", "templatetags", "conformance"} & set(path.parts)
    and path.name not in ("tasks.py", "admin.py", "middleware.py", "database_clock.py")
]


@pytest.mark.parametrize("path", DEEP, ids=relative)
def test_the_time_is_passed_in_and_asked_nowhere_deep(path: Path) -> None:
    asked = [
        f"line {node.lineno}"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in CLOCKS
    ]
    assert asked == []
