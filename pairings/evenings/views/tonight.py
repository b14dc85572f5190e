"""What "Ma soirée" shows beside its card: tonight's matches, what a result changed, a ruling, a recap."""

from __future__ import annotations

from datetime import datetime
from typing import TypedDict

from django.utils.translation import gettext as _

from clubs.accounts.permissions import Access, player_url
from clubs.members.models import Member
from clubs.templatetags.ui import clock
from pairings.arbitration.models import Contest
from pairings.evenings.models import Evening
from pairings.evenings.player_page.card import Card
from pairings.evenings.player_page.matches import (
    OwnMatch,
    Ruling,
    line_of,
    pr_of,
    ruling_on,
    taken_away,
)
from pairings.matches.models import Match
from pairings.players import recap
from pairings.ranking import live as live_ranking
from pairings.ranking import projection
from pairings.rules.match_state import Status
from pairings.rules.scoring import Number

WITH_FIGURES = ("result", "agreed")
Scores = tuple[int | None, int | None]


class ScoreLine(TypedDict):
    """One line of a score card; `differs`: the two versions say otherwise."""

    name: str
    score: int
    differs: bool
    winner: bool


class Version(TypedDict):
    """What one player says of a contested match; no `lines` where they gave no scores."""

    title: str
    by: str
    words: str
    lines: list[ScoreLine]


class Tonight(TypedDict, total=False):
    """What stands beside the card: `recap` of an evening that is over, else the figures of this one."""

    recap: recap.Summary
    tonight: list[OwnMatch]
    versions: list[Version]
    row: live_ranking.RankingRow | None
    since: Evening | None
    pr_won: Number | None
    cote_won: int
    why_url: str
    ruling: Ruling | None


def tonight_of(
    card: Card,
    matches: list[Match],
    member: Member,
    access: Access,
    at: datetime,
    *,
    viewer_is_member: bool,
) -> Tonight:
    """Return the context of the player's evening; `matches` are theirs, as the card read them.

    `viewer_is_member`: whether the player reads names as a member; a guest does not.
    """
    over = card.over
    if over is not None:
        return {
            "recap": recap.summary_of(member, over, at=at, version=live_ranking.version_in(over)),
            "tonight": [
                line_of(match, {member.pk}, viewer_is_member=viewer_is_member)
                for match in matches
                if match.evening_id == over.pk
            ],
        }
    if card.evening is None:
        return {}
    evening = card.evening
    for match in matches:
        if match.evening_id == evening.pk:
            match.evening = evening
    # In every room: who has come from another one plays one night.
    called = [match for match in matches if match.competition.is_of_tonight()]
    ended = [match for match in called if not match.is_open and match != card.match]
    context: Tonight = {
        "tonight": [
            line_of(match, {member.pk}, viewer_is_member=viewer_is_member) for match in ended
        ],
    }
    if card.match is not None and card.match.status == Status.CONTESTED:
        context["versions"] = versions_of(
            card.match, member, card.contest, viewer_is_member=viewer_is_member
        )
    of_tonight = [match for match in called if match.status != Status.CANCELLED]
    ruled = any(match.is_ruled for match in of_tonight)
    if ruled or card.state in WITH_FIGURES:
        context |= _figures(
            card,
            of_tonight,
            member,
            access,
            at,
            ruled=ruled,
            viewer_is_member=viewer_is_member,
        )
    gone = taken_away(called, member, viewer_is_member=viewer_is_member)
    known = context.get("ruling")
    if gone is not None and (known is None or known.decision.pk < gone.decision.pk):
        context["ruling"] = gone
    return context


def _figures(
    card: Card,
    own: list[Match],
    member: Member,
    access: Access,
    at: datetime,
    *,
    ruled: bool,
    viewer_is_member: bool,
) -> Tonight:
    """Return the player's row of the live ranking, as their result card prints it."""
    evening: Evening = card.evening  # type: ignore[assignment]
    version = live_ranking.version_in(own[0])
    ranking = live_ranking.ranking(evening.organisation, at=at, live=True, version=version)
    row = ranking.row_of(member) if ranking else None
    official, projected = (row.cote, row.projected) if row is not None else (None, None)
    context: Tonight = {"row": row, "since": ranking.since if ranking else None}
    if card.state in WITH_FIGURES and card.match is not None:
        context["pr_won"] = pr_of(card.match, {member.pk})
        if official is not None and projected is not None:
            context["cote_won"] = projected - official
            context["why_url"] = player_url(access, member, "pairings:projected")
    if ruled:
        context["ruling"] = ruling_on(
            own,
            member,
            evening,
            official=official,
            projected=projected,
            states=projection.states_of(own),
            viewer_is_member=viewer_is_member,
        )
    return context


def versions_of(
    match: Match, reader: Member, contest: Contest | None, *, viewer_is_member: bool
) -> list[Version]:
    """Return what each player says of a contested match, from the reader's side.

    The second version has no scores where its player gave none; nobody's silence is a version.
    """
    entered = (match.first_score, match.second_score)
    said: list[tuple[str, Member | None, datetime | None, Scores]] = []
    if match.submitted_by_id is not None and None not in entered:
        author = match.first if match.submitted_by_id == match.first_id else match.second
        said.append((_("Saisie"), author, match.submitted_at, entered))
    if contest is not None and contest.opened_by is not None:
        claimed = (contest.first_score, contest.second_score)
        said.append((_("Contestation"), contest.opened_by, contest.opened_at, claimed))
    given = [scores for *_rest, scores in said if None not in scores]
    differs = [len({scores[side] for scores in given}) > 1 for side in (0, 1)]
    versions: list[Version] = []
    for title, by, when, scores in said:
        lines = _lines(match, reader, scores, differs, viewer_is_member)
        versions.append(
            {
                "title": title,
                "by": _by(by, when, reader, viewer_is_member),
                "words": "" if lines else _("Sans autre score."),
                "lines": lines,
            }
        )
    return versions


def _by(
    author: Member | None, when: datetime | None, reader: Member, viewer_is_member: bool
) -> str:
    if author is None or when is None:
        return ""
    if author.pk == reader.pk:
        return _("par vous, %(hour)s") % {"hour": clock(when)}
    name = author.name_for(viewer_is_member=viewer_is_member)
    return _("par %(name)s, %(hour)s") % {"name": name, "hour": clock(when)}


def _lines(
    match: Match, reader: Member, scores: Scores, differs: list[bool], viewer_is_member: bool
) -> list[ScoreLine]:
    """Return the two lines of a score card, the reader's first; none without scores."""
    first, second = scores
    if first is None or second is None:
        return []
    sides = [(match.first, first, second, differs[0]), (match.second, second, first, differs[1])]
    lines: list[ScoreLine] = []
    for player, score, other, differ in sides:
        if player is None:
            continue
        own = player.pk == reader.pk
        name = _("Vous") if own else player.name_for(viewer_is_member=viewer_is_member)
        line: ScoreLine = {"name": name, "score": score, "differs": differ, "winner": score > other}
        lines.insert(0 if own else len(lines), line)
    return lines
