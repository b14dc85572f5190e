"""Writing an archive while the site runs: one moment of the database, in one transaction that reads."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.db import connection, models
from django.db.migrations.recorder import MigrationRecorder

from clubs.accounts.models import User
from clubs.archive import numbers
from clubs.archive.format import MANIFEST, ArchivedTable, Manifest, encode, rows_name
from clubs.archive.scope import Rows, references, slices, tables
from clubs.journal.models import JournalHead
from clubs.members.models import Member
from clubs.organisations.models import Organisation
from clubs.registries import ARCHIVED_FILES
from clubs.upkeep.jobs import Progress, no_progress
from clubs.upkeep.models_jobs import Job

STEP = 100
"""Rows between two reports of the progress."""


def write(
    path: Path,
    *,
    at: datetime,
    organisation: Organisation | None = None,
    progress: Progress = no_progress,
) -> Manifest:
    """Write a whole site, or one organisation, to a file that appears when it is complete.

    `progress` gets how many of an organisation's rows are written.
    """
    making = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with reading(), ZipFile(making, "w", ZIP_DEFLATED) as archive:
            os.chmod(making, 0o600)
            manifest = _fill(archive, at, organisation, progress)
        with open(making, "rb") as whole:
            os.fsync(whole.fileno())  # where the power fails, no name without its content
        making.replace(path)
    finally:
        making.unlink(missing_ok=True)
    return manifest


@contextmanager
def reading() -> Iterator[None]:
    """See one moment of the database and hold nobody up: SQLite's and PostgreSQL's own snapshot."""
    begin = {
        "sqlite": "BEGIN",
        "postgresql": "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY",
    }[connection.vendor]
    if connection.in_atomic_block:  # a caller's transaction (a test's): it sees one moment already
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute(begin)
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ROLLBACK")


def _fill(
    archive: ZipFile, at: datetime, organisation: Organisation | None, progress: Progress
) -> Manifest:
    manifest = Manifest(
        made_at=at.isoformat(),
        site_version=settings.SITE_VERSION,
        organisation=organisation.slug if organisation else "",
        schema=schema(),
        numbers=numbers.last_given(),
    )
    scope = Rows(organisation, progress) if organisation else None
    files: set[Path] = set()
    done, total = 0, scope.count() if scope else 0
    for model in tables(of_a_club=organisation is not None):
        table = _table(archive, model, scope, files, partial(_report, progress, done, total))
        manifest.tables[model._meta.label] = table
        done += table.rows
    for file in sorted(files):
        name = f"media/{file.relative_to(settings.MEDIA_ROOT).as_posix()}"
        try:
            content = file.read_bytes()
        except FileNotFoundError:  # deleted since its row was read: by the night, or a forgetting
            continue
        archive.writestr(name, content)
        manifest.files[name] = hashlib.sha256(content).hexdigest()
    heads = JournalHead.objects.select_related("organisation").order_by("pk")
    for head in heads if organisation is None else heads.filter(pk=organisation.pk):
        manifest.heads[head.organisation.slug] = [head.seq, head.hash]
    written = manifest.to_bytes()
    archive.writestr(MANIFEST, written)
    archive.comment = hashlib.sha256(written).hexdigest().encode()
    return manifest


def _report(progress: Progress, before: int, total: int, rows: int) -> None:
    progress(before + rows, total)


def schema() -> dict[str, str]:
    """Return the last migration of each app, by name."""
    last_migrations: dict[str, str] = {}
    for app, name in sorted(MigrationRecorder(connection).applied_migrations()):
        last_migrations[app] = max(last_migrations.get(app, ""), name)
    return last_migrations


def _table(
    archive: ZipFile,
    model: type[models.Model],
    scope: Rows | None,
    files: set[Path],
    progress: Callable[[int], None],
) -> ArchivedTable:
    columns: list[Any] = list(model._meta.concrete_fields)
    digest, count = hashlib.sha256(), 0
    path_of = ARCHIVED_FILES.get(model._meta.label)
    with archive.open(rows_name(model._meta.label), "w", force_zip64=True) as part:
        for row in _rows(model, scope):
            line = (encode(row, columns) + "\n").encode()
            digest.update(line)
            part.write(line)
            count += 1
            if count % STEP == 0:
                progress(count)
            if path_of is not None and (file := path_of(row)) is not None:
                files.add(file)
    return ArchivedTable([column.attname for column in columns], count, digest.hexdigest())


def _rows(model: type[models.Model], scope: Rows | None) -> Iterator[models.Model]:
    rows = model._base_manager.order_by("pk")
    if scope is None:
        yield from rows.iterator(chunk_size=1000)
        return
    for within in slices(scope.keys[model]):  # not the rows of every other club too
        for row in rows.filter(pk__in=within):
            yield _of_a_club(row, scope)


def _of_a_club(row: models.Model, scope: Rows) -> models.Model:
    """Return the row as it leaves: without what refers to other organisations, without credentials."""
    for column in references(type(row)):
        value = getattr(row, column.attname)
        if column.null and value is not None and not scope.has(column, value):
            setattr(row, column.attname, None)
    if isinstance(row, Member):
        row.pin_hash = ""  # four digits are soon tried; each member chooses new ones
    elif isinstance(row, User):
        row.password = make_password(None)
        for right in ("is_staff", "is_superuser"):
            setattr(row, right, False)
        if row.pk not in scope.members_accounts:
            row.email, row.is_active = f"account-{row.pk}@invalid", False
            row.language, row.theme, row.last_login = "fr", "auto", None
    elif isinstance(row, Job) and row.is_open:
        row.state, row.ended_at = Job.State.CANCELLED, row.asked_at  # among them: this archive
    return row
