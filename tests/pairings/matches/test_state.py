"""A value of a result has a column of its name in every table that holds a result."""

from __future__ import annotations

import pytest

from pairings.arbitration.models import Contest
from pairings.matches.models import Decision, Match, Submission
from pairings.matches.state import columns_of, entered_columns, entered_words, result_of
from pairings.rules.match_state import ENTERED_COLUMNS, RESULT_COLUMNS, Absent, Kind, Result

RESULTS = [
    None,
    Result(Kind.PLAYED, 2, 1, games=((400, 300), (300, 310), (5, 4))),
    Result(Kind.ABSENT, absent=Absent.SECOND, justified=True),
    Result(Kind.VOID),
]


@pytest.mark.parametrize(
    ("table", "columns"),
    [
        (Match, RESULT_COLUMNS),
        (Decision, RESULT_COLUMNS),
        (Submission, ENTERED_COLUMNS),
        (Contest, ENTERED_COLUMNS),
    ],
)
def test_a_table_has_the_columns_of_what_it_holds(table, columns):
    assert set(columns) <= {field.name for field in table._meta.get_fields()}


@pytest.mark.parametrize("result", RESULTS)
def test_a_result_written_to_a_match_is_read_back(result):
    assert result_of(Match(**columns_of(result))) == result


def test_a_contest_claims_scores_of_a_game_played():
    claimed = Result(Kind.PLAYED, 2, 0, games=((400, 300), (300, 290)))
    assert result_of(Contest(**entered_columns(claimed))) == claimed


def test_the_journal_names_games_only_where_a_match_has_them():
    assert entered_words(columns_of(Result(Kind.PLAYED, 400, 350))) == {"scores": [400, 350]}
    assert entered_words(columns_of(RESULTS[1])) == {
        "scores": [2, 1],
        "games": [[400, 300], [300, 310], [5, 4]],
    }
