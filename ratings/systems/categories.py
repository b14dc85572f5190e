"""Categories by thresholds: the club's four stones, and the bands of any other list. No Django."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from clubs.rulebooks.fields import gettext_noop as _


@dataclass(frozen=True, slots=True)
class Band:
    """A category and its lower bound, inclusive."""

    code: str
    label: str
    minimum: int


CLUB_BANDS = (
    Band("onyx", _("Onyx"), 1000),
    Band("amethyste", _("Améthyste"), 1400),
    Band("topaze", _("Topaze"), 1700),
    Band("diamant", _("Diamant"), 1900),
)


def category_of(shown: int, bands: Sequence[Band]) -> Band:
    """Return the band of the number that is shown (002 VII), lower bounds inclusive.

    Below the first bound is still the first band: the document names no category there, and with
    the floor switched off a member must still have a badge.
    """
    category = bands[0]
    for band in bands:
        if shown >= band.minimum:
            category = band
    return category
