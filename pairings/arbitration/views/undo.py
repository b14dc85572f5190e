"""View to undo an arbiter's last action."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from clubs.accounts.actor import refused_as_message
from clubs.accounts.permissions import actor_of, arbiter_required, organisation_of
from clubs.ui.sent import whole_number
from pairings.arbitration import undo as acts
from pairings.matches.models import Match


@arbiter_required
@require_POST
def undo(request: HttpRequest, match_id: int) -> HttpResponse:
    """Undo the action and return to the control page with a message."""
    match = get_object_or_404(
        Match.objects.of(organisation_of(request)).select_related("evening"), pk=match_id
    )
    with refused_as_message(request):
        version = whole_number(request.POST.get("version"))
        again = acts.undo(match=match, by=actor_of(request), at=timezone.now(), version=version)
        messages.success(
            request,
            _("Action annulée : les deux joueurs attendent de nouveau.")
            if again is None
            else _("Action annulée : les deux joueurs sont rappelés à la table %(n)s.")
            % {"n": again.table_number},
        )
    return redirect(match.competition.director_url())
