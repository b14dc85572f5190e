"""The style guide shows each part by the templates of the site's own pages."""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.urls import path

from config.styleguide import SCREENS, evening, styleguide
from config.urls import urlpatterns as of_the_site

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
    """A result in its ways to end, a queue with waits, a role withheld, a device, keys, a match of names."""
    cards = guide("cards")
    for words in ("Décidé par l’arbitre", "Résultat corrigé", "Définitif, sans réponse", "Forfait"):
        assert words in cards
    assert "1\u00a0h\u00a005" in guide("control") and 'data-key="g1"' in guide("control")
    banners = guide("banners")
    assert banners.count("double vérification") == 2 and "notice--bad" in banners
    assert "Le journal a été modifié" in banners and "Annulé" in banners
    for screen, words in (
        ("notifications", "Me prévenir quand"),
        ("devices", "Firefox, Windows"),
        ("passkeys", "Clé USB"),
        ("tokens", "Retirer la clé Écran du hall"),
        ("webhooks", "envois en attente"),
        ("webhook", "prochain essai"),
        ("persons", "Un nouveau joueur"),
        ("licences", "même licence"),
        ("handovers", "corrigée par le club"),
        ("handover", "Il manque la ronde 3."),
        ("desk", "Noter le départ"),
        ("rules_diff", "Délai avant de signaler une absence"),
        ("rated_player", "Tournoi homologué de La Rochelle"),
        ("crosstable", "R12"),
        ("board_closing", "Tous les matchs sont terminés"),
        ("publish", "Classement après la soirée du 20 novembre"),
    ):
        assert words in guide(screen), screen


@pytest.mark.parametrize(
    ("screen", "words"),
    [
        ("match", ["Versions du résultat", "21 novembre 2026, 10:05", "Feuille recomptée"]),
        ("match_why", ["Amélie Dufour contre Karim Benali", "rencontré trop récemment"]),
        ("enter", ["contre Karim Benali", "Match commencé à 19:52", 'value="389"']),
        ("confirm", ["Karim Benali l’a saisi à 20:42", "jusqu’à 20:47", "1404"]),
        ("pin", ["Passez le téléphone à Karim", "keypad"]),
        ("no_pin", ["Karim répond sur son propre téléphone", "Confirmation sur le même"]),
        ("contest", ["Je conteste", "Karim Benali, saisi", "Mon dernier coup manque."]),
        ("dispute", ["Litige 27, table 4", "1:52 après la saisie", "3 joueurs touchés"]),
        ("closing", ["11 matchs comptent", "Léa Müller", "Forcer la clôture"]),
        ("force_closing", ["3 matchs encore ouverts", "compte sans la réponse", "Marie-Christine"]),
        ("profile", ["Pourquoi 1418 → 1404 ce soir", "Grégoire Ançay", "encore 296 points"]),
        ("change", ["Pourquoi −14 ce soir", "la défaite retire 9,57", "Règle version 3"]),
        ("head_to_head", ["Amélie Dufour – Karim Benali", "16 oct. 2026", "1433"]),
        ("guest_end", ["Vous avez terminé pour ce soir", "Garder mes résultats"]),
        ("join", ["Rejoindre le club", "Moins de 15 ans"]),
        ("join_as_guest", ["Garder mes résultats", 'value="Gus"']),
        ("portal", ["Qui voulez-vous être", "Soirée en cours, 14 présents", "Sofia Haddad"]),
    ],
)
def test_a_page_of_a_match_or_of_a_player_is_shown_with_invented_people(guide, screen, words):
    html = guide(screen)
    assert [one for one in words if one not in html] == []


def test_without_debug_there_is_no_guide(client, club):
    assert client.get("/c/faizers/styleguide/").status_code == 404
