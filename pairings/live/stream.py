"""The outbox of live events and the stream that pages subscribe to.

`announce` writes one row in the transaction of the change. One task per process reads the outbox,
so a thousand viewers cost one query every poll; each viewer receives only the events of their own
organisation. Events carry ids, never names or scores: a page fetches what its reader may see.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from datetime import datetime, timedelta
from typing import Any

from asgiref.sync import sync_to_async
from django.db import close_old_connections, connections, transaction
from prometheus_client import Gauge

from clubs.organisations.models import Organisation
from pairings.live.models import LiveEvent

POLL_S = 0.3
HEARTBEAT_S = 15.0
BACKLOG = 200
LATE_COMMITS = 500
PAGE_MADE_IN = timedelta(seconds=2)
"""How long a page may have been in the making when it was sent."""
KEEP = timedelta(days=2)

Row = tuple[int, int, str, dict[str, object]]

MEMBERS_ONLY = frozenset({"absence", "contest"})
"""Kinds of event sent to visitors without details; members and officers see the content."""

MOST_STREAMS = 2000
MOST_OF_A_MEMBER = 10
MOST_OF_AN_ADDRESS = 100
"""Limits on the open streams of this process: in all, of one member, of one address's visitors.

The members behind one address are counted separately; the limit of a hundred covers its screens and
guests.
"""
MEMBER_STREAM_S = 600.0
"""After ten minutes a member's stream ends: the browser opens the next, as who they are by then."""
open_streams: Counter[str] = Counter()
VIEWERS = Gauge("club_live_viewers", "Open event streams", multiprocess_mode="livesum")


def announce(organisation: Organisation, kind: str, *, at: datetime, **payload: object) -> None:
    """Announce a change to the pages of this organisation when the transaction commits."""
    assert transaction.get_connection().in_atomic_block, "announce inside the change itself"
    LiveEvent.objects.create(organisation=organisation, kind=kind, payload=payload, at=at)


def forget_old(*, at: datetime) -> int:
    """Delete events that no page will request again. The journal is the archive, not the outbox."""
    deleted, _kinds = LiveEvent.objects.filter(at__lt=at - KEEP).delete()
    return deleted


def _newest_ids() -> set[int]:
    close_old_connections()
    return set(LiveEvent.objects.order_by("-pk").values_list("pk", flat=True)[:LATE_COMMITS])


def _rows_after(floor: int) -> list[Row]:
    close_old_connections()
    return list(
        LiveEvent.objects.filter(pk__gt=floor)
        .order_by("pk")
        .values_list("pk", "organisation_id", "kind", "payload")[: 2 * LATE_COMMITS]
    )


def _backlog(organisation_id: int, after: int | datetime) -> list[Row]:
    close_old_connections()
    missed = LiveEvent.objects.filter(organisation_id=organisation_id)
    if isinstance(after, datetime):
        missed = missed.filter(at__gte=after - PAGE_MADE_IN)
    else:
        missed = missed.filter(pk__gt=after)
    return list(
        missed.order_by("pk").values_list("pk", "organisation_id", "kind", "payload")[: BACKLOG + 1]
    )


class Hub:
    """Reader of the outbox, one per process and event loop: forwards each row to its listeners."""

    def __init__(self) -> None:
        self.listeners: dict[int, set[asyncio.Queue[Row]]] = {}
        self.reader: asyncio.Task[None] | None = None
        self.database = ThreadPoolExecutor(max_workers=1, thread_name_prefix="live")
        self.starting = asyncio.Lock()

    async def query(self, function: Callable[..., object], *arguments: object) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self.database, function, *arguments)

    async def join(self, organisation_id: int) -> asyncio.Queue[Row]:
        queue: asyncio.Queue[Row] = asyncio.Queue(maxsize=1000)
        self.listeners.setdefault(organisation_id, set()).add(queue)
        async with self.starting:
            if self.reader is None or self.reader.done():
                seen = await self.query(_newest_ids)
                self.reader = asyncio.create_task(self._read(seen))
        return queue

    def leave(self, organisation_id: int, queue: asyncio.Queue[Row]) -> None:
        heard = self.listeners.get(organisation_id, set())
        heard.discard(queue)
        if not heard:
            self.listeners.pop(organisation_id, None)

    async def _read(self, seen: set[int]) -> None:
        """Poll the outbox for rows that are not among those `seen` while there are listeners.

        Ids are assigned before commit, so it rereads a short range for rows committed late.
        """
        last = max(seen, default=0)
        while self.listeners:
            try:
                rows = await self.query(_rows_after, last - LATE_COMMITS)
            except Exception:  # noqa: BLE001 - the database is away: keep the viewers, try again
                await asyncio.sleep(2)
                continue
            for row in rows:
                if row[0] not in seen:
                    seen.add(row[0])
                    self.hand_out(row)
                last = max(last, row[0])
            seen = {pk for pk in seen if pk > last - LATE_COMMITS}
            await asyncio.sleep(POLL_S)

    def hand_out(self, row: Row) -> None:
        """Give a row to who listens to its club; who is full loses the oldest one."""
        for queue in self.listeners.get(row[1], ()):
            if queue.full():
                queue.get_nowait()
            queue.put_nowait(row)


hubs: dict[asyncio.AbstractEventLoop, Hub] = {}
"""The reader of the outbox of each event loop that had a viewer."""


def hub() -> Hub:
    """Return the hub of the running event loop."""
    loop = asyncio.get_running_loop()
    for other in [known for known in hubs if known.is_closed()]:
        del hubs[other]
    if loop not in hubs:
        hubs[loop] = Hub()
    return hubs[loop]


def refusal(holder: str, most: int) -> int:
    """Return the status that refuses one more stream: 429 for its holder, 503 for all, 0 for none."""
    if open_streams[holder] >= most:
        return 429
    return 503 if open_streams.total() >= MOST_STREAMS else 0


async def stream(
    organisation_id: int,
    after: int | datetime | None,
    *,
    holder: str,
    most: int,
    is_member: bool,
) -> AsyncIterator[str]:
    """Yield the server-sent events of one organisation, from the event after `after` if given.

    `after` is an event's id, or the moment at which a page was made that has heard none yet.
    Counts as one of the `most` streams that `holder` may have open, until it ends.
    """
    if refusal(holder, most):  # the view checked too, but other streams may have started since
        return
    open_streams[holder] += 1
    VIEWERS.inc()
    try:
        async with aclosing(new_events(organisation_id, after, is_member=is_member)) as events:
            async for event in events:
                yield event
    finally:
        VIEWERS.dec()
        open_streams[holder] -= 1
        if not open_streams[holder]:
            del open_streams[holder]


async def new_events(
    organisation_id: int, after: int | datetime | None, *, is_member: bool
) -> AsyncGenerator[str, None]:
    """Yield the server-sent events after `after`, and those that come, without counting the stream.

    A member's ends after `MEMBER_STREAM_S`, a visitor's with its page.
    """
    # The request used a connection to read its organisation and reader: release it now, or each
    # viewer would hold one while the stream is open.
    await sync_to_async(connections.close_all)()
    centre = hub()
    queue = await centre.join(organisation_id)
    clock = asyncio.get_running_loop().time
    opened_at = clock()
    try:
        yield "retry: 2000\n: bonjour\n\n"
        sent = set()
        if after is not None:
            missed = await centre.query(_backlog, organisation_id, after)
            if len(missed) > BACKLOG:
                yield f"id: {missed[-1][0]}\ndata: {{}}\n\n"
            else:
                for row in missed:
                    sent.add(row[0])
                    yield frame(row, is_member=is_member)
        while not is_member or clock() < opened_at + MEMBER_STREAM_S:
            try:
                row = await asyncio.wait_for(queue.get(), timeout=HEARTBEAT_S)
            except TimeoutError:
                yield "event: alive\ndata: {}\n\n"  # a page cannot see a comment
                continue
            if row[0] not in sent:
                yield frame(row, is_member=is_member)
    finally:
        centre.leave(organisation_id, queue)


def frame(row: Row, *, is_member: bool) -> str:
    """Return one event as sent to the browser; without details it only says that something changed."""
    pk, _organisation, kind, payload = row
    event = {"kind": kind, **payload} if is_member or kind not in MEMBERS_ONLY else {}
    return f"id: {pk}\ndata: {json.dumps(event)}\n\n"
