"""Django's SQLite, with writers who queue instead of sleeping.

SQLite lets one writer in at a time; the others sleep 1, 2, 5, 10 … 100 ms between two looks, so
with a whole room confirming most of the time passes while nobody writes (20 at once on two
processes: 1.5 s for the last one, the processor idle). Here the threads of a process queue at a
lock until the one before has committed, and only the first of them looks at the database, again
every few tenths of a millisecond while another process writes.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from typing import Any

from django.db.backends.sqlite3 import base
from django.db.utils import OperationalError

PAUSE_S = 0.0003
_door = threading.Lock()


class DatabaseWrapper(base.DatabaseWrapper):
    holds_door = False

    def _start_transaction_under_autocommit(self) -> None:
        """BEGIN IMMEDIATE, after at most the `timeout` of the settings, as SQLite would."""
        patience = float(self.settings_dict["OPTIONS"].get("timeout", 5))
        until = time.monotonic() + patience
        if not _door.acquire(timeout=patience):
            raise OperationalError("database is locked")
        self.holds_door = True
        try:
            with self.wrap_database_errors:
                self._begin(self.connection, until)
        except BaseException:
            self._leave()
            raise
        finally:
            self.connection.execute(f"PRAGMA busy_timeout = {int(patience * 1000)}")

    def _begin(self, database: Any, until: float) -> None:
        database.execute("PRAGMA busy_timeout = 0")
        mode = self.settings_dict["OPTIONS"].get("transaction_mode", "")
        while True:
            try:
                database.execute(f"BEGIN {mode}")
                return
            except sqlite3.OperationalError as refusal:
                if "locked" not in str(refusal) or time.monotonic() > until:
                    raise
            time.sleep(PAUSE_S)

    def _set_autocommit(self, autocommit: bool) -> None:
        """Django says so when a transaction has ended, however it ended."""
        if autocommit:
            self._leave()
        super()._set_autocommit(autocommit)  # type: ignore[misc]

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]
        finally:
            self._leave()

    def _leave(self) -> None:
        if self.holds_door:
            self.holds_door = False
            _door.release()
