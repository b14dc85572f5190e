"""A guest who played a tournament and is then merged with a member: the entry is the member's."""

from __future__ import annotations

import pytest

from clubs.accounts.actor import Refused
from clubs.members.models import Member
from pairings.exchange.formats.csv_xlsx_reading import EntryLine
from pairings.players import merging
from pairings.tournaments import actions as tournaments
from pairings.tournaments import closing as tournament_closing
from pairings.tournaments import standings
from pairings.tournaments.files import snapshot
from pairings.tournaments.files.entries import enter_all
from tests.privacy.site_crawl import text_of
from tests.refusals import refused
from tests.tournament_day import entry_of, make_tournament, play_round

pytestmark = pytest.mark.django_db


@pytest.fixture
def entered(house):
    """A tournament of five members and a guest, who is the last member of the club."""
    made = make_tournament(house, 5, round_count=3)
    guest = house.join("Gil", "Invité", is_guest=True)
    house.enter(made, guest, by=house.arbiter)
    return made, guest, house.members[8]


@pytest.fixture
def reopened(house, entered):
    """The tournament ended after one round, the two rows merged, and it is reopened for two more."""
    made, guest, member = entered
    by_committee = {"by": house.committee, "at": house.at}
    made = tournaments.freeze(tournament=made, **by_committee)
    play_round(house, made, 1)
    tournament_closing.close(tournament=made, reason="orage", **by_committee)
    merge(house, guest, member)
    made = tournament_closing.reopen(tournament=made, reason="beau temps", **by_committee)
    made = tournaments.edit(tournament=made, changes={"round_count": 3}, **by_committee)
    return made, guest, member


def merge(house, guest, into) -> None:
    merging.unite(guest=guest, into=into, reason="C’est moi", by=house.committee, at=house.at)


def test_a_guest_in_a_tournament_is_merged_after_its_end(house, entered):
    made, guest, member = entered
    for begin in (None, tournaments.freeze):
        if begin is not None:
            made = begin(tournament=made, by=house.committee, at=house.at)
        with pytest.raises(Refused, match="Open de novembre") as refusal:
            merge(house, guest, member)
        assert refusal.value.code == "in_tournament"


def test_a_member_is_not_entered_again_beside_the_guest_they_were(house, reopened, as_user):
    made, _guest, member = reopened
    with refused("already_entered"):
        house.enter(made, member, by=house.arbiter)
    line = EntryLine(line=2, first_name="", number=member.number)
    with pytest.raises(Refused, match="a déjà une inscription"):
        enter_all(tournament=made, lines=[line], by=house.arbiter, at=house.at)
    desk = as_user(house.arbiter.user).get(f"/gestion/tournois/{made.slug}/inscrits/")
    assert f'value="{member.pk}"' not in desk.content.decode()
    assert made.entries.count() == 6


def test_a_member_has_their_own_page_of_a_tournament_they_entered_as_a_guest(
    house, reopened, as_user
):
    made, guest, member = reopened
    own = as_user(member.user)
    assert "Vous jouez ce tournoi" in own.get(made.get_absolute_url()).content.decode()
    for page in ("classement/", "grille/"):
        assert "is-own" in own.get(f"{made.get_absolute_url()}{page}").content.decode()
    for name, away in (("absent", [2]), ("present", [])):
        assert own.post(f"{made.get_absolute_url()}inscription/{name}/").status_code == 302
        assert entry_of(made, guest).away == away


def test_a_tournament_names_the_member_whom_its_guest_was_merged_with(house, reopened, as_user):
    made, guest, member = reopened
    changes = {"last_name": "Autrenom", "visibility": "members"}
    house.edit(member, changes)
    visitor, fellow = as_user(None), as_user(house.members[0].user)
    root = made.get_absolute_url()
    pages = (
        "inscrits/",
        "classement/",
        "grille/",
        "ronde/1/",
        "imprimer/classement.pdf?noms=membres",
    )
    for page in (*pages, "ecran/?vue=classement"):
        for reader in (visitor, fellow):
            words = text_of(reader.get(f"{root}{page}"))
            assert "gil" not in words.split() and "invite" not in words, page
            shown = reader is fellow and "ecran" not in page
            assert ("autrenom" in words) is shown, page
    sheet = snapshot.photograph(standings.sheet_of(made))
    assert member.number in [player.member_number for player in sheet.players]
    assert guest.number not in [player.member_number for player in sheet.players]


def test_who_was_merged_twice_is_the_last_of_the_rows(house, entered):
    """A federation merges two persons, and one of them again into a third."""
    made, guest, member = entered
    last = house.members[7]
    for row, into in ((guest, member), (member, last)):
        Member.objects.filter(pk=row.pk).update(merged_into=into)
    assert entry_of(made, guest).person == last
