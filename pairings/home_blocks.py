"""Blocks of the home page about play: current evening, next one, top of the ranking."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.utils import timezone

from clubs.accounts.permissions import access_of, organisation_of
from clubs.organisations.models import Organisation
from clubs.rulebooks.models import RuleBook
from pairings.evenings import queries as board
from pairings.evenings.models import CheckIn
from pairings.ranking import live as live_ranking
from pairings.ranking import projection
from pairings.ranking.views import line_of
from pairings.tournaments.models import Tournament


def evening(request: HttpRequest) -> dict[str, Any] | None:
    """Return the block of the current evening, or the next date. A federation holds no evenings."""
    organisation, at = organisation_of(request), timezone.now()
    if organisation.kind != Organisation.CLUB:
        return None
    running = board.live_evening(organisation)
    present = running.check_ins.exclude(state=CheckIn.State.LEFT).count() if running else 0
    return {
        "template": "pairings/home/_home_evening.html",
        "running": running,
        "present": present,
        "next": None if running else board.next_evening(organisation, at=at),
    }


def tournaments(request: HttpRequest) -> dict[str, Any] | None:
    """Return the tournaments in progress or open for entries."""
    found = list(
        Tournament.objects.of(organisation_of(request))
        .filter(state__in=[Tournament.State.RUNNING, Tournament.State.ENTRIES])
        .order_by("starts_at", "pk")[:3]
    )
    return {"template": "pairings/home/_home_tournaments.html", "rows": found} if found else None


def top(request: HttpRequest) -> dict[str, Any] | None:
    """Return the first five of the ranking."""
    found = live_ranking.ranking(organisation_of(request), at=timezone.now(), live=True)
    if found is None or not found.rows:
        return None
    access = access_of(request)
    own = access.member.pk if access.member is not None else None
    return {
        "template": "pairings/home/_home_top.html",
        "rows": [{**line_of(row, access), "own": row.member.pk == own} for row in found.rows[:5]],
    }


def example(book: RuleBook | None) -> dict[str, Any]:
    """Return the worked example of 002 IV.B, computed by the rules in force."""
    rules = projection.cote_rules(book)
    return {"own": 1000, "other": 1200, "chance": rules.win_probability(1000, 1200)}
