"""What the pages of a match say of a round, where an evening's match has other words."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from pairings.arbitration import actions as arbitration
from pairings.matches.competition import Competition
from pairings.tournaments import closing as tournament_closing
from pairings.tournaments.rounds import publishing as round_publishing
from tests.clubhouse import make_club
from tests.tournament_day import end_round, frozen, play, publish

CLUB = "/c/faizers"


@pytest.fixture
def played(db):
    """A round of nine: four boards, and one player against X."""
    house = make_club("faizers", size=9)
    made = frozen(house)
    drawn = publish(house, made, 1)
    play(house, drawn)
    return house, drawn


def test_the_page_of_a_bye_names_x_and_leads_to_the_round(played, client):
    _house, drawn = played
    match = drawn.matches.get(second__isnull=True)
    text = client.get(f"{CLUB}/matchs/{match.pk}/").content.decode()
    assert "Contre le joueur fictif X." in text and "Exempt" not in text
    link = f'<a href="{CLUB}/tournois/{drawn.tournament.slug}/ronde/1/">'
    assert f"{link}{drawn.tournament}, ronde 1</a>" in text


def test_a_ruling_shows_no_cote_and_leads_to_no_evening(played, as_user):
    house, drawn = played
    match = drawn.matches.filter(second__isnull=False).first()
    url = f"{CLUB}/matchs/{match.pk}/corriger/"
    arbiter = as_user(house.arbiter.user)
    page = arbiter.get(url).content.decode()
    crumbs = page.partition("Fil d’Ariane")[2].partition("</nav>")[0]
    assert "Arbitrage</a>" in crumbs and "Gérer la soirée" not in crumbs
    typed = {"choice": "absent_a", "reason": "parti", "version": match.version, "preview": "1"}
    effect = arbiter.post(url, typed).content.decode()
    assert 'aria-label="Effet sur le classement"' in effect
    assert ">PM</th>" in effect and ">Cote" not in effect


def test_the_code_of_a_slip_whose_match_was_taken_away_leads_to_the_table_of_now(
    played, as_user, client, monkeypatch
):
    house, drawn = played
    end_round(house, drawn)
    old = publish(house, drawn.tournament, 2)
    match = old.matches.filter(second__isnull=False).first()
    again = round_publishing.unpublish(round=old, reason="salle", by=house.committee, at=house.at)
    round_publishing.publish(round=again, by=house.committee, at=house.at)
    player, other = as_user(match.first.user), old.matches.exclude(pk=match.pk).first().first
    for reader in (player, as_user(other.user)):  # somebody else may sit there now
        page = reader.get(f"{CLUB}/matchs/{match.pk}/saisir/", follow=True)
        text = page.content.decode()
        assert "Ce match a été retiré" in text
        assert f'<a class="btn btn--primary" href="{CLUB}/ma-soiree/">' in text
    sent = as_user(other.user).post(f"{CLUB}/matchs/{match.pk}/saisir/", {"mine": 4, "theirs": 3})
    assert sent.status_code == 404
    standing = drawn.matches.filter(second__isnull=False).exclude(first=other, second=other).last()
    outsider = next(m for m in house.members if not standing.seats(m))
    assert as_user(outsider.user).get(f"{CLUB}/matchs/{standing.pk}/saisir/").status_code == 404
    assert "Ce match a été retiré" not in client.get(f"{CLUB}/matchs/{match.pk}/").content.decode()
    monkeypatch.setattr(timezone, "now", lambda: house.at + timedelta(days=1))
    assert "Ce match a été retiré" not in player.get(f"{CLUB}/matchs/{match.pk}/").content.decode()


def test_programs_know_it_by_its_tournament(played):
    _house, drawn = played
    competition: Competition = drawn.matches.first().competition
    slug = drawn.tournament.slug
    assert competition.named() == {"tournament": slug, "round": 1}
    assert competition.named(always_numbered=True) == {"tournament": slug, "round": 1}


def test_a_request_after_the_end_of_the_tournament_is_answered_but_its_result_stays(
    played, as_user
):
    house, drawn = played
    match = drawn.matches.filter(second__isnull=False).first()
    asked = {"by": house.player(match.first), "at": house.at, "words": "Mal compté."}
    request = arbitration.ask_committee(match=match, **asked)
    page, arbiter = f"{CLUB}/arbitrage/litiges/{request.pk}/", as_user(house.arbiter.user)

    def disabled() -> dict[str, bool]:
        shown = re.findall(
            r'<button [^>]*name="(decide|refuse)"([^>]*)>', arbiter.get(page).content.decode()
        )
        return {name: "disabled" in rest for name, rest in shown}

    assert disabled() == {"decide": False, "refuse": False}
    end_round(house, drawn)
    end = {"tournament": drawn.tournament, "by": house.committee, "at": house.at}
    tournament_closing.close(**end, reason="salle fermée")
    assert disabled() == {"decide": True, "refuse": False}
    assert "il faut d’abord le rouvrir" in arbiter.get(page).content.decode()
