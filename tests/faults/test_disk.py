"""The disk is full while people play: 503 in words, nothing half written, then on as before.

SQLite says "database or disk is full" when it may not grow: the same error, from
the same place, as a file system without a free block.
"""

from __future__ import annotations

import errno
import io
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import InterfaceError, OperationalError, connection
from django.test import Client
from PIL import Image

from clubs.journal import chain as journal
from clubs.journal.models import JournalEntry
from pairings.matches.models import Match, Submission
from pairings.matches.views import results
from tests.clubhouse import make_club

pytestmark = pytest.mark.django_db(transaction=True)
BACKEND = "allauth.account.auth_backends.AuthenticationBackend"


def phone_of(user) -> Client:
    phone = Client(raise_request_exception=False)
    phone.force_login(user, backend=BACKEND)
    return phone


def pragma(text: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA {text}")
        return int(cursor.fetchone()[0])


@pytest.fixture
def tonight(transactional_db):
    """Matches waiting for a result now, with the phone of each first player."""
    club = make_club("faizers", size=40)
    matches = [club.match() for _number in range(20)]
    return club, [(match, phone_of(a.user)) for match, (a, _b) in matches]


def enter(match, phone, **more):
    return phone.post(
        f"/c/faizers/matchs/{match.pk}/saisir/",
        {"mine": "400", "theirs": "350", "key": f"k{match.pk}", **more},
    )


@pytest.mark.only_on("sqlite")
def test_a_full_disk_is_said_and_passes(tonight):
    club, phones = tonight
    lines = JournalEntry.objects.count()
    usual = pragma("max_page_count")
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")
    pragma(f"max_page_count = {pragma('page_count')}")
    try:
        answers = [(match, phone, enter(match, phone)) for match, phone in phones]
    finally:
        pragma(f"max_page_count = {usual}")
    codes = {answer.status_code for _match, _phone, answer in answers}
    assert 503 in codes, "the disk was never full: this run tested nothing"
    assert codes <= {302, 503}
    saved = [match for match, _phone, answer in answers if answer.status_code == 302]
    refused = [(match, phone) for match, phone, answer in answers if answer.status_code == 503]
    said = next(answer for _match, _phone, answer in answers if answer.status_code == 503)
    assert said["Retry-After"] == "10"
    assert "revient dans quelques minutes" in said.content.decode()
    assert set(Match.objects.filter(status="submitted").values_list("pk", flat=True)) == {
        match.pk for match in saved
    }
    assert Submission.objects.count() == len(saved) == JournalEntry.objects.count() - lines
    # Room again: what was kept on the phones is sent again and taken.
    assert {enter(match, phone).status_code for match, phone in refused} == {302}
    assert Match.objects.filter(status="submitted").count() == len(phones)
    assert list(journal.verify(club.organisation)) == []
    assert pragma_text("integrity_check") == "ok"


def pragma_text(text: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA {text}")
        return str(cursor.fetchone()[0])


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (OperationalError("server closed the connection unexpectedly"), 503),
        (InterfaceError("connection already closed"), 503),
        (OSError(errno.ENOSPC, "No space left on device"), 503),
        (OSError(errno.ENOENT, "No such file"), 500),
        (ValueError("a mistake of ours"), 500),
    ],
)
def test_only_what_passes_is_announced_as_passing(tonight, monkeypatch, error, status):
    _club, phones = tonight

    def fails(*_arguments, **_named):
        raise error

    monkeypatch.setattr(results, "own_match", fails)
    answer = enter(*phones[0])
    assert answer.status_code == status
    assert ("Retry-After" in answer) == (status == 503)


def test_a_photo_that_finds_no_room_costs_nobody_their_result(tonight, monkeypatch):
    _club, phones = tonight
    held = io.BytesIO()
    Image.new("RGB", (40, 40)).save(held, "PNG")

    def full(*_arguments, **_named):
        raise OSError(errno.ENOSPC, "No space left on device")

    match, phone = phones[0]
    sheets = Path(settings.MEDIA_ROOT, "sheets")
    before = set(sheets.glob("*"))  # other tests keep photos there too
    with monkeypatch.context() as disk:
        disk.setattr(Image.Image, "save", full)
        photo = SimpleUploadedFile("feuille.png", held.getvalue(), "image/png")
        answer = enter(match, phone, photo=photo)
    assert answer.status_code == 422
    assert "photo" in answer.context["form"].errors
    assert answer.context["form"]["mine"].value() == "400"
    assert set(sheets.glob("*")) == before
    assert enter(match, phone).status_code == 302
