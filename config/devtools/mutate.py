"""`run.py mutate FILE [TESTS…]`: change a file in one place at a time and see which tests fail.

Everything happens in a copy of the project in a temporary folder, so an interrupted run leaves
nothing behind in the project itself.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "data", "__pycache__", "*.pyc", ".*_cache")
NARROWING = ("filter", "exclude", "get", "get_object_or_404")
GUARD = re.compile(r"\w+_required|require_\w+|public")
OPPOSITE: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}


@dataclass(frozen=True)
class Mutant:
    """One change: bytes `start` to `end` of the file replaced by `text`."""

    kind: str
    line: int
    start: int
    end: int
    text: str

    def of(self, source: bytes) -> bytes:
        return source[: self.start] + self.text.encode() + source[self.end :]


class _Places:
    """The position of a node, in bytes from the start of the file."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.starts = [0]
        for line in source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def start(self, node: ast.expr | ast.stmt | ast.keyword) -> int:
        return self.starts[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr | ast.stmt | ast.keyword) -> int:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self.starts[node.end_lineno - 1] + node.end_col_offset

    def text(self, node: ast.expr | ast.stmt) -> str:
        return self.source[self.start(node) : self.end(node)].decode()

    def replaced(self, kind: str, node: ast.expr | ast.stmt | ast.keyword, text: str) -> Mutant:
        return Mutant(kind, node.lineno, self.start(node), self.end(node), text)


def mutants_of(source: bytes) -> list[Mutant]:
    """Return every change, by line. Each of them still compiles."""
    places = _Places(source)
    mutants = [
        mutant for node in ast.walk(ast.parse(source)) for mutant in _mutants_at(node, places)
    ]
    return sorted(set(mutants), key=lambda mutant: (mutant.line, mutant.start, mutant.kind))


def _mutants_at(node: ast.AST, places: _Places) -> Iterator[Mutant]:
    if isinstance(node, ast.FunctionDef):
        yield from _without_guards(node, places)
    elif isinstance(node, ast.Call):
        yield from _narrowing(node, places)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield from _compared(node, places)
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield places.replaced("one more", node, str(node.value + 1))
    elif isinstance(node, ast.Raise):
        yield places.replaced("raise removed", node, "pass")
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield places.replaced("call removed", node, "pass")
    elif isinstance(node, ast.BoolOp) and len(node.values) == 2:
        between = places.end(node.values[0]), places.start(node.values[1])
        word, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        text = places.source[slice(*between)].decode().replace(word, other, 1)
        yield Mutant(f"{word} → {other}", node.values[0].lineno, *between, text)
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        yield from _decided(node, places)


def _without_guards(node: ast.FunctionDef, places: _Places) -> Iterator[Mutant]:
    for guard in node.decorator_list:
        if GUARD.fullmatch(places.text(guard).partition("(")[0]):
            at = places.start(guard) - 1  # the @ goes too; the lines above must not move
            yield Mutant("guard removed", guard.lineno, at, places.end(guard), "")


def _compared(node: ast.Compare, places: _Places) -> Iterator[Mutant]:
    between = places.end(node.left), places.start(node.comparators[0])
    source_text = places.source[slice(*between)].decode()
    if "\n" in source_text:
        return
    # The text between also has the parentheses of either side.
    left = source_text[: len(source_text) - len(source_text.lstrip(" )"))]
    right = source_text[len(source_text.rstrip(" (")) :]
    text = f"{left or ' '}{OPPOSITE[type(node.ops[0])]}{right or ' '}"
    yield Mutant("comparison changed", node.lineno, *between, text)


def _decided(node: ast.If | ast.IfExp | ast.While, places: _Places) -> Iterator[Mutant]:
    yield places.replaced("condition negated", node.test, f"(not ({places.text(node.test)}))")
    if isinstance(node, ast.If) and isinstance(node.body[0], ast.Return | ast.Continue):
        yield places.replaced("return removed", node.body[0], "pass")


def _narrowing(node: ast.Call, places: _Places) -> Iterator[Mutant]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else places.text(node.func)
    if name not in NARROWING:
        return
    for keyword in node.keywords:
        if keyword.arg is not None and (name != "get" or len(node.keywords) > 1):
            start, end = places.start(keyword), places.end(keyword)
            comma = re.match(rb"\s*,", places.source[end:])
            end += comma.end() if comma else 0
            yield Mutant(f"without {keyword.arg}=", keyword.lineno, start, end, "")


def tests_of(file: Path, root: Path) -> list[str]:
    """Return the test files that import the module."""
    package, stem = ".".join(file.parts[:-1]), file.stem
    imported = re.compile(
        rf"^\s*(from {re.escape(package)}\.{stem} import"
        rf"|from {re.escape(package)} import (\([^)]*|[^\n(]*)\b{stem}\b)",
        re.MULTILINE,
    )
    return [
        str(path.relative_to(root))
        for path in sorted((root / "tests").rglob("test_*.py"))
        if path.parent.name != "browser" and imported.search(path.read_text(encoding="utf-8"))
    ]


def _run(copy: Path, tests: Sequence[str], seconds: float | None = None) -> int:
    """Return the exit code of these tests in the copy; a timeout counts as a failure."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n0", "-p", "no:randomly"]
    environment = dict(
        os.environ, TEST_SQLITE=str(copy / "mutate.sqlite3"), PYTHONDONTWRITEBYTECODE="1"
    )
    try:
        return subprocess.run(
            [*command, "--reuse-db", "-p", "no:cacheprovider", *tests],
            cwd=copy,
            env=environment,
            capture_output=True,
            timeout=seconds,
            check=False,
        ).returncode
    except subprocess.TimeoutExpired:
        return 1


def mutate(arguments: Sequence[str], root: Path = ROOT) -> int:
    """Print each change for which all tests pass, with its line. `--only=TEXT` selects by kind."""
    only = next((a.removeprefix("--only=") for a in arguments if a.startswith("--only=")), "")
    name, *tests = [a for a in arguments if not a.startswith("--only=")]
    file = (root / name).resolve().relative_to(root.resolve())
    tests = tests or tests_of(file, root)
    if not tests:
        print(f"No test imports {file}: name the tests.")
        return 2
    source = (root / file).read_bytes()
    chosen = [mutant for mutant in mutants_of(source) if only in mutant.kind]
    with tempfile.TemporaryDirectory(prefix="mutate-") as folder:
        copy = Path(folder) / "project"
        shutil.copytree(root, copy, ignore=LEFT_OUT)
        began = time.monotonic()
        if _run(copy, tests):
            print("These tests fail already without any change.")
            return 2
        patience = 60 + 10 * (time.monotonic() - began)
        print(f"{len(chosen)} changes of {file}, tests: {' '.join(tests)}", flush=True)
        survivors = 0
        for mutant in chosen:
            (copy / file).write_bytes(mutant.of(source))
            if _run(copy, tests, patience) == 0:
                survivors += 1
                line = source.splitlines()[mutant.line - 1].decode().strip()
                print(f"{file}:{mutant.line}: {mutant.kind}: {line}", flush=True)
    print(f"{len(chosen) - survivors} noticed, {survivors} survived")
    return 1 if survivors else 0
