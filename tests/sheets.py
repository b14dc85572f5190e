"""Tournaments as plain sheets, for tests of prints and files: one by hand, and any by hypothesis."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from pairings.exchange.snapshot import (
    BYE,
    FORFEIT,
    PENDING,
    PLAYED,
    SheetBoard,
    SheetColumn,
    SheetPlayer,
    SheetRound,
    SheetSlot,
    SheetStanding,
    SheetValue,
    TournamentSheet,
)
from pairings.systems.points.match_points import games_won

DAY = date(2026, 11, 28)
MORNING = datetime(2026, 11, 28, 8, 30, tzinfo=UTC)
COLUMNS = (
    SheetColumn(code="pm", label="PM", long_label="Points de match"),
    SheetColumn(code="ppm", label="PPM", long_label="Points particuliers"),
    SheetColumn(code="pdep", label="Pdep", long_label="Points de départage"),
)
NAMES = (
    ("Ștefania", "Țurcanu"),
    ("Émile", "Œhler"),
    ("Amélie", "de La Fontaine-Dupont"),
    ("Karim", "N’Diaye"),
    ("Ioana", "Brâncuși"),
    ("Paul", "Martin"),
)


def player(number: int, **changes: Any) -> SheetPlayer:
    first, last = NAMES[(number - 1) % len(NAMES)]
    if number > len(NAMES):
        last = f"{last} {number}"
    given: dict[str, Any] = {
        "number": number,
        "name": f"{first} {last}",
        "first_name": first,
        "last_name": last,
        "club": ("Brașov", "Lyon", "")[number % 3],
        "rating": 2000 - 10 * number,
        "rating_origin": "PL",
        "initial_rank": number,
        "member_number": 100 + number,
    }
    return SheetPlayer(**{**given, **changes})


def played(table: int, first: int, second: int, own: int, other: int, **more: Any) -> SheetBoard:
    return SheetBoard(
        table=table,
        first=first,
        second=second,
        kind=PLAYED,
        first_score=own,
        second_score=other,
        **more,
    )


def tournament(size: int = 6, rounds: int = 3, *, pending: bool = True) -> TournamentSheet:
    """Drawn once for all: wins, a forfeit, byes when odd, an absentee, the last round unfinished."""
    chance = random.Random(size * 100 + rounds)
    people = tuple(player(number) for number in range(1, size + 1))
    made = []
    for day in range(1, rounds + 1):
        order = [each.number for each in people]
        chance.shuffle(order)
        absent = (order.pop(),) if day == 2 and size > 4 else ()
        boards = []
        for table, (one, two) in enumerate(zip(order[::2], order[1::2], strict=False), start=1):
            if pending and day == rounds and table > 1:
                boards.append(SheetBoard(table=table, first=one, second=two, kind=PENDING))
            elif day == 1 and table == 2:
                boards.append(
                    SheetBoard(table=table, first=one, second=two, kind=FORFEIT, absent="b")
                )
            else:
                scores = [chance.randint(250, 520) for _ in range(2)]
                boards.append(played(table, one, two, *scores, reason="1er contre dernier"))
        if len(order) % 2:
            boards.append(SheetBoard(table=len(boards) + 1, first=order[-1], second=None, kind=BYE))
        made.append(
            SheetRound(
                number=day,
                published=True,
                closed=day < rounds,
                starts_at=MORNING + timedelta(hours=day),
                boards=tuple(boards),
                absent=absent,
            )
        )
    lines = tuple(
        SheetStanding(
            place=max(1, place - (place == 3)),
            player=place,
            tied=place in (2, 3),
            values={
                "pm": SheetValue(text=str(20 - place), exact=20 - place),
                "ppm": SheetValue(text="2,5", exact=Fraction(5, 2)),
                "pdep": SheetValue(text="−7", exact=-7),
            },
            why="PM",
        )
        for place in range(1, size + 1)
    )
    return TournamentSheet(
        name="Tournoi d’automne « Șah și cuvinte »",
        code="automne-2026",
        held_on=DAY,
        place="Salle Brâncuși, 12 rue des Lilas",
        organisation="Club FAIZERS",
        director="Léa Arbitre",
        minutes=20,
        rounds_planned=rounds,
        settings={"forfeit_loss_pdep": -10, "strategy": "strict", "small_tables": ((1, 2), (3, 4))},
        players=people,
        rounds=tuple(made),
        columns=COLUMNS,
        standings=lines,
        standings_after=rounds,
        provisional=pending,
        schedule=tuple(
            SheetSlot(
                label=f"Ronde {day}",
                starts_at=MORNING + timedelta(hours=day),
                ends_at=MORNING + timedelta(hours=day, minutes=50),
                round=day,
            )
            for day in range(1, rounds + 1)
        ),
    )


# Any sheet

texts = st.text(
    alphabet=st.characters(blacklist_categories=("Cs",), blacklist_characters="\x00"), max_size=20
)
names = st.text(
    alphabet=st.characters(whitelist_categories=("L",), max_codepoint=0x24F),
    min_size=1,
    max_size=12,
)
scores = st.integers(-200, 2000)
exact = st.one_of(st.none(), st.integers(), st.fractions())
moments = st.datetimes(
    min_value=datetime(2000, 1, 1), max_value=datetime(2100, 1, 1), timezones=st.just(UTC)
)


@st.composite
def boards(draw: Any, order: list[int], games: bool) -> tuple[SheetBoard, ...]:
    made = []
    for table, (one, two) in enumerate(zip(order[::2], order[1::2], strict=False), start=1):
        kind = draw(st.sampled_from((PLAYED, PLAYED, FORFEIT, PENDING)))
        reason = draw(texts)
        if kind == FORFEIT:
            absent = draw(st.sampled_from(("a", "b", "both")))
            made.append(
                SheetBoard(
                    table=table, first=one, second=two, kind=kind, absent=absent, reason=reason
                )
            )
        elif kind == PENDING:
            made.append(SheetBoard(table=table, first=one, second=two, reason=reason))
        elif games:
            each = tuple(draw(st.lists(st.tuples(scores, scores), min_size=1, max_size=3)))
            made.append(played(table, one, two, *games_won(each), games=each))
        else:
            made.append(played(table, one, two, draw(scores), draw(scores), reason=reason))
    if len(order) % 2:
        made.append(SheetBoard(table=len(made) + 1, first=order[-1], second=None, kind=BYE))
    return tuple(made)


@st.composite
def sheets(draw: Any, *, winning_games: int | None = None) -> TournamentSheet:
    size, rounds = draw(st.integers(1, 7)), draw(st.integers(0, 4))
    winning = winning_games or draw(st.sampled_from((1, 2)))
    people = tuple(
        SheetPlayer(
            number=number,
            name=f"{given} {family}",
            first_name=given,
            last_name=family,
            club=draw(texts),
            rating=draw(st.one_of(st.none(), st.integers(0, 3000))),
            initial_rank=draw(st.integers(0, 9)),
            present=draw(st.booleans()),
            withdrawn=draw(st.booleans()),
            member_number=draw(st.one_of(st.none(), st.integers(1, 999))),
        )
        for number, (given, family) in enumerate(
            draw(st.lists(st.tuples(names, names), min_size=size, max_size=size)), start=1
        )
    )
    made = []
    for day in range(1, rounds + 1):
        order = draw(st.permutations([each.number for each in people]))
        away = draw(st.integers(0, min(2, size - 1)))
        made.append(
            SheetRound(
                number=day,
                published=True,
                starts_at=draw(st.one_of(st.none(), moments)),
                boards=draw(boards(order[away:], winning == 2)),
                absent=tuple(sorted(order[:away])),
            )
        )
    lines = tuple(
        SheetStanding(
            place=place,
            player=each.number,
            values={
                column.code: SheetValue(text=draw(texts), exact=draw(exact)) for column in COLUMNS
            },
        )
        for place, each in enumerate(people, start=1)
    )
    return TournamentSheet(
        name=draw(texts),
        held_on=draw(st.dates(date(1950, 1, 1), date(2100, 12, 31))),
        place=draw(texts),
        winning_games=winning,
        rounds_planned=rounds,
        settings=draw(
            st.dictionaries(
                st.sampled_from(("cap", "tables", "strategy")),
                st.one_of(
                    st.none(),
                    st.booleans(),
                    st.integers(),
                    texts,
                    st.lists(st.integers()).map(tuple),
                ),
            )
        ),
        players=people,
        rounds=tuple(made),
        columns=COLUMNS,
        standings=lines,
        standings_after=rounds,
    )
