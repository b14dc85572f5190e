"""One confirmation beside a bare view that writes the same rows, and a long PDF beside bare lines.

Both views run in this process, on SQLite, in turns; the figure is processor time.
"""

from __future__ import annotations

import io
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

TURNS, EACH, ROWS = 15, 10, 10_000


def run() -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"DATA_DIR": folder, "DATABASE_URL": "", "REDIS_URL": ""}
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        return [_confirmation(), _long_pdf()]


def _used(work: Callable[[], Any]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _confirmation() -> dict[str, Any]:
    from django.db import transaction
    from django.test import Client, override_settings
    from django.utils import timezone

    from benchmarks import bare_confirmation
    from pairings.matches import actions as match_actions
    from pairings.matches.models import Match
    from tests import clubhouse

    at = clubhouse.NOW = timezone.now()
    with transaction.atomic():
        club = clubhouse.make_club("club", size=4 * TURNS * EACH + 4)
        club.at = at
        entered = []
        for _number in range(2 * TURNS * EACH + 2):
            match, (first, second) = club.match()
            done = match_actions.submit(match=match, by=first, scores=(400, 350), at=at)
            phone = Client(HTTP_HOST="localhost")
            phone.force_login(second.user)  # type: ignore[arg-type]
            entered.append((phone, match.pk, done.version))

    def send(path: str) -> None:
        phone, match, version = entered.pop()
        answer = phone.post(f"{path}/matchs/{match}/confirmer/", {"version": version})
        assert answer.status_code == 302, answer.content
        assert Match.objects.get(pk=match).status == "final"

    with override_settings(ROOT_URLCONF="benchmarks.bare_confirmation"):
        send("/c/club")
        bare_confirmation.read_examples()
        send("/bare")
        times: dict[str, list[float]] = {"/c/club": [], "/bare": []}
        for _turn in range(TURNS):
            for path, used in times.items():
                used.append(_used(lambda path=path: [send(path) for _n in range(EACH)]) / EACH)  # type: ignore[misc]
    anchor = statistics.median(times["/bare"])
    return {
        "name": "one confirmation, processor",
        "seconds": statistics.median(times["/c/club"]),
        "limit": 2 * anchor,
        "anchor": anchor,
        "anchor_name": "a bare view that writes the same rows",
    }


def _long_pdf() -> dict[str, Any]:
    from django.utils import timezone
    from reportlab.lib.pagesizes import A4
    from reportlab.pdfgen.canvas import Canvas

    from clubs.accounts.models import User
    from clubs.organisations.models import Organisation
    from ratings.editions import files, freezing
    from ratings.editions.pdf import FONT, MARGIN, ROW
    from ratings.ledger.models import Edition
    from ratings.systems.columns import COLUMNS, ListRow, ListTable

    rows = tuple(
        ListRow(n, f"Joueuse {n} Martin", n, cells={"cote": 2000 - n // 10, "games": n % 90})
        for n in range(1, ROWS + 1)
    )
    head, frozen = freezing.frozen(ListTable(COLUMNS, rows))
    edition = Edition.objects.create(
        organisation=Organisation.objects.get(),
        number=1,
        title="Classement",
        covers_until=timezone.now().date(),
        published_at=timezone.now(),
        published_by=User.objects.all()[0],
        columns=head,
        rows=frozen,
        journal_seq=1,
        journal_hash="0" * 64,
        sha256="0" * 64,
    )
    table = freezing.table_of(edition)
    texts = [
        [str(row.rank), row.name, str(row.cells["cote"]), str(row.cells["games"])]
        for row in table.rows
    ]

    def bare() -> None:
        canvas = Canvas(io.BytesIO(), pagesize=A4)
        lines_a_page = int((A4[1] - 2 * MARGIN) // ROW)
        for start in range(0, len(texts), lines_a_page):
            canvas.setFont(FONT, 9)
            for place, cells in enumerate(texts[start : start + lines_a_page], start=1):
                y = A4[1] - MARGIN - place * ROW
                canvas.line(MARGIN, y, A4[0] - MARGIN, y)
                for x, text in enumerate(cells):
                    canvas.drawString(MARGIN + 120 * x, y + 5, text)
            canvas.showPage()
        canvas.save()

    files.pdf_file(edition)  # fonts, once for the process
    times = [(_used(lambda: files.pdf_file(edition)), _used(bare)) for _turn in range(3)]
    anchor = statistics.median(used for _whole, used in times)
    return {
        "name": f"PDF of a ranking of {ROWS:,}, processor",
        "seconds": statistics.median(used for used, _bare in times),
        "limit": 2 * anchor,
        "anchor": anchor,
        "anchor_name": "the same rows by reportlab alone",
    }


if __name__ == "__main__":
    from benchmarks.report import publish

    publish("confirm", run())
    sys.exit(0)
