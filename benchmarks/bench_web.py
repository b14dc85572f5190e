"""The site under load on this machine: confirmations, live viewers, the ranking page.

Each database gets a fresh folder and is served by gunicorn (pages) and uvicorn (streams), each on a
free port of the loopback; every loop is bounded and everything is stopped at the end. Other work on
the machine shows in the load and in the durable write that each note reports: use them to compare
runs.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from run import open_listener

ROOT = Path(__file__).resolve().parent.parent
CONFIRMATIONS = 860
WARM = 60
AT_ONCE = 20
VIEWERS = 1000
BARE = "/s/"
TURNS, ASKED = 4, 25
WORKERS = 2
PAGES = ("gunicorn", "config.wsgi", "--preload", "--workers", str(WORKERS), "--bind", "fd://{fd}")
STREAMS = ("uvicorn", "config.asgi:application", "--no-access-log", "--fd", "{fd}")


def run() -> list[dict[str, Any]]:
    """Measure both databases the same way. Commits wait for the disk, as in production."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(max(soft, 8192), hard), hard))
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
            disk = _disk(Path(folder))
            with _served(told, *PAGES) as (port, web):
                lines += _confirmations(database, port, web, given["confirmations"], disk)
                lines += _ranking(database, port)
                lines += _main_pages(database, port, web, given)
            with _served(told, *STREAMS) as (port, web):
                lines += asyncio.run(_viewers(database, port, told, web.pid))
    return lines


@contextmanager
def _url(database: str, folder: Path) -> Iterator[str]:
    if database == "sqlite":
        yield ""
        return
    os.environ.setdefault("TEST_DATABASE", "sqlite")
    from tests.plugins.postgres import Server

    server = Server(folder / "postgres", durable=True, local=True)
    try:
        yield server.start()
    finally:
        server.stop()


@contextmanager
def _served(
    environment: dict[str, str], *command: str
) -> Iterator[tuple[int, subprocess.Popen[Any]]]:
    """Start one of the production servers on a free port; its `--bind` or `--fd` is the last word."""
    with open_listener("127.0.0.1", 0) as listener:
        port = int(listener.getsockname()[1])
        web = subprocess.Popen(
            [sys.executable, "-m", *command[:-1], command[-1].format(fd=listener.fileno())],
            cwd=ROOT,
            env=environment,
            pass_fds=[listener.fileno()],
            stderr=subprocess.DEVNULL,
        )
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=60).read()
            time.sleep(3)  # every process
            yield port, web
        finally:
            web.terminate()
            try:
                web.wait(timeout=10)
            except subprocess.TimeoutExpired:
                web.kill()


def _disk(folder: Path) -> float:
    """Measure a durable write of 8 KB here and now: no commit can be faster."""
    times = []
    with (folder / "disk").open("wb") as file:
        for _time in range(50):
            file.write(b"x" * 8192)
            file.flush()
            start = time.perf_counter()
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - start)
    return statistics.median(times)


def _processor(web: subprocess.Popen[Any]) -> float:
    """Return the processor seconds that the site has used: this process and its children."""
    ticks = 0
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _bracket, rest = file.read_text().rpartition(")")
        except OSError:
            continue  # just ended
        fields = rest.split()
        if web.pid in (int(name.split()[0]), int(fields[1])):
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _packet(match_id: int, session: str, version: int) -> bytes:
    """Return a confirmation as a phone sends it."""
    token = "x" * 32
    body = f"version={version}&csrfmiddlewaretoken={token}"
    return (
        f"POST /matchs/{match_id}/confirmer/ HTTP/1.1\r\nHost: localhost\r\n"
        f"Cookie: sessionid={session}; csrftoken={token}\r\n"
        "Content-Type: application/x-www-form-urlencoded\r\n"
        f"Content-Length: {len(body)}\r\n\r\n{body}"
    ).encode()


def _phones(
    port: int, packets: list[bytes], *, together: bool, phones: int = AT_ONCE
) -> tuple[list[float], int]:
    """Return the seconds that each of so many phones waits, and how many were saved.

    `together`: all send at the same moment, and again when all have a response. Otherwise each
    sends again as soon as it has its own: the queue is never empty. Each request has a connection
    of its own, as from the proxy: a sync worker of gunicorn closes it after its response.
    """
    times, saved, waiting = [], 0, list(packets)
    with selectors.DefaultSelector() as answers:
        busy = 0
        while waiting or busy:
            while waiting and busy < phones:
                start = time.perf_counter()
                line = socket.create_connection(("127.0.0.1", port), timeout=30)
                line.sendall(waiting.pop())
                answers.register(line, selectors.EVENT_READ, start)
                busy += 1
            while busy:
                events = answers.select(timeout=30)
                if not events:
                    raise TimeoutError(f"{busy} phones have no answer after 30 s")
                for key, _event in events:
                    with key.fileobj as line:  # type: ignore[union-attr]
                        answers.unregister(line)
                        answer = line.recv(65536)
                    times.append(time.perf_counter() - key.data)
                    saved += answer.startswith(b"HTTP/1.1 302 ")
                    busy -= 1
                if not together:
                    break
    return sorted(times), saved


def _confirmations(
    database: str, port: int, web: subprocess.Popen[Any], phones: list[Any], disk: float
) -> list[dict[str, Any]]:
    """Measure twenty phones, each on its own connection."""
    packets = [_packet(*line) for line in phones]
    _phones(port, packets[:WARM], together=False)
    alone, _saved = _phones(port, packets[WARM : 2 * WARM], together=False, phones=1)
    # Twenty that share the processes evenly; the last of them may wait twice as long.
    anchor = AT_ONCE * statistics.median(alone) / WORKERS
    half = (len(packets) - 2 * WARM) // 2
    lines = []
    for name, mine, together in (
        ("at the same moment", packets[2 * WARM : 2 * WARM + half], True),
        ("without a pause", packets[2 * WARM + half :], False),
    ):
        used, start = _processor(web), time.perf_counter()
        times, saved = _phones(port, mine, together=together)
        whole = time.perf_counter() - start
        used = _processor(web) - used
        lines.append(
            {
                "name": f"confirm POST, {AT_ONCE} {name}, p95, {database}",
                "seconds": times[int(len(times) * 0.95)],
                "limit": 2.0 if database == "sqlite" else 2 * anchor,
                "anchor": None if database == "sqlite" else anchor,
                "anchor_name": f"{AT_ONCE} × one alone ÷ {WORKERS} processes",
                "note": f"median {statistics.median(times) * 1000:.1f} ms, one alone "
                f"{statistics.median(alone) * 1000:.1f} ms, "
                f"{len(times) / whole:.0f} a second, {saved} of {len(times)} saved, "
                f"{used / len(times) * 1000:.1f} ms of processor each; one durable write "
                f"{disk * 1000:.2f} ms; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores",
            }
        )
    return lines


def _ranking(database: str, port: int) -> list[dict[str, Any]]:
    """Ask for the ranking and for a bare page by turns: what else the machine does meets both."""
    times: dict[str, list[float]] = {"/classement/": [], BARE: []}
    for _turn in range(TURNS * ASKED):
        for path, waited in times.items():
            start = time.perf_counter()
            urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=30).read()
            waited.append(time.perf_counter() - start)
    ranking, bare = map(statistics.median, times.values())
    return [
        {
            "name": f"ranking page, 50 rows of {2 * CONFIRMATIONS} members, {database}",
            "seconds": ranking,
            "anchor": bare,
            "anchor_name": "a bare page with the same frame",
        }
    ]


def _main_pages(
    database: str, port: int, web: subprocess.Popen[Any], prepared: dict[str, Any]
) -> list[dict[str, Any]]:
    """Measure the processor of the pages of a signed-in member, with a bare page of theirs."""

    def ask(path: str) -> None:
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}{path}", headers={"Cookie": f"sessionid={prepared['reader']}"}
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            assert answer.url.endswith(path), answer.url
            answer.read()

    used = dict.fromkeys([BARE, *prepared["pages"].values()], 0.0)
    for turn in range(1 + TURNS):
        for path in used:
            before = _processor(web)
            for _time in range(ASKED):
                ask(path)
            if turn:  # the first reads templates and caches
                used[path] += (_processor(web) - before) / TURNS / ASKED
    return [
        {
            "name": f"{name}, signed in, processor, {database}",
            "seconds": used[path],
            "limit": 3 * used[BARE],
            "anchor": used[BARE],
            "anchor_name": "a bare page of the same member",
        }
        for name, path in prepared["pages"].items()
    ]


def _memory(pid: int) -> int:
    """Return the bytes that a process holds."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def _viewers(
    database: str, port: int, environment: dict[str, str], pid: int
) -> list[dict[str, Any]]:
    """Measure when each listener receives one event that another process announces."""
    ready, heard, held = 0, [], _memory(pid)
    everybody = asyncio.Event()
    announced = 0.0

    async def watch(number: int) -> None:
        nonlocal ready
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", port, local_addr=(f"127.0.1.{1 + number // 50}", 0)
        )
        writer.write(b"GET /flux/ HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await writer.drain()
        while True:
            line = await asyncio.wait_for(reader.readline(), 90)
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

    watchers = [asyncio.create_task(watch(number)) for number in range(VIEWERS)]
    try:
        await asyncio.wait_for(everybody.wait(), 60)
    except TimeoutError:
        print(f"only {ready} of {VIEWERS} viewers were served")
    each = (_memory(pid) - held) / VIEWERS
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "benchmarks.bench_web",
        "announce",
        cwd=ROOT,
        env=environment,
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
            "note": f"{len(heard)} of {VIEWERS} heard it, on one process, {each / 1000:.0f} kB each",
        }
    ]


def prepare() -> None:
    """Create a club with matches to confirm; print the phones that do it, a reader and pages."""
    import django

    django.setup()
    from django.conf import settings
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore
    from django.core.management import call_command
    from django.db import transaction
    from django.utils import timezone

    from clubs.accounts.models import User
    from pairings.matches import actions as match_actions
    from tests import clubhouse

    call_command("migrate", verbosity=0)
    at = timezone.now()
    clubhouse.NOW = at

    def signed_in(user: User | None) -> str:
        assert user is not None
        session = SessionStore()
        session[SESSION_KEY] = str(user.pk)
        session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
        session[HASH_SESSION_KEY] = user.get_session_auth_hash()
        session.create()
        return str(session.session_key)

    with transaction.atomic():
        club = clubhouse.make_club("club", size=2 * CONFIRMATIONS + 2)
        lines = []
        club.at = at
        for _number in range(CONFIRMATIONS):
            match, (first, second) = club.match()
            done = match_actions.submit(match=match, by=first, scores=(400, 350), at=at)
            lines.append([match.pk, signed_in(second.user), done.version])
        match, (reader, _other) = club.match()
    assert reader.member is not None
    pages = {
        "Ma soirée": "/ma-soiree/",
        "match": f"/matchs/{match.pk}/",
        "result to enter": f"/matchs/{match.pk}/saisir/",
        "ranking": "/classement/",
        "evening": f"/soirees/{club.evening.held_on}/",
        "player": f"/joueurs/{reader.member.address}/",
    }
    print(json.dumps({"confirmations": lines, "reader": signed_in(reader.user), "pages": pages}))


def announce() -> None:
    """Announce one event for the only club; print when its transaction had committed."""
    import django

    django.setup()
    from django.db import transaction
    from django.utils import timezone

    from clubs.organisations.models import Organisation
    from pairings.live import stream as live

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
