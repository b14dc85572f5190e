"""Restoring an archive into an empty site: every row as it was, then every chain verified."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import DatabaseError, OperationalError, models, transaction

from clubs.accounts.models import User
from clubs.archive import numbers
from clubs.archive.format import (
    ANOTHER,
    ArchiveRefused,
    Manifest,
    decode,
    lines,
    open_archive,
)
from clubs.archive.scope import tables
from clubs.archive.writing import schema
from clubs.journal import chain
from clubs.organisations.models import Organisation
from clubs.upkeep import doctor

BATCH = 500
NO_VALUES = (
    ValidationError,
    OverflowError,
    RecursionError,
    ValueError,
    TypeError,
    AttributeError,
)
"""What values that no site wrote raise; a database refuses the rest itself."""


def restore(path: Path, *, then: Callable[[], None] | None = None) -> Manifest:
    """Write the rows and files of an archive into an empty, migrated site. Raises ArchiveRefused.

    One transaction, with what `then` does to the rows: an archive whose chain does not hold, or
    whose files find no room, leaves the site empty.
    """
    archive, manifest = open_archive(path)
    with archive:
        _check_schema(manifest)
        try:
            with transaction.atomic():
                _write_all(archive, manifest)
                if then is not None:
                    then()
        except OperationalError as full:
            raise ArchiveRefused(f"The database cannot take the rows: {full}") from full
        except DatabaseError as broken:
            raise ArchiveRefused(f"The rows do not fit together: {broken}") from broken
        except OSError as full:
            raise ArchiveRefused(f"The files cannot be written: {full}") from full
    return manifest


def _write_all(archive: ZipFile, manifest: Manifest) -> None:
    if Organisation.objects.exists() or User.objects.exists():
        raise ArchiveRefused(
            "This site is not empty: an archive is restored into a new one. Give another DATA_DIR, and "
            "DATABASE_URL if there is one, and run `manage.py migrate` first."
        )
    try:
        _write_rows(archive, manifest)
        _check_chains(manifest)
        write_files(archive, manifest)
    except NO_VALUES as bad:
        raise ArchiveRefused(f"The archive is damaged ({bad}): {ANOTHER}") from bad


def _check_schema(manifest: Manifest) -> None:
    if doctor.waiting_migrations():
        raise ArchiveRefused("This site lacks tables: run `manage.py migrate` first.")
    current_schema = schema()
    other = sorted(
        app
        for app in {*current_schema, *manifest.schema}
        if current_schema.get(app) != manifest.schema.get(app)
    )
    if other:
        raise ArchiveRefused(
            f"The archive was made by version {manifest.site_version}; this is "
            f"{settings.SITE_VERSION}, whose tables differ ({', '.join(other)}). "
            "Restore it with the version that made it, then upgrade."
        )


def _write_rows(archive: ZipFile, manifest: Manifest) -> None:
    # Rows of one table refer to each other, and nullable columns to tables that come later: both
    # databases look at references when the transaction ends.
    for model in tables(of_a_club=bool(manifest.organisation)):
        table = manifest.tables.get(model._meta.label)
        if table is None:
            raise ArchiveRefused(f"The archive has no rows of {model._meta.label}.")
        columns = [_column(model, name) for name in table.columns]
        count = 0
        with closing(lines(archive, model._meta.label)) as read:
            for batch in _batches(model(**decode(line, columns)) for line in read):
                model._base_manager.bulk_create(batch)
                count += len(batch)
        if count != table.rows:
            raise ArchiveRefused(f"{model._meta.label}: {count} rows of {table.rows}.")
    numbers.go_on_after(manifest.numbers)


def _column(model: type[models.Model], name: str) -> Any:
    for column in model._meta.concrete_fields:
        if column.attname == name:
            return column
    raise ArchiveRefused(f"The archive has a column that is not here: {model._meta.label} {name}.")


def _batches(rows: Iterator[Any]) -> Iterator[list[Any]]:
    while batch := list(islice(rows, BATCH)):
        yield batch


def _check_chains(manifest: Manifest) -> None:
    for organisation in Organisation.objects.order_by("pk"):
        breach = next(iter(chain.verify(organisation)), None)
        if breach is not None:
            raise ArchiveRefused(f"{breach.organisation}: row {breach.seq}: {breach.what}")
        head = list(chain.head_of(organisation))
        if organisation.slug in manifest.heads and head != manifest.heads[organisation.slug]:
            raise ArchiveRefused(f"{organisation.slug}: the journal ends elsewhere than it did.")


def write_files(archive: ZipFile, manifest: Manifest) -> None:
    for name in manifest.files:
        path = Path(settings.MEDIA_ROOT) / name.removeprefix("media/")
        path.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(name) as part, path.open("wb") as file:
            shutil.copyfileobj(part, file)
