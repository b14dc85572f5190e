#!/usr/bin/env python
"""Django's command line."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    # A migration or a replay may take long, and somebody waits for its end.
    os.environ.setdefault("DATABASE_STATEMENT_TIMEOUT", "0")
    if sys.argv[1:] == ["version"]:  # Django's own command of that name tells Django's
        from django.conf import settings

        print(settings.SITE_VERSION)
        return
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
