"""Pages of a list: `?after=<opaque>&limit=`, and the address of the next one in the answer."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from hashlib import sha256
from operator import attrgetter
from typing import Any, Generic, TypeVar

from django.db.models import IntegerField, Model, Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Query, Schema
from pydantic import Field

from api.v1.problems import Problem
from api.v1.shapes import ERRORS
from clubs.exchange.tables import UNSTORABLE

MOST = 100
FURTHEST = 10_000_000
SLICE_ERRORS = ERRORS | {409}
"""Of a list computed as a whole: it may have changed since the page before."""
T = TypeVar("T")
Row = TypeVar("Row", bound=Model)


class Page(Schema, Generic[T]):
    """A part of a list, in its order."""

    items: list[T] = Field(description="the rows of this page")
    next: str | None = Field(
        description="address of the next page; null on the last one. A 409 `moved` there where the "
        "order of the list has changed since: begin again"
    )


class Asked(Schema):
    """Which part of a list is wanted."""

    after: str = Field("", max_length=300, description="opaque: taken from `next`")
    limit: int = Field(50, ge=1, le=MOST, description="how many rows at most")


After = Query[Asked]


def page(
    request: HttpRequest,
    rows: QuerySet[Row],
    order: Sequence[str],
    asked: Asked,
    shown: Callable[[Sequence[Row]], list[Any]],
) -> dict[str, object]:
    """Return a page of these rows by keyset. `order`: fields, "-" first where they fall; unique.

    A field of a row that is read with them is written as in a query, `period__position`. `shown` gets
    the rows of the page and returns what is sent of each.
    """
    names = [name.lstrip("-") for name in order]
    if asked.after:
        rows = rows.filter(_beyond(order, _read(asked.after, rows.model, names)))
    page_rows = list(rows.order_by(*order)[: asked.limit + 1])
    more, page_rows = len(page_rows) > asked.limit, page_rows[: asked.limit]
    last = [attrgetter(name.replace("__", "."))(page_rows[-1]) for name in names] if more else None
    return {"items": shown(page_rows), "next": _next(request, last)}


def slice_of(
    request: HttpRequest, rows: Sequence[T], asked: Asked, key: Callable[[T], object]
) -> dict[str, Any]:
    """Return a page of a list computed as a whole. `key`: what is of one row and does not change.

    `after` is the place of the last row sent, with a mark of the order of all rows.
    """
    mark = mark_of([*map(key, rows)])
    start = place_of(asked, lambda _place: mark)
    end = start + asked.limit
    return {"items": rows[start:end], "next": next_of(request, end, len(rows), mark)}


def mark_of(keys: Sequence[object]) -> str:
    """Return a mark of the order of these rows."""
    return sha256(repr(keys).encode()).hexdigest()[:16]


def place_of(asked: Asked, mark_at: Callable[[int], str]) -> int:
    """Return how many rows of a list come before the page. `mark_at`: the mark of a place, today.

    Raises a Problem where the list has another mark than on the page before: a row that has moved
    would be sent twice or never.
    """
    if not asked.after:
        return 0
    start, seen = _decoded(asked.after, 2)
    if type(start) is not int or not 0 <= start <= FURTHEST or type(seen) is not str:
        raise _unknown()
    if seen != mark_at(start):
        message = _("Cette liste a changé depuis la page précédente : lisez-la depuis le début.")
        raise Problem(409, "moved", message)
    return start


def next_of(request: HttpRequest, end: int, total: int, mark: str) -> str | None:
    """Return the address of the page from place `end` on; None where there is none."""
    return _next(request, [end, mark] if end < total else None)


def _beyond(order: Sequence[str], values: Sequence[object]) -> Q:
    """Select what comes after these values in that order."""
    condition, equal = Q(), Q()
    for field, value in zip(order, values, strict=True):
        name, sign = field.lstrip("-"), "lt" if field.startswith("-") else "gt"
        condition |= equal & Q(**{f"{name}__{sign}": value})
        equal &= Q(**{name: value})
    return condition


def _read(after: str, model: type[Model], names: Sequence[str]) -> list[object]:
    """Return the values of a place in the types of their fields. Raises a Problem for others."""
    values = _decoded(after, len(names))
    try:
        fields = [_field(model, name) for name in names]
        return [_value(field, value) for field, value in zip(fields, values, strict=True)]
    except Exception as error:
        raise _unknown() from error


def _field(model: Any, name: str) -> Any:
    *relations, last = name.split("__")
    for relation in relations:
        model = model._meta.get_field(relation).related_model
    return model._meta.pk if last == "pk" else model._meta.get_field(last)


def _value(field: Any, value: object) -> Any:
    """Return a value of a place as its field has it. Raises for what none could be."""
    if type(value) is not (int if isinstance(field, IntegerField) else str):
        raise ValueError(value)
    if isinstance(value, str) and UNSTORABLE.search(value):
        raise ValueError(value)
    parsed = field.to_python(value)
    if parsed is None or (isinstance(parsed, datetime) and parsed.tzinfo is None):
        raise ValueError(value)
    if isinstance(parsed, datetime):
        return parsed.astimezone(UTC)  # a database fails on one that has no year there
    return parsed


def _decoded(after: str, length: int) -> list[object]:
    try:
        values = json.loads(urlsafe_b64decode(after.encode() + b"=" * (-len(after) % 4)))
    except ValueError as error:
        raise _unknown() from error
    if not isinstance(values, list) or len(values) != length:
        raise _unknown()
    return values


def _unknown() -> Problem:
    sentence = _("« after » n’est pas une suite donnée par ce site.")
    errors = [{"field": "query.after", "message": sentence}]
    return Problem(422, "invalid", sentence, errors)


def _next(request: HttpRequest, values: list[object] | None) -> str | None:
    if values is None:
        return None
    plain = [v.isoformat() if isinstance(v, date | datetime) else v for v in values]
    after = urlsafe_b64encode(json.dumps(plain, separators=(",", ":")).encode()).decode()
    query = request.GET.copy()
    query["after"] = after.rstrip("=")
    return request.build_absolute_uri(f"{request.path}?{query.urlencode()}")
