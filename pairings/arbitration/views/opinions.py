"""View to ask other arbiters for an opinion, or to answer one."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from clubs.accounts.actor import refused_in
from clubs.accounts.permissions import actor_of, arbiter_required, organisation_of
from clubs.ui.sent import render_form
from pairings.arbitration import opinions
from pairings.arbitration.forms import OpinionForm
from pairings.arbitration.models import Contest
from pairings.arbitration.views.disputes import say_changed


@arbiter_required
@require_http_methods(["GET", "POST"])
def opinion(request: HttpRequest, contest_id: int) -> HttpResponse:
    """Show the question, the answers so far, and one field."""
    contest = get_object_or_404(
        Contest.objects.of(organisation_of(request)).select_related(
            "match__first", "match__second", "match__organisation", "match__evening"
        ),
        pk=contest_id,
    )
    if contest.closed_at is not None:
        say_changed(request)
        return redirect(contest.match)
    by = actor_of(request)
    question = opinions.unanswered(contest)
    form = OpinionForm(request.POST or None, asks=question is None)
    now = str(question.pk) if question else ""
    if request.method == "POST" and request.POST.get("question", now) != now:
        form.add_error(
            None, _("Un autre arbitre a écrit entre-temps : relisez, puis envoyez de nouveau.")
        )
    if request.method == "POST" and form.is_valid():
        words = form.cleaned_data["words"]
        with refused_in(form):
            said = opinions.say(contest=contest, words=words, by=by, at=timezone.now())
            messages.success(
                request,
                _("Les autres arbitres voient votre question.")
                if said.asks
                else _("Votre avis est joint au litige."),
            )
            return redirect("pairings:dispute", contest_id=contest.pk)
    context = {
        "contest": contest,
        "match": contest.match,
        "question": question,
        "own": question is not None and by.user is not None and question.by_id == by.user.pk,
        "opinions": opinions.said_of(contest),
        "form": form,
    }
    return render_form(request, "pairings/arbitration/opinion.html", context)
