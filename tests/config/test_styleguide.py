"""The style guide shows each part by the templates of the site's own pages."""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.urls import path

from config.styleguide import SCREENS, evening, styleguide
from config.urls import urlpatterns as of_the_site
from tests.permissions.test_reading import Reader

urlpatterns = [
    path("styleguide/", styleguide, name="styleguide"),
    path("styleguide/<str:screen>/", styleguide, name="styleguide_screen"),
    *of_the_site,
]
pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]
TEMPLATES = settings.BASE_DIR / "templates"


@pytest.fixture
def guide(client, club, settings):
    """Return a reader of the guide's screens, as HTML."""
    settings.DEBUG = True

    def read(screen: str = "") -> str:
        answer = client.get(f"/c/faizers/styleguide/{screen}" + ("/" if screen else ""))
        assert answer.status_code == 200
        return answer.content.decode()

    return read


def test_every_screen_is_shown_and_named_on_the_first_page(guide):
    first = guide()
    for screen in SCREENS:
        assert f'href="{screen}/"' in first
        html = guide(screen)
        shown = re.sub(r"<template.*?</template>", "", html, flags=re.DOTALL)
        assert shown.count("<h1") == 1, screen


def test_the_guide_has_the_card_of_every_state_and_of_every_ending(guide):
    shown = set(re.findall(r'data-card="(\w+)"', guide("cards")))
    files = {path.stem for path in TEMPLATES.glob("pairings/evenings/cards/[a-z]*.html")}
    assert shown == files == {*evening.STATES, "result"}


def test_what_was_added_to_the_pages_is_in_the_guide(guide):
    """A result in its ways to end, a queue with waits, a role withheld, a journal that was changed."""
    cards = guide("cards")
    for words in ("Décidé par l’arbitre", "Résultat corrigé", "Définitif, sans réponse", "Forfait"):
        assert words in cards
    assert "1\u00a0h\u00a005" in guide("control") and 'data-key="g1"' in guide("control")
    banners = guide("banners")
    assert banners.count("double vérification") == 2 and "notice--bad" in banners
    assert "Le journal a été modifié" in banners and "Annulé" in banners


def test_every_screen_reads_in_order(guide):
    """Ma soirée in all its states and the arbiter's queue among them."""
    wrong = {screen: Reader(guide(screen)).problems(parts=True) for screen in SCREENS}
    assert not {screen: found for screen, found in wrong.items() if found}


def test_without_debug_there_is_no_guide(client, club):
    assert client.get("/c/faizers/styleguide/").status_code == 404
