"""A wrong value in the environment is told in one sentence that says what to write instead."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from psycopg_pool.base import AttemptWithBackoff

from config import environment, settings

PROCESS = Path(__file__).resolve().parents[2] / "deploy/process"
KEY = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOP"


@pytest.fixture(autouse=True)
def production(monkeypatch):
    monkeypatch.setattr(environment, "PRODUCTION", True)


@pytest.mark.parametrize(
    "value",
    [
        "",
        ",",
        " , ",
        "*",
        ".",
        "https://club.example.org",
        "a b",
        "a.org:443",
        "a.org;b.org",
        '"a"',
        "me@club.example.org",
        "club.example.org.",
        "*.example.org",
        "club\\.example.org",
        "club.example.org\nclubs.example.org",
        "clüb.example.org",
        "[::1",
    ],
)
def test_hosts_are_named(value):
    with pytest.raises(ImproperlyConfigured, match="ALLOWED_HOSTS must"):
        environment.hosts_of(value)


def test_push_services_are_named_as_hosts():
    told = {**os.environ, "PUSH_HOSTS": "https://push.apple.com"}
    done = subprocess.run(
        [sys.executable, "manage.py", "version"], env=told, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "PUSH_HOSTS must be names such as push.apple.com" in done.stderr


def test_hosts_that_are_named_are_taken():
    assert environment.hosts_of("Club.example.org, .clubs.example.org,[::1]") == [
        "Club.example.org",
        ".clubs.example.org",
        "[::1]",
    ]


@pytest.mark.parametrize(
    "value",
    [
        "club",
        "mysql://club:secret@127.0.0.1/club",
        "postgresql://",
        "postgresql://club:secret@127.0.0.1",
        "postgresql://club:secret@127.0.0.1/",
        "postgresql://club:secret@127.0.0.1:port/club",
        "postgresql://club:sec/ret@127.0.0.1/club",
    ],
)
def test_an_address_of_a_database_is_whole(value):
    with pytest.raises(ImproperlyConfigured, match=r"^DATABASE_URL ") as refused:
        settings.database(value)
    assert "sec" not in str(refused.value)


def test_an_address_of_a_database_says_nothing_that_the_site_sets_itself():
    """It was replaced without a word: a site would have worked in another schema than it was told."""
    asked = "?sslmode=require&options=-c%20search_path%3Dclub&connect_timeout=2"
    with pytest.raises(ImproperlyConfigured) as refused:
        settings.database(f"postgresql://club@127.0.0.1/club{asked}")
    assert str(refused.value) == (
        "DATABASE_URL must leave out connect_timeout, options: the site sets that itself."
    )


@pytest.mark.parametrize(
    "value", ["postgresql://club:s%2Fe#c@127.0.0.1:5433/club", "postgres://club@/club?host=/run"]
)
def test_an_address_of_a_database_is_taken(value):
    assert settings.database(value)["NAME"] == "club"


def test_the_pool_soon_asks_again_for_a_database_that_was_away():
    """A pool doubles its pause after each try; its limit bounds what a page waits once it is back."""
    pool = settings.database("postgresql://club:x@127.0.0.1/club")["OPTIONS"]["pool"]
    tries, now, pauses = AttemptWithBackoff(timeout=pool["reconnect_timeout"]), 100.0, []
    while not tries.time_to_give_up(now):
        tries.update_delay(now)
        now += tries.delay
        pauses.append(tries.delay)
    assert len(pauses) > 1 and max(pauses) <= 5 and pool["timeout"] <= 5


@pytest.mark.parametrize("value", ["127.0.0.1:6379", "http://127.0.0.1", "redis://127.0.0.1:x/0"])
def test_an_address_of_redis_is_one(value):
    with pytest.raises(ImproperlyConfigured, match=r"^REDIS_URL must be an address"):
        environment.private_redis(value)


@pytest.mark.parametrize("path", ["x", "0/1", "-1"])
def test_a_database_of_redis_is_a_number(path):
    """The cache would take the first database where a worker refuses to start."""
    with pytest.raises(ImproperlyConfigured, match=r"^REDIS_URL must end with the number"):
        environment.private_redis(f"redis://127.0.0.1:6379/{path}")


@pytest.mark.parametrize("path", ["", "/", "/1"])
def test_the_first_database_of_redis_needs_no_number(path):
    assert environment.private_redis(f"redis://127.0.0.1:6379{path}").endswith(path)


@pytest.mark.parametrize(
    "url",
    [
        "https://club example.org",
        "https://club.example.org\\",
        "https://name:password@club.example.org",
        "https://club.example.org.",
        "https://club.example.org:",
        "https://*.example.org",
        "https://clüb.example.org",
        '"https://club.example.org"',
        'https://"club.example.org"',
    ],
)
def test_the_address_of_mails_is_that_of_a_host(monkeypatch, url):
    monkeypatch.setenv("SITE_URL", url)
    with pytest.raises(ImproperlyConfigured, match=r"^SITE_URL ") as refused:
        environment.site_url("")
    assert "password" not in str(refused.value)


@pytest.mark.parametrize(
    "url",
    [
        "https://Club.example.org",
        "https://club.example.org:8443/",
        "http://[::1]:8000",
        "http://10.0.0.2:8000/",
        "https://xn--clb-hoa.example.org",
    ],
)
def test_an_address_of_mails_is_taken(monkeypatch, url):
    monkeypatch.setenv("SITE_URL", url)
    assert environment.site_url("") == url


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ImproperlyConfigured, match=r"file/data cannot be made .* correct DATA_DIR"):
        environment.private_folder(tmp_path / "file" / "data")


def test_a_process_says_what_is_wrong_in_one_sentence(tmp_path):
    told = {"PATH": os.environ["PATH"], "VENV": sys.prefix, "DATA_DIR": str(tmp_path)}
    told |= {"SITE_ENV": "production", "SECRET_KEY": KEY, "ALLOWED_HOSTS": "club.example.org"}
    told |= {"REDIS_URL": "redis://127.0.0.1", "DATABASE_URL": "postgresql://club:secret@/"}
    done = subprocess.run([PROCESS, "web"], env=told, capture_output=True, text=True, check=False)
    assert done.returncode == 78
    assert done.stderr == (
        "deploy/process: DATABASE_URL names no database: postgresql://club:PASSWORD@127.0.0.1/club "
        "ends with one.\n"
    )


def test_a_key_that_this_account_may_not_read_is_told_in_one_sentence(tmp_path, monkeypatch):
    """Whoever runs a command by another account than the site's."""

    def refused(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(environment, "DATA_DIR", tmp_path)
    monkeypatch.setattr(Path, "is_file", refused)
    words = rf"^DATA_DIR \({tmp_path}\) .* this account \({os.geteuid()}\) .*: Permission denied\.$"
    with pytest.raises(ImproperlyConfigured, match=words):
        environment.own_vapid_key()


def test_a_full_disk_keeps_no_unfinished_key(tmp_path, monkeypatch):
    def refused(*_arguments: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(environment, "DATA_DIR", tmp_path)
    monkeypatch.setattr(Path, "write_text", refused)
    with pytest.raises(ImproperlyConfigured, match="No space left on device"):
        environment.own_vapid_key()
    assert list(tmp_path.iterdir()) == []


def refusal_of(tmp_path: Path, command: str, **wrong: str) -> str:
    """Return what a command says that does not begin."""
    told = {"PATH": os.environ["PATH"], "DATA_DIR": str(tmp_path), **wrong}
    whole = [sys.executable, PROCESS.parents[1] / "manage.py", command]
    done = subprocess.run(whole, env=told, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    return done.stderr


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("METRICS_PORT", "x", "METRICS_PORT must be a whole number, 0 or more, not 'x'."),
        ("METRICS_PORT", "99999", "METRICS_PORT must be 65535 or less, not 99999."),
        (
            "OPERATIONS_KEPT_DAYS",
            "0",
            "OPERATIONS_KEPT_DAYS must be a whole number, 1 or more, not '0'.",
        ),
        ("EMAIL_PORT", "70000", "EMAIL_PORT must be 65535 or less, not 70000."),
        ("ACCOUNTS_KEPT_DAYS", "99999999", "ACCOUNTS_KEPT_DAYS must be 100000 or less, not"),
        ("ADMINS", "not an address", "ADMINS must be mail addresses, not 'not an address'."),
        ("MEDIA_BY_PROXY", "yes", "MEDIA_BY_PROXY must be 0 or 1, not 'yes'."),
        (
            "DEFAULT_FROM_EMAIL",
            "Club de Lyon",
            "DEFAULT_FROM_EMAIL must be a mail address such as club@example.org, not 'Club de Lyon'.",
        ),
        ("VAPID_PRIVATE_KEY", "abc", None),
        ("VAPID_PRIVATE_KEY", "clé" * 20, None),
        ("EMAIL_VERIFICATION", "maybe", None),
        ("LOG_LEVEL", "LOUD", None),
        ("SENTRY_DSN", "there", None),
        ("SENTRY_DSN", "https://sentry.example.org/1", None),
        ("SITE_ENV", "prod", "SITE_ENV must be production, or left out for a demo, not 'prod'."),
        ("SITE_ENV", '"production"', None),
        ("SITE_ENV", "production ", None),
        ("SITE_URL", "https://", None),
        ("SITE_URL", "https://example.org?", None),
        ("SITE_URL", "https://example.org/#", None),
        (
            "SITE_URL",
            "https://example.org/club",
            "SITE_URL must be an address such as https://club.example.org, with nothing after",
        ),
        ("SITE_URL", "https://example.org/?club", None),
        (
            "SITE_URL",
            "https://club.example.org\r",
            "SITE_URL has a blank or a line end before, in or after it.",
        ),
        ("ARCHIVE_DIR", "/srv/archives ", None),
        ("DEFAULT_FROM_EMAIL", "'club@example.org'", None),
        ("ADMINS", '"you@example.org"', None),
        ("EMAIL_USE_TLS", "true", "EMAIL_USE_TLS must be 0 or 1, not 'true'."),
    ],
)
def test_a_command_says_what_is_wrong_in_one_sentence(tmp_path, name, value, words):
    said = refusal_of(tmp_path, "doctor", **{name: value})
    assert said.startswith(f"manage.py: {words or name}") and said.count("\n") == 1


def test_the_command_that_manage_answers_itself_says_it_too(tmp_path):
    wrong = {"LOG_LEVEL": "LOUD"}
    assert refusal_of(tmp_path, "version", **wrong) == refusal_of(tmp_path, "doctor", **wrong)


@pytest.mark.parametrize(
    ("told", "sender"),
    [("", "club@localhost"), (" ", "club@localhost"), ("Club <club@a.fr>", "Club <club@a.fr>")],
)
def test_a_sender_that_is_left_empty_is_the_usual_one(monkeypatch, told, sender):
    monkeypatch.setenv("DEFAULT_FROM_EMAIL", told)
    assert environment.sender("DEFAULT_FROM_EMAIL", "club@localhost") == sender


def asked(tmp_path: Path, name: str, **changed: str) -> str:
    """Return what a setting of production is, or the last line of its refusal."""
    told = {"PATH": os.environ["PATH"], "SITE_ENV": "production", "SECRET_KEY": KEY}
    told |= {"ALLOWED_HOSTS": "club.example.org", "REDIS_URL": "redis://127.0.0.1/0"}
    told |= {"DATABASE_URL": "postgresql://club@127.0.0.1/club", "DATA_DIR": str(tmp_path)}
    code = f"import config.settings as s; print(s.{name})"
    command, where = [sys.executable, "-c", code], PROCESS.parents[1]
    done = subprocess.run(
        command, env=told | changed, cwd=where, capture_output=True, text=True, check=False
    )
    return (done.stdout or done.stderr).strip().rpartition("\n")[2]


@pytest.mark.parametrize(
    ("name", "value"),
    [("STATIC_ROOT", '"/var/www/static"'), ("ARCHIVE_DIR", "archives"), ("MEDIA_ROOT", " /media")],
)
def test_production_takes_whole_paths(tmp_path, name, value):
    assert f"{name} must be the whole path of a folder" in asked(tmp_path, name, **{name: value})


@pytest.mark.parametrize(
    ("name", "below", "refused"),
    [
        ("DATA_DIR", "data", True),
        ("MEDIA_ROOT", "media", True),
        ("ARCHIVE_DIR", "", True),
        ("MEDIA_ROOT", "../media", False),
    ],
)
def test_the_folder_of_static_files_holds_nothing_that_is_not_for_everybody(
    tmp_path, name, below, refused
):
    """A proxy sends all of it, and a preparation removes what one that was killed left there."""
    static = tmp_path / "static"
    said = asked(tmp_path, "TIME_ZONE", **{"STATIC_ROOT": str(static), name: str(static / below)})
    assert (f"{name} (" in said and "may not be in STATIC_ROOT" in said) is refused, said


def test_a_folder_that_is_left_empty_is_the_usual_one(tmp_path):
    assert asked(tmp_path, "STATIC_ROOT", STATIC_ROOT="") == str(tmp_path / "static")
    assert asked(tmp_path, "ARCHIVE_DIR", ARCHIVE_DIR="") == str(tmp_path / "archives")


@pytest.mark.parametrize("value", ["yes", "1 ", '"1"'])
def test_a_redirect_to_https_is_not_switched_off_by_a_mistyped_word(tmp_path, value):
    words = "SSL_REDIRECT must be 1 or 0"
    assert words in asked(tmp_path, "SECURE_SSL_REDIRECT", SSL_REDIRECT=value)


def test_mails_leave_by_one_of_the_two_ways_to_encrypt(tmp_path):
    url = "smtp+tls://name:password@mail.example.org:587"
    assert asked(tmp_path, "EMAIL_USE_TLS", EMAIL_URL=url) == "True"
    both = asked(tmp_path, "EMAIL_USE_TLS", EMAIL_URL=url, EMAIL_USE_SSL="1")
    assert "EMAIL_USE_TLS and EMAIL_USE_SSL cannot both be 1" in both
