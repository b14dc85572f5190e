"""What a worker calculates over a list. It only reads, and returns its result as JSON values."""

from __future__ import annotations

from datetime import date, datetime

from clubs.persons.models import Person
from clubs.rulebooks.models import RuleBook
from clubs.upkeep.jobs import Progress
from clubs.upkeep.models_jobs import Job
from ratings.competitions import long_corrections
from ratings.ledger import corrections, impact, replay
from ratings.ledger.entry_chain import EntryChange, newest_entries
from ratings.ledger.models import Period, RatedGame, RatingList
from ratings.ledger.timeline import key_of
from ratings.systems import system
from ratings.trials import simulation

BIG_MOVE = 100
MOST_MISMATCHES = 20


def calculate(job: Job, at: datetime, progress: Progress) -> dict[str, object]:
    """Do what the job is about. Raises LedgerRefused for what the rules cannot rate."""
    return CALCULATIONS[Job.Kind(job.kind)](job, at, progress)


def _check(job: Job, _at: datetime, progress: Progress) -> dict[str, object]:
    """Replay the whole list and compare every stored number."""
    mismatches = []
    for mismatch in replay.check(RatingList.objects.get(pk=job.target_id), progress):
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


def _dry(job: Job, at: datetime, progress: Progress) -> dict[str, object]:
    """Compute what rating this competition would change, in it and in everything after it."""
    period = Period.objects.select_related("rating_list__organisation").get(pk=job.target_id)
    insertion, on = corrections.insert_event(period), at.astimezone(job.organisation.zone).date()
    difference = replay.preview(period.rating_list, insertion, on=on, progress=progress)
    return as_json(difference, period)


def as_json(difference: impact.Difference, period: Period | None) -> dict[str, object]:
    """Return a difference as JSON for the control page: who moves, and what needs a check."""
    here = [line for line in difference.lines if period is not None and line.period_id == period.pk]
    newcomers = _newcomers(here, period) if period is not None else []
    titles = Period.objects.in_bulk([item.pk for item in difference.periods])
    return {
        "version": difference.version,
        "moves": [
            {
                "member": member,
                "before": before,
                "after": after,
                "rank": difference.ranks.get(member, (None, None)),
                "labels": impact.changed_labels(*difference.labels.get(member, ({}, {}))),
            }
            for member, (before, after) in difference.finals.items()
        ],
        "newcomers": newcomers,
        "periods": [
            [titles[item.pk].title, str(item.held_on), item.entries] for item in difference.periods
        ],
        "editions": [[item.pk, item.number, item.title] for item in difference.editions],
        "oddities": _oddities(here, period, newcomers) if period is not None else [],
    }


def _newcomers(lines: list[EntryChange], period: Period) -> list[int]:
    """Return those without a number until this competition.

    In some systems a newcomer starts at one, which nobody has read before.
    """
    members = [line.member_id for line in lines]
    known = newest_entries(period.rating_list, members, before=key_of(period))
    return [
        line.member_id for line in lines if line.shown_before is None or line.member_id not in known
    ]


def _oddities(
    lines: list[EntryChange], period: Period, newcomers: list[int]
) -> list[dict[str, object]]:
    """Return what an officer should check before publishing."""
    odd = system(period.rating_list.system).oddities
    oddities: list[dict[str, object]] = []
    for line in lines:
        known = line.member_id not in newcomers
        if known and line.shown_before is not None and line.shown_after is not None:
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
    placed = period.placings.in_force().values_list("member", flat=True)
    suspended = Person.objects.filter(status=Person.Status.SUSPENDED.value)
    suspended = suspended.filter(member__in={*scores, *placed}).order_by("pk")
    return oddities + [{"kind": "suspended", "member": one.member_id} for one in suspended]


def _trial(job: Job, at: datetime, progress: Progress) -> dict[str, object]:
    """Simulate a draft of the rules on the list's past."""
    rating_list = RatingList.objects.select_related("organisation").get(pk=job.target_id)
    draft = RuleBook.objects.get(pk=job.given["draft"], organisation=job.organisation)
    since = date.fromisoformat(job.given["since"])
    total = rating_list.periods.rated().count()
    done = 0

    def each(_period: Period) -> None:
        nonlocal done
        done += 1
        progress(done, total)

    report = simulation.simulate(rating_list, draft, since=since, at=at, each=each)
    on = at.astimezone(job.organisation.zone).date()
    places = simulation.standings(job.organisation, draft, on)
    values = {"number": draft.number, "values": draft.values}
    return {**report, "standings": places, "draft": values}


def _effect(job: Job, at: datetime, progress: Progress) -> dict[str, object]:
    """Compute what a correction changes in each list it is about."""
    correction = long_corrections.correction_of(job)
    on = at.astimezone(job.organisation.zone).date()
    return {
        "parts": [
            {
                "list": one.pk,
                **as_json(replay.preview(one, correction, on=on, progress=progress), None),
            }
            for one in long_corrections.lists_of(job)
        ]
    }


CALCULATIONS = {
    Job.Kind.DRY: _dry,
    Job.Kind.CHECK: _check,
    Job.Kind.TRIAL: _trial,
    Job.Kind.EFFECT: _effect,
}
