"""Views for the committee to change an announced evening, or cancel it with a reason."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from clubs.accounts.actor import Refused, show_refusal
from clubs.accounts.permissions import committee_of, committee_required
from clubs.ui.sent import has_errors, render_form
from pairings.arbitration.forms import ReasonForm
from pairings.evenings import actions as evenings
from pairings.evenings.models import Evening
from pairings.evenings.views.public import evening_of
from pairings.matches.forms import EditEveningForm


@committee_required
@require_http_methods(["GET", "POST"])
def evening_edit(request: HttpRequest, day: str) -> HttpResponse:
    """Change the start, place and pairing of an announced evening, or cancel it."""
    evening, at, by = evening_of(request, day), timezone.now(), committee_of(request)
    cancelling = "cancel" in request.POST
    form = EditEveningForm(None if cancelling else request.POST or None, evening=evening)
    cancel_form = ReasonForm(request.POST if cancelling else None, auto_id="cancel_%s")
    try:
        if cancelling and cancel_form.is_valid():
            evenings.cancel_evening(evening=evening, by=by, at=at, **cancel_form.cleaned_data)
            messages.success(request, _("La soirée est annulée."))
            return redirect(evening)
        if not cancelling and request.method == "POST" and form.is_valid():
            evenings.edit_evening(evening=evening, by=by, at=at, **form.asked())
            messages.success(request, _("La soirée est modifiée."))
            return redirect(evening)
    except Refused as refused:
        if cancelling:
            cancel_form.add_error(None, str(refused))
        else:
            show_refusal(form, refused, form.TOLD_BESIDE.get(refused.code))
    evening.refresh_from_db()
    context = {
        "form": form,
        "cancel_form": cancel_form,
        "evening": evening,
        "editable": evening.state == Evening.State.PLANNED,
    }
    return render_form(
        request,
        "pairings/evenings/evening_edit.html",
        context,
        refused=has_errors(form, cancel_form),
    )
