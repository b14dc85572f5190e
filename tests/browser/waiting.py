"""Waiting for what a page finds out in its own time.

Playwright's `wait_for_function` takes a promise for a true value and returns at once; where it has
to ask a second time, the Content-Security-Policy of the page refuses its question.
"""

from __future__ import annotations

from typing import Any

TRIES = 200


def until(page: Any, expression: str, *, tries: int = TRIES) -> None:
    """Wait until an expression, or the promise that it returns, is true, for a tenth of a second each try."""
    for _ in range(tries):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"never became true: {expression}")


def go_offline(page: Any) -> None:
    """Take the network away from the page and from its service worker.

    Playwright tells a worker once, and a worker that Chromium is just starting misses it. So a
    request wakes the worker first, and it is told again while it still fetches what no cache holds.
    """
    fetched = """fetch(document.querySelector("link[rel=stylesheet]").href + "?asked", { cache: "no-store" })
      .then(() => true, () => false)"""
    for _ in range(TRIES):
        page.evaluate(fetched)
        page.context.set_offline(True)
        if not page.evaluate(fetched):
            return
        page.context.set_offline(False)
    raise AssertionError("the service worker stays online")


def box(locator: Any) -> dict[str, float]:
    """Where an element stands; asked again where a live part is being replaced."""
    for _ in range(TRIES):
        found: dict[str, float] | None = locator.bounding_box()
        if found:
            return found
    raise AssertionError(f"never on the page: {locator}")
