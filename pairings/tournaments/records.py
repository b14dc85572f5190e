"""A tournament's rows as the plain values that the pairing and ranking rules take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pairings.matches.competition import round_of
from pairings.matches.models import Match
from pairings.matches.state import record_of
from pairings.rules.match_state import Status
from pairings.rules.scoring import PENDING, MatchRecord
from pairings.systems.protocol import Entrant
from pairings.tournaments.models import Entry, Round, Tournament

Override = Mapping[int, MatchRecord | None]


def entries_of(tournament: Tournament) -> list[Entry]:
    """Return everybody entered, in the initial order, with their names. One query."""
    return list(tournament.entries.select_related("member__merged_into").in_order())


def entrants_of(entries: Iterable[Entry]) -> list[Entrant]:
    """Return entries as the rules take them. `joined` is the first round of a late arrival."""
    return [
        Entrant(entry.member_id, entry.first_round, entry.initial or 0)
        for entry in sorted(entries, key=lambda entry: (entry.initial or 0, entry.pk))
    ]


def rounds_of(tournament: Tournament) -> list[Round]:
    """Return the rounds in order, each with its tournament loaded. One query.

    Of a closed tournament only those that were played: a drawn one may be left.
    """
    rounds = list(tournament.rounds.order_by("number"))
    if tournament.state == Tournament.State.CLOSED:
        rounds = [each for each in rounds if each.state != Round.State.PLANNED]
    for each in rounds:
        each.tournament = tournament
    return rounds


def matches_of(tournament: Tournament, rounds: Iterable[Round] | None = None) -> list[Match]:
    """Return every match of the rounds but those removed, in the order of rounds and tables.

    The matches of a round share one row of it, because a round carries its whole draft.
    """
    known = {each.pk: each for each in (rounds_of(tournament) if rounds is None else rounds)}
    matches = list(
        Match.objects.filter(round__in=known)
        .exclude(status=Status.CANCELLED.value)
        .order_by("table_number", "pk")
    )
    for match in matches:
        match.round = known[match.round_id or 0]
    return sorted(matches, key=round_number)


def records_of(
    matches: Iterable[Match],
    *,
    until: int | None = None,
    pending: bool = False,
    override: Override | None = None,
) -> list[MatchRecord]:
    """Return what counts, in the order played; rounds after `until` are left out.

    `pending`: also boards without a result in force, as meetings only.
    """
    records = []
    for match in matches:
        number = round_number(match)
        if until is not None and number > until:
            continue
        record = record_of(match, number)
        if record is None and pending and match.is_open and match.second_id is not None:
            key = str(match.pk)
            record = MatchRecord(match.first_id, match.second_id, PENDING, day=number, key=key)
        if override is not None and match.pk in override:
            record = override[match.pk]
        if record is not None:
            records.append(record)
    return records


def round_number(match: Match) -> int:
    """Return the round of a tournament's match."""
    return round_of(match).number
