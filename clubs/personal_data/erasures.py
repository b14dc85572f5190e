"""Who was forgotten, beside the database: an older archive that is restored brings nobody back.

Each line of `DATA_DIR/erasures.jsonl` has the club, the player's public id and the moment; no name.
"""

from __future__ import annotations

import json
import logging
import os
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


def note(member: Member, *, at: datetime) -> None:
    """Add a line once the transaction that forgets this member is committed.

    And one for each row merged into theirs: in an older archive that is a person of its own still.
    """
    line = {"organisation": member.organisation.slug, "at": at.isoformat()}
    public_ids = Member.objects.filter(pk__in=member.rows()).values_list("public_id", flat=True)
    lines = [json.dumps({**line, "public_id": public_id}) for public_id in public_ids]
    transaction.on_commit(lambda: _append("\n".join(lines)))


def _append(lines: str) -> None:
    """Write whole lines at once, or none, readable by the site's account alone."""
    try:
        file = os.open(list_file(), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        size = os.fstat(file).st_size
        try:
            with open(file, "a", encoding="utf-8") as listed:
                listed.write(f"{lines}\n")
        except OSError:  # the disk is full: the next line would go on where this one was cut
            os.truncate(list_file(), size)
            raise
    except OSError:  # they are forgotten all the same; only an old archive would bring them back
        log.exception("a forgotten player is not in %s: %s", list_file(), lines)


def read(path: Path) -> list[Erasure]:
    """Return everybody on a list, each once. Raises ValueError where it is no such list."""
    listed: dict[Erasure, None] = {}
    for number, text in enumerate(path.read_text("utf-8").splitlines(), start=1):
        try:
            line = json.loads(text)
            listed[Erasure(line["organisation"], line["public_id"])] = None
        except (ValueError, LookupError, TypeError, RecursionError) as wrong:
            raise ValueError(f"{path}, line {number}: not a line of a list of erasures") from wrong
    return list(listed)
