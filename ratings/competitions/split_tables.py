"""A large table in two: what is proposed at the desk, the officer's choice, and the lines of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _

from ratings.competitions.headings import GAMES
from ratings.competitions.import_files import CompetitionLine
from ratings.competitions.models import CompetitionDraft
from ratings.ledger.posting import LedgerRefused
from ratings.lists import queries as rankings
from ratings.systems.protocol import Game
from ratings.systems.rated_games import part_of

ONE, LAST = "one_table", "split_after"


def proposed(held: CompetitionDraft, lines: Sequence[CompetitionLine]) -> int | None:
    """Return after which round the list's document cuts these games in two; None: one table."""
    if held.facts["sheet"] != GAMES:
        return None
    games = [
        Game(
            str(line.number),
            line.players[0] or line.key(0),
            line.players[1] or line.key(1),
            line.halves,
            facts={**line.facts, "round": line.round},
        )
        for line in lines
        if not line.problems and line.unplayed is None
    ]
    return rankings.system_on(held.rating_list, held.held_on).proposed_split(games)


def question(held: CompetitionDraft, lines: Sequence[CompetitionLine]) -> dict[str, Any] | None:
    """Return what the desk asks about the tables: rounds to cut after, and what is chosen now."""
    cut, last = proposed(held, lines), held.facts.get(LAST)
    if cut is None and last is None:
        return None
    is_decided = last is not None or bool(held.facts.get(ONE))
    chosen = last if is_decided else cut
    return {"rounds": rounds_of(lines), "chosen": chosen, "is_decided": is_decided}


def check_decided(held: CompetitionDraft, lines: Sequence[CompetitionLine]) -> None:
    """Refuse a large table for which nobody said whether it is rated as one or as two (003 §12)."""
    asked = question(held, lines)
    if asked is not None and not asked["is_decided"]:
        raise LedgerRefused(
            _("Un joueur a trop de parties pour un tableau : choisissez un tableau ou deux."),
            code="undecided",
        )


def rounds_of(lines: Sequence[CompetitionLine]) -> list[int]:
    """Return the rounds after which these games may be cut."""
    return sorted({int(line.round) for line in lines if line.round.isdecimal()})[:-1]


def choose(*, held: CompetitionDraft, last: int | None) -> None:
    """Keep in the draft after which round it is cut in two; None: one table, decided before."""
    kept = {name: value for name, value in held.facts.items() if name not in (ONE, LAST)}
    chosen = {ONE: True} if last is None else {LAST: last}
    moved = CompetitionDraft.objects.filter(pk=held.pk, period=None).update(facts=kept | chosen)
    if not moved:
        raise LedgerRefused(_("Cette compétition est déjà importée."), code="stale")


def tables_of(
    held: CompetitionDraft, lines: Sequence[CompetitionLine]
) -> list[list[CompetitionLine]]:
    """Return the lines of each table: one, or two where the draft says after which round."""
    last = held.facts.get(LAST)
    tables: list[list[CompetitionLine]] = [[], []]
    for line in lines:
        tables[part_of(line.round, last) - 1].append(line)
    return [table for table in tables if table]
