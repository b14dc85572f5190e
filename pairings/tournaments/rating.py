"""Posting of a tournament's games to rating lists: each game once in each list chosen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor
from pairings.matches import rating as match_rating
from pairings.matches.models import Match
from pairings.rules.match_state import Absent, Kind
from pairings.tournaments import actions as tournaments
from pairings.tournaments import records as tournament_records
from pairings.tournaments.models import Tournament
from pairings.tournaments.rules import TournamentRefused
from ratings import systems
from ratings.handovers.documents import Competition
from ratings.ledger import origins, settlement
from ratings.ledger.models import Period, RatedGame, RatingList
from ratings.ledger.posting import ANNOUNCED, announce_anew
from ratings.systems.protocol import GAMES, Game
from ratings.systems.unplayed import WON, Unplayed, facts_of_unplayed


def periods_of(tournament: Tournament) -> list[Period]:
    """Return the lists that rate this tournament, with their periods."""
    return list(
        Period.objects.opened_for_any_part(origins.tournament(tournament.pk))
        .filter(rating_list__organisation=tournament.organisation_id)
        .select_related("rating_list")
        .order_by("rating_list__name", "pk")
    )


def outdated_lists(periods: Sequence[Period], matches: Iterable[Match]) -> set[int]:
    """Return those of the lists of these periods whose games are not the tournament's any more.

    Its results were corrected since: each list takes them when it is handed over again.
    """
    if not periods:
        return set()
    now = {
        (game.key, game.first, game.second, game.first_score, game.second_score)
        for match in matches
        for game in postings_of(match)
    }
    taken: dict[int, set[tuple[object, ...]]] = {period.rating_list_id: set() for period in periods}
    games = RatedGame.objects.filter(period__in=periods, added=False).in_force()
    for rating_list_id, *game in games.values_list(
        "period__rating_list", "source", "first", "second", "first_score", "second_score"
    ):
        taken[rating_list_id].add(tuple(game))
    return {rating_list_id for rating_list_id, posted in taken.items() if posted != now}


def handing_page(pk: int) -> str:
    """Return the page on which the club hands this tournament over, and reads the answer."""
    tournament = Tournament.objects.get(pk=pk)
    return reverse("pairings:tournament_federation", kwargs={"slug": tournament.slug})


def lists_of(tournament: Tournament) -> QuerySet[RatingList]:
    """Return the club's lists that rate games: one that takes places has nothing to rate in them."""
    of_games = [known.code for known in systems.SYSTEMS if known.takes == GAMES]
    return tournaments.rating_lists(tournament.organisation).filter(system__in=of_games)


@transaction.atomic
def hand_over(
    *, tournament: Tournament, rating_list: RatingList, by: Actor, at: datetime, reason: str = ""
) -> Period:
    """Post every played game to one list.

    A second call changes nothing; after a correction, it posts the corrected games. The club cote
    is settled at once, as for an evening; another list keeps the games until its officer settles
    the period. A list that has already settled it is replayed forward.
    """
    row = tournaments.locked(tournament)
    if row.state != Tournament.State.CLOSED:
        raise TournamentRefused(
            _("Clôturez d’abord le tournoi : ses résultats peuvent encore changer."),
            code="wrong_state",
        )
    if rating_list.organisation_id != row.organisation_id:
        raise TournamentRefused(_("Cette liste n’est pas de ce club."), code="other_club")
    settlement.lock_early(rating_list)  # one that is being rated is not read as one that waits
    matches = tournament_records.matches_of(row)
    halves = _parts(row, rating_list, matches)
    for part, played in enumerate(halves, start=1):
        _post(row, rating_list, part, played, len(halves), by, at, reason.strip())
    after = {"list": rating_list.slug, "tables": len(halves)}
    tournaments.note(row, "tournament_posted", by, at, after=after, reason=reason.strip())
    return rating_list.periods.opened_for(origins.tournament(row.pk)).get()


def _parts(row: Tournament, rating_list: RatingList, matches: Sequence[Match]) -> list[list[Match]]:
    """Return the matches as one table, or as the two decided before round 1 for a list that splits."""
    system = systems.system(rating_list.system)
    last = row.split_after
    if last is None or not system.splits_tables:
        return [list(matches)]
    early = [m for m in matches if tournament_records.round_number(m) <= last]
    late = [m for m in matches if tournament_records.round_number(m) > last]
    return [early, late]


def _post(
    row: Tournament,
    rating_list: RatingList,
    part: int,
    matches: Sequence[Match],
    parts: int,
    by: Actor,
    at: datetime,
    reason: str,
) -> None:
    label = row.name if parts == 1 else f"{row.name} ({part}/{parts})"
    facts = {**_facts_of(row), "one_table": parts == 1}
    period = settlement.open_period(
        rating_list=rating_list,
        origin=origins.tournament(row.pk, part),
        label=label,
        held_on=row.last_day,
        position=part - 1,
        facts={**facts, ANNOUNCED: facts},
    )
    announce_anew(period=period, label=label, held_on=row.last_day, facts=facts)
    games = [posted for match in matches for posted in postings_of(match)]
    changed = settlement.record_games(period=period, games=games, at=at)
    _settle(period, changed=changed, by=by, at=at, reason=reason or row.name)


def _settle(period: Period, *, changed: bool, by: Actor, at: datetime, reason: str) -> None:
    if period.settled_at is not None:
        if changed:
            settlement.correct(period=period, by=by, at=at, reason=reason)
        return
    if not systems.system(period.rating_list.system).settles_tournaments:
        return
    settlement.settle(period=period, by=by, at=at, late=reason)


def postings_of(match: Match) -> list[Game]:
    """Return the rated games of a match: one, or one for each game of a two-win match.

    Forfeits, byes and double absences are rated nowhere (003 §5).
    """
    if not match.counts or match.kind != Kind.PLAYED or match.second_id is None:
        return []
    source = match_rating.source_of(match)
    if match.games:
        games = [(f"{source}:{n}", score, other) for n, (score, other) in enumerate(match.games, 1)]
    else:
        games = [(source, match.first_score or 0, match.second_score or 0)]
    number = tournament_records.round_number(match)
    return [
        Game(
            key=name,
            first=match.first_id,
            second=match.second_id,
            first_halves=2 if score > other else 0 if score < other else 1,
            first_score=score,
            second_score=other,
            position=number * 1000 + (match.table_number or 0),
            facts={"round": number},
        )
        for name, score, other in games
    ]


def forfeits_of(match: Match) -> list[Game]:
    """Return a match that somebody missed, as a game that no list rates: its points are shown."""
    if not match.counts or match.kind != Kind.ABSENT or match.second_id is None:
        return []
    number = tournament_records.round_number(match)
    both = match.absent == Absent.BOTH
    return [
        Game(
            key=match_rating.source_of(match),
            first=match.first_id,
            second=match.second_id,
            first_halves=2 if match.absent == Absent.SECOND else 0,
            position=number * 1000 + (match.table_number or 0),
            facts={"round": number, **facts_of_unplayed(Unplayed(0, both=both))},
        )
    ]


def document_of(tournament: Tournament) -> Competition:
    """Return what a tournament hands to a federation once it is closed: games and final places.

    Forfeits and byes, which count as a win in its standings, go with them; nothing rates them.
    """
    matches = tournament_records.matches_of(tournament)
    played = [posted for match in matches for posted in postings_of(match)]
    return Competition(
        club=tournament.organisation,
        origin=origins.tournament(tournament.pk),
        label=tournament.name,
        held_on=tournament.last_day,
        games=[
            posted for match in matches for posted in [*postings_of(match), *forfeits_of(match)]
        ],
        byes=[
            (match.first_id, WON, str(tournament_records.round_number(match)))
            for match in matches
            if match.counts and match.kind == Kind.BYE
        ],
        placings=_placings_of(
            tournament, {int(pk) for game in played for pk in (game.first, game.second)}
        ),
        facts=_facts_of(tournament),
        split_after=tournament.split_after,
        is_closed=tournament.state == Tournament.State.CLOSED,
    )


def _facts_of(tournament: Tournament) -> dict[str, object]:
    """Return what lists ask of an event: its rhythm and its arbiter."""
    return {
        "minutes": tournament.minutes,
        "byoyomi": tournament.byoyomi,
        "arbiter": tournament.director,
    }


def _placings_of(tournament: Tournament, played: set[int]) -> list[tuple[int, int]]:
    """Return the final places among those who played: who never came is no player of a competition."""
    ranking = tournaments.last_ranking(tournament)
    lines = [line for line in ranking.lines if line["member"] in played] if ranking else []
    places = [line["place"] for line in lines]
    return [(line["member"], 1 + sum(n < line["place"] for n in places)) for line in lines]
