"""`manage.py restore FILE`: an archive into a new, migrated site, on any database."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from clubs.archive import reading
from clubs.archive.format import ArchiveRefused


class Command(BaseCommand):
    help = "Restore an archive into an empty site, then verify chains, editions and ratings."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            manifest = reading.restore(options["file"])
        except ArchiveRefused as refused:
            raise CommandError(str(refused)) from refused
        rows = sum(table.rows for table in manifest.tables.values())
        self.stdout.write(f"{rows} rows and {len(manifest.files)} files restored")
        for command in ("verify_journal", "verify_editions", "replay_ratings"):
            call_command(command, stdout=self.stdout)
