#!/usr/bin/env python
"""Django's command line."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    # A migration or a replay may take long, and somebody waits for its end.
    os.environ.setdefault("DATABASE_STATEMENT_TIMEOUT", "0")
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import OperationalError
    from psycopg_pool import PoolTimeout

    try:
        if sys.argv[1:] == ["version"]:  # Django's own command of that name tells Django's
            print(settings.SITE_VERSION)
        else:
            execute_from_command_line(sys.argv)
    except ImproperlyConfigured as wrong:  # one sentence: `doctor` is run to read what is wrong
        sys.exit(f"manage.py: {wrong}")
    except OperationalError as away:
        if not isinstance(away.__cause__, PoolTimeout):
            raise
        sys.exit("manage.py: the database does not answer: manage.py doctor says why.")


if __name__ == "__main__":
    main()
