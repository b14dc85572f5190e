"""How a closed evening went: for one player, and for the wall. Read from stored rows only."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from operator import itemgetter
from typing import Any

from clubs.members import merging
from clubs.members.models import Member
from pairings.evenings.models import Evening
from pairings.evenings.player_page.matches import OwnMatch, entries_of, line_of, pr_of
from pairings.matches.models import Match
from pairings.players.record import are_points, outcomes_of
from pairings.ranking import live as live_ranking
from pairings.ranking import projection
from pairings.rules.scoring import Number
from ratings.ledger.models import LedgerEntry

PAST = 60
"""How many matches are read back for a streak."""
PODIUM, MOST_RISERS = 3, 4
ONE_LINE, A_THIRD = 32, 9
"""Letters for which the podium of a wall has room (`.wall-podium__name`)."""


@dataclass(frozen=True, slots=True)
class Cote:
    """What the closing changed for one player: cote and category, before and after.

    `missing`: points to the next category, None in the highest. `corrected_from`: the cote that a
    later correction of the evening replaced.
    """

    entry: LedgerEntry
    before: int
    after: int
    category_before: str
    category: str
    next_category: str = ""
    missing: int | None = None
    corrected_from: int | None = None

    @property
    def delta(self) -> int:
        return self.after - self.before

    @property
    def has_won_category(self) -> bool:
        return self.category != self.category_before and self.delta > 0


@dataclass(frozen=True, slots=True)
class Summary:
    """One player's place and cote after an evening; each may be missing."""

    evening: Evening
    row: live_ranking.RankingRow | None
    since: Evening | None
    cote: Cote | None
    size: int = 0


@dataclass(frozen=True, slots=True)
class Recap:
    """One player's evening. `streak`: matches won in a row up to its end, of that evening or before."""

    summary: Summary
    lines: list[OwnMatch]
    pr: Number = 0
    best_score: OwnMatch | None = None
    best_margin: OwnMatch | None = None
    streak: int = 0
    record: dict[str, int] = field(default_factory=dict)


def summary_of(member: Member, evening: Evening, *, at: datetime, version: str = "") -> Summary:
    """Return place, move and cote of a member after a closed evening.

    Two queries, once cached; one where the version of the ranking was read before.
    """
    ranking = live_ranking.ranking(
        evening.organisation, at=at, live=False, version=version, after=evening
    )
    entry = entries_of(evening).filter(member=member).select_related("supersedes").first()
    return Summary(
        evening,
        ranking.row_of(member) if ranking else None,
        ranking.since if ranking else None,
        cote_of(entry, evening) if entry is not None else None,
        len(ranking.rows) if ranking else 0,
    )


def cote_of(entry: LedgerEntry, evening: Evening) -> Cote | None:
    """Return what an entry changed; None where it shows no number."""
    before, after, book = entry.shown_before, entry.shown_after, evening.rule_book
    if before is None or after is None:
        return None
    above = [band for band in projection.cote_rules(book).bands() if band.minimum > after]
    earlier = entry.supersedes.shown_after if entry.supersedes is not None else None
    return Cote(
        entry,
        before,
        after,
        projection.category_code(before, book),
        projection.category_code(after, book),
        above[0].code if above else "",
        above[0].minimum - after if above else None,
        earlier if earlier != after else None,
    )


def recap_of(
    member: Member, evening: Evening, *, at: datetime, viewer_is_member: bool
) -> Recap | None:
    """Return a member's evening, or None if they played no match and were not there."""
    family = merging.family_of(member)
    past = _past(evening, family)
    matches = [match for match in past if match.evening_id == evening.pk]
    if not matches and not evening.check_ins.filter(member__in=family).exists():
        return None
    lines = [
        replace(line_of(match, family, viewer_is_member=viewer_is_member), pr=pr_of(match, family))
        for match in matches
    ]
    has_points = are_points(score for line in lines for score in (line.mine, line.theirs))
    scores = [(line.mine, line) for line in lines if line.mine is not None and line.won is not None]
    margins = [(line.won, line) for line in lines if line.won is not None]
    return Recap(
        summary_of(member, evening, at=at),
        lines,
        sum((line.pr or 0 for line in lines), start=0),
        max(scores, key=itemgetter(0))[1] if scores and has_points else None,
        max(margins, key=itemgetter(0))[1]
        if has_points and any(won > 0 for won, _line in margins)
        else None,
        streak_of(past, family),
        outcomes_of([won for won, _line in margins]),
    )


def highlights_of(
    evening: Evening, rows: Sequence[live_ranking.RankingRow], names: Mapping[int, str]
) -> dict[str, object]:
    """Return what the wall closes with: podium of the ranking, categories won, largest rises.

    `names`: of the people of the ranking, as a wall may print them. One query.
    """
    lines: list[dict[str, Any]] = []
    for entry in entries_of(evening).select_related("supersedes").order_by("pk"):
        change = cote_of(entry, evening)
        if change is not None and change.delta > 0 and entry.member_id in names:
            line = {"name": names[entry.member_id], "delta": change.delta}
            lines.append(line | {"category": change.category, "new": change.has_won_category})
    lines.sort(key=lambda line: -line["delta"])
    won = [line for line in lines if line["new"]]
    podium = [
        {"rank": row.rank, "name": names[row.member.pk], "pr": row.values.get("pr")}
        for row in podium_of(rows)
    ]
    return {
        "podium": podium,
        "is_tight": is_tight([str(line["name"]) for line in podium]),
        "risers": won + [line for line in lines if not line["new"]][:MOST_RISERS],
        "has_won": bool(won),
    }


def podium_of(
    rows: Sequence[live_ranking.RankingRow],
) -> Sequence[live_ranking.RankingRow]:
    """Return the first three of a ranking, nobody as long as all have 0 PR."""
    return rows[:PODIUM] if any(row.values.get("pr") for row in rows) else ()


def is_tight(names: Sequence[str]) -> bool:
    """Return whether a podium breaks one of these names inside a word, unless in smaller type.

    They do not fit on one line, and one word is wider than a third of it.
    """
    longest = max((len(word) for name in names for word in name.split()), default=0)
    return sum(map(len, names)) > ONE_LINE and longest > A_THIRD


def _past(evening: Evening, family: Collection[int]) -> list[Match]:
    """Return a person's ended matches of evenings up to this one, newest first. One query."""
    return list(
        Match.objects.of_people(family)
        .filter(
            organisation=evening.organisation_id,
            evening__held_on__lte=evening.held_on,
            ended_at__isnull=False,
        )
        .select_related("first__merged_into", "second__merged_into", "evening", "rule_book")
        .order_by("-evening__held_on", "-proposed_at", "-pk")[:PAST]
    )


def streak_of(newest_first: list[Match], family: Collection[int]) -> int:
    """Return how many of the last played matches were won in a row."""
    won = 0
    for match in newest_first:
        margin = line_of(match, family, viewer_is_member=False).won
        if margin is None:
            continue
        if margin <= 0:
            break
        won += 1
    return won
