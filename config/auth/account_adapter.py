"""Who may create an account, and how often a password may be tried."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest

from clubs.accounts import rate_limits as limits
from clubs.accounts.client_address import address_of
from clubs.accounts.permissions import received_at
from clubs.accounts.rate_limits import Limit

# A club's evening shares one address: its limit is wide, that of one account there is narrow.
OF_AN_ADDRESS = Limit(name="sign_in_address", amount=100, span=timedelta(hours=1))
OF_AN_ACCOUNT = Limit(name="sign_in", amount=5, span=timedelta(minutes=5))
OF_AN_ACCOUNT_A_DAY = Limit(name="sign_in_day", amount=30, span=timedelta(days=1))


class ClubAccountAdapter(DefaultAccountAdapter):
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Keep allauth's own sign-up closed: its accounts belong to no club.

        An account is created on an invitation's page, and a request to join ends in an invitation.
        """
        return False

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count one try of this account from this address, and one of the address.

        allauth counts the tries of an account whatever the address, so that a stranger who keeps
        guessing locks its owner out. Here the owner's tries, from another address, are counted
        apart.
        """
        try:
            for limit, of in self._limits(request, credentials):
                limits.take(limit, *of, at=received_at(request))
        except limits.TooMany as over:
            raise self.validation_error("too_many_login_attempts") from over

    def authenticate(self, request: HttpRequest, **credentials: Any) -> Any:
        user = super().authenticate(request, **credentials)
        if user is not None:
            for limit, of in self._limits(request, credentials):
                limits.give_back(limit, *of, at=received_at(request))
        return user

    def _limits(
        self, request: HttpRequest, credentials: Any
    ) -> list[tuple[Limit, tuple[str, ...]]]:
        address = address_of(request)
        account = str(credentials.get("email", "")).strip().lower()
        return [
            (OF_AN_ADDRESS, (address,)),
            (OF_AN_ACCOUNT, (address, account)),
            (OF_AN_ACCOUNT_A_DAY, (address, account)),
        ]
