"""Who may open an account: people who hold an invitation, on the invitation's own page."""

from __future__ import annotations

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest


class ClubAccountAdapter(DefaultAccountAdapter):
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Keep allauth's own sign-up closed: it makes accounts that belong to no club.

        An invitation's page makes the account, and a request to join ends in an invitation.
        """
        return False
