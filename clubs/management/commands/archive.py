"""`manage.py archive FILE [--organisation SLUG]`: everything, in one file, while the site runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from clubs.archive import writing
from clubs.organisations.models import Organisation


class Command(BaseCommand):
    help = "Write the site, or one organisation, to one file. The file holds personal data."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--organisation", default="", help="slug; the whole site by default")

    def handle(self, *args: Any, **options: Any) -> None:
        organisation = None
        if slug := options["organisation"]:
            organisation = Organisation.objects.filter(slug=slug).first()
            if organisation is None:
                slugs = Organisation.objects.order_by("slug").values_list("slug", flat=True)
                raise CommandError(f"No organisation named {slug!r}: {', '.join(slugs)}.")
        try:
            manifest = writing.write(options["file"], at=timezone.now(), organisation=organisation)
        except OSError as failed:
            raise CommandError(f"{options['file']}: {failed.strerror or failed}") from failed
        rows = sum(table.rows for table in manifest.tables.values())
        self.stdout.write(f"{options['file']}: {rows} rows, {len(manifest.files)} files")
