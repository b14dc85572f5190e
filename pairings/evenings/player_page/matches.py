"""Matches seen from one player's side: the lines of their pages, and what a ruling changed for them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from django.urls import reverse

from clubs.members.models import Member
from pairings.evenings.models import Evening
from pairings.matches.competition import evening_of
from pairings.matches.models import Decision, Match, Submission
from pairings.ranking import projection, season
from pairings.rules.match_state import RESULT_COLUMNS, Kind, Status
from pairings.rules.scoring import Number, points_of
from ratings.ledger import origins
from ratings.ledger.models import LedgerEntry, LedgerEntryQuerySet, Period
from ratings.systems.protocol import State


@dataclass(frozen=True, slots=True)
class OwnMatch:
    """A match from one person's side; `won`: the margin of a played match that counts.

    `pr`: what it gives this person, where that was asked (`pr_of`).
    """

    match: Match
    other: str
    mine: int | None
    theirs: int | None
    won: int | None
    pr: Number | None = None

    @property
    def url(self) -> str:
        return reverse("pairings:match", kwargs={"match_id": self.match.pk})


def line_of(match: Match, family: Collection[int], *, viewer_is_member: bool) -> OwnMatch:
    """Return a match from one person's side; `family`: their own row and those merged into it."""
    first = match.first_id in family
    other = match.second if first else match.first
    mine, theirs = match.first_score, match.second_score
    if not first:
        mine, theirs = theirs, mine
    won = None
    if match.counts and match.kind == Kind.PLAYED and mine is not None and theirs is not None:
        won = mine - theirs
    name = other.current_row.name_for(viewer_is_member=viewer_is_member) if other else ""
    return OwnMatch(match, name, mine, theirs, won)


def pr_of(match: Match, family: Collection[int]) -> Number | None:
    """Return the PR that the match gives this person now; None while it does not count."""
    record = season.record_of(match, evening_of(match).held_on)
    if record is None:
        return None
    first, second = points_of(record, season.pairing_rules(match.rule_book).scale())
    won = first if match.first_id in family else second
    return won.pr if won is not None else None


@dataclass(frozen=True, slots=True)
class Ruling:
    """A decision of an arbiter on one's own match: the reason, and one's own before → after.

    A match that was taken away has no figures.
    """

    match: Match
    line: OwnMatch
    decision: Decision
    score: tuple[str, str] | None = None
    pr: tuple[Number | None, Number | None] | None = None
    cote: tuple[int | None, int | None] | None = None


def ruling_on(
    matches: Iterable[Match],
    member: Member,
    evening: Evening,
    *,
    official: int | None,
    projected: int | None,
    states: Mapping[int, State] | None = None,
    viewer_is_member: bool = True,
) -> Ruling | None:
    """Return the last ruling on one of these matches of live evenings, or None.

    The matches are read `with_decision`. `projected` is the cote with the ruling. Before a ruling on a
    contested match there is what was entered, which did not count yet. `states` of the players: where
    they were read too, no query. `viewer_is_member`: whether the player reads as a member; a guest
    does not.
    """
    evening_matches = list(matches)
    ruled = [one for one in evening_matches if one.is_ruled and _decision(one)]
    if not ruled:
        return None
    match = max(ruled, key=lambda one: one.decided.pk)
    decision = match.decided
    earlier = _before(match)
    earlier.first, earlier.second = match.first, match.second
    family = {member.pk}
    before = projection.of_player(
        member,
        evening,
        [earlier if one.pk == match.pk else one for one in evening_matches],
        {},
        states,
    )
    return Ruling(
        match,
        line_of(match, family, viewer_is_member=viewer_is_member),
        decision,
        (_scores(earlier, family), _scores(match, family)),
        (pr_of(earlier, family), pr_of(match, family)),
        (
            official if before is None else projection.cote_after(before, evening.rule_book),
            official if projected is None else projected,
        ),
    )


def taken_away(
    matches: Iterable[Match], member: Member, *, viewer_is_member: bool
) -> Ruling | None:
    """Return the arbiter's last decision to take one of these matches away, with its reason."""
    gone = [
        match
        for match in matches
        if match.status == Status.CANCELLED and match.is_ruled and _decision(match)
    ]
    if not gone:
        return None
    match = max(gone, key=lambda one: one.decided.pk)
    line = line_of(match, {member.pk}, viewer_is_member=viewer_is_member)
    return Ruling(match, line, match.decided)


def _decision(match: Match) -> Decision | None:
    """Return the decision in force of a match read `with_decision`."""
    return getattr(match, "decided", None)


def ruling_for(match: Match, member: Member) -> Ruling | None:
    """Return the ruling on this match as a mail tells it, also after the evening has closed."""
    evening = evening_of(match)
    people = ("first", "second", "organisation", "rule_book")
    read = Match.objects.involving(member).with_decision().select_related("evening", *people)
    if evening.state == Evening.State.CLOSED:
        evening_matches, (official, projected) = (
            list(read.filter(pk=match.pk)),
            _cotes_of_closed(evening, member),
        )
        ruling = ruling_on(evening_matches, member, evening, official=official, projected=projected)
        return replace(ruling, cote=(official, projected)) if ruling is not None else None
    evening_matches = list(read.filter(evening__in=Evening.objects.of(evening.organisation).live()))
    official = projection.cotes_of(evening.organisation, [member]).get(
        member.pk, projection.initial_cote(evening.rule_book)
    )
    change = projection.of_player(member, evening, evening_matches, {})
    projected = projection.cote_after(change, evening.rule_book)
    return ruling_on(evening_matches, member, evening, official=official, projected=projected)


def entries_of(evening: Evening) -> LedgerEntryQuerySet:
    """Return the entries in force that this evening wrote in the club's own lists."""
    periods = Period.objects.opened_for(origins.evening(evening.pk))
    return LedgerEntry.objects.filter(
        period__in=periods, rating_list__organisation=evening.organisation_id
    ).in_force()


def _cotes_of_closed(evening: Evening, member: Member) -> tuple[int | None, int | None]:
    """Return the cote after the evening, before its last correction and now."""
    entries = entries_of(evening).filter(member=member)
    entry = entries.select_related("supersedes").order_by("-pk").first()
    if entry is None:
        return None, None
    earlier = entry.supersedes.shown_after if entry.supersedes is not None else entry.shown_after
    return earlier, entry.shown_after


def _before(match: Match) -> Match:
    """Return an unsaved copy of the match as it stood before the decision in force."""
    earlier = match.decided.supersedes
    if earlier is not None:
        values = {name: getattr(earlier, name) for name in ("status", *RESULT_COLUMNS)}
        return projection.trial_of(match, **values, counts=earlier.status == Status.FINAL)
    entry: Submission | None = getattr(match, "entry", None)
    if entry is None:
        return projection.trial_of(
            match,
            status=Status.CONTESTED,
            kind="",
            first_score=None,
            second_score=None,
            counts=False,
        )
    return projection.trial_of(
        match,
        status=Status.FINAL,
        kind=Kind.PLAYED,
        first_score=entry.first_score,
        second_score=entry.second_score,
        absent="",
        counts=True,
    )


def _scores(match: Match, family: Collection[int]) -> str:
    line = line_of(match, family, viewer_is_member=False)  # for its scores
    if match.kind != Kind.PLAYED:
        return "–"
    return f"{line.mine}\u00a0–\u00a0{line.theirs}"
