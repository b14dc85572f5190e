"""What tests read of a page."""

from __future__ import annotations

from typing import Any

from django.urls import reverse


def url(name: str, **arguments: object) -> str:
    """Return the address of one of pairings' pages, by its name."""
    return reverse(f"pairings:{name}", kwargs=arguments)


def words(answer: Any) -> str:
    """Return the text of an answer with one space between words, those that do not break included."""
    return " ".join(answer.content.decode().split())
