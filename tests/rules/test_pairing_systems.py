"""What every registered pairing system owes the tournaments, and what they may ask of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, dataclass, fields, is_dataclass
from importlib import import_module
from pathlib import Path

import pytest
from django.utils.translation import override

from clubs.rulebooks.fields import settings_of, with_values
from pairings import conformance
from pairings.rules.scoring import PLAYED, MatchRecord
from pairings.systems import PAIRING_SYSTEMS, conformances
from pairings.systems.base import PairingSystem
from pairings.systems.matching.by_standings import StandingsPairing
from pairings.systems.points.possible_places import Places
from pairings.systems.points.ranking import PointRanking
from pairings.systems.protocol import (
    NEIGHBOURS,
    TABLE,
    Entrant,
    EntriesRefused,
    FixedTable,
    Pair,
    RoundRefused,
)
from pairings.systems.schedule.system import WITH_LAG
from pairings.systems.wins_and_spread.ranking import WinsAndSpread
from pairings.tournaments.models import RoundDraw, Tournament
from pairings.tournaments.rules import SYSTEMS, rules_of
from pairings.tournaments.standings import COLUMNS
from tests.our_code import LANGUAGES, ROOT, modules

PLAYERS = (11, 12, 13, 14, 15, 16, 17, 18)
ENTRANTS = [Entrant(player, 0, place) for place, player in enumerate(PLAYERS, start=1)]
SEASON = ("pairings/apps.py", "pairings/ranking/season.py")
"""The club's season is the ladder of its own document, not a tournament with any system."""
TSH = ("pairings/exchange/formats/tsh_ranking.py",)
"""A division of tsh is a Swiss by its format."""


def result(first, second, scores=(400, 350), day=1):
    return MatchRecord(first, second, PLAYED, *scores, day=day, key=f"{day}-{first}-{second}")


def records_of(rules):
    """The first round as the system pairs it, the first named of each pair winning."""
    pairing = rules.pair_round(ENTRANTS, [], today=1)
    return [result(pair.first, pair.second) for pair in pairing.pairs]


@pytest.fixture(params=PAIRING_SYSTEMS, ids=lambda known: known.code)
def system(request):
    return request.param


@pytest.fixture(params=[None, WinsAndSpread()], ids=["own", "wins"])
def rules(request, system):
    """The system over seven rounds, with its own ranking, then by wins and spread."""
    ranges = {"schedule": [[1, 7, WITH_LAG[0], 1]]} if "schedule" in settings_of(system) else {}
    return with_values(system, {**ranges, "wins_and_spread": request.param}).with_rounds(7)


def test_it_is_a_frozen_dataclass_of_the_base_found_by_its_code(system):
    assert issubclass(system, PairingSystem) and is_dataclass(system)
    assert SYSTEMS[system.code] is system
    with pytest.raises(FrozenInstanceError):
        system().wins_and_spread = None


def test_its_code_and_its_strategies_fit_the_columns_of_a_tournament(rules):
    """PostgreSQL refuses a longer word when a tournament or a draw is stored; SQLite stores it."""
    assert len(rules.code) <= Tournament._meta.get_field("system").max_length
    for each in (rules, rules.looking_ahead()):
        strategy = each.pair_round(ENTRANTS, [], today=1).strategy
        assert len(strategy) <= RoundDraw._meta.get_field("strategy").max_length


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_says_its_name_its_ranking_and_its_unit(system, language):
    with override(language):
        assert system.label and system.ranks_by and system.unit and system.document
        assert set(PairingSystem.reasons) <= set(system.reasons)


def test_its_hidden_fields_are_its_own(system):
    names = set(settings_of(system))
    assert "rounds" in system.edited_apart
    assert set(system.edited_apart) - {"rounds"} <= names
    assert set(system.own_ranking_fields) <= names - set(system.edited_apart)


def test_every_round_can_be_asked_about(rules):
    for number in (1, 7, 40):
        assert rules.lag_of(number) in (0, 1)
        try:
            assert rules.way_of(number)[0] in SYSTEMS
        except RoundRefused as refused:
            assert str(refused).endswith(".")
    assert rules.way_of(1)[1] == rules.lag_of(1)
    table = rules.table_of(ENTRANTS)
    assert table is None or (isinstance(table, FixedTable) and table.size == len(PLAYERS))
    assert rules.table_of([]) is None
    assert rules.winning_games == 1
    assert [tuple(row)[:2] for row in rules.schedule] in ([], [(1, 7)])


def test_its_number_of_rounds_is_a_number_or_a_sentence(rules):
    try:
        assert rules.rounds_of(len(PLAYERS)) >= 1
    except EntriesRefused as refused:
        assert str(refused).endswith(".")
    imposed = rules.with_rounds(9)
    assert type(imposed) is type(rules)
    has_rounds = "rounds" in {field.name for field in fields(rules)} and not rules.counts_rounds
    assert (imposed != rules) is has_rounds
    assert not has_rounds or imposed.rounds_of(len(PLAYERS)) == 9


def test_a_system_by_the_standings_says_only_who_meets_whom():
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Neighbours(StandingsPairing):
        def pairs_of(self, seating):
            pairs = zip(seating.free[::2], seating.free[1::2], strict=True)
            return [Pair(first, second, NEIGHBOURS, second) for first, second in pairs]

    rules = Neighbours(rounds=5)
    assert rules.rounds_of(len(PLAYERS)) == 5
    assert rules.pair_round(ENTRANTS, []).pairs[0][:2] == (11, 12)
    with pytest.raises(EntriesRefused):
        Neighbours().rounds_of(len(PLAYERS))


def test_looking_ahead_is_another_strategy_or_none(rules):
    ahead = rules.looking_ahead()
    has_two = "strategy" in {field.name for field in fields(rules)}
    assert (ahead != rules) is has_two
    assert ahead.pair_round(ENTRANTS, [], today=1).pairs


@pytest.mark.parametrize("size", [7, 8])
def test_it_has_words_for_the_reason_of_every_pair(rules, size):
    """Over four rounds: a code without words would be printed to the players as it is."""
    records = []
    for day in range(1, 5):
        try:
            pairing = rules.pair_round(ENTRANTS[:size], records, today=day)
        except RoundRefused:
            break
        pairs, byes = pairing.pairs, pairing.byes
        unsaid = {pair.reason for pair in pairs} | {bye.how for bye in byes if bye.how}
        unsaid -= set(rules.reasons)
        assert not unsaid, f"not in `reasons` of {type(rules).__name__}: {unsaid}"
        records += [result(pair.first, pair.second, day=day) for pair in pairs]
    assert records


def test_wins_and_spread_balance_who_begins_unless_a_table_says_it(rules):
    """Also under another ranking, where the system is made for wins and spread."""
    made_for_wins = type(rules)().wins_and_spread is not None
    if rules.wins_and_spread is None and not made_for_wins:
        assert not rules.balances_firsts
    elif not rules.balances_firsts:
        first_round = rules.pair_round(ENTRANTS, [], today=1)
        assert {pair.reason for pair in first_round.pairs} == {TABLE}


def test_a_match_gives_points_that_are_columns_of_the_standings(rules):
    shown = rules.shown_points(result(11, 12))
    if rules.wins_and_spread is not None:
        assert list(shown) == [{"wins": 1, "spread": 50}, {"wins": 0, "spread": -50}]
    elif rules.unit == PointRanking.unit:
        assert list(shown) == [{"pm": 3, "pdep": 50}, {"pm": 1, "pdep": -50}]
    else:
        assert not shown
    assert {name for points in shown for name in points} <= set(COLUMNS)


def test_standings_have_their_ties_and_places_where_the_ranking_gives_them(rules):
    records = records_of(rules)
    lines = rules.rank(ENTRANTS, records, today=2)
    assert {line.player for line in lines} == set(PLAYERS)
    ties = rules.ties(lines, records)
    by_pm = rules.wins_and_spread is None and rules.ranks_by == PointRanking.ranks_by
    assert bool(ties) is by_pm
    assert all(set(tie.players) <= set(PLAYERS) for tie in ties)
    places = rules.possible_places(ENTRANTS, records, dict.fromkeys(PLAYERS, 1), None)
    assert set(places) == (set(PLAYERS) if by_pm or rules.wins_and_spread is not None else set())
    assert all(isinstance(each, Places) and each.best <= each.worst for each in places.values())


def test_players_level_on_all_that_counts_share_their_final_place(rules):
    """Who stood higher at the beginning is no better for it (004 §9), but in a season (002 II.B)."""
    records = [result(11, 12), result(13, 14)]
    final = rules.rank(ENTRANTS[:4], records, today=2)
    by_season = rules.wins_and_spread is None and not isinstance(rules, PointRanking)
    places = [1, 2, 3, 4] if by_season else [1, 1, 3, 3]
    assert [(line.player, line.rank) for line in final] == list(
        zip((11, 13, 12, 14), places, strict=True)
    )


def test_its_adapters_are_listed_from_the_register():
    listed = {module.__name__ for module in conformances()}
    folder = ROOT / "pairings" / "systems"
    kept = {f"pairings.systems.{path.parent.name}.conformance" for path in folder.glob("*/con*.py")}
    assert listed == kept
    for module in conformances():
        for name, functions in module.FUNCTIONS.items():
            assert set(functions) <= set(conformance.functions()[name])


# What callers ask


def callers() -> list[Path]:
    return [path for path in modules() if "systems" not in path.parts]


def is_rules(node: ast.expr, names: set[str]) -> bool:
    if isinstance(node, ast.Call):
        return ast.unparse(node.func).endswith("rules_of")
    return isinstance(node, ast.Name) and node.id in names


def questions(tree: ast.Module) -> Iterator[str]:
    """What a module asks of a pairing system instead of calling what the base declares."""
    held = {"rules", "system"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and is_rules(node.value, set()):
            held |= {each.id for each in node.targets if isinstance(each, ast.Name)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
            by_name = len(node.args) > 1 and isinstance(node.args[1], ast.Constant)
            asks = node.func.id in ("hasattr", "isinstance") or (
                node.func.id == "getattr" and by_name
            )
            if asks and is_rules(node.args[0], held):
                yield ast.unparse(node)
        elif isinstance(node, ast.Compare):
            sides = [ast.unparse(side) for side in (node.left, *node.comparators)]
            ours = [s for s in sides if s.endswith(".system") and "rating_list" not in s]
            if ours and any(s.endswith(".code") or s[0] in "'\"" for s in sides):
                yield ast.unparse(node)


def classes(tree: ast.Module) -> Iterator[str]:
    """The particular systems that a module imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pairings.systems."):
            for alias in node.names:
                found = getattr(import_module(node.module), alias.name, None)
                is_system = isinstance(found, type) and issubclass(found, PairingSystem)
                if is_system and found is not PairingSystem:
                    yield alias.name


def test_callers_ask_the_base_and_never_which_system_it_is():
    for path in callers():
        tree = ast.parse(path.read_text("utf-8"))
        assert not list(questions(tree)), path
        if path.relative_to(ROOT).as_posix() not in (*SEASON, *TSH):
            assert not list(classes(tree)), path


@pytest.mark.parametrize(
    "code",
    [
        'hasattr(tournament_rules.rules_of(found), "table_of")',
        'held = rules_of(tournament)\ngetattr(held, "schedule", ())',
        "isinstance(rules, PointRanking)",
        "found.system == FormuleClassique.code",
        'tournament.system != "round_robin"',
    ],
)
def test_the_check_finds_each_way_to_ask(code):
    assert list(questions(ast.parse(code)))


def test_the_tournaments_rules_are_typed_with_the_base():
    assert rules_of.__annotations__["return"] == "PairingSystem"


def test_no_folder_of_a_system_serves_another_one():
    """Shared code lies in neutral folders; only quads and a schedule are made of other systems."""
    own = {known.__module__.split(".")[2] for known in PAIRING_SYSTEMS}
    for path in sorted((ROOT / "pairings" / "systems").glob("*/*.py")):
        name = path.parent.name
        if name in ("quads", "schedule") or path.name == "conformance.py":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module.startswith("pairings.systems."):
                assert node.module.split(".")[2] not in own - {name}, path
