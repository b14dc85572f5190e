"""The worker killed (signal 9) in the middle of its sweep, again and again: each window ends once."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from django.utils import timezone

from clubs.journal import chain as journal
from clubs.journal.models import JournalEntry
from pairings.matches import actions as match_actions
from pairings.matches.models import Decision, Match, MatchLine, Seat
from ratings.ledger.models import RatedGame
from tests.clubhouse import make_club

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.real_clock]
ROOT = Path(__file__).resolve().parents[2]
MATCHES, KILLS = 40, 4
# A sweep of them all takes 292 statements on PostgreSQL, 532 on SQLite: each kill falls inside.
FIRST, LAST = 10, 60
SWEEP = """
import os, signal, sys, django
django.setup()
from django.db import connection
from pairings.tasks import sweep_due
asked = 0
def die(execute, *arguments):
    global asked
    asked += 1
    if asked == int(sys.argv[1]):
        os.kill(os.getpid(), signal.SIGKILL)
    return execute(*arguments)
with connection.execute_wrapper(die):
    sweep_due()
"""


def sweep(folder: Path, *, dying_at: int) -> int:
    """The exit code of a process that sweeps the test's own database and dies at that statement."""
    held = connection.settings_dict
    told = {**os.environ, "DATA_DIR": str(folder), "REDIS_URL": ""}
    told["DJANGO_SETTINGS_MODULE"] = "config.settings"
    if connection.vendor == "sqlite":
        here = folder / "club.sqlite3"
        if not here.exists():
            here.symlink_to(held["NAME"])
    else:
        place = f"{held['HOST']}:{held['PORT']}/{held['NAME']}"
        told["DATABASE_URL"] = f"postgresql://{held['USER']}@{place}"
    (folder / "secret_key").write_text(settings.SECRET_KEY)
    command = [sys.executable, "-c", SWEEP, str(dying_at)]
    return subprocess.run(command, cwd=ROOT, env=told, check=False).returncode


def test_a_sweep_killed_anywhere_ends_each_window_once(transactional_db, tmp_path):
    club = make_club("club", size=2 * MATCHES)
    long_ago = timezone.now() - timedelta(minutes=6)
    for _number in range(MATCHES):
        match, (a, _b) = club.match()
        match_actions.submit(match=match, by=a, scores=(400, 350), at=long_ago)
    chance = random.Random(20261121)
    left = [MATCHES]
    for _try in range(KILLS):
        assert sweep(tmp_path, dying_at=chance.randint(FIRST, LAST)) == -signal.SIGKILL
        left.append(Match.objects.filter(status="submitted").count())
    assert 0 < left[-1] < MATCHES, "the kills fell nowhere: this run tested nothing"
    assert sweep(tmp_path, dying_at=0) == 0
    ids = list(Match.objects.filter(why="expired", version=2).values_list("pk", flat=True))
    assert len(ids) == MATCHES
    for rows in (
        MatchLine.objects.filter(match__in=ids, event="expire"),
        Decision.objects.filter(match__in=ids),
        RatedGame.objects.filter(source__in=[f"match:{pk}" for pk in ids]),
        JournalEntry.objects.filter(subject__in=[f"match:{pk}" for pk in ids], verb="match_expire"),
    ):
        assert rows.count() == MATCHES, rows.model.__name__
    assert not Seat.objects.filter(match__in=ids, live=True).exists()
    assert list(journal.verify(club.organisation)) == []
