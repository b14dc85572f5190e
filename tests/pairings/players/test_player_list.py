"""The public list of players: everybody is on exactly one of its pages."""

from __future__ import annotations

import re

import pytest
import time_machine

from clubs.members.models import Member
from pairings.players.views import PAGE
from ratings.ledger import settlement
from ratings.ledger.models import StandingCote
from tests.rows_read import rows_read

pytestmark = pytest.mark.django_db
LIST = "/c/faizers/joueurs/"


@pytest.fixture
def many(club):
    """The club with 1,020 more players, all seen by everybody."""
    Member.objects.bulk_create(
        Member(
            organisation=club.organisation,
            first_name=f"J{n:04}",
            last_name="Nouveau",
            number=5000 + n,
            slug=f"j{n:04}",
            public_id=f"zz{n:08}",
            search_name=f"j{n:04} nouveau",
            sort_name=f"nouveau j{n:04}",
            visibility=Member.EVERYBODY,
            joined_on=club.at.date(),
        )
        for n in range(1020)
    )
    return club


def names(page):
    return [row["name"] for row in page.context["rows"]]


def test_the_pages_of_the_list_hold_every_player_once(many, client):
    found = client.get(LIST, {"q": "nouveau"})
    seen = names(found)
    assert len(seen) == PAGE
    last = found.context["page"].paginator.num_pages
    assert f"Page 1 sur {last}" in found.content.decode()
    for number in range(2, last + 1):
        seen += names(client.get(LIST, {"q": "nouveau", "page": number}))
    assert seen == [f"J{n:04} Nouveau" for n in range(1020)]


def test_the_next_page_keeps_the_search_and_the_category(many, client):
    page = client.get(LIST, {"q": "nouveau", "categorie": "onyx", "page": 17})
    assert len(names(page)) == PAGE
    assert names(page)[0] == "J0960 Nouveau"
    assert "q=nouveau&amp;categorie=onyx&amp;page=16" in page.content.decode()
    assert names(client.get(LIST, {"q": "nouveau", "categorie": "topaze"})) == []


def test_the_order_tells_no_more_of_a_name_than_its_first_letter(club, client, as_user):
    def join(number, first, last, **more):
        Member.objects.bulk_create(
            [
                Member(
                    organisation=club.organisation,
                    first_name=first,
                    last_name=last,
                    number=number,
                    slug=first.lower(),
                    public_id=f"zz{number:08}",
                    search_name=f"{first} {last}".lower(),
                    sort_name=f"{last} {first}".lower(),
                    joined_on=club.at.date(),
                    **{"visibility": Member.EVERYBODY, **more},
                )
            ]
        )

    join(7001, "Ana", "Fabre")
    join(7002, "Bob", "Faure")
    join(7003, "Zoe", "Fatou", is_minor=True)
    join(7004, "Yan", "Fagot", visibility=Member.INITIALS)

    def order(reader):
        shown = {"Ana", "Bob", "Zoe", "Yan"}
        members = [row["member"] for row in reader.get(LIST).context["rows"]]
        return [member.first_name for member in members if member.first_name in shown]

    assert order(client) == ["Ana", "Bob", "Zoe"]
    assert order(as_user(club.members[0].user)) == ["Ana", "Zoe", "Bob", "Yan"]


@pytest.mark.parametrize(
    "page",
    [
        LIST,
        f"{LIST}?categorie=onyx&tri=name",
        f"{LIST}{{a}}/contre/{{b}}/",
        "/c/faizers/api/v1/players",
        "/c/faizers/api/v1/players/{a}",
    ],
)
def test_a_page_reads_no_ratings_of_players_whom_it_does_not_show(many, as_user, page):
    a, b = many.members[:2]
    reader, url = as_user(a.user), page.format(a=a.address, b=b.address)

    def read():
        reader.get(url)
        with rows_read() as rows:
            assert reader.get(url).status_code == 200
        return len(rows)

    few = read()
    ladder = settlement.list_of(many.organisation, "faizers")
    others = Member.objects.of(many.organisation).filter(search_name__startswith="j09")
    StandingCote.objects.bulk_create(
        StandingCote(rating_list=ladder, member=other, state={}, shown=1000) for other in others
    )
    assert len(others) == 100 and read() == few


def rate(club, **cotes):
    """Give the club's members these cotes, by the number of their first name."""
    ladder = settlement.list_of(club.organisation, "faizers")
    for number, cote in cotes.items():
        member = club.members[int(number[1:])]
        StandingCote.objects.create(rating_list=ladder, member=member, state={}, shown=cote)


def test_players_are_sorted_by_their_cote_and_counted_by_category(club, client):
    rate(club, m1=1399, m2=1400, m3=1950, m4=990)
    top = client.get(LIST, {"tri": "-cote"})
    assert [row["cote"] for row in top.context["rows"]][:4] == [1950, 1400, 1399, 1000]
    assert names(top)[0] == str(club.members[3]) and names(client.get(LIST)) == sorted(names(top))
    assert top.context["rows"][-1]["cote"] == 990
    counts = {chip.get("badge", ""): chip["count"] for chip in top.context["chips"]}
    assert counts == {"": 10, "onyx": 8, "amethyste": 1, "topaze": 0, "diamant": 1}
    found = client.get(LIST, {"categorie": "amethyste", "tri": "-cote"})
    assert names(found) == [str(club.members[2])]
    hidden = ('name="categorie" value="amethyste"', 'name="tri" value="-cote"')
    assert all(field in found.content.decode() for field in hidden)  # a search keeps both
    head = '<a id="tri-cote" href="?categorie=amethyste&amp;tri=cote#tri-cote">'
    assert head in " ".join(found.content.decode().split())  # the focus comes back to it


def test_a_badge_of_the_list_follows_the_thresholds_of_the_last_evening(club, client):
    rate(club, m1=1400)
    club.close()
    club.rule_book({"cote": {"amethyste_from": 1500}})
    club.next_evening()
    with time_machine.travel(club.at, tick=False):
        row = client.get(LIST, {"tri": "-cote"}).context["rows"][0]
        assert (row["cote"], row["category"]) == (1400, "onyx")
        api = client.get("/c/faizers/api/v1/players", {"q": row["name"]}).json()
    assert api["items"][0]["category"] == "onyx"


def test_a_federation_lists_its_players_by_number_without_the_categories_of_a_club(club, client):
    organisation = club.organisation
    organisation.kind = organisation.FEDERATION
    organisation.save()
    page = client.get(LIST, {"tri": "-number"})
    numbers = [row["member"].number for row in page.context["rows"]]
    assert numbers == sorted(numbers, reverse=True) and len(numbers) == 10
    assert not page.context["chips"] and "Onyx" not in page.content.decode()
    page = client.get(f"/c/faizers/joueurs/{club.members[0].address}/").content.decode()
    assert "Pas encore dans une liste de cotes." in page
    assert "Onyx" not in page and "première soirée" not in page


def test_a_phone_has_no_heads_and_sorts_by_a_menu(club, client):
    """The list of a phone begins at its first page in another order, and says which one it has."""
    page = client.get(f"{LIST}?categorie=onyx&tri=cote&page=2").content.decode()
    menu = page.split("menu--sort")[1].split("</details>")[0]
    assert re.findall(r'href="([^"]*)"', menu) == [
        "?categorie=onyx&amp;tri=name",
        "?categorie=onyx&amp;tri=-cote",
    ]
    (current,) = re.findall(r'<a [^>]*aria-current="true"[^>]*>(.*?)</a>', menu, re.DOTALL)
    assert current.strip().startswith("Cote") and "ordre croissant" in current


def near(client, typed):
    page = client.get(LIST, {"q": typed})
    assert names(page) == []
    return [member.full_name for member in page.context["nearest"]]


def test_a_name_that_is_spelt_almost_so_is_suggested_to_who_may_read_it(club, as_user, client):
    open_, hidden, minor = (
        club.join(*name, visibility=Member.EVERYBODY)
        for name in (("Amélie", "Dupont"), ("Grégoire", "Petit"), ("Zoé", "Lefebvre"))
    )
    Member.objects.filter(pk=hidden.pk).update(visibility=Member.INITIALS)
    Member.objects.filter(pk=minor.pk).update(is_minor=True)
    reader = as_user(club.members[0].user)
    assert near(client, "Amelei") == near(reader, "amelie dupond") == ["Amélie Dupont"]
    assert f'href="/c/faizers/joueurs/{open_.address}/"' in (
        client.get(LIST, {"q": "Amelei"}).content.decode()
    )
    assert near(client, "Gregoir Pettit") == near(reader, "Gregoir Pettit") == []
    assert (near(client, "Lefevbre"), near(reader, "Lefevbre")) == ([], ["Zoé Lefebvre"])
    assert near(client, "Xylophone") == []
    assert client.get(LIST, {"q": "amelie"}).context["nearest"] == []


def test_a_long_list_compares_no_names(many, client, monkeypatch):
    monkeypatch.setattr("pairings.players.views.MOST_COMPARED", 1019)
    assert near(client, "nouvaeu") == []
    monkeypatch.undo()
    assert near(client, "j0001 nouvaeu") != []
