"""Charts drawn by the server as SVG: no library and no script on the phone.

Takes numbers, returns markup. Colours come from classes in static/css/components.css, so one
drawing serves light and dark. Every text passed in is escaped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from clubs.ui.punctuation import labelled, listed

LEAST_RANGE = 40  # points: a smaller range would exaggerate noise


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One evening. `label` is printed on the axis; `note` marks a correction or a rule change."""

    label: str
    value: float
    projected: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingGraph:
    """`limits`: lower bound of each category, lowest first, e.g. (("onyx", 1000), …)."""

    points: Sequence[Point]
    sentence: str
    limits: Sequence[tuple[str, float]] = field(default=())


def graph_of(
    name: str, points: Sequence[Point], limits: Sequence[tuple[str, float]] = ()
) -> RatingGraph | None:
    """Return the curve of a player's rating with its sentence; None without a point."""
    if not points:
        return None
    values = {"name": name, "first": int(points[0].value), "last": int(points[-1].value)}
    sentence = _("%(name)s, cote de %(first)s à %(last)s.") % values
    return RatingGraph(points=points, sentence=sentence, limits=limits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One line of a distribution; `before` draws a pale bar behind for a comparison."""

    label: str
    value: float
    text: str
    tone: str = "plain"
    before: float | None = None
    before_text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Points (expected, scored) between 0 and 1 of one set of rules; `words` says each on demand."""

    name: str
    points: Sequence[tuple[float, float]]
    words: Sequence[str]


def _n(number: float) -> str:
    return f"{number:.1f}".rstrip("0").rstrip(".")


def _svg(width: float, height: float, css: str, sentence: str, body: str) -> SafeString:
    return mark_safe(
        f'<svg class="{css}" viewBox="0 0 {_n(width)} {_n(height)}" width="{_n(width)}" '
        f'height="{_n(height)}" role="img" aria-label="{escape(sentence)}">{body}</svg>'
    )


def absence_strip(
    marks: Sequence[str], *, words: Mapping[str, object], sentence: str
) -> SafeString:
    """Draw one dot a match, oldest first; an unexcused absence is a red dot with a cross."""
    body, size = "", 22
    for i, mark in enumerate(marks):
        x, y = i * size + size / 2, size / 2
        body += f"<g><title>{escape(words.get(mark, mark))}</title>"
        body += f'<circle class="strip-dot strip-dot--{escape(mark)}" cx="{_n(x)}" cy="{_n(y)}" '
        body += 'r="7.5"/>'
        if mark == "absent":
            d = f"M{_n(x - 3)} {_n(y - 3)}l6 6m0-6l-6 6"
            body += f'<path class="strip-cross" d="{d}"/>'
        body += "</g>"
    return _svg(max(1, len(marks)) * size, size, "absence-strip", sentence, body)


def _ticks(low: float, high: float) -> list[int]:
    for step in (10, 20, 25, 50, 100, 200, 250, 500):
        first = int(-(-low // step) * step)
        ticks = list(range(first, int(high) + 1, step))
        if len(ticks) <= 5:
            return ticks if len(ticks) >= 2 else [int(low), int(high)]
    return [int(low), int(high)]


def _range(graph: RatingGraph) -> tuple[float, float]:
    values = [point.value for point in graph.points]
    low, high = min(values), max(values)
    middle, reach = (low + high) / 2, max(high - low, LEAST_RANGE) * 0.65
    return middle - reach, middle + reach


def rating_graph(
    graph: RatingGraph, *, bands: Mapping[str, str], width: int, height: int
) -> SafeString:
    """Draw bands of the categories, a line, a dot an evening; the projected end dashed, hollow."""
    css = "chart chart--wide" if width > 400 else "chart chart--phone"
    if not graph.points:
        return mark_safe("")
    low, high = _range(graph)
    left, right, top, bottom = 38, 8, 8, 26
    inner, tall = width - left - right, height - top - bottom

    def y(value: float) -> float:
        return top + (high - value) / (high - low) * tall

    body = _bands(graph, bands, low, high, y, left, inner)
    for tick in _ticks(low, high):
        body += f'<text x="{left - 6}" y="{_n(y(tick) + 4)}" text-anchor="end">{tick}</text>'

    count = len(graph.points)
    margin = 14 if count > 1 else inner / 2
    step = (inner - 2 * margin) / max(1, count - 1)
    spots = [(left + margin + i * step, y(p.value)) for i, p in enumerate(graph.points)]
    body += _lines(graph.points, spots)
    wide = 6.5 * max(len(point.label) for point in graph.points)
    room = 8 + max(wide, 1.5 * wide - 16)  # the last label ends 16 after its dot
    every = ceil(room / step) if count > 1 else 1  # one label for so many dots
    radius = 5 if step > 12 or count == 1 else 2.5
    for i, (point, (px, py)) in enumerate(zip(graph.points, spots, strict=True)):
        words = labelled(point.label, _n(point.value)) + (f", {point.note}" if point.note else "")
        kind = "chart__dot chart__dot--projected" if point.projected else "chart__dot"
        body += f"<g><title>{escape(words)}</title>"
        if point.note:
            body += f'<path class="chart__mark" d="M{_n(px)} {_n(py - 6)}v-16"/>'
            body += f'<path class="chart__mark-flag" d="M{_n(px)} {_n(py - 24)}l9 4-9 4z"/>'
        body += f'<circle class="{kind}" cx="{_n(px)}" cy="{_n(py)}" r="{_n(radius)}"/></g>'
        if (count - 1 - i) % every == 0:
            end = "end" if i == count - 1 and count > 1 else "middle"
            at = min(px + 16, width - 2) if end == "end" else px
            body += f'<text x="{_n(at)}" y="{height - 8}" text-anchor="{end}">'
            body += f"{escape(point.label)}</text>"
    return _svg(width, height, css, graph.sentence, body)


def sparkline(values: Sequence[float], *, projected: bool, sentence: str) -> SafeString:
    """Draw the last ratings, oldest first, in the height of a row; a projected end is hollow."""
    if not values:
        return mark_safe("")
    width, height, edge = 72, 24, 4
    middle = (min(values) + max(values)) / 2
    scale = (height - 2 * edge) / max(max(values) - min(values), LEAST_RANGE)
    step = (width - 2 * edge) / max(1, len(values) - 1)
    spots = [
        (width - edge - (len(values) - 1 - i) * step, height / 2 - (value - middle) * scale)
        for i, value in enumerate(values)
    ]
    line = " ".join(f"{_n(x)},{_n(y)}" for x, y in spots)
    x, y = spots[-1]
    dot = "chart__dot chart__dot--projected" if projected else "chart__dot"
    body = f'<polyline class="sparkline__line" points="{line}"/>' if len(spots) > 1 else ""
    body += f'<circle class="{dot}" cx="{_n(x)}" cy="{_n(y)}" r="3"/>'
    return _svg(width, height, "sparkline", sentence, body)


def _bands(
    graph: RatingGraph,
    names: Mapping[str, str],
    low: float,
    high: float,
    y: Callable[[float], float],
    left: float,
    inner: float,
) -> str:
    body = ""
    for i, (key, bound) in enumerate(graph.limits):
        floor = low if i == 0 else max(low, bound)  # below the first limit is the first category
        ceiling = graph.limits[i + 1][1] if i + 1 < len(graph.limits) else high
        ceiling = min(high, ceiling)
        if ceiling <= floor:
            continue
        body += f'<rect class="band--{escape(key)}" x="{left}" y="{_n(y(ceiling))}" '
        body += f'width="{_n(inner)}" height="{_n(y(floor) - y(ceiling))}"/>'
        if y(floor) - y(ceiling) >= 18:
            at = y(ceiling) + 14 if ceiling >= high else y(floor) - 5
            body += f'<text x="{left + 6}" y="{_n(at)}">{escape(names.get(key, key))}</text>'
        if i and low < bound < high:
            body += f'<path class="chart__limit" d="M{left} {_n(y(bound))}h{_n(inner)}"/>'
    return body


def _lines(points: Sequence[Point], spots: Sequence[tuple[float, float]]) -> str:
    body = ""
    solid: list[tuple[float, float]] = []
    for i, point in enumerate(points):
        if not point.projected:
            solid.append(spots[i])
        elif i:
            (ax, ay), (bx, by) = spots[i - 1], spots[i]
            body += '<path class="chart__line chart__line--projected" '
            body += f'd="M{_n(ax)} {_n(ay)}L{_n(bx)} {_n(by)}"/>'
    if len(solid) > 1:
        line = " ".join(f"{_n(a)},{_n(b)}" for a, b in solid)
        body = f'<polyline class="chart__line" points="{line}"/>' + body
    return body


def distribution(rows: Sequence[Bar]) -> SafeString:
    """Draw bars side by side with their figures; the table beside it has the words."""
    if not rows:
        return mark_safe("")
    most = max(max(row.value, row.before or 0) for row in rows) or 1
    width, left, right, tall = 420, 96, 92, 34
    inner = width - left - right
    body = ""
    for i, row in enumerate(rows):
        top = i * tall
        body += f'<text x="0" y="{top + 21}">{escape(row.label)}</text>'
        if row.before is not None:
            wide = max(2.0, row.before / most * inner)
            body += f'<rect class="bar--before" x="{left}" y="{top + 4}" width="{_n(wide)}" '
            body += 'height="26" rx="3"/>'
        wide = max(2.0, row.value / most * inner)
        body += f'<rect class="bar--{escape(row.tone)}" x="{left}" y="{top + 9}" '
        body += f'width="{_n(wide)}" height="16" rx="3"/>'
        text = f"{row.before_text} → {row.text}" if row.before_text else row.text
        body += f'<text x="{_n(left + inner + 8)}" y="{top + 21}">{escape(text)}</text>'
    sentence = listed(f"{row.label} {row.text}" for row in rows)
    return _svg(width, len(rows) * tall, "chart chart--bars", sentence, body)


def prediction_curve(
    before: Curve, after: Curve, *, across: str, up: str, sentence: str
) -> SafeString:
    """Draw scored against expected points, from a chance of ½ on, beside the line of right chances."""
    width, height, left, right, top, bottom = 360, 300, 34, 10, 46, 40
    inner, tall = width - left - right, height - top - bottom

    def spot(point: tuple[float, float]) -> tuple[float, float]:
        return left + (point[0] - 0.5) * 2 * inner, top + (1 - point[1]) * tall

    body = f'<text x="0" y="12">{escape(up)}</text>'
    body += f'<text x="{width}" y="{height - 4}" text-anchor="end">{escape(across)}</text>'
    for tick in (0, 25, 50, 75, 100):
        y = spot((0.5, tick / 100))[1]
        body += f'<path class="chart__grid" d="M{left} {_n(y)}h{_n(inner)}"/>'
        body += f'<text x="{left - 6}" y="{_n(y + 4)}" text-anchor="end">{tick}</text>'
    for tick in (50, 60, 70, 80, 90, 100):
        x = spot((tick / 100, 0))[0]
        body += f'<text x="{_n(x)}" y="{top + tall + 16}" text-anchor="middle">{tick}</text>'
    (ax, ay), (bx, by) = spot((0.5, 0.5)), spot((1, 1))
    body += f'<path class="chart__limit" d="M{_n(ax)} {_n(ay)}L{_n(bx)} {_n(by)}"/>'
    legend = left
    for curve, kind in ((before, "chart__dot--projected"), (after, "")):
        spots = [spot(point) for point in curve.points]
        line = " ".join(f"{_n(x)},{_n(y)}" for x, y in spots)
        dot = f'<circle class="chart__dot {kind}"'
        body += (
            f'<polyline class="chart__line {kind and "chart__line--projected"}" points="{line}"/>'
        )
        body += f'{dot} cx="{legend + 6}" cy="28" r="5"/>'
        body += f'<text x="{legend + 16}" y="32">{escape(curve.name)}</text>'
        legend += inner // 2
        for (x, y), words in zip(spots, curve.words, strict=True):
            body += f"<g><title>{escape(words)}</title>"
            body += f'{dot} cx="{_n(x)}" cy="{_n(y)}" r="5"/></g>'
    return _svg(width, height, "chart chart--curve", sentence, body)


def ring(left: float, total: float) -> SafeString:
    """Render the countdown's circle, hidden from screen readers. `left` of `total` seconds."""
    share = max(0.0, min(1.0, float(left) / float(total))) if total else 0.0
    return format_html(
        '<svg viewBox="0 0 92 92" aria-hidden="true" focusable="false">'
        '<circle class="countdown__track" cx="46" cy="46" r="41.5" fill="none" stroke-width="9"/>'
        '<circle class="countdown__arc" cx="46" cy="46" r="41.5" fill="none" stroke-width="9" '
        'pathLength="100" stroke-dasharray="{} 100"/></svg>',
        f"{share * 100:.2f}",
    )
