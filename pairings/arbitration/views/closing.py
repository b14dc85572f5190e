"""View of the forced closing of an evening: its consequences first, then one confirmed act."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from clubs.accounts.actor import Actor, refused_in
from clubs.accounts.permissions import actor_of, arbiter_required
from clubs.accounts.reauthentication import weighty
from clubs.ui.sent import render_form
from pairings.arbitration import forced_closing
from pairings.arbitration.forced_closing import CANCEL, Ending
from pairings.arbitration.forms import ForcedClosingForm
from pairings.evenings.models import Evening
from pairings.evenings.views.public import evening_of
from pairings.matches import actions as match_actions
from pairings.matches.refusals import why_barred


@arbiter_required
@weighty(page=True)
@require_http_methods(["GET", "POST"])
def force_closing(request: HttpRequest, day: str) -> HttpResponse:
    """Show what is open, what becomes of it and what that does to the ranking; then close."""
    evening, at, by = evening_of(request, day), timezone.now(), actor_of(request)
    match_actions.lapse_due(at=at)
    plan = forced_closing.consequences(evening)
    if not plan.endings or evening.state not in Evening.LIVE:
        return redirect("pairings:evening_close", day=day)
    form = ForcedClosingForm(request.POST or None, initial={"seen": plan.mark})
    if request.method == "POST" and form.is_valid():
        with refused_in(form):
            forced_closing.force_close(evening=evening, by=by, at=at, **form.cleaned_data)
            messages.success(
                request, _("La soirée est clôturée : cotes et catégories sont à jour.")
            )
            return redirect("pairings:evening", day=day)
        evening.refresh_from_db()
        plan = forced_closing.consequences(evening)
    context = {
        "evening": evening,
        "form": form,
        "seen": plan.mark,
        "effect": plan.effect,
        "match": plan.endings[0].match,
        "rows": [_row(ending, by) for ending in plan.endings],
        "barred": any(why_barred(ending.match, ending.contest, by) for ending in plan.endings),
    }
    return render_form(request, "pairings/arbitration/force_closing.html", context)


def _row(ending: Ending, by: Actor) -> dict[str, object]:
    """Return an open match, what becomes of it in words, and where to decide it beforehand."""
    match = ending.match
    return {
        "match": match,
        "words": forced_closing.words_of(ending),
        "contested": ending.contest is not None and ending.becomes == CANCEL,
        "unanswered": ending.becomes == CANCEL and bool(match.kind) and ending.contest is None,
        "barred": why_barred(match, ending.contest, by),
        "url": reverse("pairings:match_judge", kwargs={"match_id": match.pk}),
    }
