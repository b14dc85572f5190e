"""Access to the technical site (`/gestion/technique/`).

People sign in on the site's own page, so its limits hold here too, and prove a second factor in the
current session: an account without one is redirected to its set-up first.
"""

from __future__ import annotations

from typing import Any

from allauth.account.decorators import secure_admin_login
from django.contrib import messages
from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from clubs.accounts import second_factor


class TechnicalSite(AdminSite):
    def has_permission(self, request: HttpRequest) -> bool:
        return super().has_permission(request) and second_factor.proved_second_factor(
            request, second_factor.factors_of(request)
        )

    @method_decorator(secure_admin_login)
    def login(
        self, request: HttpRequest, extra_context: dict[str, object] | None = None
    ) -> HttpResponse:
        """Require a second factor of signed-in staff; the decorator redirects everybody else."""
        factors = second_factor.factors_of(request)
        if not factors:
            messages.warning(
                request,
                _(
                    "Les pages techniques demandent une double vérification : ajoutez une "
                    "application d’authentification ou une clé de sécurité, puis revenez."
                ),
            )
            return redirect(second_factor.way_past(request, second_factor.SET_UP))
        if not second_factor.proved_second_factor(request, factors):
            back = request.GET.get("next") or reverse("admin:index")
            proof = second_factor.way_past(request, second_factor.PROVE)
            return redirect(f"{proof}?{urlencode({'next': back})}")
        request.session.pop(second_factor.WANTED, None)
        return super().login(request, extra_context)

    def password_change(self, request: HttpRequest, extra_context: object = None) -> Any:
        """Redirect to the page that changes passwords, with its own limits and mails."""
        return redirect("account_change_password")
