"""A copy that cannot be restored is found out before it is needed."""

from __future__ import annotations

import errno
import shutil
import subprocess
from datetime import timedelta
from pathlib import Path

import pytest
from celery import current_app

from clubs.archive import keeping, writing
from clubs.archive.tasks import archive_site
from clubs.upkeep import sweeps
from tests.clubhouse import NOW, make_club
from tests.migrated import kept_file
from tests.pairings.matches.test_photos import photographed


@pytest.fixture
def copies(settings, tmp_path):
    settings.ARCHIVE_DIR, settings.ARCHIVE_KEEP = tmp_path / "copies", 2


def restored():
    task = sweeps.states(at=NOW, after=sweeps.ALL_LATE_AFTER)[sweeps.RESTORE]
    return task.ended_at, task.late, task.failed_at


@pytest.fixture
def migrated_before(monkeypatch):
    """`migrate` has nothing left to do: from an empty file it takes nine seconds of processor."""
    run = subprocess.run

    def with_tables(command, *, env, **how):
        if "migrate" in command:
            shutil.copyfile(kept_file(), Path(env["DATA_DIR"], "club.sqlite3"))
        return run(command, env=env, **how)

    monkeypatch.setattr(subprocess, "run", with_tables)


@pytest.mark.django_db(transaction=True)
@pytest.mark.only_on("sqlite")
def test_the_newest_copy_is_restored_on_trial_beside_the_sites_photos(
    copies, migrated_before, settings, tmp_path, monkeypatch, caplog
):
    settings.MEDIA_ROOT = tmp_path / "media"
    monkeypatch.setenv("MEDIA_ROOT", str(settings.MEDIA_ROOT))
    assert not keeping.try_newest(at=NOW)  # there is none yet
    _match, name = photographed(make_club("faizers", size=2))
    path = keeping.make(at=NOW)
    assert path is not None
    path.write_bytes(path.read_bytes()[:-40])
    assert not keeping.try_newest(at=NOW)
    assert "cannot be restored" in caplog.text
    assert restored() == (None, False, NOW)
    keeping.make(at=NOW + timedelta(minutes=1))
    photo = settings.MEDIA_ROOT / "sheets" / name
    photo.write_bytes(b"as it is now")
    later = NOW + timedelta(minutes=2)
    assert keeping.try_newest(at=later)
    assert restored() == (later, False, None)
    assert photo.read_bytes() == b"as it is now"


@pytest.mark.django_db
def test_a_trial_that_breaks_off_is_a_failed_one(copies, monkeypatch):
    sweeps.note(sweeps.RESTORE, at=NOW - timedelta(days=7))
    (keeping.folder() / "site-20261101-000000.zip").write_bytes(b"")

    def full(path):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(keeping, "open_archive", full)
    with pytest.raises(OSError, match="No space"):
        keeping.try_newest(at=NOW)
    assert restored() == (NOW - timedelta(days=7), False, NOW)


@pytest.mark.django_db
def test_a_copy_that_could_not_be_made_is_said_the_same_day(copies, settings, tmp_path):
    def state():
        task = sweeps.states(at=NOW, after=sweeps.ALL_LATE_AFTER)[sweeps.ARCHIVE]
        return task.ended_at, task.failed_at

    (tmp_path / "copies").touch()
    with pytest.raises(OSError, match="exists"):
        keeping.make(at=NOW)
    assert state() == (None, NOW)
    settings.ARCHIVE_DIR = tmp_path / "elsewhere"
    tomorrow = NOW + timedelta(days=1)
    keeping.make(at=tomorrow)
    assert state() == (tomorrow, None)


@pytest.mark.django_db
@pytest.mark.parametrize(("full", "made"), [(3, True), (4, False)])
def test_a_copy_that_fails_is_tried_three_times_more(copies, monkeypatch, caplog, full, made):
    usual, tries = writing.write, []

    def write(path, *, at):
        tries.append(at)
        if len(tries) <= full:
            raise OSError(errno.ENOSPC, "No space left on device")
        return usual(path, at=at)

    monkeypatch.setattr(writing, "write", write)
    usually = current_app.conf.task_eager_propagates
    current_app.conf.task_eager_propagates = False  # as a worker
    try:
        ended = archive_site.apply()
    finally:
        current_app.conf.task_eager_propagates = usually
    assert (ended.state == "SUCCESS", len(tries)) == (made, 4)
    assert (len(keeping.kept()) == 1) is made
    assert caplog.text.count("archive could not be written") == full


@pytest.mark.django_db
def test_a_site_that_keeps_copies_and_has_none_has_failed(copies, settings):
    settings.ARCHIVE_KEEP = 0
    assert not keeping.try_newest(at=NOW)
    assert restored() == (None, True, None)
    settings.ARCHIVE_KEEP = 1
    assert not keeping.try_newest(at=NOW)
    assert restored() == (None, False, NOW)
