"""How the benchmarks print and store what they measured."""

from __future__ import annotations

import json
import platform
import statistics
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "results"
README = Path(__file__).parent.parent / "README.md"
BEGIN, END = "<!-- speed -->\n", "<!-- /speed -->\n"
HEADLINES = (
    *("strict pairing, 1,000 players, 30 matches each", "look-ahead pairing, 1,000 players, 30 "),
    *("standings, 1,000 players", "confirm POST", "1000 live viewers", "ranking page"),
    *("Ma soirée, signed in", "match, signed in", "ranking, signed in", "player, signed in"),
    *("faizers: history", "fisf: history", "faizers: preview", "fisf: preview"),
    *("one confirmation", "PDF of a ranking", "FESA table", "list page, first"),
    "clubs at once",
)
"""Prefixes of the lines that the README shows, in its order."""


def median_of(work: Callable[[], object], *, repeats: int = 7) -> float:
    """Return the median seconds of one call."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def line_of(
    name: str, seconds: float, limit: float | None, anchor: float | None = None
) -> dict[str, Any]:
    """Return a line for `publish`."""
    return {"name": name, "seconds": seconds, "limit": limit, "anchor": anchor}


def publish(name: str, lines: Sequence[dict[str, Any]]) -> None:
    """Print name, figure, limit and ratio to the anchor; keep them as JSON with the machine."""
    for line in lines:
        limit = line.get("limit")
        anchor = line.get("anchor")
        text = f"{line['name']:<68} {_figure(line, 'seconds'):>10}"
        text += f"  limit {_figure(line, 'limit'):>8}" if limit else " " * 16
        if anchor:
            text += f"  {line['seconds'] / anchor:6.2f} × {line.get('anchor_name', 'anchor')}"
        print(text + (f"  {line['note']}" if line.get("note") else ""), flush=True)
    FOLDER.mkdir(exist_ok=True)
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    ).stdout.strip()
    kept = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": commit,
        "machine": f"{platform.machine()}, {_cores()} cores",
        "python": f"{platform.python_version()}, built {_build()}",
        "lines": list(lines),
    }
    (FOLDER / f"{name}.json").write_text(json.dumps(kept, indent=1, default=str) + "\n")
    README.write_text(with_table(README.read_text()))


def with_table(readme: str) -> str:
    """Return the README with the table of the last measures."""
    before, _begin, rest = readme.partition(BEGIN)
    _old, _end, after = rest.partition(END)
    return before + BEGIN + table() + END + after


def table() -> str:
    """Return the main lines, with their limits, from the stored files."""
    kept = [json.loads(file.read_text()) for file in sorted(FOLDER.glob("*.json"))]
    known = [line for one in kept for line in one["lines"]]
    rows = [_row(line) for start in HEADLINES for line in known if line["name"].startswith(start)]
    machines = sorted({f"{one['machine']}, Python {one['python']}" for one in kept})
    told = f"\nMeasured by `python3 run.py bench` on {'; '.join(machines)}.\n"
    return "\n".join(["| what | asked | measured |", "|---|---|---|", *rows]) + "\n" + told


def _row(line: dict[str, Any]) -> str:
    limit, anchor = line.get("limit"), line.get("anchor")
    if anchor and line.get("anchor_name"):
        name = line["anchor_name"]
        asked = f"{limit / anchor:.1f} × {name}" if limit else f"2 × {name}"
        return f"| {line['name']} | {asked} | {line['seconds'] / anchor:.2f} × |"
    asked = _figure(line, "limit") if limit is not None else ""
    return f"| {line['name']} | {asked} | {_figure(line, 'seconds')} |"


def _build() -> str:
    """Return whether Python has profile-guided optimisation, in words: a quarter of every figure."""
    told = sysconfig.get_config_var("CONFIG_ARGS") or ""
    return "with optimisation" if "--enable-optimizations" in told else "without optimisation"


def _cores() -> int:
    import os

    return os.cpu_count() or 1


def _figure(line: dict[str, Any], name: str) -> str:
    """Return a figure of a line in words: a time, unless the line has a unit of its own."""
    value = line[name]
    if "unit" in line:
        return f"{value:.0f} {line['unit']}".strip()
    return f"{value * 1000:.2f} ms" if value < 10 else f"{value:.1f} s"


if __name__ == "__main__":
    sys.exit("This module prints for the others: run python3 run.py bench")
