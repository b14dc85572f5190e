"""The time to answer of results in the demo club, which began when the demo was made."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path


def end_windows(demo_folder: Path, seconds: float) -> None:
    """Let the time to answer end in so many seconds, as if each result had been sent earlier.

    A minute is enough for a page to come on a busy machine; the browser's clock then moves on.
    """
    ends = datetime.now(UTC) + timedelta(seconds=seconds)
    database = sqlite3.connect(demo_folder / "club.sqlite3", timeout=20)
    rows = database.execute(
        "SELECT id, submitted_at, contest_until FROM pairings_match"
        " WHERE status IN ('submitted', 'absence_claimed')"
    )
    for pk, *times in rows.fetchall():
        sent_at, until = (datetime.fromisoformat(text).replace(tzinfo=UTC) for text in times)
        moved = [str((time + (ends - until)).replace(tzinfo=None)) for time in (sent_at, until)]
        database.execute(
            "UPDATE pairings_match SET submitted_at = ?, contest_until = ? WHERE id = ?",
            [*moved, pk],
        )
    database.commit()
    database.close()
