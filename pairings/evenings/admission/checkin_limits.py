"""Rate limits on check-in attempts, for one address and for all together.

A club's phones share one address, so the limits of an address are wide. The limits of an evening
stop attempts from many addresses; they block the short code and the numbers only, never the
evening's long code.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from clubs.accounts import rate_limits
from clubs.accounts.rate_limits import Limit
from pairings.evenings.models import Evening

CODES = Limit(name="door_codes", amount=20, span=timedelta(minutes=10))
CODES_OF_EVENING = Limit(name="door_codes_evening", amount=500, span=timedelta(hours=6))
PINS = Limit(name="door_pins", amount=20, span=timedelta(hours=1))
PINS_OF_EVENING = Limit(name="door_pins_evening", amount=200, span=timedelta(hours=6))
GUESTS = Limit(name="guests", amount=20, span=timedelta(hours=1))
GUESTS_OF_EVENING = Limit(name="guests_evening", amount=60, span=timedelta(hours=6))


def check_code(*, evenings: Sequence[Evening], address: str, at: datetime) -> None:
    """Raise TooMany after too many attempts with wrong codes. A new code has a new count."""
    rate_limits.check(CODES, address, at=at)
    for evening in evenings:
        rate_limits.check(CODES_OF_EVENING, evening.pk, evening.board_code, at=at)


def count_wrong_code(*, evenings: Sequence[Evening], address: str, at: datetime) -> None:
    rate_limits.count(CODES, address, at=at)
    for evening in evenings:
        rate_limits.count(CODES_OF_EVENING, evening.pk, evening.board_code, at=at)


def check_pin(*, evening: Evening, address: str, at: datetime) -> None:
    """Raise TooMany after too many attempts with wrong member numbers and codes."""
    rate_limits.check(PINS, address, at=at)
    rate_limits.check(PINS_OF_EVENING, evening.pk, at=at)


def count_wrong_pin(*, evening: Evening, address: str, at: datetime) -> None:
    rate_limits.count(PINS, address, at=at)
    rate_limits.count(PINS_OF_EVENING, evening.pk, at=at)


def take_guest(*, evening: Evening, address: str, at: datetime) -> None:
    """Count one more guest. Raise TooMany where there are too many."""
    rate_limits.take(GUESTS, address, at=at)
    rate_limits.take(GUESTS_OF_EVENING, evening.pk, at=at)
