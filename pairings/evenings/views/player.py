"""Views of the player's evening: check-in and their own page."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from clubs.accounts import rate_limits
from clubs.accounts.actor import PLAYER, Actor, Refused, refused_as_message
from clubs.accounts.client_address import address_of
from clubs.accounts.device import (
    ASKED_COOKIE,
    asked_of,
    device_links,
    device_member,
    remember_asked,
    remember_device,
)
from clubs.accounts.permissions import (
    access_of,
    organisation_of,
    player_required,
    public,
    received_at,
)
from clubs.members import actions as members
from clubs.members import pins
from clubs.members.models import Member
from clubs.notifications import push_service
from clubs.organisations.models import Organisation
from clubs.ui.sent import render_form, whole_number
from pairings.evenings import queries as evening_queries
from pairings.evenings.admission import checkin_limits, guests, presence
from pairings.evenings.common import DOORS_OPEN
from pairings.evenings.models import CheckIn, Evening, GuestRequest
from pairings.evenings.player_page import card as player_card
from pairings.evenings.views.tonight import tonight_of
from pairings.matches.forms import CodeForm, GuestForm, NumberForm
from pairings.matches.views.device import pin_source
from pairings.matches.views.match import actor_at, match_context
from pairings.tournaments import player_match


@public
@never_cache
@require_http_methods(["GET", "POST"])
def checkin_code(request: HttpRequest) -> HttpResponse:
    """Check in with the code typed by hand (`/s/`)."""
    form = CodeForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        return redirect("pairings:checkin", code=form.cleaned_data["code"])
    return render_form(request, "pairings/evenings/checkin_code.html", {"form": form})


@public
@rate_limits.limited
@never_cache
@require_http_methods(["GET", "POST"])
def checkin(request: HttpRequest, code: str) -> HttpResponse:
    """Check in at `/s/<code>/`.

    One tap for a phone that is linked to a member; otherwise number and code, or as a guest.
    """
    at = received_at(request)
    evening = evening_of_code(organisation_of(request), code, address_of(request), at)
    if evening is None:
        return render(request, "pairings/evenings/checkin_wrong.html", {"code": code}, status=404)
    member = access_of(request).player or device_member(request, evening.organisation_id)
    number_form = NumberForm(request.POST if "number" in request.POST else None, prefix=None)
    guest_form = GuestForm(request.POST if "first_name" in request.POST else None)
    form = number_form if number_form.is_bound else guest_form
    refusal = ""
    if request.method == "POST":
        try:
            response = _checked_in(request, evening, member, number_form, guest_form, at)
        except Refused as refused:
            refusal = str(refused)
            if form.is_bound:
                form.add_error(None, refusal)
        else:
            if response is not None:
                return response
    context = {
        "evening": evening,
        "doors_open": evening.state in DOORS_OPEN,
        "missed": evening.was_missed(at=at),
        "elsewhere": evening.state not in DOORS_OPEN
        and Evening.objects.of(evening.organisation).filter(state__in=DOORS_OPEN).exists(),
        "member": member,
        "form": form,
        "number_form": number_form,
        "guest_form": guest_form,
        "refusal": refusal,
        "waits": member is None and _is_waiting(request, evening),
        "already": member and evening.check_ins.present().filter(member=member).exists(),
    }
    if refusal:
        return render(request, "pairings/evenings/checkin.html", context, status=409)
    return render_form(request, "pairings/evenings/checkin.html", context)


def _checked_in(
    request: HttpRequest,
    evening: Evening,
    member: Member | None,
    number_form: NumberForm,
    guest_form: GuestForm,
    at: datetime,
) -> HttpResponse | None:
    """Check in the member or guest of a filled form, else of this phone; None shows the page again."""
    if "number" in request.POST:
        member = _prove(request, evening, number_form, at) if number_form.is_valid() else None
    elif "first_name" in request.POST:
        if not guest_form.is_valid():
            return None
        return _guest_arrives(request, evening, member, guest_form, at)
    if member is None:
        return None
    _arrive(request, evening, member, at)
    return _to_my_evening(request, member)


def _guest_arrives(
    request: HttpRequest, evening: Evening, member: Member | None, form: GuestForm, at: datetime
) -> HttpResponse:
    """Let a guest play, or put them on the desk's list where guests wait.

    A phone is one person's: who types another name, on a page from before it was, goes to the desk.
    """
    names = form.cleaned_data
    asked = _guest_request(request, evening)
    known = member if member is not None or asked is None or asked.is_refused else asked
    if known is not None:
        if str(known).casefold() != "{first_name} {last_name}".format(**names).strip().casefold():
            taken = _(
                "Ce téléphone a déjà une demande à l’accueil : une autre personne y donne son nom."
            )
            if member is not None:
                taken = _(
                    "Ce téléphone est à %(name)s : une autre personne donne son nom à l’accueil."
                ) % {"name": member.first_name}
            messages.warning(request, taken)
        return redirect("pairings:my_evening")
    checkin_limits.take_guest(evening=evening, address=address_of(request), at=at)
    if evening.guests_wait:
        return _wait_for_desk(request, evening, form, at)
    arrival = presence.welcome_guest(
        evening=evening,
        by=Actor.system("door"),
        at=at,
        visitor=access_of(request).user,
        **names,
    )
    return _to_my_evening(request, arrival.member)


def _to_my_evening(request: HttpRequest, member: Member) -> HttpResponse:
    """Redirect to the player's page, and remember on this phone who plays with it."""
    response = redirect("pairings:my_evening")
    remember_device(response, member, beside=device_links(request))
    return response


def evening_of_code(
    organisation: Organisation, code: str, address: str, at: datetime
) -> Evening | None:
    """Return the evening of that code.

    Wrong codes are counted, because four characters could be guessed. The long code cannot, so it
    is accepted whatever the counts.
    """
    code = code.strip().upper()
    evenings = Evening.objects.of(organisation).select_related(
        "organisation", "season", "rule_book"
    )
    evening = evenings.filter(door_code=code).first()
    if evening is not None:
        return evening
    tonight = list(evenings.live().order_by("starts_at", "pk"))
    checkin_limits.check_code(evenings=tonight, address=address, at=at)
    evening = next((one for one in tonight if code and code == one.board_code), None)
    if evening is None:
        checkin_limits.count_wrong_code(evenings=tonight, address=address, at=at)
    return evening


def _arrive(request: HttpRequest, evening: Evening, member: Member, at: datetime) -> None:
    access = access_of(request)
    by = Actor(user=access.user, member=member, role=PLAYER, origin="door")
    presence.check_in(evening=evening, member=member, source="qr", by=by, at=at)


def _prove(request: HttpRequest, evening: Evening, form: NumberForm, at: datetime) -> Member:
    """Return the member of that number, if the code is theirs.

    Both mistakes get the same message.
    """
    address = address_of(request)
    checkin_limits.check_pin(evening=evening, address=address, at=at)
    number = whole_number(form.cleaned_data["number"])
    members_here = Member.objects.filter(organisation=evening.organisation_id).active()
    member = members_here.filter(number=number).first() if number is not None else None
    wrong = members.MemberRefused(
        _("Numéro ou code faux. Réessayez, ou demandez à l’accueil de noter votre arrivée."),
        code="wrong_pair",
    )
    if member is None:
        checkin_limits.count_wrong_pin(evening=evening, address=address, at=at)
        raise wrong
    try:
        pins.check(
            member=member,
            pin=form.cleaned_data["pin"],
            source=pin_source(request, member),
            by=Actor(user=None, member=member, role=PLAYER, origin="door"),
            at=at,
        )
    except pins.PinRefused as refused:
        if refused.code == "pin_locked":
            raise
        checkin_limits.count_wrong_pin(evening=evening, address=address, at=at)
        raise wrong from refused
    return member


def _wait_for_desk(
    request: HttpRequest, evening: Evening, form: GuestForm, at: datetime
) -> HttpResponse:
    """Put the newcomer on the desk's list and remember the request on this phone."""
    visitor = access_of(request).user
    asked = guests.ask(evening=evening, at=at, visitor=visitor, **form.cleaned_data)
    response = redirect("pairings:my_evening")
    remember_asked(response, asked.pk, evening.organisation_id)
    return response


def _guest_request(request: HttpRequest, *evenings: Evening) -> GuestRequest | None:
    """Return the request to the desk this evening, of this phone or of the account signed in.

    A refused newcomer may ask again.
    """
    pk, visitor = asked_of(request, organisation_of(request)), access_of(request).user
    if pk is None and visitor is None:
        return None
    asked = GuestRequest.objects.filter(evening__in=evenings)
    asked = asked.filter(pk=pk) if pk is not None else asked.filter(visitor=visitor)
    return asked.select_related("member", "evening__organisation").order_by("pk").last()


def _is_waiting(request: HttpRequest, evening: Evening) -> bool:
    asked = _guest_request(request, evening)
    return asked is not None and not asked.is_refused


@public
@never_cache
@require_GET
def my_evening(request: HttpRequest) -> HttpResponse:
    """Show one card with the current action.

    A federation without play now shows its lists instead.
    """
    if not organisation_of(request).is_club and not _plays_now(request):
        return redirect("clubs:home")
    context = _card_context(request)
    card = context["card"]
    arrived = card is not None and (card.check_in is not None or card.match is not None)
    if arrived and context["may_act"] and card.expects_table:  # before, the question makes no sense
        context["push_key"] = push_service.public_key()
    response = render(request, "pairings/evenings/my_evening.html", context)
    _remember_admitted(request, response)
    return response


def _remember_admitted(request: HttpRequest, response: HttpResponse) -> None:
    """Remember the phone of an admitted guest like any player's, unless it is another player's by now."""
    organisation = organisation_of(request)
    if ASKED_COOKIE not in request.COOKIES or device_member(request, organisation) is not None:
        return
    asked = _guest_request(request, *evening_queries.live_evenings(organisation))
    if asked is not None and asked.member is not None:
        remember_device(response, asked.member, beside=device_links(request))
        response.delete_cookie(ASKED_COOKIE)


def _plays_now(request: HttpRequest) -> bool:
    """Return whether an evening is going on or the reader is entered in an unfinished tournament."""
    member = access_of(request).player
    if evening_queries.live_evening(organisation_of(request)) is not None:
        return True
    return member is not None and bool(player_match.running_of(member))


@public
@never_cache
@require_GET
def my_card(request: HttpRequest) -> HttpResponse:
    """Show the card alone, fetched again at each live event."""
    response = render(request, "pairings/evenings/_my_card.html", _card_context(request))
    _remember_admitted(request, response)
    return response


def _card_context(request: HttpRequest) -> dict[str, Any]:
    organisation, access, at = organisation_of(request), access_of(request), timezone.now()
    member, acts = access.player, access.player is not None
    evenings = list(evening_queries.live_evenings(organisation)) if member is None else []
    evening = next(iter(evenings), None)
    if member is None and evening is not None:
        member = device_member(request, evening.organisation_id)
        asked = None if member is not None else _guest_request(request, *evenings)
        if asked is not None and asked.member is None:
            state = "guest_refused" if asked.is_refused else "guest_waiting"
            asked_card = player_card.Card(state, asked.evening)
            return {"card": asked_card, "evening": asked.evening, "at": at, "may_act": False}
        if asked is not None:  # this answer gives the phone its cookie
            member, acts = asked.member, True
    if member is None:
        return {"card": None, "evening": evening, "at": at}
    # A phone that remembers a member reads as they do, though it signs nobody in; a guest's does not.
    reads_as_member = access.is_member or not (acts or member.is_guest)
    running = player_match.running_of(member)
    card, matches = player_card.current_card(member, organisation, at=at)
    context: dict[str, object] = {
        "card": card,
        "evening": card.evening,
        "at": at,
        "may_act": acts,
        "tournaments": running,
        "rooms": card.rooms,
    }
    if card.match is not None:
        context |= match_context(card.match, member, at, viewer_is_member=reads_as_member)
        context["also_open"] = player_card.also_open(card, matches)
    tonight = tonight_of(card, matches, member, access, at, viewer_is_member=reads_as_member)
    return {**context, **tonight}


def _asked_evening(request: HttpRequest, member: Member | None) -> Evening | None:
    """Return the live evening that the form names, else the member's own."""
    if member is None:
        return None
    asked = whole_number(request.POST.get("evening"), digits=18)
    evenings = evening_queries.live_evenings(member.organisation)
    if asked is not None:
        return evenings.filter(pk=asked).first()
    return evening_queries.own_first(evenings, member).first()


ACTS = {
    "pause": presence.pause,
    "pret": presence.ready_again,
    "partir": presence.go_home,
}


@player_required
@require_POST
def my_act(request: HttpRequest, act: str) -> HttpResponse:
    """Handle pause, ready again, going home, back again."""
    at, member = timezone.now(), access_of(request).player
    evening = _asked_evening(request, member)
    if evening is None or member is None:
        messages.error(request, _("Aucune soirée n’est ouverte."))
        return redirect("pairings:my_evening")
    with refused_as_message(request):
        if act == "revenir":
            here = CheckIn.objects.filter(evening=evening, member=member)
            if access_of(request).guest and not here.exists():  # by the code of tonight, like any
                return redirect("pairings:checkin_code")
            presence.check_in(
                evening=evening, member=member, source="qr", by=actor_at(request), at=at
            )
        elif act in ACTS:
            ACTS[act](evening=evening, member=member, by=actor_at(request), at=at)
        else:
            raise Http404
    return redirect("pairings:my_evening")
