"""The committee reads what the site does by itself and takes its club's archive; daily copies."""

from __future__ import annotations

import os
import tempfile
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command

from clubs.archive import downloads, keeping, writing
from clubs.archive.format import open_archive
from clubs.journal.models import JournalEntry
from clubs.personal_data.models import PrivacySettings
from clubs.upkeep import sweeps
from tests.clubhouse import NOW, make_club

STATE, ARCHIVE = "/c/faizers/gestion/etat/", "/c/faizers/gestion/etat/archive/"
DESK = "/c/faizers/gestion/"


@pytest.mark.django_db
def test_the_committee_reads_when_each_task_ended(club, as_user):
    sweeps.note("journal", at=club.at)
    sweeps.note(sweeps.ARCHIVE, at=club.at - timedelta(days=3))
    page = as_user(club.committee.user).get(STATE).content.decode()
    words = " ".join(page.split())
    assert words.count("à l’heure") == 1
    assert words.count("en retard") == 2  # one, and the sentence below
    assert page.count("tag--warn") == 1  # as clear as a failure
    assert words.count("pas encore fait sur ce site") == len(sweeps.ALL_LATE_AFTER) - 2


@pytest.mark.django_db
@pytest.mark.parametrize("before", [None, timedelta(days=7)], ids=["never", "a week ago"])
def test_a_failed_trial_is_said_until_one_succeeds(club, as_user, before):
    if before is not None:
        sweeps.note(sweeps.RESTORE, at=club.at - before)
    sweeps.fail(sweeps.RESTORE, at=club.at)
    desk = as_user(club.committee.user)
    row = words_of(desk, STATE).partition(">Essai de restauration<")[2].partition("</li>")[0]
    assert "échec le 20 novembre 2026" in row and "tag--bad" in row
    assert ("fini le 13 novembre 2026" in row) == (before is not None)
    assert "à l’heure" not in row and "pas encore fait" not in row
    for page in (STATE, DESK):
        assert "La dernière archive du site ne se restaure pas." in words_of(desk, page)
    sweeps.note(sweeps.RESTORE, at=club.at + timedelta(days=7))
    for page in (STATE, DESK):
        assert "notice--bad" not in words_of(desk, page)


@pytest.mark.django_db
def test_a_committee_that_wants_no_code_of_the_journal_by_mail_is_promised_none(club, as_user):
    desk = as_user(club.committee.user)
    promised = "Le comité le reçoit par e-mail à chaque publication"
    assert promised in words_of(desk, STATE)
    PrivacySettings.objects.create(organisation=club.organisation, heads_by_mail=False)
    words = words_of(desk, STATE)
    assert promised not in words and "choisi de ne pas le recevoir par e-mail" in words


def words_of(desk, page):
    return " ".join(desk.get(page).content.decode().split())


@pytest.mark.django_db(transaction=True)
def test_the_committee_takes_the_archive_and_the_journal_keeps_it(club, as_user, tmp_path):
    make_club("voisins", size=2)
    answer = as_user(club.committee.user).post(ARCHIVE)
    file = tmp_path / "taken.zip"
    file.write_bytes(answer.content)
    assert answer["Content-Disposition"].startswith('attachment; filename="faizers-')
    archive, manifest = open_archive(file)
    archive.close()
    assert manifest.organisation == "faizers" and list(manifest.heads) == ["faizers"]
    entry = JournalEntry.objects.filter(verb="archive_taken").get()
    assert entry.actor == club.committee.user
    assert manifest.heads["faizers"][0] == entry.seq


@pytest.mark.django_db
def test_the_sixth_archive_of_a_day_waits(club, as_user):
    desk = as_user(club.committee.user)
    for _time in range(5):
        assert desk.post(ARCHIVE).status_code == 200
    assert desk.post(ARCHIVE).status_code == 429
    assert JournalEntry.objects.filter(verb="archive_taken").count() == 5


@pytest.fixture
def copies(settings, tmp_path):
    settings.ARCHIVE_DIR, settings.ARCHIVE_KEEP = tmp_path / "copies", 2


@pytest.mark.django_db(transaction=True)
def test_the_newest_copies_are_kept(copies, settings):
    make_club("faizers", size=2)
    made = [keeping.make(at=NOW + timedelta(days=day)) for day in range(4)]
    assert keeping.kept() == made[2:]
    settings.ARCHIVE_KEEP = 0
    assert keeping.make(at=NOW + timedelta(days=9)) is None
    assert keeping.kept() == made[2:]


@pytest.mark.django_db
def test_what_a_killed_worker_was_writing_is_removed_the_day_after(settings, tmp_path):
    settings.ARCHIVE_DIR, settings.ARCHIVE_KEEP = tmp_path, 2
    left, running = (tmp_path / f".site-2026110{day}-040000.zip.7" for day in (1, 2))
    for path, hours in ((left, 25), (running, 1)):
        path.write_bytes(b"rows of people")
        written = (NOW - timedelta(hours=hours)).timestamp()
        os.utime(path, (written, written))
    made = keeping.make(at=NOW)
    assert sorted(tmp_path.iterdir()) == sorted([running, made])


@pytest.mark.django_db
def test_the_archive_of_a_page_that_was_killed_is_removed_the_day_after(
    club, as_user, settings, tmp_path, monkeypatch
):
    """A web process has a /tmp of its own, which no worker reads."""
    settings.DATA_DIR, usual = tmp_path, writing.write

    def write(path, **asked):
        usual(path, **asked)
        os.link(path, path.with_suffix(".killed"))

    monkeypatch.setattr(writing, "write", write)
    answer = as_user(club.committee.user).post(ARCHIVE)
    assert answer["Content-Type"] == "application/zip" and answer.content.startswith(b"PK")
    (left,) = tmp_path.rglob("*.killed")
    assert list(left.parent.iterdir()) == [left] and left.parent.stat().st_mode & 0o077 == 0
    os.utime(left, (NOW.timestamp(), NOW.timestamp()))
    assert [downloads.expire(at=NOW + timedelta(hours=hours)) for hours in (23, 25)] == [0, 1]


@pytest.mark.django_db
def test_folders_of_a_killed_trial_are_removed_the_day_after(settings, tmp_path, monkeypatch):
    """Each holds the rows of people of the whole site."""
    settings.ARCHIVE_DIR, settings.ARCHIVE_KEEP = tmp_path / "copies", 2
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ages = {"club-restore-a": 25, "club-restore-b": 1, "club-elsewhere": 25}
    for name, hours in ages.items():
        (tmp_path / name / "media").mkdir(parents=True)
        (tmp_path / name / "club.sqlite3").write_bytes(b"rows of people")
        written = (NOW - timedelta(hours=hours)).timestamp()
        os.utime(tmp_path / name, (written, written))
    keeping.make(at=NOW)
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"club-restore-b", "club-elsewhere", "copies"}


@pytest.mark.django_db
def test_what_a_killed_worker_was_writing_gives_its_room_to_the_next_archive(
    settings, tmp_path, monkeypatch
):
    settings.ARCHIVE_DIR, settings.ARCHIVE_KEEP = tmp_path, 2
    left = tmp_path / ".site-20261101-040000.zip.7"
    left.write_bytes(b"rows of people")
    os.utime(left, (0, 0))

    def write(path, *, at):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing, "write", write)
    with pytest.raises(OSError, match="No space"):
        keeping.make(at=NOW)
    assert not left.exists()


@pytest.mark.parametrize("file", ["", "/"])
def test_an_archive_without_the_name_of_a_file_is_refused(file):
    with pytest.raises(CommandError, match="name a file, not a folder"):
        call_command("archive", file)
