"""What tests read of a page."""

from __future__ import annotations

from typing import Any


def words(answer: Any) -> str:
    """Return the text of an answer with one space between words, those that do not break included."""
    return " ".join(answer.content.decode().split())
