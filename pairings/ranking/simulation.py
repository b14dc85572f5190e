"""The season's ranking under a draft of the rules: the ladder's part of a simulation."""

from __future__ import annotations

from datetime import date, datetime, time

from django.utils.translation import gettext_noop as _

from clubs.organisations.models import Organisation
from clubs.rulebooks import actions as rulebooks
from clubs.rulebooks.models import RuleBook
from pairings.ranking import season
from pairings.ranking.season import season_of

Places = dict[int, int]


def ladder_places(
    organisation: Organisation, draft: RuleBook, on: date
) -> tuple[str, Places, Places] | None:
    """Return the places by PR, PDI and DS, under the rules in force and under the draft.

    Both use the same matches, and the sum or mean of the DS that the committee chose for the season
    unless the draft changes it.
    """
    at = datetime.combine(on, time(23, 59), tzinfo=organisation.zone)
    current = season_of(organisation, at=at)
    if current is None:
        return None
    book = rulebooks.in_force(organisation, draft.scope, at)
    standing = season.standing(current, book, today=on)
    changes_ds = season.pairing_rules(book).ds_mode != season.pairing_rules(draft).ds_mode
    tried = season.standing(
        current,
        draft,
        today=on,
        records=standing.records,
        on_trial=True,
        ds_mode="" if changes_ds else current.ds_mode,
    )
    label = _("Classement de la saison (PR, PDI, DS)")
    return label, standing.places, tried.places
