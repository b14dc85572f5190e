"""Results of a file entered at the desk: every row of it, or none."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor
from pairings.exchange.formats.csv_xlsx_reading import ResultLine
from pairings.exchange.problems import FileRefused, Problem
from pairings.matches.competition import round_of
from pairings.matches.models import Match
from pairings.matches.reasons import FROM_RESULTS
from pairings.tournaments import actions as tournaments
from pairings.tournaments.files.boards import result_on
from pairings.tournaments.models import Tournament
from pairings.tournaments.rounds import score_entry
from pairings.tournaments.rounds.score_entry import GridLine


@transaction.atomic
def enter_results(
    *, tournament: Tournament, lines: Sequence[ResultLine], by: Actor, at: datetime
) -> int:
    """Enter every row; return how many results were entered.

    Raises FileRefused with every refused row. Each row is processed as in the desk's grid, with its
    journal entry: where a player has entered another result on a phone, the match is contested with
    both versions kept.
    """
    named = Match.objects.filter(pk__in=[line.board.match for line in lines])
    tournaments.locked_with_matches(tournament, named)
    matches = {
        match.pk: match
        for match in named.filter(round__tournament=tournament).select_related("round")
    }
    problems, done = [], 0
    for line in sorted(lines, key=lambda each: each.round):
        match = matches.get(line.board.match)
        if match is None:
            problems.append(Problem(_("ce match n’est plus dans la ronde."), line.line))
            continue
        played_in = round_of(match)
        played_in.tournament = tournament
        typed = GridLine(match.pk, match.version, result_on(line.board))
        answer = score_entry.enter(
            round=played_in, lines=[typed], by=by, at=at, reason=FROM_RESULTS
        )[0]
        if answer.refused:
            problems.append(Problem(answer.refused, line.line))
        done += answer.saved
    if problems:
        raise FileRefused(problems, code="refused")
    return done
