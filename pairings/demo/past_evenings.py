"""Past evenings of the demo club, played by a seeded generator."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

from clubs.accounts.actor import Actor
from pairings.demo.order import Acts, in_order
from pairings.demo.people import Demo
from pairings.evenings import actions as evenings
from pairings.evenings import pairing
from pairings.evenings.admission import presence
from pairings.evenings.models import Evening
from pairings.matches import actions as match_actions
from pairings.matches.models import Match
from pairings.rules.match_state import Kind, Result


def open_evening(demo: Demo, evening: Evening) -> Evening:
    return evenings.open_doors(evening=evening, by=demo.arbiter, at=evening.starts_at)


def announce(demo: Demo, starts_at: datetime, *, at: datetime) -> Evening:
    """Announce an evening that the arbiter pairs."""
    return evenings.announce_evening(
        organisation=demo.club, starts_at=starts_at, by=demo.committee, at=at, auto_pair=False
    )


def arrive(
    demo: Demo, evening: Evening, members: Sequence[int], at: datetime, *, every: timedelta
) -> None:
    """Check people in with the code of the door, one after the other."""
    for number, member_id in enumerate(members):
        presence.check_in(
            evening=evening,
            member=demo.people[member_id],
            source="qr",
            by=demo.player(member_id),
            at=at + number * every,
        )


def past_evening(demo: Demo, day: date) -> Acts:
    """Play an evening: 16 to 22 people, two pairing runs, scores by strength, then close it."""
    at = datetime.combine(day, time(19, 30), tzinfo=demo.club.zone)
    yield at - timedelta(days=1)
    evening = announce(demo, at, at=at - timedelta(days=1))
    yield at
    evening = open_evening(demo, evening)
    ids = sorted(demo.people)
    here = demo.dice.sample(ids, demo.dice.randrange(16, 23))
    arrive(demo, evening, here, at, every=timedelta(seconds=20))
    evenings.begin(evening=evening, by=demo.arbiter, at=at + timedelta(minutes=12))
    for round_number in range(2):
        start = at + timedelta(minutes=15 + 60 * round_number)
        pairing.pair_waiting(evening=evening, by=demo.arbiter, at=start, allow_early_repeat=True)
        in_order([_play(demo, match, start) for match in evening.matches.open().order_by("pk")])
    end = at + timedelta(minutes=150)
    evenings.last_games(evening=evening, by=demo.arbiter, at=end)
    evenings.begin_closing(evening=evening, by=demo.arbiter, at=end)
    evenings.close_evening(evening=evening, by=demo.arbiter, at=end + timedelta(minutes=10))


def plausible_scores(demo: Demo, match: Match) -> tuple[int, int]:
    """Return two plausible Scrabble scores; the stronger player wins more often, not always."""
    assert match.second_id is not None
    gap = demo.strength[match.first_id] - demo.strength[match.second_id]
    base = demo.dice.gauss(375, 35)
    margin = demo.dice.gauss(gap / 7, 60)
    first = max(120, int(base + margin / 2 + demo.dice.gauss(0, 8)))
    second = max(120, int(base - margin / 2 + demo.dice.gauss(0, 8)))
    return first, second


def _play(demo: Demo, match: Match, start: datetime) -> Acts:
    """Play one match of a past evening: most are confirmed, some by silence, a few contested."""
    assert match.second_id is not None
    done = start + timedelta(minutes=demo.dice.randrange(32, 52))
    first, second = demo.player(match.first_id), demo.player(match.second_id)
    chance = demo.dice.random()
    is_absent = chance < 0.015
    scores = (0, 0) if is_absent else plausible_scores(demo, match)
    yield start + timedelta(minutes=4)
    match_actions.start(match=match, by=first, at=start + timedelta(minutes=4))
    yield done
    if is_absent:
        match_actions.mark_absent(
            match=match, absent="b", justified=True, by=_judge(demo, match), at=done
        )
        return
    match_actions.submit(match=match, by=first, scores=scores, at=done)
    if chance < 0.12:
        yield done + timedelta(minutes=6)
        match_actions.lapse(match=match, at=done + timedelta(minutes=6))
    elif chance < 0.16:
        right = (scores[0], scores[1] + 10)
        yield done + timedelta(minutes=2)
        match_actions.contest(
            match=match,
            by=second,
            at=done + timedelta(minutes=2),
            words="Dix points oubliés à la dernière manche.",
            scores=right,
        )
        yield done + timedelta(minutes=9)
        match_actions.decide(
            match=match,
            result=Result(Kind.PLAYED, *right),
            reason="Feuille recomptée avec les deux joueurs.",
            by=_judge(demo, match),
            at=done + timedelta(minutes=9),
        )
    else:
        yield done + timedelta(minutes=1)
        match_actions.confirm(match=match, by=second, at=done + timedelta(minutes=1))


def _judge(demo: Demo, match: Match) -> Actor:
    """Return an arbiter who does not play this match."""
    return demo.arbiter if not match.seats(demo.arbiter.member) else demo.committee


def claim_two_absences(demo: Demo, today: date) -> None:
    """Give one member two unexcused absences; a third would create a proposal."""
    day = today - timedelta(days=1)
    at = datetime.combine(day, time(19, 30), tzinfo=demo.club.zone)
    evening = open_evening(demo, announce(demo, at, at=at - timedelta(hours=8)))
    by_name = {m.first_name: m.pk for m in demo.people.values()}
    ladder_ids = [by_name["Zoé"], by_name["Paul"], by_name["Agnès"]]
    for member_id in ladder_ids:
        presence.check_in(
            evening=evening,
            member=demo.people[member_id],
            source="desk",
            by=demo.arbiter,
            at=at,
        )
    evenings.begin(evening=evening, by=demo.arbiter, at=at)
    for number, other in enumerate(("Paul", "Agnès")):
        moment = at + timedelta(minutes=5 + 30 * number)
        if number:
            presence.check_in(
                evening=evening,
                member=demo.people[by_name["Zoé"]],
                source="desk",
                by=demo.arbiter,
                at=moment,
            )
        match = pairing.pair_by_hand(
            evening=evening,
            first=demo.people[by_name[other]],
            second=demo.people[by_name["Zoé"]],
            reason="Petite soirée : appariement à la main.",
            by=demo.arbiter,
            at=moment,
        )
        claim = moment + timedelta(minutes=16)
        match_actions.claim_absence(match=match, by=demo.player(by_name[other]), at=claim)
        match_actions.lapse(match=match, at=claim + timedelta(minutes=6))
    end = at + timedelta(minutes=90)
    evenings.begin_closing(evening=evening, by=demo.arbiter, at=end)
    evenings.close_evening(evening=evening, by=demo.arbiter, at=end)
