"""One button that takes an arbiter's last act back."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from clubs.actor import Refused
from clubs.permissions import arbiter_required, organisation_of
from pairings import undo as acts
from pairings.models import Match
from pairings.views.arbiter import actor_of


@arbiter_required
@require_POST
def undo(request: HttpRequest, match_id: int) -> HttpResponse:
    """Back to the control page, with what happened in words."""
    match = get_object_or_404(
        Match.objects.of(organisation_of(request)).select_related("evening"), pk=match_id
    )
    try:
        again = acts.undo(match=match, by=actor_of(request), at=timezone.now())
    except Refused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(
            request,
            _("C’est défait : les deux joueurs attendent de nouveau.")
            if again is None
            else _("C’est défait : les deux joueurs sont rappelés à la table %(n)s.")
            % {"n": again.table_number},
        )
    if match.evening is None:
        return redirect(match)
    return redirect("pairings:control", day=match.evening.held_on.isoformat())
