"""A tournament's match on a player's pages: entry game by game."""

from __future__ import annotations

import uuid

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from clubs.accounts.actor import Refused
from clubs.accounts.permissions import access_of
from clubs.members.models import Member
from clubs.ui.sent import render_form
from pairings.matches import actions as match_actions
from pairings.matches.explanations import names_of
from pairings.matches.models import Match
from pairings.rules.match_state import Status
from pairings.tournaments.competition import games_of
from pairings.tournaments.models import Entry, Tournament
from pairings.tournaments.rounds.forms import GamesForm


def running_of(member: Member) -> list[Entry]:
    """Return the unfinished tournaments this member is entered in."""
    return list(
        Entry.objects.filter(
            member=member,
            tournament__state__in=[Tournament.State.ENTRIES, Tournament.State.RUNNING],
        )
        .select_related("tournament")
        .order_by("tournament__starts_at", "pk")
    )


def enter_games(request: HttpRequest, match: Match, member: Member) -> HttpResponse:
    """Enter a two-win match on a phone.

    It has two or three games, each with the player's score and the opponent's.
    """
    rules = match.competition.match_rules()
    own_entry = match.submitted_by_id == member.pk
    if match.status not in (Status.PROPOSED, Status.PLAYING) and not (
        match.status == Status.SUBMITTED and own_entry
    ):
        if match.status == Status.SUBMITTED:
            return redirect("pairings:result_confirm", match_id=match.pk)
        return redirect(match)
    initial: dict[str, object] = {"key": uuid.uuid4().hex, "version": match.version}
    for number, (mine, theirs) in enumerate(games_of(match, member), start=1):
        initial |= {f"mine{number}": mine, f"theirs{number}": theirs}
    form = GamesForm(
        request.POST or None,
        games=2 * match.competition.winning_games() - 1,
        low=rules.min_score,
        high=rules.max_score,
        initial=initial,
    )
    already_sent = False
    if request.method == "POST" and form.is_valid():
        first = match.first_id == member.pk
        games = tuple((a, b) if first else (b, a) for a, b in form.scores())
        try:
            after = match_actions.submit(
                match=match,
                scores=(None, None),
                games=games,
                by=access_of(request).actor(),
                at=timezone.now(),
                key=form.cleaned_data["key"],
                version=form.read(),
            )
        except Refused as refused:
            already_sent = refused.code == "already_sent"
            form.add_error(None, str(refused))
            match.refresh_from_db()
        else:
            if "same_phone" in request.POST and after.status == Status.SUBMITTED:
                return redirect("pairings:result_pin", match_id=after.pk)
            return redirect("pairings:my_evening")
    context = {"form": form, "match": match, "me": member}
    context |= {"editing": own_entry or already_sent, "already_sent": already_sent}
    context["sent"] = ", ".join(f"{mine}–{theirs}" for mine, theirs in games_of(match, member))
    context |= names_of(match.opponent_of(member), viewer_is_member=access_of(request).is_member)
    return render_form(request, "pairings/tournaments/result_games.html", context)
