"""Pages of one match: its result and timeline, why these two met, the photo of the slip."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Any

from django.conf import settings
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from clubs.accounts.actor import PLAYER, Actor, Refused, refused_as_message
from clubs.accounts.permissions import (
    Access,
    access_of,
    organisation_of,
    player_required,
    player_url,
    public,
    received_at,
)
from clubs.members.models import Member
from pairings.evenings import queries as evening_queries
from pairings.matches import actions as match_actions
from pairings.matches import photos, seats
from pairings.matches.explanations import decided, names_of, timeline_of, what_happened
from pairings.matches.models import Match, Submission
from pairings.matches.state import allowed, final_since
from pairings.ranking import projection
from pairings.rules.match_state import Ending, Status

READ_WITH = ("first", "second", "evening", "round__tournament", "organisation", "rule_book")
TOO_LATE = ("wrong_state", "stale")
"""Refusals of an answer to a match that has moved on since it was read."""


def actor_at(request: HttpRequest) -> Actor:
    return access_of(request).actor(PLAYER)


def own_match(request: HttpRequest, match_id: int) -> tuple[Match, Member]:
    """Return a match of the reader; any other match is a 404."""
    member = access_of(request).player
    if member is None:
        raise Http404
    matches = Match.objects.of(organisation_of(request)).involving(member).with_states()
    return get_object_or_404(matches.select_related(*READ_WITH), pk=match_id), member


def late_words(request: HttpRequest, refused: Refused, match: Match, member: Member) -> str:
    """Return who did what at which hour where an answer came too late, else the refusal itself."""
    match.refresh_from_db()
    words = happened_words(request, match, member) if refused.code in TOO_LATE else ""
    return words or str(refused)


def happened_words(request: HttpRequest, match: Match, member: Member) -> str:
    """Return what happened to the match, its people named as this reader may see them."""
    return what_happened(
        match, member, at=timezone.now(), viewer_is_member=access_of(request).is_member
    )


def is_settled_alike(match: Match) -> bool:
    """Return whether a yes, or silence, has made the result final: a later yes says the same."""
    return match.status == Status.FINAL and match.why in (Ending.CONFIRMED, Ending.EXPIRED)


def in_order(match: Match, author: Member, values: dict[str, Any]) -> tuple[int, int]:
    """Return two typed scores, the author's first, in the order of the match."""
    scores = values["mine"], values["theirs"]
    return scores if match.first_id == author.pk else scores[::-1]


def next_page(match: Match, member: Member) -> str:
    """Return where a player whose act is not asked for any more goes on."""
    if match.status == Status.SUBMITTED and match.submitted_by_id != member.pk:
        return reverse("pairings:result_confirm", kwargs={"match_id": match.pk})
    if match.is_open:
        return reverse("pairings:my_evening")
    return match.get_absolute_url()


def sides(match: Match, member: Member) -> dict[str, Any]:
    """Return the match from one player's side: names, scores, winner."""
    mine, theirs = match.first_score, match.second_score
    if match.first_id != member.pk:
        mine, theirs = theirs, mine
    return {"me": member, "other": match.opponent_of(member), "mine": mine, "theirs": theirs}


def match_context(
    match: Match, member: Member, at: datetime, *, viewer_is_member: bool
) -> dict[str, object]:
    """Return what the pages of a match say to the player `member`.

    A guest plays too, but reads the opponent's name as a visitor does (`viewer_is_member`).
    """
    here = sides(match, member)
    rules = match.competition.match_rules()
    left = (match.contest_until - at).total_seconds() if match.contest_until else 0
    ends = match.competition.call_ends()
    return {
        "match": match,
        **here,
        **names_of(here["other"], viewer_is_member=viewer_is_member),
        "left": max(0, int(left)),
        "total": rules.contest_window_s,
        "rules": rules,
        "final_since": final_since(match),
        "later_day": match.competition.later_day(at),
        "absence_from": ends,
        "absence_possible": at >= ends,
        "seated": match.first_seated_at if match.first_id == member.pk else match.second_seated_at,
        "allowed": allowed(match, by=Actor(None, member, PLAYER), at=at),
        # Asked by the card and the form only, of matches read `with_states`.
        "category": partial(_category, match, member),
        "times_met": partial(_times_met, match),
    }


def own_match_context(
    request: HttpRequest, match: Match, member: Member, at: datetime
) -> dict[str, object]:
    """Return what a page of the reader's own match says at this time."""
    viewer_is_member = access_of(request).is_member
    return {"at": at, **match_context(match, member, at, viewer_is_member=viewer_is_member)}


def _category(match: Match, member: Member) -> str:
    state = match.second_state if match.first_id == member.pk else match.first_state
    return projection.category_code(projection.cote_of(state, match.rule_book), match.rule_book)


def _times_met(match: Match) -> int:
    return evening_queries.times_met(match.first, match.second) if match.second is not None else 0


@player_required
@require_POST
def sit(request: HttpRequest, match_id: int) -> HttpResponse:
    """Mark the reader as seated ("Je suis à table")."""
    match, _member = own_match(request, match_id)
    with refused_as_message(request):
        match_actions.sit_down(match=match, by=actor_at(request), at=timezone.now())
    return redirect("pairings:my_evening")


@public
@never_cache
@require_GET
def match(request: HttpRequest, match_id: int) -> HttpResponse:
    """Show the result, versions and timeline, as far as each reader may see them."""
    at = received_at(request)
    matches = Match.objects.of(organisation_of(request)).select_related(*READ_WITH)
    row = get_object_or_404(matches, pk=match_id)
    match_actions.lapse_read(row, at=at)
    access = access_of(request)
    involved = row.seats(access.player)
    inside = involved or access.is_arbiter
    context: dict[str, Any] = {
        "match": row,
        "at": at,
        "involved": involved,
        "inside": inside,
        "decisions": decided(row, viewer_is_member=access.is_member),
        "timeline": timeline_of(row, viewer_is_member=access.is_member) if inside else [],
        "contests": list(row.contests.order_by("pk")) if inside else [],
        "players": _players(row, access),
        **row.competition.points(viewer_is_member=access.is_member),
        "access": access,
        "points_scale": row.competition.points_scale(),
        # The code of a slip printed before leads here.
        "was_taken_away": access.player is not None
        and row.status == Status.CANCELLED
        and row.competition.plays_from() > at - seats.TONIGHT,
        # "Ma soirée" may be about tonight: the result of a game played early is entered from here.
        "is_early": row.competition.may_be_early(at),
    }
    if involved and access.player is not None:
        context |= match_context(row, access.player, at, viewer_is_member=access.is_member)
        context["waits_for_committee"] = any(
            contest.is_request_of(access.player) for contest in context["contests"]
        )
    return render(request, "pairings/matches/match.html", context)


def _players(match: Match, access: Access) -> list[dict[str, Any]]:
    """Return both sides: name, address, score, and whether the result in force makes them win."""
    scores = {match.first_id: match.first_score, match.second_id: match.second_score}
    sides, away = [], match.absentee_ids()
    for member in match.players():
        points = scores[member.pk]
        rivals = [score for pk, score in scores.items() if pk != member.pk]
        won = match.counts and points is not None and rivals[0] is not None and points > rivals[0]
        sides.append(
            {
                "name": member.name_for(viewer_is_member=access.is_member),
                "url": player_url(access, member),
                "score": points,
                "won": won,
                "away": member.pk in away,
            }
        )
    return sides


@public
@require_GET
def match_why(request: HttpRequest, match_id: int) -> HttpResponse:
    """Show the reasons stored with the pairing of these two players."""
    match = get_object_or_404(
        Match.objects.of(organisation_of(request)).select_related(
            "first", "second", "evening", "round__tournament", "pairing_run", "organisation"
        ),
        pk=match_id,
    )
    why = match.competition.explain(viewer_is_member=access_of(request).is_member)
    context = {"match": match, "sentences": why}
    return render(request, "pairings/matches/match_why.html", context)


@player_required
@require_GET
def photo(request: HttpRequest, match_id: int, submission_id: int) -> HttpResponseBase:
    """Return the score sheet's photo to the two players and the arbiters."""
    access = access_of(request)
    match = get_object_or_404(Match.objects.of(organisation_of(request)), pk=match_id)
    if not (match.seats(access.player) or access.is_arbiter):
        raise Http404
    if submission_id == 0:
        contest = match.contests.exclude(photo="").order_by("-pk").first()
        name = contest.photo if contest else ""
    else:
        name = get_object_or_404(Submission, pk=submission_id, match=match).photo
    path = photos.path_of(name) if name else None
    if path is None:
        raise Http404
    response: HttpResponse | FileResponse
    if settings.MEDIA_BY_PROXY:
        response = HttpResponse(headers={"X-Accel-Redirect": photos.BY_PROXY + path.name})
    else:
        response = FileResponse(path.open("rb"))
    response["Content-Type"] = "image/jpeg"
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Disposition"] = 'inline; filename="feuille.jpg"'
    return response
