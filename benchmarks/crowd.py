"""The people of bench_clubs.py: phones that play by the pages, and viewers who listen."""

from __future__ import annotations

import asyncio
import http.client
import json
import multiprocessing
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from tests.deployed import TOKEN, Deployed

ACTS_EVERY_S = 10
UNKNOWN = 0


@dataclass
class Phone:
    """Somebody who plays: their session, and each answer as (moment, seconds, status)."""

    site: Deployed
    session: str
    slug: str
    patient: bool = False
    """Whether they leave the other a turn to enter the score."""
    seen: set[int] = field(default_factory=set)
    line: http.client.HTTPSConnection | None = None
    answers: list[tuple[float, float, int]] = field(default_factory=list)
    entered: set[int] = field(default_factory=set)
    confirmed: dict[int, float] = field(default_factory=dict)
    """Match → when its confirmation was sent."""

    def ask(self, path: str, fields: dict[str, Any] | None = None) -> tuple[int, str, str]:
        """Return status, body and where the answer sends: 0 where none came."""
        told = {"Cookie": f"sessionid={self.session}; csrftoken={TOKEN}", "Accept-Language": "fr"}
        told |= {"Origin": self.site.address}
        body = None
        if fields is not None:
            told["Content-Type"] = "application/x-www-form-urlencoded"
            body = urlencode({**fields, "csrfmiddlewaretoken": TOKEN})
        start = time.monotonic()
        try:
            if self.line is None:
                self.line = http.client.HTTPSConnection(
                    "localhost", self.site.ports["proxy"], timeout=60, context=self.site.trusting
                )
            self.line.request(
                "GET" if body is None else "POST", f"/c/{self.slug}{path}", body, told
            )
            answer = self.line.getresponse()
            said = (answer.status, answer.read().decode(), answer.headers.get("Location", ""))
        except (OSError, http.client.HTTPException):
            if self.line is not None:
                self.line.close()
            self.line, said = None, (UNKNOWN, "", "")
        self.answers.append((start, time.monotonic() - start, said[0]))
        return said

    def act(self) -> Iterator[None]:
        """Read the card and do what it asks, one request at each step."""
        status, page, _to = self.ask("/ma-soiree/")
        card = re.search(r'data-card="(\w+)"', page)
        yield
        if status != 200 or card is None:
            return
        match = re.search(r"/matchs/(\d+)/", page)
        number = int(match[1]) if match else 0
        if card[1] in ("called", "playing") and self.patient and number not in self.seen:
            self.seen.add(number)
        elif card[1] in ("called", "playing"):
            level = 350 + number % 100  # two who enter at the same moment agree
            scores = {"mine": level, "theirs": level, "key": f"{number}-{self.session[:8]}"}
            scores |= {"seen": f"{level}-{level}"}  # a draw is asked about once: they are sure
            if self.saved(f"/matchs/{number}/saisir/", scores):
                self.entered.add(number)
        elif card[1] == "to_confirm":
            _status, form, _to = self.ask(f"/matchs/{number}/confirmer/")
            version = re.search(r'name="version" value="(\d+)"', form)
            yield
            if version and self.saved(f"/matchs/{number}/confirmer/", {"version": version[1]}):
                self.confirmed[number] = self.answers[-1][0]
        elif card[1] == "result":
            self.ask("/ma-soiree/pret/", {})
        else:
            self.ask("/classement/")
        yield

    def saved(self, path: str, fields: dict[str, Any]) -> bool:
        status, _page, to = self.ask(path, fields)
        return status == 302 and to.endswith("/ma-soiree/")

    def live(self, over: threading.Event, first: float) -> None:
        over.wait(first)
        while not over.is_set():
            began = time.monotonic()
            for _request in self.act():
                over.wait(max(0.1, ACTS_EVERY_S - (time.monotonic() - began)))
                began = time.monotonic()


class Viewers:
    """People who listen in a process of their own, each again whenever their stream ends."""

    def __init__(self, site: Deployed, slugs: list[str], count: int) -> None:
        self.site, self.slugs, self.count = site, slugs, count
        self.heard: dict[int, list[float]] = {}
        """Match → when each of them heard that it is final; known after `listening`."""
        fork = multiprocessing.get_context("fork")
        self.connected = fork.Value("i", 0)
        self.here, self.there = fork.Pipe()
        self.process = fork.Process(target=self._run)

    @property
    def open(self) -> int:
        return int(self.connected.value)

    def _run(self) -> None:
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        loop.add_reader(self.there.fileno(), loop.stop)
        tasks = [loop.create_task(self._listen(number)) for number in range(self.count)]
        loop.run_forever()
        loop.remove_reader(self.there.fileno())
        self.there.send(self.heard)
        for task in tasks:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))

    async def _listen(self, number: int) -> None:
        last, slug = "", self.slugs[number % len(self.slugs)]
        await asyncio.sleep(number / 200)
        while True:
            with suppress(OSError, asyncio.IncompleteReadError, TimeoutError, ValueError):
                last = await self._follow(number, slug, last)
            await asyncio.sleep(2)

    async def _follow(self, number: int, slug: str, last: str) -> str:
        reader, writer = await asyncio.open_connection(
            "127.0.0.1",
            self.site.ports["proxy"],
            ssl=self.site.trusting,
            server_hostname="localhost",
            local_addr=(f"127.0.1.{1 + number // 50}", 0),
        )
        open_, again = False, f"Last-Event-ID: {last}\r\n" if last else ""
        try:
            writer.write(f"GET /c/{slug}/flux/ HTTP/1.1\r\nHost: localhost\r\n{again}\r\n".encode())
            while line := (await asyncio.wait_for(reader.readline(), 60)).decode():
                if "bonjour" in line and not open_:
                    open_ = True
                    self.connected.value += 1
                elif line.startswith("id: "):
                    last = line[4:].strip()
                elif line.startswith("data: ") and '"status": "final"' in line:
                    told = json.loads(line[6:])
                    self.heard.setdefault(told["match"], []).append(time.monotonic())
        finally:
            self.connected.value -= open_
            writer.close()
        return last

    @contextmanager
    def listening(self) -> Iterator[None]:
        self.process.start()
        try:
            yield
            self.here.send("stop")
            self.heard = self.here.recv() if self.here.poll(60) else {}
        finally:
            self.process.join(30)
            self.process.kill()
