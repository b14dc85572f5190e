"""`manage.py metrics`: serve /metrics for Prometheus on METRICS_BIND:METRICS_PORT, never on the site."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from celery import current_app
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection
from django.utils import timezone
from kombu.exceptions import KombuError
from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from redis import RedisError

from clubs.journal.models import JournalHead
from clubs.notifications import unsent
from clubs.upkeep import sweeps
from clubs.upkeep.models import JournalCheck


class Command(BaseCommand):
    help = (
        "Serve /metrics on METRICS_BIND:METRICS_PORT until stopped; nothing without METRICS_PORT."
    )
    requires_system_checks: list[str] = []

    def handle(self, *args: object, **options: object) -> None:
        if not settings.METRICS_PORT:
            self.stdout.write("METRICS_PORT is not set: no metrics.")
            return
        registry = CollectorRegistry()
        registry.register(Processes(settings.METRICS_DIR))
        registry.register(Database())
        # As the first process of a container it would ignore SIGTERM.
        signal.signal(signal.SIGTERM, lambda *_signal: sys.exit(0))
        where = f"METRICS_BIND:METRICS_PORT ({settings.METRICS_BIND}:{settings.METRICS_PORT})"
        try:
            _server, thread = start_http_server(
                settings.METRICS_PORT, addr=settings.METRICS_BIND, registry=registry
            )
        except OSError as refused:
            raise CommandError(f"{where}: {refused.strerror}.") from refused
        thread.join()


class Processes(Collector):
    """What the processes counted, each in its folder (deploy/process): one more label, `process`.

    A folder is emptied when its process starts: with one sum over all of them, the restart of one
    would read like a restart of the site.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def collect(self) -> Iterator[Metric]:
        metrics: dict[str, Metric] = {}
        for process in sorted(self.folder.glob("*/")):
            counted: list[Metric] = []
            with suppress(FileNotFoundError):  # its process is just starting
                counted = list(MultiProcessCollector.merge(map(str, process.glob("*.db"))))
            for metric in counted:
                known = metrics.setdefault(
                    metric.name, Metric(metric.name, metric.documentation, metric.type)
                )
                for sample in metric.samples:
                    labels = {**sample.labels, "process": process.name}
                    known.add_sample(sample.name, labels, sample.value)
        yield from metrics.values()


class Database(Collector):
    """What the database and the queue know, asked at each scrape."""

    def collect(self) -> Iterator[Metric]:
        try:
            rows = list(_rows(at=timezone.now()))
        except DatabaseError:
            rows = []
        finally:
            if not connection.in_atomic_block:
                connection.close()  # each scrape is a thread of its own
        yield GaugeMetricFamily("club_database_up", "The database answers", value=bool(rows))
        yield from rows
        with suppress(KombuError, RedisError, OSError):
            yield GaugeMetricFamily("club_queue_tasks", "Tasks that wait", value=_queue_length())


def _rows(*, at: datetime) -> Iterator[Metric]:
    ages = GaugeMetricFamily(
        "club_task_age_seconds", "Since a periodic task last ended", labels=["task"]
    )
    tasks = sweeps.states(at=at, after=sweeps.ALL_LATE_AFTER)
    for name, task in tasks.items():
        if task.age is not None:
            ages.add_metric([name], task.age.total_seconds())
    yield ages
    failing = GaugeMetricFamily(
        "club_task_failed", "A periodic task has not succeeded since it failed", labels=["task"]
    )
    for name, task in tasks.items():
        if task.age is not None or task.failed_at:
            failing.add_metric([name], task.failed_at is not None)
    yield failing
    trial = tasks[sweeps.RESTORE]
    if trial.ended_at or trial.failed_at:
        words = "The newest archive could be restored on trial"
        yield GaugeMetricFamily("club_archive_trial_ok", words, value=trial.failed_at is None)
    heads = GaugeMetricFamily(
        "club_journal_head", "Entries in the journal", labels=["organisation"]
    )
    for slug, seq in JournalHead.objects.order_by("pk").values_list("organisation__slug", "seq"):
        heads.add_metric([slug], seq)
    yield heads
    checks = GaugeMetricFamily(
        "club_journal_holds", "The last verification held", labels=["organisation"]
    )
    for check in JournalCheck.objects.select_related("organisation").order_by("pk"):
        checks.add_metric([check.organisation.slug], check.holds)
    yield checks
    now = unsent.count(at=at)
    for name, words, value in (
        ("mails_waiting", "Mails to be tried again", now.mails_waiting),
        ("mails_failed", "Mails given up in a week", now.mails_failed),
        ("pushes_waiting", "Notifications to be sent", now.pushes_waiting),
        ("pushes_failed", "Notifications not sent in time, in a week", now.pushes_failed),
    ):
        yield GaugeMetricFamily(f"club_{name}", words, value=value)


def _queue_length() -> int:
    """Return how many tasks no worker has taken."""
    with current_app.connection_for_read() as broker, broker.channel() as channel:
        try:
            asked = channel.queue_declare(current_app.conf.task_default_queue, passive=True)
        except broker.channel_errors:
            return 0  # Redis keeps no empty list
        return int(asked.message_count)
