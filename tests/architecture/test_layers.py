"""Arrows between the apps, doors in their walls, and rules that look at nothing but their arguments."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
APPS = ("clubs", "ratings", "pairings", "api")
# The packages of each app, the uppermost first: a package imports those after it.
PACKAGES = {
    "api": ("webhooks", "v1", "tokens"),
    "pairings": (
        *("demo", "players", "arbitration", "tournaments", "evenings", "exchange", "absences"),
        *("ranking", "matches", "live", "systems", "rules"),
    ),
    "ratings": (
        *("demo", "grades", "competitions", "trials", "handovers", "names"),
        *("editions", "lists", "ledger", "systems"),
    ),
    "clubs": (
        *(
            "archive",
            "setup",
            "approvals",
            "sanctions",
            "persons",
            "members",
            "personal_data",
            "rulebooks",
            "journal",
            "notifications",
        ),
        *("organisations", "upkeep", "exchange", "accounts", "ui"),
    ),
}
NO_RULES = {"conformance.py", "wording.py", "words.py"}
RULES = [
    *(p for p in sorted(ROOT.glob("*/systems/**/*.py")) if p.name not in NO_RULES),
    *(p for p in sorted(ROOT.glob("pairings/rules/*.py")) if p.name not in NO_RULES),
    ROOT / "clubs/rulebooks/fields.py",
    ROOT / "ratings/ledger/correction_policy.py",
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


def module_of(path: Path) -> str:
    return relative(path).removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def imported(path: Path) -> set[str]:
    """The modules of the project that a file imports, `from package import module` resolved."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] in APPS:
            for alias in node.names:
                whole = ROOT / f"{node.module}.{alias.name}".replace(".", "/")
                is_module = whole.with_suffix(".py").exists() or whole.is_dir()
                found.add(f"{node.module}.{alias.name}" if is_module else node.module)
    return found


def is_page(module: str) -> bool:
    """Pages and the app's own lists of pages and tasks may read any package of their app."""
    parts = module.split(".")
    return any(part.startswith("views") for part in parts) or parts[-1] in (
        *("urls", "tasks", "apps", "admin", "models", "home_blocks", "journal_subjects"),
        "player_match",
    )


def is_table(module: str) -> bool:
    """Tables are a layer of their own: every package may read them."""
    return module.split(".")[-1].startswith("models")


MODULES = [
    path
    for app in APPS
    for path in sorted((ROOT / app).rglob("*.py"))
    if not {"migrations", "management", "templatetags"} & set(path.parts)
    and path.name != "conformance.py"
]


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_packages_import_those_below_them_only(path: Path) -> None:
    module = module_of(path)
    app, package = (*module.split("."), "")[:2]
    order = PACKAGES[app]
    wrong = set()
    if package in order and not is_page(module):
        for other in imported(path):
            parts = (*other.split("."), "")
            if is_table(other):
                continue
            above = parts[0] == app and parts[1] in order[: order.index(package)]
            if above or any(part.startswith("views") for part in parts):
                wrong.add(other)
    assert wrong == set()


def test_every_folder_of_an_app_is_a_package_with_a_place() -> None:
    apart = {"migrations", "management", "templatetags", "__pycache__"}
    for app, order in PACKAGES.items():
        folders = {path.parent.name for path in (ROOT / app).glob("*/__init__.py")} - apart
        assert folders == set(order), app


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


READ_THE_CLOCK = ("middleware.py", "database_clock.py", "doctor.py")
"""The last one compares the database's clock with the time it was given."""
DEEP = [
    path for path in MODULES if not is_page(module_of(path)) and path.name not in READ_THE_CLOCK
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
