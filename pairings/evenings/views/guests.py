"""Views for the desk to answer newcomers who registered by themselves."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from clubs.accounts.actor import refused_as_message
from clubs.accounts.permissions import actor_of, arbiter_required
from clubs.ui.sent import number_of
from pairings.evenings.admission import guests
from pairings.evenings.common import DOORS_OPEN
from pairings.evenings.views.public import evening_of


@arbiter_required
@require_http_methods(["GET", "POST"])
def guest_requests(request: HttpRequest, day: str) -> HttpResponse:
    """Show the list, fetched again at each new request, and handle the answer to one of them."""
    evening = evening_of(request, day)
    if request.method == "GET":
        context = {
            "evening": evening,
            "guest_requests": evening.guest_requests.waiting(),
            "doors_open": evening.state in DOORS_OPEN,
        }
        return render(request, "pairings/evenings/_guest_requests.html", context)
    asked = get_object_or_404(
        evening.guest_requests.select_related("evening__organisation"),
        pk=number_of(request.POST.get("request")),
    )
    name, by, at = str(asked), actor_of(request), timezone.now()
    answer = request.POST.get("answer")
    if answer not in ("admit", "refuse"):
        raise Http404
    with refused_as_message(request):
        if answer == "admit":
            guests.admit(request=asked, by=by, at=at)
            messages.success(request, _("%(name)s peut jouer.") % {"name": name})
        else:
            guests.refuse(request=asked, by=by, at=at)
            messages.success(request, _("L’arrivée est refusée."))
    asked_on = "control" if request.POST.get("from") == "control" else "checkin_desk"
    return redirect(f"pairings:{asked_on}", day=day)
