"""When each periodic task last finished, for monitoring (`/healthz/ready`)."""

from __future__ import annotations

from datetime import datetime, timedelta

from clubs.upkeep.models import SweepRun

RESOLUTION = timedelta(seconds=15)
"""A task that runs every few seconds is not recorded each time: each write is a disk sync."""

ARCHIVE, RESTORE = "archive", "restore"

# name → the age from which monitoring calls it late: several times its period.
LATE_AFTER = {
    "due": timedelta(minutes=1),
    "runs": timedelta(minutes=5),
    "journal": timedelta(minutes=10),
    "daily": timedelta(days=2),
}
COPIES_LATE_AFTER = {ARCHIVE: timedelta(days=2), RESTORE: timedelta(days=15)}
"""Said to the committee; pages are made as well without a copy."""


def note(name: str, *, at: datetime) -> None:
    """Record that this task finished."""
    known = SweepRun.objects.filter(name=name)
    ended_at = known.values_list("ended_at", flat=True).first()
    if ended_at is None:
        SweepRun.objects.bulk_create([SweepRun(name=name, ended_at=at)], ignore_conflicts=True)
    elif ended_at <= at - RESOLUTION:
        known.filter(ended_at=ended_at).update(ended_at=at)


def ages(*, at: datetime) -> dict[str, timedelta | None]:
    """Return the age of the last run of each task; None for one that never ran."""
    ended = dict(SweepRun.objects.values_list("name", "ended_at"))
    return {name: at - ended[name] if name in ended else None for name in LATE_AFTER}


def states(*, at: datetime) -> dict[str, tuple[datetime | None, bool]]:
    """Return when each task last ended, and whether that is too long ago."""
    ended = dict(SweepRun.objects.values_list("name", "ended_at"))
    return {
        name: (ended.get(name), name not in ended or at - ended[name] > late)
        for name, late in (LATE_AFTER | COPIES_LATE_AFTER).items()
    }
