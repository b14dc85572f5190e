"""Actions on a round that others see: publish, unpublish, pair a latecomer, close."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from clubs.accounts.actor import Actor, reason_of
from clubs.accounts.older_pages import row_version
from clubs.members.models import Member
from pairings.absences import suspensions
from pairings.live import stream as live
from pairings.matches import actions as match_actions
from pairings.matches import seats as held_seats
from pairings.matches.messages import pushes
from pairings.matches.models import Match, Seat
from pairings.matches.refusals import ResultRefused
from pairings.matches.transitions import decision_for_bye
from pairings.rules.match_state import Ending, Kind, Result, Status
from pairings.systems.protocol import MANUAL
from pairings.tournaments import actions as tournaments
from pairings.tournaments import records as tournament_records
from pairings.tournaments import rules as tournament_rules
from pairings.tournaments.models import Entry, Round
from pairings.tournaments.rounds import actions as rounds
from pairings.tournaments.rounds import draft as round_drafts
from pairings.tournaments.rounds import score_entry
from pairings.tournaments.rounds.draft import Boards
from pairings.tournaments.rules import TournamentRefused

NO_CLOCK: Mapping[str, None] = {"clock_from": None, "clock_until": None}
NO_RESULT = (Status.PROPOSED.value, Status.PLAYING.value, Status.CANCELLED.value)


@transaction.atomic
def publish(
    *,
    round: Round,
    by: Actor,
    at: datetime,
    version: int | None = None,
    allow_unpaired: bool = False,
    allow_outdated: bool = False,
) -> Round:
    """Create the matches: phones, wall screen and prints show them from now on.

    `allow_unpaired`: the arbiter agrees that a present player has no match; `allow_outdated`, that
    the rule would pair otherwise since a result changed.
    """
    row = rounds.drafted(round, version)
    rounds.check_rounds_before(row)
    entries = {entry.member_id: entry for entry in tournament_records.entries_of(row.tournament)}
    alone = _check_players(row, entries, allow_unpaired=allow_unpaired)
    if not allow_outdated and rounds.is_outdated(row, entries.values()):
        raise TournamentRefused(
            _("Un résultat a changé depuis cet appariement : la règle apparierait autrement."),
            code="outdated",
        )
    _make_matches(row, row.draft, by, at)
    rounds.store(row, state=Round.State.PUBLISHED, published_at=at)
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


def _check_players(row: Round, entries: Mapping[int, Entry], *, allow_unpaired: bool) -> list[int]:
    """Refuse a draft that no longer has those who are there; return the present without a table."""
    present = rounds.present_ids(row, entries.values())
    seated = round_drafts.players_of(row.draft)
    gone = [pk for pk in seated if pk not in present]
    system = tournament_rules.rules_of(row.tournament)
    if gone and not system.keeps_absent:
        raise TournamentRefused(
            _("Annoncés absents : %(names)s. Appariez de nouveau.")
            % {"names": _names_of(entries, gone)},
            code="absent",
        )
    alone = sorted(rounds.without_table(row, present))
    since = rounds.come_since(rounds.last_draw(row), present)
    late = [pk for pk in alone if pk in since]
    there = range(len(entries) - len(late), len(entries))
    if row.number == 1 and not all(map(system.admits, there)):
        raise TournamentRefused(
            _("Arrivés depuis l’appariement : %(names)s. Appariez de nouveau.")
            % {"names": _names_of(entries, late)},
            code="unpaired",
        )
    if alone and not allow_unpaired:
        raise TournamentRefused(
            _("Présents mais sans table : %(names)s.") % {"names": _names_of(entries, alone)},
            code="unpaired",
        )
    return alone


def _names_of(entries: Mapping[int, Entry], players: list[int]) -> str:
    return ", ".join(entries[pk].member.full_name for pk in players)


def _make_matches(
    row: Round, boards: Boards, by: Actor, at: datetime, first_table: int = 1
) -> list[Match]:
    deadline = tournament_rules.deadline_of(row, at)
    matches, table = [], first_table
    for board in boards:
        is_bye = board["second"] is None
        match = Match(
            organisation_id=row.tournament.organisation_id,
            round=row,
            table_number=None if is_bye else table,
            first_id=board["first"],
            second_id=board["second"],
            proposed_at=at,
            deadline_until=deadline,
            pairing_reason=board["why"],
        )
        if is_bye:
            match.status, match.kind, match.why = (
                Status.FINAL.value,
                Kind.BYE.value,
                Ending.BYE.value,
            )
            match.counts, match.ended_at = True, at
        else:
            table += 1
        matches.append(match)
    matches = Match.objects.bulk_create(matches)
    _take_seats(row, matches, at)
    for match in matches:
        if match.second_id is None:
            decision_for_bye(match, by=by, at=at)
    pushes.tables_ready(matches, at=at)
    return matches


def _take_seats(row: Round, matches: Iterable[Match], at: datetime) -> None:
    """Seat the players; a round of a later day leaves them the seat at which they play tonight."""
    players = [
        pk for match in matches if match.second_id for pk in (match.first_id, match.second_id)
    ]
    held_seats.free_old(players, at=at, keep_tournament=row.tournament_id)
    held = set(held_seats.holding(players, at=at, outside=row.tournament_id))
    if held and held_seats.holds_at(row.starts_at, at):
        raise _already_playing(held)
    seats = [
        Seat(
            match=match,
            member_id=pk,
            side=side,
            live=match.second_id is not None and pk not in held,
        )
        for match in matches
        for pk, side in ((match.first_id, "first"), (match.second_id, "second"))
        if pk is not None
    ]
    try:
        with transaction.atomic():
            Seat.objects.bulk_create(seats)
    except IntegrityError as clash:
        taken = Seat.objects.filter(member__in=players, live=True)
        raise _already_playing(taken.values_list("member", flat=True)) from clash


def _already_playing(players: Iterable[int]) -> TournamentRefused:
    busy = Member.objects.filter(pk__in=players).order_by("pk")
    names = ", ".join(member.full_name for member in busy)
    return TournamentRefused(
        _("Ces joueurs ont encore un match ouvert ailleurs : %(names)s.") % {"names": names},
        code="already_playing",
    )


def _published(round: Round, version: int | None = None) -> Round:
    row = rounds.locked(round, version=version)
    if row.state != Round.State.PUBLISHED:
        raise TournamentRefused(_("Cette ronde n’est pas publiée."), code="wrong_state")
    return row


@transaction.atomic
def unpublish(
    *,
    round: Round,
    reason: str,
    by: Actor,
    at: datetime,
    version: int | None = None,
) -> Round:
    """Return the round to a draft, while no result has been entered.

    Its matches are cancelled. Who left the tournament while it was published left after it, because
    its boards stood; they now leave before it.
    """
    reason = reason_of(reason, TournamentRefused)
    row = _published(round, version)
    matches = list(row.matches.select_for_update(no_key=True).order_by("pk"))
    with_result = [m for m in matches if m.status not in NO_RESULT and m.kind != Kind.BYE]
    if with_result:
        raise TournamentRefused(
            _(
                "Un résultat est déjà saisi à la table %(table)s : sa publication ne peut "
                "plus être annulée."
            )
            % {"table": with_result[0].table_number},
            code="has_results",
        )
    for match in matches:
        with _naming_the_table(match):
            _take_away(match, reason, by, at)
    after: dict[str, object] = {"round": row.number}
    entries = row.tournament.entries.filter(withdrawn_from=row.number + 1)
    if left := dict(entries.values_list("pk", "member")):
        Entry.objects.filter(pk__in=left).update(withdrawn_from=row.number)
        after["withdrawn"] = sorted(left.values())
    rounds.store(row, state=Round.State.DRAFT, published_at=None, **NO_CLOCK)
    tournaments.note(row.tournament, "round_unpublished", by, at, after=after, reason=reason)
    live.announce(row.tournament.organisation, "round", at=at, round=row.pk)
    return row


@contextmanager
def _naming_the_table(match: Match) -> Iterator[None]:
    """Say at which table the arbiter plays, where the round cannot be taken back for that."""
    try:
        yield
    except ResultRefused as refused:
        if refused.code != "own_match":
            raise
        raise TournamentRefused(barred_words(match), code="own_match") from refused


def barred_words(match: Match) -> str:
    """Return that the reader, who plays this match, does not take its round back."""
    if match.second_id is None:
        return _(
            "Vous avez une exemption à cette ronde : un autre arbitre doit annuler la publication de la ronde."
        )
    return _(
        "Vous jouez à la table %(table)s : un autre arbitre doit annuler la publication "
        "de cette ronde."
    ) % {"table": match.table_number}


def _take_away(match: Match, reason: str, by: Actor, at: datetime) -> None:
    if match.status == Status.CANCELLED.value:
        return
    if match.second_id is None:
        match_actions.correct(
            match=match, result=Result(Kind.CANCELLED), reason=reason, by=by, at=at
        )
    else:
        match_actions.cancel(match=match, reason=reason, by=by, at=at)


@transaction.atomic
def pair_late(
    *,
    round: Round,
    first: int,
    second: int | None,
    reason: str,
    by: Actor,
    at: datetime,
    version: int | None = None,
) -> Match:
    """Pair two players without a match in a published round.

    They are a latecomer and the opponent of X, or two players whose match was cancelled. A bye of
    theirs is removed.
    """
    reason = reason_of(reason, TournamentRefused)
    if first == second:
        raise TournamentRefused(_("Choisissez deux personnes différentes."), code="same_player")
    row = _published(round, version)
    players = [pk for pk in (first, second) if pk is not None]
    entries = _entries_to_pair(row, players)
    matches = row.matches.exclude(status=Status.CANCELLED.value).select_for_update(no_key=True)
    for match in matches:
        if not {match.first_id, match.second_id} & set(players):
            continue
        if match.second_id is not None:
            raise TournamentRefused(
                _("Un de ces joueurs a déjà une table dans cette ronde."), code="already_playing"
            )
        _take_away(match, reason, by, at)
    for entry in entries:
        if not entry.is_present(row.number):
            Entry.objects.filter(pk=entry.pk).update(
                away=entry.away_once_back(row.number),
                withdrawn_from=None,
                first_round=min(entry.first_round, row.number),
            )
    last = row.matches.aggregate(n=Max("table_number"))["n"] or 0
    why = {"reason": MANUAL, "words": reason}
    board = round_drafts.board(first, second, why)
    match = _make_matches(row, [board], by, at, first_table=last + 1)[0]
    rounds.store(row)
    after = {"round": row.number, "players": players, "match": match.pk}
    tournaments.note(row.tournament, "round_paired_by_hand", by, at, after=after, reason=reason)
    live.announce(row.tournament.organisation, "match", at=at, match=match.pk, round=row.pk)
    return match


def _entries_to_pair(row: Round, players: list[int]) -> list[Entry]:
    """Return the entries of these players; refused where one has none, or is suspended."""
    entries = list(row.tournament.entries.filter(member__in=players))
    if len(entries) < len(players):
        raise TournamentRefused(_("Ce joueur n’est pas inscrit."), code="not_entered")
    if suspensions.at_tournament(row.tournament, players, number=row.number):
        raise TournamentRefused(_("Un joueur suspendu n’est jamais apparié."), code="suspended")
    return entries


@transaction.atomic
def set_clock(
    *, round: Round, minutes: int | None, by: Actor, at: datetime, seen: str | None = None
) -> Round:
    """Start the clock of the room for that many minutes from now, or stop it (None).

    Refused where `seen`, the version (`row_version`) of the clock that the page showed, is older.
    """
    row = _published(round)
    if seen is not None and seen != row_version(row, NO_CLOCK):
        raise rounds.changed_meanwhile()
    until = None if minutes is None else at + timedelta(minutes=minutes)
    Round.objects.filter(pk=row.pk).update(
        clock_from=None if until is None else at, clock_until=until
    )
    row.refresh_from_db(fields=["clock_from", "clock_until"])
    after = {"round": row.number, "minutes": minutes}
    tournaments.note(row.tournament, "round_clock", by, at, after=after)
    return row


def close(
    *,
    round: Round,
    by: Actor,
    at: datetime,
    unread_reason: str = "",
    version: int | None = None,
) -> Round:
    """Close the round when every board has its result.

    Ended windows expire first. `unread_reason`: why results typed at the desk are not read a second
    time; required where there are any, and kept in the journal with their tables.
    """
    for match in round.matches.filter(status__in=[Status.SUBMITTED, Status.ABSENCE_CLAIMED]):
        match_actions.lapse(match=match, at=at)
    with transaction.atomic():
        row = _published(round, version)
        missing = row.matches.open().count()
        if missing:
            raise TournamentRefused(
                ngettext("Il manque %(n)s résultat.", "Il manque %(n)s résultats.", missing)
                % {"n": missing},
                code="open_matches",
            )
        unread = score_entry.unread(row.matches.all())
        if unread and not unread_reason.strip():
            raise TournamentRefused(
                ngettext(
                    "%(count)s résultat saisi n’a pas été relu : dites pourquoi, ou faites-le relire.",
                    "%(count)s résultats saisis n’ont pas été relus : dites pourquoi, ou "
                    "faites-les relire.",
                    len(unread),
                )
                % {"count": len(unread)},
                code="unread",
            )
        rounds.store(row, state=Round.State.CLOSED, closed_at=at, **NO_CLOCK)
        after: dict[str, object] = {"round": row.number}
        if unread:
            after["unread"] = [match.table_number for match in unread]
        reason = unread_reason.strip() if unread else ""
        tournaments.note(row.tournament, "round_closed", by, at, after=after, reason=reason)
        live.announce(row.tournament.organisation, "round", at=at, round=row.pk)
    return row
