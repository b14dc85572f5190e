"""What a player does on a phone: arrive, read the card, enter, confirm, contest, say who is away."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core import signing
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from clubs.accounts import rate_limits as limits
from clubs.accounts.actor import PLAYER, Actor, Refused
from clubs.accounts.client_address import address_of
from clubs.accounts.permissions import (
    Access,
    access_of,
    member_required,
    organisation_of,
    player_url,
    public,
    received_at,
)
from clubs.members import actions as members
from clubs.members import pins
from clubs.members.models import Member
from clubs.organisations.models import Organisation
from pairings.evenings import actions as ladder
from pairings.evenings import door_limits, guests
from pairings.evenings import queries as board
from pairings.evenings.models import Evening
from pairings.evenings.models_guests import GuestRequest
from pairings.matches import late_answers, photos
from pairings.matches import rating as posting
from pairings.matches import transitions as results
from pairings.matches.explanations import line_words, pairing_sentences
from pairings.matches.forms import (
    AbsenceForm,
    CodeForm,
    DisputeForm,
    GuestForm,
    NumberForm,
    PinForm,
    ScoreForm,
    VersionForm,
)
from pairings.matches.models import Match, Submission
from pairings.rules.scoring import MatchRecord, points_of
from pairings.tournaments import player_match as tournament_play

DEVICE_COOKIE = "device"
DEVICE_DAYS = 300
GUEST_COOKIE = "guest"
GUEST_AGE_S = 86400


def _actor(request: HttpRequest) -> Actor:
    return access_of(request).actor(PLAYER)


def _own(request: HttpRequest, match_id: int) -> tuple[Match, Member]:
    """A match of the reader's; anybody else's is a 404."""
    member = access_of(request).member
    if member is None:
        raise Http404
    matches = Match.objects.of(organisation_of(request)).involving(member)
    match = get_object_or_404(
        matches.select_related(
            "first", "second", "evening", "round__tournament", "organisation", "rule_book"
        ),
        pk=match_id,
    )
    return match, member


def sides(match: Match, member: Member) -> dict[str, Any]:
    """The match from one player's side: names, scores, who wins."""
    first = match.first_id == member.pk
    me, other = (match.first, match.second) if first else (match.second, match.first)
    mine, theirs = (
        (match.first_score, match.second_score)
        if first
        else (match.second_score, match.first_score)
    )
    return {"me": me, "other": other, "mine": mine, "theirs": theirs, "i_am_first": first}


# Arriving


@public
@never_cache
@require_http_methods(["GET", "POST"])
def checkin_code(request: HttpRequest) -> HttpResponse:
    """`/s/`: the code typed by hand."""
    form = CodeForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        return redirect("pairings:checkin", code=form.cleaned_data["code"].strip().upper())
    return render(request, "pairings/checkin_code.html", {"form": form}, status=_status(form))


@public
@limits.limited
@never_cache
@require_http_methods(["GET", "POST"])
def checkin(request: HttpRequest, code: str) -> HttpResponse:
    """`/s/<code>/`: one tap for a phone that knows its owner; else number and code, or a guest."""
    organisation = organisation_of(request)
    address = address_of(request)
    evening = _evening_of_code(organisation, code, address, received_at(request))
    if evening is None:
        return render(request, "pairings/checkin_wrong.html", {"code": code}, status=404)
    member = access_of(request).member or _device_member(request, evening)
    number_form = NumberForm(request.POST if "number" in request.POST else None, prefix=None)
    guest_form = GuestForm(request.POST if "first_name" in request.POST else None)
    refusal = ""
    remember: Member | None = None
    if request.method == "POST":
        at = received_at(request)
        try:
            if "number" in request.POST:
                if number_form.is_valid():
                    remember = _prove(request, evening, number_form, at)
                    _arrive(request, evening, remember, at)
            elif "first_name" in request.POST:
                if guest_form.is_valid():
                    if _is_waiting(request, evening):  # said twice is said once
                        return redirect("pairings:my_evening")
                    door_limits.take_guest(evening=evening, address=address, at=at)
                    if evening.guests_wait:
                        return _wait_for_desk(evening, guest_form, at)
                    found = ladder.welcome_guest(
                        evening=evening, by=Actor.system("door"), at=at, **guest_form.cleaned_data
                    )
                    remember = found.member
            elif member is not None:
                _arrive(request, evening, member, at)
                remember = member
        except Refused as refused:
            refusal, remember = str(refused), None
        if remember is not None and not refusal:
            response = redirect("pairings:my_evening")
            _remember_device(response, remember)
            return response
    context = {
        "evening": evening,
        "member": member,
        "number_form": number_form,
        "guest_form": guest_form,
        "refusal": refusal,
        "already": member
        and evening.check_ins.filter(member=member).exclude(state="left").exists(),
    }
    return render(request, "pairings/checkin.html", context, status=200 if not refusal else 409)


def _evening_of_code(
    organisation: Organisation, code: str, address: str, at: datetime
) -> Evening | None:
    """The evening of that code. Wrong ones are counted: four signs could be guessed.

    The long code of the door cannot, so it opens whatever others tried.
    """
    code = code.strip().upper()
    evenings = Evening.objects.of(organisation).select_related(
        "organisation", "season", "rule_book"
    )
    found = evenings.filter(door_code=code).first()
    if found is not None:
        return found
    tonight = evenings.live().order_by("-held_on").first()
    door_limits.check_code(evening=tonight, address=address, at=at)
    if tonight is not None and code and code == tonight.board_code:
        return tonight
    door_limits.count_wrong_code(evening=tonight, address=address, at=at)
    return None


def _arrive(request: HttpRequest, evening: Evening, member: Member, at: datetime) -> None:
    access = access_of(request)
    by = Actor(user=access.user, member=member, role=PLAYER, origin="door")
    ladder.check_in(evening=evening, member=member, source="qr", by=by, at=at)


def _pin_source(request: HttpRequest, member: Member) -> pins.Source:
    """Where a try of that member's code comes from: their device, a member's account, an address."""
    access = access_of(request)
    if _remembers(request, member):
        return pins.Source.own_device()
    if access.user is not None and access.member is not None:
        return pins.Source.account(access.user)
    return pins.Source.address(address_of(request))


def _prove(request: HttpRequest, evening: Evening, form: NumberForm, at: datetime) -> Member:
    """The member of that number, if the code is theirs. One sentence for both mistakes."""
    address = address_of(request)
    door_limits.check_pin(evening=evening, address=address, at=at)
    text = form.cleaned_data["number"].strip()
    found = (
        Member.objects.filter(organisation=evening.organisation_id, number=int(text))
        .active()
        .first()
        if text.isascii() and text.isdigit()
        else None
    )
    wrong = members.MemberRefused(
        _("Ce numéro et ce code ne vont pas ensemble. L’accueil peut vous inscrire."),
        code="wrong_pair",
    )
    if found is None:
        door_limits.count_wrong_pin(evening=evening, address=address, at=at)
        raise wrong
    try:
        pins.check(
            member=found,
            pin=form.cleaned_data["pin"],
            source=_pin_source(request, found),
            by=Actor(user=None, member=found, role=PLAYER, origin="door"),
            at=at,
        )
    except pins.PinRefused as refused:
        if refused.code == "pin_locked":
            raise
        door_limits.count_wrong_pin(evening=evening, address=address, at=at)
        raise wrong from refused
    return found


def _device(request: HttpRequest) -> tuple[int, int] | None:
    """The member that this phone remembers, as number of the row and version of their devices."""
    try:
        value = request.get_signed_cookie(DEVICE_COOKIE, salt="device", max_age=DEVICE_DAYS * 86400)
    except (KeyError, signing.BadSignature):
        return None
    pk, _sep, version = (value or "").partition(".")
    return int(pk), int(version)


def _remembers(request: HttpRequest, member: Member) -> bool:
    return _device(request) == (member.pk, member.device_version)


def _device_member(request: HttpRequest, evening: Evening) -> Member | None:
    """The member whose phone this is, for arriving only: it signs nobody in."""
    found = _device(request)
    if found is None:
        return None
    pk, version = found
    return (
        Member.objects.filter(pk=pk, device_version=version, organisation=evening.organisation_id)
        .active()
        .first()
    )


def _remember_device(response: HttpResponse, member: Member) -> None:
    response.set_signed_cookie(
        DEVICE_COOKIE,
        f"{member.pk}.{member.device_version}",
        salt="device",
        max_age=DEVICE_DAYS * 86400,
        httponly=True,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )


def _wait_for_desk(evening: Evening, form: GuestForm, at: datetime) -> HttpResponse:
    """The newcomer is on the desk's list, and this phone remembers which of them it is."""
    asked = guests.ask(evening=evening, at=at, **form.cleaned_data)
    response = redirect("pairings:my_evening")
    response.set_signed_cookie(
        GUEST_COOKIE,
        str(asked.pk),
        salt=GUEST_COOKIE,
        max_age=GUEST_AGE_S,
        httponly=True,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )
    return response


def _guest_request(request: HttpRequest, evening: Evening) -> GuestRequest | None:
    """What this phone asked of the desk this evening. One that was refused may ask again."""
    try:
        value = request.get_signed_cookie(GUEST_COOKIE, salt=GUEST_COOKIE, max_age=GUEST_AGE_S)
    except (KeyError, signing.BadSignature):
        return None
    return evening.guest_requests.select_related("member").filter(pk=int(value or 0)).first()


def _is_waiting(request: HttpRequest, evening: Evening) -> bool:
    asked = _guest_request(request, evening)
    return asked is not None and not asked.is_refused


# The card


@public
@never_cache
@require_GET
def my_evening(request: HttpRequest) -> HttpResponse:
    """One card: the thing to do now. A federation that plays nothing now has its lists to show."""
    if organisation_of(request).kind != Organisation.CLUB and not _plays_now(request):
        return redirect("clubs:home")
    response = render(request, "pairings/my_evening.html", _card_context(request))
    _remember_admitted(request, response)
    return response


def _remember_admitted(request: HttpRequest, response: HttpResponse) -> None:
    """The phone of a guest who was let in is remembered as any player's."""
    evening = (
        board.live_evening(organisation_of(request)) if GUEST_COOKIE in request.COOKIES else None
    )
    asked = _guest_request(request, evening) if evening is not None else None
    if asked is not None and asked.member is not None:
        _remember_device(response, asked.member)
        response.delete_cookie(GUEST_COOKIE)


def _plays_now(request: HttpRequest) -> bool:
    """Is an evening going on, or is the reader entered in a tournament that is not over?"""
    member = access_of(request).member
    if board.live_evening(organisation_of(request)) is not None:
        return True
    return member is not None and bool(tournament_play.running_of(member))


@public
@never_cache
@require_GET
def my_card(request: HttpRequest) -> HttpResponse:
    """The card alone, fetched again when something moves."""
    return render(request, "pairings/_my_card.html", _card_context(request))


def _card_context(request: HttpRequest) -> dict[str, Any]:
    organisation, access, at = organisation_of(request), access_of(request), timezone.now()
    evening = board.live_evening(organisation)
    member = access.member
    if member is None and evening is not None:
        member = _device_member(request, evening)
        asked = None if member is not None else _guest_request(request, evening)
        if asked is not None and asked.member is None:
            state = "guest_refused" if asked.is_refused else "guest_waiting"
            return {"card": board.Card(state, evening), "evening": evening, "at": at}
        if asked is not None:
            member = asked.member
    if member is None:
        return {"card": None, "evening": evening, "at": at}
    running = tournament_play.running_of(member)
    open_match = board.open_match(member)
    if open_match is not None:
        results.lapse(match=open_match, at=at)
    card = board.my_card(member, organisation, at=at)
    context: dict[str, Any] = {
        "card": card,
        "evening": card.evening,
        "at": at,
        "signed_in": access.member is not None,
        "tournaments": running,
    }
    if card.match is not None:
        context |= _match_context(card.match, member, at)
    elif card.evening is not None:
        context["last"] = _last_match(card.evening, member)
    return context


def _last_match(evening: Evening, member: Member) -> Match | None:
    return (
        evening.matches.involving(member)
        .exclude(status="cancelled")
        .select_related("first", "second")
        .order_by("-ended_at", "-pk")
        .first()
    )


def _match_context(match: Match, member: Member, at: datetime) -> dict[str, Any]:
    rules = results.lifecycle_of(match)
    left = (match.contest_until - at).total_seconds() if match.contest_until else 0
    ends = board.call_ends(match)
    grace = match.proposed_at.timestamp() + rules.absence_grace_s
    return {
        "match": match,
        **sides(match, member),
        "left": max(0, int(left)),
        "total": rules.contest_window_s,
        "call_until": ends,
        "call_left": max(0, int((ends - at).total_seconds())),
        "rules": rules,
        "absence_from": datetime.fromtimestamp(grace, tz=at.tzinfo),
        "absence_possible": at.timestamp() >= grace,
        "seated": match.first_seated_at if match.first_id == member.pk else match.second_seated_at,
        "allowed": results.allowed(match, by=Actor(None, member, PLAYER), at=at),
        "category": _category(match, member),
        "met_before": _met_before(match),
    }


def _category(match: Match, member: Member) -> str:
    other = match.second_id if match.first_id == member.pk else match.first_id
    cotes = board.cotes_of(match.organisation)
    return board.category_code(
        cotes.get(other or 0, board.initial_cote(match.rule_book)), match.rule_book
    )


def _met_before(match: Match) -> list[Match]:
    if match.second is None:
        return []
    return [m for m in board.meetings_of(match.first, match.second) if m.pk != match.pk]


ACTS = {
    "pause": ladder.pause,
    "pret": ladder.ready_again,
    "partir": ladder.go_home,
}


@member_required
@require_POST
def my_act(request: HttpRequest, act: str) -> HttpResponse:
    """Pause, ready again, going home, back again."""
    organisation, at = organisation_of(request), timezone.now()
    evening = board.live_evening(organisation)
    member = access_of(request).member
    if evening is None or member is None:
        messages.error(request, _("Aucune soirée n’est ouverte."))
        return redirect("pairings:my_evening")
    try:
        if act == "revenir":
            ladder.check_in(evening=evening, member=member, source="qr", by=_actor(request), at=at)
        elif act in ACTS:
            ACTS[act](evening=evening, member=member, by=_actor(request), at=at)
        else:
            raise Http404
    except Refused as refused:
        messages.error(request, str(refused))
    return redirect("pairings:my_evening")


@member_required
@require_POST
def sit(request: HttpRequest, match_id: int) -> HttpResponse:
    """ "Je suis à table"."""
    match, _member = _own(request, match_id)
    try:
        results.sit_down(match=match, by=_actor(request), at=timezone.now())
    except Refused as refused:
        messages.error(request, str(refused))
    return redirect("pairings:my_evening")


# The match


@public
@never_cache
@require_GET
def match(request: HttpRequest, match_id: int) -> HttpResponse:
    """Result, versions, timeline: what each reader may see."""
    at = received_at(request)
    found = get_object_or_404(
        Match.objects.of(organisation_of(request)).select_related(
            "first", "second", "evening", "round__tournament", "organisation", "rule_book"
        ),
        pk=match_id,
    )
    results.lapse(match=found, at=at)
    found.refresh_from_db()
    access = access_of(request)
    involved = found.seats(access.member)
    inside = involved or access.is_arbiter
    context: dict[str, Any] = {
        "match": found,
        "at": at,
        "involved": involved,
        "inside": inside,
        "decisions": list(found.decisions.order_by("pk").select_related("by_member")),
        "lines": list(found.lines.order_by("number").select_related("by_member")) if inside else [],
        "contests": list(found.contests.order_by("pk")) if inside else [],
        "players": _players(found, access),
        "points": [
            {"name": name_of(member, access.is_member), "won": won}
            for member, won in match_points(found)
        ],
        "tournament_points": tournament_play.points_of(found, access.is_member),
        "access": access,
        "points_scale": _scale_words(found),
    }
    context["timeline"] = [{"line": line, "words": line_words(line)} for line in context["lines"]]
    if involved and access.member is not None:
        context |= _match_context(found, access.member, at)
    return render(request, "pairings/match.html", context)


def name_of(member: Member, viewer_is_member: bool) -> str:
    return member.name_for(viewer_is_member=viewer_is_member)


def _players(match: Match, access: Access) -> list[dict[str, Any]]:
    """Both sides of a match: name, address, score, and whether the result in force makes them win."""
    scores = {match.first_id: match.first_score, match.second_id: match.second_score}
    found = []
    for member in results.players_of(match):
        own = scores[member.pk]
        rivals = [score for pk, score in scores.items() if pk != member.pk]
        won = match.counts and own is not None and rivals[0] is not None and own > rivals[0]
        found.append(
            {
                "name": name_of(member, access.is_member),
                "url": player_url(access, member),
                "score": own,
                "won": won,
            }
        )
    return found


def match_points(match: Match) -> list[tuple[Member, Any]]:
    """PR and DS of each player for the result in force."""
    if not match.counts or match.evening is None:
        return []
    from pairings.ranking import season

    record = season.record_of(match, match.evening.held_on)
    if record is None:
        return []
    scale = season.pairing_rules(match.rule_book).scale()
    first, second = points_of(record, scale)
    pairs = [(match.first, first)]
    if match.second is not None and second is not None:
        pairs.append((match.second, second))
    return pairs


@public
@require_GET
def match_why(request: HttpRequest, match_id: int) -> HttpResponse:
    """Why these two met: the reasons stored when they were paired."""
    found = get_object_or_404(
        Match.objects.of(organisation_of(request)).select_related(
            "first", "second", "evening", "round__tournament", "pairing_run", "organisation"
        ),
        pk=match_id,
    )
    viewer = access_of(request).is_member
    context = {
        "match": found,
        "sentences": pairing_sentences(found, viewer_is_member=viewer),
    }
    return render(request, "pairings/match_why.html", context)


@member_required
@never_cache
@require_http_methods(["GET", "POST"])
def result_enter(request: HttpRequest, match_id: int) -> HttpResponse:
    """Two numbers: mine, theirs. The sentence that follows is shown before sending."""
    found, member = _own(request, match_id)
    if results.winning_games(found) > 1:
        return tournament_play.enter_games(request, found, member)
    at = received_at(request)
    rules = results.lifecycle_of(found)
    bounds = {"low": rules.min_score, "high": rules.max_score}
    here = sides(found, member)
    mine_entered = found.submitted_by_id == member.pk
    enterable = found.status in ("proposed", "playing") or (
        found.status == "submitted" and mine_entered
    )
    if request.method == "GET" and not enterable:
        return redirect(_next_page(found, member))
    initial = {"key": uuid.uuid4().hex}
    if mine_entered:
        initial |= {"mine": here["mine"], "theirs": here["theirs"]}
    form = ScoreForm(request.POST or None, request.FILES or None, initial=initial, **bounds)
    if request.method == "POST" and form.is_valid():
        try:
            photo = form.cleaned_data["photo"]
            after = results.enter_score(
                match=found,
                by=_actor(request),
                mine=form.cleaned_data["mine"],
                theirs=form.cleaned_data["theirs"],
                key=form.cleaned_data["key"] or request.headers.get("Idempotency-Key", "")[:64],
                photo=photos.keep(photo) if photo else "",
                at=at,
            )
        except photos.PhotoRefused as refused:
            form.add_error("photo", str(refused))
        except Refused as refused:
            form.add_error(None, str(refused))
        else:
            if "same_phone" in request.POST and after.status == "submitted":
                return redirect("pairings:result_pin", match_id=after.pk)
            return redirect("pairings:my_evening")
    context = {
        "form": form,
        "at": at,
        **_match_context(found, member, at),
        "editing": mine_entered,
        "points_scale": _scale_words(found),
    }
    return render(request, "pairings/result_enter.html", context, status=_status(form))


def _scale_words(match: Match) -> dict[str, Any]:
    """What a win, a draw and a loss bring here, for the sentence before sending."""
    from pairings.ranking import season

    if match.round is not None:
        return tournament_play.scale_words(match.round.tournament)
    scale = season.pairing_rules(match.rule_book).scale()
    record = MatchRecord(1, 2, "played", 2, 1)
    draw = MatchRecord(1, 2, "played", 1, 1)
    won, lost = points_of(record, scale)
    tied, _other = points_of(draw, scale)
    return {
        "win": won.pr,
        "loss": lost.pr if lost else 0,
        "draw": tied.pr,
        "forfeit": scale.forfeit_win,
        "absent": scale.absent,
        "bye": scale.bye,
        "forfeits_rated": posting.rates_forfeits(match),
    }


def _next_page(match: Match, member: Member) -> str:
    from django.urls import reverse

    if match.status == "submitted" and match.submitted_by_id != member.pk:
        return reverse("pairings:result_confirm", kwargs={"match_id": match.pk})
    if match.is_open:
        return reverse("pairings:my_evening")
    return match.get_absolute_url()


def _status(form: Any) -> int:
    return 422 if form.is_bound and form.errors else 200


@member_required
@never_cache
@require_http_methods(["GET", "POST"])
def result_confirm(request: HttpRequest, match_id: int) -> HttpResponse:
    """Yes or no to the scores shown; nothing can be edited here.

    A whole room confirms in the same minute: a yes reads the match once, under its lock.
    """
    at = received_at(request)
    form = VersionForm(request.POST or None)
    error, late = "", False
    if request.method == "POST" and form.is_valid():
        here = Match(pk=match_id, organisation=organisation_of(request))
        try:
            results.confirm(
                match=here, by=_actor(request), at=at, version=form.cleaned_data["version"]
            )
        except Match.DoesNotExist:
            raise Http404 from None
        except Refused as refused:
            error = str(refused)
            late = refused.code == "wrong_state"
        else:
            messages.success(request, _("Résultat confirmé. Merci !"))
            return redirect("pairings:my_evening")
    elif request.method == "POST":  # an altered form does not say which result was read
        error = _("Ce résultat a changé depuis que vous l’avez lu. Relisez-le avant d’agir.")
    found, member = _own(request, match_id)
    if late:
        error = late_answers.what_happened(found, member) or error
    if request.method == "GET":  # a confirmation lets the clock speak itself
        results.lapse(match=found, at=at)
        found.refresh_from_db()
    own = found.status == "submitted" and found.submitted_by_id == member.pk
    if (own or found.status not in ("submitted", "absence_claimed")) and not error:
        return redirect(_next_page(found, member))
    context = {
        "at": at,
        "error": error,
        "version": found.version,
        **_match_context(found, member, at),
        "points": _points_if_final(found),
        "tournament_points": tournament_play.points_if_final(found, member),
        "my_games": tournament_play.games_of(found, member),
        "projected": _projected_if_final(found, member),
    }
    return render(request, "pairings/result_confirm.html", context, status=409 if error else 200)


def _points_if_final(match: Match) -> list[tuple[Member, Any]]:
    """PR and DS this result would bring once agreed."""
    if match.kind != "played":
        return []
    return match_points(board.trial_of(match, status="final", counts=True))


def _projected_if_final(match: Match, member: Member) -> int | None:
    """The reader's cote tonight if this result stands."""
    if match.kind != "played" or match.evening is None:
        return None
    trial = board.trial_of(match, status="final", counts=True)
    change = board.project(match.evening, {match.pk: board.game_of(trial)}).get(member.pk)
    return None if change is None else int(str(change.after.rating))


@member_required
@never_cache
@require_http_methods(["GET", "POST"])
def result_pin(request: HttpRequest, match_id: int) -> HttpResponse:
    """The other player agrees, or with `?non` contests, on this phone with their own code."""
    found, member = _own(request, match_id)
    at = received_at(request)
    if found.status != "submitted" or found.submitted_by_id != member.pk or found.second is None:
        return redirect(_next_page(found, member))
    other = found.second if found.first_id == member.pk else found.first
    contesting = "non" in request.GET
    form = PinForm(request.POST or None, initial={"version": found.version})
    if request.method == "POST" and form.is_valid():
        by = Actor(user=access_of(request).user, member=other, role=PLAYER, origin="same_phone")
        try:
            source = _pin_source(request, other)
            pins.check(member=other, pin=form.cleaned_data["pin"], source=source, by=by, at=at)
            version = form.cleaned_data["version"]
            if contesting:
                results.contest(match=found, by=by, at=at, version=version)
            else:
                results.confirm(match=found, by=by, at=at, version=version)
        except pins.PinRefused as refused:
            form.add_error("pin", str(refused))
        except Refused as refused:
            form.add_error(None, str(refused))
        else:
            words = (
                _("%(name)s conteste ce résultat. L’arbitre est prévenu.")
                if contesting
                else _("%(name)s a confirmé. Merci !")
            )
            messages.success(request, words % {"name": other.first_name})
            return redirect("pairings:my_evening")
    context = {
        "form": form,
        "contesting": contesting,
        "at": at,
        **_match_context(found, member, at),
    }
    return render(request, "pairings/result_pin.html", context, status=_status(form))


@member_required
@never_cache
@require_http_methods(["GET", "POST"])
def result_dispute(request: HttpRequest, match_id: int) -> HttpResponse:
    """ "Non, je conteste": to the arbiter; after the window, a request to the committee."""
    found, member = _own(request, match_id)
    at = received_at(request)
    results.lapse(match=found, at=at)
    found.refresh_from_db()
    if request.method == "GET" and found.status == "contested":
        return redirect(found)  # the arbiter has it already
    late = not found.is_open
    rules = results.lifecycle_of(found)
    form = DisputeForm(
        request.POST or None,
        request.FILES or None,
        initial={"version": found.version},
        low=rules.min_score,
        high=rules.max_score,
    )
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        scores = None
        if given["mine"] is not None:
            pair = (given["mine"], given["theirs"])
            scores = pair if found.first_id == member.pk else (pair[1], pair[0])
        try:
            if late:
                results.ask_committee(
                    match=found, by=_actor(request), at=at, words=given["words"], scores=scores
                )
                messages.success(request, _("Votre demande est transmise au comité."))
            else:
                photo = given["photo"]
                results.contest(
                    match=found,
                    by=_actor(request),
                    at=at,
                    subject=given["subject"],
                    words=given["words"],
                    scores=scores,
                    photo=photos.keep(photo) if photo else "",
                    version=given["version"],
                )
                messages.success(request, _("L’arbitre est prévenu. Rien ne change d’ici là."))
            return redirect("pairings:my_evening" if not late else found)
        except photos.PhotoRefused as refused:
            form.add_error("photo", str(refused))
        except Refused as refused:
            form.add_error(None, str(refused))
            found.refresh_from_db()
            late = not found.is_open
    context = {"form": form, "late": late, "at": at, **_match_context(found, member, at)}
    return render(request, "pairings/result_dispute.html", context, status=_status(form))


@member_required
@never_cache
@require_http_methods(["GET", "POST"])
def absence_report(request: HttpRequest, match_id: int) -> HttpResponse:
    """ "Mon adversaire n’est pas là", and the other's answer to it."""
    found, member = _own(request, match_id)
    at = received_at(request)
    results.lapse(match=found, at=at)
    found.refresh_from_db()
    claimed = found.status == "absence_claimed"
    form = AbsenceForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            # Which button it was is said by the form: a page read before the other's claim must
            # not be taken for an answer to it.
            if "deny" in request.POST:
                results.deny_absence(
                    match=found, by=_actor(request), at=at, words=form.cleaned_data["words"]
                )
                messages.success(request, _("L’arbitre est prévenu."))
            elif "agree" in request.POST:
                seen = found.version if claimed else -1  # a score is agreed with on its own page
                results.confirm(match=found, by=_actor(request), at=at, version=seen)
            elif not (claimed and found.submitted_by_id == member.pk):  # said twice is said once
                results.claim_absence(match=found, by=_actor(request), at=at)
                messages.success(request, _("L’absence est signalée."))
            return redirect("pairings:my_evening")
        except Refused as refused:
            form.add_error(None, str(refused))
            found.refresh_from_db()
            claimed = found.status == "absence_claimed"
    if not found.is_open and not form.errors:
        return redirect(found)
    context = {
        "form": form,
        "claimed": claimed,
        "at": at,
        "points_scale": _scale_words(found),
        **_match_context(found, member, at),
    }
    return render(request, "pairings/absence_report.html", context, status=_status(form))


@member_required
@require_GET
def photo(request: HttpRequest, match_id: int, submission_id: int) -> Any:
    """The sheet's photo, for the two players and the arbiters."""
    access = access_of(request)
    found = get_object_or_404(Match.objects.of(organisation_of(request)), pk=match_id)
    if not (found.seats(access.member) or access.is_arbiter):
        raise Http404
    if submission_id == 0:
        contest = found.contests.exclude(photo="").order_by("-pk").first()
        name = contest.photo if contest else ""
    else:
        name = get_object_or_404(Submission, pk=submission_id, match=found).photo
    path = photos.path_of(name) if name else None
    if path is None:
        raise Http404
    response = FileResponse(path.open("rb"), content_type="image/jpeg")
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Disposition"] = 'inline; filename="feuille.jpg"'
    return response
