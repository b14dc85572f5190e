"""Whether the database keeps in a power cut what it has committed."""

from __future__ import annotations

from django.db import connection

FULL = 2
"""Of SQLite's PRAGMA synchronous: with 1 (NORMAL) a power cut may take the last commits."""


def switched_off() -> list[str]:
    """Return the settings of the database by which a commit does not wait for the disk."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("PRAGMA synchronous")
            return ["PRAGMA synchronous"] if cursor.fetchone()[0] < FULL else []
        cursor.execute(
            "SELECT name FROM pg_settings WHERE name = ANY(%s) AND setting = 'off' ORDER BY name",
            [["fsync", "full_page_writes", "synchronous_commit"]],
        )
        return [name for (name,) in cursor.fetchall()]
