"""Actions on a draft round: draw, lock, swap, pair by hand. Only the arbiters see it.

Publishing (`publishing`) creates one match a board: from then on results, contests and decisions
are those of an evening (`pairings.matches.transitions`).
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from datetime import datetime

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from clubs.accounts.actor import Actor, reason_of
from pairings.absences import suspensions
from pairings.matches.models import Decision
from pairings.rules.firsts import DRAWN, Firsts
from pairings.rules.scoring import MatchRecord
from pairings.systems.protocol import Pairing, RoundRefused
from pairings.tournaments import actions as tournaments
from pairings.tournaments import records as tournament_records
from pairings.tournaments import rules as tournament_rules
from pairings.tournaments.models import Entry, Round, RoundDraw, Tournament
from pairings.tournaments.rounds import draft as round_drafts
from pairings.tournaments.rounds.draft import Boards
from pairings.tournaments.rules import TournamentRefused


@transaction.atomic
def draw(
    *,
    round: Round,
    by: Actor,
    at: datetime,
    look_ahead: bool = False,
    version: int | None = None,
) -> Round:
    """Pair the round by the tournament's rule, as a draft. Locked boards stay.

    `look_ahead` is "Éviter cette répétition". Drawing again replaces the draft; every draw
    is archived with its input and output.
    """
    row = locked(round, version=version)
    if row.state not in (Round.State.PLANNED, Round.State.DRAFT):
        raise TournamentRefused(_("Cette ronde est déjà publiée."), code="published")
    rules = tournament_rules.rules_of(row.tournament)
    check_rounds_before(row, lag=rules.lag_of(row.number))
    entries = tournament_records.entries_of(row.tournament)
    present = present_ids(row, entries)
    locked_boards = round_drafts.locked_boards(row.draft, present)
    free = present - set(round_drafts.players_of(b for _place, b in locked_boards))
    outcome = propose(row, entries, free, look_ahead=look_ahead)
    boards = round_drafts.boards_of(outcome, locked_boards)
    seed = ""
    if rules.balances_firsts:
        seed = secrets.token_hex(8)
        boards = round_drafts.with_firsts(boards, Firsts(_records_before(row)), seed)
    RoundDraw.objects.create(
        round=row,
        at=at,
        by=by.user,
        strategy=outcome.strategy,
        given={
            "present": sorted(present),
            "locked": [b for _place, b in locked_boards],
            "system": row.tournament.system,
            "rules": row.tournament.rules,
            "toss": seed,
        },
        outcome=outcome.to_json(),
    )
    stored = outcome.to_json()
    store(
        row,
        draft=boards,
        state=Round.State.DRAFT,
        strategy=outcome.strategy,
        warnings=stored["warnings"],
        alternative=stored["alternative"],
    )
    after = {"round": row.number, "boards": len(row.draft), "strategy": outcome.strategy}
    if any(board["why"].get("begins", {}).get("why") == DRAWN for board in boards):
        after["toss"] = seed
    tournaments.note(row.tournament, "round_drawn", by, at, after=after)
    return row


def propose(
    row: Round, entries: Iterable[Entry], free: set[int], *, look_ahead: bool = False
) -> Pairing:
    """Return the rule's pairing of the players who are free. Writes nothing."""
    rules = tournament_rules.rules_of(row.tournament)
    if look_ahead:
        rules = rules.looking_ahead()
    try:
        pairing = rules.pair_round(
            tournament_records.entrants_of(entries),
            _records_before(row),
            available=free,
            today=row.number,
        )
    except RoundRefused as refused:
        raise TournamentRefused(_(str(refused)), code="round_refused") from refused
    if not (pairing.pairs or pairing.byes or pairing.unpaired):
        raise TournamentRefused(
            _("Aucun joueur présent : notez d’abord les présences."), code="nobody"
        )
    return pairing


def is_outdated(row: Round, entries: Iterable[Entry]) -> bool:
    """Return whether a result has changed since the draw, so that the rule would pair otherwise now."""
    drawn = last_draw(row)
    if drawn is None:
        return False
    changed = Decision.objects.filter(
        match__round__tournament=row.tournament, match__round__number__lt=row.number
    )
    if not changed.filter(at__gt=drawn.at).exists():
        return False
    free = set(drawn.given["present"]) - set(round_drafts.players_of(drawn.given["locked"]))
    try:
        now = propose(row, entries, free)
        if now.strategy != drawn.strategy:  # the draw looked ahead
            now = propose(row, entries, free, look_ahead=True)
    except TournamentRefused:
        return True
    return round_drafts.tables_of(now.to_json()) != round_drafts.tables_of(drawn.outcome)


def _begun(row: Round, boards: Boards) -> Boards:
    """Settle who begins at the boards made since the draw, where the tournament balances it."""
    if not tournament_rules.rules_of(row.tournament).balances_firsts:
        return boards
    return round_drafts.with_firsts(boards, Firsts(_records_before(row)), toss_of(row))


def toss_of(row: Round) -> str:
    """Return the seed of the round's last draw, from which every toss is made; empty without one."""
    drawn = last_draw(row)
    return str(drawn.given.get("toss", "")) if drawn is not None else ""


def _records_before(row: Round) -> list[MatchRecord]:
    """Return the results of the rounds before, and the boards of the one that is being played."""
    matches = tournament_records.matches_of(row.tournament)
    return tournament_records.records_of(matches, until=row.number - 1, pending=True)


def present_ids(row: Round, entries: Iterable[Entry]) -> set[int]:
    """Return who may be paired in this round: announced present and not suspended."""
    here = {entry.member_id for entry in entries if entry.is_present(row.number)}
    return here - set(suspensions.at_tournament(row.tournament, here, number=row.number))


def without_table(row: Round, present: set[int]) -> set[int]:
    """Return the present players without a board in this round.

    They were to be paired by the last draw or have come since. Players whom the system itself
    leaves out (the loser of a knockout match) are not included.
    """
    seated = set(round_drafts.players_of(row.draft))
    last = last_draw(row)
    if last is None:
        return present - seated
    meant = set(last.outcome["order"]) | set(last.outcome["unpaired"])
    return (present & meant | come_since(last, present)) - seated


def last_draw(row: Round) -> RoundDraw | None:
    return row.draws.order_by("pk").last()


def come_since(drawn: RoundDraw | None, present: set[int]) -> set[int]:
    """Return the present players who were not yet there at a draw."""
    return present - set(drawn.given["present"]) if drawn is not None else set()


def check_rounds_before(row: Round, *, lag: int = 0) -> None:
    """Refuse while a round before is open; with a lag, the last of them may be in progress."""
    earlier = row.tournament.rounds.filter(number__lt=row.number).exclude(state=Round.State.CLOSED)
    if lag:
        earlier = earlier.exclude(number=row.number - 1, state=Round.State.PUBLISHED)
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


# Changes of the draft


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
    """Lock one board so that another draw keeps it, or unlock it."""
    row = drafted(round, version)
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
    """Exchange two players of the draft, with a reason. Who begins at their boards is settled anew."""
    reason = reason_of(reason, TournamentRefused)
    row = drafted(round, version)
    boards = _begun(row, round_drafts.swap(row.draft, one, other, reason))
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
    """Pair two players, with a reason: the first begins.

    `second` None: against the fictive player.
    """
    reason = reason_of(reason, TournamentRefused)
    row = drafted(round, version)
    present = present_ids(row, row.tournament.entries.all())
    for player in (first, second):
        if player is not None and player not in present:
            raise TournamentRefused(
                _("Ce joueur n’est pas présent à cette ronde."), code="not_present"
            )
    boards = _begun(row, round_drafts.pair_by_hand(row.draft, first, second, reason))
    return _changed(row, boards, by, at, after={"paired": [first, second]}, reason=reason)


def drafted(round: Round, version: int | None) -> Round:
    row = locked(round, version=version)
    if row.state != Round.State.DRAFT:
        raise TournamentRefused(
            _("Cette ronde n’est plus un brouillon. Rechargez la page."), code="wrong_state"
        )
    return row


def _changed(
    row: Round,
    boards: Boards,
    by: Actor,
    at: datetime,
    *,
    after: Mapping[str, object],
    reason: str = "",
) -> Round:
    store(row, draft=boards)
    tournaments.note(
        row.tournament,
        "round_draft_changed",
        by,
        at,
        after={"round": row.number, **after},
        reason=reason,
    )
    return row


@transaction.atomic
def move(
    *, round: Round, starts_at: datetime, by: Actor, at: datetime, version: int | None = None
) -> Round:
    """Put a round that is not public yet to another day or hour; the other rounds keep theirs."""
    row = locked(round, version=version)
    if row.is_public:
        raise TournamentRefused(_("Cette ronde est déjà publiée."), code="published")
    tournament = row.tournament
    day = starts_at.astimezone(tournament.organisation.zone).date()
    if not tournament.held_on <= day <= tournament.last_day:
        raise TournamentRefused(
            _(
                "Ce jour n’est pas de ceux du tournoi : changez d’abord son dernier jour, dans ses "
                "réglages."
            ),
            code="outside",
        )
    today = at.astimezone(tournament.organisation.zone).date()
    # The minute that is running is not past. What was played on paper keeps the hours that it had.
    if starts_at < at.replace(second=0, microsecond=0) and today <= tournament.last_day:
        raise TournamentRefused(
            _("Cette heure est passée : choisissez une heure à venir."), code="past"
        )
    before = {"round": row.number, "starts_at": row.starts_at.isoformat()}
    store(row, starts_at=starts_at)
    after = {"round": row.number, "starts_at": starts_at.isoformat()}
    tournaments.note(tournament, "round_moved", by, at, before=before, after=after)
    return row


# Shared by the actions


def locked(round: Round, *, version: int | None = None) -> Round:
    """Return the row, locked, of a running tournament, which is locked before it (decision 0046).

    Refused when it is no longer the version that its reader saw, or not planned any more.
    """
    tournament = tournaments.locked(round.tournament)
    row = Round.objects.select_for_update(no_key=True).filter(pk=round.pk).first()
    if row is None:
        raise changed_meanwhile()
    row.tournament = tournament
    if row.tournament.state != Tournament.State.RUNNING:
        raise TournamentRefused(
            _("Ce tournoi est terminé : il faut d’abord le rouvrir."), code="wrong_state"
        )
    if version is not None and version != row.version:
        raise changed_meanwhile()
    return row


def changed_meanwhile() -> TournamentRefused:
    return TournamentRefused(
        _("Cette ronde vient d’être modifiée par quelqu’un d’autre. Relisez-la."), code="stale"
    )


def store(row: Round, **changes: object) -> None:
    moved = Round.objects.filter(pk=row.pk, version=row.version).update(
        version=F("version") + 1, **changes
    )
    if not moved:
        raise changed_meanwhile()
    tournament = row.tournament
    row.refresh_from_db()
    row.tournament = tournament
