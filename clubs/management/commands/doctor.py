"""`manage.py doctor`: what is wrong with this site, and what to do about it."""

from __future__ import annotations

from django.core.management.base import BaseCommand
from django.utils import timezone

from clubs.upkeep import doctor


class Command(BaseCommand):
    help = (
        "Look at versions, folders, disk, database, clock, cache and tasks. Exit code 1 when bad."
    )
    requires_system_checks: list[str] = []

    def handle(self, *args: object, **options: object) -> None:
        bad = False
        for finding in doctor.findings(at=timezone.now()):
            bad = bad or finding.level == doctor.BAD
            self.stdout.write(f"{finding.level:<5}{finding.what}: {finding.words}")
            if finding.todo:
                self.stdout.write(f"     → {finding.todo}")
        if bad:
            raise SystemExit(1)
