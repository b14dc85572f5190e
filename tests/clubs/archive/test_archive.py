"""One file of a whole site or of one club: exact, verified, restored on either database."""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
import threading
import tracemalloc
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
import time_machine
from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpResponse
from django.test import RequestFactory

from api.webhooks.models import Webhook
from clubs.accounts.device import device_member, remember_device
from clubs.accounts.models import User
from clubs.archive import reading, writing
from clubs.archive.format import ArchiveRefused, Manifest, open_archive
from clubs.archive.scope import LEFT_OUT, LEFT_OUT_OF_A_CLUB, tables
from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members.invitations import actions as invitations
from clubs.members.models import Member, RoleGrant
from clubs.members.models_access import Invitation
from clubs.organisations.models import Organisation
from clubs.personal_data.erasures import list_file
from clubs.registries import ARCHIVED_FILES
from ratings.ledger import replay
from ratings.ledger.models import RatingList
from tests import kept
from tests.clubhouse import NOW, make_club
from tests.permissions.furnished_club import Furnished, furnish

pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def site(settings, tmp_path) -> Furnished:
    settings.MEDIA_ROOT = tmp_path / "media"
    with time_machine.travel(NOW, tick=False):
        return furnish()


def digests(manifest: Manifest) -> dict[str, tuple[int, str]]:
    return {label: (table.rows, table.sha256) for label, table in manifest.tables.items()}


def emptied(tmp_path: Path) -> None:
    """A new site: no row, no file."""
    call_command("flush", interactive=False, verbosity=0)
    kept.keys_begin_again()
    settings.MEDIA_ROOT = tmp_path / "media of the new site"


def test_a_site_comes_back_row_for_row_with_its_files_and_its_chains(site, tmp_path):
    first, second = tmp_path / "first.zip", tmp_path / "second.zip"
    written = writing.write(first, at=NOW)
    heads = {"/".join(map(str, head)) for head in written.heads.values()}
    assert len(heads) == Organisation.objects.count() > 1
    assert sum(table.rows for table in written.tables.values()) > 500
    assert first.stat().st_mode & 0o077 == 0, "it holds personal data"
    emptied(tmp_path)
    reading.restore(first)
    again = writing.write(second, at=NOW)
    assert digests(again) == digests(written)
    assert written.files, "the photo of a contest"
    assert again.heads == written.heads and again.files == written.files
    for held in RatingList.objects.all():
        assert not list(replay.check(held)), held.slug
    new = make_club.__wrapped__("nouveau", size=2)  # ids go on after those restored
    assert new.organisation.pk > max(
        Organisation.objects.exclude(slug="nouveau").values_list("pk", flat=True)
    )


def test_a_photo_that_is_deleted_meanwhile_does_not_end_the_archive(site, tmp_path, monkeypatch):
    """The night deletes old photos in the minutes in which it writes the archive."""
    gone = Path(settings.MEDIA_ROOT, "sheets", f"{'0' * 32}.jpg")
    for label in ARCHIVED_FILES:
        monkeypatch.setitem(ARCHIVED_FILES, label, lambda _row: gone)
    file = tmp_path / "site.zip"
    assert writing.write(file, at=NOW).files == {}
    emptied(tmp_path)
    assert digests(reading.restore(file))


def test_it_has_its_name_once_the_disk_has_it_whole(db, tmp_path, monkeypatch):
    """And who is forgotten is on the disk before the transaction commits: the power may fail."""
    club, path, kept_whole = make_club("faizers", size=4), tmp_path / "site.zip", []
    usual = os.fsync

    def fsync(file: int) -> None:
        usual(file)
        kept_whole.append((os.fstat(file).st_size, path.exists()))

    monkeypatch.setattr(os, "fsync", fsync)
    writing.write(path, at=NOW)
    assert kept_whole == [(path.stat().st_size, False)]
    members.leave(member=club.members[0], by=club.committee, at=NOW, forget=True)
    assert kept_whole[1:] and kept_whole[-1][0] == list_file().stat().st_size


@pytest.mark.only_on("postgres")
def test_it_passes_from_one_database_to_the_other_and_back(site, tmp_path):
    there, back = tmp_path / "there.zip", tmp_path / "back.zip"
    written = writing.write(there, at=NOW)
    other = dict(os.environ, DATABASE_URL="", REDIS_URL="", DATA_DIR=str(tmp_path / "other"))
    for command in (["migrate", "-v", "0"], ["restore", str(there)], ["archive", str(back)]):
        done = subprocess.run(
            [sys.executable, "manage.py", *command],
            cwd=ROOT,
            env=other,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    emptied(tmp_path)
    assert digests(reading.restore(back)) == digests(written)


def test_a_club_leaves_with_its_own_rows_and_without_credentials(site, tmp_path):
    file, own = tmp_path / "club.zip", site.club.organisation
    others = set(
        Member.objects.exclude(organisation=own).exclude(email="").values_list("email", flat=True)
    )
    accounts = set(
        User.objects.exclude(memberships__organisation=own).values_list("email", flat=True)
    )
    neighbour = User.objects.exclude(memberships__organisation=own)
    for user in (site.club.members[0].user, neighbour[0]):
        EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    members.create(
        organisation=own,
        first_name="Solène",
        last_name="",
        is_guest=True,
        visitor=neighbour[0],
        by=site.club.committee,
        at=NOW,
    )
    User.objects.update(password=make_password("canary"), is_staff=True, is_superuser=True)
    written = writing.write(file, at=NOW, organisation=own)
    with ZipFile(file) as archive:
        text = "".join(
            archive.read(name).decode() for name in archive.namelist() if name[:4] == "rows"
        )
    assert "md5$" not in text
    assert not [email for email in others | accounts if email in text]
    assert not [label for label in LEFT_OUT | LEFT_OUT_OF_A_CLUB if label in written.tables]
    count = Member.objects.filter(organisation=own).count()
    emptied(tmp_path)
    reading.restore(file)
    assert [club.slug for club in Organisation.objects.all()] == [own.slug]
    assert Member.objects.count() == count
    assert not Member.objects.exclude(visitor=None).exists()
    assert not User.objects.exclude(is_staff=False, is_superuser=False).exists()
    assert EmailAddress.objects.get().email == site.club.members[0].user.email
    assert not any(user.has_usable_password() for user in User.objects.all())
    for held in RatingList.objects.all():
        assert not list(replay.check(held)), held.slug


def test_an_account_that_is_no_members_becomes_a_number(tmp_path):
    """What its owner chose, and when they last came, stays with their own clubs."""
    club, other = make_club("petit", size=3), make_club("voisins", size=2)
    theirs = User.objects.filter(pk=other.committee.user.pk)
    theirs.update(language="ro", theme="dark", last_login=NOW)
    grants = RoleGrant.objects.filter(member__organisation=club.organisation)
    grants.update(granted_by=other.committee.user)
    writing.write(tmp_path / "club.zip", at=NOW, organisation=club.organisation)
    emptied(tmp_path)
    reading.restore(tmp_path / "club.zip")
    left = theirs.values_list("email", "is_active", "language", "theme", "last_login").get()
    assert left == (f"account-{other.committee.user.pk}@invalid", False, "fr", "auto", None)


@pytest.mark.parametrize("whole", [True, False], ids=["site", "club"])
def test_the_number_of_a_row_that_is_gone_or_stayed_behind_is_not_given_again(tmp_path, whole):
    """The journal names the row by it, and a program the delivery it has handled."""
    club = make_club("petit", size=3)
    file, own = tmp_path / "club.zip", club.organisation
    asked = {"organisation": own, "by": club.committee, "at": NOW}
    first, _token = invitations.invite(email="alix@example.org", **asked)
    webhook = Webhook.objects.create(
        organisation=own, address="https://a.example.org/", handled_seq=0, created_at=NOW
    )
    last, last_webhook = first.pk, webhook.pk
    if whole:
        first.delete()
        webhook.delete()
    writing.write(file, at=NOW, organisation=None if whole else own)
    emptied(tmp_path)
    reading.restore(file)
    assert not Invitation.objects.exists() and not Webhook.objects.exists()
    second, _token = invitations.invite(email="zoe@example.org", **asked)
    assert second.pk > last
    assert JournalEntry.objects.filter(verb="invited", subject=f"invitation:{last}").count() == 1
    again = Webhook.objects.create(
        organisation=own, address="https://a.example.org/", handled_seq=0, created_at=NOW
    )
    assert again.pk > last_webhook


def test_the_phone_of_a_guest_who_came_after_the_archive_is_not_the_next_guests(tmp_path):
    """A step back loses the guest; the phone, recognised by a signed number, is nobody's then."""
    club = make_club("petit", size=3)
    file, own = tmp_path / "site.zip", club.organisation
    writing.write(file, at=NOW)

    def guest(first_name: str) -> Member:
        new = {"organisation": own, "first_name": first_name, "last_name": "", "is_guest": True}
        return members.create(**new, by=club.committee, at=NOW)

    answer, request = HttpResponse(), RequestFactory().get("/")
    remember_device(answer, guest("Gala"))
    request.COOKIES["device"] = answer.cookies["device"].value
    assert device_member(request, own) == Member.objects.get(first_name="Gala")
    emptied(tmp_path)
    reading.restore(file)
    guest("Hari")
    assert device_member(request, own) is None


def test_every_table_is_in_the_archive_or_left_out_by_name():
    assert len(tables()) + len(LEFT_OUT) == len(_all_models())
    for label in LEFT_OUT | LEFT_OUT_OF_A_CLUB:
        assert label in _all_models(), label


def _all_models() -> set[str]:
    from django.apps import apps

    return {model._meta.label for model in apps.get_models(include_auto_created=True)}


def test_people_write_while_an_archive_is_made(site):
    """The archive sees one moment; nobody waits for it."""
    before = Organisation.objects.count()

    def write() -> None:
        Organisation.objects.create(slug="meanwhile", name="Meanwhile")
        connection.close()

    with writing.reading():
        assert Organisation.objects.count() == before
        writer = threading.Thread(target=write)
        writer.start()
        writer.join()
        assert Organisation.objects.count() == before
    assert Organisation.objects.count() == before + 1


@pytest.fixture
def small(tmp_path) -> Path:
    make_club("petit", size=3)
    file = tmp_path / "petit.zip"
    writing.write(file, at=NOW)
    return file


def parts(path: Path) -> dict[str, bytes]:
    archive, _manifest = open_archive(path)
    with archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_an_altered_byte_is_noticed_or_changes_nothing_that_is_read(small, tmp_path):
    whole, expected = small.read_bytes(), parts(small)
    chosen, refused = random.Random(7), 0
    for _try in range(120):
        at = chosen.randrange(len(whole))
        altered = tmp_path / "altered.zip"
        altered.write_bytes(whole[:at] + bytes([whole[at] ^ 0x41]) + whole[at + 1 :])
        try:
            assert parts(altered) == expected, at
        except ArchiveRefused:
            refused += 1
    assert refused > 60


def test_a_cut_archive_is_refused(small, tmp_path):
    whole, cut = small.read_bytes(), tmp_path / "cut.zip"
    for length in (0, 1, 100, len(whole) // 2, len(whole) - 1):
        cut.write_bytes(whole[:length])
        with pytest.raises(ArchiveRefused):
            open_archive(cut)


def rewritten(
    path: Path,
    rows: dict[str, bytes] | None = None,
    put: dict[str, bytes] | None = None,
    **changes: Any,
) -> Path:
    """The archive with another manifest, other rows of some models, and other parts, with their digests."""
    other, held = path.with_name("other.zip"), parts(path)
    manifest = json.loads(held["manifest.json"])
    for label, lines in (rows or {}).items():
        manifest["tables"][label]["sha256"] = hashlib.sha256(lines).hexdigest()
        held[f"rows/{label}.jsonl"] = lines
    content = json.dumps({**manifest, **changes}).encode()
    with ZipFile(other, "w") as new:
        for name, part in {**held, "manifest.json": content, **(put or {})}.items():
            new.writestr(name, part)
        new.comment = hashlib.sha256(content).hexdigest().encode()
    return other


SHEET = "media/sheets/other.jpg"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"version": 3}, "has format 3; this version reads 2"),
        ({"version": 1}, r"has format 1; .*\n?.*made by version .*: restore it with that one"),
        ({"format": "another"}, "not an archive of a club"),
        ({"schema": {"clubs": "9999_later"}}, "Restore it with the version that made it"),
    ],
)
def test_an_archive_of_another_version_says_so(small, tmp_path, changes, words):
    file = rewritten(small, **changes)
    emptied(tmp_path)
    with pytest.raises(CommandError, match=words):
        call_command("restore", str(file))
    assert not Organisation.objects.exists()


@pytest.mark.parametrize(
    ("name", "listed", "words"),
    [
        ("rows/clubs.Member.jsonl", False, r"Member\.jsonl was altered"),
        ("media/sheets/other.jpg", False, "other parts than its manifest says"),
        ("media/../../other.jpg", True, "no part of an archive"),
    ],
)
def test_a_part_that_the_manifest_does_not_have_so_is_refused(small, name, listed, words):
    """A ZIP that somebody put together again is whole: its own sums say nothing."""
    files = {name: hashlib.sha256(b"").hexdigest()} if listed else {}
    file = rewritten(small, put={name: b""}, files=files)
    with pytest.raises(ArchiveRefused, match=words):
        open_archive(file)


def test_a_site_with_a_club_or_an_account_is_not_overwritten(small, tmp_path):
    with pytest.raises(CommandError, match=r"not empty.* another DATA_DIR"):
        call_command("restore", str(small))
    emptied(tmp_path)
    User.objects.create(email="first@example.org")
    with pytest.raises(CommandError, match="not empty"):
        call_command("restore", str(small))


def test_a_file_that_is_none_or_cut_is_told_apart(small, tmp_path):
    with pytest.raises(CommandError, match=r"nowhere\.zip cannot be opened: No such file"):
        call_command("restore", str(tmp_path / "nowhere.zip"))
    cut = tmp_path / "cut.zip"
    cut.write_bytes(small.read_bytes()[:2000])
    with pytest.raises(CommandError, match=r"is cut, or no archive .* take another copy"):
        call_command("restore", str(cut))


def test_a_chain_that_does_not_hold_leaves_the_site_empty(small, tmp_path):
    file = rewritten(small, heads={"petit": [1, "0" * 64]})
    emptied(tmp_path)
    with pytest.raises(CommandError, match="ends elsewhere"):
        call_command("restore", str(file))
    assert not Organisation.objects.exists()


@pytest.mark.parametrize(
    "changes",
    [
        {"numbers": {"clubs.Member": "many"}},
        {"numbers": {"clubs.Member": 10**30}},
        {"numbers": []},
        {"numbers": None},
        {"heads": 7},
        {"files": [[SHEET, hashlib.sha256(b"").hexdigest()]], "put": {SHEET: b""}},
        *({"schema": schema} for schema in (7, None, [], "clubs", [["clubs", 1], [2, 1]])),
    ],
)
def test_an_archive_whose_manifest_no_site_wrote_is_refused_in_a_sentence(small, tmp_path, changes):
    file = rewritten(small, **changes)
    emptied(tmp_path)
    with pytest.raises(CommandError, match=r"damaged|do not fit"):
        call_command("restore", str(file))
    assert not Organisation.objects.exists()


def test_a_row_nested_deeper_than_python_reads_is_refused_in_a_sentence(small, tmp_path):
    file = rewritten(small, rows={"clubs.Organisation": b"[" * 100_000})
    emptied(tmp_path)
    with pytest.raises(CommandError, match="damaged"):
        call_command("restore", str(file))
    assert not Organisation.objects.exists()


def test_a_photo_is_written_without_being_held_whole(small, tmp_path):
    large = bytes(32 * 1024 * 1024)
    files = {SHEET: hashlib.sha256(large).hexdigest()}
    file = rewritten(small, put={SHEET: large}, files=files)
    emptied(tmp_path)
    tracemalloc.start()
    reading.restore(file)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < len(large) / 2


@pytest.mark.parametrize("number", ["10" * 20, "many", "[]", "1.5"])
def test_an_archive_whose_rows_no_site_wrote_is_refused_in_a_sentence(small, tmp_path, number):
    table = json.loads(parts(small)["manifest.json"])["tables"]["clubs.Organisation"]
    row = json.loads(parts(small)["rows/clubs.Organisation.jsonl"])
    row[table["columns"].index("id")] = number
    file = rewritten(small, rows={"clubs.Organisation": json.dumps(row).encode()})
    emptied(tmp_path)
    with pytest.raises(CommandError, match=r"damaged|do not fit"):
        call_command("restore", str(file))
    assert not Organisation.objects.exists()


@pytest.mark.parametrize(("more", "is_read"), [(-1, False), (0, True), (1, True)])
@pytest.mark.parametrize("bound", ["MAX_MANIFEST", "MAX_LINE"])
def test_the_manifest_and_a_row_have_a_number_of_bytes(
    small, tmp_path, monkeypatch, bound, more, is_read
):
    held = parts(small)
    lines = (
        line
        for name, part in held.items()
        if name.startswith("rows/")
        for line in part.splitlines(True)
    )
    longest = {"MAX_MANIFEST": len(held["manifest.json"]), "MAX_LINE": max(map(len, lines))}[bound]
    monkeypatch.setattr(f"clubs.archive.format.{bound}", longest + more)
    emptied(tmp_path)
    if is_read:
        call_command("restore", str(small))
    else:
        with pytest.raises(CommandError, match=f"more than {longest - 1} bytes"):
            call_command("restore", str(small))
    assert Organisation.objects.exists() == is_read


def test_a_site_without_its_newest_tables_is_told_to_migrate(small, tmp_path):
    emptied(tmp_path)
    recorder = MigrationRecorder(connection)
    newest = recorder.migration_qs.filter(app="clubs").order_by("name").last()
    recorder.record_unapplied("clubs", newest.name)
    try:
        with pytest.raises(CommandError, match=r"manage\.py migrate"):
            call_command("restore", str(small))
    finally:
        recorder.record_applied("clubs", newest.name)


@pytest.mark.parametrize(
    ("columns", "rows", "words"),
    [({1: "shoe_size"}, 5, "shoe_size"), ({}, 6, r"clubs\.Member: 5 rows of 6")],
)
def test_rows_that_are_not_as_the_manifest_says_are_refused(small, tmp_path, columns, rows, words):
    tables = json.loads(parts(small)["manifest.json"])["tables"]
    table = tables["clubs.Member"]
    named = [columns.get(place, name) for place, name in enumerate(table["columns"])]
    tables["clubs.Member"] = {**table, "columns": named, "rows": rows}
    file = rewritten(small, tables=tables)
    emptied(tmp_path)
    with pytest.raises(CommandError, match=words):
        call_command("restore", str(file))
    assert not Organisation.objects.exists()


def test_files_that_find_no_room_leave_the_site_empty(small, tmp_path, monkeypatch):
    def full(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    emptied(tmp_path)
    monkeypatch.setattr(reading, "write_files", full)
    with pytest.raises(CommandError, match="No space left"):
        call_command("restore", str(small))
    assert not Organisation.objects.exists()


@pytest.mark.only_on("sqlite")
def test_a_database_that_finds_no_room_is_not_a_fault_of_the_archive(small, tmp_path):
    emptied(tmp_path)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")
        usual = cursor.execute("PRAGMA max_page_count").fetchone()[0]
        pages = cursor.execute("PRAGMA page_count").fetchone()[0]
        cursor.execute(f"PRAGMA max_page_count = {pages}")
        try:
            with pytest.raises(CommandError, match=r"cannot take the rows: .*disk is full"):
                call_command("restore", str(small))
        finally:
            cursor.execute(f"PRAGMA max_page_count = {usual}")
    assert not Organisation.objects.exists()


def test_an_organisation_that_is_not_there_is_named_with_those_that_are(club, tmp_path):
    with pytest.raises(CommandError, match=r"'nulle-part'.* faizers"):
        call_command("archive", str(tmp_path / "x.zip"), organisation="nulle-part")
