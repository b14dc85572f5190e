"""Public pages of the rated competitions of a list."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from clubs.accounts.permissions import (
    access_of,
    public,
)
from clubs.members.models import Member
from ratings.editions import actions as editions
from ratings.ledger.models import (
    LedgerEntry,
    Period,
    RatedGame,
    RatedPlacing,
)
from ratings.ledger.origins import UNOFFICIAL
from ratings.lists import queries as rankings
from ratings.lists.views import PAGE, list_of_address
from ratings.lists.views_players import change_url


@public
@require_safe
def competition_list(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the calendar of a list: rated competitions and unofficial ones, newest first."""
    held = list_of_address(request, slug)
    periods = (
        held.periods.shown()
        .annotate(
            people=Count(
                "entries",
                filter=Q(entries__superseded_by__isnull=True, entries__voided=False),
                distinct=True,
            )
        )
        .order_by("-held_on", "-position", "-pk")
    )
    page = Paginator(periods, PAGE).get_page(request.GET.get("page"))
    return render(request, "ratings/lists/competition_list.html", {"list": held, "page": page})


@public
@require_safe
def competition(request: HttpRequest, slug: str, period_id: int) -> HttpResponse:
    """Show one rated competition: who moved and by how much, each with its reasons; the games."""
    held, access = list_of_address(request, slug), access_of(request)
    period = get_object_or_404(
        (held.periods.filter(settled_at__isnull=False) | held.periods.shown()).select_related(
            "rule_book"
        ),
        pk=period_id,
    )
    entries = list(
        LedgerEntry.objects.filter(period=period)
        .in_force()
        .select_related("member")
        .order_by("-shown_after", "member__sort_name", "pk")
    )
    names = {
        entry.member_id: entry.member.name_for(viewer_is_member=access.is_member)
        for entry in entries
    }
    played = set(
        RatedPlacing.objects.filter(period=period).in_force().values_list("member_id", flat=True)
    )
    rows = [
        {
            "entry": entry,
            "name": names[entry.member_id],
            "url": change_url(entry, access),
            "before": entry.shown_before,
            "after": entry.shown_after,
            "delta": entry.delta,
            "absent": bool(played) and entry.member_id not in played,
            "corrected": entry.supersedes_id is not None,
        }
        for entry in entries
    ]
    games = (
        RatedGame.objects.filter(period=period)
        .in_force()
        .select_related("first", "second")
        .order_by("position", "pk")[:500]
    )
    placings = (
        RatedPlacing.objects.filter(period=period)
        .in_force()
        .select_related("member")
        .order_by("place", "member__sort_name")
    )
    context = {
        "list": held,
        "period": period,
        "is_unofficial": period.kind == UNOFFICIAL,
        "rows": rows,
        "games": [_game_line(game, access) for game in games],
        "byes": _byes(period, access),
        "placings": [
            (line.place, line.member.name_for(viewer_is_member=access.is_member))
            for line in placings
        ],
        "rule_number": period.rule_book.number if period.rule_book else None,
        "is_committee": access.is_committee,
        "publish": access.is_committee and not period.removed_at and _is_newer(period),
        "to_mend": editions.to_mend(held) if access.is_committee else [],
    }
    return render(request, "ratings/lists/competition.html", context)


def _is_newer(period: Period) -> bool:
    """Return whether it is played after the day that the last edition of its list covers."""
    edition = rankings.last_edition(period.rating_list.organisation, period.rating_list)
    return edition is None or edition.covers_until < period.held_on


def _byes(period: Period, access: Any) -> list[tuple[str, int, str]]:
    """Return who had no opponent: (name, half points, round)."""
    byes = period.facts.get("byes", [])
    people = Member.objects.in_bulk([pk for pk, _halves, _round in byes])
    return [
        (people[pk].name_for(viewer_is_member=access.is_member), halves, played_in)
        for pk, halves, played_in in byes
        if pk in people
    ]


def _game_line(game: RatedGame, access: Any) -> dict[str, Any]:
    return {
        "first": game.first.name_for(viewer_is_member=access.is_member),
        "second": game.second.name_for(viewer_is_member=access.is_member),
        "halves": game.first_halves,
        "facts": game.facts,
        "scores": (
            f"{game.first_score} – {game.second_score}" if game.first_score is not None else ""
        ),
    }
