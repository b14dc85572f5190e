"""One frozen clock for the whole suite: NOW, the evening that tests/clubhouse.py plays.

A test that asks the machine's clock would pass today and fail at another minute, on another day or
in another time zone. A test about the real clock (a browser, a server of its own, a child process)
says so: `pytestmark = pytest.mark.real_clock`. `time_machine.travel` inside a test still works, and the
database's clock, which sweeps go by, follows it.
Waiting and measuring go by `time.monotonic()`, which runs on.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from unittest import mock

import pytest
import time_machine
from django.utils import timezone

NOW = datetime(2026, 11, 20, 19, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def frozen_clock(request: pytest.FixtureRequest) -> Iterator[None]:
    if request.node.get_closest_marker("real_clock"):
        yield
        return
    with (
        time_machine.travel(NOW, tick=False),
        mock.patch("clubs.upkeep.database_clock.now", lambda: timezone.now()),
    ):
        yield
