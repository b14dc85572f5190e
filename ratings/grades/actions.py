"""Acts about a player's grade, noted by the officer at any time: each is an event of the list."""

from __future__ import annotations

from datetime import date, datetime

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor
from clubs.members.models import Member
from clubs.rulebooks import actions as rulebooks
from ratings.ledger import settlement
from ratings.ledger.models import LedgerEntry, RatingList, StandingCote
from ratings.ledger.posting import LedgerRefused
from ratings.ledger.timeline import last_rated, rule_book_on
from ratings.systems.protocol import EventRefused
from ratings.systems.storage import state_from_json
from ratings.systems.words import refusal_in_words


@transaction.atomic
def note_act(
    *,
    rating_list: RatingList,
    member: Member,
    act: str,
    grade: str,
    reference: str,
    dated_on: date,
    by: Actor,
    at: datetime,
) -> LedgerEntry:
    """Note an approval or a promotion request: the grade that it completes is given at once.

    It counts from today, after what is rated; `reference` and `dated_on` are those of the document.
    The same act twice is refused; one that was taken out of the list may be noted again.
    """
    locked_list = (
        RatingList.objects.select_for_update(no_key=True)
        .select_related("organisation")
        .get(pk=rating_list.pk)
    )
    cote = StandingCote.objects.filter(rating_list=locked_list, member=member).first()
    if cote is None:
        raise LedgerRefused(_("Ce joueur n’est pas dans cette liste."), code="unknown_player")
    on = at.astimezone(locked_list.organisation.zone).date()
    facts = {
        "member": member.pk,
        "act": act,
        "grade": grade,
        "reference": reference.strip(),
        "dated_on": dated_on.isoformat(),
    }
    if not facts["reference"]:
        raise LedgerRefused(_("Donnez la référence du document."), code="reference_required")
    if dated_on > on:
        raise LedgerRefused(_("Cette date est dans l’avenir."), code="future")
    key = f"grade:{act}:{member.pk}:{grade}"
    noted = locked_list.periods.filter(_is_of(member, act, grade))
    if noted.filter(removed_at=None).exists():
        raise LedgerRefused(_("Cet acte est déjà noté."), code="twice")
    if taken_out := noted.count():  # for a wrong reference, say: each has a key of its own
        key = f"{key}:{taken_out}"
    system = rulebooks.rules(rule_book_on(locked_list, on), locked_list.system, "cote")
    try:
        system.check_grade_act(state_from_json(cote.state), facts)
    except EventRefused as refusal:
        raise LedgerRefused(refusal_in_words(refusal), code="grade_refused") from refusal
    last = last_rated(locked_list, on)
    period = settlement.open_period(
        rating_list=locked_list,
        key=key,
        label=f"{grade}, {facts['reference']}"[:120],
        held_on=last.held_on if last is not None else on,
        kind=settlement.ADJUSTMENT,
        facts=facts,
        position=last.position + 1 if last is not None else 0,
    )
    return settlement.settle(period=period, by=by, at=at)[0]


def _is_of(member: Member, act: str, grade: str) -> Q:
    """Select that act of a player, also of who was merged into them."""
    keys = [f"grade:{act}:{row}:{grade}" for row in member.rows()]
    selected = Q(key__in=keys)
    for key in keys:
        selected |= Q(key__startswith=f"{key}:")
    return selected
