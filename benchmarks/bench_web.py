"""The site under load on this machine: confirmations, live viewers, the ranking page.

Each database gets a fresh folder and its own uvicorn on a free port of the loopback; every loop
is bounded and everything is stopped at the end.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
CONFIRMATIONS = 200
AT_ONCE = 20
VIEWERS = 300


def run() -> list[dict[str, Any]]:
    """Both databases, the same measures."""
    lines = []
    for database in ("sqlite", "postgres"):
        with (
            tempfile.TemporaryDirectory(prefix="club-bench-") as folder,
            _url(database, Path(folder)) as url,
        ):
            told = {**os.environ, "DATA_DIR": folder, "DATABASE_URL": url, "REDIS_URL": ""}
            made = subprocess.run(
                [sys.executable, "-m", "benchmarks.bench_web", "prepare"],
                cwd=ROOT,
                env=told,
                check=True,
                capture_output=True,
                text=True,
            )
            given = json.loads(made.stdout.splitlines()[-1])
            with _server(told) as port:
                lines += _confirmations(database, port, given)
                lines += _ranking(database, port)
                lines += asyncio.run(_viewers(database, port, told))
    return lines


@contextmanager
def _url(database: str, folder: Path) -> Iterator[str]:
    if database == "sqlite":
        yield ""
        return
    os.environ.setdefault("TEST_DATABASE", "sqlite")
    from tests.plugins.postgres import Server

    server = Server(folder / "postgres")
    try:
        yield server.start()
    finally:
        server.stop()


@contextmanager
def _server(told: dict[str, str]) -> Iterator[int]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "uvicorn", "config.asgi:application"]
    command += ["--port", str(port), "--log-level", "error", "--no-access-log"]
    command += ["--timeout-graceful-shutdown", "1"]
    child = subprocess.Popen(command, cwd=ROOT, env=told)
    try:
        for _try in range(100):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=1).read()
                break
            except OSError:
                time.sleep(0.2)
        yield port
    finally:
        child.terminate()
        try:
            child.wait(timeout=10)
        except subprocess.TimeoutExpired:
            child.kill()


def _confirmations(database: str, port: int, given: list[Any]) -> list[dict[str, Any]]:
    def confirm(line: list[Any]) -> tuple[float, int]:
        match_id, session, version = line
        body = f"version={version}&csrfmiddlewaretoken={'x' * 32}"
        headers = {
            "Cookie": f"sessionid={session}; csrftoken={'x' * 32}",
            "Content-Type": "application/x-www-form-urlencoded",
        }
        connection = HTTPConnection("127.0.0.1", port, timeout=30)
        start = time.perf_counter()
        connection.request("POST", f"/matchs/{match_id}/confirmer/", body, headers)
        answer = connection.getresponse()
        answer.read()
        spent = time.perf_counter() - start
        connection.close()
        return spent, answer.status

    with ThreadPoolExecutor(AT_ONCE) as pool:
        for line in given[:AT_ONCE]:
            pool.submit(confirm, line).result()
        start = time.perf_counter()
        answers = list(pool.map(confirm, given[AT_ONCE:]))
        whole = time.perf_counter() - start
    times = sorted(spent for spent, _status in answers)
    saved = sum(status == 302 for _spent, status in answers)
    return [
        {
            "name": f"confirm POST, {AT_ONCE} at once, p95, {database}",
            "seconds": times[int(len(times) * 0.95)],
            "limit": 0.05,
            "note": f"median {statistics.median(times) * 1000:.1f} ms, "
            f"{len(times) / whole:.0f} a second, {saved} of {len(times)} saved",
        }
    ]


def _ranking(database: str, port: int) -> list[dict[str, Any]]:
    def ask(path: str) -> float:
        times = []
        for _time in range(15):
            start = time.perf_counter()
            urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=30).read()
            times.append(time.perf_counter() - start)
        return statistics.median(times)

    return [
        {
            "name": f"ranking page, 50 rows of 400 members, {database}",
            "seconds": ask("/classement/"),
            "anchor": ask("/s/"),
            "anchor_name": "a bare page with the same frame",
        }
    ]


async def _viewers(database: str, port: int, told: dict[str, str]) -> list[dict[str, Any]]:
    """Everybody listens; one event is announced from another process; when did each hear it?"""
    ready, heard = 0, []
    everybody = asyncio.Event()
    announced = 0.0

    async def watch() -> None:
        nonlocal ready
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /flux/ HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await writer.drain()
        while True:
            line = await asyncio.wait_for(reader.readline(), 40)
            if b"bonjour" in line:
                ready += 1
                if ready == VIEWERS:
                    everybody.set()
            elif line.startswith(b"data:"):
                heard.append(time.time())
                writer.close()
                return
            elif not line:
                return

    watchers = [asyncio.create_task(watch()) for _viewer in range(VIEWERS)]
    try:
        await asyncio.wait_for(everybody.wait(), 20)
    except TimeoutError:
        print(f"only {ready} of {VIEWERS} viewers were served")
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "benchmarks.bench_web",
        "announce",
        cwd=ROOT,
        env=told,
        stdout=asyncio.subprocess.PIPE,
    )
    out, _err = await child.communicate()
    announced = float(out.decode().split()[-1])
    await asyncio.wait(watchers, timeout=30)
    return [
        {
            "name": f"{VIEWERS} live viewers, the last one sees an event, {database}",
            "seconds": max(heard) - announced,
            "limit": 1.0,
            "note": f"{len(heard)} of {VIEWERS} heard it",
        }
    ]


def prepare() -> None:
    """A club of 400 whose matches wait for a confirmation; prints match, session and version."""
    import django

    django.setup()
    from django.conf import settings
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore
    from django.core.management import call_command
    from django.db import transaction
    from django.utils import timezone

    from pairings import results
    from tests import clubhouse

    call_command("migrate", verbosity=0)
    at = timezone.now()
    clubhouse.NOW = at
    with transaction.atomic():
        club = clubhouse.make_club("club", size=2 * CONFIRMATIONS)
        lines = []
        club.at = at
        for _number in range(CONFIRMATIONS):
            match, (first, second) = club.match()
            done = results.submit(match=match, by=first, scores=(400, 350), at=at)
            assert second.user is not None
            session = SessionStore()
            session[SESSION_KEY] = str(second.user.pk)
            session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
            session[HASH_SESSION_KEY] = second.user.get_session_auth_hash()
            session.create()
            lines.append([match.pk, session.session_key, done.version])
    print(json.dumps(lines))


def announce() -> None:
    """One event for the only club; prints when its transaction had committed."""
    import django

    django.setup()
    from django.db import transaction
    from django.utils import timezone

    from clubs.models import Organisation
    from pairings import live

    with transaction.atomic():
        live.announce(Organisation.objects.get(), "bench", at=timezone.now())
    print(time.time())


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if sys.argv[1:] == ["prepare"]:
        prepare()
    elif sys.argv[1:] == ["announce"]:
        announce()
    else:
        from benchmarks.report import publish

        publish("web", run())
