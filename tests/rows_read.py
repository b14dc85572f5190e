"""How many rows a page reads: what grows with the years though its statements stay the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from django.db import connection
from django.db.backends.utils import CursorWrapper


@contextmanager
def rows_read() -> Iterator[list[Any]]:
    """Yield the list of rows that statements inside have given to Python."""
    read: list[Any] = []

    class Noting(CursorWrapper):
        def fetchone(self) -> Any:
            row = self.cursor.fetchone()
            read.extend([] if row is None else [row])
            return row

        def fetchmany(self, *size: Any) -> Any:
            rows = self.cursor.fetchmany(*size)
            read.extend(rows)
            return rows

        def fetchall(self) -> Any:
            rows = self.cursor.fetchall()
            read.extend(rows)
            return rows

    with mock.patch.object(connection, "make_cursor", lambda cursor: Noting(cursor, connection)):
        yield read
