"""Posting of a closed evening's matches to another rating list than the club's own."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor
from clubs.journal import chain as journal
from clubs.ui.french import written
from pairings.evenings.models import Evening
from pairings.matches.rating import posting_of
from pairings.rules.match_state import Kind
from ratings.handovers.documents import Competition
from ratings.ledger import origins, settlement
from ratings.ledger.models import Period, RatingList
from ratings.ledger.settlement import LedgerRefused


def label_of(evening: Evening) -> str:
    """Return the name that lists keep: in the club's language, not the sender's."""
    with translation.override(evening.organisation.language):
        day = written(evening.held_on, "j F Y") + evening.apart
        return _("Soirée du %(day)s") % {"day": day}


def document_of(evening: Evening) -> Competition:
    """Return what an evening hands to a federation once it is closed: its played matches."""
    return Competition(
        club=evening.organisation,
        origin=origins.evening(evening.pk),
        label=label_of(evening),
        held_on=evening.held_on,
        is_closed=evening.state == Evening.State.CLOSED,
        games=[
            posting
            for match in evening.matches.played().order_by("pk")
            if match.kind == Kind.PLAYED and (posting := posting_of(match)) is not None
        ],
    )


def handing_page(pk: int) -> str:
    """Return the page on which the club hands this evening over, and reads the answer."""
    evening = Evening.objects.get(pk=pk)
    return reverse("pairings:evening_federation", kwargs={"day": evening.address})


@transaction.atomic
def hand_over(*, evening: Evening, rating_list: RatingList, by: Actor, at: datetime) -> Period:
    """Post a closed evening's played matches to another list, each once.

    The list's officer rates them. A second call posts what was corrected since, as long as the list
    has not rated them; where no match is left, it withdraws all of them.
    """
    if evening.state != Evening.State.CLOSED:
        raise LedgerRefused(_("Clôturez d’abord la soirée."), code="wrong_state")
    if rating_list.organisation_id != evening.organisation_id:
        raise LedgerRefused(_("Cette liste n’est pas de ce club."), code="other_club")
    settlement.lock_early(rating_list)  # one that is being rated is not read as one that waits
    period = settlement.open_period(
        rating_list=rating_list,
        origin=origins.evening_handed_over(evening.pk),
        label=label_of(evening),
        held_on=evening.held_on,
        facts={"list_kind": rating_list.kind} if rating_list.kind else {},
    )
    if period.settled_at is not None:
        raise LedgerRefused(
            _(
                "Cette liste a déjà compté la soirée : utilisez « Corriger » sur la page de "
                "la compétition."
            ),
            code="settled",
        )
    games = document_of(evening).games
    if not games and not period.games.in_force().exists():
        raise LedgerRefused(_("Cette soirée n’a pas de match à coter."), code="empty")
    settlement.record_games(period=period, games=games, at=at)
    journal.note(
        evening,
        "evening_handed_over",
        by=by,
        at=at,
        after={"list": rating_list.slug, "games": len(games)},
    )
    return period
