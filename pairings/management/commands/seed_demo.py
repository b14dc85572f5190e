"""`manage.py seed_demo`: make the demo club; `--accounts` prints the accounts to try."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from clubs.accounts.models import User
from clubs.notifications import outbox
from clubs.organisations.models import Organisation
from pairings.demo import club as demo
from pairings.demo import people
from ratings.demo import federation as federation_demo


class Command(BaseCommand):
    help = "Make a believable demo club through the site's own verbs."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--accounts", action="store_true")
        parser.add_argument("--if-empty", action="store_true")
        parser.add_argument("--evenings", type=int, default=8, help="evenings of each season")
        parser.add_argument("--competitions", type=int, default=12, help="the most of one list")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["accounts"]:
            if Organisation.objects.filter(slug="faizers").exists():
                for email, password, role in people.accounts():
                    self.stdout.write(f"{email}  {password}  ({role})")
            return
        if Organisation.objects.exists():
            if options["if_empty"]:
                return
            raise CommandError(
                "There is already an organisation here: the demo needs an empty site."
            )
        if settings.PRODUCTION:
            raise CommandError(
                "Everybody knows the password of the demo's accounts: not with SITE_ENV=production."
            )
        now = timezone.now()
        with transaction.atomic(), outbox.silence():
            club = demo.build(
                now=now, evenings_per_season=options["evenings"], tell=self.stdout.write
            )
            self.stdout.write("The federation and its lists …")
            officer = User.objects.get(email=f"helene@{people.DOMAIN}")
            federation = federation_demo.build(
                now=now, officer=officer, most=options["competitions"]
            )
            federation_demo.try_a_draft(club, officer, now=now)
        self.stdout.write(
            f"{club.name}: {club.members.count()} members, {club.matches.count()} matches"
        )
        lists = federation.rating_lists.count()
        self.stdout.write(f"{federation.name}: {federation.members.count()} members, {lists} lists")
