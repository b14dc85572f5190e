"""What anybody typed is text on every page: elements planted in every column of words are never elements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection, models
from django.http import FileResponse

from clubs.journal import triggers
from tests.our_code import tables
from tests.permissions import access
from tests.permissions.test_permissions import address, lines, reader_of, signed_in, untouched

pytestmark = pytest.mark.django_db
MARK = "<i data-planted>"
NOT_TYPED = {
    "hash",
    "previous_hash",
    "journal_hash",
    "sha256",
    "token_hash",
    "pin_hash",
    "code_hash",
    "secret",
    "slug",
    "public_id",
    "subject",
    "verb",
    "kind",
    "key",
    "code",
    "scope",
    "trigger_key",
    "source",
    "password",
    "email",
    "photo",
    "file",
    "theme",
    "language",
    "time_zone",
    "timezone",
    "system",
}
"""Columns that the site itself writes, of which pages make addresses and choices."""


def typed() -> Iterator[tuple[type[models.Model], models.Field[Any, Any]]]:
    """The columns that hold words of people."""
    for model in tables():
        for field in model._meta.concrete_fields:
            words = isinstance(field, models.CharField | models.TextField)
            odd = field.choices or field.unique or field.name in NOT_TYPED
            if words and not odd and (field.max_length or 1000) >= 40:
                yield model, field


def plant() -> int:
    """Write the mark before what stands in those columns; the number of columns with a row."""
    planted = 0
    for model, field in typed():
        table = model._meta.db_table
        kept = getattr(model, "append_only", False) or table in (
            "clubs_rulebook",
            "ratings_edition",
        )
        if kept:
            triggers.remove(connection, table)
        with connection.cursor() as cursor:
            cursor.execute(
                f"UPDATE {table} SET {field.column} = substr(%s || {field.column}, 1, %s) "
                f"WHERE {field.column} <> ''",
                [MARK, field.max_length or 1000],
            )
            planted += cursor.rowcount > 0
    return planted


def test_elements_that_somebody_typed_are_text_on_every_page(site):
    with untouched():
        assert plant() >= 30
        asked = escaped = 0
        for line in lines():
            space, name, level, arguments, _body, effect = line.values
            if effect in (access.POST_ONLY, access.COOKIE, access.KEYED, access.POSTED):
                continue
            client = signed_in(site, reader_of(site, level, arguments))
            answer = client.get(address(site, space, name, arguments, site.club), follow=True)
            if isinstance(answer, FileResponse):
                answer.getvalue()  # closes its file
            if answer.streaming or "text/html" not in answer.get("Content-Type", ""):
                continue
            assert answer.status_code < 500, (space, name)
            page = answer.content.decode()
            assert MARK not in page, f"an element on {space}:{name}"
            asked += 1
            escaped += "&lt;i data-planted&gt;" in page
        assert asked > 150 and escaped > 100, (asked, escaped)
