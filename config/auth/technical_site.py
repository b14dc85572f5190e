"""Access to the technical site (`/gestion/technique/`).

People sign in on the site's own page, so its limits hold here too, and prove a second factor in the
current session: an account without one is redirected to its set-up first.
"""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.decorators import secure_admin_login
from django.contrib import messages
from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from clubs.accounts.second_factor import factors_of, proved_second_factor


class TechnicalSite(AdminSite):
    def has_permission(self, request: HttpRequest) -> bool:
        return super().has_permission(request) and proved_second_factor(
            request, factors_of(request)
        )

    @method_decorator(secure_admin_login)
    def login(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Require a second factor of signed-in staff; the decorator redirects everybody else."""
        factors = factors_of(request)
        if not factors:
            messages.warning(
                request,
                _(
                    "Les pages techniques demandent une double vérification : ajoutez une "
                    "application d’authentification ou une clé de sécurité, puis revenez."
                ),
            )
            return redirect("mfa_index")
        if not proved_second_factor(request, factors):
            methods = get_adapter(request).get_reauthentication_methods(request.user)
            back = request.GET.get("next") or reverse("admin:index")
            return redirect(f"{methods[0]['url']}?{urlencode({'next': back})}")
        return super().login(request, extra_context)

    def password_change(self, request: HttpRequest, extra_context: Any = None) -> Any:
        """Redirect to the page that changes passwords, with its own limits and mails."""
        return redirect("account_change_password")
