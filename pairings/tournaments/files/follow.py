"""A tournament that is run elsewhere with tsh: its division file, sent again after each round."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor
from clubs.search import without_accents
from pairings.exchange.formats.csv_xlsx_reading import ResultLine
from pairings.exchange.problems import FileRefused, Problem
from pairings.exchange.snapshot import OTHER_SIDE, PENDING, SheetBoard, SheetRound, TournamentSheet
from pairings.matches.models import Match
from pairings.matches.reasons import RESULTS_OF_A_FILE
from pairings.tournaments import actions as tournaments
from pairings.tournaments import records as tournament_records
from pairings.tournaments import standings as tournament_standings
from pairings.tournaments.files import snapshot
from pairings.tournaments.files.boards import make_matches
from pairings.tournaments.models import Entry, Round, Tournament
from pairings.tournaments.rounds import actions as round_actions
from pairings.tournaments.rounds import publishing as round_publishing
from pairings.tournaments.rounds import score_import
from pairings.tournaments.rules import TournamentRefused


@transaction.atomic
def follow(*, tournament: Tournament, sheet: TournamentSheet, by: Actor, at: datetime) -> int:
    """Add the rounds and results of the file that the site does not have; return how many results.

    Players are found among the entries by name. A round is added when the one before is over, and
    closed when it is complete. Raises FileRefused, and then writes nothing, for an unknown name or a
    board or result that differs from the site's.
    """
    row = tournaments.locked_with_matches(tournament, Match.objects.open())
    if row.state != Tournament.State.RUNNING:
        raise TournamentRefused(_("Ce tournoi n’est pas en cours."), code="wrong_state")
    ids = _players(row, sheet)
    last = max((each.number for each in sheet.shown_rounds if each.boards), default=0)
    if last > row.rounds.count():
        row = tournaments.edit(tournament=row, changes={"round_count": last}, by=by, at=at)
        if last > row.rounds.count():
            raise TournamentRefused(
                _("Le fichier a plus de rondes que le tableau des systèmes."), code="rounds"
            )
    done = 0
    for each in sheet.shown_rounds:
        if not each.boards:
            break
        stored = row.rounds.get(number=each.number)
        stored.tournament = row
        if not stored.is_public:
            _add(stored, each, ids, by, at)
            done += len(each.boards) - len(each.missing)
        else:
            done += _complete(row, each, ids, by, at)
        stored.refresh_from_db()
        if stored.state == Round.State.PUBLISHED and not stored.matches.open().exists():
            round_publishing.close(round=stored, by=by, at=at, unread_reason=RESULTS_OF_A_FILE)
            stored.refresh_from_db()
        if stored.state != Round.State.CLOSED:
            break
    tournaments.note(row, "tournament_followed", by, at, after={"rounds": last, "results": done})
    return done


def _players(row: Tournament, sheet: TournamentSheet) -> dict[int, int]:
    """Return each player's member by their number in the file."""
    by_name: dict[str, list[int]] = {}
    for entry in tournament_records.entries_of(row):
        # A file written before a guest was merged with a member has the guest's name.
        for name in {without_accents(row.full_name) for row in (entry.member, entry.person)}:
            by_name.setdefault(name, []).append(entry.member_id)
    members, problems = {}, []
    for player in sheet.players:
        same = by_name.get(without_accents(player.name), [])
        if len(same) == 1:
            members[player.number] = same[0]
            continue
        text = (
            _("plusieurs inscrits s’appellent %(name)s.")
            if same
            else _("%(name)s n’a pas d’inscription à ce tournoi.")
        )
        problems.append(Problem(text % {"name": player.name}, player.number))
    if problems:
        raise FileRefused(problems, code="names")
    return members


def _add(stored: Round, each: SheetRound, ids: Mapping[int, int], by: Actor, at: datetime) -> None:
    """Publish a round as the file gives it; a draft made here gives way."""
    round_actions.check_rounds_before(stored)
    make_matches(stored, each, ids, by, at)
    round_actions.store(stored, state=Round.State.PUBLISHED, published_at=at, draft=[])
    missed = {ids[number] for number in each.absent}
    away = list(stored.tournament.entries.filter(member__in=missed))
    for entry in away:
        entry.away = sorted({*entry.away, each.number})
    Entry.objects.bulk_update(away, ["away"], batch_size=200)


def _complete(
    row: Tournament, each: SheetRound, ids: Mapping[int, int], by: Actor, at: datetime
) -> int:
    """Enter the results of a public round that are missing here; return how many."""
    here = snapshot.photograph(tournament_standings.sheet_of(row))
    entries = tournament_records.entries_of(row)  # a sheet numbers them by initial place
    numbers = {entry.member_id: number for number, entry in enumerate(entries, start=1)}
    known = next(sheet_round for sheet_round in here.rounds if sheet_round.number == each.number)
    boards = {frozenset(board.players()): board for board in known.boards}
    lines, problems = [], []
    for board in each.boards:
        mine = replace(
            board,
            first=numbers[ids[board.first]],
            second=None if board.second is None else numbers[ids[board.second]],
        )
        site_board = boards.get(frozenset(mine.players()))
        where = _("Ronde %(number)s, table %(table)s") % {
            "number": each.number,
            "table": board.table,
        }
        if site_board is None:
            problems.append(Problem(_("cette table n’est pas celle du site."), field=where))
            continue
        new = _turned(mine, site_board)
        if new.kind == PENDING or _result(new) == _result(site_board):
            continue
        if site_board.kind != PENDING:
            text = _("ce match a déjà un autre résultat : corrigez-le sur le site.")
            problems.append(Problem(text, field=where))
            continue
        lines.append(ResultLine(line=board.table, round=each.number, board=new))
    if problems:
        raise FileRefused(problems, code="differs")
    return score_import.enter_results(tournament=row, lines=lines, by=by, at=at)


def _turned(board: SheetBoard, site_board: SheetBoard) -> SheetBoard:
    """Return the file's result on the site's board, no matter which player is named first there."""
    same = board.first == site_board.first
    scores = (board.first_score, board.second_score)
    first, second = scores if same else scores[::-1]
    return replace(
        site_board,
        kind=board.kind,
        first_score=first,
        second_score=second,
        absent=board.absent if same else OTHER_SIDE.get(board.absent, board.absent),
    )


def _result(board: SheetBoard) -> tuple[object, ...]:
    return board.kind, board.first_score, board.second_score, board.absent
