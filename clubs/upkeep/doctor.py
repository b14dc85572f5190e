"""What the person who runs the site should know: each finding with what to do about it."""

from __future__ import annotations

import json
import os
import platform
import shutil
import ssl
import stat
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parseaddr
from http import HTTPStatus
from http.client import HTTPException, HTTPSConnection
from ipaddress import ip_address
from pathlib import Path
from smtplib import SMTPException
from urllib.parse import urlsplit
from uuid import uuid4

import django
from django.conf import settings
from django.contrib.staticfiles.apps import StaticFilesConfig
from django.contrib.staticfiles.finders import get_finders
from django.core import mail
from django.core.cache import caches
from django.core.mail.backends.smtp import EmailBackend
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http.request import validate_host
from psycopg_pool import PoolTimeout
from redis import RedisError

from clubs.notifications.models import UnsentMail
from clubs.upkeep import database_clock, durability, sweeps
from clubs.upkeep.models import JournalCheck

GOOD, WARN, BAD = "ok", "warn", "bad"
ROOM = 500_000_000
"""Bytes free below which writing soon fails."""
CLOCKS_APART = timedelta(seconds=2)
CERTIFICATE_ENDS = timedelta(days=10)
"""Certbot renews one long before: nearer to its end, nobody does."""
MAILS_SINCE = timedelta(days=7)
MOST_PROXIES = 3
NOT_COLLECTED = StaticFilesConfig.ignore_patterns
SYNCHRONIZED = ("timedatectl", "show", "--property=NTPSynchronized", "--value")
ANSWER_S = 5
EXAMPLE = "example.org"
"""Of club.env.example: no domain of anybody."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at. `todo` is empty where nothing is to be done."""

    level: str
    what: str
    words: str
    todo: str = ""


def findings(*, at: datetime) -> Iterator[Finding]:
    """Look at versions, folders, room, address, database, clocks, tasks, Redis, mail, reports and metrics."""
    versions = f"site {settings.SITE_VERSION}, Python {platform.python_version()}, Django {django.__version__}"
    yield Finding(GOOD, "versions", versions)
    yield from _folders()
    if settings.PRODUCTION:
        yield from _production()
        yield from _public_address(at)
    try:
        yield from _database(at)
    except DatabaseError as away:
        todo = "Start the database, or correct host, port, name and password in DATABASE_URL."
        database = connection.settings_dict
        where = f"{database['NAME']} on {database['HOST'] or 'this machine'}:{database['PORT'] or 'usual port'}"
        yield Finding(BAD, "database", f"{where}: {_reason(away)}", todo)
    yield _time_service()
    yield _cache()
    yield _mail()
    yield _reports()
    yield _metrics()


def _folders() -> Iterator[Finding]:
    """Look at the folders of data, photos and archives: each may be on a disk of its own."""
    data, media = Path(settings.DATA_DIR), Path(settings.MEDIA_ROOT)
    yield from _folder("data folder", "disk", data)
    # Made with the first photo or archive: before that the folder above must take it.
    yield from _folder("media folder", "disk of media", media)
    if settings.ARCHIVE_KEEP:
        yield from _folder("archive folder", "disk of archives", Path(settings.ARCHIVE_DIR))
    mode = stat.S_IMODE(data.stat().st_mode)
    if mode & 0o077:
        words = f"{data} is open to others ({mode:o})"
        yield Finding(WARN, "data folder", words, f"chmod 700 {data}")


def _folder(name: str, disk: str, folder: Path) -> Iterator[Finding]:
    """Look whether this account may write to a folder, and whether its disk has room."""
    there = next(place for place in (folder, *folder.parents) if place.exists())
    if not os.access(there, os.W_OK):
        todo = (
            f"Run this as the account of the site, or: chown -R {os.geteuid()} {there}; with systemd "
            "ReadWritePaths of the units names it."
        )
        words = f"{there} cannot be written by this account ({os.geteuid()})"
        yield Finding(BAD, name, words, todo)
        return
    yield Finding(GOOD, name, f"{folder} can be written")
    free = shutil.disk_usage(there).free
    words = f"{free // 1_000_000} MB free"
    if free < ROOM:
        yield Finding(BAD, disk, words, "Make room: remove old archives, or give the disk more.")
    else:
        yield Finding(GOOD, disk, words)


def _production() -> Iterator[Finding]:
    """Look at settings that start, and yet are hardly meant on a site with people."""
    address = urlsplit(settings.SITE_URL)
    host = address.hostname or ""
    doubts = {
        "SITE_URL": (
            host in ("localhost", "127.0.0.1", "::1"),
            f"{settings.SITE_URL}: links in mails lead nowhere",
        ),
        "ALLOWED_HOSTS": (
            not validate_host(host, settings.ALLOWED_HOSTS),
            f"does not name {host} of SITE_URL: links in mails are answered with an error",
        ),
        "scheme of SITE_URL": (
            address.scheme != "https",
            f"{address.scheme}: links in mails are not encrypted, take https",
        ),
        "TRUST_PROXY": (
            settings.TRUST_PROXY > MOST_PROXIES,
            f"{settings.TRUST_PROXY}: more proxies than a request passes",
        ),
        "SECOND_FACTOR": (not settings.SECOND_FACTOR, "0: a password alone opens the roles"),
        "ARCHIVE_KEEP": (not settings.ARCHIVE_KEEP, "0: the site keeps no copy of itself"),
        "EMAIL_URL": (
            settings.EMAIL_BACKEND.partition("backends.")[2] != "smtp.EmailBackend",
            f"no mail is sent ({settings.EMAIL_BACKEND})",
        ),
    }
    for name, (is_doubtful, words) in doubts.items():
        if is_doubtful:
            yield Finding(WARN, name, words, "Correct it, if it is not meant so.")
    yield from _static_files()


def _public_address(at: datetime) -> Iterator[Finding]:
    """Ask for the site by the address that people use: name, certificate, proxy and a process behind it."""
    address = urlsplit(settings.SITE_URL)
    if address.scheme != "https" or not address.hostname:
        return
    name, where = "public address", f"https://{address.netloc}"
    site = HTTPSConnection(address.hostname, address.port, timeout=ANSWER_S)
    try:
        site.request("GET", "/healthz")
        certificate = site.sock.getpeercert() or {}
        status = site.getresponse().status
    except (OSError, HTTPException) as error:
        todo = (
            "Look at the proxy (systemctl status nginx, nginx -t; docker compose logs proxy), its certificate "
            "(certbot certificates) and where the name leads. From a container or behind a firewall, ask from another machine."
        )
        yield Finding(WARN, name, f"{where} cannot be reached: {error}", todo)
        return
    finally:
        site.close()
    if status != HTTPStatus.OK:
        todo = (
            "After a start, look again after a minute. Then read what club-web says "
            "(journalctl -u 'club-web@*' -n 50), and the proxy's log."
        )
        yield Finding(WARN, name, f"{where} answers {status}", todo)
        return
    ends = datetime.fromtimestamp(ssl.cert_time_to_seconds(str(certificate["notAfter"])), UTC)
    words = f"{where} answers; its certificate holds until {ends:%Y-%m-%d}"
    if ends - at < CERTIFICATE_ENDS:
        todo = "Run: certbot renew, and reload the proxy. certbot.timer should do it by itself."
        yield Finding(WARN, name, words, todo)
    else:
        yield Finding(GOOD, name, words)


def _static_files() -> Iterator[Finding]:
    """Look for files that pages name and nobody has collected: such a page is a 500."""
    todo = "Run: deploy/process prepare (manage.py collectstatic)"
    static_root = Path(settings.STATIC_ROOT)
    if (static_root / ".collecting").exists():
        words = f"{static_root}: collecting them did not end, one may be half written"
        yield Finding(BAD, "static files", words, "Run: deploy/process prepare")
        return
    try:
        manifest = json.loads((static_root / "staticfiles.json").read_text())
        collected = set(manifest["paths"])
    except (OSError, ValueError, LookupError, TypeError):
        words = f"{static_root} has none: no page can be shown"
        yield Finding(BAD, "static files", words, todo)
        return
    own = {path for finder in get_finders() for path, _storage in finder.list(NOT_COLLECTED)}
    if missing := sorted(own - collected):
        words = f"{len(missing)} are of another version than the site, {missing[0]} among them"
        yield Finding(BAD, "static files", words, todo)


def waiting_migrations() -> int:
    """Return how many migrations of this version the database lacks."""
    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def _database(at: datetime) -> Iterator[Finding]:
    if waiting := waiting_migrations():
        words = f"{waiting} migrations are not applied"
        yield Finding(BAD, "database", words, "Run: python manage.py migrate")
        return
    yield Finding(GOOD, "database", f"{connection.vendor}, every migration applied")
    apart = abs(database_clock.now() - at)
    if apart > CLOCKS_APART:
        words = f"the database's clock is {apart.total_seconds():.0f} s away from this machine's"
        yield Finding(
            BAD, "clock", words, "Start a time service (chrony, systemd-timesyncd) on both."
        )
    else:
        yield Finding(GOOD, "clock", "the same as the database's")
    yield _durability()
    yield from _tasks(at)
    yield from _journals()
    if lost := UnsentMail.objects.filter(given_up=True, at__gt=at - MAILS_SINCE).count():
        todo = "Once mail goes out again, committees send invitations anew; nobody else is written to again."
        yield Finding(WARN, "lost mails", f"{lost} in seven days: no try succeeded", todo)


def _durability() -> Finding:
    """Ask the database whether what it has committed is on the disk: a power cut loses no result."""
    what = "power cut"
    loose = [f"{name} = off" for name in durability.switched_off()]
    if not loose:
        return Finding(GOOD, what, "the database keeps what it has committed")
    todo = (
        "Remove the variable SQLITE_SYNCHRONOUS and restart the site."
        if connection.vendor == "sqlite"
        else "Run as its administrator: ALTER SYSTEM RESET of each, then SELECT pg_reload_conf(), and restart "
        "the site. If it stays off, look at postgresql.conf, ALTER ROLE … SET and ALTER DATABASE … SET."
    )
    words = f"{', '.join(loose)}: loses results that people were told are kept"
    return Finding(BAD, what, words, todo)


def _reason(away: DatabaseError) -> str:
    """Return why the database cannot be reached, in one line: a pool says only that it has waited."""
    reason = away
    if isinstance(away.__cause__, PoolTimeout):
        alone = connection.copy()
        del alone.settings_dict["OPTIONS"]["pool"]
        try:
            alone.ensure_connection()
        except DatabaseError as refused:
            reason = refused
        finally:
            alone.close()
    return " ".join(str(reason).split())


def _journals() -> Iterator[Finding]:
    """Look for journals whose last verification found a row that does not hold."""
    broken = JournalCheck.objects.filter(breach_seq__isnull=False)
    for check in broken.select_related("organisation").order_by("pk"):
        slug = check.organisation.slug
        words = (
            f"row {check.breach_seq}: {check.breach_what} ({check.checked_at:%Y-%m-%d %H:%M} UTC)"
        )
        todo = (
            f"Run: manage.py verify_journal --organisation {slug} --expect SEQ:HASH, with the last head "
            "that was mailed to the committee; compare with the newest archive that holds."
        )
        yield Finding(BAD, f"journal of {slug}", words, todo)


def _tasks(at: datetime) -> Iterator[Finding]:
    tasks = sweeps.states(at=at, after=sweeps.ALL_LATE_AFTER)
    late = [name for name, task in tasks.items() if task.late]
    failed = [
        f"{name} ({task.failed_at:%Y-%m-%d %H:%M} UTC)"
        for name, task in tasks.items()
        if task.failed_at
    ]
    if failed:
        todo = (
            "Read the worker's log of that time. While it is archive, make the archive folder and its disk "
            "good again: a copy is tried three times more, every ten minutes, then a day after the first "
            "try, or now by celery -A config call clubs.notifications.tasks.archive_site. "
            "While it is restore, rely on no copy in ARCHIVE_DIR: "
            "run manage.py archive FILE, and manage.py restore FILE on a new site; the next trial is a week "
            "after the last one, or now by celery -A config call clubs.notifications.tasks.try_archive. "
            "While it is numbers, "
            "run manage.py verify: it names each number that does not hold. Once it is mended, daily and "
            "numbers succeed a day later, or now by celery -A config call pairings.tasks.daily."
        )
        yield Finding(BAD, "failed tasks", f"not succeeded since: {', '.join(failed)}", todo)
    if late:
        todo = (
            "Start a worker and beat, or restart both where they run: a clock that was ahead holds them up. "
            "After a first start, look again after a minute."
        )
        yield Finding(WARN, "periodic tasks", f"late or never run: {', '.join(late)}", todo)
    else:
        yield Finding(GOOD, "periodic tasks", "all on time")


def _time_service() -> Finding:
    """Ask systemd whether the kernel's clock is kept: a database on the same machine shows the same time."""
    try:
        asked = subprocess.run(
            SYNCHRONIZED, capture_output=True, text=True, timeout=ANSWER_S, check=False
        )
        answer = asked.stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        answer = ""
    if answer == "yes":
        return Finding(GOOD, "time service", "keeps this machine's clock")
    if answer == "no":
        todo = (
            "Run: timedatectl set-ntp true (apt-get install systemd-timesyncd, or chrony), and "
            "look again after a minute. The firewall must let UDP port 123 out."
        )
        return Finding(WARN, "time service", "none keeps this machine's clock", todo)
    words = "cannot be seen from here (container, or no systemd): run timedatectl on the machine"
    return Finding(GOOD, "time service", words)


def _cache() -> Finding:
    """Ask Redis itself: the site's own cache answers from its memory while Redis is away."""
    asked = caches["redis" if "redis" in settings.CACHES else "default"]
    value = uuid4().hex
    try:
        asked.set("doctor", value, 10)
        answers = asked.get("doctor") == value
    except (RedisError, OSError):
        answers = False
    if answers:
        return Finding(GOOD, "cache", "answers")
    words = "does not answer: pages come, but no task is done and no mail is sent"
    return Finding(WARN, "cache", words, "Start Valkey, or correct REDIS_URL.")


def _mail() -> Finding:
    """Connect to the mail server as a worker does, and send nothing."""
    server, sender = mail.get_connection(), settings.DEFAULT_FROM_EMAIL
    if not isinstance(server, EmailBackend):
        return Finding(GOOD, "mail", f"not sent, kept by {settings.EMAIL_BACKEND}")
    try:
        server.open()
        server.close()
    except (OSError, SMTPException) as error:
        todo = "Correct EMAIL_URL (smtp+tls://NAME:PASSWORD@HOST:587), or start that server."
        return Finding(BAD, "mail", f"{server.host}:{server.port}: {error}", todo)
    host = parseaddr(sender)[1].rpartition("@")[2].lower()
    if host in ("localhost", EXAMPLE) or host.endswith(f".{EXAMPLE}"):
        words = f"mails come from {sender}, which other servers refuse"
        return Finding(WARN, "mail", words, "Set DEFAULT_FROM_EMAIL to an address of the site.")
    return Finding(GOOD, "mail", f"the server answers; mails come from {sender}")


def _reports() -> Finding:
    if settings.SENTRY_DSN:
        return Finding(GOOD, "error reports", "to Sentry")
    if settings.ADMINS:
        return Finding(GOOD, "error reports", f"by mail to {len(settings.ADMINS)} addresses")
    todo = "Set ADMINS (mail addresses, separated by commas) or SENTRY_DSN."
    return Finding(WARN, "error reports", "nobody is told of an error", todo)


def _metrics() -> Finding:
    bind = settings.METRICS_BIND
    if not settings.METRICS_PORT:
        return Finding(GOOD, "metrics", "off")
    if _is_inner(bind):
        return Finding(GOOD, "metrics", f"on {bind}:{settings.METRICS_PORT}")
    words = f"{bind}:{settings.METRICS_PORT} is open to the world"
    return Finding(BAD, "metrics", words, "Set METRICS_BIND=127.0.0.1, or an inner address.")


def _is_inner(bind: str) -> bool:
    """Return whether that address is this machine's or an inner network's; a name may be any."""
    try:
        address = ip_address(bind)
    except ValueError:
        return bind == "localhost"
    return address.is_private and not address.is_unspecified
