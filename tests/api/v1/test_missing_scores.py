"""A result sent without a score is not out of a range: the value that is missing is named."""

from __future__ import annotations

import pytest

from tests.api.keys import code_of
from tests.tournament_day import frozen, publish

pytestmark = pytest.mark.django_db
SCORES = {"first": 400, "second": 350}
GAMES = {"games": [[400, 350], [380, 300]]}


def fields_of(answer):
    """Return the places that a refusal names."""
    assert code_of(answer) == (422, "invalid")
    return [error["field"] for error in answer.json()["errors"]]


@pytest.mark.parametrize(
    ("body", "missing"),
    [({}, ["mine", "theirs"]), ({"mine": 400}, ["theirs"]), ({"theirs": 0}, ["mine"])],
)
def test_a_score_of_ones_own_match(club, send, body, missing):
    match, (one, _other) = club.match()
    answer = send(f"matches/{match.pk}/result", body, one.member)
    assert fields_of(answer) == [f"body.{name}" for name in missing]


@pytest.mark.parametrize(
    ("winning_games", "lines", "missing"),
    [
        (1, [SCORES, {}, {"second": 1}, {"absent": "a"}], ["1.first", "1.second", "2.first"]),
        (2, [GAMES, SCORES, {}, {"absent": "a"}], ["1.games", "2.games"]),
    ],
)
def test_each_slip_of_a_round(club, send, winning_games, lines, missing):
    tournament = frozen(club, 8, rules={"winning_games": winning_games})
    boards = publish(club, tournament, 1).matches.order_by("table_number")
    slips = [
        {"match": board.pk, "version": board.version, **line}
        for board, line in zip(boards, lines, strict=True)
    ]
    path = f"tournaments/{tournament.slug}/rounds/1/results"
    answer = send(path, {"results": slips}, club.arbiter.member)
    assert fields_of(answer) == [f"body.results.{place}" for place in missing]
    assert all(board.is_open for board in boards.all())
    right = [{**slip, **line} for slip, line in zip(slips, [lines[0]] * 4, strict=True)]
    saved = send(path, {"results": right[:1]}, club.arbiter.member).json()["results"]
    assert [line["saved"] for line in saved] == [True]


def test_games_of_ones_own_match_where_two_are_to_be_won(club, send):
    tournament = frozen(club, 8, rules={"winning_games": 2})
    board = publish(club, tournament, 1).matches.get(table_number=1)
    path = f"matches/{board.pk}/result"
    assert fields_of(send(path, {"mine": 2, "theirs": 0}, board.first)) == ["body.games"]
    assert send(path, GAMES, board.first).status_code == 200
