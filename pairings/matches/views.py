"""Views of a player's match on a phone: card, entry, confirmation, contest, absence."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from clubs.accounts.actor import PLAYER, Actor, Refused
from clubs.accounts.permissions import (
    Access,
    access_of,
    member_required,
    organisation_of,
    player_url,
    public,
    received_at,
)
from clubs.members import pins
from clubs.members.models import Member
from pairings.arbitration import actions as arbitration
from pairings.evenings import queries as board
from pairings.matches import actions as match_actions
from pairings.matches import late_answers, photos
from pairings.matches.device import pin_source
from pairings.matches.explanations import line_words
from pairings.matches.forms import (
    AbsenceForm,
    DisputeForm,
    PinForm,
    ScoreForm,
    VersionForm,
)
from pairings.matches.models import Match, Submission
from pairings.matches.state import allowed, instant
from pairings.ranking import projection
from pairings.rules.match_lifecycle import Status
from pairings.tournaments import player_match as tournament_play

GUEST_COOKIE = "guest"
GUEST_AGE_S = 86400


def actor_at(request: HttpRequest) -> Actor:
    return access_of(request).actor(PLAYER)


def _own(request: HttpRequest, match_id: int) -> tuple[Match, Member]:
    """Return a match of the reader; any other match is a 404."""
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
    """Return the match from one player's side: names, scores, winner."""
    first = match.first_id == member.pk
    me, other = (match.first, match.second) if first else (match.second, match.first)
    mine, theirs = (
        (match.first_score, match.second_score)
        if first
        else (match.second_score, match.first_score)
    )
    return {"me": me, "other": other, "mine": mine, "theirs": theirs, "i_am_first": first}


# Check-in


# The player's card


def match_context(match: Match, member: Member, at: datetime) -> dict[str, Any]:
    rules = match.competition.match_rules()
    left = (match.contest_until - at).total_seconds() if match.contest_until else 0
    ends = match.competition.call_ends()
    grace = instant(rules.absence_from(match.proposed_at.timestamp()))
    return {
        "match": match,
        **sides(match, member),
        "left": max(0, int(left)),
        "total": rules.contest_window_s,
        "call_until": ends,
        "call_left": max(0, int((ends - at).total_seconds())),
        "rules": rules,
        "absence_from": grace,
        "absence_possible": at >= grace,
        "seated": match.first_seated_at if match.first_id == member.pk else match.second_seated_at,
        "allowed": allowed(match, by=Actor(None, member, PLAYER), at=at),
        "category": _category(match, member),
        "met_before": _met_before(match),
    }


def _category(match: Match, member: Member) -> str:
    other = match.second_id if match.first_id == member.pk else match.first_id
    cotes = projection.cotes_of(match.organisation)
    return projection.category_code(
        cotes.get(other or 0, projection.initial_cote(match.rule_book)), match.rule_book
    )


def _met_before(match: Match) -> list[Match]:
    if match.second is None:
        return []
    return [m for m in board.meetings_of(match.first, match.second) if m.pk != match.pk]


@member_required
@require_POST
def sit(request: HttpRequest, match_id: int) -> HttpResponse:
    """Mark the reader as seated ("Je suis à table")."""
    match, _member = _own(request, match_id)
    try:
        match_actions.sit_down(match=match, by=actor_at(request), at=timezone.now())
    except Refused as refused:
        messages.error(request, str(refused))
    return redirect("pairings:my_evening")


# The match


@public
@never_cache
@require_GET
def match(request: HttpRequest, match_id: int) -> HttpResponse:
    """Show the result, versions and timeline, as far as each reader may see them."""
    at = received_at(request)
    found = get_object_or_404(
        Match.objects.of(organisation_of(request)).select_related(
            "first", "second", "evening", "round__tournament", "organisation", "rule_book"
        ),
        pk=match_id,
    )
    match_actions.lapse(match=found, at=at)
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
        **found.competition.points(viewer_is_member=access.is_member),
        "access": access,
        "points_scale": found.competition.points_scale(),
    }
    context["timeline"] = [{"line": line, "words": line_words(line)} for line in context["lines"]]
    if involved and access.member is not None:
        context |= match_context(found, access.member, at)
    return render(request, "pairings/matches/match.html", context)


def name_of(member: Member, viewer_is_member: bool) -> str:
    return member.name_for(viewer_is_member=viewer_is_member)


def _players(match: Match, access: Access) -> list[dict[str, Any]]:
    """Return both sides: name, address, score, and whether the result in force makes them win."""
    scores = {match.first_id: match.first_score, match.second_id: match.second_score}
    found = []
    for member in match.players():
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


@public
@require_GET
def match_why(request: HttpRequest, match_id: int) -> HttpResponse:
    """Show the reasons stored with the pairing of these two players."""
    found = get_object_or_404(
        Match.objects.of(organisation_of(request)).select_related(
            "first", "second", "evening", "round__tournament", "pairing_run", "organisation"
        ),
        pk=match_id,
    )
    viewer = access_of(request).is_member
    context = {
        "match": found,
        "sentences": found.competition.explain(viewer_is_member=viewer),
    }
    return render(request, "pairings/matches/match_why.html", context)


@member_required
@never_cache
@require_http_methods(["GET", "POST"])
def result_enter(request: HttpRequest, match_id: int) -> HttpResponse:
    """Enter two numbers: the reader's score, then the opponent's.

    The resulting sentence is shown before sending.
    """
    found, member = _own(request, match_id)
    if found.competition.winning_games() > 1:
        return tournament_play.enter_games(request, found, member)
    at = received_at(request)
    rules = found.competition.match_rules()
    bounds = {"low": rules.min_score, "high": rules.max_score}
    here = sides(found, member)
    mine_entered = found.submitted_by_id == member.pk
    enterable = found.status in (Status.PROPOSED, Status.PLAYING) or (
        found.status == Status.SUBMITTED and mine_entered
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
            after = match_actions.enter_score(
                match=found,
                by=actor_at(request),
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
            if "same_phone" in request.POST and after.status == Status.SUBMITTED:
                return redirect("pairings:result_pin", match_id=after.pk)
            return redirect("pairings:my_evening")
    context = {
        "form": form,
        "at": at,
        **match_context(found, member, at),
        "editing": mine_entered,
        "points_scale": found.competition.points_scale(),
    }
    return render(request, "pairings/matches/result_enter.html", context, status=status_of(form))


def _next_page(match: Match, member: Member) -> str:
    from django.urls import reverse

    if match.status == Status.SUBMITTED and match.submitted_by_id != member.pk:
        return reverse("pairings:result_confirm", kwargs={"match_id": match.pk})
    if match.is_open:
        return reverse("pairings:my_evening")
    return match.get_absolute_url()


def status_of(form: Any) -> int:
    return 422 if form.is_bound and form.errors else 200


@member_required
@never_cache
@require_http_methods(["GET", "POST"])
def result_confirm(request: HttpRequest, match_id: int) -> HttpResponse:
    """Confirm or contest the scores shown; nothing can be edited here.

    Many players confirm in the same minute, so a confirmation reads the match once, under its lock.
    """
    at = received_at(request)
    form = VersionForm(request.POST or None)
    error, late = "", False
    if request.method == "POST" and form.is_valid():
        here = Match(pk=match_id, organisation=organisation_of(request))
        try:
            match_actions.confirm(
                match=here, by=actor_at(request), at=at, version=form.cleaned_data["version"]
            )
        except Match.DoesNotExist:
            raise Http404 from None
        except Refused as refused:
            error = str(refused)
            late = refused.code == "wrong_state"
        else:
            messages.success(request, _("Résultat confirmé. Merci !"))
            return redirect("pairings:my_evening")
    elif request.method == "POST":  # a modified form does not say which result was read
        error = _("Ce résultat a changé depuis que vous l’avez lu. Relisez-le avant d’agir.")
    found, member = _own(request, match_id)
    if late:
        error = late_answers.what_happened(found, member) or error
    if request.method == "GET":  # a confirmation expires the window itself
        match_actions.lapse(match=found, at=at)
        found.refresh_from_db()
    own = found.status == Status.SUBMITTED and found.submitted_by_id == member.pk
    if (own or found.status not in (Status.SUBMITTED, Status.ABSENCE_CLAIMED)) and not error:
        return redirect(_next_page(found, member))
    context = {
        "at": at,
        "error": error,
        "version": found.version,
        **match_context(found, member, at),
        **found.competition.points_if_final(member),
    }
    return render(
        request, "pairings/matches/result_confirm.html", context, status=409 if error else 200
    )


@member_required
@never_cache
@require_http_methods(["GET", "POST"])
def result_pin(request: HttpRequest, match_id: int) -> HttpResponse:
    """Let the other player agree on this phone with their own code.

    With `?non` they contest instead.
    """
    found, member = _own(request, match_id)
    at = received_at(request)
    if (
        found.status != Status.SUBMITTED
        or found.submitted_by_id != member.pk
        or found.second is None
    ):
        return redirect(_next_page(found, member))
    other = found.second if found.first_id == member.pk else found.first
    contesting = "non" in request.GET
    form = PinForm(request.POST or None, initial={"version": found.version})
    if request.method == "POST" and form.is_valid():
        by = Actor(user=access_of(request).user, member=other, role=PLAYER, origin="same_phone")
        try:
            source = pin_source(request, other)
            pins.check(member=other, pin=form.cleaned_data["pin"], source=source, by=by, at=at)
            version = form.cleaned_data["version"]
            if contesting:
                match_actions.contest(match=found, by=by, at=at, version=version)
            else:
                match_actions.confirm(match=found, by=by, at=at, version=version)
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
        **match_context(found, member, at),
    }
    return render(request, "pairings/matches/result_pin.html", context, status=status_of(form))


@member_required
@never_cache
@require_http_methods(["GET", "POST"])
def result_dispute(request: HttpRequest, match_id: int) -> HttpResponse:
    """Contest the result ("Non, je conteste"); after the window, send a request to the committee."""
    found, member = _own(request, match_id)
    at = received_at(request)
    match_actions.lapse(match=found, at=at)
    found.refresh_from_db()
    if request.method == "GET" and found.status == Status.CONTESTED:
        return redirect(found)  # already contested
    late = not found.is_open
    rules = found.competition.match_rules()
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
                arbitration.ask_committee(
                    match=found, by=actor_at(request), at=at, words=given["words"], scores=scores
                )
                messages.success(request, _("Votre demande est transmise au comité."))
            else:
                photo = given["photo"]
                match_actions.contest(
                    match=found,
                    by=actor_at(request),
                    at=at,
                    subject=given["subject"],
                    words=given["words"],
                    scores=scores,
                    photo=photos.keep(photo) if photo else "",
                    version=given["version"],
                )
                messages.success(
                    request,
                    _("L’arbitre est prévenu : le classement ne change pas avant sa décision."),
                )
            return redirect("pairings:my_evening" if not late else found)
        except photos.PhotoRefused as refused:
            form.add_error("photo", str(refused))
        except Refused as refused:
            form.add_error(None, str(refused))
            found.refresh_from_db()
            late = not found.is_open
    context = {"form": form, "late": late, "at": at, **match_context(found, member, at)}
    return render(request, "pairings/matches/result_dispute.html", context, status=status_of(form))


@member_required
@never_cache
@require_http_methods(["GET", "POST"])
def absence_report(request: HttpRequest, match_id: int) -> HttpResponse:
    """Claim the opponent's absence ("Mon adversaire n’est pas là"), or answer such a claim."""
    found, member = _own(request, match_id)
    at = received_at(request)
    match_actions.lapse(match=found, at=at)
    found.refresh_from_db()
    claimed = found.status == Status.ABSENCE_CLAIMED
    form = AbsenceForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            # The form says which button was pressed: an answer from a page read before the
            # opponent's claim
            # must not be taken as an answer to that claim.
            if "deny" in request.POST:
                match_actions.deny_absence(
                    match=found, by=actor_at(request), at=at, words=form.cleaned_data["words"]
                )
                messages.success(request, _("L’arbitre est prévenu."))
            elif "agree" in request.POST:
                seen = found.version if claimed else -1  # a score is confirmed on its own page
                match_actions.confirm(match=found, by=actor_at(request), at=at, version=seen)
            elif not (
                claimed and found.submitted_by_id == member.pk
            ):  # do not show the same message twice
                match_actions.claim_absence(match=found, by=actor_at(request), at=at)
                messages.success(request, _("L’absence est signalée."))
            return redirect("pairings:my_evening")
        except Refused as refused:
            form.add_error(None, str(refused))
            found.refresh_from_db()
            claimed = found.status == Status.ABSENCE_CLAIMED
    if not found.is_open and not form.errors:
        return redirect(found)
    context = {
        "form": form,
        "claimed": claimed,
        "at": at,
        "points_scale": found.competition.points_scale(),
        **match_context(found, member, at),
    }
    return render(request, "pairings/matches/absence_report.html", context, status=status_of(form))


@member_required
@require_GET
def photo(request: HttpRequest, match_id: int, submission_id: int) -> Any:
    """Return the score sheet's photo to the two players and the arbiters."""
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
