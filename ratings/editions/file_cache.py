"""Cache of the PDF and XLSX files of long editions: written once, by a worker.

A hundred thousand lines take half a minute, longer than a request may. An edition never changes; what its files print beside
it may (names that members hide, the number of the erratum, the language), so all of that is part of
the file's name. A file that is no longer requested is replaced by the next one of its kind.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.utils.translation import get_language

from clubs.accounts.actor import Actor
from clubs.upkeep import jobs
from clubs.upkeep.models_jobs import Job
from ratings.editions import files as edition_files
from ratings.editions import freezing
from ratings.editions import pdf as edition_pdf
from ratings.ledger.models import Edition

LONG = 3000
"""Shorter editions are written on each request, in a second each."""
SLOW = ("pdf", "xlsx")
WRITERS = hashlib.sha256(
    b"".join(Path(str(module.__file__)).read_bytes() for module in (edition_files, edition_pdf))
).hexdigest()
"""Part of the key, because another release may change the layout."""


class BeingWritten(Exception):
    """A worker is asked for the file. `is_lost`: none has moved for a minute."""

    def __init__(self, *, is_lost: bool) -> None:
        super().__init__()
        self.is_lost = is_lost


def content(edition: Edition, extension: str, *, at: datetime) -> bytes:
    """Return the file's bytes; ask a worker for a long file that nobody has asked for yet.

    Raises BeingWritten until the worker is done.
    """
    if extension not in SLOW or len(edition.rows) < LONG:
        _kind, write = edition_files.FILES[extension]
        return write(edition, jobs.no_progress)
    kept = _path(edition, extension)
    # Not asked for first: a worker removes the file where it writes it anew.
    with suppress(FileNotFoundError):
        return kept.read_bytes()
    job = jobs.ask(
        organisation=edition.organisation,
        kind=Job.Kind.EDITION,
        target_id=_number_of(kept),
        given={"edition": edition.pk, "extension": extension},
        by=Actor.system("web"),
        at=at,
    )
    with suppress(FileNotFoundError):
        return kept.read_bytes()
    raise BeingWritten(is_lost=jobs.is_lost(job, at=at))


def write(edition: Edition, extension: str, progress: jobs.Progress) -> None:
    """Write the file in the current language, in place of the last of its kind."""
    kept = _path(edition, extension)
    part = kept.with_suffix(f".{os.getpid()}")
    kept.parent.mkdir(parents=True, exist_ok=True)
    written = edition_files.FILES[extension][1](edition, progress)
    for old in kept.parent.glob(f"{_kind_of(edition, extension)}-*"):
        old.unlink(missing_ok=True)
    part.write_bytes(written)
    part.replace(kept)


def _number_of(kept: Path) -> int:
    """Return a number for the file, so that one job at a time writes it."""
    return int(kept.stem.rpartition("-")[2][:15], 16)


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
