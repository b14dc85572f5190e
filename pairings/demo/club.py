"""The demo club: 24 people, three seasons played by a seeded generator, an evening in progress.

Everything goes through the site's own actions, at generated times: no row is inserted directly, so
the journal, the ledger and the rankings match those of a real club.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from django.contrib.auth.hashers import make_password
from django.db import transaction

from clubs.accounts.actor import ARBITER, COMMITTEE, PLAYER, Actor
from clubs.accounts.models import User
from clubs.members import actions as members
from clubs.members.models import Member, RoleGrant
from clubs.organisations.models import Organisation, Season
from clubs.rulebooks import actions as rulebook
from pairings.arbitration.models import Contest
from pairings.demo import tournaments as tournament_demo
from pairings.demo.editions import mend_last_evening, publish_evening
from pairings.evenings import actions as ladder
from pairings.evenings import guests, pairing
from pairings.evenings import screen_link as screen
from pairings.evenings.models import CheckIn, Evening
from pairings.matches import actions as match_actions
from pairings.matches.models import Match
from pairings.rules.match_lifecycle import Result
from ratings.ledger import settlement as ledger

SEED = 20261120
PASSWORD = "faizers-demo"
PIN = "2468"
DOMAIN = "demo.club"

# first name, last name, strength that the generator plays by, starting cote
PEOPLE = (
    ("Sofia", "Haddad", 2200, 1940),
    ("Yasmine", "El Idrissi", 2000, 1860),
    ("Ștefan", "Ionescu", 1760, 1720),
    ("Nadia", "Chraïbi", 1720, 1690),
    ("Marie-Christine", "Vandenbroucke", 2180, 1950),
    ("Grégoire", "Ançay", 1660, 1630),
    ("Thomas", "Nguyen", 1590, 1560),
    ("Paul", "Lefèvre", 1290, 1240),
    ("Amélie", "Dufour", 1460, 1410),
    ("Léa", "Müller", 1120, 1040),
    ("Karim", "Benali", 1450, 1430),
    ("Odile", "Kœnig", 1210, 1180),
    ("Jean-Noël", "Garcia", 1380, 1350),
    ("Béatrice", "Œhler", 1050, 1000),
    ("Țepeș", "Dănilă", 1520, 1490),
    ("Ioana", "Brâncuși", 1310, 1280),
    ("Cătălina", "Șerban", 1230, 1200),
    ("Hélène", "D’Arcy", 1420, 1390),
    ("François", "Lœb", 1100, 1020),
    ("Zoé", "Faÿ", 1000, 1000),
    ("Mihai", "Țîru", 1640, 1600),
    ("Agnès", "Noël", 1170, 1130),
    ("Ousmane", "Diallo", 1350, 1300),
    ("Inês", "Gonçalves", 1260, 1210),
)
ARBITERS = (("Odile", "Kœnig"), ("Ousmane", "Diallo"))
COMMITTEE_MEMBERS = (("Hélène", "D’Arcy"), ("François", "Lœb"))
TONIGHT = (
    ("Amélie", "Grégoire"),
    ("Karim", "Paul"),
    ("Sofia", "Thomas"),
    ("Ștefan", "Jean-Noël"),
    ("Yasmine", "Nadia"),
    ("Marie-Christine", "Mihai"),
)
ACCOUNTS = (
    ("amelie", "joueuse, à table avec Grégoire : à elle de saisir le résultat"),
    ("gregoire", "joueur, à table avec Amélie : à lui de confirmer ou de contester"),
    ("karim", "joueur, Paul a saisi leur résultat : cinq minutes pour répondre"),
    ("odile", "arbitre"),
    ("helene", "comité"),
)


@dataclass(frozen=True, slots=True)
class Demo:
    """State of the demo being built: actors, players' strengths, random generator."""

    club: Organisation
    people: dict[int, Member]
    strength: dict[int, int]
    committee: Actor
    arbiter: Actor
    dice: random.Random

    def player(self, member_id: int) -> Actor:
        member = self.people[member_id]
        return Actor(user=member.user, member=member, role=PLAYER, origin="demo")


@transaction.atomic
def build(*, now: datetime, evenings_per_season: int = 8) -> Organisation:
    """Build the demo club in one transaction.

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
    )
    began = now - timedelta(minutes=75)
    today = began.astimezone(club.zone).date()
    seasons = _seasons(club, today)
    demo = _people(club, seasons[0].starts_on, dice)
    _adopt_rules(demo, seasons[0])
    _start_cotes(demo, seasons[0].starts_on)
    published = None
    for number, season in enumerate(seasons):
        last = number == len(seasons) - 1
        days = _evening_days(season, today if last else None, evenings_per_season)
        for day in days:
            _past_evening(demo, day)
            if last and day in days[-3:]:
                published = publish_evening(demo, day)
    if published is not None:
        mend_last_evening(demo, published)
    table = tournament_demo.table_of(club, demo.arbiter, demo.committee, demo.strength)
    cotes = {pk: _starting_cote(member) for pk, member in demo.people.items()}
    players = [member for member in demo.people.values() if member.first_name != "Zoé"]
    tournament_demo.finished(table, players, cotes, today - timedelta(days=2))
    _two_absences(demo, today)
    _tonight(demo, began, now)
    free = [m for m in demo.people.values() if m.first_name not in ("Hélène", "Odile")]
    tournament_demo.in_round_three(table, tournament_demo.free_members(free, 6), cotes, now)
    _announce_next(demo, today, now)
    return club


def _starting_cote(member: Member) -> int:
    return next(cote for first, last, _plays, cote in PEOPLE if (first, last) == _name(member))


def _name(member: Member) -> tuple[str, str]:
    return member.first_name, member.last_name


def accounts() -> Iterator[tuple[str, str, str]]:
    """Return (e-mail, password, role) of the accounts that a visitor may try."""
    for name, who in ACCOUNTS:
        yield f"{name}@{DOMAIN}", PASSWORD, who


def _seasons(club: Organisation, today: date) -> list[Season]:
    """Create two past seasons of 180 days and the current one."""
    start = today - timedelta(days=64)
    found = []
    for back in (2, 1, 0):
        first = start - timedelta(days=182 * back)
        last = first + timedelta(days=181)
        found.append(
            Season.objects.create(
                organisation=club,
                name=f"Saison {first:%Y}-{first.year + 1}"
                if back != 1
                else f"Saison d’été {first:%Y}",
                starts_on=first,
                ends_on=last,
            )
        )
    return found


def _people(club: Organisation, joined: date, dice: random.Random) -> Demo:
    at = datetime.combine(joined, time(10), tzinfo=club.zone)
    hashed = make_password(PASSWORD)
    system = Actor.system("demo")
    people: dict[int, Member] = {}
    strength: dict[int, int] = {}
    by_name: dict[tuple[str, str], Member] = {}
    for number, (first, last, plays, _cote) in enumerate(PEOPLE):
        member = members.create(
            organisation=club,
            first_name=first,
            last_name=last,
            by=system,
            at=at,
            joined_on=joined - timedelta(days=dice.randrange(0, 900)),
            visibility=Member.MEMBERS if number == 19 else Member.EVERYBODY,
        )
        account = User(email=f"{_mail_name(first)}@{DOMAIN}", password=hashed)
        account.save()
        members.link_account(member=member, user=account, by=system, at=at)
        people[member.pk], strength[member.pk] = member, plays
        by_name[first, last] = member
    pin = make_password(PIN)
    Member.objects.filter(organisation=club).update(pin_hash=pin)
    committee = [by_name[name] for name in COMMITTEE_MEMBERS]
    arbiters = [by_name[name] for name in ARBITERS]
    for member in committee:
        members.grant(member=member, role=RoleGrant.COMMITTEE, by=system, at=at)
    for member in arbiters:
        members.grant(member=member, role=RoleGrant.ARBITER, by=system, at=at)
    return Demo(
        club=club,
        people=people,
        strength=strength,
        committee=Actor(committee[0].user, committee[0], COMMITTEE, "demo"),
        arbiter=Actor(arbiters[0].user, arbiters[0], ARBITER, "demo"),
        dice=dice,
    )


def _mail_name(first: str) -> str:
    from clubs.members.models import without_accents

    return without_accents(first).replace(" ", "-")


def _adopt_rules(demo: Demo, season: Season) -> None:
    """Adopt the committee's own choices for the ladder before the first evening."""
    at = datetime.combine(season.starts_on, time(12), tzinfo=demo.club.zone)
    draft = rulebook.save_draft(
        organisation=demo.club,
        code="faizers",
        values={"cote": {"alpha": 0.1}, "match": {"absence_grace_s": 600}},
        by=demo.committee,
        at=at,
    )
    rulebook.adopt(
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
    period = ledger.open_period(
        rating_list=ledger.list_of(demo.club, "faizers"),
        key="start",
        label="Cotes de départ",
        held_on=day,
        kind=ledger.START,
        facts={
            "players": {
                str(by_name[first, last]): {"rating": cote} for first, last, _plays, cote in PEOPLE
            }
        },
    )
    ledger.settle(period=period, by=demo.committee, at=at)


def _evening_days(season: Season, today: date | None, count: int) -> list[date]:
    """Return Fridays of a season, the last of them before today."""
    end = min(season.ends_on, today - timedelta(days=2)) if today else season.ends_on
    days = []
    day = season.starts_on + timedelta(days=1)
    while day <= end:
        if day.weekday() == 4:
            days.append(day)
        day += timedelta(days=1)
    step = max(1, len(days) // count)
    return days[::step][:count]


def _open(demo: Demo, at: datetime, *, auto: bool) -> Evening:
    evening = ladder.announce_evening(
        organisation=demo.club,
        starts_at=at,
        by=demo.committee,
        at=at - timedelta(days=3),
        auto_pair=auto,
    )
    return ladder.open_doors(evening=evening, by=demo.arbiter, at=at)


def _past_evening(demo: Demo, day: date) -> None:
    """Play an evening: 16 to 22 people, two pairing runs, scores by strength, then close it."""
    at = datetime.combine(day, time(19, 30), tzinfo=demo.club.zone)
    evening = _open(demo, at, auto=False)
    ids = sorted(demo.people)
    here = demo.dice.sample(ids, demo.dice.randrange(16, 23))
    for number, member_id in enumerate(here):
        ladder.check_in(
            evening=evening,
            member=demo.people[member_id],
            source="qr",
            by=demo.player(member_id),
            at=at + timedelta(seconds=20 * number),
        )
    ladder.begin(evening=evening, by=demo.arbiter, at=at + timedelta(minutes=12))
    for round_number in range(2):
        start = at + timedelta(minutes=15 + 60 * round_number)
        pairing.pair_waiting(evening=evening, by=demo.arbiter, at=start, allow_early_repeat=True)
        for match in evening.matches.open().order_by("pk"):
            _play(demo, match, start)
    end = at + timedelta(minutes=150)
    ladder.last_games(evening=evening, by=demo.arbiter, at=end)
    ladder.begin_closing(evening=evening, by=demo.arbiter, at=end)
    ladder.close_evening(evening=evening, by=demo.arbiter, at=end + timedelta(minutes=10))


def _scores(demo: Demo, match: Match) -> tuple[int, int]:
    """Return two plausible Scrabble scores; the stronger player wins more often, not always."""
    assert match.second_id is not None
    gap = demo.strength[match.first_id] - demo.strength[match.second_id]
    base = demo.dice.gauss(375, 35)
    margin = demo.dice.gauss(gap / 7, 60)
    first = max(120, int(base + margin / 2 + demo.dice.gauss(0, 8)))
    second = max(120, int(base - margin / 2 + demo.dice.gauss(0, 8)))
    return first, second


def _play(demo: Demo, match: Match, start: datetime) -> None:
    """Play one match of a past evening: most are confirmed, some by silence, a few contested."""
    assert match.second_id is not None
    done = start + timedelta(minutes=demo.dice.randrange(32, 52))
    first, second = demo.player(match.first_id), demo.player(match.second_id)
    match_actions.start(match=match, by=first, at=start + timedelta(minutes=4))
    chance = demo.dice.random()
    if chance < 0.015:
        match_actions.mark_absent(
            match=match, absent="b", justified=True, by=_judge(demo, match), at=done
        )
        return
    scores = _scores(demo, match)
    match_actions.submit(match=match, by=first, scores=scores, at=done)
    if chance < 0.12:
        match_actions.lapse(match=match, at=done + timedelta(minutes=6))
    elif chance < 0.16:
        right = (scores[0], scores[1] + 10)
        match_actions.contest(
            match=match,
            by=second,
            at=done + timedelta(minutes=2),
            words="Dix points oubliés à la dernière manche.",
            scores=right,
        )
        match_actions.decide(
            match=match,
            result=Result("played", *right),
            reason="Feuille recomptée avec les deux joueurs.",
            by=_judge(demo, match),
            at=done + timedelta(minutes=9),
        )
    else:
        match_actions.confirm(match=match, by=second, at=done + timedelta(minutes=1))


def _judge(demo: Demo, match: Match) -> Actor:
    """Return an arbiter who does not play this match."""
    return demo.arbiter if not match.seats(demo.arbiter.member) else demo.committee


def _two_absences(demo: Demo, today: date) -> None:
    """Give one member two unexcused absences; a third would create a proposal."""
    day = today - timedelta(days=1)
    at = datetime.combine(day, time(19, 30), tzinfo=demo.club.zone)
    evening = _open(demo, at, auto=False)
    by_name = {m.first_name: m.pk for m in demo.people.values()}
    ladder_ids = [by_name["Zoé"], by_name["Paul"], by_name["Agnès"]]
    for member_id in ladder_ids:
        ladder.check_in(
            evening=evening,
            member=demo.people[member_id],
            source="desk",
            by=demo.arbiter,
            at=at,
        )
    ladder.begin(evening=evening, by=demo.arbiter, at=at)
    for number, other in enumerate(("Paul", "Agnès")):
        moment = at + timedelta(minutes=5 + 30 * number)
        if number:
            ladder.check_in(
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
    ladder.begin_closing(evening=evening, by=demo.arbiter, at=end)
    ladder.close_evening(evening=evening, by=demo.arbiter, at=end)


def _tonight(demo: Demo, at: datetime, now: datetime) -> None:
    """Create an evening in progress since `at`, with every match state and two open contests."""
    evening = _open(demo, at, auto=False)
    by_name = {m.first_name: m.pk for m in demo.people.values()}
    here = [
        pk for pk in demo.people if demo.people[pk].first_name not in ("Zoé", "Hélène", "Odile")
    ]
    for number, member_id in enumerate(here):
        ladder.check_in(
            evening=evening,
            member=demo.people[member_id],
            source="qr",
            by=demo.player(member_id),
            at=at + timedelta(seconds=10 * number),
        )
    ladder.begin(evening=evening, by=demo.arbiter, at=at + timedelta(minutes=8))
    pairing.pair_waiting(
        evening=evening, by=demo.arbiter, at=at + timedelta(minutes=10), allow_early_repeat=True
    )
    wanted = {by_name[name] for pair in TONIGHT for name in pair}
    first_round = sorted(
        evening.matches.open().order_by("pk"),
        key=lambda match: (bool({match.first_id, match.second_id} & wanted), match.pk),
    )
    for number, match in enumerate(first_round):
        _first_round(demo, match, number, at + timedelta(minutes=10))
    _second_round(demo, evening, by_name, now)
    screen.give(evening=evening, by=demo.arbiter, at=now)
    guests.ask(evening=evening, first_name="Solène", last_name="B.", at=now - timedelta(minutes=2))


def _first_round(demo: Demo, match: Match, number: int, start: datetime) -> None:
    """End the matches in each way: confirmed, by silence, void, cancelled."""
    assert match.second_id is not None
    first, second = demo.player(match.first_id), demo.player(match.second_id)
    done = start + timedelta(minutes=26 + number)
    if number == 0:
        match_actions.mark_absent(
            match=match, absent="both", justified=True, by=demo.arbiter, at=done
        )
        return
    if number == 1:
        match_actions.cancel(
            match=match, reason="Apparié par erreur : même famille.", by=demo.arbiter, at=done
        )
        return
    match_actions.start(match=match, by=first, at=start + timedelta(minutes=3))
    match_actions.submit(match=match, by=first, scores=_scores(demo, match), at=done)
    if number == 3:
        match_actions.lapse(match=match, at=done + timedelta(minutes=6))
    else:
        match_actions.confirm(match=match, by=second, at=done + timedelta(minutes=1))


def _second_round(demo: Demo, evening: Evening, by_name: dict[str, int], now: datetime) -> None:
    """Create one match in each open state.

    They are paired by hand, so that the demo accounts have pending actions.
    """
    start = now - timedelta(minutes=34)
    waiting = set(
        evening.check_ins.filter(state=CheckIn.State.WAITING).values_list("member_id", flat=True)
    )
    made = []
    for one, other in TONIGHT:
        if {by_name[one], by_name[other]} <= waiting:
            made.append(
                pairing.pair_by_hand(
                    evening=evening,
                    first=demo.people[by_name[one]],
                    second=demo.people[by_name[other]],
                    reason="Table demandée par les deux joueurs.",
                    by=demo.arbiter,
                    at=start,
                )
            )
    for number, match in enumerate(made):
        _open_state(demo, match, number, now)
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
            at=now - timedelta(minutes=2),
        )


def _open_state(demo: Demo, match: Match, number: int, now: datetime) -> None:
    """Bring a match to an open state.

    Playing, to confirm, absence claimed, contested twice, and one more in play.
    """
    assert match.second_id is not None
    first, second = demo.player(match.first_id), demo.player(match.second_id)
    started = match.proposed_at + timedelta(minutes=3)
    if number == 3:
        match_actions.claim_absence(match=match, by=first, at=now - timedelta(minutes=1))
        return
    match_actions.start(match=match, by=first, at=started)
    if number == 1:
        match_actions.submit(match=match, by=second, scores=_scores(demo, match), at=now)
    elif number in (2, 4):
        scores = _scores(demo, match)
        match_actions.submit(match=match, by=first, scores=scores, at=now - timedelta(minutes=5))
        match_actions.contest(
            match=match,
            by=second,
            at=now - timedelta(minutes=3),
            subject=Contest.Subject.WRONG_SCORE,
            words="Mon dernier coup, 19 points, n’a pas été ajouté.",
            scores=(scores[0], scores[1] + 19),
        )


def _announce_next(demo: Demo, today: date, now: datetime) -> None:
    day = today + timedelta(days=7)
    ladder.announce_evening(
        organisation=demo.club,
        starts_at=datetime.combine(day, time(19, 30), tzinfo=demo.club.zone),
        by=demo.committee,
        at=now,
    )
