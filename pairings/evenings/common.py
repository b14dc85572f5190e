"""What the actions of an evening share: their refusal, their season and their journal entry."""

from __future__ import annotations

import secrets
from datetime import date, datetime

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor, Refused
from clubs.journal import chain as journal
from clubs.members.models import Member
from clubs.organisations.models import Organisation, Season
from pairings.evenings.models import CheckIn, Evening
from pairings.live import stream as live

DOORS_OPEN = (Evening.State.OPEN, Evening.State.RUNNING, Evening.State.LAST_GAMES)
OVER = (Evening.State.CLOSED, Evening.State.CANCELLED)
CODE_SIGNS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"


class EveningRefused(Refused):
    """Refusal of an action on an evening, in words the reader may see."""


def not_from(evening: Evening) -> EveningRefused:
    """Return the refusal of a step that is none from this state, which the reader has read."""
    return EveningRefused(
        _("L’état de la soirée ne permet pas cela : %(state)s.")
        % {"state": str(evening.get_state_display()).lower()},
        code="wrong_state",
    )


def changed_state() -> EveningRefused:
    return EveningRefused(
        _("Cette soirée vient de changer d’état. Relisez-la avant d’agir."), code="stale"
    )


def changed_presence(other: Member | None = None) -> EveningRefused:
    """Return the refusal of an act on a presence that has changed: the reader's own, or another's."""
    if other is not None:
        words = _("%(name)s : sa situation vient de changer. Relisez-la avant d’agir.") % {
            "name": other.full_name
        }
        return EveningRefused(words, code="stale")
    return EveningRefused(
        _("Votre situation vient de changer. Relisez-la avant d’agir."), code="stale"
    )


def check_doors(evening: Evening) -> None:
    """Refuse an arrival while the doors of this evening are not open."""
    if evening.state not in DOORS_OPEN:
        raise EveningRefused(
            _("Les arrivées ne sont pas ouvertes pour cette soirée."), code="doors_closed"
        )


def locked(evening: Evening) -> Evening:
    """Return the row as it is now, locked: who may pair its players locks it before the journal.

    Pairing holds the evening when it comes to the journal; the other way round, two actions would
    each wait for what the other one holds.
    """
    rows = Evening.objects.select_for_update(no_key=True, of=("self",))
    return rows.select_related("organisation", "rule_book").get(pk=evening.pk)


def locked_to_pair(evening: Evening, *arriving: int) -> Evening:
    """Return the row locked, with everybody who waits here and those who arrive (their keys).

    Pairing seats them after the act's first journal entry. Somebody who edits their own row, or goes
    home, holds that row when they come to the journal. Refused for somebody who has left the club or
    was merged.
    """
    row = locked(evening)
    waiting = CheckIn.objects.filter(evening=row, state=CheckIn.State.WAITING).values("member")
    held = Member.objects.active().filter(Q(pk__in=waiting) | Q(pk__in=arriving)).lock()
    if not {*arriving} <= {*held}:
        raise changed_presence()
    return row


def season_on(organisation: Organisation, day: date) -> Season:
    """Return the season of a day. Refused outside of the seasons."""
    current = Season.objects.filter(organisation=organisation).on(day).order_by("pk").first()
    if current is None:
        raise EveningRefused(
            _("Aucune saison ne comprend ce jour : créez d’abord la saison."), code="no_season"
        )
    return current


def new_code(length: int) -> str:
    """Return random characters that cannot be confused with one another (no 0 O 1 I L)."""
    return "".join(secrets.choice(CODE_SIGNS) for _sign in range(length))


def note(
    evening: Evening,
    verb: str,
    by: Actor,
    at: datetime,
    *,
    before: object = None,
    after: object = None,
    reason: str = "",
) -> None:
    journal.note(
        evening,
        verb,
        by=by,
        at=at,
        before=before,
        after=after if after is not None else {"state": evening.state},
        reason=reason,
        rule_book=evening.rule_book,
    )
    live.announce(evening.organisation, "evening", at=at, evening=evening.pk)


@transaction.atomic
def choose(*, evening: Evening, choice: str, on: bool, by: Actor, at: datetime) -> bool:
    """Turn a choice of an evening on or off, and return whether it was otherwise before.

    `choice`: `auto_pair` or `guests_wait`. Refused once the evening is over.
    """
    before = Q(**{choice: not on}) & ~Q(state__in=OVER)
    moved = Evening.objects.filter(before, pk=evening.pk).update(**{choice: on})
    evening.refresh_from_db()
    if evening.state in OVER:
        raise changed_state()
    if moved:
        note(evening, f"evening_{choice}", by, at, after={"on": on})
    return bool(moved)
