"""`manage.py archive FILE [--organisation SLUG]`: everything, in one file, while the site runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from clubs.archive import writing
from clubs.management import named


class Command(BaseCommand):
    help = "Write the site, or one organisation, to one file. The file holds personal data."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--organisation", default="", help="slug; the whole site by default")

    def handle(self, *args: Any, **options: Any) -> None:
        slug, path = options["organisation"], options["file"]
        organisation = named.organisation(slug) if slug else None
        if not path.name:
            raise CommandError(f"{path}: name a file, not a folder.")
        try:
            manifest = writing.write(path, at=timezone.now(), organisation=organisation)
        except OSError as failed:
            raise CommandError(f"{path}: {failed.strerror or failed}") from failed
        rows = sum(table.rows for table in manifest.tables.values())
        self.stdout.write(f"{path}: {rows} rows, {len(manifest.files)} files")
