"""A player's record: averages, best games, streaks, seasons and opponents, from the stored matches."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby

from django.db.models import QuerySet

from clubs.organisations.models import Organisation
from pairings.matches.models import Match
from pairings.rules.match_state import Ending, Kind, Status

FORM = 10


@dataclass(frozen=True, slots=True)
class Game:
    """A match that counts, from one person's side. `scored`: the scores are points of the game.

    Where two games had to be won, the two numbers are games won: they make a winner but no average.
    Nor do those of a game that is won 1 to 0 (`are_points`).
    `tacit`: final because nobody answered in time.
    """

    match_id: int
    other: int
    mine: int
    theirs: int
    scored: bool
    season: str
    day: date
    tacit: bool = False

    @property
    def margin(self) -> int:
        return self.mine - self.theirs


@dataclass(frozen=True, slots=True)
class Tally:
    """Won, drawn, lost, and the averages of the games with scores (None without one).

    `tacit`: how many of them are agreed by silence only (002 V.B.1), not by both players.
    """

    won: int
    drawn: int
    lost: int
    score: float | None
    against: float | None
    margin: float | None
    tacit: int = 0

    @property
    def played(self) -> int:
        return self.won + self.drawn + self.lost

    @property
    def decimals(self) -> int:
        """Of the means: one where both are under 10, as in a game that is won 1 to 0, else none."""
        return 1 if max(abs(self.score or 0), abs(self.against or 0)) < 10 else 0


@dataclass(frozen=True, slots=True)
class Record:
    """Everything that a profile says of the games played, oldest first in `form`."""

    total: Tally
    form: Sequence[int]
    best_score: Game | None
    best_margin: Game | None
    longest_streak: int
    streak: int
    seasons: Sequence[tuple[str, Tally]]
    opponents: Sequence[tuple[int, Tally]]


NEWEST_FIRST = ("-proposed_at", "-pk")


def ended_of(organisation: Organisation, family: set[int]) -> QuerySet[Match]:
    """Select every ended match of a person, newest first, with what a profile prints."""
    return (
        Match.objects.of(organisation)
        .of_people(family)
        .exclude(status=Status.CANCELLED)
        .filter(ended_at__isnull=False)
        .select_related(
            *("first__merged_into", "second__merged_into", "evening__season", "round__tournament"),
            "organisation",
        )
        .order_by(*NEWEST_FIRST)
    )


def matches_of(organisation: Organisation, family: set[int]) -> list[Match]:
    """Return every ended match of a person, newest first. One query."""
    return list(ended_of(organisation, family))


def is_meeting(match: Match, others: set[int]) -> bool:
    """Return whether a person's match has a result and was against one of these rows."""
    return match.status == Status.FINAL and not others.isdisjoint((match.first_id, match.second_id))


def games_of(matches: Sequence[Match], family: set[int]) -> list[Game]:
    """Return those that were played and count, oldest first, from this person's side."""
    games = []
    has_points = are_points(
        score
        for match in matches
        if not match.games
        for score in (match.first_score, match.second_score)
    )
    for match in reversed(matches):
        mine, theirs, other = match.first_score, match.second_score, match.second
        if match.first_id not in family:
            mine, theirs, other = theirs, mine, match.first
        if not match.counts or match.kind != Kind.PLAYED or None in (mine, theirs, other):
            continue
        assert mine is not None and theirs is not None and other is not None
        played_in = match.competition
        games.append(
            Game(
                match_id=match.pk,
                other=other.current_row.pk,
                mine=mine,
                theirs=theirs,
                scored=has_points and not match.games,
                season=played_in.season_name,
                day=played_in.held_on,
                tacit=match.why == Ending.EXPIRED,
            )
        )
    return games


def are_points(scores: Iterable[int | None]) -> bool:
    """Return whether scores say more than who won: in a game that is won 1 to 0 none is above 1."""
    return any(score is not None and score > 1 for score in scores)


def record_of(games: Sequence[Game]) -> Record:
    """Return the record of these games, which are in the order they were played."""
    scored = [game for game in games if game.scored]
    won = [game for game in scored if game.margin > 0]
    runs = [
        (is_won, len(list(run))) for is_won, run in groupby(games, key=lambda game: game.margin > 0)
    ]
    last_won, last_run = runs[-1] if runs else (False, 0)
    by_other: dict[int, list[Game]] = {}
    by_season: dict[str, list[Game]] = {}
    for game in games:
        by_other.setdefault(game.other, []).append(game)
        by_season.setdefault(game.season, []).append(game)
    return Record(
        total=tally(games),
        form=[(game.margin > 0) - (game.margin < 0) for game in games[-FORM:]],
        # Of equal games the first one stays the best.
        best_score=max(scored, key=lambda game: game.mine, default=None),
        best_margin=max(won, key=lambda game: game.margin, default=None),
        longest_streak=max((length for is_won, length in runs if is_won), default=0),
        streak=last_run if last_won else 0,
        seasons=[(name, tally(part)) for name, part in reversed(by_season.items())],
        opponents=sorted(
            ((other, tally(part)) for other, part in by_other.items()),
            key=lambda line: (-line[1].played, line[0]),
        ),
    )


def outcomes_of(margins: Collection[int]) -> dict[str, int]:
    """Return how many matches of these margins were won, drawn and lost."""
    return {
        "won": sum(margin > 0 for margin in margins),
        "drawn": sum(margin == 0 for margin in margins),
        "lost": sum(margin < 0 for margin in margins),
    }


def tally(games: Iterable[Game]) -> Tally:
    """Count the outcomes of these games and take the means of their scores."""
    rows = list(games)
    scored = [game for game in rows if game.scored]

    def mean(total: int) -> float | None:
        return total / len(scored) if scored else None

    return Tally(
        **outcomes_of([game.margin for game in rows]),
        score=mean(sum(game.mine for game in scored)),
        against=mean(sum(game.theirs for game in scored)),
        margin=mean(sum(game.margin for game in scored)),
        tacit=sum(game.tacit for game in rows),
    )
