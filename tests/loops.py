"""Run a coroutine from a test, also where a browser test left its event loop in this thread."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Made = TypeVar("Made")


def run(coroutine: Coroutine[Any, Any, Made]) -> Made:
    with ThreadPoolExecutor(max_workers=1) as own_thread:
        return own_thread.submit(asyncio.run, coroutine).result()
