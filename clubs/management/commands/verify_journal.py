"""`manage.py verify_journal`: walk every chain and name each row changed, removed or inserted."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from clubs.journal import chain as journal
from clubs.journal import heads
from clubs.management import named
from clubs.organisations.models import Organisation


class Command(BaseCommand):
    help = "Verify the journal's hash chain; exit code 1 when a row does not hold."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--organisation", default="")
        parser.add_argument(
            "--expect",
            action="append",
            default=[],
            metavar="SEQ:HASH",
            help="a head as the site mailed it; several may be given",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["organisation"]
        organisations = [named.organisation(slug)] if slug else Organisation.objects.order_by("pk")
        expected = [_head(text) for text in options["expect"]]
        if expected and len(organisations) != 1:
            raise CommandError(
                "--expect needs --organisation: each organisation has its own chain."
            )
        broken = 0
        for organisation in organisations:
            breaches = list(journal.verify(organisation))
            broken += len(breaches)
            for breach in breaches:
                self.stdout.write(f"{breach.organisation}: row {breach.seq}: {breach.what}")
            seq, head = journal.head_of(organisation)
            if not breaches:
                self.stdout.write(f"{organisation.slug}: {seq} rows hold, head {head}")
            departed = heads.departure(organisation, expected)
            if departed is not None:
                broken += 1
                agreed, departs = departed
                self.stdout.write(
                    f"{organisation.slug}: not the journal of that head: rows up to {agreed} agree,"
                    f" one of rows {agreed + 1} to {departs} was changed or removed"
                )
        if broken:
            raise SystemExit(1)


def _head(text: str) -> tuple[int, str]:
    head = heads.read(text)
    if head is None:
        raise CommandError(f"--expect {text}: write it as in the mail, SEQ:HASH.")
    return head
