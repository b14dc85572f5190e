"""Template tags and filters: icons, badges, tags, figures as the club writes them, charts.

Words are French and translated here; shapes and colours are in static/css.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache

from django import template
from django.conf import settings
from django.http import QueryDict
from django.template.loader import render_to_string
from django.utils import formats, timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, ngettext

from clubs.search import without_accents
from clubs.ui import badges, charts, icons
from clubs.ui.french import is_french, unbroken, written
from clubs.ui.statuses import STATE_TAGS, STATUS_TAGS

register = template.Library()

NBSP = "\u00a0"
MINUS = "\u2212"
DASH = "\u2013"


@lru_cache(maxsize=512)
def _icon_markup(name: str, size: int, css: str) -> SafeString:
    try:
        svg = icons.drawn(name, size, css)
    except KeyError as missing:
        if settings.DEBUG:
            raise template.TemplateSyntaxError(f"No Lucide icon is called {name!r}.") from missing
        return mark_safe("")  # the word beside it has the meaning
    return mark_safe(svg)


@register.simple_tag
def icon(name: str, size: int = 20, css: str = "") -> SafeString:
    """Render `{% icon "gavel" %}`: an inline Lucide icon, hidden from screen readers."""
    return _icon_markup(str(name), int(size), str(css))


@register.simple_tag
def badge(code: object) -> SafeString:
    """Render the category as glyph + word. A series of another list gets the neutral outline."""
    if not code:
        return mark_safe("")
    key = without_accents(str(code))
    if key not in badges.GEMS:
        return format_html('<span class="badge">{}</span>', code)
    return format_html(
        '<span class="badge badge--{}">{}{}</span>', key, badges.glyph(key), badges.word(key)
    )


@register.simple_tag
def badge_glyph(code: object) -> SafeString:
    """Render the category's glyph, with its word hidden: for the wall and dense tables."""
    key = without_accents(str(code))
    if key not in badges.GEMS:
        return badge(code)
    return format_html(
        '<span class="badge badge--glyph badge--{}">{}<span class="hidden-text">{}</span></span>',
        key,
        badges.glyph(key),
        badges.word(key),
    )


@register.simple_tag
def tag(word: object, icon: str = "", tone: str = "") -> SafeString:
    """Render a status: `{% tag "à trancher" icon="gavel" tone="bad" %}`.

    Tones are good, bad, warn and plain.
    """
    css = f"tag tag--{tone}" if tone else "tag"
    picture = _icon_markup(icon, 16, "") if icon else ""
    return format_html('<span class="{}">{}{}</span>', css, picture, word)


@register.simple_block_tag
def notice(content: str, tone: str = "", icon: str | None = None, **parts: object) -> str:
    """Render `{% notice "warn" %} … {% endnotice %}`. Each tone has its icon; `icon=""` for none."""
    usual = {"": "info", "big": "circle-check"}.get(tone, "circle-alert")
    named = {"content": content, "tone": tone, "icon": usual if icon is None else icon}
    return render_to_string("components/_notice.html", {**named, **parts})


@register.simple_tag
def state_tag(state: object, word: object) -> SafeString:
    """Render the state of an evening or a tournament with its word."""
    picture, tone = STATE_TAGS.get(str(state), ("calendar-clock", ""))
    return tag(word, icon=picture, tone=tone)


def own_mark() -> SafeString:
    """Return the tag "vous" of a row, hidden until components/_own_row.html names the row."""
    return format_html('<span class="own-mark"> {}</span>', tag(gettext("vous")))


@register.simple_tag
def status_tag(status: object, basis: object = "") -> SafeString:
    """Render the state of a match or a task. `basis` says how a match became final."""
    code = str(getattr(status, "value", status) or "")
    how = str(getattr(basis, "value", basis) or "")
    tag_parts = STATUS_TAGS.get(f"{code}:{how}") or STATUS_TAGS.get(code)
    if tag_parts is None:  # an unknown state is printed, never left blank
        return tag(code, icon="circle-question-mark", tone="warn")
    word, picture, tone = tag_parts
    return tag(word, icon=picture, tone=tone)


_TRIANGLES = {
    "up": mark_safe('<svg viewBox="0 0 12 12" aria-hidden="true"><path fill="currentColor" '
                    'd="M6 1.2 11.6 11H.4z"/></svg>'),
    "down": mark_safe('<svg viewBox="0 0 12 12" aria-hidden="true"><path fill="currentColor" '
                      'd="M6 10.8.4 1h11.2z"/></svg>'),
}  # fmt: skip


@register.simple_tag
def move(places: int | None) -> SafeString:
    """Render places won (+) or lost (−): shape, number, hidden words. None is a newcomer."""
    if places is None:
        return format_html('<span class="move">{}</span>', gettext("nouveau"))
    if places == 0:
        return format_html(
            '<span class="move"><span aria-hidden="true">=</span>'
            '<span class="hidden-text">{}</span></span>',
            gettext("place inchangée"),
        )
    number = abs(places)
    if places > 0:
        way = "up"
        words = ngettext("monte de %(n)s place", "monte de %(n)s places", number)
    else:
        way = "down"
        words = ngettext("descend de %(n)s place", "descend de %(n)s places", number)
    return format_html(
        '<span class="move move--{}">{}<span aria-hidden="true">{}</span>'
        '<span class="hidden-text">{}</span></span>',
        way,
        _TRIANGLES[way],
        number,
        words % {"n": number},
    )


@register.simple_tag
def avatar(name: object, size: str = "") -> SafeString:
    """Render initials in a square; `size="big"` on a profile. Decorative: the name is beside it."""
    css = f"avatar avatar--{size}" if size else "avatar"
    return format_html('<span class="{}" aria-hidden="true">{}</span>', css, initials(name))


def initials(name: object) -> str:
    """Return the initials of a name, or of an account's address, whose host is nobody's name."""
    words = str(name or "").partition("@")[0].replace(".", " ").split()
    letters = [words[0][0], words[-1][0]] if len(words) > 1 else [word[0] for word in words[:1]]
    return "".join(letters).upper() or "?"


def in_decimals(value: object, places: int) -> Decimal | None:
    """Round a value as it is printed, half away from zero. Rules round their values themselves."""
    try:
        if isinstance(value, Fraction):
            exact = Decimal(value.numerator) / Decimal(value.denominator)
        else:
            exact = Decimal(str(value))
        return exact.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
    except (InvalidOperation, TypeError, ValueError):
        return None


def _written(number: Decimal, places: int) -> str:
    text = formats.number_format(abs(number), decimal_pos=places, use_l10n=True)
    return (MINUS if number < 0 else "") + text


@register.filter
def cote(value: object) -> str:
    """Format a rating: no thousands separator, in any language. 1917."""
    number = in_decimals(value, 0)
    if number is None:
        return DASH
    return f"{MINUS if number < 0 else ''}{abs(int(number))}"


@register.filter
def decimal(value: object, places: int) -> str:
    number = in_decimals(value, places)
    return DASH if number is None else _written(number, places)


@register.filter
def points(value: object, places: int = 2) -> str:
    """Format points that are mostly whole (PR, PDI): 4, and 3,50 where a mean is not whole."""
    number = in_decimals(value, int(places))
    if number is None:
        return DASH
    return _written(number, 0 if number == number.to_integral_value() else int(places))


@register.filter
def percent_fr(value: object, places: int = 1) -> str:
    """Format a value already in percent: 2,3 % (no-break space before the sign in French)."""
    number = in_decimals(value, int(places))
    if number is None:
        return DASH
    return f"{_written(number, int(places))}{NBSP if is_french() else ''}%"


@register.filter
def chance(value: object) -> str:
    """Format a probability between 0 and 1 in percent: 24 %."""
    number = in_decimals(value, 6)
    return DASH if number is None else percent_fr(number * 100, 0)


@register.filter
def signed(value: object, places: int = 0) -> str:
    """Format with a sign: +17, −14, =; with `signed:1`, −4,3."""
    number = in_decimals(value, int(places))
    if number is None:
        return DASH
    if number == 0:
        return "="
    return ("+" if number > 0 else "") + _written(number, int(places))


@register.filter
def sign_class(value: object) -> str:
    number = in_decimals(value, 6) or Decimal(0)
    return "is-up" if number > 0 else "is-down" if number < 0 else "muted"


@register.filter
def clock(value: object) -> str:
    """Format as 20:47, in the club's time zone and in every language."""
    if isinstance(value, datetime):
        moment = timezone.localtime(value) if timezone.is_aware(value) else value
        return f"{moment:%H:%M}"
    return f"{value:%H:%M}" if isinstance(value, time) else ""


@register.filter
def minutes_seconds(seconds: float | None) -> str:
    """Format seconds as 252 -> 4:12, for a countdown; never below zero."""
    number = max(0, int(seconds or 0))
    return f"{number // 60}:{number % 60:02d}"


@register.filter
def waited(since: datetime, at: datetime) -> str:
    """Format the time passed: 12 min, then 1 h 05, from two days on 2 jours. Never below zero."""
    minutes = max(0, int((at - since).total_seconds() // 60))
    hours, left = divmod(minutes, 60)
    if hours >= 48:
        return ngettext("%(n)s jour", "%(n)s jours", hours // 24) % {"n": hours // 24}
    return f"{hours}{NBSP}h{NBSP}{left:02d}" if hours else f"{left}{NBSP}min"


@register.filter
def day(value: object) -> str:
    """Format as vendredi 20 novembre, in the page's language."""
    if isinstance(value, datetime) and timezone.is_aware(value):
        value = timezone.localtime(value)
    return unbroken(written(value, "l j F")) if isinstance(value, date) else ""


@register.filter
def moment(value: object) -> str:
    """Format as vendredi 20 novembre, 20:47; the day alone without an hour (midnight)."""
    hour = clock(value)
    return day(value) if hour in ("", "00:00") else f"{day(value)}, {hour}"


@register.filter
def rank_ordinal(value: object) -> SafeString:
    """Render 9<sup>e</sup>, 1<sup>er</sup> in French; the bare number elsewhere."""
    if not is_french():
        return format_html("{}", value)
    return format_html("{}<sup>{}</sup>", value, "er" if str(value) == "1" else "e")


@register.simple_tag
def effect(before: object, after: object) -> SafeString:
    """Render one cell of a before → after table: struck old, bold new, or the unchanged value.

    Without an old value (None), the new one alone.
    """
    if before is None:
        return format_html("<b>{}</b>", _said(after))
    if before == after:
        return format_html('<span class="effect muted">{}</span>', after)
    return format_html(
        '<span class="effect"><span class="hidden-text">{} </span><s class="was">{}</s> {} '
        '<span class="hidden-text">{} </span><b class="became">{}</b></span>',
        gettext("avant"),
        _said(before),
        _icon_markup("arrow-right", 14, ""),
        gettext("après"),
        _said(after),
    )


def _said(value: object) -> object:
    dash = '<span aria-hidden="true">–</span><span class="hidden-text">{}</span>'
    return format_html(dash, gettext("rien")) if value == "–" else value


@register.simple_tag(takes_context=True)
def page_query(context: template.Context, **changes: object) -> str:
    """Return the current query string with some values changed: `?{% page_query page=3 %}`."""
    request = context.get("request")
    query = QueryDict(mutable=True) if request is None else request.GET.copy()
    for name, value in changes.items():
        if value in (None, ""):
            query.pop(name, None)
        else:
            query[name] = str(value)
    return query.urlencode()


UNDO = "undo-"


def undo_tag(match: int, version: int) -> str:
    """Return the tag of a message that offers to undo a match's last action, for `undo_of`."""
    return f"{UNDO}{match}-{version}"


@register.filter
def undo_of(tags: str) -> list[str]:
    """Return the match whose last action a message offers to undo, and its version; empty without one."""
    tag = next((tag for tag in str(tags or "").split() if tag.startswith(UNDO)), "")
    return tag.removeprefix(UNDO).split("-") if tag else []


register.simple_tag(charts.ring)


@register.filter
def last_matches(window: int) -> str:
    """Return "10 derniers matchs", to stand after "les" or "vos"."""
    return ngettext("%(n)s dernier match", "%(n)s derniers matchs", window) % {"n": window}


@register.simple_tag
def absence_strip(marks: Sequence[str]) -> SafeString:
    """Render the last matches, oldest first: present, excused, absent."""
    words = {
        "present": gettext("présent"),
        "excused": gettext("absence justifiée"),
        "absent": gettext("absence non justifiée"),
    }
    missed = sum(mark == "absent" for mark in marks)
    sentence = ngettext(
        "%(n)s absence non justifiée sur les %(matches)s",
        "%(n)s absences non justifiées sur les %(matches)s",
        missed,
    ) % {"n": missed, "matches": last_matches(len(marks))}
    one = words["absent"] if missed else gettext("aucune absence non justifiée")
    return charts.absence_strip(marks, words=words, sentence=sentence if marks[1:] else one)


@register.inclusion_tag("components/_rating_graph.html")
def rating_graph(graph: charts.RatingGraph, head: str = "") -> dict[str, object]:
    """Render category bands, dots (what `head` says, else evenings), the projected end, the figures."""
    bands = {key: badges.word(key) for key in badges.GEMS}
    return {
        "graph": graph,
        "head": head or gettext("Soirée"),
        "wide": charts.rating_graph(graph, bands=bands, width=560, height=220),
        "phone": charts.rating_graph(graph, bands=bands, width=340, height=180),
    }


@register.inclusion_tag("components/_distribution.html")
def distribution(rows: Sequence[charts.Bar], title: str = "") -> dict[str, object]:
    """Render horizontal bars: players per category, before and after."""
    return {"rows": rows, "title": title, "picture": charts.distribution(rows)}


@register.simple_tag
def list_of_badges() -> SafeString:
    """Return the legend of the four categories, highest first."""
    return format_html_join(" ", "{}", ((badge(key),) for key in reversed(list(badges.GEMS))))
