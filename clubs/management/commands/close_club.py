"""`manage.py close_club SLUG --reason "…" [--moved-to ADDRESS] [--reopen]`: close an organisation."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone, translation

from clubs.accounts.actor import Actor, Refused
from clubs.management import named
from clubs.setup import closing
from clubs.setup.forms import CloseForm


class Command(BaseCommand):
    help = "Close a club or a federation, or open it again: its pages are read, nothing is written."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="short name in addresses: /c/<slug>/")
        parser.add_argument("--reason", required=True, help="kept in the club's journal")
        parser.add_argument("--moved-to", default="", help="address where it goes on, shown there")
        parser.add_argument("--reopen", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        club, by, at = named.organisation(options["slug"]), Actor.system("command"), timezone.now()
        form = CloseForm({"reason": options["reason"], "moved_to": options["moved_to"]})
        with translation.override("en"):  # what refuses it is read in a shell
            if not form.is_valid():
                raise CommandError(form.errors.as_text())
            typed = form.cleaned_data
            try:
                if options["reopen"]:
                    closing.reopen(organisation=club, reason=typed["reason"], by=by, at=at)
                else:
                    closing.close(organisation=club, by=by, at=at, **typed)
            except Refused as refused:
                raise CommandError(str(refused)) from refused
        self.stdout.write(f"{club} is {'open again' if options['reopen'] else 'closed'}.")
