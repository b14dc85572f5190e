"""An archive of before brings nobody back who was forgotten since."""

from __future__ import annotations

import os
import resource
from io import StringIO
from pathlib import Path

import pytest
import time_machine
from django.core.management import CommandError, call_command

from clubs.archive import writing
from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members import merging
from clubs.members.models import Member, RoleGrant
from clubs.personal_data import erasures
from tests import kept
from tests.clubhouse import NOW, make_club

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def site(settings, tmp_path):
    """A club with an archive of before, and a data folder."""
    settings.MEDIA_ROOT, settings.DATA_DIR = tmp_path / "media", tmp_path / "data"
    Path(settings.DATA_DIR).mkdir()
    with time_machine.travel(NOW, tick=False):
        club = make_club.__wrapped__("faizers", size=4)
        writing.write(tmp_path / "before.zip", at=NOW)
        yield club


def forget(club, member) -> None:
    members.leave(member=member, by=club.committee, at=club.at, forget=True)


def restored(tmp_path: Path, *arguments: str) -> tuple[str, str]:
    call_command("flush", interactive=False, verbosity=0)
    kept.keys_begin_again()
    out, err = StringIO(), StringIO()
    command = ["restore", str(tmp_path / "before.zip"), *arguments]
    try:
        call_command(*command, stdout=out, stderr=err)
    except SystemExit as ended:
        err.write(f"exit {ended.code}")
    return out.getvalue(), err.getvalue()


def test_who_was_forgotten_since_is_forgotten_again(site, tmp_path):
    gone, stays = site.members[:2]
    name, public_id = gone.last_name, gone.public_id
    forget(site, gone)
    listed = erasures.list_file()
    assert erasures.read(listed) == ([("faizers", public_id)], [])
    assert name not in listed.read_text() and listed.stat().st_mode & 0o077 == 0
    out, err = restored(tmp_path)
    assert "1 of 1 people" in out and err == ""
    back = Member.objects.get(number=gone.number)
    assert back.public_id != public_id
    assert back.is_forgotten and name not in back.full_name
    assert not Member.objects.get(public_id=stays.public_id).is_forgotten
    entry = JournalEntry.objects.get(verb="member_left")
    assert entry.subject == f"member:{back.pk}" and entry.after == {"forgotten": True}


def test_a_restore_that_is_killed_while_it_forgets_leaves_an_empty_site(
    site, tmp_path, monkeypatch
):
    """A second one would be refused, as the site is not empty, and nobody would be forgotten again."""
    name = site.members[0].last_name
    for gone in site.members[:2]:
        forget(site, gone)
    usual, forgotten = members.leave, []

    def leave(**asked):
        if forgotten:
            raise KeyboardInterrupt
        forgotten.append(usual(**asked))

    with monkeypatch.context() as patch:
        patch.setattr(members, "leave", leave)
        with pytest.raises(KeyboardInterrupt):
            restored(tmp_path)
    assert forgotten and not Member.objects.exists()
    out, err = restored(tmp_path)
    assert "2 of 2 people" in out and err == ""
    assert not Member.objects.filter(last_name=name).exists()


def test_who_may_have_been_forgotten_before_a_kill_is_named(site, tmp_path, monkeypatch):
    """Saved, and the process killed before the line that says so."""
    gone, public_id = site.members[0], site.members[0].public_id
    usual, opened = os.open, []

    def killed(path, *asked, **more):
        if path == erasures.list_file():
            opened.append(path)
            if len(opened) == 2:
                raise KeyboardInterrupt
        return usual(path, *asked, **more)

    with monkeypatch.context() as dying:
        dying.setattr(erasures.os, "open", killed)
        with pytest.raises(KeyboardInterrupt):
            forget(site, gone)
    assert Member.objects.get(pk=gone.pk).is_forgotten
    assert erasures.read(erasures.list_file()) == ([], [("faizers", public_id)])
    out, err = restored(tmp_path)
    assert "forgotten again" not in out
    assert err.startswith(f"perhaps forgotten: faizers, member {gone.number}. ")
    assert err.endswith("exit 1")
    back = Member.objects.get(public_id=public_id)
    assert not back.is_forgotten
    members.leave(member=back, by=site.committee, at=site.at, forget=True)
    assert "1 of 1 people" in restored(tmp_path)[0]


def test_the_guest_they_were_when_the_archive_was_made_is_forgotten_too(site, tmp_path):
    guest = site.join("Ilona", "Varga", is_guest=True)
    writing.write(tmp_path / "before.zip", at=NOW)
    merging.merge_guest(
        guest=guest, into=site.members[0], by=site.committee, at=site.at, reason="same person"
    )
    forget(site, site.members[0])
    restored(tmp_path)
    assert Member.objects.get(number=guest.number).full_name == f"Joueur retiré {guest.number}"


def test_a_row_that_the_archive_has_merged_goes_with_the_row_that_is_kept(site, tmp_path):
    guest, kept_row = site.join("Ilona", "Varga", is_guest=True), site.join("Ilona", "Varga-Kis")
    merging.merge_guest(
        guest=guest, into=kept_row, by=site.committee, at=site.at, reason="same person"
    )
    writing.write(tmp_path / "before.zip", at=NOW)
    forget(site, kept_row)
    assert restored(tmp_path)[1] == ""
    assert not Member.objects.filter(first_name="Ilona").exists()


def test_a_list_of_another_folder_is_named(site, tmp_path, settings):
    forget(site, site.members[0])
    listed = erasures.list_file().rename(tmp_path / "kept apart.jsonl")
    assert "forgotten again" not in restored(tmp_path)[0]
    out, _err = restored(tmp_path, "--erasures", str(listed))
    assert (
        "1 of 1 people" in out
        and Member.objects.filter(slug__startswith="joueur-retire-").count() == 1
    )


def test_the_last_of_a_committee_is_named_and_stays(site, tmp_path):
    last, next_ = site.committee.member, site.members[0]
    assert last is not None
    members.grant(member=next_, role=RoleGrant.COMMITTEE, by=site.committee, at=site.at)
    forget(site, last)
    out, err = restored(tmp_path)
    assert "0 of 1 people" in out and f"member {last.number}: Le comité" in err
    assert "Next: end their match" in err and err.endswith("exit 1")
    assert not Member.objects.get(number=last.number).is_forgotten


def test_a_refused_departure_lists_nobody(site):
    with pytest.raises(members.MemberRefused):
        forget(site, site.committee.member)
    assert not erasures.list_file().exists()


@pytest.mark.parametrize("text", ["no json", '{"organisation": "faizers"}', "[1]", "[" * 9000])
def test_what_is_no_such_list_is_refused_before_anything_is_written(site, tmp_path, text):
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_text(f"{text}\n")
    with pytest.raises(CommandError, match="line 1: not a line of a list"):
        restored(tmp_path, "--erasures", str(wrong))
    with pytest.raises(CommandError, match="nowhere"):
        restored(tmp_path, "--erasures", str(tmp_path / "nowhere.jsonl"))
    assert not Member.objects.exists()


def test_a_disk_without_room_does_not_undo_the_forgetting(site, monkeypatch, caplog):
    def full(*_arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(erasures.os, "open", full)
    forget(site, site.members[0])
    assert Member.objects.get(pk=site.members[0].pk).is_forgotten
    assert "a forgotten player is not in" in caplog.text


def test_a_disk_that_fills_in_the_middle_of_a_line_spoils_neither_it_nor_the_next(site, caplog):
    first, second, third = site.members[1:4]
    ids = [member.public_id for member in (first, second, third)]
    listed = erasures.list_file()
    erasures.note(erasures.lines_of(first, at=site.at))
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (listed.stat().st_size + 20, usual[1]))
    try:
        erasures.note(erasures.lines_of(second, at=site.at))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    erasures.note(erasures.lines_of(third, at=site.at))
    assert erasures.read(listed) == ([("faizers", ids[0]), ("faizers", ids[2])], [])
    assert ids[1] in caplog.text  # who is to be added by hand
