"""View of an arbiter's acts on an open match: start, type its slip, contest, note an absence, cancel."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from clubs.accounts.actor import refused_in
from clubs.accounts.permissions import actor_of, arbiter_required
from clubs.templatetags.ui import undo_tag
from clubs.ui.sent import render_form
from pairings.arbitration import actions as arbitration
from pairings.arbitration import effects, undo
from pairings.arbitration.forms import JudgeForm
from pairings.arbitration.views.disputes import match_of, say_changed
from pairings.matches import actions as match_actions
from pairings.matches.explanations import timeline_of
from pairings.matches.refusals import why_barred
from pairings.matches.state import allowed
from pairings.rules.match_state import Event


@arbiter_required
@require_http_methods(["GET", "POST"])
def match_judge(request: HttpRequest, match_id: int) -> HttpResponse:
    """Let an arbiter act on an open match: type its slip, contest it, note an absence, cancel."""
    match, at, by = match_of(request, match_id), timezone.now(), actor_of(request)
    match_actions.lapse_read(match, at=at)
    if not match.is_open:
        say_changed(request)
        return redirect("pairings:match_correct", match_id=match.pk)
    contest = match.contests.open().filter(late=False).first()
    if contest is not None:
        say_changed(request)
        return redirect("pairings:dispute", contest_id=contest.pk)
    form = JudgeForm(request.POST or None, allowed=allowed(match, by=by, at=at), match=match)
    valid = form.is_valid()
    effect, seen = effects.read_effect(match, form.result())
    if valid and "preview" not in request.POST:
        with refused_in(form):
            arbitration.check_read(request.POST.get("seen", ""), seen)
            act, reason = form.cleaned_data["act"], form.cleaned_data["reason"]
            arbitration.intervene(
                match=match, act=act, result=form.result(), reason=reason, by=by, at=at
            )
            match.refresh_from_db()
            can_undo = undo.undoable(match, at=at)
            tags = undo_tag(match.pk, match.version) if can_undo else ""
            messages.success(request, _("La décision est enregistrée."), extra_tags=tags)
            # The slips of an evening are typed one after the other.
            return redirect(
                match.competition.director_url()
                if act == Event.RECORD
                else match.get_absolute_url()
            )
    context = {
        "match": match,
        "form": form,
        "effect": effect,
        "seen": seen,
        "goes_on": valid and not seen,
        "points_label": match.competition.points_label(),
        "barred": why_barred(match, None, by),
        "timeline": timeline_of(match, viewer_is_member=True),
        "at": at,
    }
    return render_form(
        request,
        "pairings/arbitration/match_judge.html",
        context,
        refused=form.errors and "HX-Request" not in request.headers,
    )
