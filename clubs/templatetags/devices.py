"""A device in words, as far as its browser says what it is."""

from __future__ import annotations

import re

from django import template
from django.utils.translation import gettext as _

register = template.Library()

# The first that matches: browsers name those they descend from, and Android says Linux.
BROWSERS = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "SamsungBrowser": "Samsung Internet",
    "Firefox|FxiOS": "Firefox",
    "Chrome|CriOS": "Chrome",
    "Safari": "Safari",
}
DEVICES = {
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "Windows": "Windows",
    "CrOS": "ChromeOS",
    "Macintosh": "Mac",
    "Linux": "Linux",
}


@register.filter
def device_words(user_agent: str) -> str:
    """Return browser and device of a request's User-Agent: "Firefox, Windows"."""
    names = [
        next((word for pattern, word in known.items() if re.search(pattern, user_agent)), "")
        for known in (BROWSERS, DEVICES)
    ]
    return ", ".join(filter(None, names)) or _("Appareil inconnu")
