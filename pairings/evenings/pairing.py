"""Pairing of the waiting players: automatic, by a run, by hand."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor, reason_of
from clubs.journal import chain as journal
from clubs.members.models import Member
from clubs.rulebooks import actions as rulebooks
from pairings.absences import suspensions
from pairings.evenings.common import EveningRefused, locked, not_from, note
from pairings.evenings.models import CheckIn, Evening, PairingRun
from pairings.live import stream as live
from pairings.matches import actions as match_actions
from pairings.matches import seats
from pairings.matches.messages import pushes
from pairings.matches.models import Match, Seat
from pairings.matches.refusals import check_version
from pairings.matches.transitions import decision_for_bye
from pairings.ranking import season
from pairings.rules.match_state import Ending, Kind, Status, instant
from pairings.systems.protocol import NEEDS_ARBITER, WARNINGS, Pairing, pair_to_json


def auto_pair(*, evening: Evening, at: datetime) -> PairingRun | None:
    """Pair the waiting players as soon as two of them have not met.

    Never makes a bye or a repeat: those two need the arbiter's button.
    """
    row = Evening.objects.get(pk=evening.pk)
    if not row.auto_pair or row.state != Evening.State.RUNNING:
        return None
    if CheckIn.objects.filter(evening=row).waiting(at=at).count() < 2:
        return None
    outcome = season.propose(row, waiting_ids(row, at), fresh_only=True)
    if not outcome.pairs:
        return None
    try:
        return pair_waiting(evening=row, by=Actor.system(), at=at, fresh_only=True)
    except EveningRefused as refused:
        if refused.code not in ("wrong_state", "nobody"):
            raise
        return None  # since it was read, it was closed or somebody went home


@transaction.atomic
def pair_waiting(
    *,
    evening: Evening,
    by: Actor,
    at: datetime,
    strategy: str | None = None,
    fresh_only: bool = False,
    allow_early_repeat: bool = False,
    seen: str | None = None,
) -> PairingRun:
    """Run the pairing rule over the waiting players, all or nothing, and store its reasons.

    `strategy` "optimal" is the arbiter's "Éviter cette répétition", archived like any choice.
    `allow_early_repeat` is the arbiter's agreement to a repeat before its delay (002 VI.4); without
    it such a run is refused (`needs_agreement`), also when nobody can be paired (`nobody`).
    `seen`: the `mark_of` the evening when the proposal was read; refused when others wait, or when
    a run has called tables or given a bye since: who has had a bye waits as before.
    """
    row = locked(evening)
    if row.state != Evening.State.RUNNING:
        raise not_from(row)
    _lock_members(waiting_ids(row, at))
    waiting = waiting_ids(row, at)
    _check_same_wait(row, waiting, seen)
    outcome = season.propose(row, waiting, strategy=strategy, fresh_only=fresh_only)
    _check_outcome(outcome, allow_early_repeat=allow_early_repeat)
    inputs = {
        "waiting": waiting,
        "fresh_only": fresh_only,
        "early": allow_early_repeat,
        "pdi_ignored": season.waived_groups(row.season),
    }
    run = PairingRun.objects.create(
        evening=row,
        at=at,
        by=by.user,
        strategy=outcome.strategy,
        rule_book=row.rule_book,
        given=inputs,
        outcome=outcome.to_json(),
    )
    for pair in outcome.pairs:
        _seat(row, pair.first, pair.second, at, run=run, reason=pair_to_json(pair))
    for bye in outcome.byes:
        _bye(row, bye.player, at, by, run=run, reason=bye._asdict())
    journal.note(
        row,
        "paired",
        by=by,
        at=at,
        after={"run": run.pk, "pairs": len(outcome.pairs), "strategy": outcome.strategy},
        rule_book=row.rule_book,
    )
    return run


def _check_same_wait(evening: Evening, waiting: Iterable[int], seen: str | None) -> None:
    """Refuse what another proposal was read for; None where none was read."""
    if seen is not None and seen != mark_of(evening, waiting):
        raise EveningRefused(
            _("La soirée vient de changer : relisez la proposition."), code="stale"
        )


def _check_outcome(outcome: Pairing, *, allow_early_repeat: bool) -> None:
    if outcome.unpaired and not outcome.pairs and not outcome.byes:
        raise EveningRefused(
            _(
                "Ceux qui attendent se sont déjà rencontrés, et la revanche n’est pas encore "
                "permise : un arbitre peut les apparier à la main."
            ),
            code="nobody",
        )
    if not outcome.pairs and not outcome.byes:
        raise EveningRefused(
            _("Personne ne peut être apparié maintenant : il faut au moins deux joueurs libres."),
            code="nobody",
        )
    early = next((w for w in outcome.warnings if w.code == NEEDS_ARBITER), None)
    if early is not None and not allow_early_repeat:
        raise EveningRefused(str(_(WARNINGS[NEEDS_ARBITER])), code="needs_agreement")


@transaction.atomic
def pair_by_hand(
    *,
    evening: Evening,
    first: Member,
    second: Member,
    reason: str,
    by: Actor,
    at: datetime,
    seen: str | None = None,
) -> Match:
    """Pair two waiting players by hand, with the arbiter's reason.

    `seen`: as of `pair_waiting`, for an arbiter who read what it costs.
    """
    reason = reason_of(reason, EveningRefused)
    row = locked(evening)
    _lock_members([first.pk, second.pk])
    if row.state not in (Evening.State.RUNNING, Evening.State.LAST_GAMES):
        raise not_from(row)
    waiting = waiting_ids(row, at)
    _check_same_wait(row, waiting, seen)
    check_both_wait(first, second, waiting)
    match = _seat(row, first.pk, second.pk, at, reason={"reason": "manual", "words": reason})
    note(row, "paired_by_hand", by, at, after={"match": match.pk}, reason=reason)
    return match


def check_both_wait(first: Member, second: Member, waiting: Iterable[int]) -> None:
    """Refuse unless these are two persons who wait."""
    if first.pk == second.pk:
        raise EveningRefused(_("Choisissez deux personnes différentes."), code="same_player")
    for member in (first, second):
        if member.pk not in waiting:
            raise EveningRefused(
                _("%(name)s n’attend pas d’adversaire.") % {"name": member.full_name},
                code="not_waiting",
            )


@transaction.atomic
def swap(
    *,
    evening: Evening,
    one: Match,
    other: Match,
    reason: str,
    by: Actor,
    at: datetime,
    versions: Mapping[int, int] | None = None,
) -> tuple[Match, Match]:
    """Exchange the second players of two matches not yet started: cancel both and pair again.

    `versions`: of each match as it was read, by its number; other ones are refused.
    """
    if one.pk == other.pk:
        raise EveningRefused(_("Choisissez deux tables différentes."), code="same_match")
    locked(evening)
    _lock_members(pk for match in (one, other) for pk in (match.first_id, match.second_id) if pk)
    rows = [
        Match.objects.select_for_update(no_key=True).get(pk=pk) for pk in sorted((one.pk, other.pk))
    ]
    for match in rows:
        check_version(match, (versions or {}).get(match.pk))
        if (
            match.evening_id != evening.pk
            or match.status != Status.PROPOSED.value
            or match.second_id is None
        ):
            raise EveningRefused(
                _("On n’échange que deux tables où rien n’a commencé."), code="wrong_state"
            )
    tables = [match.table_number for match in rows]
    for match in rows:
        match_actions.cancel(match=match, reason=reason, by=by, at=at)
    a, b = rows
    matches = []
    for first_id, second_id, table in (
        (a.first_id, b.second_id, tables[0]),
        (b.first_id, a.second_id, tables[1]),
    ):
        assert second_id is not None
        matches.append(
            _seat(
                evening,
                first_id,
                second_id,
                at,
                reason={"reason": "swap", "words": reason.strip()},
                table=table,
            )
        )
    note(evening, "paired_swap", by, at, after={"matches": [m.pk for m in matches]}, reason=reason)
    return matches[0], matches[1]


def _seat(
    evening: Evening,
    first_id: int,
    second_id: int,
    at: datetime,
    *,
    reason: dict[str, object],
    run: PairingRun | None = None,
    table: int | None = None,
) -> Match:
    """Create one match and the live seats of both players.

    The partial unique key on live seats refuses a second table for either.
    """
    rules = rulebooks.rules(evening.rule_book, rulebooks.LADDER, "match")
    taken = CheckIn.objects.filter(
        evening=evening, member_id__in=[first_id, second_id], state=CheckIn.State.WAITING
    ).update(state=CheckIn.State.PLAYING, paused_until=None)
    if taken != 2:
        raise EveningRefused(_("Un de ces joueurs vient d’être apparié."), code="stale")
    if suspensions.at_evening(evening, [first_id, second_id]):
        raise EveningRefused(_("Un joueur suspendu n’est jamais apparié."), code="suspended")
    seats.free_old([first_id, second_id], at=at)
    try:
        with transaction.atomic():
            match = Match.objects.create(
                organisation_id=evening.organisation_id,
                evening=evening,
                pairing_run=run,
                rule_book=evening.rule_book,
                table_number=table or _free_table(evening),
                first_id=first_id,
                second_id=second_id,
                proposed_at=at,
                deadline_until=instant(rules.play_until(at.timestamp())),
                pairing_reason=reason,
            )
            Seat.objects.create(match=match, member_id=first_id, side="first")
            Seat.objects.create(match=match, member_id=second_id, side="second")
    except IntegrityError as clash:
        raise EveningRefused(
            _("Un de ces joueurs a déjà un match ouvert."), code="already_playing"
        ) from clash
    live.announce(evening.organisation, "match", at=at, match=match.pk, evening=evening.pk)
    pushes.tables_ready([match], at=at)
    return match


def _bye(
    evening: Evening,
    member_id: int,
    at: datetime,
    by: Actor,
    *,
    run: PairingRun,
    reason: dict[str, object],
) -> Match:
    """Create a bye: born final, 3 PR, the fixed DS; the player stays in the waiting list."""
    match = Match.objects.create(
        organisation_id=evening.organisation_id,
        evening=evening,
        pairing_run=run,
        rule_book=evening.rule_book,
        first_id=member_id,
        status=Status.FINAL.value,
        kind=Kind.BYE.value,
        why=Ending.BYE.value,
        counts=True,
        proposed_at=at,
        deadline_until=at,
        ended_at=at,
        pairing_reason=reason,
    )
    Seat.objects.create(match=match, member_id=member_id, side="first", live=False)
    decision_for_bye(match, by=by, at=at)
    live.announce(evening.organisation, "match", at=at, match=match.pk, evening=evening.pk)
    return match


def _free_table(evening: Evening) -> int:
    """Return the smallest free table number."""
    used = set(
        Match.objects.open()
        .filter(evening=evening, table_number__isnull=False)
        .values_list("table_number", flat=True)
    )
    number = 1
    while number in used:
        number += 1
    return number


def _lock_members(ids: Iterable[int]) -> None:
    """Lock the members in id order.

    A suspension takes the same locks, so it is applied before or after, never in between.
    """
    Member.objects.filter(pk__in=list(ids)).lock()


def waiting_ids(evening: Evening, at: datetime) -> list[int]:
    """Return the players who may be paired now: waiting, not paused, not suspended."""
    ids = list(
        CheckIn.objects.filter(evening=evening).waiting(at=at).values_list("member_id", flat=True)
    )
    suspended = suspensions.at_evening(evening, ids)
    elsewhere = seated_elsewhere(ids, at)
    return [pk for pk in ids if pk not in suspended and pk not in elsewhere]


def mark_of(evening: Evening, waiting: Iterable[int]) -> str:
    """Return a digest of the last run and of those who wait: what a proposal was read for."""
    last = evening.pairing_runs.aggregate(last=Max("pk"))["last"]
    return hashlib.sha256(repr((last, sorted(waiting))).encode()).hexdigest()[:32]


def seated_elsewhere(ids: Iterable[int], at: datetime) -> set[int]:
    """Return the players who wait here while they are called to a tournament's table.

    Nobody sits at two tables.
    """
    return set(seats.holding(ids, at=at, in_tournament=True))
