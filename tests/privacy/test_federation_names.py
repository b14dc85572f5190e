"""Who hides their name in a club after a hand-over is read nowhere in the federation that got it."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from django.test import Client

from clubs.members import actions as members
from clubs.members.models import Member
from tests.api.keys import key_of
from tests.privacy.site_crawl import Crawl
from tests.ratings.handovers.test_handovers import accepted, scene, send

__all__ = ["scene"]
pytestmark = [pytest.mark.django_db, pytest.mark.only_on("sqlite")]
ROOT = "/c/federation/"


@pytest.fixture
def handed(scene, settings):
    """A competition in a federation's published list, whose players chose after it."""
    settings.ALLOWED_HOSTS = ["testserver"]
    club, federation = scene.club, scene.federation
    shy, minor = club.members[:2]
    for member, name in ((shy, ("Zazoune", "Fayocanari")), (minor, ("Petitou", "Mineurocanari"))):
        changes = dict(zip(("first_name", "last_name"), name, strict=True))
        club.edit(member, changes)
    accepted(scene, send(scene, (400, 300)))
    federation.publish_edition("Publication", rating_list=scene.list)
    scene.copy = Member.objects.get(links__member=shy)
    scene.old_address = scene.copy.address
    choices = ((shy, {"visibility": Member.INITIALS}), (minor, {"is_minor": True}))
    scene.choose = lambda: [
        members.edit(member=member, changes=changes, by=club.player(member), at=club.at)
        for member, changes in choices
    ]
    cache.clear()
    return scene


def typed(handed):
    """Addresses in which the reader wrote the name: a page may print back what was asked."""
    slug = handed.list.slug
    searches = [f"{ROOT}cotes/{slug}/?q={words}" for words in ("fayo", "zazoune", "mineuro")]
    return [*searches, f"{ROOT}joueurs/{handed.old_address}/"]


def calls(handed):
    slug = handed.list.slug
    return [f"{ROOT}api/v1/{path}" for path in ("lists", f"lists/{slug}", "players", "editions")]


def test_a_stranger_reads_no_name_that_was_hidden_in_the_club(handed, as_user):
    visitor, page = as_user(None), f"{ROOT}cotes/{handed.list.slug}/"
    assert "Zazoune Fayocanari" in visitor.get(page).content.decode()
    handed.choose()
    starts = [ROOT, page, *typed(handed), *calls(handed), f"{ROOT}joueurs/{handed.copy.public_id}/"]
    found = Crawl(visitor, ROOT).read(starts)
    for word in ("zazoune", "fayocanari", "mineurocanari"):
        assert set(found.finding(word)) <= set(typed(handed)), word
    for address in typed(handed):
        assert "z.f." not in found.seen[address], address
    assert len(found.finding("Z.F.")) > 5 and len(found.finding("Petitou M.")) > 5
    kinds = "text/html application/pdf text/csv application/json"
    assert set(kinds.split()) <= found.kinds.keys()


def test_a_fellow_and_a_key_of_the_federation_read_of_the_shy_what_fellows_may(handed, as_user):
    handed.choose()
    fellow = handed.federation.members[0]
    key = key_of(fellow, handed.at, "read")
    bearer = Client(headers={"Authorization": f"Bearer {key}"})
    page = f"{ROOT}cotes/{handed.list.slug}/"
    read = [as_user(fellow.user).get(page), *(bearer.get(address) for address in calls(handed))]
    words = " ".join(answer.content.decode() for answer in read)
    assert "Fayocanari" not in words and words.count("Mineurocanari") >= 2
