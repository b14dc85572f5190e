"""Record what the site shows, so that a refactoring can be compared with what was before it.

    python -m tests.record OUT               every address for every kind of reader, routes, tasks, migrations
    python -m tests.record compare OLD NEW   what differs between two records; exit code 1 if anything does

The pages are those of the furnished club of tests/permissions, on its frozen clock and on SQLite. One
tag or text a line, white space folded; tokens, nonces and random names are replaced.
"""

from __future__ import annotations

import difflib
import io
import logging
import os
import re
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import tests.plugins.services as services  # chooses the database before the settings are read

os.environ["SECRET_KEY"] = "the-same-for-every-record"
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
LINES_SHOWN, LONGEST = 30, 300
RANDOM = [
    (re.compile(r'(name="csrfmiddlewaretoken" value=|nonce=|data-push-key=)"[^"]*"'), r'\1"…"'),
    (re.compile(r'("X-CSRFToken": )"[^"]*"'), r'\1"…"'),
    (re.compile(r"\b(?:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{32})\b"), "…"),
    (re.compile(r'(class="qrline"[^>]* d=)"[^"]*"'), r'\1"…"'),
    (re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "…"),
]


def record(out: Path) -> None:
    """Write what everybody reads into a folder, one file a page and a reader."""
    import django

    django.setup()
    logging.disable()
    services.pytest_configure(None)  # type: ignore[arg-type]
    import time_machine
    from django.core.management import call_command
    from django.db import connection
    from django.test.utils import setup_test_environment
    from django.utils import timezone

    from config.celery import app
    from tests.clubhouse import NOW
    from tests.permissions.furnished_club import furnish

    setup_test_environment()
    connection.creation.create_test_db(verbosity=0)
    with mock.patch("clubs.upkeep.database_clock.now", lambda: timezone.now()):
        with time_machine.travel(NOW, tick=False):
            site = furnish()
        with time_machine.travel(site.club.at, tick=False):
            _pages(site, out)
    stored = io.StringIO()
    call_command("showmigrations", stdout=stored, no_color=True)
    _write(out / "migrations.txt", stored.getvalue())
    app.loader.import_default_modules()
    _write(out / "tasks.txt", "\n".join(sorted(name for name in app.tasks if "celery" not in name)))
    _write(out / "routes.txt", "\n".join(sorted(_routes())))
    connection.creation.destroy_test_db(str(connection.settings_dict["NAME"]), verbosity=0)


def _pages(site: Any, out: Path) -> None:
    from django.db import transaction

    from clubs.members.models import Member
    from pairings.evenings.models import Evening
    from tests.permissions import access
    from tests.permissions.test_permissions import address, lines, signed_in

    club, names = site.club, {site.words["token"]: "token"}
    names |= {member.public_id: f"person-{member.pk}" for member in Member.objects.all()}
    names |= {evening.door_code: f"code-{evening.pk}" for evening in Evening.objects.all()}
    names.pop("", None)
    for case in lines():
        space, name, _level, arguments, _body, effect = case.values
        if effect in (access.POST_ONLY, access.POSTED, access.COOKIE):
            continue
        url = address(site, space, name, arguments, club)
        owners = [site.owners[word] for word in arguments.values() if word in site.owners]
        readers = {
            "visitor": None,
            "player": owners[0] if owners else club.members[0].user,
            "other player": club.members[23].user,
            "arbiter": club.arbiter.user,
            "committee": club.committee.user,
        }
        for who, user in readers.items():
            with transaction.atomic():
                shown = shown_of(signed_in(site, user).get(url), names)
                transaction.set_rollback(True)
            _write(out / who / f"{case.id.replace(':', '.')}.html", shown)


def shown_of(answer: Any, names: dict[str, str]) -> str:
    """Return status, place and content of a response without what is random in it."""
    kind = answer.headers.get("Content-Type", "")
    head = f"{answer.status_code} {kind} {answer.headers.get('Location', '')}\n"
    if answer.streaming or not kind.startswith(("text/", "application/json")):
        return head
    text = answer.content.decode()
    for name, neutral in names.items():
        text, head = text.replace(name, neutral), head.replace(name, neutral)
    for pattern, neutral in RANDOM:
        text = pattern.sub(neutral, text)
    if "html" in kind:
        text = re.sub(r"\s*(<[^>]*>)\s*", r"\n\1\n", " ".join(text.split()))
    return head + re.sub(r"\n+", "\n", text)


def _routes(patterns: Any = None, prefix: str = "") -> list[str]:
    from django.urls import get_resolver

    found = []
    for part in get_resolver().url_patterns if patterns is None else patterns:
        path = prefix + str(part.pattern)
        below = getattr(part, "url_patterns", None)
        found += [f"{path}  {part.name}"] if below is None else _routes(below, path)
    return found


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n")


def compare(old: Path, new: Path) -> int:
    """Print what differs, at most some lines a file, and return the number of files that do."""
    files = {path.relative_to(top) for top in (old, new) for path in top.rglob("*.*")}
    different = 0
    for file in sorted(files):
        before, after = (
            (top / file).read_text().splitlines() if (top / file).is_file() else []
            for top in (old, new)
        )
        if before != after:
            different += 1
            lines = list(difflib.unified_diff(before, after, str(old / file), str(new / file), n=1))
            print("\n".join(line.strip()[:LONGEST] for line in lines[:LINES_SHOWN]))
            print(f"  … {len(lines) - LINES_SHOWN} more lines" * (len(lines) > LINES_SHOWN))
    print(f"{different} of {len(files)} files differ")
    return different


if __name__ == "__main__":
    if sys.argv[1:2] == ["compare"] and len(sys.argv) == 4:
        sys.exit(min(compare(Path(sys.argv[2]), Path(sys.argv[3])), 1))
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    record(Path(sys.argv[1]))
