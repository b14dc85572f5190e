"""Django's PostgreSQL with what a room that confirms at once can do without taken out."""

from __future__ import annotations

import re
import select
from functools import lru_cache
from itertools import count
from typing import Any

from django.db.backends.postgresql import base
from psycopg import RawCursor


class DatabaseWrapper(base.DatabaseWrapper):
    def is_usable(self) -> bool:
        """Asked before each request. A server that went away has closed its line, which can be
        seen from here; only where the line has something to say is the server asked."""
        if self.connection is None or self.connection.closed:
            return False
        line = select.poll()
        line.register(self.connection.pgconn.socket, select.POLLIN)
        return not line.poll(0) or bool(super().is_usable())

    def numbered_cursor(self) -> Any:
        """A cursor for long texts with `%s`, each of which is rewritten for PostgreSQL once.

        psycopg looks for the places of the values anew at every use of a text with more than 50.
        """
        self.ensure_connection()
        return self._prepare_cursor(Numbered(self.connection))  # type: ignore[attr-defined]


class Numbered(RawCursor[Any]):
    def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
        return super().execute(_numbered(query), params, **options)


@lru_cache(maxsize=256)
def _numbered(text: str) -> bytes:
    """$1, $2 … for each %s."""
    places = count(1)
    return re.sub("%[s%]", lambda m: "%" if m[0] == "%%" else f"${next(places)}", text).encode()
