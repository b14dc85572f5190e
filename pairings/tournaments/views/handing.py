"""The page on which a club hands a closed tournament to a federation, and reads the answer."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from clubs.accounts.permissions import committee_required
from pairings.tournaments import rating
from pairings.tournaments.views.public import tournament_of
from ratings.handovers.views import club_page


@committee_required
@require_http_methods(["GET", "POST"])
def tournament_federation(request: HttpRequest, slug: str) -> HttpResponse:
    """Hand a closed tournament to a list of a federation."""
    return club_page(
        request,
        lambda: rating.document_of(tournament_of(request, slug)),
        back=reverse("pairings:tournament_manage", kwargs={"slug": slug}),
    )
