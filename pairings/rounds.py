"""Verbs of a round: draw, change the draft, publish, take back, pair a latecomer, close.

A draft is seen by the arbiters only. Publishing makes one match a board: from then on results,
contests and decisions are those of an evening (`pairings.results`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, Max
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from clubs import sanctions
from clubs.actor import Actor
from clubs.models import Member
from pairings import live, results, round_drafts, tournament_records, tournament_rules, tournaments
from pairings.match_flow import Result, Status
from pairings.models import Entry, Match, Round, RoundDraw, Seat, Tournament
from pairings.round_drafts import Boards
from pairings.systems.base import MANUAL, Pairing, RoundRefused
from pairings.tournament_rules import TournamentRefused

NO_RESULT = (Status.PROPOSED.value, Status.PLAYING.value, Status.CANCELLED.value)


@transaction.atomic
def draw(
    *,
    round: Round,
    by: Actor,
    at: datetime,
    strategy: str | None = None,
    version: int | None = None,
) -> Round:
    """Pair the round by the tournament's rule, as a draft. Locked boards stay.

    `strategy` "optimal" is "Éviter cette répétition". Drawing again replaces the draft; every
    draw is archived with what went in and what came out.
    """
    row = locked(round, version=version)
    if row.state not in (Round.PLANNED, Round.DRAFT):
        raise TournamentRefused(_("Cette ronde est déjà publiée."), code="published")
    _check_rounds_before(row)
    entries = tournament_records.entries_of(row.tournament)
    present = present_ids(row, entries)
    held = round_drafts.locked_boards(row.draft, present)
    free = present - set(round_drafts.players_of(b for _place, b in held))
    outcome = propose(row, entries, free, strategy=strategy)
    RoundDraw.objects.create(
        round=row,
        at=at,
        by=by.user,
        strategy=outcome.strategy,
        given={
            "present": sorted(present),
            "locked": [b for _place, b in held],
            "system": row.tournament.system,
            "rules": row.tournament.rules,
        },
        outcome=outcome.to_json(),
    )
    stored = outcome.to_json()
    _store(
        row,
        draft=round_drafts.boards_of(outcome, held),
        state=Round.DRAFT,
        strategy=outcome.strategy,
        warnings=stored["warnings"],
        alternative=stored["alternative"],
    )
    after = {"round": row.number, "boards": len(row.draft), "strategy": outcome.strategy}
    tournaments.note(row.tournament, "round_drawn", by, at, after=after)
    return row


def propose(
    row: Round, entries: Iterable[Entry], free: set[int], *, strategy: str | None = None
) -> Pairing:
    """What the rule makes of the players who are free. Writes nothing."""
    rules = tournament_rules.rules_of(row.tournament)
    if strategy is not None and hasattr(rules, "strategy"):
        rules = replace(rules, strategy=strategy)
    records = tournament_records.records_of(
        tournament_records.matches_of(row.tournament), until=row.number - 1
    )
    try:
        found: Pairing = rules.pair_round(
            tournament_records.entrants_of(entries), records, available=free, today=row.number
        )
    except RoundRefused as refused:
        raise TournamentRefused(_(str(refused)), code="round_refused") from refused
    if not found.pairs and not found.byes:
        raise TournamentRefused(
            _("Personne ne peut être apparié : qui est présent ?"), code="nobody"
        )
    return found


def present_ids(row: Round, entries: Iterable[Entry]) -> set[int]:
    """Who may be paired in this round: announced present and not suspended."""
    here = {entry.member_id for entry in entries if entry.is_present(row.number)}
    return here - sanctions.suspended_ids(here, on=row.tournament.held_on)


def _check_rounds_before(row: Round) -> None:
    earlier = row.tournament.rounds.filter(number__lt=row.number).exclude(state=Round.CLOSED)
    first = earlier.order_by("number").first()
    if first is None:
        return
    missing = first.matches.open().count()
    if missing:
        raise TournamentRefused(
            ngettext(
                "Il manque %(count)s résultat à la ronde %(number)s.",
                "Il manque %(count)s résultats à la ronde %(number)s.",
                missing,
            )
            % {"count": missing, "number": first.number},
            code="open_matches",
        )
    raise TournamentRefused(
        _("La ronde %(number)s n’est pas terminée.") % {"number": first.number}, code="not_closed"
    )


# Changing the draft


@transaction.atomic
def set_lock(
    *,
    round: Round,
    player: int,
    on: bool,
    by: Actor,
    at: datetime,
    version: int | None = None,
) -> Round:
    """Keep one board whatever is drawn again; or let it go."""
    row = _draft(round, version)
    boards = round_drafts.set_lock(row.draft, player, locked=on)
    return _changed(row, boards, by, at, after={"player": player, "locked": on})


@transaction.atomic
def swap(
    *,
    round: Round,
    one: int,
    other: int,
    reason: str,
    by: Actor,
    at: datetime,
    version: int | None = None,
) -> Round:
    """Exchange two players of the draft, and say why."""
    row = _draft(round, version, reason)
    boards = round_drafts.swap(row.draft, one, other, reason.strip())
    return _changed(row, boards, by, at, after={"swapped": [one, other]}, reason=reason)


@transaction.atomic
def pair_by_hand(
    *,
    round: Round,
    first: int,
    second: int | None,
    reason: str,
    by: Actor,
    at: datetime,
    version: int | None = None,
) -> Round:
    """Put two players together (second None: against the fictive player), and say why."""
    row = _draft(round, version, reason)
    present = present_ids(row, row.tournament.entries.all())
    for player in (first, second):
        if player is not None and player not in present:
            raise TournamentRefused(
                _("Ce joueur n’est pas présent à cette ronde."), code="not_present"
            )
    boards = round_drafts.pair_by_hand(row.draft, first, second, reason.strip())
    return _changed(row, boards, by, at, after={"paired": [first, second]}, reason=reason)


def _draft(round: Round, version: int | None, reason: str | None = None) -> Round:
    if reason is not None and not reason.strip():
        raise TournamentRefused(_("Le motif est obligatoire."), code="reason_required")
    row = locked(round, version=version)
    if row.state != Round.DRAFT:
        raise TournamentRefused(
            _("Cette ronde n’est plus un brouillon. Rechargez la page."), code="wrong_state"
        )
    return row


def _changed(
    row: Round, boards: Boards, by: Actor, at: datetime, *, after: Any, reason: str = ""
) -> Round:
    _store(row, draft=boards)
    tournaments.note(
        row.tournament,
        "round_draft_changed",
        by,
        at,
        after={"round": row.number, **after},
        reason=reason.strip(),
    )
    return row


# Publishing


@transaction.atomic
def publish(
    *,
    round: Round,
    by: Actor,
    at: datetime,
    version: int | None = None,
    allow_unpaired: bool = False,
) -> Round:
    """Make the matches: phones, wall and prints show them from now on.

    `allow_unpaired`: the arbiter agrees that somebody present has no match.
    """
    row = _draft(round, version)
    entries = {entry.member_id: entry for entry in tournament_records.entries_of(row.tournament)}
    present = present_ids(row, entries.values())
    seated = round_drafts.players_of(row.draft)
    gone = [entries[pk].member.full_name for pk in seated if pk not in present]
    if gone:
        raise TournamentRefused(
            _("Annoncés absents : %(names)s. Appariez de nouveau.") % {"names": ", ".join(gone)},
            code="absent",
        )
    alone = sorted(present - set(seated))
    if alone and not allow_unpaired:
        names = ", ".join(entries[pk].member.full_name for pk in alone)
        raise TournamentRefused(
            _("Présents mais sans table : %(names)s.") % {"names": names}, code="unpaired"
        )
    _make_matches(row, row.draft, by, at)
    _store(row, state=Round.PUBLISHED, published_at=at)
    tournaments.note(
        row.tournament,
        "round_published",
        by,
        at,
        after={
            "round": row.number,
            "boards": [[board["first"], board["second"]] for board in row.draft],
            "unpaired": alone,
        },
    )
    live.announce(row.tournament.organisation, "round", at=at, round=row.pk)
    return row


def _make_matches(
    row: Round, boards: Boards, by: Actor, at: datetime, first_table: int = 1
) -> list[Match]:
    deadline = tournament_rules.lifecycle_of(row.tournament).deadline_s
    made, table = [], first_table
    for board in boards:
        is_bye = board["second"] is None
        match = Match(
            organisation_id=row.tournament.organisation_id,
            round=row,
            table_number=None if is_bye else table,
            first_id=board["first"],
            second_id=board["second"],
            proposed_at=at,
            deadline_until=at + timedelta(seconds=deadline),
            pairing_reason=board["why"],
        )
        if is_bye:
            match.status, match.kind, match.why = Status.FINAL.value, "bye", "bye"
            match.counts, match.ended_at = True, at
        else:
            table += 1
        made.append(match)
    made = Match.objects.bulk_create(made)
    seats = [
        Seat(match=match, member_id=pk, side=side, live=match.second_id is not None)
        for match in made
        for pk, side in ((match.first_id, "first"), (match.second_id, "second"))
        if pk is not None
    ]
    try:
        with transaction.atomic():
            Seat.objects.bulk_create(seats)
    except IntegrityError as clash:
        busy = Member.objects.filter(
            pk__in=[seat.member_id for seat in seats], seats__live=True
        ).order_by("pk")
        names = ", ".join(member.full_name for member in busy)
        raise TournamentRefused(
            _("Ces joueurs ont encore un match ouvert ailleurs : %(names)s.") % {"names": names},
            code="already_playing",
        ) from clash
    for match in made:
        if match.second_id is None:
            results.decision_for_bye(match, by=by, at=at)
    return made


@transaction.atomic
def unpublish(
    *,
    round: Round,
    reason: str,
    by: Actor,
    at: datetime,
    version: int | None = None,
) -> Round:
    """Back to the draft, while no result has been entered. Its matches are cancelled."""
    if not reason.strip():
        raise TournamentRefused(_("Le motif est obligatoire."), code="reason_required")
    row = locked(round, version=version)
    if row.state != Round.PUBLISHED:
        raise TournamentRefused(_("Cette ronde n’est pas publiée."), code="wrong_state")
    matches = list(row.matches.select_for_update().order_by("pk"))
    with_result = [m for m in matches if m.status not in NO_RESULT and m.kind != "bye"]
    if with_result:
        raise TournamentRefused(
            _("Un résultat est déjà entré à la table %(table)s : la ronde reste publiée.")
            % {"table": with_result[0].table_number},
            code="has_results",
        )
    for match in matches:
        _take_away(match, reason, by, at)
    _store(row, state=Round.DRAFT, published_at=None)
    tournaments.note(
        row.tournament, "round_unpublished", by, at, after={"round": row.number}, reason=reason
    )
    live.announce(row.tournament.organisation, "round", at=at, round=row.pk)
    return row


def _take_away(match: Match, reason: str, by: Actor, at: datetime) -> None:
    if match.status == Status.CANCELLED.value:
        return
    if match.second_id is None:
        results.correct(match=match, result=Result("cancelled"), reason=reason, by=by, at=at)
    else:
        results.cancel(match=match, reason=reason, by=by, at=at)


@transaction.atomic
def pair_late(
    *,
    round: Round,
    first: int,
    second: int | None,
    reason: str,
    by: Actor,
    at: datetime,
) -> Match:
    """In a published round, a table for two who have none: a latecomer and who met X, or two
    players whose match was cancelled. A bye of theirs is taken away."""
    if not reason.strip():
        raise TournamentRefused(_("Le motif est obligatoire."), code="reason_required")
    if first == second:
        raise TournamentRefused(_("Choisissez deux personnes différentes."), code="same_player")
    row = locked(round)
    if row.state != Round.PUBLISHED:
        raise TournamentRefused(_("Cette ronde n’est pas publiée."), code="wrong_state")
    players = [pk for pk in (first, second) if pk is not None]
    entries = {e.member_id: e for e in row.tournament.entries.filter(member__in=players)}
    if len(entries) < len(players):
        raise TournamentRefused(_("Ce joueur n’est pas inscrit."), code="not_entered")
    held = row.matches.exclude(status=Status.CANCELLED.value).select_for_update()
    for match in held:
        if not {match.first_id, match.second_id} & set(players):
            continue
        if match.second_id is not None:
            raise TournamentRefused(
                _("Un de ces joueurs a déjà une table dans cette ronde."), code="already_playing"
            )
        _take_away(match, reason, by, at)
    for entry in entries.values():
        if not entry.is_present(row.number):
            Entry.objects.filter(pk=entry.pk).update(
                away=[n for n in entry.away if n != row.number],
                withdrawn_from=None,
                first_round=min(entry.first_round, row.number),
            )
    last = row.matches.aggregate(n=Max("table_number"))["n"] or 0
    why = {"reason": MANUAL, "words": reason.strip()}
    board = round_drafts.board(first, second, why)
    match = _make_matches(row, [board], by, at, first_table=last + 1)[0]
    _store(row)
    after = {"round": row.number, "players": players, "match": match.pk}
    tournaments.note(
        row.tournament, "round_paired_by_hand", by, at, after=after, reason=reason.strip()
    )
    live.announce(row.tournament.organisation, "match", at=at, match=match.pk, round=row.pk)
    return match


def close(*, round: Round, by: Actor, at: datetime) -> Round:
    """Every board has its result: the round is over. Windows that have ended lapse first."""
    for match in round.matches.filter(status__in=["submitted", "absence_claimed"]):
        results.lapse(match=match, at=at)
    with transaction.atomic():
        row = locked(round)
        if row.state != Round.PUBLISHED:
            raise TournamentRefused(_("Cette ronde n’est pas publiée."), code="wrong_state")
        missing = row.matches.open().count()
        if missing:
            raise TournamentRefused(
                ngettext("Il manque %(count)s résultat.", "Il manque %(count)s résultats.", missing)
                % {"count": missing},
                code="open_matches",
            )
        _store(row, state=Round.CLOSED, closed_at=at)
        tournaments.note(row.tournament, "round_closed", by, at, after={"round": row.number})
        live.announce(row.tournament.organisation, "round", at=at, round=row.pk)
    return row


def locked(round: Round, *, version: int | None = None) -> Round:
    """The row, locked, of a running tournament; refused when it is not the version its reader saw."""
    row = (
        Round.objects.select_for_update(of=("self",))
        .select_related("tournament__organisation")
        .get(pk=round.pk)
    )
    if row.tournament.state != Tournament.RUNNING:
        raise TournamentRefused(
            _("Ce tournoi est terminé : il faut d’abord le rouvrir."), code="wrong_state"
        )
    if version is not None and version != row.version:
        raise TournamentRefused(
            _("Cette ronde vient d’être modifiée par quelqu’un d’autre. Relisez-la."), code="stale"
        )
    return row


def _store(row: Round, **changes: Any) -> None:
    kept: Mapping[str, Any] = changes
    moved = Round.objects.filter(pk=row.pk, version=row.version).update(
        version=F("version") + 1, **kept
    )
    if not moved:
        raise TournamentRefused(
            _("Cette ronde vient d’être modifiée par quelqu’un d’autre. Relisez-la."), code="stale"
        )
    tournament = row.tournament
    row.refresh_from_db()
    row.tournament = tournament
