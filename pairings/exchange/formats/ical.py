"""iCalendar files (RFC 5545), for phones and club calendars: a tournament's day, a club's dates.

Times are written in UTC, which every calendar shows in its reader's own zone. A slot keeps its UID
when its time changes, so that a calendar that reads the file again moves the event.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from pairings.exchange.snapshot import SheetSlot, TournamentSheet

PRODUCT = "-//Club//Tournaments"
LINE = 75
"""Octets in a line, without its end (RFC 5545 §3.1)."""


def write(
    sheet: TournamentSheet,
    *,
    at: datetime,
    host: str,
    address: str = "",
    is_cancelled: bool = False,
) -> bytes:
    """Return the file.

    `at` is the time of writing, `host` makes the UIDs unique to one club of this site, `address` is a
    link. A tournament without a schedule yet is one event of the whole day.
    """
    common = [f"DTSTAMP:{moment(at)}"]
    if is_cancelled:
        common.append("STATUS:CANCELLED")
    if sheet.place:
        common.append(f"LOCATION:{escaped(sheet.place)}")
    if address:
        common.append(f"URL:{address}")
    events = ([*lines, *common] for lines in _events(sheet, host))
    return calendar(sheet.name, sheet.zone, events)


def calendar(
    name: str, zone: str, events: Iterable[Sequence[str]], head: Sequence[str] = ()
) -> bytes:
    """Return a calendar of events, each the content lines between its BEGIN and its END.

    `head` are further lines about the calendar itself.
    """
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        f"PRODID:{PRODUCT}//{(get_language() or 'fr').upper()}",
        "CALSCALE:GREGORIAN",
        "METHOD:PUBLISH",
        f"X-WR-CALNAME:{escaped(name)}",
        f"X-WR-TIMEZONE:{escaped(zone)}",
        *head,
    ]
    for event in events:
        lines += ["BEGIN:VEVENT", *event, "END:VEVENT"]
    lines.append("END:VCALENDAR")
    return b"".join(folded(line) for line in lines)


def escaped(text: str) -> str:
    """Escape a TEXT value (RFC 5545 §3.3.11): backslash, semicolon, comma, line break."""
    bare = "".join(letter for letter in text if letter in "\n\t" or letter >= " ")
    for mark, written in (("\\", "\\\\"), (";", "\\;"), (",", "\\,"), ("\n", "\\n")):
        bare = bare.replace(mark, written)
    return bare


def folded(line: str) -> bytes:
    """Fold one content line into pieces of 75 octets at most, never inside a character."""
    pieces, piece = [], b""
    for letter in line:
        octets = letter.encode()
        if len(piece) + len(octets) > LINE:
            pieces.append(piece)
            piece = b" "
        piece += octets
    pieces.append(piece)
    return b"\r\n".join(pieces) + b"\r\n"


def _events(sheet: TournamentSheet, host: str) -> Iterator[list[str]]:
    name = sheet.code or f"{sheet.held_on:%Y%m%d}"
    slots = sheet.schedule or tuple(
        SheetSlot(
            label=_("Ronde %(number)s") % {"number": each.number},
            starts_at=each.starts_at,
            round=each.number,
        )
        for each in sheet.rounds
        if each.starts_at is not None
    )
    if not slots:
        after = (sheet.ends_on or sheet.held_on) + timedelta(days=1)
        yield [
            f"UID:{name}@{host}",
            f"SUMMARY:{escaped(sheet.name)}",
            f"DTSTART;VALUE=DATE:{day_of(sheet.held_on)}",
            f"DTEND;VALUE=DATE:{day_of(after)}",
        ]
    for place, slot in enumerate(slots, start=1):
        key = f"round-{slot.round}" if slot.round else f"slot-{place}"
        summary = _("%(tournament)s : %(part)s") % {"tournament": sheet.name, "part": slot.label}
        lines = [
            f"UID:{name}-{key}@{host}",
            f"SUMMARY:{escaped(summary)}",
            f"DTSTART:{moment(slot.starts_at)}",
        ]
        if slot.ends_at is not None:
            lines.append(f"DTEND:{moment(slot.ends_at)}")
        yield lines


def moment(at: datetime) -> str:
    """Return a DATE-TIME value in UTC."""
    return f"{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def day_of(day: date) -> str:
    """Return a DATE value."""
    return f"{day:%Y%m%d}"
