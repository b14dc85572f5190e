"""Workers killed (signal 9) in the middle of a task: nothing is half written, and nobody waits in vain.

A sweep ends each window once, whatever statement it died at. A long action says on its page that
nothing moves; a run over a list is taken up again by the next sweep; a mail stays in the queue.
"""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
import time_machine
from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.utils import timezone

from clubs.journal import chain as journal
from clubs.journal.models import JournalEntry
from clubs.members.models import Member
from clubs.tasks import sweep_runs
from clubs.upkeep import jobs
from clubs.upkeep.models_jobs import Job
from config.celery import app
from pairings.matches.models import Decision, Match, MatchLine, Seat
from ratings.ledger import settlement
from ratings.ledger.models import RatedGame
from tests.clubhouse import Clubhouse, make_club
from tests.member_files import members_draft

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.real_clock]
ROOT = Path(__file__).resolve().parents[2]
MATCHES, KILLS = 40, 4
# A sweep of them all takes 292 statements on PostgreSQL, 532 on SQLite: each kill falls inside.
FIRST, LAST = 10, 60
SWEEP = """
import os, signal, sys, django
django.setup()
from django.db import connection
from pairings.tasks import sweep_due
asked = 0
def die(execute, *arguments):
    global asked
    asked += 1
    if asked == int(sys.argv[1]):
        os.kill(os.getpid(), signal.SIGKILL)
    return execute(*arguments)
with connection.execute_wrapper(die):
    sweep_due()
"""


def on_the_tests_database(folder: Path) -> dict[str, str]:
    """The environment of a process that works on the test's own database."""
    held = connection.settings_dict
    told = {**os.environ, "DATA_DIR": str(folder)}
    told["DJANGO_SETTINGS_MODULE"] = "config.settings"
    if connection.vendor == "sqlite":
        here = folder / "club.sqlite3"
        if not here.exists():
            here.symlink_to(held["NAME"])
    else:
        place = f"{held['HOST']}:{held['PORT']}/{held['NAME']}"
        told["DATABASE_URL"] = f"postgresql://{held['USER']}@{place}"
    (folder / "secret_key").write_text(settings.SECRET_KEY)
    return told


def sweep(folder: Path, *, dying_at: int) -> int:
    """The exit code of a process that sweeps and dies at that statement."""
    told = {**on_the_tests_database(folder), "REDIS_URL": ""}
    command = [sys.executable, "-c", SWEEP, str(dying_at)]
    return subprocess.run(command, cwd=ROOT, env=told, check=False).returncode


def test_a_sweep_killed_anywhere_ends_each_window_once(transactional_db, tmp_path):
    club = make_club("club", size=2 * MATCHES)
    club.at = timezone.now() - timedelta(minutes=6)
    for _number in range(MATCHES):
        club.entered()
    chance = random.Random(20261121)
    left = [MATCHES]
    for _try in range(KILLS):
        assert sweep(tmp_path, dying_at=chance.randint(FIRST, LAST)) == -signal.SIGKILL
        left.append(Match.objects.filter(status="submitted").count())
    assert 0 < left[-1] < MATCHES, "the kills fell nowhere: this run tested nothing"
    assert sweep(tmp_path, dying_at=0) == 0
    ids = list(Match.objects.filter(why="expired", version=2).values_list("pk", flat=True))
    assert len(ids) == MATCHES
    for rows in (
        MatchLine.objects.filter(match__in=ids, event="expire"),
        Decision.objects.filter(match__in=ids),
        RatedGame.objects.filter(source__in=[f"match:{pk}" for pk in ids]),
        JournalEntry.objects.filter(subject__in=[f"match:{pk}" for pk in ids], verb="match_expire"),
    ):
        assert rows.count() == MATCHES, rows.model.__name__
    assert not Seat.objects.filter(match__in=ids, live=True).exists()
    assert list(journal.verify(club.organisation)) == []


WORKER = """
import os, sys, threading, django
django.setup()
from clubs import tasks
from clubs.upkeep import jobs
from config.celery import app
from ratings import tasks as rated

def steps(job, real=jobs.progress_of):
    tell = real(job)
    def step(done, total):
        tell(done, total)
        if done >= min(10, total):
            os.write(1, b"in the middle\\n")
            threading.Event().wait()
    return step

jobs.progress_of = steps
task = {"import": tasks.write_import, "run": rated.work, "mail": tasks.send_letter}[sys.argv[1]]
task.delay(*sys.argv[2:])
app.worker_main(["worker", "-n", "killed@%h", "--pool=threads", "--concurrency=1"])
"""


@contextmanager
def killed_in(folder: Path, *task: object, **told: str) -> Iterator[subprocess.Popen[str]]:
    """A worker that has taken this task, killed at the end of the block."""
    command = [sys.executable, "-c", WORKER, *map(str, task)]
    environment = {**on_the_tests_database(folder), **told}
    with (folder / "worker.log").open("w") as log:
        worker = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=log, text=True
        )
    with worker:
        try:
            yield worker
        finally:
            worker.kill()


def wait_for_the_middle(worker: subprocess.Popen[str], folder: Path) -> None:
    assert worker.stdout is not None
    told = (folder / "worker.log").read_text
    assert any(line == "in the middle\n" for line in worker.stdout), told()


def test_an_import_whose_worker_died_wrote_nothing_and_its_page_says_so(
    transactional_db, tmp_path, as_user, monkeypatch
):
    monkeypatch.setattr(jobs, "LONG", 20)
    club = make_club("faizers")
    people = Member.objects.of(club.organisation)
    before, size = people.count(), 30
    rows = [["Prénom", "Nom", "E-mail"], *(["Ana", f"Rang{n}", f"a{n}@x.fr"] for n in range(size))]
    draft = members_draft(club, rows)
    monkeypatch.setattr(jobs, "send_to_worker", lambda *_task: None)
    job = club.ask(Job.Kind.MEMBERS_IN, draft.pk, at=timezone.now())
    with killed_in(tmp_path, "import", job.pk) as worker:
        wait_for_the_middle(worker, tmp_path)
    job.refresh_from_db()
    assert (job.state, people.count()) == (Job.State.RUNNING, before)
    assert not JournalEntry.objects.filter(verb="members_imported").exists()

    cache.delete(f"job:{job.pk}")  # as it expires within the minute
    monkeypatch.undo()
    page = f"/c/faizers/gestion/import/{draft.pk}/apercu/"
    with time_machine.travel(job.taken_at + jobs.SILENT + timedelta(seconds=1), tick=False):
        desk = as_user(club.committee.user)
        assert "Rien n’avance depuis une minute." in desk.get(page).content.decode()
        desk.post(page, {"act": "recommencer"})
    job.refresh_from_db()
    assert (job.state, people.count()) == (Job.State.DONE, before + size)
    assert list(journal.verify(club.organisation)) == []


def check_of(club: Clubhouse) -> Job:
    return club.ask(
        Job.Kind.CHECK, settlement.list_of(club.organisation, "faizers").pk, at=timezone.now()
    )


def test_a_run_whose_worker_died_is_taken_up_again(transactional_db, tmp_path, monkeypatch):
    club = make_club("faizers")
    club.played(scores=(410, 300))
    club.close()
    with monkeypatch.context() as asking:
        asking.setattr(jobs, "send_to_worker", lambda *_task: None)
        run = check_of(club)
    with killed_in(tmp_path, "run", run.pk) as worker:
        wait_for_the_middle(worker, tmp_path)
    run.refresh_from_db()
    assert run.state == Job.State.RUNNING
    assert sweep_runs() == 0
    cache.delete(f"job:{run.pk}")  # as it expires within the minute
    silent = run.taken_at - jobs.SILENT - timedelta(seconds=1)
    Job.objects.filter(pk=run.pk).update(taken_at=silent)
    assert sweep_runs() == 1
    run.refresh_from_db()
    assert (run.state, run.result) == (Job.State.DONE, {"mismatches": []})


def test_a_worker_that_is_told_to_stop_is_gone_in_time_whatever_it_has_in_hand(
    transactional_db, tmp_path, monkeypatch
):
    club = make_club("faizers")
    monkeypatch.setattr(jobs, "send_to_worker", lambda *_task: None)
    run = check_of(club)
    with killed_in(tmp_path, "run", run.pk) as worker:
        wait_for_the_middle(worker, tmp_path)  # where it stays for ever
        worker.terminate()
        assert worker.wait(60) == 0  # by itself


@pytest.mark.only_on("postgres")
def test_a_mail_whose_worker_died_stays_in_the_queue(transactional_db, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as silent_mail_server:
        silent_mail_server.settimeout(60)
        address = f"smtp://127.0.0.1:{silent_mail_server.getsockname()[1]}"
        mail = ("mail", "ana@example.org", "Bonjour", "…")
        with killed_in(tmp_path, *mail, EMAIL_URL=address):
            sending, _address = silent_mail_server.accept()
        sending.close()
    with app.connection_for_write() as broker, broker.channel() as channel:
        try:
            assert channel.queue_declare("celery").message_count == 0
            channel.visibility_timeout = 0  # as when its time is over
            channel.qos.restore_visible()
            assert channel.queue_declare("celery", passive=True).message_count == 1
        finally:
            channel.queue_purge("celery")


def test_what_runs_once_a_day_is_not_lost_with_its_worker():
    app.loader.import_default_modules()
    for name, entry in settings.CELERY_BEAT_SCHEDULE.items():
        late = app.tasks[entry["task"]].acks_late
        assert late == (entry["schedule"] >= 86400), name


def test_what_runs_once_a_day_waits_for_a_broker_that_is_away():
    """Beat gives a sweep up after three tries: the next one follows. A daily task lost its day."""
    for name, entry in settings.CELERY_BEAT_SCHEDULE.items():
        waits = "retry_policy" in entry.get("options", {})
        assert waits == (entry["schedule"] >= 86400), name
        assert not waits or entry["options"]["retry_policy"]["max_retries"] is None
