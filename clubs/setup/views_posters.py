"""The printed sheets of a club as PDF files."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_GET

from clubs.accounts.permissions import committee_required, organisation_of
from clubs.members import pins
from clubs.members.models import Member
from clubs.setup import poster_pdf as printed


@committee_required
@require_GET
def poster_door(request: HttpRequest) -> HttpResponse:
    """Return the entrance poster, with the club's own address."""
    address = request.build_absolute_uri(reverse("pairings:checkin_code"))
    return pdf_answer(
        "porte", printed.entrance_poster(name=organisation_of(request).name, address=address)
    )


@committee_required
@require_GET
def poster_cards(request: HttpRequest) -> HttpResponse:
    """Return a card a player, each with the club's own address of that card."""
    club = organisation_of(request)
    people = Member.objects.of(club).belonging().order_by("sort_name", "pk")
    return pdf_answer(
        "cartes",
        printed.cards(
            (
                (member.full_name, member.number, pins.card_address(request, member))
                for member in people
            ),
            club=club.name,
        ),
    )


def pdf_answer(name: str, content: bytes) -> HttpResponse:
    response = HttpResponse(content, content_type="application/pdf")
    response["Content-Disposition"] = f'inline; filename="{name}.pdf"'
    return response
