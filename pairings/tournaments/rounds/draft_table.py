"""The draft of a round as a table: what decides each pairing, and what a change would cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

from django.utils.translation import gettext as _

from pairings.matches import seats
from pairings.rules.firsts import Firsts
from pairings.tournaments import records as tournament_records
from pairings.tournaments import rules as tournament_rules
from pairings.tournaments import standings as tournament_standings
from pairings.tournaments.models import Entry, Round
from pairings.tournaments.rounds import draft as round_drafts
from pairings.tournaments.rounds.actions import is_outdated, toss_of
from pairings.tournaments.rounds.draft import Board, Boards
from pairings.tournaments.standings import MAIN_COLUMNS, Sheet
from pairings.tournaments.wording import FICTIVE_NAME, Named, columns_of, value_words, why_words


@dataclass(frozen=True, slots=True)
class Side:
    """One player of a board, as the standings that pair the round have them; X has only a name.

    `place` counts level players too, as the pairing does.
    """

    member_id: int | None
    name: str
    place: int | None = None
    values: Sequence[str] = ()
    cote: int | None = None
    begun: int = 0


@dataclass(frozen=True, slots=True)
class Line:
    """One board: both sides, the rounds they have met in, why they meet."""

    table: int | None
    sides: tuple[Side, Side]
    met_in: Sequence[int]
    why: str
    locked: bool

    @property
    def key(self) -> int | None:
        """Return the member by whom the board is locked."""
        return self.sides[0].member_id


@dataclass(frozen=True, slots=True)
class ChangeCost:
    """The boards that a swap or a pairing by hand touches before and after, its cost in words."""

    before: list[Line]
    after: list[Line]
    words: list[str]


class DraftTable:
    """The boards of a draft with the standings that pair them and the meetings before it."""

    def __init__(self, sheet: Sheet, tournament_round: Round, named: Named) -> None:
        self.sheet, self.tournament_round, self.named = sheet, tournament_round, named
        rules = tournament_rules.rules_of(sheet.tournament)
        ranked = tournament_standings.standing(
            sheet, until=tournament_round.number - 1 - rules.lag_of(tournament_round.number)
        )
        self.rows = {row.entry.member_id: row for row in ranked.rows}
        self.place = {pk: number for number, pk in enumerate(self.rows, start=1)}
        self.columns = [c for c in columns_of(ranked) if c["code"] in MAIN_COLUMNS][:2]
        earlier = [
            m for m in sheet.matches if tournament_records.round_number(m) < tournament_round.number
        ]
        self.firsts = Firsts(tournament_records.records_of(earlier, pending=True))
        self.balances = rules.balances_firsts
        self.meetings: dict[frozenset[int | None], list[int]] = {}
        for match in earlier:
            pair = frozenset((match.first_id, match.second_id))
            self.meetings.setdefault(pair, []).append(tournament_records.round_number(match))

    @property
    def width(self) -> int:
        """Return how many columns stand beside the number of the table."""
        return 4 + len(self.columns) + self.balances

    def lines(self) -> list[Line]:
        """Return every board of the draft, in order."""
        return [
            self._line(place, board)
            for place, board in enumerate(self.tournament_round.draft, start=1)
        ]

    def swap_cost(self, one: int, other: int) -> ChangeCost:
        """Return what exchanging two players would change. Raises TournamentRefused."""
        return self._cost(round_drafts.swap(self.tournament_round.draft, one, other, ""))

    def hand_cost(self, first: int, second: int | None) -> ChangeCost:
        """Return what pairing these two by hand would change. Raises TournamentRefused."""
        return self._cost(round_drafts.pair_by_hand(self.tournament_round.draft, first, second, ""))

    def _cost(self, changed: Boards) -> ChangeCost:
        draft: Boards = self.tournament_round.draft
        if self.balances:
            changed = round_drafts.with_firsts(changed, self.firsts, toss_of(self.tournament_round))
        before, after = self._touched(draft, changed), self._touched(changed, draft)
        words = self._words(before, after)
        left = set(round_drafts.players_of(draft)) - set(round_drafts.players_of(changed))
        if left:
            names = ", ".join(sorted(self.named(pk) for pk in left))
            words.append(_("Reste sans table : %(names)s.") % {"names": names})
        return ChangeCost(before, after, words)

    def _touched(self, boards: Boards, others: Boards) -> list[Line]:
        """Return the boards that are not among the others."""
        same = [(board["first"], board["second"]) for board in others]
        return [
            self._line(place, board)
            for place, board in enumerate(boards, start=1)
            if (board["first"], board["second"]) not in same
        ]

    def _line(self, place: int, board: Board) -> Line:
        pair = (board["first"], board["second"])
        why = {**board["why"], "meeting": None}  # the line says all their meetings
        return Line(
            place if board["second"] is not None else None,
            (self._side(pair[0]), self._side(pair[1])),
            self.meetings.get(frozenset(pair), []),
            why_words(self.sheet.tournament, why, self.named, for_members=True),
            board["locked"],
        )

    def _side(self, pk: int | None) -> Side:
        row = self.rows.get(pk or 0)
        if pk is None or row is None:
            return Side(pk, FICTIVE_NAME if pk is None else self.named(pk))
        values = [
            value_words(column["code"], row.values[column["code"]]) for column in self.columns
        ]
        begun = self.firsts.begun.get(pk, 0)
        return Side(pk, self.named(pk), self.place[pk], values, row.entry.rating, begun)

    def _words(self, before: Sequence[Line], after: Sequence[Line]) -> list[str]:
        """Return the cost of a change: repeats, who meets X again, clubs, firsts, points."""
        words = []
        for line in after:
            if line.met_in:
                one, other = (side.name for side in line.sides)
                fields = {"one": one, "other": other, "rounds": ", ".join(map(str, line.met_in))}
                text = (
                    _("%(one)s a déjà rencontré X (ronde %(rounds)s).")
                    if line.table is None
                    else _("Revanche : %(one)s – %(other)s, déjà rencontrés (ronde %(rounds)s).")
                )
                words.append(text % fields)
        if any(line.met_in for line in before) and not words:
            words.append(_("La revanche est évitée."))
        words += [text for line in after for text in self._pair_words(line)]
        if self.columns:
            gaps = [self._gap(lines) for lines in (before, after)]
            code, label = self.columns[0]["code"], self.columns[0]["label"]
            fields = {
                "label": label,
                "before": value_words(code, gaps[0]),
                "after": value_words(code, gaps[1]),
            }
            words.append(
                _("Écart entre adversaires (%(label)s) : %(before)s avant, %(after)s après.")
                % fields
            )
        return words

    def _pair_words(self, line: Line) -> list[str]:
        """Return what else speaks against a board: one club, who begins has begun more often."""
        one, other = line.sides
        rows = [self.rows.get(side.member_id or 0) for side in line.sides]
        clubs = {row.entry.home_club.strip() for row in rows if row is not None}
        words = []
        if None not in rows and len(clubs) == 1 and any(clubs):
            fields = {"one": one.name, "other": other.name, "club": clubs.pop()}
            words.append(_("Même club : %(one)s – %(other)s (%(club)s).") % fields)
        if self.balances and None not in rows and one.begun > other.begun:
            text = _(
                "%(one)s commence, mais %(other)s a commencé moins souvent (%(n)s contre %(m)s)."
            )
            begun = {"n": other.begun, "m": one.begun}
            words.append(text % {"one": one.name, "other": other.name, **begun})
        return words

    def _gap(self, lines: Sequence[Line]) -> int | Fraction:
        """Return the sum of the differences of points between opponents."""
        code = self.columns[0]["code"]
        gap: int | Fraction = 0
        for line in lines:
            rows = [self.rows.get(side.member_id or 0) for side in line.sides]
            if rows[0] is not None and rows[1] is not None:
                gap += abs((rows[0].values[code] or 0) - (rows[1].values[code] or 0))
        return gap


def absent_words(row: Round, present: set[int], named: Named) -> list[str]:
    """Return who is at a table of the draft although they are absent, and what to do."""
    gone = [named(pk) for pk in round_drafts.players_of(row.draft) if pk not in present]
    if not gone:
        return []
    words = _("Annoncés absents : %(names)s. Appariez de nouveau.")
    if tournament_rules.rules_of(row.tournament).keeps_absent:
        words = _(
            "Absents, mais au tableau : %(names)s. Publiez la ronde, puis notez leur forfait."
        )
    return [words % {"names": ", ".join(gone)}]


def outdated_words(row: Round, entries: Iterable[Entry]) -> list[str]:
    """Return that the draft is older than a result with which the rule pairs otherwise."""
    if not is_outdated(row, entries):
        return []
    return [
        _(
            "Un résultat a changé depuis cet appariement : la règle apparierait autrement. "
            "Appariez de nouveau, ou publiez ainsi."
        )
    ]


def alternative_boards(
    sheet: Sheet, tournament_round: Round, named: Named
) -> list[dict[str, object]]:
    """Return the pairing with fewer repeats, where the rule's own has an avoidable repeat."""
    if not tournament_round.alternative:
        return []
    draft_pairs = {frozenset((b["first"], b["second"])) for b in tournament_round.draft}
    return [
        {
            "first": named(pair["first"]),
            "second": named(pair["second"]),
            "why": why_words(sheet.tournament, pair, named, for_members=True),
        }
        for pair in tournament_round.alternative["pairs"]
        if frozenset((pair["first"], pair["second"])) not in draft_pairs
    ]


def elsewhere(tournament_round: Round, named: Named, *, at: datetime) -> dict[str, object]:
    """Return players of the draft with an open match at another competition, and that match.

    Who has no opponent in this round keeps nobody waiting: the round is published with them. So is
    one whose players another round has at its hour, but not at a table now (`is_later`).
    """
    begins, tournament = tournament_round.starts_at, tournament_round.tournament_id
    boards = [board for board in tournament_round.draft if board["second"] is not None]
    players = round_drafts.players_of(boards)
    held = seats.holding(players, at=at, outside=tournament) if seats.holds_at(begins, at) else {}
    is_later = not held
    if is_later:
        held = seats.holding(players, at=begins, in_tournament=True, outside=tournament)
    found_names = [(named(pk), match) for pk, match in held.items()]
    found_names.sort(key=lambda line: line[0].casefold())
    return {"elsewhere": found_names, "is_later": is_later}
