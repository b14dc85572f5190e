"""Stored reasons in templates."""

from __future__ import annotations

from django import template

from clubs.journal.wording import reason_words

register = template.Library()
register.filter("reason_words", reason_words)
