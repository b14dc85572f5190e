"""The file of an archive: a ZIP of rows, files and a manifest that says what belongs in it.

`rows/<app>.<Model>.jsonl`: one JSON array a line, in the order of the primary key, with the values of
the columns that the manifest names. A value is what Django's own serialisation writes
(`Field.value_to_string`): a moment with its microseconds, a number without rounding. `media/…` are
files that rows name. `manifest.json` has the digest of each of these, and the ZIP's comment has the
digest of the manifest: a byte that changed anywhere is noticed before a row is written.
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
import zlib
from collections.abc import Generator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any
from zipfile import BadZipFile, ZipFile

from django.db import models

NAME = "faizers-club-archive"
VERSION = 2
"""2: the manifest has the last number of each table."""
MANIFEST = "manifest.json"
MEDIA = re.compile(r"media/[a-z]+/[0-9A-Za-z][0-9A-Za-z._-]*")
CHUNK = 1 << 20
MAX_MANIFEST = MAX_LINE = 1 << 26
"""Bytes of the manifest, and of the line of one row, once unpacked."""
DAMAGED = (
    *(OSError, EOFError, BadZipFile, zlib.error, struct.error),
    *(NotImplementedError, RuntimeError, ValueError, LookupError, TypeError, AttributeError),
)
"""What zipfile, zlib and json raise on bytes that they cannot read."""

ANOTHER = "nothing was restored, take another copy."


class ArchiveRefused(Exception):
    """A file that is not a whole archive of this version; the words are for the operator."""


@dataclass
class ArchivedTable:
    """One model's rows: their columns, how many, and the digest of their lines."""

    columns: list[str]
    rows: int
    sha256: str


@dataclass
class Manifest:
    """What an archive holds. `organisation` is empty for a whole site.

    `schema` names the last migration of each app, `heads` the end of each organisation's chain,
    `numbers` the last number that each table gave to a row, also where the row is gone.
    """

    made_at: str
    site_version: str
    organisation: str
    schema: dict[str, str]
    tables: dict[str, ArchivedTable] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    heads: dict[str, list[object]] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    format: str = NAME
    version: int = VERSION

    def to_bytes(self) -> bytes:
        return json.dumps(asdict(self), indent=1, sort_keys=True, ensure_ascii=False).encode()


def encode(row: models.Model, columns: list[models.Field[Any, Any]]) -> str:
    """Return one line: the row's values in the order of the columns."""
    values = [
        None if column.value_from_object(row) is None else column.value_to_string(row)
        for column in columns
    ]
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def decode(line: str, columns: list[models.Field[Any, Any]]) -> dict[str, object]:
    """Return the values of a line by column, as a model takes them."""
    return {
        column.attname: None if value is None else column.to_python(value)
        for column, value in zip(columns, json.loads(line), strict=True)
    }


def rows_name(label: str) -> str:
    return f"rows/{label}.jsonl"


def open_archive(path: Path) -> tuple[ZipFile, Manifest]:
    """Open an archive and verify every byte of it. Raises ArchiveRefused."""
    try:
        archive = ZipFile(path)
    except OSError as bad:
        raise ArchiveRefused(f"{path} cannot be opened: {bad.strerror or bad}.") from bad
    except DAMAGED as bad:
        words = f"{path} is cut, or no archive ({bad}): {ANOTHER}"
        raise ArchiveRefused(words) from bad
    try:
        manifest = _manifest(archive)
        expected = {rows_name(label): table.sha256 for label, table in manifest.tables.items()}
        expected |= manifest.files
        if set(archive.namelist()) != {*expected, MANIFEST}:
            raise ArchiveRefused("The archive holds other parts than its manifest says.")
        for name, digest in expected.items():
            if not (name.startswith("rows/") or MEDIA.fullmatch(name)):
                raise ArchiveRefused(f"{name!r} is no part of an archive.")
            with archive.open(name) as part:
                if _digest(part) != digest:
                    raise ArchiveRefused(f"{name} was altered: {ANOTHER}")
    except (ArchiveRefused, *DAMAGED) as bad:
        archive.close()
        if isinstance(bad, ArchiveRefused):
            raise
        raise ArchiveRefused(f"The archive is damaged ({bad}): {ANOTHER}") from bad
    return archive, manifest


def _manifest(archive: ZipFile) -> Manifest:
    if archive.getinfo(MANIFEST).file_size > MAX_MANIFEST:
        raise ArchiveRefused(f"The manifest has more than {MAX_MANIFEST} bytes: {ANOTHER}")
    written = archive.read(MANIFEST)
    fields = json.loads(written)
    if fields.get("format") != NAME:
        raise ArchiveRefused("This is not an archive of a club's site.")
    if fields.get("version") != VERSION:
        raise ArchiveRefused(
            f"The archive has format {fields.get('version')}; this version reads {VERSION}. "
            f"It was made by version {fields.get('site_version')}: restore it with that one."
        )
    if hashlib.sha256(written).hexdigest().encode() != archive.comment:
        raise ArchiveRefused(f"The manifest was altered: {ANOTHER}")
    fields["schema"] = dict(fields["schema"].items())  # whatever is no mapping fails here
    fields["tables"] = {label: ArchivedTable(**table) for label, table in fields["tables"].items()}
    return Manifest(**fields)


def _digest(part: IO[bytes]) -> str:
    digest = hashlib.sha256()
    while block := part.read(CHUNK):
        digest.update(block)
    return digest.hexdigest()


def lines(archive: ZipFile, label: str) -> Generator[str, None, None]:
    """Yield the lines of a model's rows."""
    with archive.open(rows_name(label)) as part:
        while line := part.readline(MAX_LINE + 1):
            if len(line) > MAX_LINE:
                raise ArchiveRefused(f"A row of {label} has more than {MAX_LINE} bytes: {ANOTHER}")
            yield line.decode()
