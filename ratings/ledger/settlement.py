"""The only module that writes cotes: post, settle a period, adjust, correct and replay forward.

A period is settled once. Posting is idempotent: the same source with the same content changes
nothing, with other content it adds a new version that supersedes the one before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor, reason_of
from clubs.approvals import actions as approvals
from clubs.journal import chain as journal
from clubs.members import actions as members
from clubs.members import merging
from clubs.members.models import Member
from clubs.organisations.models import Organisation
from clubs.persons import actions as persons
from clubs.persons import choices
from clubs.rulebooks import actions as rulebooks
from clubs.rulebooks.models import RuleBook
from clubs.upkeep.jobs import Progress, no_progress
from ratings import systems
from ratings.ledger import corrections, entries, impact, replay
from ratings.ledger.corrections import Correction
from ratings.ledger.entries import rebuild_cotes
from ratings.ledger.models import LedgerEntry, Period, RatingList
from ratings.ledger.origins import UNOFFICIAL, Origin
from ratings.ledger.posting import (
    LedgerRefused,
    Placement,
    record_game,
    record_games,
    record_placings,
    withdraw_game,
)
from ratings.ledger.replay import Difference
from ratings.ledger.timeline import ADJUSTMENT, GAMES, START, Calendar, last_rated, rule_book_of

__all__ = [
    "ADJUSTMENT",
    "GAMES",
    "START",
    "LedgerRefused",
    "Placement",
    "rebuild_cotes",
    "record_game",
    "record_games",
    "record_placings",
    "withdraw_game",
]


def list_of(organisation: Organisation, system: str, *, kind: str = "") -> RatingList:
    """Return the organisation's list for a system, created on first use."""
    rating_list, _created = RatingList.objects.get_or_create(
        organisation=organisation,
        slug=f"{system}-{kind}".strip("-"),
        defaults={"system": system, "kind": kind, "name": systems.system(system).label},
    )
    return rating_list


def open_period(
    *,
    rating_list: RatingList,
    origin: Origin | None = None,
    key: str = "",
    label: str,
    evening_number: int | None = None,
    held_on: date,
    kind: str = GAMES,
    facts: Mapping[str, object] | None = None,
    position: int = 0,
    rule_book: RuleBook | None = None,
    rule_fixed: bool = False,
) -> Period:
    """Return the period of that origin, created on first use. Calling it twice changes nothing.

    `key` names one that comes from nowhere else on the site. `rule_fixed`: the caller already fixed
    the rule version (an evening does when it opens).
    """
    period, _created = Period.objects.get_or_create(
        rating_list=rating_list,
        key=key if origin is None else origin.key,
        defaults={
            **({} if origin is None else origin.columns()),
            "label": label,
            "evening_number": evening_number,
            "held_on": held_on,
            "kind": kind,
            "facts": dict(facts or {}),
            "position": position,
            "rule_book": rule_book,
            "rule_fixed": rule_fixed,
        },
    )
    return period


@transaction.atomic
def settle(
    *, period: Period, by: Actor, at: datetime, last_of_day: bool = False, late: str = ""
) -> list[LedgerEntry]:
    """Rate a period once: everybody from the cotes held before it. A second call adds nothing.

    `last_of_day` puts it after those of its day that are rated: two evenings of one day may close in
    another order than they began.
    A period earlier than one already settled is inserted by a replay with the reason `late`, and
    refused without one (see `correct`). Raises LedgerRefused with the system's own sentence when the
    rules cannot rate the event.
    """
    rating_list = lock_to_write(period.rating_list)
    period.refresh_from_db()
    if period.settled_at or period.removed_at or period.kind == UNOFFICIAL:
        return []
    if last_of_day:
        _place_last(rating_list, period)
    later = rating_list.periods.rated().after(period)
    if later.exists() and late:
        correct(period=period, by=by, at=at, reason=late)
        return list(period.entries.in_force().order_by("pk"))
    if later.exists():
        raise LedgerRefused(
            _(
                "Une période plus récente est déjà calculée : utilisez « Corriger » sur la "
                "page de la compétition."
            ),
            code="out_of_order",
        )
    rule_book = rule_book_of(period)
    Period.objects.filter(pk=period.pk).update(settled_at=at, rule_book=rule_book, rule_fixed=True)
    period.refresh_from_db()
    period.rating_list = rating_list
    changes = replay.settle_one(rating_list, period)
    written = entries.write_settled(period, changes, by=by, at=at)
    after = {"list": rating_list.slug, "key": period.key, "entries": len(written)}
    journal.note(period, "period_settled", by=by, at=at, after=after, rule_book=rule_book)
    return written


def _place_last(rating_list: RatingList, period: Period) -> None:
    rated = rating_list.periods.filter(held_on=period.held_on, settled_at__isnull=False)
    if last := rated.in_order().last():
        period.position = max(period.position, last.position + 1)
        Period.objects.filter(pk=period.pk).update(position=period.position)


@transaction.atomic
def adjust(
    *,
    rating_list: RatingList,
    member: Member,
    percent: str,
    origin: Origin,
    label: str,
    held_on: date,
    reason: str,
    by: Actor,
    at: datetime,
    floor: int | None = None,
) -> list[LedgerEntry]:
    """Apply a percentage cut as a replayable event of its own. The same origin cuts once.

    `floor`: the committee's floor of cuts; without one the floor of cotes holds.
    """
    reason = reason_of(reason, LedgerRefused)
    last = last_rated(rating_list, held_on)
    facts: dict[str, object] = {"member": member.pk, "percent": percent, "reason": reason}
    if floor is not None:
        facts["cut_floor"] = floor
    period = open_period(
        rating_list=rating_list,
        origin=origin,
        label=label,
        held_on=max(held_on, last.held_on) if last else held_on,
        kind=ADJUSTMENT,
        facts=facts,
        position=last.position + 1 if last else 0,
    )
    return settle(period=period, by=by, at=at)


@transaction.atomic
def undo_adjustment(
    *,
    rating_list: RatingList,
    origin: Origin,
    reason: str,
    by: Actor,
    at: datetime,
    seen: int | None,
) -> Difference | None:
    """Set a cut to nothing, and replay what came after. Returns None without that cut.

    The period and its first entry stay; new entries supersede, with the reason. `seen`: as `apply`.
    """
    undone = _undone(rating_list, origin)
    if undone is None:
        return None
    return apply(
        rating_list=rating_list,
        correction=undone,
        by=by,
        at=at,
        reason=reason,
        seen=seen,
        alone=True,
    )


def preview_undo(*, rating_list: RatingList, origin: Origin, on: date) -> Difference | None:
    """Return what `undo_adjustment` would change. None without that cut. Writes nothing."""
    undone = _undone(rating_list, origin)
    return None if undone is None else replay.preview(rating_list, undone, on=on)


def counted_adjustments(of: Iterable[Origin]) -> set[int]:
    """Return the ids of those origins whose cut counts: without those that were undone."""
    cuts = Period.objects.opened_for(*of).filter(kind=ADJUSTMENT)
    return {cut.origin_id for cut in cuts if cut.origin_id and cut.facts["percent"] != "0"}


def _undone(rating_list: RatingList, origin: Origin) -> Correction | None:
    period = rating_list.periods.opened_for(origin).filter(kind=ADJUSTMENT).first()
    if period is None or period.facts["percent"] == "0":
        return None
    facts = {**period.facts, "percent": "0", "undone_percent": period.facts["percent"]}
    return corrections.change_event(period, facts=facts)


def correct(*, period: Period, by: Actor, at: datetime, reason: str) -> Difference:
    """Replay forward from a period whose games have been posted anew; supersede what differs.

    The caller who changed the games has already asked for the second person, where one is wanted.
    """
    again = Correction(replayed=frozenset({period.pk}))
    return apply(
        rating_list=period.rating_list, correction=again, by=by, at=at, reason=reason, alone=True
    )


@transaction.atomic
def apply(
    *,
    rating_list: RatingList,
    correction: Correction,
    by: Actor,
    at: datetime,
    reason: str,
    seen: int | None = None,
    approver: Member | None = None,
    alone: bool = False,
    progress: Progress = no_progress,
) -> Difference:
    """Apply a correction: post what it changes, supersede what it reaches, with one reason.

    `seen` is the `version` of the preview that was read: a list changed since is refused. `approver`
    agreed to it (`clubs.approvals.actions`), where the committee wants two for what is published;
    `alone`: the caller has asked already, or it corrects no result. `progress(done, total)` is called
    with periods while they are calculated, then with ledger entries while they are written.
    """
    reason = reason_of(reason, LedgerRefused)
    rating_list = lock_to_write(rating_list)
    if seen is not None and rating_list.version != seen + 1:
        raise LedgerRefused(
            _("La liste ou ses règles ont changé depuis l’aperçu. Relisez-le avant de corriger."),
            code="stale",
        )
    corrections.check(rating_list, correction)
    calendar = Calendar(rating_list, correction)
    on = at.astimezone(rating_list.organisation.zone).date()
    difference = impact.of_walk(calendar, on=on, progress=progress)
    if not alone and approver is None and difference.editions and wants_two(rating_list, at):
        raise LedgerRefused(str(approvals.NEEDED), code="second_required")
    entries.post_correction(calendar, at)
    entries.write_lines(
        rating_list, difference.lines, by=by, at=at, reason=reason, progress=progress
    )
    entries.rebuild_cotes(rating_list, {line.member_id for line in difference.lines})
    named = sorted(correction.periods)
    journal.record(
        organisation=rating_list.organisation,
        verb="list_replayed",
        subject=f"period:{named[0]}" if len(named) == 1 else f"list:{rating_list.pk}",
        by=by,
        at=at,
        before={str(member): shown for member, (shown, _now) in difference.finals.items()},
        after={
            "list": rating_list.slug,
            "superseded": len(difference.lines),
            "correction": correction.in_words(),
            "cotes": {str(member): shown for member, (_was, shown) in difference.finals.items()},
        },
        reason=reason,
    )
    if approver is not None:
        subject = f"list:{rating_list.pk}"
        approvals.record(approver=approver, by=by, at=at, subject=subject, reason=reason)
    return difference


@transaction.atomic
def post_unrated(*, periods: Sequence[Period], correction: Correction, at: datetime) -> None:
    """Post a correction of periods that are not rated yet: a dry run made before is out of date."""
    rating_list = lock_to_write(periods[0].rating_list)
    corrections.check(rating_list, correction)
    entries.post_results(correction, {period.pk: period for period in periods}, at)


def wants_two(rating_list: RatingList, at: datetime) -> bool:
    """Return whether the committee wants two people for what is published of this list."""
    organisation = rating_list.organisation
    policy = rulebooks.rules_at(organisation, rating_list.system, rulebooks.CORRECTION, at)
    return bool(policy.second_person)


@transaction.atomic
def merge_member(
    *,
    member: Member,
    into: Member,
    by: Actor,
    at: datetime,
    reason: str,
    seen: Mapping[str, int] | None = None,
    progress: Progress = no_progress,
) -> dict[int, Difference]:
    """Merge two rows of one person: in every list the games of `member` count for `into`.

    `seen`: the version of each list in the preview that was read, by its id as text (JSON). Returns
    {list id: what it changed}. Refused where the two met each other, or where a list has changed.
    """
    if member.organisation_id != into.organisation_id or member.pk == into.pk:
        raise LedgerRefused(_("Choisissez un autre joueur du même club."), code="same_player")
    _member, into = merging.lock_both(member, into)
    if into.merged_into_id == member.pk:  # a list refuses it too, where there is one
        raise LedgerRefused(_("Ces fiches sont déjà fusionnées."), code="already_merged")
    copies = choices.lock_copies([*member.rows(), *into.rows()])
    rating_lists = lock_lists(into.organisation)
    if seen is not None and seen != {str(one.pk): one.version for one in rating_lists}:
        raise LedgerRefused(
            _("Une liste ou ses règles ont changé depuis l’aperçu. Relisez-le avant de fusionner."),
            code="stale",
        )
    if copies:  # each list's correction writes an entry before they follow
        journal.lock({into.organisation_id, *(copy.organisation_id for copy in copies)})
    one = corrections.merge_member(member, into)
    list_differences = {
        rating_list.pk: apply(
            rating_list=rating_list,
            correction=one,
            by=by,
            at=at,
            reason=reason,
            alone=True,
            progress=progress,
        )
        for rating_list in rating_lists
    }
    moved = Member.objects.filter(pk=member.pk, merged_into__isnull=True).update(
        merged_into=into, left_at=at
    )
    if not moved:
        raise LedgerRefused(_("Ces fiches sont déjà fusionnées."), code="already_merged")
    persons.take_over(member=member, into=into, by=by, at=at)
    into.refresh_from_db()
    members.show_alike(into, by=by, at=at)
    after = {"into": into.pk}
    journal.note(member, "member_merged", by=by, at=at, after=after, reason=reason.strip())
    return list_differences


def lock_early(rating_list: RatingList) -> None:
    """Lock a list before the caller's first journal entry, where the act rates it afterwards.

    An act that settles or corrects it holds the list when it comes to the journal (decision 0046).
    """
    RatingList.objects.select_for_update(no_key=True).get(pk=rating_list.pk)


def lock_lists(organisation: Organisation) -> list[RatingList]:
    """Lock every list of a club, before an act that corrects each and writes an entry for each."""
    own = RatingList.objects.filter(organisation=organisation).order_by("pk")
    return list(own.select_for_update(no_key=True))


def lock_to_write(rating_list: RatingList) -> RatingList:
    """Lock a list for one writer: its version changes with each settlement and correction."""
    RatingList.objects.filter(pk=rating_list.pk).update(version=F("version") + 1)
    return RatingList.objects.select_for_update(no_key=True).get(pk=rating_list.pk)
