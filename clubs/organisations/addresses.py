"""Addresses that lead into an organisation, written from outside of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.urls import get_script_prefix, set_script_prefix


@contextmanager
def script_prefix(prefix: str) -> Iterator[None]:
    """Put this prefix before what `reverse()` returns inside the block."""
    outside = get_script_prefix()
    set_script_prefix(prefix)
    try:
        yield
    finally:
        set_script_prefix(outside)
