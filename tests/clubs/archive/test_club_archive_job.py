"""A worker writes the archive of a large club; its committee follows it and has a day to take it."""

from __future__ import annotations

import io
import os
import stat
from datetime import timedelta

import pytest
import time_machine

from clubs.archive import downloads, numbers, writing
from clubs.archive.format import lines, open_archive
from clubs.archive.scope import Rows, count_rows
from clubs.journal.models import JournalEntry
from clubs.tasks import archive_club, expire_downloads
from clubs.upkeep import jobs, sweeps
from clubs.upkeep.models_jobs import Job
from pairings.matches.actions import submit
from tests.clubhouse import NOW, make_club
from tests.pages import words
from tests.rows_read import rows_read

STATE, PAGE = "/c/faizers/gestion/etat/", "/c/faizers/gestion/etat/archive/"
TAKE = {"file": "1"}

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _every_club_is_large(monkeypatch, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(downloads, "LONG", 20)
    monkeypatch.setattr(writing, "STEP", 5)


def ask(desk) -> Job:
    assert desk.post(PAGE)["Location"] == PAGE
    return Job.objects.get(kind=Job.Kind.ARCHIVE, state__in=Job.OPEN)


def asked_and_written(desk) -> Job:
    job = ask(desk)
    assert archive_club(job.pk) == Job.State.DONE
    job.refresh_from_db()
    return job


def taken(desk) -> bytes:
    answer = desk.post(PAGE, TAKE)
    assert answer["Content-Type"] == "application/zip"
    return b"".join(answer.streaming_content)


def status_of_taking(desk) -> int:
    answer = desk.post(PAGE, TAKE)
    if answer.streaming:  # its file is closed after the last block
        b"".join(answer.streaming_content)
    return answer.status_code


def verbs() -> list[str]:
    entries = JournalEntry.objects.filter(verb__startswith="archive_").order_by("seq")
    return list(entries.values_list("verb", flat=True))


def test_the_committee_asks_follows_and_takes_it(club, desk, tmp_path):
    job = ask(desk)
    assert 'hx-get="?etat=1"' in desk.get(PAGE).content.decode()
    assert archive_club(job.pk) == Job.State.DONE
    page = words(desk.get(PAGE))
    assert "L’archive du 20 novembre 2026, 20:00 est prête" in page
    assert "jusqu’au 21 novembre, 20:00" in page
    assert "L’archive demandée le 20 novembre 2026" in words(desk.get(STATE))
    archive, manifest = open_archive(io.BytesIO(taken(desk)))
    assert manifest.organisation == "faizers"
    (row,) = lines(archive, "clubs.Job")
    assert '"cancelled"' in row  # no worker of another site has it in hand
    assert verbs() == ["archive_asked", "archive_taken"]


def test_another_of_the_committee_may_take_it_and_is_noted(club, desk, as_user):
    from clubs.accounts.actor import Actor
    from clubs.members import actions as members
    from clubs.members.models import RoleGrant

    asked_and_written(desk)
    second = club.members[0]
    members.grant(member=second, role=RoleGrant.COMMITTEE, by=Actor.system("test"), at=NOW)
    assert taken(as_user(second.user))
    assert JournalEntry.objects.get(verb="archive_taken").actor == second.user


def test_nobody_else_is_given_it(club, desk, as_user, other_club):
    asked_and_written(desk)
    others = (None, club.members[0].user, club.arbiter.user, other_club.committee.user)
    for user in others:
        assert as_user(user).post(PAGE, TAKE).status_code in (302, 403, 404)
        assert as_user(user).get(PAGE).status_code in (302, 403, 404)
    own = as_user(other_club.committee.user)
    assert own.post("/c/voisins/gestion/etat/archive/", TAKE).status_code == 302
    assert "est prête" not in words(own.get("/c/voisins/gestion/etat/archive/"))
    assert verbs() == ["archive_asked"]


def test_the_file_is_of_the_sites_account_alone(desk):
    asked_and_written(desk)
    (path,) = downloads.folder().iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("seconds", "offered"), [(-1, True), (0, False), (1, False)], ids=["before", "at", "after"]
)
def test_its_day_has_24_hours(desk, seconds, offered):
    asked_and_written(desk)
    with time_machine.travel(NOW + timedelta(hours=24, seconds=seconds), tick=False):
        assert ("est prête" in words(desk.get(PAGE))) is offered
        assert (status_of_taking(desk) == 200) is offered


@pytest.mark.parametrize(("hours", "gone"), [(23, 0), (25, 2)])
def test_every_hour_what_is_a_day_old_is_deleted(hours, gone):
    """Also what a killed worker left half written. A file's time is that of the disk."""
    downloads.folder().mkdir()
    for name in ("1-1.zip", ".1-2.zip.4711"):
        file = downloads.folder() / name
        file.write_bytes(b"PK")
        os.utime(file, (NOW.timestamp(), NOW.timestamp()))
    with time_machine.travel(NOW + timedelta(hours=hours), tick=False):
        expire_downloads()
    assert len(list(downloads.folder().iterdir())) == 2 - gone


def test_a_removal_that_fails_is_said_until_one_succeeds(monkeypatch):
    """Archives with the data of people would stay, and nobody would hear of it."""

    def state():
        task = sweeps.states(at=NOW, after=sweeps.ALL_LATE_AFTER)[sweeps.DOWNLOADS]
        return task.ended_at, task.failed_at

    def refused(*, at):
        raise PermissionError(13, "Permission denied")

    later = NOW + timedelta(hours=1)
    with time_machine.travel(NOW, tick=False), monkeypatch.context() as patch:
        patch.setattr(downloads, "expire", refused)
        expire_downloads()
    assert state() == (None, NOW)
    with time_machine.travel(later, tick=False):
        expire_downloads()
    assert state() == (later, None)


def test_a_new_archive_replaces_the_last(desk):
    first, second = asked_and_written(desk), asked_and_written(desk)
    (path,) = downloads.folder().iterdir()
    assert first.pk != second.pk and path.name.endswith(f"-{second.pk}.zip")


def test_cancelled_while_it_is_written_it_leaves_no_file(desk, monkeypatch):
    job, seen = ask(desk), []
    real = jobs.progress_of

    def steps(of: Job) -> jobs.Progress:
        report = real(of)

        def step(done: int, total: int) -> None:
            if done >= 20 and not seen:
                seen.append(words(desk.get(f"{PAGE}?etat=1")))
                desk.post(PAGE, {"act": "annuler"})
            report(done, total)

        return step

    monkeypatch.setattr(jobs, "progress_of", steps)
    assert archive_club(job.pk) == Job.State.CANCELLED
    assert len(seen) == 1 and " sur " in seen[0]
    assert list(downloads.folder().iterdir()) == []
    assert "Annulé : rien n’a changé." in words(desk.get(PAGE))
    assert desk.post(PAGE, TAKE).status_code == 302


def end_while_it_is_written(job, state, monkeypatch):
    """Let somebody else end the job when its worker has just written the file."""
    write = downloads.write

    def slow(of, **options):
        write(of, **options)
        Job.objects.filter(pk=job.pk).update(state=state, ended_at=NOW)

    monkeypatch.setattr(downloads, "write", slow)


def test_cancelled_at_its_very_end_it_is_offered_to_nobody(desk, monkeypatch):
    """The row alone says so: the worker that was thought lost finds it at its end."""
    job = ask(desk)
    end_while_it_is_written(job, Job.State.CANCELLED, monkeypatch)
    assert archive_club(job.pk) == Job.State.CANCELLED
    assert desk.post(PAGE, TAKE).status_code == 302
    assert list(downloads.folder().iterdir()) == []


def test_a_slow_worker_leaves_the_file_that_another_has_ended(desk, monkeypatch):
    job = ask(desk)
    end_while_it_is_written(job, Job.State.DONE, monkeypatch)
    assert archive_club(job.pk) == Job.State.DONE
    assert status_of_taking(desk) == 200


def test_two_that_ask_follow_one_job(club, desk):
    ask(desk)
    assert desk.post(PAGE)["Location"] == PAGE
    assert Job.objects.count() == 1 and verbs() == ["archive_asked"]


def test_the_limit_of_a_day_counts_these_too(desk):
    for _time in range(5):
        asked_and_written(desk)
    assert desk.post(PAGE).status_code == 429
    assert status_of_taking(desk) == 200


@pytest.mark.parametrize("over", [-1, 0, 1])
def test_a_club_of_few_rows_is_answered_at_once(club, desk, monkeypatch, over):
    number = count_rows(club.organisation, most=100_000)
    monkeypatch.setattr(downloads, "LONG", number - over)
    monkeypatch.setattr("clubs.archive.views.journal.record", lambda **_entry: None)
    assert (desk.post(PAGE).status_code == 302) is (over > 0)


@pytest.mark.parametrize(("photos", "long"), [(1, False), (2, False), (3, True)])
def test_a_club_of_many_photos_is_large_too(club, settings, monkeypatch, photos, long):
    monkeypatch.setattr(downloads, "LONG", 100_000)
    monkeypatch.setattr(downloads, "MANY_FILES", 2)
    settings.MEDIA_ROOT = settings.DATA_DIR
    (settings.MEDIA_ROOT / "sheets").mkdir()
    for number in range(4):
        match, (first, _second) = club.match()
        name = f"{number:032}.jpg" if number < photos else ""
        if name:
            (settings.MEDIA_ROOT / "sheets" / name).write_bytes(b"x")
        submit(match=match, by=first, scores=(400, 350), photo=name, at=club.at)
    assert downloads.is_long(club.organisation) is long


def test_rows_are_counted_as_the_archive_has_them(club, other_club):
    rows = Rows(club.organisation)
    accounts = len(rows.accounts)
    assert count_rows(club.organisation, most=100_000) == rows.count() - accounts
    assert count_rows(club.organisation, most=10) == 11


def test_the_archive_of_a_club_reads_no_row_of_another(club, tmp_path, monkeypatch):
    """A small club downloads it within a request, however large the others of the site are."""
    monkeypatch.setattr(numbers, "last_given", dict)  # one row a table that ever had one

    def count() -> int:
        with rows_read() as rows:
            writing.write(tmp_path / "club.zip", at=club.at, organisation=club.organisation)
        return len(rows)

    before = count()
    make_club("voisins", size=8)
    assert count() == before


@pytest.mark.django_db(transaction=True)
def test_nobody_waits_for_the_archive(club, desk, monkeypatch):
    """It is written without a transaction that writes: SQLite has one writer."""
    from django.db import connection

    seen = []
    tables = writing.tables

    def asked(**options):
        seen.append(connection.in_atomic_block)
        return tables(**options)

    monkeypatch.setattr(writing, "tables", asked)
    assert desk.post(PAGE).status_code == 302  # the task runs at the commit
    assert Job.objects.get().state == Job.State.DONE
    assert seen == [False]
