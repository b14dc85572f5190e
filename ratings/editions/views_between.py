"""The difference between two days of a list, published or not."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django import forms
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET

from clubs.accounts import rate_limits
from clubs.accounts.client_address import address_of
from clubs.accounts.permissions import access_of, public
from clubs.ui.sent import render_form
from clubs.ui.widgets import DayField
from ratings.editions import freezing
from ratings.editions.views import changes
from ratings.lists import queries as list_queries
from ratings.lists.views import list_of_address

LINES = 100
COMPARISONS = rate_limits.Limit(name="comparisons", amount=60, span=timedelta(minutes=10))
"""Of two days by one address: each reads a whole list twice."""


class DaysForm(forms.Form):
    """Two days, the first one first."""

    du = DayField(label=gettext_lazy("Du"))
    au = DayField(label=gettext_lazy("Au"))

    def clean(self) -> dict[str, object]:
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("du") and cleaned.get("au") and cleaned["du"] >= cleaned["au"]:
            self.add_error("au", _("La seconde date doit venir après la première."))
        return cleaned


@public
@require_GET
@rate_limits.limited
def list_between(request: HttpRequest, slug: str) -> HttpResponse:
    """Show who moved, entered and left a list from one day to another."""
    rating_list, access, today = (
        list_of_address(request, slug),
        access_of(request),
        timezone.localdate(),
    )
    first = {"du": today - timedelta(days=91), "au": today}
    asked = bool(request.GET.get("du") or request.GET.get("au"))
    form = DaysForm(request.GET if asked else None, initial=first)
    context: dict[str, Any] = {"list": rating_list, "form": form}
    days = form.cleaned_data if asked and form.is_valid() else None
    if days is not None or not asked:
        rate_limits.take(COMPARISONS, address_of(request), at=timezone.now())
        tables = [
            list_queries.ranking_on(rating_list, day, viewer_is_member=access.is_member)
            for day in (days or first).values()
        ]
        changed_lines = changes(freezing.difference(*tables))
        page = Paginator(changed_lines["moved"], LINES).get_page(request.GET.get("page"))
        context |= {**changed_lines, "moved": list(page), "page": page, "days": days or first}
        if page.number > 1:
            context |= {"entered": (), "left": ()}
    return render_form(
        request, "ratings/editions/between.html", context, refused=asked and form.errors
    )
