"""Views of the arbiters' queue: their home page, and its rows on other pages."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from clubs.accounts.actor import Actor
from clubs.accounts.permissions import actor_of, arbiter_required, organisation_of
from clubs.organisations.models import Organisation
from pairings.absences import actions as absences
from pairings.arbitration.queue import Task, queue
from pairings.evenings import queries as evening_queries
from pairings.matches import actions as match_actions
from pairings.matches.refusals import is_own_match, why_barred


@arbiter_required
@require_GET
def arbiter_home(request: HttpRequest) -> HttpResponse:
    """Show everything pending for an arbiter, for any evening; to htmx the part that changes."""
    organisation, at = organisation_of(request), timezone.now()
    match_actions.lapse_due(at=at)
    context = {
        "evenings": evening_queries.live_evenings(organisation),
        "tasks": task_rows(organisation, by=actor_of(request), at=at),
        "next": evening_queries.next_evening(organisation, at=at),
        "excuses": absences.to_review(organisation),
        "at": at,
    }
    template = "_arbiter.html" if "HX-Request" in request.headers else "arbiter.html"
    return render(request, f"pairings/arbitration/{template}", context)


def task_rows(organisation: Organisation, *, by: Actor, at: datetime) -> list[dict[str, Any]]:
    """Return the queue as pages print it; called tables where nobody sits are one row an evening."""
    tasks = queue(organisation, at=at)
    empty = Counter(task.match.evening_id for task in tasks if task.is_empty_table)
    rows = []
    for task in tasks:
        count = empty[task.match.evening_id] if task.is_empty_table else 1
        if count == 1:
            rows.append(_row(task) | _barred(task, by))
        elif count:
            rows.append(_row_of_tables(task, count))
            empty[task.match.evening_id] = 0
    return rows


def _row_of_tables(task: Task, count: int) -> dict[str, object]:
    """Return the row of several called tables of an evening, of which `task` is the oldest."""
    evening = task.match.evening
    assert evening is not None  # only an evening calls people to their tables
    return _row(task) | {
        "words": ngettext(
            "%(n)s table appelée, personne n’y est assis",
            "%(n)s tables appelées, personne n’y est assis",
            count,
        )
        % {"n": count},
        "tables": count,
        "waits": _("la première depuis"),
        "url": reverse("pairings:control", kwargs={"day": evening.address}) + "#tables",
        "label": _("Voir les tables"),
        "key": f"calls-{evening.pk}",
    }


def _row(task: Task) -> dict[str, object]:
    """Return one item of the queue: what, who, since when, and its one button."""
    match = task.match
    seated = match.first_seated_at or match.second_seated_at
    words = {
        "contest": _("Litige"),
        "absence": _("Absence signalée"),
        "call": _("Table appelée, match non commencé"),
        "unanswered": _("Saisie sans réponse"),
        "request": _("Demande de correction"),
    }
    icons = {
        "contest": "gavel",
        "absence": "user-x",
        "call": "megaphone",
        "unanswered": "hourglass",
        "request": "mail-question",
    }
    if task.contest is not None:
        url = reverse("pairings:dispute", kwargs={"contest_id": task.contest.pk})
        label = _("Trancher") if task.kind == "contest" else _("Répondre")
    else:
        url = reverse("pairings:match_judge", kwargs={"match_id": match.pk})
        label = _("Traiter")
    return {
        "kind": task.kind,
        "words": words[task.kind],
        "icon": icons[task.kind],
        "match": match,
        "waits": _who_waits(task),
        "since": (seated if task.kind == "call" else None) or task.since,
        "url": url,
        "label": label,
        "taken": task.taken,
        "asked": task.asked,
        "key": f"{task.kind}-{match.pk}",
    }


def _barred(task: Task, by: Actor) -> dict[str, object]:
    """Return what the row says instead where the reader may not judge: a match of theirs, a recusal."""
    words = why_barred(task.match, task.contest, by)
    if is_own_match(task.match, by):
        return {"barred": words, "url": task.match.get_absolute_url(), "label": _("Voir le match")}
    return {"barred": words, "label": _("Voir le litige")} if words else {}


def _who_waits(task: Task) -> str:
    """Return who waits for what in an item of the queue; how long stands beside it."""
    match = task.match
    names = {"a": match.first, "b": match.second}
    waiting, missing = names["a"], names["b"]
    if task.kind == "request" and task.contest is not None and task.contest.opened_by is not None:
        return _("%(a)s attend une réponse") % {"a": task.contest.opened_by}
    if task.kind == "contest":
        return _("%(a)s et %(b)s attendent la décision") % names
    seated = match.second_id if match.second_seated_at else match.first_id
    if task.kind == "call" and bool(match.first_seated_at) == bool(match.second_seated_at):
        return _("%(a)s et %(b)s sont attendus à la table") % names
    if (seated if task.kind == "call" else match.submitted_by_id) == match.second_id:
        waiting, missing = missing, waiting
    return _("%(a)s attend %(b)s") % {"a": waiting, "b": missing}
