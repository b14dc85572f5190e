"""A tournament made by the verbs, for tests: entries, rounds played at once, results by a rule."""

from __future__ import annotations

from datetime import timedelta

from clubs.members.models import Member
from pairings.matches.models import Match
from pairings.rules.match_state import Result
from pairings.tournaments import actions as tournaments
from pairings.tournaments.models import Round, Tournament
from pairings.tournaments.rounds import actions as rounds
from pairings.tournaments.rounds import publishing as round_publishing
from pairings.tournaments.rounds import score_entry
from tests.clubhouse import Clubhouse


def make_tournament(club: Clubhouse, size: int | None = None, **details) -> Tournament:
    """Entries of the first `size` members, cotes falling from 1900; the ranking not frozen."""
    details.setdefault("system", "formule_classique")
    tournament = tournaments.create(
        organisation=club.organisation,
        name=details.pop("name", "Open de novembre"),
        starts_at=club.at + timedelta(hours=1),
        by=club.committee,
        at=club.at,
        **details,
    )
    for place, member in enumerate(club.members[:size]):
        club.enter(tournament, member, cote=1900 - 10 * place)
    return tournament


def frozen(club: Clubhouse, size: int | None = None, **details) -> Tournament:
    """`make_tournament` with its ranking frozen: its first round may be drawn."""
    tournament = make_tournament(club, size, **details)
    return tournaments.freeze(tournament=tournament, by=club.committee, at=club.at)


def round_of(tournament: Tournament, number: int) -> Round:
    return tournament.rounds.get(number=number)


def entry_of(tournament: Tournament, member: Member):
    return tournament.entries.get(member=member)


def publish(club: Clubhouse, tournament: Tournament, number: int) -> Round:
    drawn = rounds.draw(round=round_of(tournament, number), by=club.arbiter, at=club.at)
    return round_publishing.publish(round=drawn, by=club.arbiter, at=club.at)


def score_of(match: Match) -> tuple[int, int]:
    """A result that depends on the two members only, so that a test plays the same every time."""
    first = 400 + match.first_id * 7 % 90
    second = 400 + (match.second_id or 0) * 7 % 90
    return first, second


def play(club: Clubhouse, round: Round) -> None:
    """Every open board of the round, typed at the desk."""
    for match in score_entry.missing(round):
        if match.status in ("proposed", "playing"):
            club.record(match, Result("played", *score_of(match)))


def play_round(club: Clubhouse, tournament: Tournament, number: int) -> Round:
    """Draw, publish, play, close."""
    published = publish(club, tournament, number)
    play(club, published)
    return end_round(club, published)


def end_round(club: Clubhouse, round: Round) -> Round:
    """Close a round whose results nobody reads a second time."""
    return round_publishing.close(
        round=round, by=club.arbiter, at=club.at, unread_reason="un seul arbitre"
    )
