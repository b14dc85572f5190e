"""What follows when a competition was brought in or taken from a club: the next page that asks something."""

from __future__ import annotations

from datetime import datetime

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor, refused_as_message
from clubs.accounts.permissions import committee_of
from clubs.upkeep import jobs
from clubs.upkeep.models_jobs import Job
from ratings.competitions import actions as competitions
from ratings.competitions import drafts
from ratings.competitions.models import CompetitionDraft
from ratings.ledger.models import Period
from ratings.ledger.origins import UNOFFICIAL
from ratings.names.views import undecided


def to_control(request: HttpRequest, period: Period, *, by: Actor, at: datetime) -> HttpResponse:
    """Lead to the control of a competition brought in, and begin its dry run.

    Not where the list's document asks about new players first.
    """
    rating_list = period.rating_list
    if drafts.lines_asked(rating_list):
        messages.success(request, _("La compétition est importée ; il reste à la calculer."))
    else:
        messages.success(request, _("La compétition est importée."))
        if period.kind != UNOFFICIAL:
            club = rating_list.organisation
            jobs.ask(organisation=club, kind=Job.Kind.DRY, target_id=period.pk, by=by, at=at)
    return redirect("ratings:run", slug=rating_list.slug, period_id=period.pk)


def after_acceptance(request: HttpRequest, draft: CompetitionDraft) -> HttpResponse:
    """Lead to the names or the preview of an accepted hand-over; where neither asks anything, bring it in.

    The officer has read on the page of the hand-over what the preview would show again.
    """
    slug, by, at = draft.rating_list.slug, committee_of(request), timezone.now()
    lines = competitions.preview(draft)
    if undecided(lines, draft):
        return redirect("ratings:draft_names", slug=slug, draft_id=draft.pk)
    asks = (
        jobs.is_long(len(lines))
        or draft.held_on > timezone.localdate()
        or bool(drafts.already_there(draft))
        or drafts.question(draft, lines) is not None
        or any(line.problems or line.doubts for line in lines)
    )
    if not asks:
        with refused_as_message(request):
            period = competitions.bring(draft=draft, with_newcomers=False, by=by, at=at)
            return to_control(request, period, by=by, at=at)
    return redirect("ratings:draft", slug=slug, draft_id=draft.pk)
