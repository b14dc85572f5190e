"""What `run.py test`, `check`, `translate`, `bench` and `mutate` do, once packages are installed."""

from __future__ import annotations

import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from config.devtools.mutate import mutate

ROOT = Path(__file__).resolve().parents[2]
MODULE = [sys.executable, "-m"]
NAMES = {"sqlite": "SQLite", "postgres": "PostgreSQL and Valkey"}
SLOWEST = ("--durations=20", "--durations-min=5")
# One browser on one database is enough; the plugin also leaves out what uses no database at all.
ONCE = ("tests/browser",)
PLAIN = [
    f"tests/architecture/test_{name}.py"
    for name in ("sizes", "templates", "words", "layers", "rows")
]
CHECKS: dict[str, list[str]] = {
    "format": [*MODULE, "ruff", "format", "--check", "."],
    "lint": [*MODULE, "ruff", "check", "."],
    "dead code": [*MODULE, "vulture"],
    "types": [*MODULE, "mypy"],
    "imports": [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command as c; c()",
    ],
    "migrations": [sys.executable, "manage.py", "makemigrations", "--check", "--dry-run"],
    "templates": [*MODULE, "djlint", "templates", "--lint", "--quiet"],
    "translations": [*MODULE, "pytest", "-q", "-n0", "tests/architecture/test_translations.py"],
    "sizes, words": [*MODULE, "pytest", "-q", "-n0", *PLAIN],
}


def test(arguments: Sequence[str]) -> int:
    """Run everything on SQLite; what uses a database once more on PostgreSQL with Valkey.

    A whole run does both at once: one half works while the other waits for browsers and servers,
    each with as many workers as the machine has cores for it.
    """
    chosen = any(a.startswith(("-n", "-p", "--pdb", "--dist")) for a in arguments)
    named = any((ROOT / a.partition("::")[0]).exists() for a in arguments if a[:1] != "-")
    at_once = not chosen and not named
    workers = max(2, (os.cpu_count() or 1) // 2) if at_once else 3
    parallel = [] if chosen else ["-n", str(workers)]
    totals = dict.fromkeys(("tests", "failures", "errors", "skipped"), 0)
    codes: dict[str, int] = {}

    def half(database: str) -> subprocess.CompletedProcess[str]:
        once = ONCE if database == "postgres" and not named else ()
        left_out = [f"--ignore={path}" for path in once]
        command = [*MODULE, "pytest", *parallel, *SLOWEST, f"--junitxml={_report(database)}"]
        environment = dict(os.environ, TEST_DATABASE=database)
        later = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        shown: dict[str, Any] = later if at_once and database == "postgres" else {}
        if not shown:
            print(f"\n== {NAMES[database]} ==", flush=True)
        return subprocess.run(
            [*command, *left_out, *arguments],
            cwd=ROOT,
            env=environment,
            text=True,
            check=False,
            **shown,
        )

    for database in NAMES:
        _report(database).unlink(missing_ok=True)
    with ThreadPoolExecutor(2 if at_once else 1) as pool:
        for database, done in zip(NAMES, pool.map(half, NAMES), strict=True):
            codes[database] = done.returncode
            if done.stdout:
                print(f"\n== {NAMES[database]} ==\n{done.stdout}", flush=True)
            if _report(database).is_file():
                for suite in ET.parse(_report(database)).iter("testsuite"):
                    for name in totals:
                        totals[name] += int(suite.get(name, "0"))
    failed = totals["failures"] + totals["errors"]
    print()
    for database, code in codes.items():
        verdict = {0: "passed", 5: "no test chosen"}.get(code, f"FAILED (pytest: {code})")
        print(f"{NAMES[database]}: {verdict}")
    passed = totals["tests"] - failed - totals["skipped"]
    print(f"{passed} passed, {failed} failed, {totals['skipped']} skipped", flush=True)
    good = failed == 0 and passed > 0 and set(codes.values()) <= {0, 5}
    return 0 if good else 1


def _report(database: str) -> Path:
    return Path(sys.prefix) / "scratch" / f"{database}.xml"


def check() -> int:
    """Check format, lint, dead code, types, imports and the other `CHECKS`, side by side."""
    broken = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, done in zip(CHECKS, pool.map(_done, CHECKS.values()), strict=True):
            print(f"{name:<14} {'FAILED' if done.returncode else 'ok'}", flush=True)
            if done.returncode:
                broken.append(name)
                print((done.stdout + done.stderr)[-8000:], flush=True)
    print("All checks passed." if not broken else f"Failed: {', '.join(broken)}.", flush=True)
    return 1 if broken else 0


def _done(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def translate() -> int:
    return subprocess.run(
        [*MODULE, "config.devtools.translations"], cwd=ROOT, check=False
    ).returncode


def bench(arguments: Sequence[str]) -> int:
    """Run every benchmarks/bench_*.py, one after the other so that none disturbs another."""
    codes = [0]
    for path in sorted((ROOT / "benchmarks").glob("bench_*.py")):
        print(f"\n== {path.stem.removeprefix('bench_')} ==", flush=True)
        command = [*MODULE, f"benchmarks.{path.stem}", *arguments]
        codes.append(subprocess.run(command, cwd=ROOT, check=False).returncode)
    return max(codes)


def main() -> int:
    command, *rest = sys.argv[1:]
    if command == "test":
        return test(rest)
    if command == "check":
        return check()
    if command == "translate":
        return translate()
    if command == "mutate":
        return mutate(rest)
    if command == "bench":
        return bench(rest)
    sys.exit(f"No such command: {command}.")


if __name__ == "__main__":
    sys.exit(main())
