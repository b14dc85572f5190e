"""What waits and what was lost is counted, without address or text, and shown to the committee."""

from __future__ import annotations

from datetime import timedelta

import pytest
from kombu.exceptions import OperationalError

from clubs.notifications import outbox, tasks, unsent
from clubs.notifications.models import Kind, PushNotice, UnsentMail
from config.celery import app
from tests.clubhouse import NOW, make_club

pytestmark = pytest.mark.django_db
WEEK = timedelta(days=7)


@pytest.fixture
def refused(monkeypatch):
    """A mail server that takes nothing, `times` times."""

    def make(times):
        left = [times]

        def send(_message):
            left[0] -= 1
            if left[0] >= 0:
                raise ConnectionRefusedError("mail server away")
            return 1

        monkeypatch.setattr("django.core.mail.EmailMessage.send", send)
        monkeypatch.setitem(app.conf, "task_eager_propagates", False)

    return make


@pytest.mark.parametrize(("times", "rows"), [(0, []), (tasks.TRIES - 1, []), (tasks.TRIES, [True])])
def test_a_mail_is_counted_until_it_goes(refused, times, rows):
    refused(times)
    tasks.send_letter.delay("odile@example.org", "subject", "text")
    assert list(UnsentMail.objects.values_list("given_up", flat=True)) == rows
    assert "odile" not in str(list(UnsentMail.objects.values()))


def test_a_mail_that_no_queue_took_is_lost(monkeypatch, after_commit):
    def gone(**_told):
        raise OperationalError("no broker")

    monkeypatch.setattr(tasks.send_letter, "apply_async", gone)
    monkeypatch.setattr(outbox, "write", lambda *_arguments: ("subject", "text"))
    with after_commit():
        outbox.post(to="a@example.org", name="push", language="fr", context={})
    assert UnsentMail.objects.get().given_up


@pytest.mark.parametrize(
    ("age", "given_up", "waiting", "failed"),
    [
        (timedelta(minutes=59), False, 1, 0),
        (timedelta(minutes=60), False, 0, 1),
        (timedelta(0), True, 0, 1),
        (WEEK - timedelta(seconds=1), True, 0, 1),
        (WEEK, True, 0, 0),
    ],
)
def test_a_mail_waits_for_an_hour_at_most_and_is_lost_for_a_week(age, given_up, waiting, failed):
    unsent.note("one", given_up=given_up, at=NOW - age)
    found = unsent.count(at=NOW)
    assert (found.mails_waiting, found.mails_failed) == (waiting, failed)
    assert found.oldest_at == (NOW - age if waiting else None)


def test_the_first_failure_is_kept_and_last_week_is_forgotten():
    unsent.note("old", given_up=True, at=NOW - WEEK)
    unsent.note("one", given_up=False, at=NOW - timedelta(minutes=5))
    unsent.note("one", given_up=False, at=NOW)
    assert unsent.count(at=NOW).oldest_at == NOW - timedelta(minutes=5)
    assert not UnsentMail.objects.filter(key="old").exists()
    unsent.note("two", given_up=True, at=NOW)
    unsent.forget("one")
    assert UnsentMail.objects.get().key == "two"


@pytest.mark.parametrize(
    ("until", "sent", "waiting", "failed"),
    [
        (timedelta(seconds=1), False, 1, 0),
        (timedelta(0), False, 0, 1),
        (timedelta(0), True, 0, 0),
        (-WEEK + timedelta(seconds=1), False, 0, 1),
        (-WEEK, False, 0, 0),
    ],
)
def test_a_notification_is_lost_once_it_is_of_no_use(until, sent, waiting, failed):
    PushNotice.objects.create(
        member=make_club("faizers", size=2).members[0],
        kind=Kind.TABLE,
        key="table:1",
        title="x",
        path="/",
        due_at=NOW - 2 * WEEK,
        until=NOW + until,
        sent_at=NOW if sent else None,
    )
    found = unsent.count(at=NOW)
    assert (found.pushes_waiting, found.pushes_failed) == (waiting, failed)


def test_the_committee_reads_what_waits_and_what_was_lost(club, as_user):
    unsent.note("one", given_up=False, at=NOW - timedelta(minutes=7))
    for name in ("two", "three"):
        unsent.note(name, given_up=True, at=NOW)
    page = as_user(club.committee.user).get("/c/faizers/gestion/etat/").content.decode()
    words = " ".join(page.split())
    waiting, lost = words.index("E-mails en attente"), words.index("E-mails perdus en sept jours")
    assert '<span class="num">1</span>' in words[waiting:lost]
    assert "le plus ancien depuis le" in words[waiting:lost]
    assert '<span class="num strong">2</span>' in words[lost:]
