"""The number of a neighbour's object in the body of each form: nothing of theirs is changed or taken in."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import models

from tests.our_code import tables
from tests.permissions import access
from tests.permissions.furnished_club import Furnished
from tests.permissions.test_permissions import (
    address,
    again,
    body_of,
    lines,
    now_rows,
    prepared,
    reader_of,
    signed_in,
    untouched,
)

pytestmark = pytest.mark.django_db


def counterparts(site: Furnished) -> dict[str, set[str]]:
    """The key of each object of this club → those of the neighbours in its place, table by table."""
    found: dict[str, set[str]] = {}
    clubs = (site.club.organisation, site.neighbours.organisation)
    for model in tables():
        if any(one.name == "organisation" for one in model._meta.concrete_fields):
            ours, theirs = (
                model._base_manager.filter(organisation=club)
                .order_by("pk")
                .values_list("pk", flat=True)
                for club in clubs
            )
            for own, other in zip(ours, theirs, strict=False):
                found.setdefault(str(own), set()).add(str(other))
    for word, own in site.words.items():
        other = str(site.their_words.get(word, own))
        if str(own).isdigit() and len(str(own)) > 3 and other != str(own):
            found.setdefault(str(own), set()).add(other)
    return found


def club_of(model: Any, depth: int = 3) -> str:
    """The way from a row of this table to its club; empty where there is none."""
    columns = model._meta.concrete_fields
    if any(one.name == "organisation" for one in columns):
        return "organisation"
    for one in columns:
        is_firm = isinstance(one, models.ForeignKey) and not one.null and depth
        if is_firm and (way := club_of(one.related_model, depth - 1)):
            return f"{one.name}__{way}"
    return ""


def crossing() -> set[tuple[str, int]]:
    """The rows that belong to one club by one of their columns and to another by the next."""
    found = set()
    for model in tables():
        own = club_of(model)
        for one in model._meta.concrete_fields:
            far = club_of(one.related_model) if isinstance(one, models.ForeignKey) else ""
            way = f"{one.name}__{far}"
            if own and far and way != own:
                rows = model._base_manager.exclude(**{f"{way}__isnull": True})
                keys = rows.exclude(**{own: models.F(way)}).values_list("pk", flat=True)
                found |= {(f"{model.__name__}.{one.name}", pk) for pk in keys}
    return found


def keys_of(club: Any) -> set[tuple[str, int]]:
    """Every row that belongs to this club."""
    return {
        (model.__name__, pk)
        for model in tables()
        if (own := club_of(model))
        for pk in model._base_manager.filter(**{own: club}).values_list("pk", flat=True)
    }


def test_no_form_takes_the_object_of_another_club(site):
    """Refused or not found, by every form that names an object by its number."""
    asked: set[tuple[str, str]] = set()
    before_all, theirs = crossing(), site.neighbours.organisation
    their_keys = keys_of(theirs)
    for line in lines():
        space, name, level, arguments, body, effect = line.values
        if not body or effect in (access.KEYED, access.READ):
            continue
        with untouched():
            before = prepared(site, name)
            url = address(site, space, name, arguments, site.club)
            client = signed_in(site, reader_of(site, level, arguments))
            sent = body_of(site, client, url, body)
            for key, value in sent.items():
                for other in sorted(counterparts(site).get(str(value), ())):
                    with untouched() as wrote:
                        answer = client.post(url, again(sent) | {key: other})
                        case = (f"{space}:{name}", key, answer.status_code)
                        assert answer.status_code < 500, case
                        assert site.theirs <= now_rows(wrote, before), f"theirs changed: {case}"
                        if wrote:
                            assert keys_of(theirs) == their_keys, f"theirs grew: {case}"
                            assert crossing() <= before_all, f"theirs taken in: {case}"
                        asked.add((f"{space}:{name}", key))
    assert len(asked) >= 12, asked
