"""Who may create an account, how often a password may be tried, and how people prove themselves."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import timedelta
from smtplib import SMTPException
from typing import Any
from urllib.parse import urlencode

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.authentication import get_authentication_records
from allauth.account.models import EmailAddress
from allauth.core.exceptions import ImmediateHttpResponse
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from clubs.accounts import rate_limits, reauthentication
from clubs.accounts.client_address import address_of
from clubs.accounts.device import remember_account
from clubs.accounts.middleware import own_organisation
from clubs.accounts.models import User
from clubs.accounts.permissions import Access, received_at
from clubs.accounts.rate_limits import Limit
from clubs.accounts.sessions import INVITED_AT
from clubs.members import pins
from clubs.members.models import Member
from clubs.setup import actions as setup

log = logging.getLogger(__name__)

# A club's evening shares one address: its limit is wide, that of one account there is narrow.
OF_AN_ADDRESS = Limit(name="sign_in_address", amount=100, span=timedelta(hours=1))
OF_AN_ACCOUNT = Limit(name="sign_in", amount=5, span=timedelta(minutes=5))
OF_AN_ACCOUNT_A_DAY = Limit(name="sign_in_day", amount=30, span=timedelta(days=1))

# Whoever types an address without an account makes the site write to it.
TO_A_STRANGER = Limit(name="stranger", amount=3, span=timedelta(days=1))
TO_STRANGERS = Limit(name="strangers", amount=50, span=timedelta(days=1))
NO_ACCOUNT = "account/email/unknown_account"


class ClubAccountAdapter(DefaultAccountAdapter):
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Keep allauth's own sign-up closed: its accounts belong to no club.

        An account is created on an invitation's page, and a request to join ends in an invitation.
        """
        return False

    def pre_authenticate(self, request: HttpRequest, **credentials: object) -> None:
        """Count one try of this account from this address, and one of the address.

        allauth counts the tries of an account whatever the address, so that a stranger who keeps
        guessing locks its owner out. Here the owner's tries, from another address, are counted
        apart.
        """
        try:
            for limit, of in self._limits(request, credentials):
                rate_limits.take(limit, *of, at=received_at(request))
        except rate_limits.TooMany as over:
            raise self.validation_error("too_many_login_attempts") from over

    def authenticate(self, request: HttpRequest, **credentials: object) -> object:
        user = super().authenticate(request, **credentials)
        if user is not None:
            for limit, of in self._limits(request, credentials):
                rate_limits.give_back(limit, *of, at=received_at(request))
        return user

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a mail in the language of the account; to somebody without one only a few.

        The browser that asks may be another person's, or a borrowed one. The page says nothing of a
        mail that a limit holds back, and does say that the mail server takes none.
        """
        if template_prefix == NO_ACCOUNT:
            at = received_at(self.request)
            try:
                rate_limits.take(TO_STRANGERS, address_of(self.request), at=at)
                rate_limits.take(TO_A_STRANGER, email, at=at)
            except rate_limits.TooMany:
                return
        account = context.get("user") or User.objects.of_address(email).first()
        with translation.override(account.language if account else translation.get_language()):
            try:
                super().send_mail(template_prefix, email, context)
            except (OSError, SMTPException) as away:
                log.error("the mail server takes no mail", extra={"code": type(away).__name__})
                words = _("L’e-mail n’a pas pu être envoyé. Réessayez dans quelques minutes.")
                messages.error(self.request, words)
                # Not the next page: it says that a mail has left.
                raise ImmediateHttpResponse(redirect(self.request.get_full_path())) from away

    def send_notification_mail(
        self,
        template_prefix: str,
        user: object,
        context: dict[str, object] | None = None,
        email: str | None = None,
    ) -> None:
        """Name the account too: the address that it had before is no account's any more."""
        link = self.request.build_absolute_uri(reverse("account_reset_password"))
        more = {**(context or {}), "user": user, "new_password_link": link}
        super().send_notification_mail(template_prefix, user, more, email=email)

    def pre_login(self, request: HttpRequest, user: User, **kwargs: object) -> HttpResponse | None:
        """Drop the password of an account that is first opened by a code.

        A code that was mailed to an address that the account has no more opens nothing: allauth
        would mail that address a link, which gives it the account back.
        """
        email = str(kwargs.get("email") or user.email)
        is_waiting = EmailAddress.objects.filter(user=user, email__iexact=email).exists()
        if email.lower() != user.email.lower() and not is_waiting:
            request.session.flush()  # the sign-in that waits is in it
            messages.error(
                request, _("Ce code n’est plus valable : l’adresse du compte a changé depuis.")
            )
            return redirect("account_login")
        if "code" in _proofs(request, user):
            _drop_unused_password(request, user)
        return super().pre_login(request, user, **kwargs)  # type: ignore[no-any-return]

    def set_password(self, user: User, password: str) -> None:
        """Take back a change of address that waits: who knew the former password may have asked.

        Its link would give them the account.
        """
        super().set_password(user, password)
        user.take_back_address_change()

    def post_login(self, request: HttpRequest, user: Any, **kwargs: Any) -> HttpResponse:
        response: HttpResponse = super().post_login(request, user, **kwargs)
        remember_account(response, user)
        return response

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """Lead the committee of a club that is not set up yet to what is to be done."""
        organisation = request.organisation or own_organisation(request)  # type: ignore[attr-defined]
        if request.user.is_authenticated and organisation is not None:
            is_committee = Access.of(request.user, organisation).is_committee
            if is_committee and not setup.is_begun(organisation):
                return reverse("clubs:setup")
        url: str = super().get_login_redirect_url(request)
        return url

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        """Lead back to the settings, where the change began."""
        return _settings_of(request)

    def is_reauthentication_required(self, *, app: str, **kwargs: object) -> bool:
        """Ask nobody again who has just signed in."""
        asked = super().is_reauthentication_required(app=app, **kwargs)
        return asked and not reauthentication.is_recent(self.request)

    def get_reauthentication_methods(self, user: User) -> list[dict[str, object]]:
        """Ask an account with a second factor for that one; the others may have a code by mail too.

        Somebody who finds a browser open often finds the password in it: it would open every decision
        of weight, and take the factor itself away.
        """
        methods = list(super().get_reauthentication_methods(user))
        factors = [method for method in methods if str(method["id"]).startswith("mfa_")]
        if factors or not user.is_authenticated:
            return factors
        by_code = {
            "id": "reauthenticate_by_code",
            "description": _("Recevoir un code par e-mail"),
            "url": reverse("reauthenticate_by_code"),
        }
        return [*methods, by_code]

    def can_delete_email(self, email_address: EmailAddress) -> bool:
        """Keep the account's own address, also where nobody has confirmed it."""
        own = email_address.email.lower() == email_address.user.email.lower()
        return not own and bool(super().can_delete_email(email_address))

    def confirm_email(self, request: HttpRequest, email_address: EmailAddress) -> bool:
        """Let a confirmed address count, unless another account has it; members' rows follow.

        The link alone does not say who chose the password: the browser that confirms must have typed
        it too, or the password is dropped before it opens anything.
        """
        user, email = email_address.user, email_address.email
        if User.objects.exclude(pk=user.pk).filter(email__iexact=email).exists():
            failed = "account/messages/email_confirmation_failed.txt"
            self.add_message(request, messages.ERROR, failed, {"email": email})
            return False
        previous = User.objects.get(pk=user.pk).email
        if "password" not in _proofs(request, user):
            _drop_unused_password(request, user)
        confirmed = super().confirm_email(request, email_address)
        if confirmed and previous != email:
            pins.change_address(user=user, previous=previous, at=received_at(request))
        is_invited = not (
            request.user.is_authenticated or Member.objects.filter(user=user).exists()
        )
        if confirmed and is_invited and INVITED_AT not in request.session:
            words = _(
                "Connectez-vous, puis rouvrez le lien de votre invitation pour rejoindre le club."
            )
            messages.info(request, words)
        return confirmed

    def get_email_verification_redirect_url(self, email_address: EmailAddress) -> str:
        """Lead who is signed in to the settings, the others to a sign-in that they can use.

        Who made the account on an invitation's page in this browser comes back to it.
        """
        if self.request.user.is_authenticated:
            return _settings_of(self.request)
        by_password = email_address.user.has_usable_password()
        page = reverse("account_login" if by_password else "account_request_login_code")
        invitation = self.request.session.get(INVITED_AT)
        return f"{page}?{urlencode({'next': invitation})}" if invitation else page

    def _limits(
        self, request: HttpRequest, credentials: Mapping[str, object]
    ) -> list[tuple[Limit, tuple[str, ...]]]:
        address = address_of(request)
        account = str(credentials.get("email", ""))  # in small letters, by allauth's field
        return [
            (OF_AN_ADDRESS, (address,)),
            (OF_AN_ACCOUNT, (address, account)),
            (OF_AN_ACCOUNT_A_DAY, (address, account)),
        ]


def _settings_of(request: HttpRequest) -> str:
    """Return the page of a member's settings, which leads to those of the account."""
    organisation = request.organisation or own_organisation(request)  # type: ignore[attr-defined]
    is_member = Access.of(request.user, organisation).is_member  # type: ignore[arg-type]
    return reverse("clubs:settings" if is_member else "clubs:home")


def _proofs(request: HttpRequest, user: User) -> set[str]:
    """Return how this browser's session has proved to be that account's person."""
    return {record["method"] for record in get_authentication_records(request, user)}


def _drop_unused_password(request: HttpRequest, user: User) -> None:
    """Drop the password of an account that nobody has opened yet.

    An invitation makes an account for any address that is typed: somebody else may have chosen the
    password, and would open the account with it too.
    """
    if user.last_login is not None or not user.has_usable_password():
        return
    user.set_unusable_password()
    user.save(update_fields=["password"])
    messages.info(
        request,
        _(
            "Par précaution, le mot de passe choisi à la création du compte est effacé. "
            "Choisissez-en un nouveau, ou connectez-vous toujours par un code."
        ),
    )
