"""The numbers that rows had: none is given a second time, also where its row is gone.

The journal names rows by their number, programs know a delivery by its own, and a phone's cookie its
player. The number of a row that was deleted, stayed behind when a club left, or was written after the
archive and is lost, may not mean another row on the new site.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from django.db import connection, models
from django.db.models import Max

from clubs.archive.scope import tables

LOST = 10_000
"""Numbers left out in each table for rows that were written after the archive."""
LAST_GIVEN = {
    "sqlite": "SELECT seq FROM sqlite_sequence WHERE name = %s",
    "postgresql": "SELECT pg_sequence_last_value(pg_get_serial_sequence(%s, 'id')::regclass)",
}
GO_ON_AFTER = {
    "sqlite": [
        "DELETE FROM sqlite_sequence WHERE name = %(table)s",
        "INSERT INTO sqlite_sequence (name, seq) VALUES (%(table)s, %(last)s)",
    ],
    "postgresql": ["SELECT setval(pg_get_serial_sequence(%(table)s, 'id'), %(last)s)"],
}


def last_given() -> dict[str, int]:
    """Return the last number that the database gave to a row, by the label of the table's model."""
    numbers = {}
    with connection.cursor() as cursor:
        for model in _numbered():
            cursor.execute(LAST_GIVEN[connection.vendor], [model._meta.db_table])
            row = cursor.fetchone()
            if row is not None and row[0] is not None:
                numbers[model._meta.label] = row[0]
    return numbers


def go_on_after(numbers: Mapping[str, int]) -> None:
    """Number new rows after these, after the rows that are here, and after those that are lost."""
    with connection.cursor() as cursor:
        for model in _numbered():
            highest = model._base_manager.aggregate(highest=Max("pk"))["highest"] or 0
            last = max(numbers.get(model._meta.label, 0), highest) + LOST
            for statement in GO_ON_AFTER[connection.vendor]:
                cursor.execute(statement, {"table": model._meta.db_table, "last": last})


def _numbered() -> Iterator[type[models.Model]]:
    """Yield the models of a whole site whose rows the database numbers."""
    for model in tables():
        if isinstance(model._meta.pk, models.AutoField):
            assert model._meta.pk.column == "id", model
            yield model
