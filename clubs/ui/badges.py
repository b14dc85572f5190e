"""The four category gems: our own drawings, 24 × 24, and their words."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, gettext_noop

# From the lowest to the highest.
GEMS: Mapping[str, tuple[str, str]] = {
    "onyx": (
        gettext_noop("Onyx"),
        '<circle cx="12" cy="12" r="9"/><path d="M7.6 10.6A5 5 0 0 1 10.8 7.4"/>',
    ),
    "amethyste": (
        gettext_noop("Améthyste"),
        (
            '<path d="M12 2.5 20.2 7.25v9.5L12 21.5 3.8 16.75v-9.5z"/>'
            '<path d="M12 8.3 15.2 10.15v3.7L12 15.7 8.8 13.85v-3.7z"/>'
            '<path d="M12 2.5v5.8M20.2 7.25l-5 2.9M20.2 16.75l-5-2.9M12 21.5v-5.8'
            'M3.8 16.75l5-2.9M3.8 7.25l5 2.9"/>'
        ),
    ),
    "topaze": (
        gettext_noop("Topaze"),
        (
            '<path d="M8.2 3h7.6L21 8.2v7.6L15.8 21H8.2L3 15.8V8.2z"/>'
            '<path d="M10.1 8h3.8L16 10.1v3.8L13.9 16h-3.8L8 13.9v-3.8z"/>'
        ),
    ),
    "diamant": (
        gettext_noop("Diamant"),
        (
            '<path d="M6.5 4h11L22 9.5 12 21 2 9.5z"/>'
            '<path d="M2 9.5h20M12 21 7.8 9.5 12 4l4.2 5.5z"/>'
        ),
    ),
}


def word(key: str) -> str:
    return gettext(GEMS[key][0])


def glyph(key: str) -> SafeString:
    return mark_safe(
        '<svg viewBox="0 0 24 24" width="15" height="15" fill="none" '
        'stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" '
        f'aria-hidden="true" focusable="false">{GEMS[key][1]}</svg>'
    )
