"""View of the desk that checks players in."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from clubs.accounts.actor import refused_as_message
from clubs.accounts.permissions import actor_of, arbiter_required
from clubs.members.models import Member
from clubs.ui.qr import svg as qr
from clubs.ui.sent import number_of, render_form
from pairings.absences import suspensions
from pairings.evenings.admission import presence, reception
from pairings.evenings.common import DOORS_OPEN
from pairings.evenings.models import PRESENT_VALUES, CheckIn
from pairings.evenings.views.public import evening_of
from pairings.matches.forms import GuestForm


@arbiter_required
@require_http_methods(["GET", "POST"])
def checkin_desk(request: HttpRequest, day: str) -> HttpResponse:
    """Show the check-in desk: one tap a name, search without accents or by number, guests."""
    evening, at, by = evening_of(request, day), timezone.now(), actor_of(request)
    organisation = evening.organisation
    guest_form = GuestForm(request.POST if "first_name" in request.POST else None)
    if request.method == "POST":
        with refused_as_message(request):
            if "first_name" in request.POST:
                if guest_form.is_valid():
                    row = presence.welcome_guest(
                        evening=evening, by=by, at=at, **guest_form.cleaned_data
                    )
                    return _noted(request, day, row)
            else:
                member = get_object_or_404(
                    Member.objects.of(organisation).active(),
                    pk=number_of(request.POST.get("member")),
                )
                act = presence.go_home if "leave" in request.POST else reception.arrive
                return _noted(request, day, act(evening=evening, member=member, by=by, at=at))
    words = request.GET.get("q", "").strip()
    members = Member.objects.of(organisation).belonging()
    if words:
        members = Member.objects.of(organisation).active().matching(words)
    here = dict(evening.check_ins.values_list("member_id", "state"))
    shown = list(members.order_by("sort_name", "pk")[:300])
    suspended = suspensions.at_evening(evening, [member.pk for member in shown])
    rows = [
        {
            "member": member,
            "state": here.get(member.pk, ""),
            "suspension": suspended.get(member.pk),
        }
        for member in shown
    ]
    address = request.build_absolute_uri(
        reverse("pairings:checkin", kwargs={"code": evening.door_code})
    )
    context = {
        "evening": evening,
        "guest_requests": evening.guest_requests.waiting(),
        "rows": rows,
        "words": words,
        "guest_form": guest_form,
        "doors_open": evening.state in DOORS_OPEN,
        "qr": qr(address),
        "present": sum(state in PRESENT_VALUES for state in here.values()),
    }
    return render_form(
        request, "pairings/evenings/checkin_desk.html", context, refused=guest_form.errors
    )


def _noted(request: HttpRequest, day: str, row: CheckIn) -> HttpResponse:
    """Go back to the search, where the next name is typed, or to the line; say whom it was."""
    left = row.state == CheckIn.State.LEFT
    words = _("%(name)s : départ noté.") if left else _("%(name)s : arrivée notée.")
    messages.success(request, words % {"name": row.member})
    address = reverse("pairings:checkin_desk", kwargs={"day": day})
    typed = "q" in request.GET or "first_name" in request.POST
    return redirect(address if typed else f"{address}#m{row.member_id}")
