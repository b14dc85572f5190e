#!/usr/bin/env python
"""Django's command line."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress

STOPPED = 128 + signal.SIGINT


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    # A migration or a replay may take long, and somebody waits for its end.
    os.environ.setdefault("DATABASE_STATEMENT_TIMEOUT", "0")
    # As Ctrl-C: a command that is ended removes the file that it was writing.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        run()
    except BrokenPipeError:  # `| head`: nobody reads the rest, and Python would try it once more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except KeyboardInterrupt:
        sys.stderr.write("manage.py: stopped before its end.\n")
        sys.exit(STOPPED)


def run() -> None:
    """Run the command. What an operator can mend is one sentence."""
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import DatabaseError

    try:
        if sys.argv[1:] == ["version"]:  # Django's own command of that name tells Django's
            print(settings.SITE_VERSION)
        else:
            execute_from_command_line(sys.argv)
    except ImproperlyConfigured as wrong:  # one sentence: `doctor` is run to read what is wrong
        sys.exit(f"manage.py: {wrong}")
    except DatabaseError as failed:
        sentence = why(failed)
        if not sentence or "--traceback" in sys.argv:
            raise
        sys.exit(f"manage.py: {sentence}")
    finally:
        print(end="", flush=True)  # what is left, while a closed pipe can still be caught


def why(failed: Exception) -> str:
    """Return what the operator can mend: the database is away, without its tables, full, read-only."""
    from django.db import DatabaseError, OperationalError
    from psycopg.errors import InsufficientPrivilege, ReadOnlySqlTransaction
    from psycopg_pool import PoolTimeout

    from clubs.upkeep import doctor

    if isinstance(failed.__cause__, PoolTimeout):
        return "the database does not answer: manage.py doctor says why."
    if sys.argv[1] == "migrate":  # it names the migration, and where in it
        return ""
    with suppress(DatabaseError):
        if doctor.waiting_migrations():
            return "the database lacks tables of this version: run manage.py migrate first."
    # A standby, and tables that another role restored: PostgreSQL has other classes for them.
    is_of_server = isinstance(failed.__cause__, (InsufficientPrivilege, ReadOnlySqlTransaction))
    if not isinstance(failed, OperationalError) and not is_of_server:
        return ""
    return f"the database: {' '.join(str(failed).split())}: see manage.py doctor."


if __name__ == "__main__":
    main()
