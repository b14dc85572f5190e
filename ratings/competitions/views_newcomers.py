"""The page that asks what the document wants to know of a waiting competition's new players."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from clubs.accounts.actor import refused_in
from clubs.accounts.permissions import committee_of, committee_required
from clubs.ui.sent import render_form, whole_number
from ratings.competitions import actions as competitions
from ratings.competitions import drafts
from ratings.competitions.forms_newcomers import DeclaredForm
from ratings.competitions.views_runs import period_of
from ratings.ledger import settlement


@committee_required
@require_http_methods(["GET", "POST"])
def newcomers(request: HttpRequest, slug: str, period_id: int) -> HttpResponse:
    """Ask what the document wants to know of the new players of a competition that waits."""
    period = period_of(request, slug, period_id)
    if not drafts.lines_asked(period.rating_list) or period.kind != settlement.GAMES:
        raise Http404
    form = DeclaredForm(request.POST or None, period=period)
    if request.method == "POST" and form.is_valid():
        by = committee_of(request)
        seen = whole_number(request.POST.get("seen")) or 0
        with refused_in(form):
            competitions.declare_newcomers(
                period=period, players=form.players, seen=seen, by=by, at=timezone.now()
            )
            messages.success(request, _("Réponses enregistrées : recommencez le calcul à blanc."))
            return redirect("ratings:run", slug=slug, period_id=period.pk)
    context = {
        "list": period.rating_list,
        "period": period,
        "form": form,
        "players": drafts.newcomers_of(period).order_by("sort_name", "pk"),
    }
    return render_form(request, "ratings/competitions/newcomers.html", context)
