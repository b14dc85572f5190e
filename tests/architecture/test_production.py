"""In production the site refuses to start half set up, and Django finds nothing to reproach."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string

from config import environment
from config.celery import app

ROOT = Path(__file__).resolve().parents[2]
SET_UP = {
    "SITE_ENV": "production",
    "DATABASE_URL": "postgresql://club:secret@db.example.org/club",
    "REDIS_URL": "redis://:secret@cache.example.org/0",
    "SECRET_KEY": "only-for-this-test-" + "0123456789abcdefghijklmnopqrstuvwxyz" * 2,
    "ALLOWED_HOSTS": "club.example.org,.clubs.example.org",
}
NEEDED = [name for name in SET_UP if name != "SITE_ENV"]


def python(tmp_path: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    told = {"PATH": os.environ["PATH"], "DATA_DIR": str(tmp_path), **environment}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT, env=told, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", NEEDED)
def test_it_refuses_to_start_without(name: str, tmp_path: Path) -> None:
    rest = {key: value for key, value in SET_UP.items() if key != name}
    done = python(tmp_path, "-c", "import config.settings", **rest)
    assert done.returncode != 0
    assert f"ImproperlyConfigured: {name} is not set" in done.stderr


def test_django_finds_nothing_to_reproach_before_deployment(tmp_path: Path) -> None:
    done = python(tmp_path, "manage.py", "check", "--deploy", "--fail-level", "INFO", **SET_UP)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no issues" in done.stdout


def test_forms_are_trusted_from_the_allowed_hosts_only(tmp_path: Path) -> None:
    code = "from config.settings import CSRF_TRUSTED_ORIGINS as o; print(*o)"
    done = python(tmp_path, "-c", code, **SET_UP)
    assert done.stdout.split() == ["https://club.example.org", "https://*.clubs.example.org"]


def test_a_site_nobody_configured_keeps_its_own_secret(tmp_path: Path) -> None:
    code = "from config.settings import SECRET_KEY; print(SECRET_KEY)"
    first, second = (python(tmp_path, "-c", code).stdout for _ in range(2))
    assert first == second
    assert len(first) > 50
    assert (tmp_path / "secret_key").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("told", "keys"), [("", []), (" ,", []), ("{key}1", [1]), ("{key}1, {key}2,", [1, 2])]
)
def test_keys_of_before_are_told_with_a_comma_between(told, keys, tmp_path) -> None:
    key = SET_UP["SECRET_KEY"]
    code = "from config.settings import SECRET_KEY_FALLBACKS as keys; print(*keys)"
    env = {**SET_UP, "SECRET_KEY_FALLBACKS": told.format(key=key)}
    said = python(tmp_path, "-c", code, **env).stdout.split()
    assert said == [f"{key}{number}" for number in keys]


@pytest.mark.parametrize(
    ("told", "asked"),
    [(SET_UP, "True 14"), ({**SET_UP, "SECOND_FACTOR": "0"}, "False 14"), ({}, "False 14")],
)
def test_roles_are_asked_for_a_second_factor_in_production_unless_the_site_says_no(
    told: dict[str, str], asked: str, tmp_path: Path
) -> None:
    code = "from config import settings as s; print(s.SECOND_FACTOR, s.SECOND_FACTOR_GRACE_DAYS)"
    assert python(tmp_path, "-c", code, **told).stdout.strip() == asked


@pytest.mark.parametrize(("told", "count"), [({}, "1 True"), ({"TRUST_PROXY": "0"}, "0 False")])
def test_headers_of_a_proxy_are_believed_where_one_is_said_to_be(
    told: dict[str, str], count: str, tmp_path: Path
) -> None:
    code = (
        "from config import settings as s; "
        "print(s.ALLAUTH_TRUSTED_PROXY_COUNT, hasattr(s, 'SECURE_PROXY_SSL_HEADER'))"
    )
    assert python(tmp_path, "-c", code, **SET_UP, **told).stdout.strip() == count


@pytest.mark.parametrize("process", ["web", "streams"])
def test_without_collected_static_files_it_says_one_sentence(process, tmp_path) -> None:
    """Not a 500 on the first page."""
    env = {"PATH": os.environ["PATH"], "DATA_DIR": str(tmp_path), "VENV": sys.prefix, **SET_UP}
    env["STATIC_ROOT"] = str(tmp_path / "static")
    done = subprocess.run(
        [ROOT / "deploy/process", process], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 78  # systemd does not try again
    (sentence,) = done.stderr.splitlines()
    assert sentence == (
        f"deploy/process: STATIC_ROOT ({tmp_path}/static) has no collected static files: run "
        "deploy/process prepare, or manage.py collectstatic, before the site starts."
    )


KILLED = """#!/bin/sh
# A python whose first collectstatic is killed in the middle of a file; the second names those there are.
case "$*" in
*migrate*) ;;
*collectstatic*)
    [ -e "$DATA_DIR/killed" ] || {
        touch "$DATA_DIR/killed"
        sleep 0.1  # Django takes longer to begin; the clock of a file system ticks every few milliseconds
        printf 'a {' > "$STATIC_ROOT/half.css"
        kill -9 $$
    }
    cd "$STATIC_ROOT" && ls
    ;;
*) exec "$REAL" "$@" ;;
esac
"""


def test_a_file_that_a_killed_preparation_left_half_written_is_collected_again(tmp_path) -> None:
    """Django leaves alone what is there and newer than the file that it comes from.

    The folder may be a link to one elsewhere, with a space in its name.
    """
    static, stub = tmp_path / "of the site", tmp_path / "venv/bin/python"
    stub.parent.mkdir(parents=True)
    stub.write_text(KILLED)
    stub.chmod(0o755)
    (tmp_path / "disk").mkdir()
    static.symlink_to(tmp_path / "disk")
    (static / "of-before.css").touch()  # pages that were open name it
    os.utime(static / "of-before.css", (0, 0))
    env = {"PATH": os.environ["PATH"], "DATA_DIR": str(tmp_path), "REAL": sys.executable, **SET_UP}
    env |= {"STATIC_ROOT": str(static), "VENV": str(tmp_path / "venv")}
    command = [ROOT / "deploy/process", "prepare"]
    run = partial(subprocess.run, command, env=env, capture_output=True, text=True, check=False)
    assert run().returncode != 0
    assert sorted(path.name for path in static.iterdir()) == [
        ".collecting",
        "half.css",
        "of-before.css",
    ]
    again = run()
    assert (again.returncode, again.stdout.split()) == (0, ["of-before.css"])
    assert [path.name for path in static.iterdir()] == ["of-before.css"]


def test_no_process_of_deploy_starts_as_a_demo(tmp_path) -> None:
    """A file of settings that lost its first line."""
    env = {"PATH": os.environ["PATH"], "DATA_DIR": str(tmp_path), "VENV": sys.prefix, **SET_UP}
    del env["SITE_ENV"]
    done = subprocess.run(
        [ROOT / "deploy/process", "prepare"], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 78
    assert done.stderr == "deploy/process: SITE_ENV is not set: write SITE_ENV=production.\n"


IMPATIENT = """
import manage
from config import settings
settings.DATABASES["default"]["OPTIONS"]["pool"]["timeout"] = 0.1
manage.main()
"""


def test_a_command_without_its_database_says_so_without_a_traceback(tmp_path) -> None:
    """The first start with a wrong password: `doctor` asks the server itself, and says its answer."""
    away = {**SET_UP, "DATABASE_URL": "postgresql://club:secret@127.0.0.1:1/club"}
    done = python(tmp_path, "-c", IMPATIENT, "verify", **away)
    assert done.returncode == 1
    lines = done.stderr.splitlines()  # the pool, a thread, logs beside it
    assert "manage.py: the database does not answer: manage.py doctor says why." in lines
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("modules", "collected"),
    [("config.wsgi", False), ("config.asgi", False), ("config.wsgi, config.asgi", True)],
)
def test_no_server_begins_without_collected_static_files(modules, collected, tmp_path) -> None:
    static = tmp_path / "static"
    static.mkdir()
    if collected:
        (static / "staticfiles.json").write_text("{}")
    env = {**SET_UP, "STATIC_ROOT": str(static)}
    done = python(tmp_path, "-W", "ignore", "-c", f"import {modules}", **env)
    assert (done.returncode == 0) is collected, done.stderr
    assert ("has no collected static files" in done.stderr) is not collected


def test_a_list_of_static_files_that_was_cut_as_it_was_written_is_none(
    tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr(environment, "PRODUCTION", True)
    (tmp_path / "staticfiles.json").write_text('{"paths": {"css/ba')
    with pytest.raises(ImproperlyConfigured, match="has no collected static files"):
        environment.check_collected(tmp_path)


def test_outside_production_servers_begin_and_what_workers_share_stays_shared(tmp_path) -> None:
    """Static files are found where they are. A worker's collector would write in each object read
    before it, and so copy it."""
    words = "import config.asgi, config.wsgi, gc; print(gc.get_freeze_count())"
    assert int(python(tmp_path, "-W", "ignore", "-c", words).stdout) > 100_000


@pytest.mark.parametrize(
    ("told", "form"),
    [
        ({}, "text"),
        ({"LOG_FORMAT": "json"}, "json"),
        (SET_UP, "json"),
        ({**SET_UP, "LOG_FORMAT": ""}, "json"),
        ({**SET_UP, "LOG_FORMAT": "text"}, "text"),
    ],
)
def test_logs_are_json_in_production_unless_the_site_says_text(told, form, tmp_path) -> None:
    code = (
        "from config.settings import LOGGING as it; print(it['handlers']['console']['formatter'])"
    )
    assert python(tmp_path, "-c", code, **told).stdout.strip() == form


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ALLOWED_HOSTS", "*"),
        ("ALLOWED_HOSTS", "club.example.org,*"),
        ("ALLOWED_HOSTS", "."),
        ("SECRET_KEY", "x"),
        ("SECRET_KEY", "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLM"),
        ("SECRET_KEY", "abc" * 30),
        ("SECRET_KEY", "django-insecure-" + "0123456789abcdefghijklmnopqrstuvwxyz" * 2),
        ("SECRET_KEY_FALLBACKS", "x"),
        ("SECRET_KEY_FALLBACKS", f"{SET_UP['SECRET_KEY']},{'abc' * 30}"),
        ("REDIS_URL", "redis://cache.example.org/0"),
        ("REDIS_URL", "rediss://club@cache.example.org/0"),
    ],
)
def test_it_refuses_to_start_with_a_setting_that_protects_nothing(name, value, tmp_path) -> None:
    done = python(tmp_path, "-c", "import config.settings", **{**SET_UP, name: value})
    assert done.returncode != 0
    assert f"ImproperlyConfigured: {name}" in done.stderr


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TRUST_PROXY", "-1"),
        ("DATABASE_STATEMENT_TIMEOUT", "30s"),
        ("DATABASE_POOL", "0"),
        ("EMAIL_PORT", "smtp"),
    ],
)
def test_it_refuses_to_start_with_a_number_that_is_none(name, value, tmp_path) -> None:
    done = python(tmp_path, "-c", "import config.settings", **{**SET_UP, name: value})
    assert done.returncode != 0
    assert f"ImproperlyConfigured: {name} must be a whole number" in done.stderr


@pytest.mark.parametrize(
    ("value", "number"),
    [("", 7), ("2", 2), ("03", 3), ("1", None), ("-3", None), ("²", None), ("9" * 10, None)],
)
def test_a_whole_number_of_the_environment_is_two_or_more(value, number, monkeypatch) -> None:
    monkeypatch.setenv("A_NUMBER", value)
    if number is None:
        with pytest.raises(ImproperlyConfigured, match="A_NUMBER must be a whole number, 2 or"):
            environment.whole_number("A_NUMBER", 7, least=2)
    else:
        assert environment.whole_number("A_NUMBER", 7, least=2) == number


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SECRET_KEY", "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN"),
        ("REDIS_URL", "redis://127.0.0.1:6379/0"),
        ("REDIS_URL", "unix:///run/valkey.sock"),
    ],
)
def test_it_starts_with_the_least_that_protects(name, value, tmp_path) -> None:
    done = python(tmp_path, "-c", "import config.settings", **{**SET_UP, name: value})
    assert done.returncode == 0, done.stderr


def test_the_shared_cache_holds_no_pickles(tmp_path) -> None:
    code = "from config.settings import CACHES as c; print(c['redis']['OPTIONS']['SERIALIZER'])"
    name = python(tmp_path, "-c", code, **SET_UP).stdout.strip()
    kept = import_string(name)({})
    for value in (True, None, "é", [1, [2]], {"a": None}):
        assert kept.loads(kept.dumps(value)) == value
    with pytest.raises(ValueError):
        kept.loads(pickle.dumps({"a": 1}))
    with pytest.raises(TypeError):
        kept.dumps(object())


def test_data_belong_to_this_account_only(tmp_path) -> None:
    """A database made before with wider rights is narrowed; a folder made by hand stays."""
    code = "import config.settings"
    folder = tmp_path / "data"
    os.umask(0o022)
    for _start in range(2):
        assert python(tmp_path, "-c", code, DATA_DIR=str(folder)).returncode == 0
        assert folder.stat().st_mode & 0o777 == 0o700
        for name in ("club.sqlite3", "secret_key"):
            assert (folder / name).stat().st_mode & 0o777 == 0o600
        (folder / "club.sqlite3").chmod(0o644)


def test_no_time_limit_is_set_that_workers_of_threads_do_not_keep():
    """Celery cuts tasks of processes alone: docs/operating.md says what bounds those of threads."""
    for starter in ("deploy/process", "run.py"):
        assert "--pool=threads" in (ROOT / starter).read_text()
    assert (app.conf.task_time_limit, app.conf.task_soft_time_limit) == (None, None)
    for page in ("README.md", "docs/operating.md"):
        assert "Tasks end after" not in (ROOT / page).read_text()
