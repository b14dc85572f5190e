"""Cache of the PDF and XLSX files of long editions: written once, by a worker.

A hundred thousand lines take half a minute, longer than a request may. An edition never changes; what its files print beside
it may (names that members hide, the number of the erratum, the language), so all of that is part of
the file's name. A file that is no longer requested is replaced by the next one of its kind.
"""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.utils.translation import get_language
from kombu.exceptions import OperationalError

from ratings.editions import files as edition_files
from ratings.editions import freezing
from ratings.editions import pdf as edition_pdf
from ratings.ledger.models import Edition

LONG = 3000
"""Shorter editions are written on each request, in a second each."""
SLOW = ("pdf", "xlsx")
ABANDONED = timedelta(minutes=5)
WRITERS = hashlib.sha256(
    b"".join(Path(str(module.__file__)).read_bytes() for module in (edition_files, edition_pdf))
).hexdigest()
"""Part of the key, because another release may change the layout."""


class BeingWritten(Exception):
    """A worker is writing the file."""


class NobodyWrites(Exception):
    """No worker can be asked for the file now."""


def content(edition: Edition, extension: str, *, at: datetime) -> bytes:
    """Return the file's bytes; ask a worker for a long file that nobody has asked for yet.

    Raises BeingWritten until the worker is done, NobodyWrites when it cannot be asked.
    """
    if extension not in SLOW or len(edition.rows) < LONG:
        _kind, write = edition_files.FILES[extension]
        return write(edition)
    kept = _path(edition, extension)
    if not kept.exists():
        _ask(edition, extension, kept.with_suffix(".part"), at)
    if not kept.exists():
        raise BeingWritten
    return kept.read_bytes()


def _ask(edition: Edition, extension: str, part: Path, at: datetime) -> None:
    from ratings.editions import tasks

    part.parent.mkdir(parents=True, exist_ok=True)
    _take(part, at)
    asked = [edition.pk, extension, get_language()]
    try:
        tasks.write_edition_file.apply_async(args=asked, retry=False)
    except (OperationalError, OSError) as unreachable:
        part.unlink(missing_ok=True)
        raise NobodyWrites from unreachable


def write(edition: Edition, extension: str) -> None:
    """Write the file in the current language, in place of the last of its kind."""
    kept = _path(edition, extension)
    part = kept.with_suffix(".part")
    kept.parent.mkdir(parents=True, exist_ok=True)
    try:
        part.write_bytes(edition_files.FILES[extension][1](edition))
        for old in kept.parent.glob(f"{_kind_of(edition, extension)}-*.{extension}"):
            old.unlink(missing_ok=True)
        part.replace(kept)
    finally:
        part.unlink(missing_ok=True)


def _take(part: Path, at: datetime) -> None:
    """Take the lock for this file; a lock left by a dead process expires."""
    try:
        if at.timestamp() - part.stat().st_mtime > ABANDONED.total_seconds():
            part.unlink(missing_ok=True)
    except FileNotFoundError:
        pass
    try:
        part.touch(exist_ok=False)
    except FileExistsError as other:
        raise BeingWritten from other


def _kind_of(edition: Edition, extension: str) -> str:
    return f"{edition.pk}-{get_language()}-{extension}"


def _path(edition: Edition, extension: str) -> Path:
    mended = edition.errata.values_list("number", flat=True).first()
    members = [row["member"] for row in edition.rows]
    names = sorted(freezing.names_of(edition, members).items())
    file_key = repr((edition.sha256, mended, names, WRITERS))
    digest = hashlib.sha256(file_key.encode()).hexdigest()[:32]
    folder = Path(settings.MEDIA_ROOT) / "editions"
    return folder / f"{_kind_of(edition, extension)}-{digest}.{extension}"
