"""`manage.py verify`: every journal, published ranking and stored number of the site, in one command."""

from __future__ import annotations

from django.core.management import call_command
from django.core.management.base import BaseCommand

CHECKS = ("verify_journal", "verify_editions", "replay_ratings")


class Command(BaseCommand):
    help = "Verify journals, published rankings and every stored number; exit code 1 when one does not hold."

    def handle(self, *args: object, **options: object) -> None:
        broken = []
        for command in CHECKS:
            try:
                call_command(command, stdout=self.stdout, stderr=self.stderr)
            except SystemExit:
                broken.append(command)
        if broken:
            self.stderr.write(f"does not hold: {', '.join(broken)}")
            raise SystemExit(1)
