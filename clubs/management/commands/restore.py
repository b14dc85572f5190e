"""`manage.py restore FILE`: an archive into a new, migrated site, on any database."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from clubs.archive import reading
from clubs.archive.erasures import forget_again, in_doubt
from clubs.archive.format import ArchiveRefused
from clubs.personal_data.erasures import list_file, read


class Command(BaseCommand):
    help = (
        "Restore an archive into an empty site, forget again whoever was forgotten since, then verify "
        "chains, editions and ratings."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--erasures",
            type=Path,
            metavar="LIST",
            help="erasures.jsonl of the site that the archive is from (default: that in DATA_DIR)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        listed = options["erasures"] or list_file()
        forgotten, left, doubtful = 0, list[str](), list[str]()

        def forget() -> None:
            nonlocal forgotten, left, doubtful
            forgotten, left = forget_again(erasures, at=timezone.now())
            doubtful = in_doubt(begun)

        try:
            is_listed = options["erasures"] or listed.exists()
            erasures, begun = read(listed) if is_listed else ([], [])
            # In its transaction: one that is killed leaves nobody who was forgotten.
            manifest = reading.restore(options["file"], then=forget)
        except (ArchiveRefused, OSError, ValueError) as refused:
            raise CommandError(str(refused)) from refused
        rows = sum(table.rows for table in manifest.tables.values())
        self.stdout.write(f"{rows} rows and {len(manifest.files)} files restored")
        if erasures:
            self.stdout.write(f"{forgotten} of {len(erasures)} people of {listed} forgotten again")
        for sentence in left:
            self.stderr.write(f"not forgotten again: {sentence}")
        if left:
            self.stderr.write(
                "Next: end their match, or give the committee another member; then forget each on "
                "their page of the members (leave, and forget)."
            )
        for row in doubtful:
            self.stderr.write(
                f"perhaps forgotten: {row}. The site did not end what had begun. Next: ask the committee."
            )
        call_command("verify", stdout=self.stdout, stderr=self.stderr)
        if left or doubtful:
            raise SystemExit(1)
