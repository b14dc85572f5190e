"""The demo federation: four kinds of lists filled by seasons from a seeded generator.

Every competition is imported like a file, through the officer's own actions; the worked example of
000 §7 is one of them, in a list of its own, to be read line by line.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from django.utils import translation

from clubs.accounts.actor import COMMITTEE, Actor
from clubs.accounts.models import User
from clubs.members import actions as members
from clubs.members.models import Member, RoleGrant
from clubs.organisations.models import Organisation
from clubs.rulebooks import actions as rulebooks
from clubs.upkeep import jobs
from clubs.upkeep.models_jobs import Job
from ratings.competitions import actions as competitions
from ratings.competitions.files.headings import GAMES, PLACINGS, STARTS
from ratings.competitions.files.import_files import File
from ratings.editions import actions as editions
from ratings.ledger import settlement
from ratings.ledger.models import Period, RatingList
from ratings.systems.romania.kinds import COLLECTIVE
from ratings.systems.romania.system import Romania

SEED = 20190901

# first name, last name, strength at words, strength at shogi (0: does not play)
PEOPLE = (
    ("Antonin", "Michel", 1985, 0),
    ("Nigel", "Ricardo", 1960, 0),
    ("Brigitte", "Saint-Léger", 1905, 0),
    ("Dragoș", "Ionescu", 1890, 1240),
    ("Mădălina", "Țurcanu", 1845, 0),
    ("Étienne", "Le Goff", 1820, 1710),
    ("Aïcha", "Ben Saïd", 1790, 0),
    ("Corneliu", "Bădescu", 1775, 980),
    ("Ilinca", "Șoimaru", 1740, 0),
    ("Luc", "Maurin", 1725, 0),
    ("Geneviève", "Œuvrard", 1690, 0),
    ("Răzvan", "Crăciun", 1680, 1530),
    ("Françoise", "Dubois-Lacroix", 1650, 0),
    ("Octavian", "Mocanu", 1630, 0),
    ("Yuki", "Moreau", 1600, 1905),
    ("Sorina", "Grădinaru", 1590, 0),
    ("Pierre-Yves", "Noël", 1560, 1340),
    ("Andreea", "Vlăduț", 1545, 0),
    ("Hervé", "Bohbot", 1520, 0),
    ("Teodora", "Pârvu", 1500, 860),
    ("Raphaël", "Ançel", 1480, 1120),
    ("Zsófia", "Kiss", 1470, 0),
    ("Claire", "Jégou", 1450, 0),
    ("Ștefania", "Ciobanu", 1440, 0),
    ("Marc", "Théolin", 1425, 2060),
    ("Bogdan", "Lăzărescu", 1420, 1440),
    ("Solène", "Kerbrat", 1410, 0),
    ("Vasile", "Șerbănescu", 1405, 0),
)
EXAMPLE = (
    ("J0", 1700, 30),
    ("J1", 1900, 40),
    ("J2", 1950, 60),
    ("J3", 1550, 10),
    ("J4", 1600, 25),
    ("J5", 1700, 30),
)
EXAMPLE_ROUNDS = (("J1", "0"), ("J2", "1"), ("J3", "1"), ("J4", "0"), ("J5", "1"))
TOWNS = ("Cannes", "Namur", "Bruxelles", "Cluj", "Iași", "La Rochelle", "Genève", "Brașov")


@dataclass(frozen=True, slots=True)
class Maker:
    """The federation being created: who acts, how strong each player is, and the random source."""

    organisation: Organisation
    officer: Actor
    people: Sequence[tuple[Member, int, int]]
    dice: random.Random
    most: int
    """The most competitions of one list."""

    def at(self, day: date, hour: int = 18) -> datetime:
        return datetime.combine(day, time(hour), tzinfo=self.organisation.zone)


def build(*, now: datetime, officer: User, most: int = 12) -> Organisation:
    """Create the federation. Call it in a transaction, so that it is created whole or not at all.

    `most`: the most competitions of one list.
    """
    organisation = Organisation.objects.create(
        slug="federation",
        name="Fédération de démonstration",
        kind=Organisation.FEDERATION,
        place="Aix-les-Bains",
        created_at=now - timedelta(days=1100),
        made_by_demo=True,
    )
    today = now.astimezone(organisation.zone).date()
    maker = _people(organisation, today - timedelta(days=1000), officer, most)
    fisf = _fisf(maker, today)
    _example(maker, today - timedelta(days=700))
    _romania(maker, today)
    _libere(maker, today)
    fesa = _fesa(maker, today)
    for rating_list in (fisf, fesa):
        _publish(maker, rating_list, today)
    _waiting(maker, fisf, today)
    return organisation


def _people(organisation: Organisation, joined: date, officer: User, most: int) -> Maker:
    at = datetime.combine(joined, time(10), tzinfo=organisation.zone)
    system = Actor.system("demo")
    people = []
    for first, last, words, shogi in PEOPLE:
        member = members.create(
            organisation=organisation,
            first_name=first,
            last_name=last,
            by=system,
            at=at,
            joined_on=joined,
        )
        people.append((member, words, shogi))
    head = members.create(
        organisation=organisation,
        first_name="Hélène",
        last_name="D’Arcy",
        by=system,
        at=at,
        joined_on=joined,
    )
    members.link_account(member=head, user=officer, by=system, at=at)
    members.grant(member=head, role=RoleGrant.COMMITTEE, by=system, at=at)
    acting = Actor(officer, head, COMMITTEE, "demo")
    return Maker(organisation, acting, people, random.Random(SEED), most)


def _list(
    maker: Maker, system: str, name: str, day: date, *, kind: str = "", category: str = ""
) -> RatingList:
    return competitions.create_list(
        organisation=maker.organisation,
        system=system,
        kind=kind,
        name=name,
        category=category,
        by=maker.officer,
        at=maker.at(day, 9),
    )


def _bring(
    maker: Maker,
    rating_list: RatingList,
    kind: str,
    label: str,
    day: date,
    rows: list[list[str]],
    *,
    facts: dict[str, object] | None = None,
    newcomers: bool = False,
) -> Period:
    at = maker.at(day)
    draft = competitions.draft(
        rating_list=rating_list,
        file=File(rows, "UTF-8"),
        file_name="demo.csv",
        kind=kind,
        label=label,
        held_on=day,
        facts=facts or {},
        by=maker.officer,
        at=at,
    )
    return competitions.bring(draft=draft, with_newcomers=newcomers, by=maker.officer, at=at)


def _rate(maker: Maker, period: Period) -> None:
    settlement.settle(period=period, by=maker.officer, at=maker.at(period.held_on, 21))


def _starts(
    maker: Maker,
    rating_list: RatingList,
    day: date,
    rows: Sequence[Sequence[object]],
    head: Sequence[str],
) -> None:
    table = [list(head), *([str(cell) for cell in row] for row in rows)]
    _rate(maker, _bring(maker, rating_list, STARTS, "Cotes de départ", day, table, newcomers=True))


def _round(
    maker: Maker, players: Sequence[tuple[Member, int]], met: set[frozenset[int]]
) -> list[tuple[Member, Member, bool]]:
    """Return one round: players of near strength (with noise) who have not met, and who won."""
    free = sorted(players, key=lambda one: -one[1] - maker.dice.gauss(0, 150))
    pairs = []
    while len(free) > 1:
        first = free.pop(0)
        other = next(
            (one for one in free if frozenset((one[0].pk, first[0].pk)) not in met), free[0]
        )
        free.remove(other)
        met.add(frozenset((first[0].pk, other[0].pk)))
        chance = 1 / (1 + math.pow(10, (other[1] - first[1]) / 400))
        pairs.append((first[0], other[0], maker.dice.random() < chance))
    return pairs


def _tournament(
    maker: Maker, players: Sequence[tuple[Member, int]], rounds: int, *, scores: bool = True
) -> list[list[str]]:
    """Return a file of games as tournament software writes it."""
    rows = [["ronde", "joueur 1", "joueur 2", "résultat", "score 1", "score 2"]]
    met: set[frozenset[int]] = set()
    for number in range(1, rounds + 1):
        for first, other, won in _round(maker, players, met):
            high = maker.dice.randrange(360, 520)
            low = high - maker.dice.randrange(1, 140)
            score, theirs = (high, low) if won else (low, high)
            cells = [str(score), str(theirs)] if scores else ["", ""]
            rows.append([str(number), str(first), str(other), "1" if won else "0", *cells])
    return rows


def _fisf(maker: Maker, today: date) -> RatingList:
    """Create three seasons of tournaments, with the yearly starting cotes first."""
    begin = today - timedelta(days=980)
    rating_list = _list(maker, "fisf", "Classement international Classique", begin)
    known = [(m, words) for m, words, _shogi in maker.people]
    starts = [
        (m, max(1400, min(1950, words + maker.dice.randrange(-120, 90))), 0)
        for m, words in known[:24]
    ]
    _starts(maker, rating_list, begin, starts, ("joueur", "cote", "parties"))
    for number in range(min(12, maker.most)):
        day = begin + timedelta(days=20 + 78 * number)
        field = maker.dice.sample(known[:26], 16)
        rows = _tournament(maker, field, 7)
        label = f"Tournoi homologué de {TOWNS[number % len(TOWNS)]}"
        _rate(maker, _bring(maker, rating_list, GAMES, label, day, rows))
    return rating_list


def _waiting(maker: Maker, rating_list: RatingList, today: date) -> None:
    """Create one competition brought in and not yet rated: the officer's next task."""
    field = maker.dice.sample([(m, words) for m, words, _s in maker.people[:26]], 12)
    rows = _tournament(maker, field, 5)
    _bring(maker, rating_list, GAMES, "Coupe d’automne", today - timedelta(days=3), rows)


def _example(maker: Maker, day: date) -> None:
    """Create the worked example of 000 §7, exactly: five rounds of J0."""
    rating_list = _list(maker, "fisf", "Exemple du document (FISF §7)", day, category="exemple")
    rows = [(f"Joueur {name}", cote, games) for name, cote, games in EXAMPLE]
    _starts(maker, rating_list, day, rows, ("joueur", "cote", "parties"))
    games = [["ronde", "joueur 1", "joueur 2", "résultat"]]
    for number, (opponent, result) in enumerate(EXAMPLE_ROUNDS, start=1):
        games.append([str(number), "Joueur J0", f"Joueur {opponent}", result])
    label = "Le classement par l’exemple"
    _rate(maker, _bring(maker, rating_list, GAMES, label, day + timedelta(days=7), games))


def _romania(maker: Maker, today: date) -> None:
    """Create five collective types over two years for seniors, and one type for the youth."""
    begin = today - timedelta(days=730)
    wanted = [(kind, "seniors", 9) for kind in COLLECTIVE] + [("duplicat_clasic", "tineret", 4)]
    for kind, category, games in wanted:
        name = f"{Romania.kinds[kind][0]}, {category}"
        rating_list = _list(maker, "romania", name, begin, kind=kind, category=category)
        people = maker.people[3:27] if category == "seniors" else maker.people[-9:]
        for number in range(1, min(games, maker.most) + 1):
            day = begin + timedelta(days=700 * number // (games + 1))
            size = maker.dice.randrange(7, min(19, len(people)))
            field = sorted(
                maker.dice.sample(list(people), size),
                key=lambda one: -one[1] - maker.dice.gauss(0, 180),
            )
            rows = [["place", "joueur"]]
            rows += [[str(place), str(one[0])] for place, one in enumerate(field, start=1)]
            if number % 3 == 0:
                rows[3][0] = rows[2][0]
            label = f"CNIS, partida {number}"
            _rate(maker, _bring(maker, rating_list, PLACINGS, label, day, rows))


def _libere(maker: Maker, today: date) -> None:
    """Create games one against one, rated as the ABSP does."""
    begin = today - timedelta(days=600)
    rating_list = _list(maker, "absp", "Libere", begin)
    people = [(m, words) for m, words, _shogi in maker.people[2:26]]
    starts = [(m, 60 + (words - 1400) // 5, 30) for m, words in people[:10]]
    _starts(maker, rating_list, begin, starts, ("joueur", "cote", "parties"))
    for number in range(min(5, maker.most)):
        day = begin + timedelta(days=30 + 110 * number)
        rows = _tournament(maker, maker.dice.sample(people, 14), 6)
        label = f"Cupa României {TOWNS[(number + 3) % len(TOWNS)]}"
        _rate(maker, _bring(maker, rating_list, GAMES, label, day, rows))


def _fesa(maker: Maker, today: date) -> RatingList:
    """Create shogi tables: rated players, newcomers, one with an accepted grade."""
    begin = today - timedelta(days=700)
    rating_list = _list(maker, "fesa", "Elo shogi", begin)
    people = [(m, shogi) for m, _words, shogi in maker.people if shogi]
    starts = [
        (m, shogi + maker.dice.randrange(-60, 60), 40, grade_near(shogi), 12)
        for m, shogi in people[:8]
    ]
    _starts(maker, rating_list, begin, starts, ("joueur", "elo", "parties", "grade", "bonus"))
    facts: dict[str, object] = {"minutes": 30, "byoyomi": 30, "arbiter": "A. Olufsen"}
    for number in range(min(7, maker.most)):
        day = begin + timedelta(days=40 + 90 * number)
        field = people[:8] if number < 2 else people
        event_facts = dict(facts)
        if number == 2:
            graded = next(m for m, _w, shogi in maker.people if shogi == 2060)
            event_facts["named"] = {"accepted": [[str(graded), "3 Dan", "Nihon Shogi Renmei"]]}
        rows = _tournament(maker, field, 6, scores=False)
        label = f"Open de shogi de {TOWNS[number % len(TOWNS)]}"
        _rate(maker, _bring(maker, rating_list, GAMES, label, day, rows, facts=event_facts))
    return rating_list


def grade_near(elo: int) -> str:
    """Return a plausible grade for an Elo: the one whose band holds it."""
    from ratings.systems.fesa.grades import GRADES

    return next((row[0] for row in reversed(GRADES) if elo >= row[1]), "")


def _publish(maker: Maker, rating_list: RatingList, today: date) -> None:
    proposal = editions.propose(maker.organisation, rating_list, today=today)
    if proposal is None:
        return
    editions.publish(
        organisation=maker.organisation,
        rating_list=rating_list,
        title=proposal.title,
        note="",
        by=maker.officer,
        at=maker.at(today - timedelta(days=8), 12),
    )


def try_a_draft(club: Organisation, officer: User, *, now: datetime) -> None:
    """Create a draft with a greater K, simulated on the past year and not adopted."""
    member = Member.objects.get(organisation=club, user=officer)
    by = Actor(officer, member, COMMITTEE, "demo")
    ladder = settlement.list_of(club, rulebooks.LADDER)
    base = rulebooks.in_force(club, rulebooks.LADDER, now)
    values = dict(base.values) if base is not None else {}
    values["cote"] = {**values.get("cote", {}), "k_beginner": 40}
    draft = rulebooks.save_draft(
        organisation=club, code=rulebooks.LADDER, values=values, by=by, at=now
    )
    since = (now.astimezone(club.zone) - timedelta(days=365)).date().isoformat()
    run = Job.objects.create(
        organisation=club,
        kind=Job.Kind.TRIAL,
        target_id=ladder.pk,
        given={"draft": draft.pk, "since": since},
        language=translation.get_language() or "fr",
        asked_at=now,
        asked_by=officer,
        asked_as=COMMITTEE,
    )
    jobs.work(run.pk, clock=lambda: now)
