"""The document of a hand-over: what a club sends, its rows for the desk, and what changed since."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from django.utils.translation import gettext as _

from clubs.members.actions import Newcomer
from clubs.members.merging import same_people
from clubs.members.models import Member
from clubs.organisations.models import Organisation
from clubs.persons.matching import name_key
from clubs.persons.models import MemberLink
from clubs.search import without_accents
from ratings import systems
from ratings.handovers.models import Document, SentGame
from ratings.ledger.models import RatingList
from ratings.ledger.origins import Origin
from ratings.systems.protocol import Game

GAME_HEAD = ["ronde", "manche", "joueur 1", "licence 1", "joueur 2", "licence 2", "résultat"]
GAME_HEAD += ["score 1", "score 2", "absent"]
HALVES = ("0", "1/2", "1")
FORFEITS = {"1": "0 – 1", "2": "1 – 0", "1+2": "0 – 0"}
"""Who was absent, by the seat, and the result that this makes."""
PLACE_HEAD = ["place", "joueur", "licence"]


@dataclass(frozen=True, slots=True)
class Competition:
    """An evening or tournament as its own app describes it; only a closed one is handed over.

    `games`: those not played say so in their facts. `byes`: (member, half points, round).
    """

    club: Organisation
    origin: Origin
    label: str
    held_on: date
    games: Sequence[Game]
    placings: Sequence[tuple[int, int]] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    split_after: int | None = None
    byes: Sequence[tuple[int, int, str]] = ()
    is_closed: bool = True


def content_of(competition: Competition, rating_list: RatingList) -> Document:
    """Return the document for a list that takes games or placings. Two queries.

    `split_after`: the last round of the first of two tables, decided before the tournament, for a
    list that rates a large table as two (003 §12).
    """
    system, federation = systems.system(rating_list.system), rating_list.organisation
    document: Document = {"players": {}}
    merged = same_people(competition.club)
    if system.splits_tables and competition.split_after:
        document["split_after"] = competition.split_after
    if system.takes == "placings":
        document["placings"] = [[member, place] for member, place in competition.placings]
        players = {member for member, _place in competition.placings}
    else:
        document["games"] = [_sent(game) for game in competition.games]
        if competition.byes:
            document["byes"] = [list(bye) for bye in competition.byes]
        players = {int(pk) for game in competition.games for pk in (game.first, game.second)}
        players |= {pk for pk, _halves, _round in competition.byes}
    now = {pk: merged.get(pk, pk) for pk in players}
    links = MemberLink.objects.filter(federation=federation, member__in={*now, *now.values()})
    said = dict(links.exclude(licence="").values_list("member_id", "licence"))
    document["players"] = {str(pk): said.get(now[pk], said.get(pk, "")) for pk in sorted(players)}
    return document


def _sent(game: Game) -> SentGame:
    sent: SentGame = {
        "key": game.key,
        "first": int(game.first),
        "second": int(game.second),
        "first_halves": game.first_halves,
        "first_score": game.first_score,
        "second_score": game.second_score,
        "round": str(game.facts.get("round", "")),
    }
    if not game.facts.get("played", True):
        sent["absent"] = _absent(game)
    return sent


def _absent(game: Game) -> str:
    """Return who was absent from a game that was not played, by the seat."""
    return "1+2" if game.facts.get("both") else "2" if game.first_halves else "1"


def results_of(content: Document) -> dict[str, object]:
    """Return the results of a document: a new licence alone is no correction."""
    return {name: content.get(name, []) for name in ("games", "byes", "placings")}


def is_rated(content: Document) -> bool:
    """Return whether a document has a game that was played, or a place."""
    played = (game for game in content.get("games", ()) if not game.get("absent"))
    return any(played) or bool(content.get("placings"))


def retired_name(name: str, club: Organisation) -> str:
    """Return the name of somebody whom that club forgot: each club has numbers of its own."""
    return f"{name} ({club.slug})"


def newcomer(member: Member) -> Newcomer:
    """Return a club's member as a new person, who shows their name as they chose in the club.

    Whom the club forgot is never taken for somebody whom another club forgot.
    """
    last_name = member.last_name
    if member.is_forgotten:
        last_name = retired_name(last_name, member.organisation)
    return Newcomer(member.first_name, last_name, member.visibility, member.is_minor)


def members_now(ids: Iterable[int]) -> dict[int, Member]:
    """Return {row: the member that they are now}: whom their club merged has one name."""
    rows = Member.objects.select_related("merged_into").in_bulk(list(ids))
    return {pk: row.current_row for pk, row in rows.items()}


def written_names(members: Mapping[int, Member]) -> dict[int, str]:
    """Return the names as the rows write them: a number after the name of two namesakes."""
    people = {member.pk: member for member in members.values()}
    plain = [without_accents(member.full_name) for member in people.values()]

    def written(member: Member) -> str:
        if member.is_forgotten:
            return retired_name(member.full_name, member.organisation)
        is_alone = plain.count(without_accents(member.full_name)) == 1
        return member.full_name if is_alone else f"{member.full_name} ({member.number})"

    return {pk: written(member) for pk, member in members.items()}


def rows_of(
    content: Document, members: Mapping[int, Member]
) -> tuple[list[list[str]], dict[str, int]]:
    """Return (rows as a file would have them, {key of a name: the club's member})."""
    names = written_names(members)
    licences = {int(pk): licence for pk, licence in content["players"].items()}
    keys = {name_key(names[pk], licences[pk]): pk for pk in licences}
    if content.get("placings"):
        rows = [[str(place), names[pk], licences[pk]] for pk, place in content["placings"]]
        return [PLACE_HEAD, *rows], keys
    rows = [
        [
            game["round"],
            str(number),
            names[game["first"]],
            licences[game["first"]],
            names[game["second"]],
            licences[game["second"]],
            HALVES[game["first_halves"]],
            "" if game["first_score"] is None else str(game["first_score"]),
            "" if game["second_score"] is None else str(game["second_score"]),
            game.get("absent", ""),
        ]
        for number, game in numbered(content["games"])
    ]
    for pk, halves, played_in in content.get("byes", ()):
        result = HALVES[halves]
        rows.append([played_in, "1", names[pk], licences[pk], "exempt", "", result, "", "", ""])
    return [GAME_HEAD, *rows], keys


def numbered(games: Sequence[SentGame]) -> Iterator[tuple[int, SentGame]]:
    """Yield each game with its number among those of its two players in its round (004 §4.2)."""
    counts: Counter[tuple[str, frozenset[int]]] = Counter()
    for game in games:
        match = (game["round"], frozenset((game["first"], game["second"])))
        counts[match] += 1
        yield counts[match], game


@dataclass(frozen=True, slots=True)
class Change:
    """One game or place that differs between two documents; None where it is not in one."""

    players: tuple[int, ...]
    before: object
    after: object


def changes(before: Document, after: Document) -> list[Change]:
    """Return what differs between two documents, in the order of the later one."""
    old = {game["key"]: game for game in before.get("games", [])}
    new = {game["key"]: game for game in after.get("games", [])}
    differences = [
        Change((one["first"], one["second"]), score(old.get(key)), score(new.get(key)))
        for key, one in {**old, **new}.items()
        if old.get(key) != new.get(key)
    ]
    differences += _changes_of_byes(before, after)
    places, later = (
        {line[0]: line[1] for line in content.get("placings", [])} for content in (before, after)
    )
    return differences + [
        Change((pk,), places.get(pk), later.get(pk))
        for pk in {**places, **later}
        if places.get(pk) != later.get(pk)
    ]


def _changes_of_byes(before: Document, after: Document) -> list[Change]:
    old, new = (
        {(played_in, pk): _("exempt") for pk, _halves, played_in in content.get("byes", ())}
        for content in (before, after)
    )
    return [
        Change((pk,), old.get((played_in, pk)), new.get((played_in, pk)))
        for played_in, pk in sorted(old.keys() ^ new.keys())
    ]


def score(game: SentGame | None) -> str | None:
    """Return the result of a game as it is printed; None where there is none."""
    if game is None:
        return None
    if absent := game.get("absent"):
        return f"{FORFEITS[absent]} ({_('forfait')})"
    if game["first_score"] is None:
        return ("0 – 1", "½ – ½", "1 – 0")[game["first_halves"]]
    return f"{game['first_score']} – {game['second_score']}"


def by_round(
    content: Document, people: Mapping[int, str]
) -> list[tuple[int, list[tuple[str, str | None]]]]:
    """Return each round (0: none is known) with who met whom and the score, then who had no opponent."""
    rounds: dict[int, list[tuple[str, str | None]]] = {}
    for game in content.get("games", []):
        pair = f"{people[game['first']]} – {people[game['second']]}"
        rounds.setdefault(int(game["round"] or 0), []).append((pair, score(game)))
    for pk, _halves, played_in in content.get("byes", []):
        rounds.setdefault(int(played_in or 0), []).append((people[pk], _("exempt")))
    return sorted(rounds.items())
