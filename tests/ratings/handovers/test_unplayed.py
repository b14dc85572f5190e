"""Byes and forfeits of a tournament that a club hands over: shown with their points, rated nowhere."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest

from pairings.matches import actions as match_actions
from pairings.rules.match_state import Result
from pairings.tournaments import actions as tournaments
from pairings.tournaments import closing, registration
from pairings.tournaments import rating as tournament_rating
from ratings.handovers import actions as handovers
from ratings.handovers import corrections, documents
from ratings.ledger.models import LedgerEntry, RatedGame
from ratings.lists.views_competitions import sheet_of
from tests import tournament_day
from tests.ratings.handovers.test_handovers import (
    accepted,
    code_of,
    hand_over,
    officer,
    scene,
)

__all__ = ["scene"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def closed(scene):
    """A tournament of one round and three players: one is alone, another does not come."""
    club = scene.club
    scene.tournament = tournament_day.frozen(club, 3, round_count=1, name="Coupe")
    scene.round = tournament_day.publish(club, scene.tournament, 1)
    scene.bye = scene.round.matches.get(second=None)
    scene.match = scene.round.matches.exclude(second=None).get()
    return scene


def record(scene, *result):
    match_actions.record(
        match=scene.match, result=Result(*result), by=scene.club.arbiter, at=scene.at
    )


def close(scene):
    tournament_day.end_round(scene.club, scene.round)
    closing.close(tournament=scene.tournament, by=scene.club.committee, at=scene.at)
    scene.tournament.refresh_from_db()
    return tournament_rating.document_of(scene.tournament)


def table(period):
    """{name: (half points, what the columns hold)} of the page of the competition."""
    sheet = sheet_of(period, SimpleNamespace(is_member=True))
    return {
        sheet.people[line.player].first_name: (
            line.halves,
            [(board.opponent is None, board.played) for cell in line.cells for board in cell],
        )
        for line in sheet.table.lines
    }


def test_a_bye_gives_its_points_in_the_federation_and_is_no_game(closed):
    record(closed, "played", 420, 380)
    held = hand_over(closed, close(closed))
    period = accepted(closed, held)
    first, second, alone = closed.match.first, closed.match.second, closed.bye.first
    assert table(period) == {
        first.first_name: (2, [(False, True)]),
        second.first_name: (0, [(False, True)]),
        alone.first_name: (2, [(True, False)]),
    }
    assert RatedGame.objects.filter(period=period).count() == 1
    moved = LedgerEntry.objects.filter(period=period).values_list("member__first_name", flat=True)
    assert set(moved) == {first.first_name, second.first_name}

    again = {"tournament": closed.tournament, "by": closed.club.committee, "at": closed.at}
    for result, delivered in ((None, 1), (Result("played", 380, 420), 2)):
        closing.reopen(reason="Feuille relue", **again)
        if result is not None:
            by, how = closed.club.arbiter, {"reason": "Feuille relue", "at": closed.at}
            match_actions.correct(match=closed.match, result=result, by=by, **how)
        closing.close(reason="Feuille relue", **again)
        held.refresh_from_db()
        assert held.delivered == delivered


def test_a_page_of_the_federation_names_the_bye(closed, client, as_user):
    record(closed, "played", 420, 380)
    held = hand_over(closed, close(closed))
    desk = as_user(closed.federation.committee.user)
    inbox = desk.get(f"/c/federation/gestion/cotes/transmissions/{held.pk}/").content.decode()
    (bye,) = re.findall(r'<th scope="row">([^<]*)</th><td class="num">exempt</td>', inbox)
    before = inbox[: inbox.index(f'<th scope="row">{bye}</th><td class="num">exempt')]
    assert bye == closed.bye.first.full_name
    assert re.findall(r"<caption>([^<]*)</caption>", before)[-1] == "Ronde 1"
    period = accepted(closed, held)
    page = client.get(
        f"/c/federation/cotes/{closed.list.slug}/competitions/{period.pk}/?vue=rondes"
    )
    assert "Sans adversaire" in page.content.decode()


def test_a_forfeit_gives_its_points_and_is_rated_nowhere(closed):
    match_actions.mark_absent(
        match=closed.match, absent="b", justified=False, by=closed.club.arbiter, at=closed.at
    )
    competition = close(closed)
    content = documents.content_of(competition, closed.list)
    assert [game["absent"] for game in content["games"]] == ["2"]
    match = closed.round.matches.get(absent="b")
    for match.absent, halves in (("b", 2), ("a", 0), ("both", 0)):
        (game,) = tournament_rating.forfeits_of(match)
        assert game.first_halves == halves
    assert code_of(hand_over, closed, competition) == "empty"


def test_a_list_of_places_gets_those_who_played(scene):
    """Places go to a list by how many came: who played no match is none of them (001 §5)."""
    club, by = scene.club, {"by": scene.club.committee, "at": scene.at}
    held = scene.federation.rating_list("romania", kind="libere", name="Libere")
    made = tournament_day.make_tournament(club, 4, system="swiss", round_count=1)
    registration.enter(tournament=made, member=club.committee.member, cote=1500, **by)
    tournaments.freeze(tournament=made, **by)
    gone = tournament_day.entry_of(made, club.members[0])
    registration.withdraw(entry=gone, number=1, **by)
    tournament_day.play_round(club, made, 1)
    ranking = closing.close(tournament=made, **by)
    made.refresh_from_db()
    ranked = [line["member"] for line in ranking.lines]
    assert ranked.index(gone.member_id) == 2  # before who lost
    content = documents.content_of(tournament_rating.document_of(made), held)
    assert content["placings"] == [
        [ranked[n], place] for n, place in ((0, 1), (1, 2), (3, 3), (4, 4))
    ]
    assert str(gone.member_id) not in content["players"]


def test_a_game_that_becomes_a_forfeit_is_corrected_in_the_federation(closed):
    record(closed, "played", 420, 380)
    held = hand_over(closed, close(closed))
    period = accepted(closed, held)
    game = tournament_rating.document_of(closed.tournament).games[0]
    facts = {**game.facts, "played": False}
    forfeit = type(game)(game.key, game.second, game.first, 0, position=game.position, facts=facts)
    later = documents.Competition(
        **{
            name: getattr(tournament_rating.document_of(closed.tournament), name)
            for name in ("club", "origin", "label", "held_on", "placings", "facts")
        },
        games=[forfeit],
        byes=[],
    )
    assert handovers.follow(competition=later, by=closed.club.committee, at=closed.at) == 1
    held.refresh_from_db()
    contents = [one.content for one in held.deliveries.order_by("number")]
    said = [(c.before, c.after) for c in documents.changes(*contents)]
    assert said == [("420 – 380", "0 – 1 (forfait)"), ("exempt", None)]
    officer(closed, corrections.take_correction, held, reason="La feuille")
    period.refresh_from_db()
    assert "byes" not in period.facts or period.facts["byes"] == []
    first, second = closed.match.first.first_name, closed.match.second.first_name
    assert table(period) == {first: (2, [(False, False)]), second: (0, [(False, False)])}
    assert handovers.follow(competition=later, by=closed.club.committee, at=closed.at) == 0
