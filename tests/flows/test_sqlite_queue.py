"""Writers on SQLite queue: everybody gets in, soon, and who waits too long is told as before."""

from __future__ import annotations

import threading
import time

import pytest
from django.db import OperationalError, connection, connections, transaction

from clubs.models import Organisation
from config.sqlite import base

pytestmark = [pytest.mark.only_on("sqlite"), pytest.mark.django_db(transaction=True)]


def in_a_thread(act) -> threading.Thread:
    def run() -> None:
        try:
            act()
        finally:
            connections["default"].close()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_the_sites_database_is_the_one_that_queues(transactional_db):
    assert isinstance(connections["default"], base.DatabaseWrapper)


def test_twenty_writers_all_write_and_nobody_sleeps_long(transactional_db):
    waits = []

    def write() -> None:
        for _again in range(5):
            began = time.monotonic()
            with transaction.atomic():
                waits.append(time.monotonic() - began)
                Organisation.objects.create(slug=f"c{len(waits)}", name="x")
                time.sleep(0.001)

    threads = [in_a_thread(write) for _writer in range(20)]
    for thread in threads:
        thread.join(30)
    assert Organisation.objects.count() == 100
    assert max(waits) < 5


def test_a_writer_who_waits_in_vain_is_refused_and_waits_as_before_the_next_time(
    transactional_db, monkeypatch
):
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            Organisation.objects.create(slug="held", name="x")
            held.set()
            done.wait(20)

    thread = in_a_thread(hold)
    assert held.wait(20)
    connection.ensure_connection()
    options = {**connection.settings_dict["OPTIONS"], "timeout": 0.2}
    monkeypatch.setitem(connection.settings_dict, "OPTIONS", options)
    with pytest.raises(OperationalError, match="locked"), transaction.atomic():
        pass
    done.set()
    thread.join(20)
    with transaction.atomic():
        assert Organisation.objects.filter(slug="held").exists()
    assert connection.connection.execute("PRAGMA busy_timeout").fetchone() == (200,)
