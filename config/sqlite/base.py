"""Django's SQLite, with writers who queue instead of sleeping.

SQLite lets one writer in at a time; the others sleep 1, 2, 5, 10 … 100 ms between two looks, so
with a whole room confirming most of the time passes while nobody writes (20 at once on two
processes: 1.5 s for the last one, the processor idle). Here the threads of a process queue at a
lock, and the first of them looks at the database again every fifth of a millisecond.
"""

from __future__ import annotations

import threading
import time

from django.db.backends.sqlite3 import base
from django.db.utils import OperationalError

PAUSE_S = 0.0002
_door = threading.Lock()


class DatabaseWrapper(base.DatabaseWrapper):
    def _start_transaction_under_autocommit(self) -> None:
        """BEGIN IMMEDIATE, after at most the `timeout` of the settings, as SQLite would."""
        patience = float(self.settings_dict["OPTIONS"].get("timeout", 5))
        until = time.monotonic() + patience
        if not _door.acquire(timeout=patience):
            raise OperationalError("database is locked")
        try:
            self.connection.execute("PRAGMA busy_timeout = 0")
            self._begin(until)
        finally:
            self.connection.execute(f"PRAGMA busy_timeout = {int(patience * 1000)}")
            _door.release()

    def _begin(self, until: float) -> None:
        while True:
            try:
                return super()._start_transaction_under_autocommit()  # type: ignore[misc]
            except OperationalError as refusal:
                if "locked" not in str(refusal) or time.monotonic() > until:
                    raise
            time.sleep(PAUSE_S)
