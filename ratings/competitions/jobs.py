"""Long jobs over a list: requested by an officer, run by a worker, followed, cancelled, restarted.

A run only reads. Its row stores the progress; when a worker dies, `beat_at` gets old and the sweep
gives the run to another worker, which starts again from the beginning.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _
from kombu.exceptions import OperationalError

from clubs.accounts.actor import Actor, Refused
from clubs.rulebooks.models import RuleBook
from ratings.competitions.models import ListRun
from ratings.ledger import corrections, impact, replay
from ratings.ledger.models import Period, RatedGame, RatingList
from ratings.ledger.propagation import EntryChange
from ratings.ledger.timeline import Calendar
from ratings.systems import system
from ratings.systems.protocol import EventRefused
from ratings.trials import simulation

SILENT = timedelta(seconds=60)
BIG_MOVE = 100
MOST_MISMATCHES = 20


Clock = Callable[[], datetime]


class Stopped(Exception):
    """The officer cancelled the run while it was running."""


@transaction.atomic
def ask(
    *,
    rating_list: RatingList,
    kind: str,
    period: Period | None = None,
    given: Mapping[str, Any] | None = None,
    by: Actor,
    at: datetime,
) -> ListRun:
    """Create a run waiting for a worker, or return the one already open for the same work."""
    assert by.user is not None
    open_one = ListRun.objects.filter(
        rating_list=rating_list, period=period, kind=kind, state__in=ListRun.OPEN
    ).first()
    if open_one is not None:
        return open_one
    run = ListRun.objects.create(
        organisation=rating_list.organisation,
        rating_list=rating_list,
        period=period,
        kind=kind,
        given=dict(given or {}),
        asked_at=at,
        asked_by=by.user,
    )
    from ratings.competitions.tasks import work

    transaction.on_commit(lambda: _send(work, run.pk))
    return run


def _send(task: Any, run_id: int) -> None:
    """Send the run to a worker; if the broker is unreachable the sweep will find the row."""
    try:
        task.delay(run_id)
    except OperationalError:
        return


def cancel(*, run: ListRun, at: datetime) -> bool:
    """Cancel a run that is waiting or running; the worker sees it at its next step."""
    moved = ListRun.objects.filter(pk=run.pk, state__in=ListRun.OPEN).update(
        state=ListRun.State.CANCELLED, ended_at=at
    )
    return bool(moved)


def work(run_id: int, *, clock: Clock) -> str:
    """Do one run and return its final state. A second worker finds it already taken.

    `clock` returns the current time: each step writes that the worker is alive.
    """
    taken = ListRun.objects.filter(pk=run_id, state=ListRun.State.WAITING).update(
        state=ListRun.State.RUNNING, beat_at=clock(), done=0
    )
    run = ListRun.objects.select_related("rating_list__organisation", "period").get(pk=run_id)
    if not taken:
        return run.state
    try:
        result = DOERS[ListRun.Kind(run.kind)](run, clock)
    except Stopped:
        return ListRun.State.CANCELLED
    except (Refused, EventRefused) as refused:
        return _end(run, ListRun.State.FAILED, {"words": str(refused)}, clock())
    except Exception:
        _end(
            run,
            ListRun.State.FAILED,
            {"words": _("Le calcul s’est arrêté. Recommencez-le.")},
            clock(),
        )
        raise
    return _end(run, ListRun.State.DONE, result, clock())


def _end(run: ListRun, state: str, result: Mapping[str, Any], at: datetime) -> str:
    ListRun.objects.filter(pk=run.pk, state=ListRun.State.RUNNING).update(
        state=state, result=dict(result), ended_at=at, version=run.rating_list.version
    )
    return state


def take_up_again(*, at: datetime) -> list[int]:
    """Queue again the runs whose worker stopped reporting, or that never reached a worker."""
    silent = ListRun.objects.filter(state=ListRun.State.RUNNING, beat_at__lt=at - SILENT)
    silent.update(state=ListRun.State.WAITING)
    old = ListRun.objects.filter(state=ListRun.State.WAITING, asked_at__lt=at - SILENT)
    return list(old.order_by("pk").values_list("pk", flat=True))


def _progress(run: ListRun, done: int, total: int, at: datetime) -> None:
    """Store the progress; stop when somebody cancelled the run."""
    moved = ListRun.objects.filter(pk=run.pk, state=ListRun.State.RUNNING).update(
        done=done, total=total, beat_at=at
    )
    if not moved:
        raise Stopped


def _check(run: ListRun, clock: Clock) -> dict[str, Any]:
    """Replay the whole list and compare every stored number."""
    mismatches = []
    for mismatch in replay.check(
        run.rating_list, lambda done, total: _progress(run, done, total, clock())
    ):
        mismatches.append(
            {
                "period": mismatch.period,
                "member": mismatch.member_id,
                "stored": mismatch.stored,
                "replayed": mismatch.replayed,
            }
        )
        if len(mismatches) == MOST_MISMATCHES:
            break
    return {"mismatches": mismatches}


def _dry(run: ListRun, clock: Clock) -> dict[str, Any]:
    """Compute what rating this competition would change, in it and in everything after it."""
    period = run.period
    assert period is not None
    correction = corrections.insert_event(period)
    corrections.check(run.rating_list, correction)
    calendar = Calendar(run.rating_list, correction)
    total = sum(place.wanted for place in calendar.places)
    seen: dict[int, int] = {}

    def each(line: EntryChange) -> None:
        if line.period_id not in seen:
            seen[line.period_id] = len(seen) + 1
            _progress(run, min(len(seen), total), total, clock())

    changes = impact.of_walk(calendar, each)
    return told(changes, period)


def told(found: impact.Difference, period: Period | None) -> dict[str, Any]:
    """Return a difference as JSON for the control page: who moves, and what needs a check."""
    here = [line for line in found.lines if period is not None and line.period_id == period.pk]
    return {
        "version": found.version,
        "moves": [
            {
                "member": member,
                "before": before,
                "after": after,
                "rank": found.ranks.get(member, (None, None)),
                "labels": _labels(found.labels.get(member)),
            }
            for member, (before, after) in found.finals.items()
        ],
        "newcomers": [line.member_id for line in here if line.shown_before is None],
        "periods": [[item.label, str(item.held_on), item.entries] for item in found.periods],
        "editions": [[item.pk, item.number, item.title] for item in found.editions],
        "oddities": _oddities(here, period) if period is not None else [],
    }


def _labels(change: Any) -> list[list[Any]]:
    """Return [before, after] of each label that changes (series, grade, status)."""
    if change is None:
        return []
    before, after = change
    return [
        [before.get(name), after.get(name)]
        for name in sorted({*before, *after})
        if before.get(name) != after.get(name)
    ]


def _oddities(lines: list[EntryChange], period: Period) -> list[dict[str, Any]]:
    """Return what an officer should check before publishing."""
    odd = system(period.rating_list.system).oddities
    oddities: list[dict[str, Any]] = []
    for line in lines:
        if line.shown_before is not None and line.shown_after is not None:
            moved = line.shown_after - line.shown_before
            if abs(moved) >= BIG_MOVE:
                oddities.append({"kind": "big_move", "member": line.member_id, "by": moved})
        kinds = {reason.kind for reason in line.change.because}
        oddities += [{"kind": kind, "member": line.member_id} for kind in odd if kind in kinds]
    scores: dict[int, list[int]] = {}
    for first, second, halves in (
        RatedGame.objects.filter(period=period)
        .in_force()
        .values_list("first_id", "second_id", "first_halves")
    ):
        scores.setdefault(first, []).append(halves)
        scores.setdefault(second, []).append(2 - halves)
    for member, player_scores in scores.items():
        if len(player_scores) >= 5 and sum(player_scores) in (0, 2 * len(player_scores)):
            oddities.append({"kind": "one_sided", "member": member, "games": len(player_scores)})
    return oddities


def _trial(run: ListRun, clock: Clock) -> dict[str, Any]:
    """Simulate a draft of the rules on the list's past."""
    draft = RuleBook.objects.get(pk=run.given["draft"], organisation=run.organisation)
    since = date.fromisoformat(run.given["since"])
    total = run.rating_list.periods.filter(settled_at__isnull=False, removed_at=None).count()
    done = 0

    def each(period: Period) -> None:
        nonlocal done
        done += 1
        _progress(run, done, total, clock())

    at = clock()
    report = simulation.simulate(run.rating_list, draft, since=since, at=at, each=each)
    on = at.astimezone(run.organisation.zone).date()
    places = simulation.standings(run.organisation, draft, on)
    values = {"number": draft.number, "values": draft.values}
    return {**report, "standings": places, "draft": values}


DOERS = {ListRun.Kind.DRY: _dry, ListRun.Kind.CHECK: _check, ListRun.Kind.TRIAL: _trial}
