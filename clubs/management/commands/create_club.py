"""`manage.py create_club SLUG NAME --committee EMAIL --first-name X`: create an organisation."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone, translation

from clubs.accounts.actor import Actor, Refused
from clubs.notifications import outbox
from clubs.organisations.models import Organisation
from clubs.setup.actions import create_organisation


class Command(BaseCommand):
    help = "Make a club (or a federation) and the first member of its committee."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="short name in addresses: /c/<slug>/")
        parser.add_argument("name")
        parser.add_argument("--committee", required=True, help="e-mail of an existing account")
        parser.add_argument("--first-name", required=True, help="that person's first name")
        parser.add_argument("--last-name", default="")
        parser.add_argument("--federation", action="store_true")
        parser.add_argument("--game", default="Scrabble")
        parser.add_argument(
            "--language", default="fr", choices=[code for code, _ in settings.LANGUAGES]
        )
        parser.add_argument("--time-zone", default=settings.TIME_ZONE)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with translation.override("en"):  # what refuses it is read in a shell
                first = create_organisation(
                    slug=options["slug"],
                    name=options["name"],
                    email=options["committee"],
                    first_name=options["first_name"],
                    last_name=options["last_name"],
                    kind=Organisation.FEDERATION if options["federation"] else Organisation.CLUB,
                    game=options["game"],
                    language=options["language"],
                    time_zone=options["time_zone"],
                    by=Actor.system("command"),
                    at=timezone.now(),
                )
        except Refused as refused:
            raise CommandError(str(refused)) from refused
        page = outbox.link(first.organisation, "clubs:setup")
        self.stdout.write(f"{first.organisation}: {page}")
