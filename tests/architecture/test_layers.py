"""The contracts of imports, what they cannot say, and rules that look at nothing but their arguments."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import grimp

from tests.our_code import APPS, ROOT, modules, tree_of

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
    for node in ast.walk(tree_of(path)):
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


def is_page(module: str) -> bool:
    return any(part.startswith("views") for part in module.split("."))


def test_only_lists_of_addresses_and_of_blocks_import_pages() -> None:
    """A contract of import-linter has no pattern for `views_….py`; its graph of imports does."""
    # Without a cache: that of import-linter may be written by another process meanwhile.
    graph = grimp.build_graph(*APPS, "config", cache_dir=None)
    importers = {
        importer
        for page in graph.modules
        if is_page(page)
        for importer in graph.find_modules_that_directly_import(page)
        if not is_page(importer)
    }
    assert {name.rpartition(".")[2] for name in importers} == {"urls", "apps", "home_blocks"}
    assert {name for name in importers if name.endswith(".apps")} == {"pairings.apps"}


def clocks_read(path: Path) -> list[str]:
    return [
        f"{relative(path)}, line {node.lineno}: {node.func.attr}()"
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in CLOCKS
    ]


def test_a_rule_reads_no_clock_no_chance_and_no_framework() -> None:
    outside = [
        f"{relative(path)}, line {line}: import {module}"
        for path in RULES
        for line, module in imports(path)
        if module.partition(".")[0] in LOOKS_OUTSIDE
    ]
    clocks = [call for path in RULES for call in clocks_read(path)]
    assert outside + clocks == []


def test_a_rule_never_rounds_as_python_does() -> None:
    """Python rounds 2.5 to 2; every document rounds it to 3. `rounding.half_up` is the one way."""
    calls = [
        f"{relative(path)}, line {node.lineno}"
        for path in RULES
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "round"
    ]
    assert calls == []


READ_THE_CLOCK = ("middleware.py", "database_clock.py", "doctor.py")
"""The last one compares the database's clock with the time it was given."""
BEGIN = ("tasks.py", "home_blocks.py", "player_match.py")
"""Where, beside pages and commands, a request or a task asks the time once."""
DEEP = [
    path
    for path in modules(APPS)
    if "management" not in path.parts
    and not is_page(relative(path).removesuffix(".py").replace("/", "."))
    and path.name not in (*READ_THE_CLOCK, *BEGIN)
]


def test_the_time_is_passed_in_and_asked_nowhere_deep() -> None:
    assert [call for path in DEEP for call in clocks_read(path)] == []


def of_another(module: str) -> bool:
    """Whether this module of a library is not meant for others."""
    parts = module.split(".")
    inner = any(part == "internal" or part.startswith("_") for part in parts[1:])
    return inner and parts[0] not in (*APPS, "config")


def test_no_inner_part_of_a_library_is_used_but_where_it_has_no_other() -> None:
    """`sessions.note_proof` says why. Such a part may change with any version of its library."""
    found = {
        (relative(path), module)
        for path in modules()
        for _line, module in imports(path)
        if of_another(module)
    }
    assert found == {("clubs/accounts/sessions.py", "allauth.account.internal.flows.login")}
