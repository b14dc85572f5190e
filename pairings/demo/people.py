"""The people of the demo club: members, strengths, accounts, roles."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from allauth.account.models import EmailAddress
from django.contrib.auth.hashers import make_password

from clubs.accounts.actor import ARBITER, COMMITTEE, PLAYER, Actor
from clubs.accounts.models import User
from clubs.members import actions as members
from clubs.members.models import Member, RoleGrant
from clubs.organisations.models import Organisation
from clubs.search import without_accents

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


def starting_cote(member: Member) -> int:
    name = member.first_name, member.last_name
    return next(cote for first, last, _plays, cote in PEOPLE if (first, last) == name)


def accounts() -> Iterator[tuple[str, str, str]]:
    """Return (e-mail, password, role) of the accounts that a visitor may try."""
    for name, role in ACCOUNTS:
        yield f"{name}@{DOMAIN}", PASSWORD, role


def create_people(club: Organisation, joined: date, dice: random.Random) -> Demo:
    at = datetime.combine(joined, time(10), tzinfo=club.zone)
    hashed = make_password(PASSWORD)
    system = Actor.system("demo")
    people: dict[int, Member] = {}
    strength: dict[int, int] = {}
    by_name: dict[tuple[str, str], Member] = {}
    for first, last, plays, _cote in PEOPLE:
        member = members.create(
            organisation=club,
            first_name=first,
            last_name=last,
            by=system,
            at=at,
            joined_on=joined - timedelta(days=dice.randrange(0, 900)),
            visibility=Member.MEMBERS if first == "Zoé" else Member.EVERYBODY,
        )
        mail_name = without_accents(first).replace(" ", "-")
        account = User(email=f"{mail_name}@{DOMAIN}", password=hashed)
        account.save()
        EmailAddress.objects.create(user=account, email=account.email, verified=True, primary=True)
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
