"""The demo club: 24 people, three seasons played by a seeded generator, an evening in progress.

Everything goes through the site's own actions, at generated times: no row is inserted directly, so
the journal, the ledger and the rankings match those of a real club.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta

from django.db import transaction

from clubs.organisations.models import Organisation, Season
from clubs.rulebooks import actions as rulebooks
from pairings.demo.editions import published
from pairings.demo.order import in_order
from pairings.demo.past_evenings import claim_two_absences, past_evening
from pairings.demo.people import DOMAIN, PEOPLE, Demo, create_people, starting_cote
from pairings.demo.tonight import begin_tonight
from pairings.demo.tournaments import announced, free_members, play_cup, play_open, table_of
from pairings.evenings import actions as evenings
from ratings.ledger import settlement

SEED = 20261120


@transaction.atomic
def build(
    *, now: datetime, evenings_per_season: int = 8, tell: Callable[[str], object] = str
) -> Organisation:
    """Build the demo club in one transaction. `tell` is called with a sentence before each step.

    `today` is the day on which tonight's evening began: just after midnight that is yesterday, and
    all earlier dates shift with it. Hours are added in UTC, across a change of daylight saving
    time.
    """
    now = now.astimezone(UTC)
    dice = random.Random(SEED)
    club = Organisation.objects.create(
        slug="faizers",
        name="Club FAIZERS",
        place="Maison des associations, salle Baize",
        contact_email=f"arbitre@{DOMAIN}",
        created_at=now - timedelta(days=800),
        made_by_demo=True,
    )
    began = now - timedelta(minutes=75)
    today = began.astimezone(club.zone).date()
    seasons = _seasons(club, today)
    demo = create_people(club, seasons[0].starts_on, dice)
    _adopt_rules(demo, seasons[0])
    _start_cotes(demo, seasons[0].starts_on)
    table = table_of(club, demo.arbiter, demo.committee, demo.strength)
    open_day = today - timedelta(days=2)
    for number, season in enumerate(seasons):
        last = number == len(seasons) - 1
        days = _evening_days(season, open_day if last else None, evenings_per_season)
        tell(f"Season {number + 1} of {len(seasons)}: {len(days)} evenings …")
        stories = [past_evening(demo, day) for day in days]
        if last:
            stories += [published(demo, days[-3:]), announced(table, open_day, now)]
        in_order(stories)
    tell("Two tournaments …")
    cotes = {pk: starting_cote(member) for pk, member in demo.people.items()}
    players = [member for member in demo.people.values() if member.first_name != "Zoé"]
    play_open(table, players, cotes)
    tell("Tonight’s evening …")
    claim_two_absences(demo, today)
    begin_tonight(demo, began, now)
    free = [m for m in demo.people.values() if m.first_name not in ("Hélène", "Odile")]
    play_cup(table, free_members(free, 6), cotes, now)
    _announce_next(demo, today, now)
    return club


def _seasons(club: Organisation, today: date) -> list[Season]:
    """Create two past seasons of 180 days and the current one."""
    start = today - timedelta(days=64)
    seasons = []
    for back in (2, 1, 0):
        first = start - timedelta(days=182 * back)
        last = first + timedelta(days=181)
        seasons.append(
            Season.objects.create(
                organisation=club,
                name=f"Saison {first:%Y}-{first.year + 1}"
                if back != 1
                else f"Saison d’été {first:%Y}",
                starts_on=first,
                ends_on=last,
            )
        )
    return seasons


def _adopt_rules(demo: Demo, season: Season) -> None:
    """Adopt the committee's own choices for the ladder before the first evening."""
    at = datetime.combine(season.starts_on, time(12), tzinfo=demo.club.zone)
    draft = rulebooks.save_draft(
        organisation=demo.club,
        code=rulebooks.LADDER,
        values={"cote": {"alpha": 0.1}, "match": {"absence_grace_s": 600}},
        by=demo.committee,
        at=at,
    )
    rulebooks.adopt(
        draft=draft,
        effective_from=at + timedelta(hours=1),
        reason="Récompenser un peu les victoires nettes ; absence signalable après 10 minutes.",
        voted_by="Assemblée générale",
        by=demo.committee,
        at=at,
    )


def _start_cotes(demo: Demo, day: date) -> None:
    """Enter the cotes that members had on the club's paper list."""
    by_name = {(m.first_name, m.last_name): m.pk for m in demo.people.values()}
    at = datetime.combine(day, time(14), tzinfo=demo.club.zone)
    period = settlement.open_period(
        rating_list=settlement.list_of(demo.club, rulebooks.LADDER),
        key="start",
        label="Cotes de départ",
        held_on=day,
        kind=settlement.START,
        facts={
            "players": {
                str(by_name[first, last]): {"rating": cote} for first, last, _plays, cote in PEOPLE
            }
        },
    )
    settlement.settle(period=period, by=demo.committee, at=at)


def _evening_days(season: Season, open_day: date | None, count: int) -> list[date]:
    """Return Fridays of a season: the last is published, and mended, before the open."""
    end = min(season.ends_on, open_day - timedelta(days=3)) if open_day else season.ends_on
    days = []
    day = season.starts_on + timedelta(days=1)
    while day <= end:
        if day.weekday() == 4:
            days.append(day)
        day += timedelta(days=1)
    step = max(1, len(days) // count)
    return days[::step][:count]


def _announce_next(demo: Demo, today: date, now: datetime) -> None:
    day = today + timedelta(days=7)
    evenings.announce_evening(
        organisation=demo.club,
        starts_at=datetime.combine(day, time(19, 30), tzinfo=demo.club.zone),
        by=demo.committee,
        at=now,
    )
