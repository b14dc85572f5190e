"""Signing in with one tap works on a site that seed_demo made and nowhere else."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from clubs.accounts.models import User
from clubs.organisations.models import Organisation

pytestmark = pytest.mark.django_db
STRIP = "Site de démonstration"


@pytest.fixture
def demo(club):
    """A small club with the mark of seed_demo and the accounts of two of its people."""
    Organisation.objects.filter(pk=club.organisation.pk).update(made_by_demo=True)
    for member, name in zip(club.members, ("amelie", "gregoire"), strict=False):
        User.objects.filter(pk=member.user.pk).update(email=f"{name}@demo.club")
    return club


def signed_in(client) -> str | None:
    return client.session.get("_auth_user_id")


def test_one_tap_signs_in_and_another_changes_the_person(demo, client):
    answer = client.post("/demo/", {"as": "amelie"})
    assert (answer.status_code, answer["Location"]) == (302, "/ma-soiree/")
    assert signed_in(client) == str(demo.members[0].user.pk)
    client.post("/demo/", {"as": "gregoire"})
    assert signed_in(client) == str(demo.members[1].user.pk)


def test_the_home_page_shows_the_strip_on_a_demo_site_only(demo, client):
    assert STRIP in client.get("/").content.decode()
    Organisation.objects.update(made_by_demo=False)
    assert STRIP not in client.get("/").content.decode()


def test_once_the_evening_has_closed_the_strip_offers_what_can_still_be_done(demo, client):
    page = client.get("/").content.decode()
    assert "Une soirée est en cours" in page and "à table, saisit le score" in page
    demo.close()
    page = client.get("/").content.decode()
    assert "La soirée est terminée" in page and "lit le bilan de sa soirée" in page
    assert "Une soirée est en cours" not in page and "tranchez un litige" not in page


def refused(client, who: str = "amelie") -> bool:
    answer = client.post("/demo/", {"as": who})
    return answer.status_code == 404 and signed_in(client) is None


def test_a_club_that_the_demo_did_not_make_opens_no_account(demo, client):
    Organisation.objects.update(made_by_demo=False)
    assert refused(client)


def test_in_production_no_account_is_open(demo, client, settings):
    settings.PRODUCTION = True
    assert refused(client)
    assert STRIP not in client.get("/").content.decode()


@pytest.mark.parametrize("who", ["", "Amelie", "amelie@demo.club", "admin", "odile"])
def test_only_the_people_of_the_demo_are_open(demo, client, who):
    assert refused(client, who)


def test_an_account_with_the_technical_site_is_not_open(demo, client):
    User.objects.filter(pk=demo.members[0].user.pk).update(is_staff=True)
    assert refused(client)


def test_a_link_signs_nobody_in(demo, client):
    assert client.get("/demo/?as=amelie").status_code == 405
    assert signed_in(client) is None


def test_the_mark_of_one_club_does_not_open_its_neighbours(demo, other_club, client):
    User.objects.filter(pk=demo.members[0].user.pk).update(email="x@demo.club")
    User.objects.filter(pk=other_club.members[0].user.pk).update(email="amelie@demo.club")
    for club in (demo, other_club):
        answer = client.post(f"/c/{club.organisation.slug}/demo/", {"as": "amelie"})
        assert answer.status_code == 404
    assert signed_in(client) is None


def test_no_demo_is_made_in_production(settings):
    """Everybody knows the password of its committee."""
    settings.PRODUCTION = True
    with pytest.raises(CommandError, match="SITE_ENV=production"):
        call_command("seed_demo")
    assert not User.objects.exists()
