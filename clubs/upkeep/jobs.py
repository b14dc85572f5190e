"""Long actions done by a worker: requested on a page, followed, cancelled, restarted.

An action that writes rows is one transaction. Nobody else sees its rows before the end, and on SQLite nobody else
can write meanwhile: progress and cancellation therefore go through the shared cache. When a worker dies, its entry
there expires within a minute and the sweep gives the job to another worker, which starts again from the beginning.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from celery import Task, shared_task
from django.core.cache import cache
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils import translation
from django.utils.module_loading import autodiscover_modules
from django.utils.translation import gettext as _
from kombu.exceptions import OperationalError

from clubs.accounts.actor import SYSTEM, Actor, Refused
from clubs.accounts.permissions import Access
from clubs.organisations.models import Organisation
from clubs.upkeep import database_clock
from clubs.upkeep.models_jobs import Job

LONG = 200
"""More rows than this are not written within a request."""
SILENT = timedelta(seconds=60)
STEP = 10
"""Rows between two reads of the cache, at most: a hundredth of a shorter job."""
CANCEL_KEPT_S = 3600
ORIGIN = "origin"
"""Where the job was requested, in what it is given: the journal says so of what it does."""

Clock = Callable[[], datetime]
Progress = Callable[[int, int], None]
Act = Callable[[Job, Actor, datetime, Progress], Mapping[str, object] | None]


class Stopped(Exception):
    """Somebody cancelled the job while it was running: its transaction is rolled back."""


@dataclass(frozen=True, slots=True)
class Doer:
    """What does the jobs of a kind: its task, which calls `act`; `undo` follows one that did not end well."""

    task: Task
    act: Act
    writes_rows: bool
    undo: Callable[[Job], object] | None


DOERS: dict[str, Doer] = {}
"""Kind of job → what does it, filled by `task` as each app's `tasks.py` is imported, not as an app is
ready: clubs, ratings and pairings (tests/architecture/test_tasks.py)."""


def task(
    name: str,
    *kinds: str,
    writes_rows: bool = True,
    undo: Callable[[Job], object] | None = None,
) -> Callable[[Act], Task]:
    """Make a function the task that does the jobs of these kinds. What it returns is the job's result.

    One that writes no row (`writes_rows=False`) has no transaction: on SQLite everybody would wait.
    """

    def make(act: Act) -> object:
        def do(job_id: int) -> str:
            return work(job_id, clock=database_clock.now)

        made = shared_task(name=name)(do)
        DOERS.update(dict.fromkeys(kinds, Doer(made, act, writes_rows, undo)))
        return made

    return make


def doer_of(kind: str) -> Doer:
    """Return what does the jobs of this kind; a process that has loaded no task yet loads them all.

    Not by Celery's loader: it sets Django up again, and a request would lose its club's address.
    """
    if kind not in DOERS:
        autodiscover_modules("tasks")
    return DOERS[kind]


def is_long(rows: int) -> bool:
    """Return whether that is too many rows to write within a request."""
    return rows > LONG


def no_progress(_done: int, _total: int) -> None:
    """Ignore progress, for an action that nobody follows."""


@transaction.atomic
def ask(
    *,
    organisation: Organisation,
    kind: str,
    target_id: int,
    by: Actor,
    at: datetime,
    given: Mapping[str, object] | None = None,
) -> Job:
    """Create a job waiting for a worker, or return the one already open for the same action."""
    job, created = Job.objects.get_or_create(
        kind=kind,
        target_id=target_id,
        state__in=Job.OPEN,
        defaults={
            "organisation": organisation,
            "given": {**(given or {}), ORIGIN: by.origin},
            "language": translation.get_language() or "fr",
            "asked_at": at,
            "asked_by": by.user,
            "asked_as": by.role,
        },
    )
    if created:
        transaction.on_commit(lambda: send_to_worker(job))
    return job


def take_back(*, job: Job, at: datetime) -> bool:
    """Make a lost job wait again. A worker that was only slow ends it first, or writes nothing."""
    if not is_lost(job, at=at):
        return False
    moved = Job.objects.filter(pk=job.pk, state=job.state, asked_at=job.asked_at).update(
        state=Job.State.WAITING, asked_at=at, taken_at=None
    )
    return bool(moved)


@transaction.atomic
def ask_again(*, job: Job, at: datetime) -> bool:
    """Queue a job again if it is lost; return whether it was."""
    taken_back = take_back(job=job, at=at)
    if taken_back:
        transaction.on_commit(lambda: send_to_worker(job))
    return taken_back


def take_up_again(*, at: datetime) -> int:
    """Queue every lost job again; return how many."""
    return sum(ask_again(job=job, at=at) for job in Job.objects.filter(state__in=Job.OPEN))


def send_to_worker(job: Job) -> None:
    """Send the job to a worker; without a broker, or room in it, the page says so after a minute."""
    try:
        doer_of(job.kind).task.delay(job.pk)
    except (OperationalError, OSError):
        return


def cancel(*, job: Job, at: datetime) -> None:
    """Stop a job. A worker that has begun sees it at its next step and writes nothing."""
    cache.set(_cancel_key(job.pk), 1, timeout=CANCEL_KEPT_S)
    # The row of a running job that writes is left to its worker: on SQLite its transaction is the writer.
    running = job.state == Job.State.RUNNING and doer_of(job.kind).writes_rows
    if not running or is_lost(job, at=at):
        Job.objects.filter(pk=job.pk, state__in=Job.OPEN).update(
            state=Job.State.CANCELLED, ended_at=at
        )


def latest(kind: str, target_id: int, *, at: datetime) -> Job | None:
    """Return the last job for that action, with its progress."""
    job = Job.objects.filter(kind=kind, target_id=target_id).order_by("-pk").first()
    return job and follow(job, at=at)


def follow(job: Job, *, at: datetime) -> Job:
    """Return the job with its progress."""
    if job.is_open:
        job.done, job.total = cache.get(_progress_key(job.pk)) or (0, 0)
        job.is_lost = is_lost(job, at=at)
    return job


def is_lost(job: Job, *, at: datetime) -> bool:
    """Return whether nothing has moved for a minute: no worker took it, or its worker died."""
    if job.state == Job.State.WAITING:
        return at > job.asked_at + SILENT
    if job.state != Job.State.RUNNING or job.taken_at is None or at <= job.taken_at + SILENT:
        return False
    return cache.get(_progress_key(job.pk)) is None


def work(job_id: int, *, clock: Clock) -> str:
    """Do one job and return its final state. A second worker finds it already taken."""
    taken = Job.objects.filter(pk=job_id, state=Job.State.WAITING).update(
        state=Job.State.RUNNING, taken_at=clock()
    )
    job = Job.objects.select_related("organisation", "asked_by").get(pk=job_id)
    if not taken:
        return job.state
    doer = doer_of(job.kind)
    with translation.override(job.language):
        try:
            by = actor_of(job)
            with transaction.atomic() if doer.writes_rows else nullcontext():
                result = doer.act(job, by, clock(), progress_of(job))
                actor_of(job)  # a role withdrawn while a worker was at it
                # In the action's own transaction: a cancelled job never leaves its rows.
                if not _end(job, Job.State.DONE, at=clock(), result=result):
                    raise Stopped
        except Stopped:
            _end(job, Job.State.CANCELLED, at=clock())
        except Refused as refused:
            done = doer.writes_rows and refused.code == "stale"
            _end(job, Job.State.DONE if done else Job.State.FAILED, str(refused), at=clock())
        except Exception:
            words = _("Cela s’est arrêté, et rien n’est enregistré. Recommencez.")
            _end(job, Job.State.FAILED, words, at=clock())
            raise
    job.refresh_from_db()
    if doer.undo is not None and job.state != Job.State.DONE:
        doer.undo(job)
    return job.state


def actor_of(job: Job) -> Actor:
    """Return who asked, in the role that they still hold. Raises Refused where it was withdrawn.

    The site asks for what a visitor reads; a job may have waited for hours.
    """
    origin = job.given.get(ORIGIN, "web")
    if job.asked_as == SYSTEM:
        return Actor.system(origin)
    user = job.asked_by if job.asked_by and job.asked_by.is_active else None
    try:
        by = Access.of(user, job.organisation).actor(job.asked_as)
    except PermissionDenied:
        words = _("Qui l’a demandé n’a plus le rôle qu’il faut : rien n’a changé.")
        raise Refused(words, code="role_withdrawn") from None
    return replace(by, origin=origin)


def _end(
    job: Job,
    state: str,
    words: str = "",
    *,
    at: datetime,
    result: Mapping[str, object] | None = None,
) -> bool:
    moved = Job.objects.filter(pk=job.pk, state=Job.State.RUNNING).update(
        state=state, words=words, ended_at=at, result=dict(result or {})
    )
    return bool(moved)


def progress_of(job: Job) -> Progress:
    """Return what reports the progress, and stops when somebody cancelled.

    The cache entry expires with its worker.
    """
    reported = 0

    def step(done: int, total: int) -> None:
        nonlocal reported
        if 0 < done < total and done - reported < min(STEP, total // 100):
            return
        reported = done
        cache.set(_progress_key(job.pk), [done, total], timeout=SILENT.total_seconds())
        if cache.get(_cancel_key(job.pk)) is not None:
            raise Stopped

    return step


def _progress_key(job_id: int) -> str:
    return f"job:{job_id}"


def _cancel_key(job_id: int) -> str:
    return f"job:{job_id}:cancel"
