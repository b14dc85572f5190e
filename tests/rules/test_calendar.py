"""The schedule as iCalendar: escaped, folded at 75 octets, the same event keeps its name."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairings.exchange.formats import ical
from pairings.exchange.snapshot import SheetSlot
from tests.sheets import MORNING, tournament

AT = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)


def unfolded(content: bytes) -> list[str]:
    return content.replace(b"\r\n ", b"").decode().split("\r\n")


def written(sheet) -> list[str]:
    return unfolded(
        ical.write(sheet, at=AT, host="club.example", address="https://club.example/t/")
    )


def test_each_slot_is_an_event_in_utc():
    lines = written(tournament(6, 3))
    assert lines[0] == "BEGIN:VCALENDAR" and lines[-2:] == ["END:VCALENDAR", ""]
    assert lines.count("BEGIN:VEVENT") == lines.count("END:VEVENT") == 3
    assert "UID:automne-2026-round-2@club.example" in lines
    assert "DTSTART:20261128T093000Z" in lines and "DTEND:20261128T102000Z" in lines
    assert lines.count("DTSTAMP:20261121T090000Z") == 3
    assert "LOCATION:Salle Brâncuși\\, 12 rue des Lilas" in lines


def test_an_hour_of_another_zone_is_the_same_moment():
    paris = timezone(timedelta(hours=1))
    slot = SheetSlot(label="Accueil", starts_at=datetime(2026, 11, 28, 9, 30, tzinfo=paris))
    lines = written(replace(tournament(), schedule=(slot,)))
    assert "DTSTART:20261128T083000Z" in lines
    assert not any(line.startswith("DTEND") for line in lines)


def test_a_moved_round_keeps_its_name():
    sheet = tournament(6, 2)
    later = tuple(
        replace(slot, starts_at=slot.starts_at + timedelta(hours=1)) for slot in sheet.schedule
    )
    names = [
        [line for line in written(s) if line.startswith("UID")]
        for s in (sheet, replace(sheet, schedule=later))
    ]
    assert names[0] == names[1] and len(set(names[0])) == 2


def test_without_a_schedule_the_rounds_are_told_and_without_them_the_day():
    sheet = replace(tournament(6, 2), schedule=())
    assert f"DTSTART:{MORNING + timedelta(hours=2):%Y%m%dT%H%M%SZ}" in written(sheet)
    bare = written(replace(sheet, rounds=()))
    assert "DTSTART;VALUE=DATE:20261128" in bare and "DTEND;VALUE=DATE:20261129" in bare
    months = written(replace(sheet, rounds=(), ends_on=date(2026, 12, 19)))
    assert "DTSTART;VALUE=DATE:20261128" in months and "DTEND;VALUE=DATE:20261220" in months


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a, b; c", "a\\, b\\; c"),
        ("dos\\", "dos\\\\"),
        ("une\nligne", "une\\nligne"),
        ("\x07a\r\nEND:VCALENDAR", "a\\nEND:VCALENDAR"),
    ],
)
def test_text_is_escaped(text, shown):
    assert ical.escaped(text) == shown


@given(st.text(alphabet=st.characters(blacklist_categories=("Cs", "Cc")), max_size=300))
def test_no_line_is_longer_than_75_octets_and_no_letter_is_cut(text):
    content = ical.folded(f"SUMMARY:{text}")
    assert content.endswith(b"\r\n")
    pieces = content[:-2].split(b"\r\n")
    assert all(len(piece) <= 75 for piece in pieces)
    assert (
        "".join([pieces[0].decode(), *(piece.decode()[1:] for piece in pieces[1:])])
        == f"SUMMARY:{text}"
    )
    assert all(piece.startswith(b" ") for piece in pieces[1:])


@pytest.mark.parametrize(("letters", "lengths"), [(75, [75]), (76, [75, 2]), (150, [75, 75, 2])])
def test_a_line_is_cut_after_exactly_75_octets(letters, lengths):
    pieces = ical.folded("X" * letters)[:-2].split(b"\r\n")
    assert [len(piece) for piece in pieces] == lengths


@given(st.text(max_size=60))
def test_no_name_breaks_out_of_its_line(name):
    lines = ical.write(
        replace(tournament(), name=name.replace("\udcff", "")), at=AT, host="h"
    ).split(b"\r\n")
    assert lines.count(b"BEGIN:VEVENT") == 3 and lines.count(b"END:VCALENDAR") == 1
