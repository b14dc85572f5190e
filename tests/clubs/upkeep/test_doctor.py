"""`manage.py doctor` names what is wrong and what to do; `manage.py version` names the site's."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
from collections import namedtuple
from contextlib import closing
from datetime import timedelta
from http.client import BadStatusLine, HTTPSConnection
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import pytest
from django.contrib.staticfiles.apps import StaticFilesConfig
from django.contrib.staticfiles.finders import get_finders
from django.core.mail.backends.smtp import EmailBackend
from django.core.management import call_command
from django.db import OperationalError, connection

from clubs.archive import keeping
from clubs.notifications.models import UnsentMail
from clubs.upkeep import database_clock, doctor, durability, sweeps
from clubs.upkeep.models import JournalCheck, SweepRun
from config.celery import app
from tests.clubhouse import NOW

pytestmark = pytest.mark.django_db
Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def healthy(settings, tmp_path, monkeypatch):
    """A site on which everything is as it should be."""
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir(mode=0o700)
    settings.MEDIA_ROOT, settings.ARCHIVE_DIR = tmp_path / "media", tmp_path / "archives"
    settings.ARCHIVE_KEEP = 2
    settings.ADMINS = [("", "you@example.org")]
    monkeypatch.setattr(database_clock, "now", lambda: NOW)
    proxy(monkeypatch)
    timedatectl(tmp_path, monkeypatch, "echo yes")
    monkeypatch.setattr(durability, "switched_off", list)  # the suite's database keeps nothing
    for name in sweeps.ALL_LATE_AFTER:
        sweeps.note(name, at=NOW)


def proxy(
    monkeypatch, *, status: int = 200, days: int = 60, refuses: Exception | None = None
) -> None:
    """Put a proxy before the site that answers so, with a certificate for that many days."""
    ends = f"{NOW + timedelta(days=days):%b %d %H:%M:%S %Y} GMT"

    class Connection:
        def __init__(self, _host, _port, *, timeout):
            self.sock = SimpleNamespace(getpeercert=lambda: {"notAfter": ends})

        def request(self, method, path):
            assert (method, path) == ("GET", "/healthz")
            if refuses is not None:
                raise refuses

        def getresponse(self):
            return SimpleNamespace(status=status)

        def close(self):
            self.sock = None

    monkeypatch.setattr(doctor, "HTTPSConnection", Connection)


def timedatectl(folder: Path, monkeypatch, line: str) -> None:
    """Put a command of that name first that knows one question and answers it with this line."""
    command = folder / "bin" / "timedatectl"
    command.parent.mkdir(exist_ok=True)
    question = "show --property=NTPSynchronized --value"
    command.write_text(f'#!/bin/sh\n[ "$*" = "{question}" ] || exit 2\n{line}\n')
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{command.parent}:{os.environ['PATH']}")


def told(*, level: str = "") -> dict[str, doctor.Finding]:
    found = {one.what: one for one in doctor.findings(at=NOW)}
    return {what: one for what, one in found.items() if level in ("", one.level)}


def test_a_healthy_site_has_nothing_to_do(healthy):
    found = told()
    assert {one.level for one in found.values()} == {doctor.GOOD}
    assert not any(one.todo for one in found.values())
    assert set(found) == {
        *("versions", "data folder", "disk", "database", "clock", "periodic tasks", "cache"),
        "power cut",
        *("media folder", "disk of media", "archive folder", "disk of archives"),
        *("time service", "mail", "error reports", "metrics"),
    }


def collect(root, *, but=""):
    """Write the manifest as collectstatic does, without one file."""
    patterns = StaticFilesConfig.ignore_patterns
    files = {path for finder in get_finders() for path, _storage in finder.list(patterns)}
    manifest = {"paths": {path: path for path in files - {but}}}
    (root / "staticfiles.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize("manifest", ["", "{}", "[]", "\0"])
def test_static_files_that_cannot_be_read_are_named(healthy, settings, tmp_path, manifest):
    settings.PRODUCTION, settings.STATIC_ROOT = True, tmp_path
    (tmp_path / "staticfiles.json").write_text(manifest)
    assert "collectstatic" in told(level=doctor.BAD)["static files"].todo


def test_static_files_of_another_version_are_named(healthy, settings, tmp_path):
    settings.PRODUCTION, settings.STATIC_ROOT = True, tmp_path
    collect(tmp_path, but="css/base.css")
    words = told(level=doctor.BAD)["static files"].words
    assert words == "1 are of another version than the site, css/base.css among them"


def test_static_files_whose_collection_was_killed_are_named(healthy, settings, tmp_path):
    settings.PRODUCTION, settings.STATIC_ROOT = True, tmp_path
    collect(tmp_path)
    assert "static files" not in told()
    (tmp_path / ".collecting").touch()  # by deploy/process prepare, until its end
    assert told(level=doctor.BAD)["static files"].todo == "Run: deploy/process prepare"


def test_settings_that_a_site_with_people_hardly_means_are_named(healthy, settings, tmp_path):
    settings.PRODUCTION = True
    settings.SITE_URL, settings.SECOND_FACTOR = "https://club.example.org", True
    settings.EMAIL_BACKEND, settings.ARCHIVE_KEEP, settings.TRUST_PROXY = SMTP, 14, 1
    settings.STATIC_ROOT = tmp_path
    collect(tmp_path)
    names = {
        "SITE_URL",
        "SECOND_FACTOR",
        "EMAIL_URL",
        "ARCHIVE_KEEP",
        "TRUST_PROXY",
        "static files",
    }
    assert not names & set(told())
    settings.SITE_URL, settings.SECOND_FACTOR = "http://localhost:8000", False
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    settings.ARCHIVE_KEEP, settings.TRUST_PROXY = 0, 9
    (tmp_path / "staticfiles.json").unlink()
    assert names <= set(told())
    assert set(told(level=doctor.BAD)) == {"static files"}


def test_a_folder_open_to_others_is_named(healthy, settings):
    settings.DATA_DIR.chmod(0o755)
    assert told(level=doctor.WARN)["data folder"].todo.startswith("chmod 700")


@pytest.mark.parametrize(
    ("free", "level"),
    [(499_999_999, doctor.BAD), (500_000_000, doctor.GOOD), (10**12, doctor.GOOD)],
)
def test_too_little_room_is_named(healthy, monkeypatch, free, level):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(10**13, 0, free))
    assert told()["disk"].level == level


@pytest.mark.parametrize(
    ("setting", "name", "disk"),
    [
        ("MEDIA_ROOT", "media folder", "disk of media"),
        ("ARCHIVE_DIR", "archive folder", "disk of archives"),
    ],
)
def test_each_folder_is_looked_at_by_itself(healthy, settings, monkeypatch, setting, name, disk):
    folder, access = getattr(settings, setting), os.access
    folder.mkdir()
    usage = Usage(10**13, 0, 10**12)
    monkeypatch.setattr(
        shutil, "disk_usage", lambda path: usage._replace(free=1) if path == folder else usage
    )
    assert set(told(level=doctor.BAD)) == {disk}
    monkeypatch.setattr(os, "access", lambda path, mode: path != folder and access(path, mode))
    found = told(level=doctor.BAD)
    assert set(found) == {name} and "ReadWritePaths" in found[name].todo


EXPIRED = ssl.SSLCertVerificationError("certificate verify failed: certificate has expired")


@pytest.mark.parametrize(
    ("answer", "level", "words", "todo"),
    [
        ({}, doctor.GOOD, "https://club.example.org answers; its certificate holds until", ""),
        ({"days": 11}, doctor.GOOD, "holds until 2026-12-01", ""),
        ({"days": 9}, doctor.WARN, "holds until 2026-11-29", "certbot renew"),
        ({"status": 502}, doctor.WARN, "answers 502", "club-web"),
        ({"refuses": EXPIRED}, doctor.WARN, "certificate has expired", "certbot certificates"),
        (
            {"refuses": BadStatusLine("")},
            doctor.WARN,
            "cannot be reached",
            "systemctl status nginx",
        ),
    ],
)
def test_the_site_is_asked_by_the_address_that_people_use(
    healthy, settings, monkeypatch, answer, level, words, todo
):
    assert "public address" not in told()  # of developers
    settings.PRODUCTION, settings.SITE_URL = True, "https://club.example.org"
    proxy(monkeypatch, **answer)
    found = told()["public address"]
    assert found.level == level and words in found.words
    assert todo in found.todo and bool(found.todo) == bool(todo)


def test_a_name_that_leads_nowhere_is_named(healthy, settings, monkeypatch):
    monkeypatch.setattr(doctor, "HTTPSConnection", HTTPSConnection)
    settings.PRODUCTION, settings.SITE_URL = True, "https://127.0.0.1:1"
    assert "refused" in told(level=doctor.WARN)["public address"].words


@pytest.mark.parametrize(
    ("url", "hosts", "names"),
    [
        ("https://club.example.org", ["club.example.org"], set()),
        ("https://club.example.org", [".example.org"], set()),
        ("https://other.example.org", ["club.example.org"], {"ALLOWED_HOSTS"}),
        ("http://club.example.org", ["club.example.org"], {"scheme of SITE_URL"}),
    ],
)
def test_an_address_that_the_site_does_not_answer_is_named(healthy, settings, url, hosts, names):
    settings.PRODUCTION, settings.SITE_URL, settings.ALLOWED_HOSTS = True, url, hosts
    warned = set(told(level=doctor.WARN))
    assert warned & {"SITE_URL", "ALLOWED_HOSTS", "scheme of SITE_URL"} == names


@pytest.mark.parametrize(
    ("seconds", "level"), [(-3, doctor.BAD), (2, doctor.GOOD), (3, doctor.BAD)]
)
def test_two_clocks_apart_are_named(healthy, monkeypatch, seconds, level):
    monkeypatch.setattr(database_clock, "now", lambda: NOW + timedelta(seconds=seconds))
    assert told()["clock"].level == level


def test_a_clock_that_no_time_service_keeps_is_named(healthy, tmp_path, monkeypatch):
    """The database on the same machine agrees with a clock that is wrong."""
    assert told()["time service"].level == doctor.GOOD
    timedatectl(tmp_path, monkeypatch, "echo no")
    assert told()["clock"].level == doctor.GOOD
    assert "timedatectl set-ntp true" in told(level=doctor.WARN)["time service"].todo


@pytest.mark.parametrize("line", ["echo Failed to connect to bus >&2; exit 1", "exec sleep 60"])
def test_a_time_service_that_cannot_be_seen_is_no_failure(healthy, tmp_path, monkeypatch, line):
    timedatectl(tmp_path, monkeypatch, line)
    monkeypatch.setattr(doctor, "ANSWER_S", 1)
    assert told(level=doctor.GOOD)["time service"].words.startswith("cannot be seen from here")


def test_a_machine_without_timedatectl_is_no_failure(healthy, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert told(level=doctor.GOOD)["time service"].words.startswith("cannot be seen from here")


def test_a_task_that_never_ran_is_named(healthy):
    from clubs.upkeep.models import SweepRun

    SweepRun.objects.filter(name="journal").delete()
    SweepRun.objects.filter(name=sweeps.FIRST).update(ended_at=NOW - timedelta(minutes=11))
    assert told(level=doctor.WARN)["periodic tasks"].words.endswith(": journal")


def test_a_failed_trial_restore_is_bad_until_one_succeeds(healthy):
    sweeps.fail(sweeps.RESTORE, at=NOW)
    found = told(level=doctor.BAD)["failed tasks"]
    assert "restore (2026-11-20 " in found.words and "ARCHIVE_DIR" in found.todo
    sweeps.note(sweeps.RESTORE, at=NOW + timedelta(days=7))
    assert "failed tasks" not in told()


@pytest.mark.parametrize(
    ("failed", "which"), [(sweeps.ARCHIVE, 0), (sweeps.RESTORE, 1), ("daily", 2)]
)
def test_what_is_done_again_by_hand_has_succeeded(healthy, monkeypatch, failed, which):
    SweepRun.objects.filter(name=failed).update(ended_at=NOW - timedelta(days=1))
    sweeps.fail(failed, at=NOW - timedelta(hours=1))
    named = re.findall(r"celery -A config call ([a-z_.]+)\.", told()["failed tasks"].todo)
    monkeypatch.setattr(keeping, "restores", lambda path: path.exists())
    if failed == sweeps.RESTORE:
        (keeping.folder() / "site-20261119-000000.zip").touch()
    app.loader.import_default_modules()
    app.tasks[named[which]].apply()
    assert "failed tasks" not in told()


def test_mails_that_were_lost_are_told_also_once_the_mail_server_answers(healthy):
    for key, given_up, days in (("lost", True, 2), ("waits", False, 0), ("old", True, 8)):
        UnsentMail.objects.create(key=key, given_up=given_up, at=NOW - timedelta(days=days))
    assert told(level=doctor.WARN)["lost mails"].words == "1 in seven days: no try succeeded"


@pytest.mark.parametrize(("seq", "level"), [(None, doctor.GOOD), (3, doctor.BAD)])
def test_a_journal_that_does_not_hold_is_named(healthy, club, seq, level):
    JournalCheck.objects.create(
        organisation=club.organisation,
        seq=2,
        hash="a" * 64,
        checked_at=NOW,
        complete_at=NOW,
        breach_seq=seq,
        breach_what="changed" if seq else "",
    )
    journal = told().get("journal of faizers")
    assert (journal.level if journal else doctor.GOOD) == level
    if journal is not None:
        assert journal.words.startswith("row 3: changed")
        assert "verify_journal --organisation faizers --expect" in journal.todo


def test_a_database_that_is_away_is_named_and_the_rest_is_said(healthy, monkeypatch):
    def away():
        raise OperationalError("connection refused")

    monkeypatch.setattr(database_clock, "now", away)
    found = told()
    assert found["database"].level == doctor.BAD and "DATABASE_URL" in found["database"].todo
    assert str(connection.settings_dict["NAME"]) in found["database"].words
    assert found["cache"].level == doctor.GOOD


def test_why_postgresql_cannot_be_reached_is_said_without_its_password(tmp_path):
    """A pool alone says that it could not get a connection."""
    with closing(socket.socket()) as nobody:
        nobody.bind(("127.0.0.1", 0))  # taken, and nobody listens
        port = nobody.getsockname()[1]
        address = f"postgresql://club:planted-password@127.0.0.1:{port}/club"
        env = {"PATH": os.environ["PATH"], "DATA_DIR": str(tmp_path), "DATABASE_URL": address}
        command = [sys.executable, "manage.py", "doctor"]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    (said,) = (line for line in done.stdout.splitlines() if line.startswith("bad  database: "))
    assert f"club on 127.0.0.1:{port}: " in said and "Connection refused" in said
    assert "host, port, name and password in DATABASE_URL" in done.stdout
    assert "planted" not in done.stdout + done.stderr and "Traceback" not in done.stderr


def test_a_shared_cache_that_is_away_is_named(healthy, settings):
    """The site goes on with its own memory; nobody but the doctor would say so."""
    settings.CACHES = {
        **settings.CACHES,
        "redis": {
            "BACKEND": "django_redis.cache.RedisCache",
            "LOCATION": "redis://127.0.0.1:1/0",
        },
    }
    assert "Valkey" in told(level=doctor.WARN)["cache"].todo


SMTP = "django.core.mail.backends.smtp.EmailBackend"


def test_a_mail_server_that_is_away_is_named(healthy, settings):
    settings.EMAIL_BACKEND, settings.EMAIL_HOST, settings.EMAIL_PORT = SMTP, "127.0.0.1", 1
    found = told(level=doctor.BAD)["mail"]
    assert found.words.startswith("127.0.0.1:1: ") and "EMAIL_URL" in found.todo


@pytest.mark.parametrize(
    ("sender", "level"),
    [
        ("club@localhost", doctor.WARN),
        ("Club <club@LOCALHOST>", doctor.WARN),
        ("CLUB@EXAMPLE.ORG", doctor.WARN),  # nobody replaced it
        ("club@club.example.org", doctor.WARN),
        ("Club <club@lyon.fr>", doctor.GOOD),
    ],
)
def test_a_sender_that_is_refused_elsewhere_is_named(healthy, settings, monkeypatch, sender, level):
    settings.EMAIL_BACKEND, settings.DEFAULT_FROM_EMAIL = SMTP, sender
    monkeypatch.setattr(EmailBackend, "open", lambda server: True)
    assert told()["mail"].level == level
    assert (level == doctor.GOOD) or "DEFAULT_FROM_EMAIL" in told()["mail"].todo


def test_a_folder_of_another_account_is_named(healthy, monkeypatch, settings):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    found = told(level=doctor.BAD)["data folder"]
    assert f"chown -R {os.geteuid()} {settings.DATA_DIR}" in found.todo


def test_the_command_ends_with_1_where_something_is_bad(healthy, monkeypatch):
    out = StringIO()
    call_command("doctor", stdout=out)
    assert "bad" not in out.getvalue()
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(1, 1, 0))
    with pytest.raises(SystemExit):
        call_command("doctor", stdout=out)
    assert re.search(r"bad  disk: 0 MB free\n     → Make room", out.getvalue())


def test_the_version_is_that_of_the_project(settings):
    command = [sys.executable, "manage.py", "version"]
    told = subprocess.check_output(command, cwd=settings.BASE_DIR, text=True).strip()
    assert told == settings.SITE_VERSION
    assert re.fullmatch(r"\d+\.\d+(\.\d+|\.dev\d+)", told)


@pytest.mark.parametrize(
    ("admins", "dsn", "level"),
    [
        ([], "", doctor.WARN),
        ([("", "you@example.org")], "", doctor.GOOD),
        ([], "https://key@sentry.example.org/1", doctor.GOOD),
    ],
)
def test_a_site_whose_errors_nobody_hears_of_is_named(healthy, settings, admins, dsn, level):
    settings.ADMINS, settings.SENTRY_DSN = admins, dsn
    assert told()["error reports"].level == level


@pytest.mark.parametrize(
    ("bind", "level"),
    [
        ("127.0.0.1", doctor.GOOD),
        ("::1", doctor.GOOD),
        ("localhost", doctor.GOOD),
        ("10.0.3.7", doctor.GOOD),
        ("0.0.0.0", doctor.BAD),
        ("::", doctor.BAD),
        ("93.184.216.34", doctor.BAD),
        ("club.example.org", doctor.BAD),
    ],
)
def test_metrics_open_to_the_world_are_named(healthy, settings, bind, level):
    settings.METRICS_PORT, settings.METRICS_BIND = 9464, bind
    assert told()["metrics"].level == level
    settings.METRICS_PORT = 0
    assert told()["metrics"].level == doctor.GOOD


def test_a_database_that_may_lose_what_it_committed_is_named():
    """The suite's own is such a one: nothing waits for the disk there."""
    found = told(level=doctor.BAD)["power cut"]
    assert "loses results" in found.words
    if connection.vendor == "sqlite":
        assert "synchronous" in found.words and "SQLITE_SYNCHRONOUS" in found.todo
    else:
        assert found.words.startswith(
            "fsync = off, full_page_writes = off, synchronous_commit = off"
        )
        assert "ALTER SYSTEM RESET" in found.todo


@pytest.mark.only_on("sqlite")
@pytest.mark.parametrize(("pragma", "loose"), [(1, ["PRAGMA synchronous"]), (2, []), (3, [])])
def test_sqlite_waits_for_the_disk_from_full_on(monkeypatch, pragma, loose):
    cursor = mock.MagicMock()
    cursor.__enter__.return_value.fetchone.return_value = (pragma,)
    monkeypatch.setattr(connection, "cursor", lambda: cursor)
    assert durability.switched_off() == loose
