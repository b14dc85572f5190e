"""Nothing that a reader can fetch shows more of a person than that person chose."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace

import pytest
import time_machine
from django.core.cache import cache
from django.test import Client
from django.urls import NoReverseMatch, reverse

from clubs.accounts.models import User
from clubs.members import actions as members
from clubs.members import pins
from clubs.members.models import PUBLIC_ID_LETTERS, Member
from clubs.upkeep.models_jobs import Job
from pairings.evenings.views.public import wall_names
from pairings.live import stream as live
from pairings.live.models import LiveEvent
from pairings.players import merging
from pairings.tournaments import closing as tournament_closing
from ratings.ledger import settlement
from ratings.ledger.models import LedgerEntry
from ratings.systems.protocol import Game
from tests import tournament_day
from tests.api.keys import key_of
from tests.clubhouse import make_club
from tests.kept import once_a_worker
from tests.permissions.access import addresses
from tests.privacy.site_crawl import Crawl
from tests.tournament_day import frozen, play_round

pytestmark = pytest.mark.django_db
ROOT = "/c/canaris/"
MAIL = "@canari.example"
# place among the players → first name, family name, number, choice, minor
CANARIES = {
    1: ("Ouverte", "Canarilibre", 771001, Member.EVERYBODY, False),
    2: ("Zazoune", "Fayocanari", 771002, Member.INITIALS, False),
    3: ("Xenofa", "Bulbucanari", 771003, Member.MEMBERS, False),
    4: ("Petitou", "Mineurocanari", 771004, Member.EVERYBODY, True),
    5: ("Cachou", "Discretocanari", 771005, Member.INITIALS, True),
    6: ("Partine", "Ailleurocanari", 771006, Member.MEMBERS, False),
}
STRANGERS_MAY_NOT_READ = [
    *("zazoune", "fayocanari", "771002"),
    *("xenofa", "bulbucanari", "771003"),
    *("mineurocanari", "petitou mi", "771004"),
    *("cachou", "discretocanari", "771005"),
    *("partine", "ailleurocanari", "771006"),
    MAIL,
]
FELLOWS_MAY_NOT_READ = ["fayocanari", "771002", "discretocanari", "771005", MAIL]


def rated_list(club):
    """A rating list with a game of each canary, published."""
    held = settlement.list_of(club.organisation, "faizers", kind="essai")
    period = settlement.open_period(
        rating_list=held, key="p", label="Tournoi", held_on=club.at.date() - timedelta(days=9)
    )
    people = club.members
    for number, (one, other) in enumerate([(2, 3), (4, 5), (6, 1), (2, 1), (3, 0)]):
        posting = Game(f"g{number}", people[one].pk, people[other].pk, 2, 400, 300)
        settlement.record_game(period=period, posting=posting, at=club.at)
    settlement.settle(period=period, by=club.committee, at=club.at)
    club.publish_edition("Publication", rating_list=held)
    return held, period


def name_canaries(club):
    """Names, numbers and addresses as a file of members brings them, old addresses included."""
    for place, (first, last, number, _choice, _minor) in CANARIES.items():
        member = club.members[place]
        changes = {"first_name": first, "last_name": last, "email": f"{number}{MAIL}"}
        club.edit(member, changes)
        Member.objects.filter(pk=member.pk).update(
            number=number,
            slug=f"{first}-{last}".lower(),
            guardian_email=f"parent-{number}{MAIL}",
        )
        member.refresh_from_db()


def guest_named_like(club, member) -> Member:
    """Somebody who played as a guest, under their whole name, before they were a member."""
    guest = club.join(member.first_name, member.last_name, is_guest=True, by=club.arbiter)
    club.check_in(guest)
    return guest


def let_them_choose(club):
    for place, (_first, _last, _number, choice, minor) in CANARIES.items():
        member = club.members[place]
        changes = {"visibility": choice, "is_minor": minor}
        club.edit(member, changes)
        member.refresh_from_db()
    gone = club.members[6]
    members.leave(member=gone, by=club.player(gone), at=club.at, forget=False)


def trial_of(club):
    """A simulation that waits for its worker."""
    draft = club.draft_rules({"cote": {"k_beginner": 40}})
    return club.ask(
        Job.Kind.TRIAL,
        settlement.list_of(club.organisation, "faizers").pk,
        given={"draft": draft.pk, "since": "2026-01-01"},
    )


@once_a_worker
def canary_club():
    """A club where five members show less than their name, with everything a club publishes.

    A first edition is published while all of them show everything: they choose after it.
    """
    club = make_club("canaris", size=10)
    name_canaries(club)
    people = club.members
    for one, other, scores in [
        (0, 2, (400, 380)),
        (1, 3, (410, 300)),
        (4, 5, (350, 420)),
        (6, 7, (390, 310)),
    ]:
        club.played(people[one], people[other], scores=scores)
    guest = guest_named_like(club, people[2])
    club.played(guest, people[8], scores=(360, 340))
    club.close()
    first_day = club.evening.held_on.isoformat()
    club.publish_edition("Publication")
    merging.unite(
        guest=guest, into=people[2], reason="Même personne", by=club.committee, at=club.at
    )
    held, period = rated_list(club)
    over = frozen(club, name="Coupe", round_count=1)
    play_round(club, over, 1)
    tournament_closing.close(tournament=over, by=club.committee, at=club.at)
    open_ = frozen(club, round_count=2)
    play_round(club, open_, 1)
    tournament_day.play(club, tournament_day.publish(club, open_, 2))
    let_them_choose(club)
    club.next_evening()
    contested, _players = club.contested(people[0], people[2])
    club.played(people[3], people[4], scores=(420, 300))
    club.match(people[5], people[1])
    club.words = {
        "open": open_.slug,
        "entry": open_.entries.order_by("pk").first().pk,
        "code": club.evening.door_code,
        "match": contested.pk,
        "day": club.evening.held_on.isoformat(),
        "contest": contested.contests.get().pk,
        "token": "no-such-token",
        "number": people[1].number,
        "member": people[2].pk,
        "liste": held.slug,
        "period": period.pk,
        "game": period.games.order_by("pk").first().pk,
        "draft": 1,
        "trial": trial_of(club).pk,
    }
    club.more = [{"day": first_day}, {"open": over.slug}]
    return club


@pytest.fixture
def house(db, settings):
    settings.ALLOWED_HOSTS = ["testserver"]
    club = canary_club()
    cache.clear()
    with time_machine.travel(club.at + timedelta(minutes=1), tick=False):
        yield club


def every_address(club):
    """Each named address, once for each person, by the address in use and by the id alone."""
    people = [member for place, member in enumerate(club.members) if place in CANARIES]
    for person in people:
        entry = LedgerEntry.objects.filter(member=person).order_by("pk").last()
        for name in (person.address, person.public_id):
            for more in ({}, *club.more):
                yield from _filled({**club.words, **more, "person": name}, person, entry)


def _filled(words, person, entry):
    given = {
        **words,
        "match_id": words["match"],
        "entry_id": words["entry"],
        "contest_id": words["contest"],
        "member_id": words["member"],
        "period_id": words["period"],
        "game_id": words["game"],
        "draft_id": words["draft"],
        "run_id": words["trial"],
        "into_id": words["member"],
        "slug": words["person"],
        "rated": words["person"],
        "other": words["person"],
    }
    for namespace, name, arguments in addresses():
        filled = {key: given.get(value, given.get(key, value)) for key, value in arguments.items()}
        if name == "number":
            filled = {"number": given["number"]}
        if "entry_id" in filled and entry is not None and name == "change":
            filled["entry_id"] = entry.pk
        try:
            yield ROOT + reverse(f"{namespace}:{name}", kwargs=filled)[1:]
        except NoReverseMatch:  # an address of an object that this club has none of
            filled = {key: value if key == "slug" else 1 for key, value in filled.items()}
            yield ROOT + reverse(f"{namespace}:{name}", kwargs=filled)[1:]


def crawl(club, client, *, whole: bool = True) -> Crawl:
    starts = [ROOT, *(sorted(set(every_address(club))) if whole else ())]
    return Crawl(client, ROOT).read(starts)


def assert_hidden(found: Crawl, forbidden):
    leaks = {word: where for word in forbidden if (where := found.finding(word))}
    assert {word: where[:5] for word, where in leaks.items()} == {}


def readers(club, as_user):
    neighbours = make_club("ailleurs", size=2)
    return SimpleNamespace(
        visitor=as_user(None),
        neighbour=as_user(neighbours.members[0].user),
        clubless=as_user(User.objects.create_user("seule@example.org")),
        fellow=as_user(club.members[0].user),
    )


# Which names a page prints is decided above the database: one crawl of each is enough.
@pytest.mark.only_on("sqlite")
@pytest.mark.parametrize("reader", ["visitor", "neighbour", "clubless"])
def test_a_stranger_reads_nothing_of_a_person_beyond_their_choice(house, as_user, reader):
    found = crawl(house, getattr(readers(house, as_user), reader))
    assert_hidden(found, STRANGERS_MAY_NOT_READ)
    opened = [address for address, status in found.status.items() if status == 200]
    assert len(opened) > 100
    kinds = "text/html application/pdf text/csv application/json text/calendar"
    assert set(kinds.split()) <= found.kinds.keys()
    assert any("spreadsheetml" in kind for kind in found.kinds)
    assert len(found.finding("Ouverte Canarilibre")) > 30
    assert len(found.finding("Z.F.")) > 10
    assert len(found.finding("Petitou M.")) > 10
    players = [address for address in found.source if "/joueurs/" in address]
    assert len(players) > 5
    closed = {a: found.source[a] for a in players if found.status.get(a) == 404}
    closed = {a: page for a, page in closed.items() if found.status[page] == 200}
    assert closed == {}, "a link leads to a page that this reader may not open"


@pytest.mark.only_on("sqlite")
def test_a_fellow_member_reads_initials_and_numbers_no_further(house, as_user):
    found = crawl(house, readers(house, as_user).fellow)
    assert_hidden(found, FELLOWS_MAY_NOT_READ)
    assert len(found.finding("Xenofa Bulbucanari")) > 30
    assert len(found.finding("Zazoune F.")) > 10


def test_an_address_with_a_hidden_name_answers_as_if_there_were_nobody(house, as_user):
    reader = readers(house, as_user)
    for browser in (reader.visitor, reader.neighbour):
        for place in (2, 3, 4, 5, 6):
            member = house.members[place]
            for tail in ("", "ce-soir/", f"contre/{house.members[0].address}/"):
                guessed = browser.get(f"{ROOT}joueurs/{member.slug}/{tail}")
                nobody = browser.get(f"{ROOT}joueurs/personne-du-tout/{tail}")
                assert guessed.status_code == nobody.status_code == 404, (place, tail)
                said = guessed.content.decode().replace(member.slug, "personne-du-tout")
                assert len(said) == len(nobody.content.decode()), (place, tail)


def test_an_old_address_leads_whoever_may_see_the_name_to_the_new_one(house, as_user):
    reader = readers(house, as_user)
    open_, within, hidden = (house.members[place] for place in (1, 3, 2))
    assert open_.address == f"{open_.public_id}-ouverte-canarilibre"
    assert within.address == within.public_id
    for browser in (reader.visitor, reader.neighbour, reader.fellow):
        for query in ("", "?liste=cote&page=2"):
            moved = browser.get(f"{ROOT}joueurs/{open_.slug}/{query}")
            assert moved.status_code == 302
            assert moved["Location"] == f"{ROOT}joueurs/{open_.address}/{query}"
    moved = reader.fellow.get(f"{ROOT}joueurs/{within.slug}/")
    assert (moved.status_code, moved["Location"]) == (302, f"{ROOT}joueurs/{within.public_id}/")
    assert reader.fellow.get(f"{ROOT}joueurs/{hidden.slug}/").status_code == 404


def test_the_id_alone_finds_a_player_and_any_tail_is_redirected(house, as_user):
    visitor, member = as_user(None), house.members[1]
    right = f"{ROOT}joueurs/{member.address}/"
    assert visitor.get(right).status_code == 200
    for tail in ("", "-autre-nom", "-ouverte"):
        moved = visitor.get(f"{ROOT}joueurs/{member.public_id}{tail}/?x=1")
        assert (moved.status_code, moved["Location"]) == (302, f"{right}?x=1")
    entry = LedgerEntry.objects.filter(member=member).first()
    moved = visitor.get(f"{ROOT}joueurs/{member.public_id}/cote/{entry.pk}/")
    assert moved["Location"] == f"{right}cote/{entry.pk}/"
    assert visitor.get(moved["Location"]).status_code == 200


def test_the_number_of_a_card_tells_a_stranger_nothing_and_a_member_the_way(house, as_user):
    reader = readers(house, as_user)
    for place in (2, 3, 5):
        hidden = house.members[place]
        told = reader.visitor.get(f"{ROOT}j/{hidden.number}/")
        nobody = reader.visitor.get(f"{ROOT}j/779999/")
        assert told.status_code == nobody.status_code == 404
        assert len(told.content) == len(nobody.content)
        way = reader.fellow.get(f"{ROOT}j/{hidden.number}/")
        assert way["Location"] == f"{ROOT}joueurs/{hidden.public_id}/"
        assert reader.fellow.get(way["Location"]).status_code == 200
    seen = reader.visitor.get(f"{ROOT}j/{house.members[1].number}/")
    assert seen["Location"] == f"{ROOT}joueurs/{house.members[1].address}/"


def test_the_door_still_checks_a_hidden_member_in_by_the_cards_number(house, as_user):
    member = house.members[2]
    day = house.words["day"]
    desk = as_user(house.arbiter.user)
    found = desk.get(f"{ROOT}soirees/{day}/accueil/", {"q": str(member.number)})
    assert "Zazoune Fayocanari" in found.content.decode()
    pins.set_pin(member=member, pin="4711", by=house.player(member), at=house.at)
    typed = {"number": str(member.number), "pin": "4711"}
    arrived = as_user(None).post(f"{ROOT}s/{house.evening.door_code}/", typed)
    assert arrived.status_code == 302


SEARCHES = ["joueurs/", "classement/", "classement/?etat=publie", "cotes/faizers-essai/"]


def test_a_search_finds_a_person_only_by_what_they_show(house, as_user):
    reader = readers(house, as_user)
    for where in SEARCHES:
        check_search(reader, where)


def check_search(reader, where):

    def lines(browser, words):
        page = browser.get(f"{ROOT}{where}{'&' if '?' in where else '?'}q={words}")
        assert page.status_code == 200
        return page.content.decode()

    for words in ("fayo", "zazoune", "771002"):
        assert "Z.F." not in lines(reader.visitor, words), words
    for words in ("bulbu", "xenofa", "771003"):
        assert "X.B." not in lines(reader.visitor, words), words
    for words in ("mineuro", "771004", "petitou mi"):
        assert "Petitou M." not in lines(reader.visitor, words), words
    assert "Petitou M." in lines(reader.visitor, "petitou")
    assert "Ouverte Canarilibre" in lines(reader.visitor, "canari")
    for words in ("fayo", "771002"):
        assert "Zazoune F." not in lines(reader.fellow, words), words
    if "etat" not in where:  # an edition prints the names that everybody may read
        assert "Zazoune F." in lines(reader.fellow, "zazoune f")
        assert "Xenofa Bulbucanari" in lines(reader.fellow, "bulbu")


def test_the_walls_print_what_a_visitor_may_read_whoever_is_signed_in(house, as_user):
    day, open_ = house.words["day"], house.words["open"]
    walls = [
        f"soirees/{day}/ecran/",
        *(f"tournois/{open_}/ecran/?vue={one}" for one in ("tables", "noms", "classement")),
    ]
    for user in (None, house.members[0].user, house.arbiter.user):
        for wall in walls:
            words = as_user(user).get(f"{ROOT}{wall}").content.decode()
            assert "Ouverte C." in words and "Z.F." in words and "X.B." in words, wall
            for hidden in ("Zazoune", "Xenofa", "Cachou", "Petitou Mi"):
                assert hidden not in words, (wall, hidden)


def test_two_of_the_same_short_name_get_letters_only_of_names_that_all_may_read(house, as_user):
    for place in (7, 8):
        changes = {"first_name": "Ouverte", "last_name": f"Cana{place}"}
        by = house.committee
        members.edit(member=house.members[place], changes=changes, by=by, at=house.at)
    minor = house.members[4]
    house.edit(minor, {"first_name": "Ouverte", "last_name": "Cotcot"})
    people = list(Member.objects.filter(pk__in=[house.members[n].pk for n in (1, 4, 7)]))
    named = wall_names(people)
    assert named[minor.pk] == "Ouverte C."
    assert named[house.members[7].pk] == "Ouverte Cana7"


def test_the_event_stream_names_nobody(house):
    sent = " ".join(
        live.frame((event.pk, event.organisation_id, event.kind, event.payload), is_member=True)
        for event in LiveEvent.objects.filter(organisation=house.organisation)
    ).lower()
    assert sent.count("data:") > 10
    for word in (*STRANGERS_MAY_NOT_READ, "canarilibre"):
        assert word not in sent


def test_a_public_id_is_given_once_and_stays(house):
    ids = set(Member.objects.values_list("public_id", flat=True))
    assert len(ids) == Member.objects.count()
    assert all(len(one) == 10 and set(one) <= set(PUBLIC_ID_LETTERS) for one in ids)
    member = house.members[1]
    choose_nothing = {"visibility": Member.INITIALS, "last_name": "Autrement"}
    house.edit(member, choose_nothing)
    before = member.public_id
    member.refresh_from_db()
    assert member.public_id == before == member.address


@pytest.mark.only_on("sqlite")
def test_a_key_shows_no_more_of_a_person_than_the_pages(house):
    key = key_of(house.members[0], house.at, "read")
    client = Client(headers={"Authorization": f"Bearer {key}"})
    pages = ("/v1/docs", "/v1/")  # they lead to every page of the site
    every = (url for url in set(every_address(house)) if "/api/v1/" in url)
    starts = sorted(url for url in every if not url.endswith(pages))
    found = Crawl(client, ROOT).read(starts)
    assert_hidden(found, FELLOWS_MAY_NOT_READ)
    opened = [address for address, status in found.status.items() if status == 200]
    assert len(opened) > 40 and found.finding("xenofa bulbucanari")
