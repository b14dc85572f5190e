"""Pages of a tournament name what they show: whose score, how many, each thing asked once."""

from __future__ import annotations

import pytest

from tests.pages import words
from tests.tournament_day import frozen, make_tournament, play, publish, round_of

pytestmark = pytest.mark.django_db
CLUB = "/c/tournoi"


@pytest.fixture
def running(house):
    made = frozen(house, 8)
    publish(house, made, 1)
    return made


def test_the_grid_names_whose_score_each_column_takes(director, running):
    grid = words(director.get(f"{CLUB}/gestion/tournois/{running.slug}/ronde/1/saisie/"))
    assert '<th scope="col">Joueur 1</th>' in grid and '<th scope="col">Joueur 2</th>' in grid


def test_the_initial_ranking_says_how_many_players_it_has(director, running):
    entries = words(director.get(f"{CLUB}/tournois/{running.slug}/inscrits/"))
    assert '<span class="muted small"> 8 joueurs </span>' in entries


def test_the_rounds_are_rows_of_a_list_and_only_public_ones_lead_somewhere(director, running):
    shown = words(director.get(f"{CLUB}/tournois/{running.slug}/")).partition("<h2>Rondes</h2>")[2]
    rows = shown.partition("</ul>")[0].split("<li>")[1:]
    assert len(rows) == 5
    assert [f"/ronde/{n}/" in row for n, row in enumerate(rows, start=1)] == [True] + 4 * [False]


def test_the_games_to_win_are_asked_once_and_kept_by_the_form_of_the_rules(house, director):
    made = make_tournament(house, 8, rules={"winning_games": 2})
    url = f"{CLUB}/gestion/tournois/{made.slug}/reglages/"
    shown = director.get(url)
    assert words(shown).count("Manches gagnantes par match") == 1
    form = shown.context["rules"]
    typed = {name: form[name].value() for name in form.fields}
    typed = {name: value for name, value in typed.items() if value is not False}
    director.post(url, {**typed, "rules": "1", "r_forfeit_loss_pdep": "0"})
    made.refresh_from_db()
    assert made.rules == {"winning_games": 2, "forfeit_loss_pdep": 0}


def test_a_ranking_on_a_phone_leaves_the_reasons_of_ties_to_the_sentences_below(director, running):
    ranking = words(director.get(f"{CLUB}/tournois/{running.slug}/classement/"))
    assert '<th scope="col" class="only-wide">Départage</th>' in ranking


def test_the_desk_shows_a_state_apart_from_the_button_that_changes_it(house, director, running):
    running.fee = "10 €"
    running.save(update_fields=["fee"])
    desk = words(director.get(f"{CLUB}/gestion/tournois/{running.slug}/inscrits/"))
    assert desk.count("Noter l’absence") == desk.count("Noter le paiement") == 8
    assert desk.count("> présent<") + desk.count(">présent<") == 8
    pressed = director.post(
        f"{CLUB}/gestion/tournois/{running.slug}/inscrits/{running.entries.first().pk}/absent/",
        follow=True,
    )
    assert words(pressed).count("Noter la présence") == 1


def test_the_order_of_a_ranking_is_called_rang_in_every_table(director, running):
    for page in (
        "tournois/{}/inscrits/",
        "gestion/tournois/{}/inscrits/",
        "tournois/{}/classement/",
    ):
        shown = words(director.get(f"{CLUB}/{page.format(running.slug)}"))
        assert 'class="num">Rang</th>' in shown and ">Place</th>" not in shown


def test_a_star_beside_a_cote_is_explained(house, director, running):
    running.entries.filter(pk=running.entries.first().pk).update(cote_origin="PL*")
    entries = words(director.get(f"{CLUB}/tournois/{running.slug}/inscrits/"))
    assert "* : cote PL* ; sans étoile, cote PL. Le règlement admet l’une et l’autre" in entries


def test_the_page_of_a_round_has_one_filled_button(house, director, running):
    address = f"{CLUB}/gestion/tournois/{running.slug}/ronde/1/conduite/"
    live = {"HX-Request": "true"}
    waiting, part = (words(director.get(address, headers=given)) for given in ({}, live))
    assert waiting.count("btn--primary") == part.count("btn--primary") == 1
    assert 'btn--primary" data-key-shortcut="s"' in part
    play(house, round_of(running, 1))
    complete, part = (words(director.get(address, headers=given)) for given in ({}, live))
    assert complete.count("btn--primary") == part.count("btn--primary") == 1
    assert 'id="terminer"' in part
