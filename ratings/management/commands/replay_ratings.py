"""`manage.py replay_ratings`: settle every list again from its games, compare every stored number.

Exit code 1 when a number differs; the first one is named. Nothing is written, except with
--rebuild, which writes the latest cotes again before it compares, and with --correct, which
corrects one list from its first period that differs: new entries supersede those there are.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from clubs.accounts.actor import Actor
from clubs.upkeep.jobs import Progress, no_progress
from ratings.ledger import entries, replay, settlement
from ratings.ledger.models import RatingList
from ratings.ledger.posting import LedgerRefused

WIDTH = 30


class Command(BaseCommand):
    help = "Replay rating lists from their games; exit code 1 when a stored number differs."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("list", nargs="?", default="", help="organisation/slug, or slug")
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--check", action="store_true", help="write nothing (the default)")
        what.add_argument(
            "--rebuild", action="store_true", help="write the latest cotes again, then compare"
        )

        what.add_argument(
            "--correct", metavar="REASON", default="", help="correct one list, then compare"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        failed = 0
        rating_lists = self._lists(options["list"])
        if options["correct"] and len(rating_lists) != 1:
            raise CommandError("Name the one list to correct: organisation/slug.")
        for rating_list in rating_lists:
            if options["correct"]:
                self._correct(rating_list, options["correct"])
            if options["rebuild"]:
                with transaction.atomic():  # a settlement meanwhile waits, and finds them all
                    settlement.lock_early(rating_list)
                    number = entries.rebuild_cotes(rating_list)
                self.stdout.write(f"{self._name(rating_list)}: {number} cotes written")
            failed += self._compare(rating_list)
        if failed:
            raise SystemExit(1)

    def _lists(self, asked: str) -> list[RatingList]:
        organisation, _slash, slug = asked.rpartition("/")
        rating_lists = RatingList.objects.select_related("organisation").order_by("pk")
        if slug:
            rating_lists = rating_lists.filter(slug=slug)
        if organisation:
            rating_lists = rating_lists.filter(organisation__slug=organisation)
        if asked and not rating_lists:
            raise CommandError(f"No rating list named {asked!r}.")
        return list(rating_lists)

    def _correct(self, rating_list: RatingList, reason: str) -> None:
        """Replay forward from the first period that differs, as a correction with a reason."""
        first = next(replay.check(rating_list), None)
        period = rating_list.periods.filter(key=first.period).first() if first else None
        if period is None:
            return
        difference = settlement.correct(
            period=period, by=Actor.system("replay"), at=timezone.now(), reason=reason
        )
        name = self._name(rating_list)
        self.stdout.write(f"{name}: {len(difference.lines)} entries superseded")

    def _compare(self, rating_list: RatingList) -> bool:
        """Compare one list and return whether a number differs."""
        name, first, number = self._name(rating_list), None, 0
        try:
            for mismatch in replay.check(rating_list, self._progress(name)):
                first = first or mismatch
                number += 1
        except LedgerRefused as refused:
            self.stdout.write(f"{name}: cannot be replayed: {refused}")
            return True
        if first is None:
            self.stdout.write(f"{name}: every number comes back")
            return False
        stored, replayed = (
            json.dumps(value, sort_keys=True) for value in (first.stored, first.replayed)
        )
        self.stdout.write(
            f"{name}: {number} differ; first: period {first.period}, member {first.member_id}, "
            f"stored {stored}, replayed {replayed}"
        )
        return True

    def _progress(self, name: str) -> Progress:
        """Show a bar on a terminal, nothing in a log."""
        if not sys.stderr.isatty():
            return no_progress

        def draw(done: int, total: int) -> None:
            filled = WIDTH * done // max(1, total)
            bar = "█" * filled + "·" * (WIDTH - filled)
            end = "\n" if done >= total else ""
            sys.stderr.write(f"\r{name} {bar} {done}/{total}{end}")
            sys.stderr.flush()

        return draw

    def _name(self, rating_list: RatingList) -> str:
        return f"{rating_list.organisation.slug}/{rating_list.slug}"
