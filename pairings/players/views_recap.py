"""Pages after an evening: a player's own recap, and the pictures to share."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_GET

from clubs.accounts.permissions import (
    access_of,
    organisation_of,
    player_page,
    player_required,
    player_url,
    public,
)
from clubs.members.models import Member
from pairings.evenings.models import Evening
from pairings.evenings.views.public import evening_of
from pairings.players import recap, share_picture
from pairings.ranking import live as live_ranking


def closed_evening_of(request: HttpRequest, day: str) -> Evening:
    """Return the closed evening of that day; what is still going on has no recap."""
    evening = evening_of(request, day)
    if evening.state != Evening.State.CLOSED:
        raise Http404
    return evening


@player_required
@require_GET
def my_recap(request: HttpRequest, day: str) -> HttpResponse:
    """Show the reader's own evening. The address names nobody, so nobody can ask for another's.

    Who was not there is sent to the evening's page.
    """
    access, at = access_of(request), timezone.now()
    member = access.player
    evening = closed_evening_of(request, day)
    evening_recap = None
    if member is not None:
        evening_recap = recap.recap_of(member, evening, at=at, viewer_is_member=access.is_member)
    if member is None or evening_recap is None:
        messages.info(request, _("Vous n’étiez pas à cette soirée."))
        return redirect(evening)
    cote = evening_recap.summary.cote
    context = {
        "evening": evening,
        "recap": evening_recap,
        "summary": evening_recap.summary,
        "why_url": player_url(access, member, "ratings:change", entry_id=cote.entry.pk)
        if cote is not None
        else "",
        "member": member,
        "is_public": member.chose_to_be_public,
    }
    return render(request, "pairings/players/recap.html", context)


@public
@cache_control(max_age=300)
@require_GET
@player_page
def recap_picture(request: HttpRequest, member: Member, day: str) -> HttpResponse:
    """Return the picture of a player's evening; only of those who chose that everybody sees them.

    A hidden player has no picture, no matter who asks: a picture is made to leave the club.
    """
    if not member.chose_to_be_public:
        raise Http404
    evening = closed_evening_of(request, day)
    evening_recap = recap.recap_of(member, evening, at=timezone.now(), viewer_is_member=False)
    if evening_recap is None:
        raise Http404
    return png(share_picture.of_player(member, evening_recap))


@public
@cache_control(max_age=300)
@require_GET
def evening_picture(request: HttpRequest, day: str) -> HttpResponse:
    """Return the picture of an evening: its date, and the podium of the ranking once it is closed."""
    evening = evening_of(request, day)
    rows: Sequence[live_ranking.RankingRow] = ()
    if evening.state == Evening.State.CLOSED:
        ranking = live_ranking.ranking(
            evening.organisation, at=timezone.now(), live=False, after=evening
        )
        rows = recap.podium_of(ranking.rows) if ranking else ()
    return png(share_picture.of_evening(evening, rows))


@public
@cache_control(max_age=300)
@require_GET
def club_picture(request: HttpRequest) -> HttpResponse:
    """Return the picture of the club's public pages: its name and the top of the last ranking."""
    organisation = organisation_of(request)
    ranking = live_ranking.ranking(organisation, at=timezone.now(), live=False)
    rows = recap.podium_of(ranking.rows) if ranking else ()
    return png(share_picture.of_club(organisation, rows))


def png(content: bytes) -> HttpResponse:
    response = HttpResponse(content, content_type="image/png")
    response["X-Content-Type-Options"] = "nosniff"
    return response
