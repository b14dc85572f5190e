"""Copies that the site makes by itself: one a day, the oldest removed; one restored every week."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import tempfile
from datetime import datetime
from pathlib import Path

from django.conf import settings

from clubs.archive import writing
from clubs.archive.format import ArchiveRefused, open_archive
from clubs.upkeep import sweeps

log = logging.getLogger(__name__)
TRIAL_S = 800
"""Seconds that a restore on trial may take; the worker's own limit is above."""


def folder() -> Path:
    path = Path(settings.ARCHIVE_DIR)
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def kept() -> list[Path]:
    """Return the archives of the whole site that the site made by itself, the newest last."""
    return sorted(folder().glob("site-*.zip"))


def make(*, at: datetime) -> Path | None:
    """Write today's archive and remove the oldest beyond ARCHIVE_KEEP; None where it is 0."""
    if not settings.ARCHIVE_KEEP:
        return None
    path = folder() / f"site-{at:%Y%m%d-%H%M%S}.zip"
    writing.write(path, at=at)
    for old in kept()[: -settings.ARCHIVE_KEEP]:
        old.unlink()
    sweeps.note(sweeps.ARCHIVE, at=at)
    return path


def try_newest(*, at: datetime) -> bool:
    """Restore the newest archive into a database of its own and verify it; False with an error logged.

    In a process of its own, on SQLite in a temporary folder: nothing of this site is touched.
    """
    found = kept()
    if not found:
        return False
    try:
        open_archive(found[-1])[0].close()
    except ArchiveRefused as refused:
        log.error("the archive %s cannot be restored: %s", found[-1].name, refused)
        return False
    with tempfile.TemporaryDirectory(prefix="club-restore-") as data:
        own = {"DATA_DIR": data, "DATABASE_URL": "", "REDIS_URL": "", "SITE_ENV": ""}
        for command in (["migrate", "-v", "0"], ["restore", str(found[-1])]):
            done = subprocess.run(
                [sys.executable, "manage.py", *command],
                cwd=settings.BASE_DIR,
                env={**os.environ, **own},
                capture_output=True,
                text=True,
                check=False,
                timeout=TRIAL_S,
            )
            if done.returncode:
                log.error(
                    "the archive %s cannot be restored: %s", found[-1].name, done.stderr[-500:]
                )
                return False
    sweeps.note(sweeps.RESTORE, at=at)
    return True
