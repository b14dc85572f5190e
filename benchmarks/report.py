"""One way to print and keep what a benchmark measured."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "results"


def publish(name: str, lines: Sequence[dict[str, Any]]) -> None:
    """Print name, figure, limit and ratio to the anchor; keep them as JSON with the machine."""
    for line in lines:
        limit = line.get("limit")
        anchor = line.get("anchor")
        text = f"{line['name']:<68} {_seconds(line['seconds']):>10}"
        text += f"  limit {_seconds(limit):>8}" if limit else " " * 16
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
        "python": platform.python_version(),
        "lines": list(lines),
    }
    (FOLDER / f"{name}.json").write_text(json.dumps(kept, indent=1, default=str) + "\n")


def _cores() -> int:
    import os

    return os.cpu_count() or 1


def _seconds(value: float) -> str:
    return f"{value * 1000:.2f} ms" if value < 10 else f"{value:.1f} s"


if __name__ == "__main__":
    sys.exit("This module prints for the others: run python3 run.py bench")
