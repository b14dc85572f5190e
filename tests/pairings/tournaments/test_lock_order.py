"""Two acts of one tournament, the second begun at the first journal entry of the first."""

from __future__ import annotations

import pytest
from django.db import transaction

from pairings.exchange.formats import tsh
from pairings.matches import actions as match_actions
from pairings.rules.match_state import Result
from pairings.tournaments import actions as tournaments
from pairings.tournaments import registration
from pairings.tournaments.files import follow as tournament_follow
from pairings.tournaments.rounds import actions as rounds
from pairings.tournaments.rounds import publishing, score_entry
from pairings.tournaments.rounds.score_entry import GridLine
from tests.clubhouse import make_club
from tests.pairings.matches.test_lock_order import after_the_first_entry
from tests.pairings.matches.test_races import while_open
from tests.tournament_day import make_tournament, publish, round_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def club(transactional_db):
    return make_club("tournoi", size=8)


@pytest.fixture
def running(club):
    made = make_tournament(club, 8, system="swiss", round_count=2)
    return tournaments.freeze(tournament=made, by=club.committee, at=club.at)


def edit(club, running, **changes):
    how = {"changes": changes, "by": club.committee, "at": club.at}
    return lambda: tournaments.edit(tournament=running, **how)


def draw(club, running, number=1):
    drawn = round_of(running, number)
    return lambda: rounds.draw(round=drawn, by=club.arbiter, at=club.at)


def test_a_round_more_against_a_draw(club, running):
    answers = after_the_first_entry(edit(club, running, round_count=3), draw(club, running))
    assert answers == ["ok", "ok"]


def test_rules_do_not_change_while_a_round_is_drawn_by_them(club, running):
    answers = while_open(draw(club, running), edit(club, running, system="formule_classique"))
    assert answers == ["ok", "drawn"]


def test_whoever_is_announced_absent_while_a_round_is_published_is_told(club, running):
    drawn = draw(club, running)()
    entry = running.entries.get(member=club.members[0])
    how = {"by": club.player(club.members[0]), "at": club.at}
    answers = while_open(
        lambda: publishing.publish(round=drawn, by=club.arbiter, at=club.at),
        lambda: registration.set_presence(entry=entry, number=1, present=False, **how),
    )
    assert answers == ["ok", "published"]


def entered(club, match):
    player = club.player(match.first)
    scores = {"scores": (400, 350)}
    return lambda: match_actions.submit(match=match, by=player, at=club.at, **scores)


@pytest.fixture
def published(club, running):
    return publish(club, running, 1)


def test_a_grid_that_is_sent_as_one_act_against_a_player(club, published):
    matches = list(published.matches.select_related("first").order_by("pk"))
    lines = [GridLine(m.pk, m.version, Result("played", 400, 350)) for m in matches]

    @transaction.atomic
    def grid():
        score_entry.enter(round=published, lines=lines, by=club.arbiter, at=club.at)

    answers = after_the_first_entry(grid, entered(club, matches[-1]))
    assert answers[0] == "ok" and answers[1] in ("ok", "wrong_state")


def test_a_round_unpublished_against_a_player(club, published):
    match = published.matches.select_related("first").order_by("pk").last()
    how = {"reason": "trop tôt", "by": club.committee, "at": club.at}
    answers = after_the_first_entry(
        lambda: publishing.unpublish(round=published, **how), entered(club, match)
    )
    assert answers == ["ok", "wrong_state"]


def division(matches, places):
    lines = {}
    for m in matches:
        lines[m.first_id] = f"{places[m.second_id]}; 400"
        lines[m.second_id] = f"{places[m.first_id]}; 350"
    return lines


def test_a_file_that_is_followed_against_a_player(club, running, published):
    matches = list(published.matches.select_related("first").order_by("pk"))
    places = {m.pk: n for n, m in enumerate(club.members, start=1)}
    lines = division(matches, places)
    text = "".join(
        f"(Nom{n}), (Prénom{n}) {1900 - 10 * n} {lines[m.pk]}\n" for n, m in enumerate(club.members)
    )
    sheet = tsh.read(text.encode(), name=running.name, held_on=running.held_on, own_ranking=True)
    answers = after_the_first_entry(
        lambda: tournament_follow.follow(
            tournament=running, sheet=sheet, by=club.arbiter, at=club.at
        ),
        entered(club, matches[-1]),
    )
    assert answers[0] == "ok" and answers[1] in ("ok", "wrong_state")
