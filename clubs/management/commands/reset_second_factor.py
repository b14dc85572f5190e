"""`manage.py reset_second_factor EMAIL --reason TEXT`: somebody lost phone and recovery codes."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone, translation

from clubs.accounts.actor import Actor, Refused
from clubs.accounts.models import User
from clubs.members import pins


class Command(BaseCommand):
    help = "Remove every second factor of an account and end its sessions. Make sure who asks."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", help="e-mail of the account")
        parser.add_argument("--reason", required=True, help="written in the journal of their clubs")

    def handle(self, *args: Any, **options: Any) -> None:
        email, at, by = options["email"], timezone.now(), Actor.system("command")
        user = User.objects.of_address(email).first()
        if user is None:
            raise CommandError(f"No account has the address {email}.")
        try:
            with translation.override("en"):  # what refuses it is read in a shell
                pins.take_factors_away(user=user, by=by, at=at, reason=options["reason"])
        except Refused as refused:
            raise CommandError(str(refused)) from refused
        self.stdout.write(f"{user.email} signs in without a second factor and sets one up again.")
