"""Who was forgotten, beside the database: an older archive that is restored brings nobody back.

Each line of `DATA_DIR/erasures.jsonl` has the club, the player's public id and the moment; no name.
A first one says that the forgetting began, a second one that it is saved: a process may be killed
between the commit and the second, and nothing in the database tells the public id any more.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.db import transaction

from clubs.members.models import Member

log = logging.getLogger(__name__)


class Erasure(NamedTuple):
    """A forgotten player: the slug of their club and their public id."""

    organisation: str
    public_id: str


def list_file() -> Path:
    return Path(settings.DATA_DIR) / "erasures.jsonl"


def lines_of(member: Member, *, at: datetime) -> list[dict[str, object]]:
    """Return what `note` writes about a member: by the public id that older archives know.

    And about each row merged into theirs: in an older archive that is a person of its own still.
    """
    line = {"organisation": member.organisation.slug, "at": at.isoformat()}
    public_ids = Member.objects.filter(pk__in=member.rows()).values_list("public_id", flat=True)
    return [{**line, "public_id": public_id} for public_id in public_ids]


def note(lines: Sequence[Mapping[str, object]]) -> None:
    """Add these lines before the transaction that forgets somebody commits, and once more after it.

    The last act of the transaction: what is refused until then has begun nothing.
    """
    if lines:
        _append("\n".join(json.dumps({**line, "begun": True}) for line in lines))
        transaction.on_commit(lambda: _append("\n".join(map(json.dumps, lines))))


def _append(lines: str) -> None:
    """Write whole lines at once, or none, readable by the site's account alone."""
    try:
        file = os.open(list_file(), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        size = os.fstat(file).st_size
        try:
            with open(file, "a", encoding="utf-8") as listed:
                listed.write(f"{lines}\n")
                listed.flush()
                os.fsync(listed.fileno())  # where the power fails after the commit, it is there
        except OSError:  # the disk is full: the next line would go on where this one was cut
            os.truncate(list_file(), size)
            raise
    except OSError:  # they are forgotten all the same; only an old archive would bring them back
        log.exception("a forgotten player is not in %s: %s", list_file(), lines)


def read(path: Path) -> tuple[list[Erasure], list[Erasure]]:
    """Return who was forgotten, and who may have been: that began, and no line says that it is saved.

    Each once. Raises ValueError where it is no such list.
    """
    begun, saved = dict[Erasure, None](), dict[Erasure, None]()
    for number, text in enumerate(path.read_text("utf-8").splitlines(), start=1):
        try:
            line = json.loads(text)
            listed = begun if line.get("begun") else saved
            listed[Erasure(line["organisation"], line["public_id"])] = None
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as wrong:
            raise ValueError(f"{path}, line {number}: not a line of a list of erasures") from wrong
    return list(saved), [one for one in begun if one not in saved]
