"""A club in which every address has a real object to show and every form something to change.

`furnish` says by name what fills the addresses and bodies of tests/permissions/access.py. Built once a
worker and put back as rows, once a module: each case starts from it and is rolled back.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import time_machine
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.db import connection
from django.test import Client
from PIL import Image

from api.tokens import actions as tokens
from api.webhooks import actions as webhooks
from api.webhooks.models import Delivery
from clubs.accounts.models import User
from clubs.journal import checks as journal_checks
from clubs.members import actions as members
from clubs.members import imports, pins
from clubs.members.actions import Newcomer
from clubs.members.invitations import actions as invitations
from clubs.members.models import Member, MemberImport
from clubs.members.models_access import PinTries
from clubs.notifications.models import Kind, PushChoices, PushNotice, PushSubscription
from clubs.organisations.models import Organisation
from clubs.personal_data.models import PrivacySettings
from clubs.persons import actions as persons
from clubs.persons.models import Alias, LicenceFile
from clubs.rulebooks import actions as rulebooks
from clubs.sanctions import actions as sanctions
from clubs.upkeep import jobs
from clubs.upkeep.models_jobs import Job
from pairings.absences.models import Absence
from pairings.arbitration import effects, opinions
from pairings.arbitration.models import Contest
from pairings.evenings.admission import guests, presence
from pairings.evenings.admission import screen_link as screen
from pairings.evenings.models import Evening
from pairings.exchange.formats import json as tournament_json
from pairings.matches import actions as match_actions
from pairings.matches import photos
from pairings.ranking import pdi_waivers
from pairings.rules.match_state import Result
from pairings.tournaments import actions as tournaments
from pairings.tournaments import closing as tournament_closing
from pairings.tournaments.files import kept
from pairings.tournaments.files.snapshot import photograph
from pairings.tournaments.models import Tournament
from pairings.tournaments.standings import sheet_of
from ratings.competitions import actions as competitions
from ratings.competitions import long_corrections
from ratings.competitions.files.headings import GAMES
from ratings.competitions.files.import_files import File
from ratings.editions import actions as editions
from ratings.handovers import actions as handovers
from ratings.handovers.documents import Competition
from ratings.ledger import corrections, origins, posting, settlement
from ratings.ledger.models import RatingList
from ratings.ledger.posting import Placement
from ratings.systems.protocol import Game
from tests.clubhouse import Clubhouse, make_club
from tests.kept import once_a_worker
from tests.tournament_day import make_tournament, play_round, publish, round_of

PIN = "7305"
# Being signed in is no datum of a club.
NOT_OURS = {"django_session"}
MINUTE = timedelta(minutes=1)


@dataclass
class Furnished:
    """`words` fill addresses and bodies; `owners` says whose a thing is, by the same name.

    `cookies` sign an account in; `rows` is the whole database, `theirs` the neighbours' part of it,
    `their_words` what the same words are in their club.
    """

    club: Clubhouse
    neighbours: Clubhouse
    words: dict[str, Any] = field(default_factory=dict)
    their_words: dict[str, Any] = field(default_factory=dict)
    owners: dict[str, User] = field(default_factory=dict)
    cookies: dict[int, str] = field(default_factory=dict)
    rows: frozenset[str] = frozenset()
    theirs: frozenset[str] = frozenset()
    photos: dict[str, bytes] = field(default_factory=dict)

    def own(self, name: str, value: Any, owner: Member) -> None:
        self.words[name] = value
        self.owners[name] = owner.user


def furnish() -> Furnished:
    """The two clubs, and the files that their rows name."""
    site = two_clubs()
    for name, content in site.photos.items():
        file = Path(settings.MEDIA_ROOT, "sheets", name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return site


@once_a_worker
def two_clubs() -> Furnished:
    """Two clubs with the same things: an act that forgets whose it is would touch both.

    `club.at` is the minute at which the first is looked at.
    """
    neighbours = _furnished(make_club("voisins", size=26))
    theirs = rows()
    site = _furnished(make_club("faizers", size=26))
    site.neighbours, site.their_words = neighbours.club, neighbours.words
    site.photos |= neighbours.photos
    with time_machine.travel(site.club.at, tick=False):  # a session is not older than its use
        for user in User.objects.order_by("pk"):
            client = Client()
            client.force_login(user, backend=settings.AUTHENTICATION_BACKENDS[-1])
            site.cookies[user.pk] = client.cookies.output(header="", sep=";")
    # Before now, so that another sign-in changes a row.
    User.objects.update(last_login=site.club.at - timedelta(hours=1))
    site.rows = rows()
    site.theirs = theirs & site.rows
    return site


def _furnished(club: Clubhouse) -> Furnished:
    site = Furnished(club, club)
    for part in (
        _last_week,
        _tonight,
        _decisions,
        _people,
        _lists,
        _tournaments,
        _hand_overs,
        _hooks,
        _own_things,
    ):
        part(site)
    return site


def rows() -> frozenset[str]:
    """Every row of every table of the database."""
    found = set()
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            if table not in NOT_OURS:
                cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
                found |= {f"{table} {row}" for row in cursor.fetchall()}
    return frozenset(found)


def _last_week(site: Furnished) -> None:
    """A closed evening: two groups level on points that the PDI parts, one of them decided."""
    club = site.club
    a, b, c, d, e, f, g, h, i = club.members[1:10]
    club.played(a, b, scores=(301, 300))
    club.played(a, c, scores=(200, 400))
    club.played(b, d, scores=(400, 200))
    club.played(e, f, scores=(301, 300))
    club.played(e, g, scores=(200, 400))
    club.played(f, h, scores=(400, 200))
    club.played(e, i, scores=(350, 340))
    club.played(f, i, scores=(350, 340))
    site.words |= {"last_week": club.evening.held_on.isoformat()}
    club.close()
    decided, open_ = pdi_waivers.groups(club.evening.season, None, at=club.at)[:2]
    waiver = pdi_waivers.ignore_pdi(
        group=decided, current=club.evening.season, reason="r", by=club.committee, at=club.at
    )
    club.publish_edition("Classement")
    site.words |= {"waiver": waiver.pk, "tie": open_.key}
    site.words |= {"slug": a.address, "other": b.address}


def _tonight(site: Furnished) -> None:
    """A running evening with a match in each state. Member 0 waits for an opponent."""
    club = site.club
    club.next_evening()
    start = club.at
    late, (first, _second) = club.match(club.members[9], club.members[10])
    club.at = start + 16 * MINUTE
    contested, (a, b) = club.entered(club.members[1], club.members[2])
    photo = BytesIO()
    Image.new("RGB", (40, 40)).save(photo, "PNG")
    photo.seek(0)
    name = photos.keep(photo)
    site.photos[name] = Path(settings.MEDIA_ROOT, "sheets", name).read_bytes()
    match_actions.contest(
        match=contested, by=b, at=club.at, words="faux", scores=(401, 350), photo=name
    )
    called, (c, _d) = club.match(club.members[3], club.members[4])
    entered, (e, f) = club.match(club.members[5], club.members[6])
    pins.set_pin(member=f.member, pin=PIN, by=f, at=club.at)
    match_actions.submit(match=entered, by=e, scores=(400, 350), at=club.at)
    over, _players = club.played(club.members[7], club.members[8], scores=(310, 300))
    missed, (absent, _here) = club.match(club.members[11], club.members[12])
    club.mark_absent(missed, "a", reason="parti")
    absence = Absence.objects.get(member=absent.member)
    for name, match, owner in (
        ("match", contested, a),
        ("called", called, c),
        ("late", late, first),
        ("entered", entered, e),
        ("to_confirm", entered, f),
        ("over", over, None),
    ):
        match.refresh_from_db()
        site.words |= {name: match.pk, f"{name}_version": match.version}
        if owner is not None:
            site.owners[name] = owner.user
    for name, match, result in (
        ("match", contested, Result("played", 400, 350)),
        ("over", over, Result("played", 311, 300)),
        ("called", called, Result("cancelled")),
    ):
        site.words |= {f"{name}_seen": effects.read_effect(match, result)[1]}
    site.own("absence", absence.pk, absent.member)
    site.words["absence_version"] = absence.version
    asked = guests.ask(evening=club.evening, first_name="Gus", last_name="", at=club.at)
    coming = club.announce(club.at + timedelta(days=7))
    given = screen.give(evening=club.evening, by=club.arbiter, at=club.at)
    site.words |= {
        "day": club.evening.held_on.isoformat(),
        "code": club.evening.door_code,
        "screen": screen.key_of(given),
        "guest_request": asked.pk,
        "next_week": coming.held_on.isoformat(),
        "season": club.evening.season_id,
        "contest": contested.contests.get().pk,
        "waiting": club.members[0].pk,
        "pin": PIN,
    }


def _decisions(site: Furnished) -> None:
    """A sanction proposed, another imposed that may be appealed."""
    club = site.club
    proposed, imposed = (
        sanctions.propose(member=member, trigger_key="x", grounds={}, by=club.committee, at=club.at)
        for member in club.members[13:15]
    )
    club.impose(imposed, "r", sessions=0, cut_percent=None)
    site.words["sanction"] = proposed.pk
    site.own("imposed", imposed.pk, imposed.member)


def _people(site: Furnished) -> None:
    """Somebody who asks, a guest, an invitation, files of members at each step."""
    club = site.club
    asked = invitations.ask_to_join(
        organisation=club.organisation,
        at=club.at,
        first_name="Nora",
        last_name="Neuf",
        email="nora@example.org",
    )
    guest = presence.welcome_guest(
        evening=club.evening, first_name="Gaspard", last_name="", by=club.arbiter, at=club.at
    ).member
    child = club.join("Lila", is_child=True, guardian_name="Ada", guardian_agreed_on=club.at.date())
    _invitation, token = club.invite(max_uses=3)
    draft = {
        "organisation": club.organisation,
        "file_name": "membres.csv",
        "rows": [["prénom", "nom"], ["Ada", "Neuve"]],
        "columns": {"first_name": 0, "last_name": 1},
        "created_at": club.at,
        "created_by": club.committee.user,
    }
    done = MemberImport.objects.create(**draft)
    imports.write(draft=done, by=club.committee, at=club.at)
    reader = club.members[0]
    elsewhere = UserSession.objects.create(
        user=reader.user, ip="192.0.2.1", session_key=f"{club.organisation.slug} elsewhere"
    )
    site.own("session", elsewhere.pk, reader)
    site.words |= {
        "request": asked.pk,
        "guest": guest.pk,
        "child": child.pk,
        "token": token,
        "member": club.members[20].pk,
        "number": club.members[20].number,
        "import": MemberImport.objects.create(
            **{**draft, "rows": [["prénom", "nom"], ["Zoé", "Autre"]]}
        ).pk,
        "imported": done.pk,
        "licences": LicenceFile.objects.create(
            organisation=club.organisation,
            file_name="licences.csv",
            rows=[["licence", "prénom"], ["A7", "B8"]],
            columns={"licence": 0, "first_name": 1},
            created_at=club.at,
            created_by=club.committee.user,
        ).pk,
    }


def _lists(site: Furnished) -> None:
    """A list with a game rated and published, competitions at each step, lists of other systems."""
    club = site.club
    organisation, by, at = club.organisation, club.committee, club.at
    held = settlement.list_of(organisation, "faizers", kind="essai")
    _rated(held, club, "p", days=9)
    editions.publish(organisation=organisation, rating_list=held, title="Liste", by=by, at=at)
    period = _rated(held, club, "q", days=5)
    waiting = settlement.open_period(
        rating_list=held, key="w", label="À calculer", held_on=at.date() - timedelta(days=2)
    )
    _game(waiting, club)
    draft = competitions.draft(
        rating_list=held,
        file=File(
            [
                ["joueur 1", "joueur 2", "résultat"],
                [str(club.members[0].number), str(club.members[1].number), "1"],
            ],
            "UTF-8",
        ),
        file_name="essai.csv",
        kind=GAMES,
        label="Essai",
        held_on=at.date(),
        facts={},
        by=by,
        at=at,
    )
    french, collective, shogi = (
        competitions.create_list(
            organisation=organisation,
            system=system,
            kind=kind,
            name=system,
            category="",
            by=by,
            at=at,
        )
        for system, kind in (("fisf", ""), ("romania", "duplicat_clasic"), ("fesa", ""))
    )
    start = settlement.open_period(
        rating_list=shogi,
        key="start",
        label="Départ",
        held_on=at.date(),
        kind=settlement.START,
        facts={"players": {str(club.members[0].pk): {"rating": 2460, "games": 60}}},
    )
    settlement.settle(period=start, by=by, at=at)
    handed = settlement.open_period(
        rating_list=shogi, key="handed", label="Transmise", held_on=at.date()
    )
    _game(handed, club)
    shogi.refresh_from_db()
    friendly = settlement.open_period(
        rating_list=held, key="amical", label="Amical", held_on=at.date(), kind="unofficial"
    )
    placings = settlement.open_period(
        rating_list=collective,
        key="s",
        label="Étape",
        held_on=at.date() - timedelta(days=3),
        facts={"list_kind": collective.kind},
    )
    _sheet(placings, club)
    settlement.settle(period=placings, by=by, at=at)
    adopted = rulebooks.save_draft(
        organisation=organisation,
        code="faizers",
        values={"cote": {"k_beginner": 39}},
        by=by,
        at=at,
    )
    rulebooks.adopt(
        draft=adopted,
        effective_from=at + timedelta(days=1),
        reason="r",
        voted_by="",
        by=by,
        at=at,
    )
    draft_rules = rulebooks.save_draft(
        organisation=organisation,
        code="faizers",
        values={"cote": {"k_beginner": 40}},
        by=by,
        at=at,
    )
    trial = jobs.ask(
        organisation=organisation,
        kind=Job.Kind.TRIAL,
        target_id=settlement.list_of(organisation, "faizers").pk,
        given={"draft": draft_rules.pk, "since": "2026-01-01"},
        by=by,
        at=at,
    )
    game = period.games.get()
    effect = long_corrections.ask(
        kind=Job.Kind.EFFECT,
        organisation=organisation,
        given=long_corrections.asked(corrections.remove_event(period), rating_list=held, back="/"),
        by=by,
        at=at,
    )
    jobs.work(effect.pk, clock=lambda: at)
    site.words |= {
        "liste": held.slug,
        "held": held.pk,
        "period": period.pk,
        "game": game.pk,
        "rated": game.first.address,
        "entry_change": game.first.ledger_entries.get(period=period).pk,
        "draft": draft.pk,
        "to_run": waiting.pk,
        "handed": handed.pk,
        "handed_member": club.members[6].number,
        "shogi_seen": shogi.version,
        "fisf": french.slug,
        "declared": _rated(french, club, "d", days=6).pk,
        "shogi": shogi.slug,
        "friendly": friendly.pk,
        "shogi_other": club.members[1].number,
        "shogi_member": club.members[0].number,
        "french": french.pk,
        "places": [m.number for m in club.members[15:17]],
        "collective": collective.slug,
        "sheet": placings.pk,
        "trial": trial.pk,
        "effect": effect.pk,
        "faizers": settlement.list_of(organisation, "faizers").pk,
        "double": club.members[24].number,
        "kept": club.members[25].number,
        "book": adopted.number,
    }


def _rated(held: RatingList, club: Clubhouse, key: str, *, days: int):
    period = settlement.open_period(
        rating_list=held, key=key, label="Tournoi", held_on=club.at.date() - timedelta(days=days)
    )
    _game(period, club)
    settlement.settle(period=period, by=club.committee, at=club.at)
    return period


def _game(period: Any, club: Clubhouse) -> None:
    one, other = club.members[6:8]
    posting.record_game(period=period, posting=Game("g", one.pk, other.pk, 2, 400, 300), at=club.at)


def _sheet(period: Any, club: Clubhouse) -> None:
    posting.record_placings(
        period=period,
        placings=[Placement(m.pk, n, {}, n) for n, m in enumerate(club.members[15:19], start=1)],
        at=club.at,
    )


def _tournaments(site: Furnished) -> None:
    """One that takes entries, one whose first round is published, one that is closed."""
    club = replace(site.club, members=site.club.members[15:23])
    by, at = club.committee, club.at
    coming = make_tournament(club, name="Open à venir")
    running = make_tournament(club, name="Open en cours", round_count=3)
    tournaments.freeze(tournament=running, by=by, at=at)
    closed = make_tournament(club, name="Open fini", round_count=1)
    tournaments.freeze(tournament=closed, by=by, at=at)
    play_round(club, closed, 1)
    closed.refresh_from_db()
    tournament_closing.close(tournament=closed, by=by, at=at)
    publish(club, running, 1)
    board = round_of(running, 1).matches.order_by("table_number").first()
    content = tournament_json.write(photograph(sheet_of(closed)))
    entry = running.entries.order_by("pk").first()
    site.own("open", running.slug, club.members[0])
    site.words |= {
        "coming": coming.slug,
        "closed": closed.slug,
        "entry": entry.pk,
        "coming_entry": coming.entries.order_by("pk").first().pk,
        "board": board.pk,
        "board_version": board.version,
        "tournament_json": content,
        "tournament_file": kept.keep(
            sheet=tournament_json.read(content),
            organisation=club.organisation,
            file_name="open.json",
            digest="0",
            by=by,
            at=at,
        ).pk,
        "free": site.club.members[0].pk,
    }


def _hand_overs(site: Furnished) -> None:
    """A league with which the club exchanges: one hand-over to answer, one corrected since."""
    club, by, at = site.club, site.club.committee, site.club.at
    slug = f"{club.organisation.slug}-ligue"
    league = Organisation.objects.create(slug=slug, name=slug, created_at=at)
    own = RatingList.objects.get(pk=site.words["french"])
    theirs = competitions.create_list(
        organisation=league, system="absp", kind="", name="Ligue", category="", by=by, at=at
    )
    pairs = [(club.organisation, theirs), (league, own)]
    for feeder, held in pairs:
        handovers.invite(club=feeder, lists=[held], federation=held.organisation, by=by, at=at)
    people = [Newcomer("Ana", "Pop"), Newcomer("Dan", "Ene")]
    one, other = members.create_outsiders(organisation=league, people=people, at=at)

    def sent(number: int, halves: int = 2) -> Any:
        game = Game(f"g{number}", one.pk, other.pk, halves)
        competition = Competition(
            league, origins.tournament(number), f"Tournoi {number}", at.date(), [game]
        )
        return handovers.hand_over(
            competition=competition,
            rating_list=own,
            facts={"official": True},
            tell=False,
            by=by,
            at=at,
        )

    waiting, corrected = sent(1), sent(2)
    draft = handovers.accept(handover=corrected, seen=0, by=by, at=at)
    period = competitions.bring(draft=draft, with_newcomers=True, by=by, at=at)
    settlement.settle(period=period, by=by, at=at)
    sent(2, 0)
    site.words |= {"handover": waiting.pk, "corrected": corrected.pk}
    others = Organisation.objects.exclude(pk__in=[club.organisation.pk, league.pk]).order_by("pk")
    site.words["uninvited"] = others.values_list("pk", flat=True).first() or 0
    lists = RatingList.objects.filter(organisation=club.organisation)
    site.words["lists_read"] = json.dumps({str(one.pk): one.version for one in lists})


def _hooks(site: Furnished) -> None:
    """An address that events are posted to, and one that was given up."""
    club, at = site.club, site.club.at
    webhook = webhooks.create(
        organisation=club.organisation,
        address="https://example.org/hook",
        events=["result.final"],
        by=club.committee,
        at=at,
    )
    delivery = Delivery.objects.create(
        webhook=webhook,
        seq=1,
        event="result.final",
        created_at=at,
        due_at=at,
        ended_at=at,
        state=Delivery.State.GIVEN_UP.value,
    )
    site.words |= {"webhook": webhook.pk, "delivery": delivery.pk}


def _own_things(site: Furnished) -> None:
    """What is of one member alone, of several; a person of the register, and what the club chose."""
    club, by, at = site.club, site.club.committee, site.club.at
    slug = club.organisation.slug
    for member in (*club.members[:2], club.members[23], by.member):
        name = f"{slug} {member.number}"
        player = club.player(member)
        given = {"name": name, "scopes": ("read",), "days": 30}
        token, _key = tokens.create(member=member, **given, by=player, at=at)
        site.words[f"token of {member.number}"] = token.pk
        PushSubscription.objects.create(
            member=member, endpoint=f"https://fcm.googleapis.com/{name}", created_at=at
        )
        PushChoices.objects.create(member=member, ruling=False)
        PushNotice.objects.create(
            member=member, kind=Kind.RULING.value, key="x", title=name, due_at=at, until=at + MINUTE
        )
        PinTries.objects.create(
            member=member, kind=PinTries.ADDRESS, source="x", day=at.date(), wrong_today=1
        )
    PrivacySettings.objects.create(
        organisation=club.organisation, controller=f"{slug} controller", guests_days=77
    )
    row, other = club.members[21:23]
    persons.edit_person(member=row, seen=0, changes={"licence": f"L-{slug}"}, by=by, at=at)
    persons.link_member(member=other, person=row, by=by, at=at)
    alias = {"name": f"alias {slug}", "chosen_at": at, "chosen_by": by.user}
    Alias.objects.create(organisation=club.organisation, member=row, **alias)
    contest = Contest.objects.get(pk=site.words["contest"])
    opinions.ask(contest=contest, words=f"{slug} opinion", by=by, at=at)
    journal_checks.check(club.organisation, at=at)


def end_tonight(site: Furnished) -> None:
    """Every match of the evening is over and the evening is closed."""
    club = site.club
    for match in club.evening.matches.open().order_by("pk"):
        decided = {"match": match, "reason": "r", "by": club.arbiter, "at": club.at}
        if match.status == "contested":
            match_actions.decide(
                result=Result("played", 400, 350), version=match.version, **decided
            )
        elif match.status == "submitted":
            other = Member.objects.of(club.organisation).get(user=site.owners["to_confirm"])
            match_actions.confirm(match=match, by=club.player(other), at=club.at)
        else:
            match_actions.cancel(**decided)
    club.close()


def open_demo(site: Furnished) -> None:
    """The club as seed_demo marks it, with the account of one of its people."""
    club = site.club
    Organisation.objects.filter(pk=club.organisation.pk).update(made_by_demo=True)
    User.objects.filter(pk=club.members[20].user.pk).update(email="amelie@demo.club")


def end_everything(site: Furnished) -> None:
    """Nothing is announced or in progress, so that the club may be closed."""
    evenings = Evening.objects.of(site.club.organisation).exclude(state=Evening.State.CLOSED)
    evenings.update(state=Evening.State.CANCELLED)
    Tournament.objects.of(site.club.organisation).update(state=Tournament.State.CANCELLED)


PREPARED = {"publish": end_tonight, "demo_sign_in": open_demo, "close": end_everything}
"""What must have happened before an address has something to do, by its name."""
