"""`manage.py evaluate_rules FILE.jsonl [--check]`: run anybody's cases through the site's own rules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from pairings import conformance


class Command(BaseCommand):
    help = "Read cases, print one JSON answer a line; --check compares with what they expect."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--check", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        passed = failed = 0
        try:
            with options["file"].open(encoding="utf-8-sig") as lines:
                for case in conformance.read(iter(lines)):
                    answer = conformance.run(case)
                    if not options["check"]:
                        self.stdout.write(conformance.line(answer))
                        continue
                    if conformance.check(case, answer):
                        passed += 1
                    else:
                        failed += 1
                        report = {**answer, "expected": case.get("expected")}
                        self.stdout.write(conformance.line(report))
        except BrokenPipeError:
            raise
        except (OSError, ValueError) as broken:
            reason = getattr(broken, "strerror", None) or broken
            raise CommandError(f"{options['file']}: {reason}") from broken
        if options["check"]:
            self.stdout.write(f"{passed} passed, {failed} failed")
            if failed:
                raise SystemExit(1)
