"""What the settings read from the environment, checked: production refuses what protects nothing."""

from __future__ import annotations

import json
import os
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Container
from contextlib import suppress
from email.utils import parseaddr
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from django.core.exceptions import ImproperlyConfigured
from django.http.request import split_domain_port
from environ import Env

BASE_DIR = Path(__file__).resolve().parent.parent
VAPID_BYTES = 32
QUOTES = "\"'"
"""Kept by what reads a file of settings as it stands, for instance docker run --env-file."""


def is_production() -> bool:
    """Return whether this is a site for people; a mistyped word would start one that protects nothing."""
    value = os.environ.get("SITE_ENV", "")
    if value not in ("", "production"):
        raise ImproperlyConfigured(
            f"SITE_ENV must be production, or left out for a demo, not {value[:20]!r}."
        )
    return value == "production"


PRODUCTION = is_production()


def folder(name: str, default: Path) -> Path:
    """Return an environment variable that is a folder; production takes its whole path alone.

    Part of a path, or one in quotes, would be a folder below that in which the process was started.
    """
    value = os.environ.get(name, "")
    if value != value.strip() or (PRODUCTION and value and not Path(value).is_absolute()):
        raise ImproperlyConfigured(
            f"{name} must be the whole path of a folder, without blanks or quotes around it, "
            f"not {value[:40]!r}."
        )
    return Path(value) if value else default


DATA_DIR = folder("DATA_DIR", BASE_DIR / "data")


def required(name: str) -> str:
    """Return an environment variable that production requires."""
    value = os.environ.get(name, "")
    if PRODUCTION and not value:
        raise ImproperlyConfigured(f"{name} is not set: the site refuses to start without it.")
    return value


def whole_number(name: str, default: int, *, least: int = 0, most: int = 100_000) -> int:
    """Return an environment variable that is a whole number, `least` or more and `most` or less.

    More days, or milliseconds of a statement, are more than Python and PostgreSQL can count.
    """
    value = os.environ.get(name, "") or str(default)
    if not (value.isascii() and value.isdigit() and len(value) < 10 and int(value) >= least):
        raise ImproperlyConfigured(
            f"{name} must be a whole number, {least} or more, not {value[:20]!r}."
        )
    if int(value) > most:
        raise ImproperlyConfigured(f"{name} must be {most} or less, not {value}.")
    return int(value)


def address(name: str, url: str, schemes: Container[str], example: str) -> SplitResult:
    """Return the parts of an address. The refusal does not show it: a password may be in it."""
    # urlsplit() reads an address without the blanks and line ends that others would keep in it.
    is_clean = url == url.strip() and url.isprintable()
    try:
        parts = urlsplit(url)
        if is_clean and parts.scheme in schemes and (parts.port is None or parts.port > 0):
            return parts
    except ValueError:
        pass
    if not is_clean:
        raise ImproperlyConfigured(f"{name} has a blank or a line end before, in or after it.")
    raise ImproperlyConfigured(f"{name} must be an address such as {example}.")


def is_host(name: str) -> bool:
    """Return whether Django answers requests to this host; accents of a name are written as xn--…"""
    return name != "" and split_domain_port(name) == (name.lower(), "")


def site_url(usual: str) -> str:
    """Return the address of the site that mails name, which leads to a host."""
    url, example = os.environ.get("SITE_URL") or usual, "https://club.example.org"
    parts = address("SITE_URL", url, ("https", "http"), example)
    host = url.partition("://")[2].rstrip("/")
    if host != parts.netloc or not is_host(host.removesuffix(f":{parts.port}")):
        raise ImproperlyConfigured(
            f"SITE_URL must be an address such as {example}, with nothing after the name and the port."
        )
    return url


def mail_addresses(name: str) -> list[str]:
    """Return an environment variable that is mail addresses, separated by commas."""
    addresses = [one.strip() for one in os.environ.get(name, "").split(",") if one.strip()]
    for one in addresses:
        local, _sign, host = one.rpartition("@")
        if not local or not host or " " in one or host[-1] in QUOTES:
            raise ImproperlyConfigured(f"{name} must be mail addresses, not {one[:40]!r}.")
    return addresses


def sender(name: str, default: str) -> str:
    """Return an environment variable that is one mail address, with or without a name before it."""
    value = os.environ.get(name, "").strip() or default
    local, _sign, host = parseaddr(value)[1].rpartition("@")
    is_quoted = value[0] in QUOTES and value[-1] in QUOTES
    if not local or not host or is_quoted or len(value.splitlines()) > 1:
        raise ImproperlyConfigured(
            f"{name} must be a mail address such as club@example.org, not {value[:40]!r}."
        )
    return value


def one_of(name: str, *choices: str) -> str:
    """Return an environment variable that has one of these values; the first where it is not set."""
    value = os.environ.get(name) or choices[0]
    if value not in choices:
        raise ImproperlyConfigured(f"{name} must be {' or '.join(choices)}, not {value[:20]!r}.")
    return value


def yes_or_no(name: str, default: bool) -> bool:
    """Return an environment variable that is 1 or 0."""
    choices = ("1", "0") if default else ("0", "1")
    return one_of(name, *choices) == "1"


def private_folder(path: Path) -> Path:
    """Create the folder if it is missing, for this account only."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ImproperlyConfigured(
            f"{path} cannot be made ({error.strerror}): correct DATA_DIR, or make the folder for "
            "the account of the site."
        ) from error
    return path


def private_file(path: Path) -> Path:
    """Create the file if it is missing, for this account only; SQLite's other files copy its mode."""
    try:
        path.touch(mode=0o600)
    except OSError as error:
        raise ImproperlyConfigured(
            f"{path} cannot be written by this account ({os.geteuid()}): {error.strerror}."
        ) from error
    if path.stat().st_uid == os.geteuid() and path.stat().st_mode & 0o077:
        path.chmod(0o600)
    return path


def check_outside(static_root: Path, **folders: Path) -> None:
    """Raise where a folder is in that of static files.

    A proxy sends all of it to everybody, and `deploy/process prepare` removes what is new in it where
    the one before was killed.
    """
    for name, path in folders.items() if PRODUCTION else ():
        if path.resolve().is_relative_to(static_root.resolve()):
            raise ImproperlyConfigured(
                f"{name} ({path}) may not be in STATIC_ROOT ({static_root})."
            )


def check_collected(static_root: Path) -> None:
    """Raise where production has no whole list of static files: every page would be a 500."""
    if not PRODUCTION:
        return
    try:
        json.loads((static_root / "staticfiles.json").read_bytes())
    except (OSError, ValueError) as error:
        raise ImproperlyConfigured(
            f"STATIC_ROOT ({static_root}) has no collected static files: run deploy/process prepare, "
            "or manage.py collectstatic, before the site starts."
        ) from error


STATEMENT_TIMEOUT_S = whole_number("DATABASE_STATEMENT_TIMEOUT", 30)
"""Seconds; 0 is without limit."""
LOCK_TIMEOUT_S = 10


def database(url: str) -> dict[str, object]:
    """Return DATABASE_URL as Django's dictionary; without it, SQLite."""
    if not url:
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": private_file(private_folder(DATA_DIR) / "club.sqlite3"),
            "OPTIONS": {
                "transaction_mode": "IMMEDIATE",
                "timeout": 20,
                "init_command": (
                    "PRAGMA journal_mode=WAL; "
                    # REPLACE fires the DELETE triggers of append-only tables.
                    "PRAGMA recursive_triggers=ON; "
                    f"PRAGMA synchronous={os.environ.get('SQLITE_SYNCHRONOUS', 'FULL')};"
                ),
            },
            "TEST": {"NAME": os.environ.get("TEST_SQLITE", str(DATA_DIR / "test.sqlite3"))},
        }
    escaped = " (%2F for a / in the password, %3F for a ?, %40 for a @)"
    example = "postgresql://club:PASSWORD@127.0.0.1/club"
    # Env understands a # as it stands.
    plain, schemes = url.replace("#", "%23"), ("postgresql", "postgres")
    if not address("DATABASE_URL", plain, schemes, example + escaped).path.strip("/"):
        raise ImproperlyConfigured(f"DATABASE_URL names no database: {example} ends with one.")
    parsed = Env.db_url_config(url)
    chosen, own = parsed.get("OPTIONS", {}), _postgres_options()
    if both := sorted(chosen.keys() & own.keys()):
        raise ImproperlyConfigured(
            f"DATABASE_URL must leave out {', '.join(both)}: the site sets that itself."
        )
    return {**parsed, "CONN_HEALTH_CHECKS": True, "OPTIONS": chosen | own}


def _postgres_options() -> dict[str, object]:
    return {
        # Rows read through a cursor are all read: plan for the whole result, not for its
        # start (the latest cotes of a long list: 1.7 s instead of 5.4).
        # A web request never waits longer than this for one statement or one lock; PostgreSQL
        # cancels it, and the page is a 503. Management commands have no limit (manage.py).
        "options": (
            "-c cursor_tuple_fraction=1"
            f" -c statement_timeout={STATEMENT_TIMEOUT_S * 1000}"
            f" -c lock_timeout={min(STATEMENT_TIMEOUT_S, LOCK_TIMEOUT_S) * 1000}"
        ),
        # A server that does not answer is given up: at once when connecting, and within a
        # minute where an open connection was cut without notice (power, cable, firewall).
        "connect_timeout": 5,
        "keepalives": 1,
        "keepalives_idle": 30,
        "keepalives_interval": 10,
        "keepalives_count": 3,
        "tcp_user_timeout": 60_000,
        # Connections of a process, shared by its threads: a request waits up to `timeout`
        # seconds for a free one. The pool doubles its pause after each try that failed, within
        # `reconnect_timeout`: with its usual 300 s, pages would wait two minutes for a
        # database that is back.
        "pool": {
            "min_size": 0,
            "max_size": whole_number("DATABASE_POOL", 8, least=1),
            "timeout": 5,
            "reconnect_timeout": 5,
        },
    }


def host_names(name: str, text: str, example: str) -> list[str]:
    """Return the names of hosts in a value of the environment, which has commas between them."""
    hosts = [host.strip() for host in text.split(",") if host.strip()]
    if not all(host == "*" or is_host(host.removeprefix(".")) for host in hosts):
        raise ImproperlyConfigured(
            f"{name} must be names such as {example}, with a comma between two."
        )
    return hosts


def hosts_of(text: str) -> list[str]:
    """Return the names the site answers to; production must name each of them."""
    hosts = host_names("ALLOWED_HOSTS", text, "club.example.org")
    if PRODUCTION and (not hosts or "*" in hosts):
        raise ImproperlyConfigured(
            "ALLOWED_HOSTS must name the hosts of the site, not all of them."
        )
    return hosts or ["*"]


def strong_key(key: str, name: str = "SECRET_KEY") -> str:
    """Return a secret key; production refuses one that can be guessed."""
    weak = len(key) < 50 or len(set(key)) < 10 or key.startswith("django-insecure-")
    if PRODUCTION and weak:
        raise ImproperlyConfigured(
            f"{name} is weak: give at least 50 random characters, for instance those of "
            "python3 -c 'import secrets; print(secrets.token_urlsafe(50))'."
        )
    return key


def former_keys() -> list[str]:
    """Return the secret keys of before that still open what they signed, the newest first."""
    keys = [key.strip() for key in os.environ.get("SECRET_KEY_FALLBACKS", "").split(",")]
    return [strong_key(key, "SECRET_KEY_FALLBACKS") for key in keys if key]


def private_redis(url: str) -> str:
    """Return the address of Redis; production refuses one that anybody on the network may write to."""
    if not url:
        return url
    parts = address("REDIS_URL", url, ("redis", "rediss", "unix"), "redis://:password@host:6379/0")
    number = parts.path.removeprefix("/")
    if parts.scheme != "unix" and number and not number.isdecimal():
        raise ImproperlyConfigured("REDIS_URL must end with the number of a database, such as /0.")
    near = parts.scheme == "unix" or parts.hostname in ("localhost", "127.0.0.1", "::1")
    if PRODUCTION and not near and not parts.password:
        raise ImproperlyConfigured(
            "REDIS_URL has no password: tasks and rate limits are in Redis. Give it one "
            "(redis://:password@host:6379/0), or use a unix socket or this machine's own Redis."
        )
    return url


def own_secret_key() -> str:
    """Return a key created once and stored beside the data, for a site without configuration."""
    return _own_key("secret_key", lambda: secrets.token_urlsafe(50))


def own_vapid_key() -> str:
    """Return the key that signs notifications to phones, created once and stored beside the data.

    Browsers subscribe with its public half: with another key, every phone must subscribe again.
    """
    return _own_key("vapid_key", _new_vapid_key)


def vapid_key() -> str:
    """Return the key of the environment, or the site's own. Raises for one that cannot sign."""
    key = os.environ.get("VAPID_PRIVATE_KEY") or own_vapid_key()
    try:
        is_whole = len(urlsafe_b64decode(key + "=" * (-len(key) % 4))) >= VAPID_BYTES
    except ValueError:
        is_whole = False
    if not is_whole:
        raise ImproperlyConfigured(
            "VAPID_PRIVATE_KEY must be a key such as the line in DATA_DIR/vapid_key; without either "
            "the site makes one, and phones subscribe again."
        )
    return key


def _new_vapid_key() -> str:
    from cryptography.hazmat.primitives.asymmetric import ec

    number = ec.generate_private_key(ec.SECP256R1()).private_numbers().private_value
    return urlsafe_b64encode(number.to_bytes(VAPID_BYTES, "big")).decode().rstrip("=")


def _own_key(name: str, make: Callable[[], str]) -> str:
    """Return the key in this file. Processes that start together must read the same one."""
    path = DATA_DIR / name
    try:
        if not path.is_file():
            private_folder(DATA_DIR)
            draft = private_file(DATA_DIR / f".{name}-{os.getpid()}-{secrets.token_hex(4)}")
            try:
                draft.write_text(make())
                with suppress(FileExistsError):
                    os.link(draft, path)  # complete or absent, never half written
            finally:
                draft.unlink()
        return path.read_text().strip()
    except OSError as error:
        raise ImproperlyConfigured(
            f"DATA_DIR ({DATA_DIR}) must be a folder that this account ({os.geteuid()}) may read and "
            f"write: {error.strerror}."
        ) from error
