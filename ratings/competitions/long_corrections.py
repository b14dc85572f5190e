"""Corrections of a long list: a worker calculates what one changes, then another job applies it.

A job is given `list` (None: every list of the club, for two players who are one), `correction` as
JSON and `back`, the address of the page it was asked on; of a correction that a club sent also
`handover` and its `version`. The job that applies it is also given `reason`, `seen` and `second`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from pydantic import TypeAdapter

from clubs.accounts.actor import Actor, Refused
from clubs.approvals import actions as approvals
from clubs.members.models import Member
from clubs.organisations.models import Organisation
from clubs.upkeep import jobs
from clubs.upkeep.models_jobs import Job
from ratings.handovers import corrections as handed_over
from ratings.handovers.models import HandOver
from ratings.ledger import settlement
from ratings.ledger.corrections import Correction
from ratings.ledger.models import RatedGame, RatedPlacing, RatingList

LONG = 100_000
"""More games and places than this are not read again within a request."""
KINDS = (Job.Kind.EFFECT, Job.Kind.CORRECTION)
CORRECTION = TypeAdapter(Correction)


def is_long(rating_list: RatingList) -> bool:
    """Return whether a worker corrects this list."""
    rows = 0
    for model in (RatedGame, RatedPlacing):
        of_list = model.objects.filter(period__rating_list=rating_list).in_force()
        rows += of_list[: LONG + 1].count()
    return rows > LONG


def asked(
    correction: Correction,
    *,
    rating_list: RatingList | None = None,
    back: str,
    handover: HandOver | None = None,
    version: int | None = None,
) -> dict[str, Any]:
    """Return what a job is given of a correction."""
    return {
        "list": None if rating_list is None else rating_list.pk,
        "correction": CORRECTION.dump_python(correction, mode="json"),
        "back": back,
        "handover": None if handover is None else handover.pk,
        "version": version,
    }


def of_club(organisation: Organisation) -> QuerySet[Job]:
    """Return the jobs of long corrections of a club."""
    return Job.objects.filter(organisation=organisation, kind__in=KINDS)


def ask(
    *, kind: str, organisation: Organisation, given: Mapping[str, object], by: Actor, at: datetime
) -> Job:
    """Give a worker the job; the same form sent again finds the same one.

    Refused while another correction of the club is calculated or applied.
    """
    job: Job | None = of_club(organisation).filter(state__in=Job.OPEN).first()
    if job is None:
        pk = organisation.pk
        job = jobs.ask(
            organisation=organisation, kind=kind, target_id=pk, given=given, by=by, at=at
        )
    if job.kind != kind or {**job.given, **given} != job.given:
        raise Refused(
            _("Une autre correction est en cours : attendez sa fin, ou annulez-la."), code="busy"
        )
    return job


def ask_to_apply(
    *,
    organisation: Organisation,
    given: Mapping[str, object],
    reason: str,
    seen: Mapping[str, int],
    approver: Member | None,
    by: Actor,
    at: datetime,
) -> Job:
    """Give a worker a correction that was read. `seen`: the version of each list, by its id as text."""
    decided = {"reason": reason, "seen": seen, "second": None if approver is None else approver.pk}
    kind = Job.Kind.CORRECTION
    return ask(kind=kind, organisation=organisation, given={**given, **decided}, by=by, at=at)


def correction_of(job: Job) -> Correction:
    """Return the correction that the job is given."""
    return CORRECTION.validate_python(job.given["correction"])


def lists_of(job: Job) -> list[RatingList]:
    """Return the lists that the job corrects."""
    lists = RatingList.objects.filter(organisation_id=job.organisation_id)
    if job.given["list"] is not None:
        lists = lists.filter(pk=job.given["list"])
    return list(lists.select_related("organisation").order_by("pk"))


def apply(job: Job, by: Actor, at: datetime, progress: jobs.Progress) -> None:
    """Apply the correction that the job is given. What it refuses is refused of the whole."""
    given, correction = job.given, correction_of(job)
    common: dict[str, Any] = {"by": by, "at": at, "reason": given["reason"], "progress": progress}
    approver = given["second"] and Member.objects.get(pk=given["second"])
    if approver and approver not in approvals.others(job.organisation, by):
        raise Refused(str(approvals.NEEDED), code="second_required")
    if given["handover"] is not None:
        handover = HandOver.objects.select_related("rating_list").get(pk=given["handover"])
        seen = {"seen": given["version"], "list_seen": given["seen"][str(handover.rating_list_id)]}
        handed_over.take_correction(handover=handover, approver=approver, **seen, **common)
    elif given["list"] is not None:
        [rating_list] = lists_of(job)
        seen = given["seen"][str(rating_list.pk)]
        asked = {"correction": correction, "seen": seen, "approver": approver}
        settlement.apply(rating_list=rating_list, **asked, **common)
    for old, kept in correction.merged.items():
        people = Member.objects.in_bulk([old, kept])
        settlement.merge_member(member=people[old], into=people[kept], seen=given["seen"], **common)


@contextmanager
def refusals() -> Iterator[None]:
    """Refuse under one code what cannot be applied, also because the list has changed meanwhile."""
    try:
        yield
    except Refused as refused:
        raise Refused(str(refused), code="not_applied") from refused
