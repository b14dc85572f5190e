"""A person's own account, where allauth has no page, or one that says too little."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.forms import ConfirmLoginCodeForm
from allauth.account.utils import passthrough_next_redirect_url
from allauth.account.views import (
    BaseReauthenticateView,
    ConfirmEmailView,
    EmailView,
    LogoutView,
)
from allauth.mfa.webauthn.views import LoginWebAuthnView, ReauthenticateWebAuthnView
from allauth.usersessions.adapter import get_adapter as sessions_adapter
from allauth.usersessions.models import UserSession
from allauth.usersessions.views import ListUserSessionsView
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.contrib.auth.decorators import login_required
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from clubs.accounts.rate_limits import Limit, limited, take
from clubs.accounts.sessions import note_proof

CODES = Limit(name="proof_codes", amount=5, span=timedelta(hours=1))
CODE, TRIES = "proof_code", 3


@login_required
@never_cache
@require_POST
def end_session(request: HttpRequest, session_id: int) -> HttpResponse:
    """Sign another device out."""
    session = get_object_or_404(UserSession, pk=session_id, user=request.user)
    if session.session_key == request.session.session_key:
        return redirect("account_logout")
    sessions_adapter().end_sessions([session])
    messages.success(request, _("Cet appareil est déconnecté."))
    _take_back_address_change(request)
    return redirect("usersessions_list")


def _take_back_address_change(request: HttpRequest) -> None:
    """Take back a change of address that waits, and say so: a device signed out may have asked."""
    if request.user.is_authenticated and request.user.take_back_address_change():
        say_taken_back(request)


def say_taken_back(request: HttpRequest) -> None:
    """Say that a change of address no longer waits."""
    words = _("Votre changement d’adresse e-mail est annulé : son lien n’est plus valable.")
    messages.info(request, words)


class SignOut(LogoutView):
    """Has the browser drop the pages that it holds: the button Back would show them to the next person.

    Pages for everybody name to a member more people than to a visitor.
    """

    def post(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        response: HttpResponse = super().post(request, *args, **kwargs)
        response.headers["Clear-Site-Data"] = '"cache"'
        return response


class Devices(ListUserSessionsView):
    """Takes a change of address that waits back with every other device: one of them may have asked."""

    def form_valid(self, form: BaseForm) -> HttpResponse:
        response: HttpResponse = super().form_valid(form)
        _take_back_address_change(self.request)
        return response


class ChangeAddress(EmailView):
    """Says so where no other link leaves yet: allauth shows the same page again without a word."""

    def post(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        before = len(messages.get_messages(request))
        response: HttpResponse = super().post(request, *args, **kwargs)
        if "action_send" in request.POST and len(messages.get_messages(request)) == before:
            words = _(
                "Un lien a été envoyé il y a moins de trois minutes. Attendez-le, puis recommencez."
            )
            messages.info(request, words)
        return response


class ConfirmAddress(ConfirmEmailView):
    """Signs nobody out who only opens the link of another account, as allauth does.

    A page that is read changes nothing; it says beforehand that confirming ends the session.
    """

    def logout_other_user(self, confirmation: object) -> None:
        if self.request.method == "POST":
            super().logout_other_user(confirmation)

    def get_context_data(self, **kwargs: object) -> dict[str, object]:
        context: dict[str, object] = super().get_context_data(**kwargs)
        user = self.request.user
        if self.object and user.is_authenticated and user != self.object.email_address.user:
            context["signed_in_as"] = user.email
        return context


class SignInByKey(LoginWebAuthnView):
    """Keeps the page that was asked for where a key is refused: allauth forgets it."""

    def form_invalid(self, form: BaseForm) -> HttpResponse:
        again = super().form_invalid(form)
        return redirect(
            passthrough_next_redirect_url(
                self.request, again.headers["Location"], REDIRECT_FIELD_NAME
            )
        )


class ReauthenticateByKey(ReauthenticateWebAuthnView):
    """Asks again for a key that failed: allauth leads to the start page, away from what waits."""

    def form_invalid(self, form: BaseForm) -> HttpResponse:
        for words in form.errors["credential"]:
            messages.error(self.request, str(words))
        return redirect(self.passthrough_next_url(self.request.path))


@method_decorator([login_required, never_cache, limited], name="dispatch")  # type: ignore[list-item]
class ReauthenticateByCode(BaseReauthenticateView):
    """Send a code to the account's address, then ask for it.

    For people who sign in by a code and know no password. A code holds for three tries and as long
    as one that signs in.
    """

    template_name = "clubs/accounts/reauthenticate_by_code.html"

    def get_form_class(self) -> type[BaseForm]:
        return ConfirmLoginCodeForm if self._pending() else forms.Form

    def get_form_kwargs(self) -> dict[str, object]:
        pending = self._pending()
        return super().get_form_kwargs() | ({"code": pending["code"]} if pending else {})

    def get_context_data(self, **kwargs: object) -> dict[str, object]:
        context = {"sent": self._pending() is not None, "email": self.request.user.email}
        return super().get_context_data(**kwargs) | context

    def post(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        if self._pending() is None or "send" in request.POST:
            self._send()
            return redirect(request.get_full_path())
        return super().post(request, *args, **kwargs)  # type: ignore[no-any-return]

    def form_valid(self, form: object) -> HttpResponse:
        del self.request.session[CODE]
        note_proof(self.request, self.request.user, "code", reauthenticated=True)
        return super().form_valid(form)

    def form_invalid(self, form: object) -> HttpResponse:
        pending = self._pending()
        if pending is not None:
            self.request.session[CODE] = {**pending, "tries": pending["tries"] + 1}
        return super().form_invalid(form)

    def _pending(self) -> dict[str, Any] | None:
        """Return the code that was sent, while it may still be tried."""
        pending: dict[str, Any] | None = self.request.session.get(CODE)
        if pending is None or pending["tries"] >= TRIES:
            return None
        return pending if pending["until"] > timezone.now().timestamp() else None

    def _send(self) -> None:
        request, at = self.request, timezone.now()
        take(CODES, request.user.pk, at=at)
        code = get_adapter(request).generate_login_code()
        until = at.timestamp() + settings.ACCOUNT_REAUTHENTICATION_TIMEOUT
        context = {"request": request, "code": code}
        get_adapter(request).send_mail("account/email/login_code", request.user.email, context)
        request.session[CODE] = {"code": code, "until": until, "tries": 0}
