"""Web processes killed while a room confirms: nothing that was answered is lost, nothing is twice.

The fault that happens to everybody: a process dies between any two of its
instructions. Two web servers with two workers each share one socket; in each round some players
confirm at once and some hundredths of a second later a whole server, or only its workers, are killed
(signal 9). Whoever got no answer sends the same again, as a phone does.
"""

from __future__ import annotations

import contextlib
import http.client
import os
import random
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.db import connection
from django.utils import timezone

import run
from clubs.journal import chain as journal
from clubs.journal.models import JournalEntry
from pairings.evenings.models import CheckIn
from pairings.live.models import LiveEvent
from pairings.matches import actions as match_actions
from pairings.matches.models import Decision, Match, MatchLine, Seat
from ratings.ledger.models import RatedGame
from tests.clubhouse import make_club

ROUNDS, AT_ONCE = 5, 6
PATIENCE_S = 60
MATCHES = ROUNDS * AT_ONCE

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.real_clock]


@dataclass
class Yes:
    """One player's confirmation, and what the site answered each time it was sent."""

    match: int
    version: int
    session: str
    answers: list[str]


def web(folder: Path, listener: socket.socket, name: str) -> run.Child:
    """A web process on the test's own database."""
    database = connection.settings_dict
    variables = {
        **os.environ,
        "DATA_DIR": str(folder),
        "SQLITE_SYNCHRONOUS": "FULL",
        "REDIS_URL": "",
    }
    if connection.vendor == "sqlite":
        here = folder / "club.sqlite3"
        if not here.exists():
            here.symlink_to(database["NAME"])
    else:
        place = f"{database['HOST']}:{database['PORT']}/{database['NAME']}"
        variables["DATABASE_URL"] = f"postgresql://{database['USER']}@{place}"
    (folder / "secret_key").write_text(settings.SECRET_KEY)
    command = [sys.executable, "-m", "gunicorn", "config.wsgi", "--preload", "--workers", "2"]
    command += ["--bind", f"fd://{listener.fileno()}"]
    return run.Child(name, command, variables, folder / f"{name}.log", listener)


@pytest.fixture
def site(transactional_db: None, tmp_path: Path) -> Iterator[tuple[int, list[run.Child]]]:
    """The port, and two processes that answer on it."""
    with run.open_listener("127.0.0.1", 0) as listener:
        children = [web(tmp_path, listener, name) for name in ("web-1", "web-2")]
        try:
            for child in children:
                child.start()
            port = int(listener.getsockname()[1])
            assert get(port, "/healthz") == 200
            yield port, children
        finally:
            for child in children:
                child.stop(patience=5)


def get(port: int, path: str) -> int:
    viewer = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    try:
        viewer.request("GET", path)
        return viewer.getresponse().status
    finally:
        viewer.close()


def send(port: int, yes: Yes) -> str:
    """ "saved", "refused" or "unknown": the answer never came."""
    token = "x" * 32
    headers = {
        "Cookie": f"sessionid={yes.session}; csrftoken={token}",
        "Content-Type": "application/x-www-form-urlencoded",
    }
    phone = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    try:
        body = f"version={yes.version}&csrfmiddlewaretoken={token}"
        phone.request("POST", f"/matchs/{yes.match}/confirmer/", body, headers)
        answer = phone.getresponse()
        answer.read()
    except (OSError, http.client.HTTPException):
        return "unknown"
    finally:
        phone.close()
    known = {302: "saved", 409: "refused", 503: "unknown"}
    return known.get(answer.status, str(answer.status))


def workers_of(parent: int) -> list[int]:
    """The processes that make the pages of a web server; on a busy machine the next are a moment away."""
    found: list[int] = []
    until = time.monotonic() + 30
    while not found and time.monotonic() < until:
        for file in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                name, _bracket, rest = file.read_text().rpartition(")")
                if int(rest.split()[1]) == parent:
                    found.append(int(name.split()[0]))
    assert found
    return found


def until_answered(port: int, yes: Yes) -> None:
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        yes.answers.append(send(port, yes))
        if yes.answers[-1] != "unknown":
            return
        time.sleep(0.02)


def entered() -> list[Yes]:
    """Results of one evening that wait for the other player's yes."""
    club = make_club("club", size=2 * MATCHES)
    club.at = timezone.now()
    waiting = []
    for _number in range(MATCHES):
        match, (a, b) = club.match()
        done = match_actions.submit(match=match, by=a, scores=(400, 350), at=club.at)
        assert b.user is not None
        session = SessionStore()
        session[SESSION_KEY] = str(b.user.pk)
        session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
        session[HASH_SESSION_KEY] = b.user.get_session_auth_hash()
        session.create()
        assert session.session_key is not None
        waiting.append(Yes(match.pk, done.version, session.session_key, []))
    return waiting


def test_killed_web_processes_lose_nothing_and_double_nothing(
    site: tuple[int, list[run.Child]],
) -> None:
    port, children = site
    waiting = entered()
    chance = random.Random(20261121)
    for number in range(ROUNDS):
        now = waiting[number * AT_ONCE : (number + 1) * AT_ONCE]
        phones = [threading.Thread(target=until_answered, args=(port, yes)) for yes in now]
        for phone in phones:
            phone.start()
        time.sleep(chance.uniform(0.005, 0.06))
        dying = children[number % 2]
        assert dying.process is not None
        server, workers = dying.process.pid, workers_of(dying.process.pid)
        only_workers = number % 3 == 2
        for pid in workers if only_workers else [server, *workers]:
            os.kill(pid, signal.SIGKILL)
        if not only_workers:
            dying.process.wait(10)
            dying.start()
        for phone in phones:
            phone.join(PATIENCE_S)

    unanswered = sum("unknown" in yes.answers for yes in waiting)
    assert unanswered > 0, "no kill fell into a request: this run tested nothing"
    for yes in waiting:
        assert set(yes.answers) <= {"saved", "refused", "unknown"}, yes
        assert yes.answers[-1] in ("saved", "refused"), f"stuck: {yes}"
        # A refusal is only the second answer to a yes whose first answer was lost.
        assert yes.answers[-1] == "saved" or "unknown" in yes.answers, yes

    ids = [yes.match for yes in waiting]
    assert Match.objects.filter(pk__in=ids, status="final", why="confirmed", version=2).count() == (
        MATCHES
    )
    for rows in (
        MatchLine.objects.filter(match__in=ids, event="confirm"),
        Decision.objects.filter(match__in=ids),
        RatedGame.objects.filter(source__in=[f"match:{pk}" for pk in ids]),
        JournalEntry.objects.filter(
            subject__in=[f"match:{pk}" for pk in ids], verb="match_confirm"
        ),
        LiveEvent.objects.filter(payload__status="final"),
    ):
        assert rows.count() == MATCHES, rows.model.__name__
    assert not Seat.objects.filter(match__in=ids, live=True).exists()
    assert not CheckIn.objects.filter(state=CheckIn.State.PLAYING).exists()
    assert list(journal.verify(Match.objects.get(pk=ids[0]).organisation)) == []
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA integrity_check")
            assert cursor.fetchone() == ("ok",)
