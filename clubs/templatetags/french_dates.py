"""Filters of every template: `date` as each language writes it, and the day that names an evening."""

from __future__ import annotations

from typing import Any

from django import template
from django.template import defaultfilters

from clubs.templatetags.ui import clock
from clubs.ui.french import first_of_month, of_the_page, unbroken, written

register = template.Library()


@register.filter(name="date", expects_localtime=True, is_safe=False)
def date_filter(value: Any, layout: str | None = None) -> str:
    text = str(defaultfilters.date(value, of_the_page(layout) if layout else layout))
    return unbroken(first_of_month(text, value, layout)) if layout else text


@register.filter
def hour_and_place(evening: Any) -> str:
    """Format what tells evenings of one day apart: 20:00, Salle B."""
    return ", ".join(part for part in (clock(evening.starts_at), evening.place) if part)


@register.filter
def session(evening: Any) -> str:
    """Format an evening's day, with hour and place from the day's second on; empty without one.

    The year is left out only while the evening runs: later its page is read for years.
    """
    if not evening:
        return ""
    day = written(evening.held_on, "l j F" if evening.is_live else "l j F Y")
    return unbroken(day) + evening.apart
