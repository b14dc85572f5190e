"""FISF starting cotes (000 5 and annexe 1): order and normal scores.

The document gives neither mean nor standard deviation, so these cotes are a proposal: the
commission imports its own yearly table where it has one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import NormalDist

from clubs.rulebooks.fields import gettext_noop as _
from ratings.systems.fisf.settings import FisfSettings, ranks_of
from ratings.systems.protocol import EventRefused, PlayerId
from ratings.systems.rated_games import whole_number
from ratings.systems.rounding import half_up

# Where a player with a Classique ranking only is put: at the end of that Duplicate series.
SERIES_OF_CLASSIQUE = {"joker": "3", "a": "4", "b": "5", "c": "6"}
# Upper limits of a typed cote or ranking: a larger number is a typing error.
HIGHEST, MOST = 4000, 1_000_000
_NORMAL = NormalDist()


def start_of(facts: Mapping[str, object], rules: FisfSettings) -> tuple[int, str]:
    """Return (starting cote, how it was found) of a new player, from the known facts.

    `rating`, else the commission's yearly table by `rank` or by `duplicate` series, else `rank`
    among `players` of the Duplicate ranking, else the `classique` series, else nothing, which gives
    the lowest starting cote.
    """
    if facts.get("rating") is not None:
        return whole_number(facts["rating"], 0, HIGHEST), "rating"
    table_cote = _in_table(facts, rules)
    if table_cote is not None:
        return table_cote, "table"
    if facts.get("rank"):
        if not facts.get("players"):
            raise EventRefused(
                _("Un rang demande aussi le nombre de joueurs du classement Duplicate.")
            )
        players = whole_number(facts["players"], 1, MOST)
        return start_rating(whole_number(facts["rank"], 1, MOST), players, rules), "rank"
    if facts.get("classique"):
        return start_of_classique(str(facts["classique"]), rules), "classique"
    return rules.start_lowest, "unknown"


def _in_table(facts: Mapping[str, object], rules: FisfSettings) -> int | None:
    """Return the cote of the yearly table (000 5): by rank, or by series of the Duplicate ranking."""
    rank = whole_number(facts["rank"], 1, MOST) if facts.get("rank") else 0
    series = str(facts.get("duplicate") or "").strip().casefold()
    for name, cote in rules.start_table:
        ranks = ranks_of(name)
        if (ranks and ranks[0] <= rank <= ranks[1]) or (
            series and name.strip().casefold() == series
        ):
            return cote
    if series:
        raise EventRefused(_("La table annuelle des départs n’a pas cette série Duplicate."))
    return None


def start_of_classique(series: str, rules: FisfSettings) -> int:
    """Return the cote of a player ranked in Classique only (000 annexe 1)."""
    cotes = {"joker": rules.start_joker, "a": rules.start_a, "b": rules.start_b, "c": rules.start_c}
    return cotes[_classique(series)]


def start_rating(rank: int, players: int, rules: FisfSettings) -> int:
    """Return the normal score of a rank, scaled from first to last, then brought within the bounds."""
    if not 1 <= rank <= players:
        raise EventRefused(
            _("Le rang %(rank)s n’existe pas parmi %(players)s joueurs."),
            rank=rank,
            players=players,
        )
    first, last = _score(1, players), _score(players, players)
    share = 0.5 if players == 1 else (_score(rank, players) - last) / (first - last)
    raw = half_up(rules.start_last + share * (rules.start_first - rules.start_last))
    return max(rules.start_lowest, min(rules.start_highest, raw))


def start_ratings(players: int, rules: FisfSettings) -> list[int]:
    """Return the starting cotes of a whole ranking, best first (000 annexe 1)."""
    ranked = whole_number(players, 0, MOST)
    return [start_rating(rank, ranked, rules) for rank in range(1, ranked + 1)]


def start_order(
    duplicate: Sequence[tuple[PlayerId, str]], classique: Sequence[tuple[PlayerId, str]]
) -> list[PlayerId]:
    """Return the ranking that starting cotes are given by (000 annexe 1), best first.

    Both lists are in the order of their ranking, as (player, series). Jokers of Classique go to the
    head of their own Duplicate series, its sub-levels ignored; players without a Duplicate ranking
    go to the end of series 3 to 6.
    """
    for ranking in (duplicate, classique):
        named = [player for player, _series in ranking]
        if len(set(named)) != len(named):
            raise EventRefused(_("Un joueur est deux fois dans le même classement."))
    own_series = {player: _duplicate(series) for player, series in duplicate}
    heads: dict[str, list[PlayerId]] = {}
    ends: dict[str, list[PlayerId]] = {}
    for player, series in classique:
        level = _classique(series)
        if player not in own_series:
            ends.setdefault(SERIES_OF_CLASSIQUE[level], []).append(player)
        elif level == "joker":
            heads.setdefault(own_series[player], []).append(player)
    first = {player for players in heads.values() for player in players}
    known = dict.fromkeys(own_series.values())
    order: list[PlayerId] = []
    for series in sorted({*known, *ends}, key=_level):
        order += heads.get(series, [])
        order += [
            entrant
            for entrant, _s in duplicate
            if own_series[entrant] == series and entrant not in first
        ]
        order += ends.get(series, [])
    return order


def _score(rank: int, players: int) -> float:
    """Return z((n − r + ½) / n): the normal score of a rank."""
    return _NORMAL.inv_cdf((players - rank + 0.5) / players)


def _classique(series: str) -> str:
    level = series.strip().lower().removeprefix("série ").strip()
    if level not in SERIES_OF_CLASSIQUE:
        raise EventRefused(
            _("« %(series)s » n’est pas une série Classique : Joker, A, B ou C."), series=series
        )
    return level


def _duplicate(series: str) -> str:
    """Return the series without its sub-level: 4C is in 4."""
    level = series.strip()
    digits = "".join(sign for sign in level if sign in "0123456789")
    return digits or level


def _level(series: str) -> tuple[bool, int, str]:
    return (not series.isdecimal(), int(series) if series.isdecimal() else 0, series)
