"""The `date` filter of every template: Django's, with "1er" for the first of a month in French."""

from __future__ import annotations

from typing import Any

from django import template
from django.template import defaultfilters

from clubs.ui.dates import first_of_month

register = template.Library()


@register.filter(name="date", expects_localtime=True, is_safe=False)
def date_filter(value: Any, layout: str | None = None) -> str:
    text = str(defaultfilters.date(value, layout))
    return first_of_month(text, value, layout) if layout else text
