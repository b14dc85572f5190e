"""Compare every published edition with the digest printed on it and with its journal entry."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from clubs.management import named
from ratings.editions import actions as editions
from ratings.ledger.models import Edition


class Command(BaseCommand):
    help = "Check that no published ranking was changed. Exits 1 and names each one that was."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--organisation", default="", help="slug; every one by default")

    def handle(self, *args: Any, **options: Any) -> None:
        stored_editions = Edition.objects.order_by("organisation", "rating_list", "number")
        if slug := options["organisation"]:
            stored_editions = stored_editions.filter(organisation=named.organisation(slug))
        total = broken = 0
        for edition, found in editions.with_breaches(stored_editions):
            total += 1
            for what in found:
                broken += 1
                slug = edition.rating_list.slug if edition.rating_list else "club"
                name = f"{edition.organisation.slug}/{slug} nº {edition.number}"
                self.stdout.write(f"{name}: {what}")
        self.stdout.write(f"{total} editions, {broken} breaches")
        if broken:
            sys.exit(1)
