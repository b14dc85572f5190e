"""The demo evening in progress: every state of a match, two open contests."""

from __future__ import annotations

from datetime import datetime, time, timedelta

from pairings.arbitration.models import Contest
from pairings.demo.order import Acts, in_order
from pairings.demo.past_evenings import announce, arrive, open_evening, plausible_scores
from pairings.demo.people import Demo
from pairings.evenings import actions as evenings
from pairings.evenings import pairing
from pairings.evenings.admission import guests
from pairings.evenings.admission import screen_link as screen
from pairings.evenings.models import CheckIn, Evening
from pairings.matches import actions as match_actions
from pairings.matches.models import Match

TONIGHT = (
    ("Amélie", "Grégoire"),
    ("Karim", "Paul"),
    ("Sofia", "Thomas"),
    ("Ștefan", "Jean-Noël"),
    ("Yasmine", "Nadia"),
    ("Marie-Christine", "Mihai"),
)


def begin_tonight(demo: Demo, at: datetime, now: datetime) -> None:
    """Create an evening in progress since `at`, with every match state and two open contests."""
    eve = at.astimezone(demo.club.zone).date() - timedelta(days=1)
    announced = datetime.combine(eve, time(22), tzinfo=demo.club.zone)
    evening = open_evening(demo, announce(demo, at, at=announced))
    by_name = {m.first_name: m.pk for m in demo.people.values()}
    here = [
        pk for pk in demo.people if demo.people[pk].first_name not in ("Zoé", "Hélène", "Odile")
    ]
    arrive(demo, evening, here, at, every=timedelta(seconds=10))
    evenings.begin(evening=evening, by=demo.arbiter, at=at + timedelta(minutes=8))
    pairing.pair_waiting(
        evening=evening, by=demo.arbiter, at=at + timedelta(minutes=10), allow_early_repeat=True
    )
    wanted = {by_name[name] for pair in TONIGHT for name in pair}
    first_round = sorted(
        evening.matches.open().order_by("pk"),
        key=lambda match: (bool({match.first_id, match.second_id} & wanted), match.pk),
    )
    start = at + timedelta(minutes=10)
    in_order([_first_round(demo, match, n, start) for n, match in enumerate(first_round)])
    _second_round(demo, evening, by_name, now)
    screen.give(evening=evening, by=demo.arbiter, at=now)
    guests.ask(evening=evening, first_name="Solène", last_name="B.", at=now - timedelta(minutes=2))


def _first_round(demo: Demo, match: Match, number: int, start: datetime) -> Acts:
    """End the matches in each way, before the second round: confirmed, by silence, void, cancelled."""
    assert match.second_id is not None
    first, second = demo.player(match.first_id), demo.player(match.second_id)
    done = start + timedelta(minutes=20 + number)
    if number == 0:
        yield done
        match_actions.mark_absent(
            match=match, absent="both", justified=True, by=demo.arbiter, at=done
        )
        return
    if number == 1:
        yield done
        match_actions.cancel(
            match=match, reason="Apparié par erreur : même famille.", by=demo.arbiter, at=done
        )
        return
    scores = plausible_scores(demo, match)
    yield start + timedelta(minutes=3)
    match_actions.start(match=match, by=first, at=start + timedelta(minutes=3))
    yield done
    match_actions.submit(match=match, by=first, scores=scores, at=done)
    if number == 3:
        yield done + timedelta(minutes=6)
        match_actions.lapse(match=match, at=done + timedelta(minutes=6))
    else:
        yield done + timedelta(minutes=1)
        match_actions.confirm(match=match, by=second, at=done + timedelta(minutes=1))


def _second_round(demo: Demo, evening: Evening, by_name: dict[str, int], now: datetime) -> None:
    """Create one match in each open state.

    They are paired by hand, so that the demo accounts have pending actions.
    """
    start = now - timedelta(minutes=34)
    waiting = set(
        evening.check_ins.filter(state=CheckIn.State.WAITING).values_list("member_id", flat=True)
    )
    matches = []
    for one, other in TONIGHT:
        if {by_name[one], by_name[other]} <= waiting:
            matches.append(
                pairing.pair_by_hand(
                    evening=evening,
                    first=demo.people[by_name[one]],
                    second=demo.people[by_name[other]],
                    reason="Table demandée par les deux joueurs.",
                    by=demo.arbiter,
                    at=start,
                )
            )
    tables = [_open_state(demo, match, number, now) for number, match in enumerate(matches)]
    in_order([*tables, _called_last(demo, evening, now - timedelta(minutes=2))])


def _called_last(demo: Demo, evening: Evening, at: datetime) -> Acts:
    """Call two of those who still wait."""
    yield at
    left = list(
        evening.check_ins.filter(state=CheckIn.State.WAITING)
        .order_by("pk")
        .values_list("member_id", flat=True)
    )
    if len(left) >= 4:
        pair = [demo.people[pk] for pk in left[:2]]
        pairing.pair_by_hand(
            evening=evening,
            first=pair[0],
            second=pair[1],
            reason="Ils se connaissent peu.",
            by=demo.arbiter,
            at=at,
        )


def _open_state(demo: Demo, match: Match, number: int, now: datetime) -> Acts:
    """Bring a match to an open state.

    Playing, to confirm, absence claimed, contested twice, and one more in play.
    """
    assert match.second_id is not None
    first, second = demo.player(match.first_id), demo.player(match.second_id)
    started = match.proposed_at + timedelta(minutes=3)
    scores = plausible_scores(demo, match) if number in (1, 2, 4) else (0, 0)
    if number == 3:
        yield now - timedelta(minutes=1)
        match_actions.claim_absence(match=match, by=first, at=now - timedelta(minutes=1))
        return
    yield started
    match_actions.start(match=match, by=first, at=started)
    if number == 1:
        yield now
        match_actions.submit(match=match, by=second, scores=scores, at=now)
    elif number in (2, 4):
        yield now - timedelta(minutes=5)
        match_actions.submit(match=match, by=first, scores=scores, at=now - timedelta(minutes=5))
        yield now - timedelta(minutes=3)
        match_actions.contest(
            match=match,
            by=second,
            at=now - timedelta(minutes=3),
            subject=Contest.Subject.WRONG_SCORE,
            words="Mon dernier coup, 19 points, n’a pas été ajouté.",
            scores=(scores[0], scores[1] + 19),
        )
