"""What Prometheus reads: counts of every process, what the database knows; never on the site itself."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from clubs.management.commands import metrics
from clubs.notifications import unsent
from clubs.notifications.models import Kind, PushNotice
from clubs.upkeep import sweeps
from clubs.upkeep.models import JournalCheck
from config.watch.metrics import PAGES
from pairings.live import stream as live
from tests import loops
from tests.clubhouse import make_club

ROOT = Path(__file__).resolve().parents[2]
COUNTS = "from config.watch.metrics import PAGES; PAGES.labels('clubs:home', '2xx').observe(0.3)"


def told(collector) -> dict[tuple[str, ...], float]:
    """Every sample as Prometheus parses it: (name, label values …) → value."""
    registry = CollectorRegistry()
    registry.register(collector)
    families = text_string_to_metric_families(generate_latest(registry).decode())
    return {
        (sample.name, *(value for _name, value in sorted(sample.labels.items()))): sample.value
        for family in families
        for sample in family.samples
    }


def pages(view: str, status: str) -> float:
    found = PAGES.collect()[0].samples
    name = "club_page_seconds_count"
    wanted = {"view": view, "status": status}
    return sum(one.value for one in found if one.name == name and one.labels == wanted)


@pytest.mark.django_db
def test_the_site_has_no_such_page(club):
    assert Client().get("/metrics").status_code == 404
    make_club("voisins", size=2)
    assert Client().get("/metrics", follow=True).status_code == 404
    assert Client().get("/c/voisins/metrics").status_code == 404


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "view", "status"),
    [
        ("/c/faizers/classement/", "pairings:ranking", "2xx"),
        ("/c/faizers/gestion/etat/", "clubs:site_state", "3xx"),
        ("/c/faizers/nowhere/", "none", "4xx"),
    ],
)
def test_a_page_is_counted_by_its_view_and_class_of_status(club, path, view, status):
    before = pages(view, status)
    Client().get(path)
    assert pages(view, status) == before + 1


def test_counts_of_every_process_are_read_and_kept_apart(tmp_path):
    for process, times in (("web-8001", 2), ("streams-8002", 1)):
        (tmp_path / process).mkdir()
        for _time in range(times):
            told_where = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(tmp_path / process)}
            command = [sys.executable, "-c", COUNTS]
            subprocess.run(command, cwd=ROOT, env=told_where, check=True)
    name = "club_page_seconds"
    found = told(metrics.Processes(tmp_path))
    assert found[f"{name}_count", "web-8001", "2xx", "clubs:home"] == 2
    assert found[f"{name}_count", "streams-8002", "2xx", "clubs:home"] == 1
    assert found[f"{name}_bucket", "0.25", "web-8001", "2xx", "clubs:home"] == 0
    assert found[f"{name}_bucket", "0.5", "web-8001", "2xx", "clubs:home"] == 2


@pytest.mark.django_db
def test_the_database_says_tasks_journal_mails_and_notifications(club):
    now = timezone.now()
    sweeps.note("due", at=now - timedelta(seconds=90))
    unsent.note("one", given_up=False, at=now)
    unsent.note("two", given_up=True, at=now - timedelta(days=6))
    for number, until in enumerate((now + timedelta(hours=1), now - timedelta(hours=1))):
        PushNotice.objects.create(
            member=club.members[0],
            kind=Kind.TABLE,
            key=f"table:{number}",
            title="x",
            path="/",
            due_at=until - timedelta(hours=2),
            until=until,
        )
    found = told(metrics.Database())
    seq = club.organisation.journal_entries.count()
    assert found["club_database_up",] == 1
    assert 90 <= found["club_task_age_seconds", "due"] < 120
    assert ("club_task_age_seconds", "daily") not in found
    assert found["club_journal_head", "faizers"] == seq > 0
    assert (found["club_mails_waiting",], found["club_mails_failed",]) == (1, 1)
    assert (found["club_pushes_waiting",], found["club_pushes_failed",]) == (1, 1)
    assert found["club_queue_tasks",] >= 0


@pytest.mark.django_db
def test_the_outcome_of_the_last_trial_restore_is_a_metric():
    now, seen = timezone.now(), []
    seen.append(told(metrics.Database()).get(("club_archive_trial_ok",)))
    sweeps.fail(sweeps.RESTORE, at=now - timedelta(days=7))
    seen.append(told(metrics.Database()).get(("club_archive_trial_ok",)))
    sweeps.note(sweeps.RESTORE, at=now)
    seen.append(told(metrics.Database()).get(("club_archive_trial_ok",)))
    assert seen == [None, 0, 1]


@pytest.mark.django_db
@pytest.mark.parametrize(("seq", "holds"), [(None, 1), (3, 0)])
def test_whether_each_journal_holds_is_a_metric(club, seq, holds):
    assert ("club_journal_holds", "faizers") not in told(metrics.Database())
    JournalCheck.objects.create(
        organisation=club.organisation,
        seq=2,
        hash="a" * 64,
        checked_at=club.at,
        complete_at=club.at,
        breach_seq=seq,
        breach_what="changed" if seq else "",
    )
    assert told(metrics.Database())["club_journal_holds", "faizers"] == holds


def test_a_viewer_is_counted_while_their_stream_is_open(monkeypatch):
    async def events(*_arguments, **_named):
        for event in ("one", "two"):
            yield event

    def viewers() -> float:
        return live.VIEWERS.collect()[0].samples[0].value

    async def listen() -> list[float]:
        seen = [viewers()]
        stream = live.stream(1, None, holder="them", most=1, is_member=False)
        await anext(stream)
        seen.append(viewers())
        await stream.aclose()
        return [*seen, viewers()]

    monkeypatch.setattr(live, "new_events", events)
    before, during, after = loops.run(listen())
    assert (during - before, after) == (1, before)


def refuse(*_arguments, **_named):
    raise OperationalError("the server closed the connection")


@pytest.mark.django_db
def test_without_the_database_the_rest_is_still_told():
    with connection.execute_wrapper(refuse):
        found = told(metrics.Database())
    assert found["club_database_up",] == 0
    assert "club_queue_tasks" in {name for name, *_labels in found}


@pytest.mark.parametrize("port", [0, 9464])
def test_the_command_listens_where_the_settings_say_and_nowhere_without_a_port(
    settings, monkeypatch, capsys, port
):
    begun = []

    def start(*arguments, **named):
        begun.append((*arguments, named["addr"]))
        return None, SimpleNamespace(join=lambda: None)

    settings.METRICS_PORT = port
    monkeypatch.setattr(metrics, "start_http_server", start)
    monkeypatch.setattr(signal, "signal", lambda *_arguments: None)
    call_command("metrics")
    assert begun == ([(9464, "127.0.0.1")] if port else [])
    assert ("no metrics" in capsys.readouterr().out) == (not port)


def test_a_port_that_is_taken_is_told_in_one_sentence(settings, monkeypatch):
    monkeypatch.setattr(signal, "signal", lambda *_arguments: None)
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        settings.METRICS_BIND, settings.METRICS_PORT = other.getsockname()
        words = rf"\(127\.0\.0\.1:{settings.METRICS_PORT}\): Address already in use\."
        with pytest.raises(CommandError, match=words):
            call_command("metrics")
