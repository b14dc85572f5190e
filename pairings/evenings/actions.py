"""Actions on a club evening: announce, open check-in, begin, close. Who is here: `admission/presence.py`.

Planned → open → running → last games → closing → closed. The rule version is fixed when check-in
opens, so nothing changes mid-evening; the session is rated once, when the evening closes.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from clubs.accounts.actor import Actor, reason_of
from clubs.accounts.older_pages import STALE, changed_meanwhile, row_version
from clubs.accounts.permissions import lock_open
from clubs.members import actions as members
from clubs.organisations.models import Organisation, Season
from clubs.rulebooks import actions as rulebooks
from clubs.ui.french import written
from pairings.evenings.common import (
    EveningRefused,
    changed_state,
    choose,
    locked,
    locked_to_pair,
    new_code,
    not_from,
    note,
    season_on,
)
from pairings.evenings.models import CheckIn, Evening, EveningState
from pairings.evenings.pairing import auto_pair
from pairings.evenings.rating import label_of
from pairings.matches import actions as match_actions
from pairings.matches import rating as match_rating
from pairings.rules.match_state import Status
from ratings.ledger import settlement

MOVES = {
    Evening.State.OPEN: (Evening.State.PLANNED,),
    Evening.State.RUNNING: (Evening.State.OPEN, Evening.State.LAST_GAMES),
    Evening.State.LAST_GAMES: (Evening.State.RUNNING,),
    Evening.State.CLOSING: (Evening.State.OPEN, Evening.State.RUNNING, Evening.State.LAST_GAMES),
    Evening.State.CANCELLED: (Evening.State.PLANNED,),
}
VERBS = {
    Evening.State.OPEN: "evening_opened",
    Evening.State.RUNNING: "evening_started",
    Evening.State.LAST_GAMES: "evening_last_games",
    Evening.State.CLOSING: "evening_closing",
    Evening.State.CANCELLED: "evening_cancelled",
}


@transaction.atomic
def announce_evening(
    *,
    organisation: Organisation,
    starts_at: datetime,
    by: Actor,
    at: datetime,
    place: str = "",
    auto_pair: bool = True,
) -> Evening:
    """Add an evening to the calendar, inside a season; a day may have several."""
    held_on = starts_at.astimezone(organisation.zone).date()
    number = _next_number(organisation, held_on)
    current = season_on(organisation, held_on)
    try:
        with transaction.atomic():
            evening = Evening.objects.create(
                organisation=organisation,
                season=current,
                held_on=held_on,
                number=number,
                starts_at=starts_at,
                place=place or organisation.place,
                door_code=new_code(8),
                auto_pair=auto_pair,
            )
    except IntegrityError as clash:
        raise EveningRefused(_same_start(), code="same_start") from clash
    note(evening, "evening_announced", by, at)
    return evening


@transaction.atomic
def announce_weekly(
    *, starts_at: datetime, until: date | None, organisation: Organisation, **asked: Any
) -> list[Evening]:
    """Announce an evening, and one at the same local hour each week up to the day `until`.

    All or none: what refuses a later week names its day (`later_week`). `asked` is as for
    `announce_evening`.
    """
    announced = [announce_evening(organisation=organisation, starts_at=starts_at, **asked)]
    week = starts_at.astimezone(organisation.zone) + timedelta(weeks=1)
    while until is not None and week.date() <= until:
        try:
            announced.append(announce_evening(organisation=organisation, starts_at=week, **asked))
        except EveningRefused as refused:
            raise EveningRefused(
                _("Rien n’est annoncé. Le %(day)s : %(why)s")
                % {"day": written(week.date(), "j F Y"), "why": refused},
                code="later_week",
            ) from refused
        week += timedelta(weeks=1)
    return announced


@transaction.atomic
def edit_evening(
    *,
    evening: Evening,
    starts_at: datetime,
    place: str,
    auto_pair: bool,
    seen: str | None = None,
    by: Actor,
    at: datetime,
) -> Evening:
    """Change the start or the place of an evening that is announced and not yet open.

    `seen`: the version (`row_version`) of its `DETAILS` that a page showed; an older one is refused.
    """
    if seen is not None and seen != row_version(evening, Evening.DETAILS):
        raise EveningRefused(changed_meanwhile(), code=STALE)
    before = {name: getattr(evening, name) for name in Evening.DETAILS}
    after = {
        "starts_at": starts_at,
        "place": members.clean_name(place) or evening.organisation.place,
        "auto_pair": auto_pair,
    }
    held_on = starts_at.astimezone(evening.organisation.zone).date()
    number = evening.number
    if held_on != evening.held_on:
        number = _next_number(evening.organisation, held_on)
    current = season_on(evening.organisation, held_on)
    changed = [name for name in after if before[name] != after[name]]
    edits = evening.edits + bool(changed)
    try:
        with transaction.atomic():
            moved = Evening.objects.filter(
                pk=evening.pk, state=Evening.State.PLANNED, edits=evening.edits, **before
            ).update(held_on=held_on, number=number, season=current, edits=edits, **after)
    except IntegrityError as clash:
        raise EveningRefused(_same_start(), code="same_start") from clash
    evening.refresh_from_db()
    if not moved:
        raise changed_state() if evening.state == Evening.State.PLANNED else not_from(evening)
    if changed:
        note(
            evening,
            "evening_edited",
            by,
            at,
            before={name: before[name] for name in changed},
            after={name: after[name] for name in changed},
        )
    return evening


def _same_start() -> str:
    return _("Une soirée est déjà annoncée à cette heure dans ce lieu.")


def _next_number(organisation: Organisation, day: date) -> int:
    """Return the next number of a day, from 1.

    The lock orders two announcements of one club, a season whose days change, and a closing.
    Raises EveningRefused for a club that was closed meanwhile.
    """
    lock_open(organisation, EveningRefused)
    of_day = Evening.objects.of(organisation).filter(held_on=day)
    return (of_day.aggregate(last=Max("number"))["last"] or 0) + 1


@transaction.atomic
def open_doors(*, evening: Evening, by: Actor, at: datetime, seen: str = "") -> Evening:
    """Open check-in, and fix the rule version for the whole evening.

    Evenings of one day may run at the same time; those of different days follow one another, because
    they are rated in the order of their days. One that opens beside others takes their version:
    players move between them, and their games are projected together (decision 0038).
    """
    Organisation.objects.select_for_update(no_key=True).get(pk=evening.organisation_id)
    others = Evening.objects.of(evening.organisation).live().select_related("rule_book")
    earlier = others.exclude(held_on=evening.held_on).first()
    if earlier is not None:
        raise EveningRefused(
            _("La soirée du %(day)s est encore en cours : clôturez-la d’abord.")
            % {"day": written(earlier.held_on, "l j F")},
            code="other_live",
        )
    beside = others.order_by("opened_at", "pk").first()
    in_force = rulebooks.in_force(evening.organisation, rulebooks.LADDER, at)
    book = in_force if beside is None else beside.rule_book
    moved = _move(
        evening,
        Evening.State.OPEN,
        by,
        at,
        seen=seen,
        rule_book=book,
        opened_at=at,
        board_code=new_code(4),
    )
    # The first evening also fixes the settings that order the whole season.
    Season.objects.filter(pk=evening.season_id, rule_fixed=False).update(
        rule_book=book, rule_fixed=True
    )
    return moved


def begin(*, evening: Evening, by: Actor, at: datetime, seen: str = "") -> Evening:
    """Let games start; with automatic pairing on, pair the waiting players at once."""
    moved = _move(evening, Evening.State.RUNNING, by, at, seen=seen)
    auto_pair(evening=moved, at=at)
    return moved


def last_games(*, evening: Evening, by: Actor, at: datetime, seen: str = "") -> Evening:
    """Stop pairing by the rule; an arbiter may still pair two players by hand."""
    return _move(evening, Evening.State.LAST_GAMES, by, at, seen=seen)


def begin_closing(*, evening: Evening, by: Actor, at: datetime, seen: str = "") -> Evening:
    """Start closing: show the checklist of open matches; nothing new may start."""
    return _move(evening, Evening.State.CLOSING, by, at, seen=seen)


def cancel_evening(
    *, evening: Evening, reason: str, by: Actor, at: datetime, seen: str = ""
) -> Evening:
    why = reason_of(reason, EveningRefused)
    return _move(evening, Evening.State.CANCELLED, by, at, why, seen, cancel_reason=why)


@transaction.atomic
def set_auto_pair(*, evening: Evening, on: bool, by: Actor, at: datetime) -> Evening:
    """Turn automatic pairing on or off; turned on, it pairs at once whom it can."""
    locked_to_pair(evening)
    if choose(evening=evening, choice="auto_pair", on=on, by=by, at=at) and on:
        auto_pair(evening=evening, at=at)
    return evening


def close_evening(*, evening: Evening, by: Actor, at: datetime) -> Evening:
    """Rate the session once and close the evening.

    Ended windows expire first. Refused unless the evening is in its last games or closing
    (`wrong_state`), and while a match is open (`open_matches`).
    """
    for match in evening.matches.filter(status__in=[Status.SUBMITTED, Status.ABSENCE_CLAIMED]):
        match_actions.lapse(match=match, at=at)
    with transaction.atomic():
        row = locked(evening)
        if row.state not in (Evening.State.CLOSING, Evening.State.LAST_GAMES):
            raise EveningRefused(
                _("Cette soirée n’est pas en clôture. Relisez-la avant d’agir."), code="wrong_state"
            )
        still_open = row.matches.open().count()
        if still_open:
            raise EveningRefused(
                ngettext(
                    "%(count)s match est encore ouvert : terminez-le avant de clôturer.",
                    "%(count)s matchs sont encore ouverts : terminez-les avant de clôturer.",
                    still_open,
                )
                % {"count": still_open},
                code="open_matches",
            )
        settlement.lock_early(match_rating.list_of(row))  # before who is here, as a merge does
        row.guest_requests.waiting().delete()  # names of registered players who never checked in
        row.check_ins.present().update(state=CheckIn.State.LEFT)
        period = match_rating.period_of(row)
        # Evenings of one day are rated in the order of their closing. A cut or a tournament of the next
        # day may be rated before: after midnight, or where somebody forgot to close.
        settlement.settle(period=period, by=by, at=at, last_of_day=True, late=label_of(row))
        moved = Evening.objects.filter(pk=row.pk, state=row.state).update(
            state=Evening.State.CLOSED, closed_at=at
        )
        if not moved:
            raise EveningRefused(_("Cette soirée vient d’être clôturée."), code="stale")
        evening.refresh_from_db()
        note(evening, "evening_closed", by, at)
    return evening


def _move(
    evening: Evening,
    target: EveningState,
    by: Actor,
    at: datetime,
    reason: str = "",
    seen: str = "",
    **changes: object,
) -> Evening:
    """Move an evening on. `seen`: the state that was read, where it is to be that one still."""
    origins = [state for state in MOVES[target] if seen in ("", state)]
    with transaction.atomic():
        moved = Evening.objects.filter(pk=evening.pk, state__in=origins).update(
            state=target, **changes
        )
        before = evening.state
        evening.refresh_from_db()
        if not moved:
            raise not_from(evening) if evening.state == seen else changed_state()
        note(evening, VERBS[target], by, at, before={"state": before}, reason=reason)
    return evening
