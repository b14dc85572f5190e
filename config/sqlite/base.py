"""Django's SQLite, with writers who queue instead of sleeping.

SQLite lets one writer in at a time; the others sleep 1, 2, 5, 10 … 100 ms between two looks, so
with a whole room confirming most of the time passes while nobody writes (20 at once on two
processes: 1.5 s for the last one, the processor idle). Here the threads of a process queue at a
lock until the one before has committed. The first of them goes through a turnstile that processes
share, a locked file, and looks at the database again every few tenths of a millisecond; who has
just written finds the turnstile taken, so processes write in turn.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
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
            with self.wrap_database_errors, self._turnstile(until):
                self._begin(self.connection, until)
        except BaseException:
            self._leave()
            raise
        finally:
            self.connection.execute(f"PRAGMA busy_timeout = {int(patience * 1000)}")

    @contextmanager
    def _turnstile(self, until: float) -> Iterator[None]:
        """One process at a time waits for the database. A killed process leaves it by dying."""
        if self.is_in_memory_db():
            yield
            return
        file = os.open(f"{self.settings_dict['NAME']}-queue", os.O_CREAT | os.O_RDWR, 0o600)
        try:
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() > until:
                        raise sqlite3.OperationalError("database is locked") from None
                time.sleep(PAUSE_S)
            yield
        finally:
            os.close(file)

    def _begin(self, database: Any, until: float) -> None:
        """As SQLite begins, but with a short and even pause between two looks."""
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
