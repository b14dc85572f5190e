"""Agreement on one phone: the other player gives their own code, or their card is scanned."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from clubs.accounts.actor import PLAYER, Actor, Refused
from clubs.accounts.permissions import (
    access_of,
    organisation_of,
    player_required,
    public,
    received_at,
)
from clubs.members import pins
from clubs.members.models import Member
from clubs.ui.sent import render_form
from pairings.matches import actions as match_actions
from pairings.matches.forms import PinDisputeForm, PinForm
from pairings.matches.models import Match
from pairings.matches.views.device import pin_source
from pairings.matches.views.match import (
    happened_words,
    in_order,
    is_settled_alike,
    late_words,
    next_page,
    own_match,
    own_match_context,
)
from pairings.rules.match_state import Status

CARD_REPLACED = gettext_lazy("Cette carte a été remplacée : elle ne confirme plus de résultat.")


@public
@never_cache
@require_GET
def card(request: HttpRequest, number: int, seal: str) -> HttpResponse:
    """Open what a scanned card is for: the agreement that the reader waits for, else the profile.

    The scan changes nothing.
    """
    organisation, member = organisation_of(request), access_of(request).player
    owner = Member.objects.of(organisation).active().filter(number=number).first()
    if owner is not None and member is not None and owner.pk != member.pk:
        waiting = Match.objects.of(organisation).involving(member).involving(owner)
        match = waiting.filter(status=Status.SUBMITTED, submitted_by=member).first()
        if match is not None and pins.is_sealed(owner, seal):
            address = reverse("pairings:result_pin", kwargs={"match_id": match.pk})
            return redirect(f"{address}?carte={seal}")
        if match is not None:
            messages.error(request, CARD_REPLACED)
    return redirect("clubs:number", number=number)


@player_required
@require_http_methods(["GET", "POST"])
def result_pin(request: HttpRequest, match_id: int) -> HttpResponse:
    """Let the other player agree on this phone with their own code or card.

    With `?non` they contest instead; `?carte` is the seal of the card that was scanned.
    """
    match, member = own_match(request, match_id)
    at = received_at(request)
    other = match.opponent_of(member)
    if match.status != Status.SUBMITTED or match.submitted_by_id != member.pk or other is None:
        if request.method == "POST" and (message := happened_words(request, match, member)):
            agreed = is_settled_alike(match) and "non" not in request.GET
            (messages.info if agreed else messages.error)(request, message)
        return redirect(next_page(match, member))
    contesting = "non" in request.GET
    seal = request.GET.get("carte", "")
    by_card = pins.is_sealed(other, seal)
    form = _pin_form(request, match, by_card=by_card, contesting=contesting)
    if request.method == "POST" and form.is_valid():
        origin = "card" if by_card else "same_phone"
        by = Actor(user=access_of(request).user, member=other, role=PLAYER, origin=origin)
        try:
            if not by_card:
                source = pin_source(request, other)
                pins.check(member=other, pin=form.cleaned_data["pin"], source=source, by=by, at=at)
            if contesting:
                _contest(match, other, by, at, form.cleaned_data)
            else:
                version = form.cleaned_data["version"]
                match_actions.confirm(match=match, by=by, at=at, version=version)
        except pins.PinRefused as refused:
            form.add_error("pin", str(refused))
        except Refused as refused:
            form.add_error(None, late_words(request, refused, match, member))
        else:
            words = _("%(name)s a confirmé. Merci !")
            if contesting:
                words = _("%(name)s conteste ce résultat. Le match est dans la liste de l’arbitre.")
            name = other.first_name_for(viewer_is_member=access_of(request).is_member)
            messages.success(request, words % {"name": name})
            return redirect("pairings:my_evening")
    context = {
        "form": form,
        "contesting": contesting,
        "seal": seal if by_card else "",
        **own_match_context(request, match, member, at),
    }
    return render_form(request, "pairings/matches/result_pin.html", context)


def _pin_form(request: HttpRequest, match: Match, *, by_card: bool, contesting: bool) -> PinForm:
    """Return the form of the code; who contests a result that has no games gives the scores too."""
    options: dict[str, Any] = {"by_card": by_card, "initial": {"version": match.version}}
    if not contesting or match.competition.winning_games() > 1:
        form = PinForm(request.POST or None, **options)
    else:
        rules = match.competition.match_rules()
        form = PinDisputeForm(request.POST or None, **options, rules=rules)
    if form.is_bound and not by_card and "carte" in request.GET and not request.POST.get("pin"):
        form.add_error(None, CARD_REPLACED)
    return form


def _contest(match: Match, other: Member, by: Actor, at: datetime, values: dict[str, Any]) -> None:
    scores = in_order(match, other, values) if "mine" in values else None
    match_actions.contest(match=match, by=by, at=at, version=values["version"], scores=scores)
