"""Typed scores, checked and completed by the rules of the match's competition."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from pairings.matches.models import Match
from pairings.matches.refusals import SENTENCES, ResultRefused, bounds_of_scores
from pairings.matches.state import Games
from pairings.rules.match_lifecycle import Result
from pairings.systems.formule_classique.points import GAME_PROBLEMS, games_won, problem_with


def judged_by_games(match: Match, result: Result) -> Result:
    """Return a played result with its scores computed from its games, where it has games."""
    if result.kind != "played" or match.competition.winning_games() == 1:
        return result
    first, second = complete_scores(match, (None, None), result.games)
    return replace(result, first_score=first, second_score=second)


def complete_scores(match: Match, scores: tuple[Any, Any], games: Games) -> tuple[Any, Any]:
    """Return the two scores: as given, or the games won where they make a finished match."""
    needed = match.competition.winning_games()
    if needed == 1:
        if games:
            raise ResultRefused(str(SENTENCES["bad_result"]), code="bad_result")
        return scores
    problem = problem_with(games, needed)
    if problem is not None:
        raise ResultRefused(_(GAME_PROBLEMS[problem]), code=problem)
    return games_won(games)


def check_scores(match: Match, scores: tuple[Any, Any]) -> None:
    rules = match.competition.match_rules()
    if not all(rules.is_score(value) for value in scores):
        raise ResultRefused(bounds_of_scores(rules), code="bad_score")
