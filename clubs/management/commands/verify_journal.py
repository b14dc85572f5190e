"""`manage.py verify_journal`: walk every chain and name each row changed, removed or inserted."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from clubs.journal import chain as journal
from clubs.organisations.models import Organisation


class Command(BaseCommand):
    help = "Verify the journal's hash chain; exit code 1 when a row does not hold."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--organisation", default="")

    def handle(self, *args: Any, **options: Any) -> None:
        found = Organisation.objects.order_by("pk")
        if options["organisation"]:
            found = found.filter(slug=options["organisation"])
        broken = 0
        for organisation in found:
            breaches = list(journal.verify(organisation))
            broken += len(breaches)
            for breach in breaches:
                self.stdout.write(f"{breach.organisation}: row {breach.seq}: {breach.what}")
            seq, head = journal.head_of(organisation)
            if not breaches:
                self.stdout.write(f"{organisation.slug}: {seq} rows hold, head {head}")
        if broken:
            raise SystemExit(1)
