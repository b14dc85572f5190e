"""Copies that the site makes by itself: one a day, the oldest removed; one restored every week."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings

from clubs.archive import writing
from clubs.archive.format import ArchiveRefused, open_archive
from clubs.upkeep import sweeps

log = logging.getLogger(__name__)
TRIAL = "club-restore-"
TRIAL_S = 800
"""Seconds that each step of a restore on trial may take: the worker, of threads, ends no task itself."""

OVER = timedelta(days=1)
"""A file that nobody has written to for so long belongs to no worker any more."""


def folder() -> Path:
    path = Path(settings.ARCHIVE_DIR)
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def kept() -> list[Path]:
    """Return the archives of the whole site that the site made by itself, the newest last."""
    return sorted(folder().glob("site-*.zip"))


def _remove_left_behind(at: datetime) -> None:
    """Remove what processes that were killed left: it is as large as an archive, with people in it."""
    temporary = Path(tempfile.gettempdir())
    for path in (*folder().glob(".site-*.zip.*"), *temporary.glob(f"{TRIAL}*")):
        with suppress(FileNotFoundError):
            if path.stat().st_mtime >= (at - OVER).timestamp():
                continue
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)  # of another account's site, perhaps
            else:
                path.unlink()


def make(*, at: datetime) -> Path | None:
    """Write today's archive and remove the oldest beyond ARCHIVE_KEEP; None where it is 0.

    Where it fails (the disk is full, the folder is not ours) that is recorded.
    """
    if not settings.ARCHIVE_KEEP:
        return None
    made = False
    try:
        _remove_left_behind(at)  # first: it may be what fills the disk
        path = folder() / f"site-{at:%Y%m%d-%H%M%S}.zip"
        writing.write(path, at=at)
        for old in kept()[: -settings.ARCHIVE_KEEP]:
            old.unlink()
        made = True
    finally:
        sweeps.end(sweeps.ARCHIVE, at=at, whole=made)
    return path


def try_newest(*, at: datetime) -> bool:
    """Restore the newest archive on trial; False where it failed, logged as an error and recorded."""
    archives = kept()
    if not archives and not settings.ARCHIVE_KEEP:
        return False
    works = False
    try:
        if archives:
            works = restores(archives[-1])
        else:
            log.error("no archive in %s to restore on trial", folder())
    finally:  # also where the disk is full or the time is over
        sweeps.end(sweeps.RESTORE, at=at, whole=works)
    return works


def restores(path: Path) -> bool:
    """Return whether an archive can be restored into a database of its own and verified.

    In a process of its own, on SQLite in a temporary folder: nothing of this site is touched.
    """
    try:
        open_archive(path)[0].close()
    except ArchiveRefused as refused:
        log.error("the archive %s cannot be restored: %s", path.name, refused)
        return False
    with tempfile.TemporaryDirectory(prefix=TRIAL) as data:
        others = ("MEDIA_ROOT", "DATABASE_URL", "REDIS_URL", "SITE_ENV")
        environment = {"DATA_DIR": data, **dict.fromkeys(others, "")}
        for command in (["migrate", "-v", "0"], ["restore", str(path)]):
            done = subprocess.run(
                [sys.executable, "manage.py", *command],
                cwd=settings.BASE_DIR,
                env={**os.environ, **environment},
                capture_output=True,
                text=True,
                check=False,
                timeout=TRIAL_S,
            )
            if done.returncode:
                log.error("the archive %s cannot be restored: %s", path.name, done.stderr[-500:])
                return False
    return True
