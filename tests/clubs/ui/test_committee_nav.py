"""The committee's pages by subject: beside each of its pages, for the committee alone."""

from __future__ import annotations

from datetime import date
from unittest import mock

import pytest
from django.urls import get_resolver
from django.utils import timezone

from clubs.members import actions as members
from clubs.members.models import Member
from clubs.members.models_access import JoinRequest
from clubs.organisations.models import Organisation, Season
from clubs.ui.navigation import subjects_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("neighbours")]


def subjects(page) -> dict[str, list[str]]:
    """Each subject that a page shows beside it, with the addresses of its pages."""
    return {
        subject: [one["url"] for one in pages]
        for subject, pages in page.context["nav"]["committee"]
    }


@pytest.mark.parametrize(
    ("path", "current"),
    [
        ("/gestion/", []),
        ("/gestion/membres/", ["/gestion/membres/"]),
        ("/gestion/membres/nouveau/", ["/gestion/membres/"]),
        ("/gestion/cotes/nouvelle/", ["/gestion/cotes/"]),
        ("/gestion/journal/", ["/gestion/journal/"]),
        ("/gestion/egalites/", ["/gestion/egalites/"]),
    ],
)
def test_the_page_that_is_read_is_the_current_one(desk, root, path, current):
    page = desk.get(f"{root}{path}")
    marked = [
        one["url"]
        for _subject, pages in page.context["nav"]["committee"]
        for one in pages
        if one["current"]
    ]
    assert marked == [f"{root}{url}" for url in current]
    assert page.content.decode().count('class="side-nav"') == 1


# A federation has no season, no evening and no ranking of points.
OF_A_CLUB_ALONE = (
    "/gestion/saisons/",
    "/gestion/affiches/",
    "/gestion/egalites/",
    "/gestion/classement/",
)


def addresses_of_management() -> set[str]:
    """Every address under "Gestion" with 1 for each argument, without tournaments' own menu."""
    resolvers = [get_resolver().namespace_dict[space][1] for space in get_resolver().app_dict]
    paths = {
        "/" + pattern % dict.fromkeys(arguments, 1)
        for resolver in resolvers
        for name in resolver.reverse_dict
        for ways, *_rest in resolver.reverse_dict.getlist(name)
        for pattern, arguments in ways
    }
    paths = {path for path in paths if path.startswith("/gestion/") and path != "/gestion/"}
    return {path for path in paths if not path.startswith("/gestion/tournois/")}


@pytest.mark.parametrize("is_club", [True, False], ids=["club", "federation"])
def test_every_page_of_the_committee_has_one_subject(is_club):
    paths = addresses_of_management()
    assert len(paths) > 60
    wrong = [
        path
        for path in sorted(paths)
        if is_club or not path.startswith(OF_A_CLUB_ALONE)
        if sum(
            page["current"]
            for _subject, pages in subjects_of(path, is_club=is_club)
            for page in pages
        )
        != 1
    ]
    assert wrong == []


@pytest.mark.parametrize("path", ["/", "/classement/", "/gestion/tournois/nouveau/", "/arbitrage/"])
def test_other_pages_keep_their_whole_width(desk, root, path):
    page = desk.get(f"{root}{path}")
    assert page.status_code == 200 and page.context["nav"]["committee"] == []
    assert "side-nav" not in page.content.decode()


def test_every_page_that_is_named_opens_for_the_committee_of_a_club_and_of_a_federation(
    club, desk, root
):
    seen = []
    for kind in (Organisation.CLUB, Organisation.FEDERATION):
        Organisation.objects.filter(pk=club.organisation.pk).update(kind=kind)
        named = subjects(desk.get(f"{root}/gestion/"))
        urls = [url for pages in named.values() for url in pages]
        assert len(urls) == len(set(urls)) > 12
        assert all(desk.get(url).status_code in (200, 302) for url in urls)
        seen.append(urls)
    evenings, persons = f"{root}/soirees/", f"{root}/gestion/personnes/"
    assert evenings in seen[0] and evenings not in seen[1]
    assert persons in seen[1] and persons not in seen[0]


def test_an_arbiter_and_a_player_are_not_led_to_pages_of_the_committee(club, root, as_user):
    for one in (club.arbiter, club.members[0]):
        page = as_user(one.user).get(f"{root}/")
        assert page.context["nav"]["committee"] == []
        assert as_user(one.user).get(f"{root}/gestion/").status_code == 403


# What waits


def test_a_club_without_a_season_is_led_to_its_set_up(club, desk, root):
    club.close()
    there = f'href="{root}/gestion/demarrer/">La mise en route n’est pas finie'
    assert there not in desk.get(f"{root}/gestion/").content.decode()
    with mock.patch("clubs.setup.awaiting.is_begun", return_value=False):
        page = desk.get(f"{root}/gestion/").content.decode()
    assert there in page and "Rien n’attend le comité." not in page


def test_what_waits_is_named_with_its_page_and_leaves_once_done(club, desk, root):
    def awaiting() -> dict[str, str]:
        return {url: words for words, url in desk.get(f"{root}/gestion/").context["awaiting"]}

    evening = f"{root}/soirees/{club.evening.address}/conduite/"
    assert awaiting() == {evening: "Soirée du 20 novembre : en cours"}
    club.close()
    assert awaiting() == {}
    assert "Rien n’attend le comité." in desk.get(f"{root}/gestion/").content.decode()
    JoinRequest.objects.create(
        organisation=club.organisation, first_name="Zoé", asked_at=timezone.now()
    )
    guest = members.create(
        organisation=club.organisation,
        first_name="Léo",
        is_guest=True,
        by=club.committee,
        at=timezone.now(),
    )
    requests, guests = f"{root}/gestion/demandes/", f"{root}/gestion/membres/?etat=invites"
    assert awaiting() == {requests: "1 demande d’adhésion", guests: "1 invité à confirmer"}
    JoinRequest.objects.update(answered_at=timezone.now())
    Member.objects.filter(pk=guest.pk).update(is_guest=False)
    assert awaiting() == {}
    Season.objects.update(ends_on=date(2026, 11, 20))  # today
    assert awaiting() == {}
    Season.objects.update(ends_on=date(2026, 11, 19))
    assert list(awaiting()) == [f"{root}/gestion/saisons/"]
