"""When each periodic task last finished, for monitoring (`/healthz/ready`)."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from clubs.upkeep.models import SweepRun

log = logging.getLogger(__name__)
RESOLUTION = timedelta(seconds=15)
"""A task that runs every few seconds is not recorded each time: each write is a disk sync."""

ANNOUNCEMENTS, ARCHIVE, RESTORE = "announcements", "archive", "restore"
NUMBERS, DELIVERIES, DOWNLOADS = "numbers", "deliveries", "downloads"

# name → the age from which monitoring calls it late: several times its period.
LATE_AFTER = {
    "due": timedelta(minutes=1),
    "runs": timedelta(minutes=5),
    "journal": timedelta(minutes=10),
    "webhooks": timedelta(minutes=10),
    "daily": timedelta(days=2),
}
ALL_LATE_AFTER = {
    **LATE_AFTER,
    ANNOUNCEMENTS: timedelta(hours=1),
    ARCHIVE: timedelta(days=2),
    RESTORE: timedelta(days=15),
    NUMBERS: timedelta(days=2),
    DELIVERIES: timedelta(days=2),
    DOWNLOADS: timedelta(hours=6),
}
"""With announcements, copies, verifications and removals: pages are made as well without them, so monitoring does not ask."""
FIRST = "first"
"""The row of the first task that ended on this site: the lateness of one that never ran is counted from it."""
FAILED = ":failed"
"""What follows the name of a task in the row of its last failure."""


def fail(name: str, *, at: datetime) -> None:
    """Record that this task failed, or ended without a part of its work.

    Each time: the failure of a task that ended in the same seconds would seem to be over.
    """
    note(name + FAILED, at=at, resolution=timedelta(0))


def end(name: str, *, at: datetime, whole: bool) -> None:
    """Record that this task finished, with the whole of its work or not."""
    record = note if whole else fail
    record(name, at=at)


@contextmanager
def apart(name: str, part: object, *, at: datetime) -> Iterator[None]:
    """Do one part of a task, a club's for instance: where it fails, the others are done all the same."""
    try:
        yield
    except Exception:
        log.exception("task %s failed for %s", name, part)
        fail(name, at=at)


def note(name: str, *, at: datetime, resolution: timedelta = RESOLUTION) -> None:
    """Record that this task finished."""
    known = SweepRun.objects.filter(name=name)
    ended_at = known.values_list("ended_at", flat=True).first()
    if ended_at is None:
        rows = [SweepRun(name=name, ended_at=at)]
        if not SweepRun.objects.exists():
            rows.append(SweepRun(name=FIRST, ended_at=at))
        SweepRun.objects.bulk_create(rows, ignore_conflicts=True)
    elif abs(at - ended_at) >= resolution:  # a row of the future: the clock was ahead
        known.filter(ended_at=ended_at).update(ended_at=at)


@dataclass(frozen=True, slots=True)
class Task:
    """A periodic task: when it last ended (None: never), how long ago, whether too long ago.

    `failed_at`: when it last failed, where it has not succeeded since.
    """

    ended_at: datetime | None
    age: timedelta | None
    late: bool
    failed_at: datetime | None = None


def states(*, at: datetime, after: Mapping[str, timedelta]) -> dict[str, Task]:
    """Return the tasks that are late after these times. One query.

    One that never ran is late where nothing ever ran, or the first task ended too long ago. One that
    ended in the future is late too: the clock was ahead, and nobody knows whether it still runs.
    """
    ended = dict(SweepRun.objects.values_list("name", "ended_at"))
    tasks = {}
    for name, patience in after.items():
        age = at - ended[name] if name in ended else None
        since = ended.get(name, ended.get(FIRST))
        failed = ended.get(name + FAILED)
        lasts = failed is not None and (name not in ended or failed >= ended[name])
        tasks[name] = Task(
            ended.get(name),
            age,
            late=since is None or abs(at - since) > patience,
            failed_at=failed if lasts else None,
        )
    return tasks


def trial(*, at: datetime) -> Task:
    """Return the restore on trial."""
    return states(at=at, after=ALL_LATE_AFTER)[RESTORE]
