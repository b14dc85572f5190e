"""Every conformance case, through the adapters that `manage.py evaluate_rules` uses."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from pairings import conformance

FOLDER = Path(__file__).parent.parent / "vectors"
READY = sorted(conformance.functions())
CASES = [
    case
    for system in READY
    for case in conformance.read(
        iter((FOLDER / f"{system}.jsonl").read_text(encoding="utf-8").splitlines())
    )
]


@pytest.mark.parametrize("system", READY)
def test_the_engine_gives_what_each_case_expects(system):
    cases = [case for case in CASES if case["system"] == system]
    answers = [conformance.run(case) for case in cases]
    assert len(answers) > 10
    wrong = [a for case, a in zip(cases, answers, strict=True) if not conformance.check(case, a)]
    assert wrong == []


@pytest.mark.parametrize(
    ("output", "expected", "agrees"),
    [
        (1.0000001, 1.0, True),
        (1.1, 1.0, False),
        (1, 1.0, True),
        (True, 1, False),
        (1, True, False),
        (None, None, True),
        (0, None, False),
        ("a", "a", True),
        ({"num": 1, "den": 3, "approx": 9}, {"num": 1, "den": 3, "approx": 0.333333}, True),
        ({"num": 2, "den": 6, "approx": 0.333333}, {"num": 1, "den": 3, "approx": 0.3}, False),
        ([1, 2], [1, 2, 3], False),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ((1, 2), [1, 2], True),
    ],
)
def test_answers_are_compared_to_a_millionth_and_fractions_exactly(output, expected, agrees):
    assert conformance.agrees(output, expected) is agrees


def test_an_unknown_system_or_function_is_said_so():
    assert "error" in conformance.run({"id": "x", "system": "chess", "function": "f", "input": {}})
    assert "error" in conformance.run({"id": "x", "system": "match", "function": "f", "input": {}})


def test_a_refused_case_prints_an_error_and_not_a_trace():
    answer = conformance.run({"id": "x", "system": "match", "function": "events", "input": 3})
    assert set(answer) == {"id", "error"}


def test_a_broken_line_is_named():
    with pytest.raises(ValueError, match="line 2"):
        list(conformance.read(['{"input": {}}', "{cut"]))
    with pytest.raises(ValueError, match="line 1 is not a case"):
        list(conformance.read(["[1, 2]"]))


def test_a_case_without_its_input_is_refused_and_the_next_one_answered():
    lines = [
        '{"id": 1, "system": "fisf", "function": "we"}',
        '{"id": 2, "system": "fisf", "function": "we", "input": {"diff": 4}}',
    ]
    assert [conformance.run(case) for case in conformance.read(lines)] == [
        {"id": 1, "error": "missing or unknown: input"},
        {"id": 2, "output": 0.51},
    ]


def test_a_number_that_json_has_not_is_named():
    with pytest.raises(ValueError, match=r"line 1 .*NaN is not a number"):
        list(conformance.read(['{"input": {"n": NaN}}']))


def answer(system, function, **given):
    return conformance.run({"id": "x", "system": system, "function": function, "input": given})


@pytest.mark.parametrize(
    ("system", "function", "given", "words"),
    [
        ("absp", "game_points", {"mine": 150, "opp": 150}, "missing or unknown: score"),
        ("absp", "combine", {"history": [[1, 1]], "params": "1998"}, "missing or unknown: 1998"),
        ("absp", "tournament", {"rating": 150, "games": [[150, 2]]}, "not a result: 2"),
        (
            "absp",
            "rate_event",
            {"players": {"a": {"rating": 150.5, "history": []}}, "games": []},
            "whole ratings",
        ),
        ("fesa", "grade_row", {"grade": "7 Dan"}, "missing or unknown: 7 Dan"),
        ("fesa", "game_change", {"tr": 1500, "opp": 1500, "res": 1.5}, "not a result: 1.5"),
        ("fesa", "k_of", {"tr": "1500"}, "not the shape of a case"),
        (
            "fesa",
            "rate_table",
            {"players": {"a": {"rating": 1500}}, "games": [{"a": "a", "b": "a", "sa": 1}]},
            "plays themselves",
        ),
        ("romania", "weights", {"n": 31}, "N doit être compris entre 1 et 30"),
        ("romania", "points", {"v": 150, "j": 0, "place": 1}, "no place 1 among 0"),
        ("romania", "simulate", {"n": 5, "events": [{}]}, "vide"),
        ("formule_classique", "fixed_tables", {"players": 17}, "no table for 17"),
        ("formule_classique", "rounds_count", {"entries": [7]}, "8 à 128"),
        ("formule_classique", "match_points", {"match": {"a": "A", "b": "B"}}, "missing"),
    ],
)
def test_a_case_that_is_none_is_answered_in_words(system, function, given, words):
    told = answer(system, function, **given)
    assert words in told["error"]


def test_a_whole_number_may_be_written_with_its_decimals():
    """ABSP: points and ratings are printed as 150.0 in the cases; they are the same numbers."""
    games = [{"a": "a", "b": "b", "sa": 1}]
    whole = {"a": {"rating": 150, "history": [[9000, 60]]}, "b": {"rating": 140, "history": []}}
    written = {
        "a": {"rating": 150.0, "history": [[9000.0, 60.0]]},
        "b": {"rating": 140.0, "history": []},
    }
    found = answer("absp", "rate_event", players=written, games=games)
    assert found["output"] == answer("absp", "rate_event", players=whole, games=games)["output"]
    assert answer("absp", "combine", history=[[9000.0, 60]])["output"]["exact"] == 150


def test_001_5_and_6_a_printed_half_goes_up_whatever_the_kept_numbers_lost():
    """Thirds kept on a grid add up to 150 less a hair: V is 150 and P 162.5, printed 163."""
    events = [
        {"b": 1},
        {"d": 1, "e": 1, "c": 3, "a": 4},
        {"b": 1, "e": 1, "c": 1, "d": 1, "a": 5},
    ]
    last = answer("romania", "simulate", n=1, events=events)["output"][-1]
    assert (last["V"], last["V_shown"], last["P"]["b"], last["P_shown"]["b"]) == (
        150,
        150,
        162.5,
        163,
    )


def test_001_8_the_general_rating_is_the_mean_of_the_five_types_named_or_not():
    assert answer(
        "romania",
        "general",
        ratings={"DuplicatClasic": 200},
        statuses={"DuplicatClasic": "active"},
    )["output"] == pytest.approx(160)


@pytest.mark.parametrize(("a", "b", "side"), [("A", "X", "a"), ("X", "A", "b")])
def test_004_2_the_points_stand_on_the_side_of_the_one_who_met_x(a, b, side):
    points = answer("formule_classique", "match_points", match={"a": a, "b": b})["output"]
    assert points[side] == [3, 10]


@pytest.mark.parametrize("kind", ["cancelled", "disputed", "void"])
def test_002_v_b_a_match_without_a_result_that_counts_brings_no_pr(kind):
    assert answer("faizers_cote", "match_points", kind=kind, result="a")["output"] == [0, 0]


def test_002_ii_a_2_a_rated_forfeit_goes_to_the_player_who_came():
    """The winner is named, or known by who is absent, or by the scores set down for the forfeit."""
    match = {"a": "a", "b": "b", "sa": 0, "sb": 100, "kind": "forfeit"}
    for told in ({}, {"winner": "b"}, {"result": "b"}, {"absent": "a"}):
        found = answer(
            "faizers_cote",
            "rate_session",
            players={"a": 1200, "b": 1200},
            matches=[{**match, **told}],
            cfg={"rate_forfeits": True},
        )["output"]
        assert (found["a"]["new"], found["b"]["new"]) == (1185, 1215)


@pytest.mark.parametrize(
    ("written", "means"),
    [
        ({"kind": "forfeit", "absent": "b"}, {"kind": "absent", "absent": "b"}),
        ({"kind": "forfeit", "present": ["A"]}, {"kind": "absent", "absent": "b"}),
        ({"kind": "double_absence"}, {"kind": "absent", "absent": "both"}),
        ({"kind": "normal", "sa": 400, "sb": 300}, {"kind": "played", "sa": 400, "sb": 300}),
        ({"kind": "disputed", "sa": 400, "sb": 300}, {"kind": "cancelled"}),
        ({"kind": "bye"}, {"kind": "bye", "b": None}),
    ],
)
@pytest.mark.parametrize("function", ["standings", "sanctions", "pair_round"])
def test_002_ii_a_a_kind_of_match_means_the_same_in_every_case_of_the_ladder(
    function, written, means
):
    settings = {"absence_limit": 1}
    found, expected = (
        answer(
            "faizers_pairing",
            function,
            players=["A", "B", "C", "D"],
            history=[{"a": "A", "b": "B", **kind}],
            settings=settings,
        )
        for kind in (written, means)
    )
    assert "output" in found and found == expected


@pytest.mark.parametrize("kind", ["forfeit", "absent"])
def test_002_ii_a_2_a_forfeit_is_rated_under_either_name(kind):
    match = {"a": "a", "b": "b", "kind": kind, "absent": "a"}
    found = answer(
        "faizers_cote",
        "rate_session",
        players={"a": 1200, "b": 1200},
        matches=[match],
        cfg={"rate_forfeits": True},
    )["output"]
    assert (found["a"]["new"], found["b"]["new"]) == (1185, 1215)
    assert answer("faizers_cote", "match_points", kind=kind, absent="a")["output"] == [0, 3]


@pytest.mark.parametrize(
    ("match", "words"),
    [({"kind": "playd", "sa": 2, "sb": 1}, "no such kind"), ({"kind": "absent"}, "nobody was")],
)
@pytest.mark.parametrize("function", ["standings", "sanctions", "pair_round"])
def test_002_ii_a_a_match_that_is_none_is_refused_not_left_out(function, match, words):
    history = [{"a": "A", "b": "B", **match}]
    told = answer("faizers_pairing", function, players=["A", "B"], history=history)
    assert words in told["error"]


def test_000_4_the_numbers_of_a_case_may_be_written_with_decimals():
    games = [{"opp": 1900.0, "w": 0.0}, {"opp": 1700, "w": "1"}]
    found = answer("fisf", "update_player", rating=1700.0, games_before=100.0, games=games)
    assert (found["output"]["raw"], found["output"]["new"]) == (1705.2, 1705)


@pytest.mark.parametrize(
    ("system", "function", "given", "words"),
    [
        ("faizers_cote", "match_points", {"kind": "lost", "result": "a"}, "no such kind"),
        ("faizers_cote", "ds", {"winner": 300, "loser": 400}, "winner's score comes first"),
        ("faizers_cote", "ds", {"winner": 300.5, "loser": 200}, "not a score"),
        ("faizers_cote", "p_win", {"e0": 1000, "opp": 1200, "divisor": 0}, "diviseur"),
        ("faizers_pairing", "ds_match", {"scores": [300]}, "unpack"),
        (
            "faizers_pairing",
            "pair_ranked",
            {"order": ["A", "B"], "history": [], "settings": {"strategy": "blossom"}},
            "strategy is one of",
        ),
        ("fisf", "k_factor", {"rating": None, "games": 3}, "not a number"),
        ("fisf", "start_ratings", {"n": 10**9}, "entre 0 et 1000000"),
        ("fisf", "update_player", {"rating": 1700, "games_before": 3}, "missing or unknown: games"),
        ("match", "events", {"events": [{"type": "start"}]}, "missing or unknown: at"),
    ],
)
def test_a_case_of_the_club_or_the_fisf_that_is_none_is_answered_in_words(
    system, function, given, words
):
    assert words in answer(system, function, **given)["error"]


def test_an_answer_that_json_cannot_hold_ends_no_file():
    assert json.loads(conformance.line({"id": 1, "output": Fraction(1, 2)}))["output"] == 0.5
    for broken in (float("nan"), Fraction(10**400), {1, 2}):
        told = json.loads(conformance.line({"id": "x", "output": broken}))
        assert told["error"].startswith("no answer in JSON")


def test_a_line_too_deep_to_read_is_named():
    with pytest.raises(ValueError, match="line 2 is not JSON"):
        list(conformance.read(['{"input": {}}', "[" * 200_000]))


WITH_A_KEY_MORE = [
    pytest.param(system, function, id=f"{system}-{function}")
    for system in READY
    for function in conformance.functions()[system]
]


@pytest.mark.parametrize(("system", "function"), WITH_A_KEY_MORE)
def test_every_function_refuses_a_key_that_it_does_not_read(system, function):
    """Also the functions no file has a case for: each one says what it reads."""
    told = answer(system, function, alpha_beta=1)
    assert told["error"] == "unknown key: alpha_beta"


@pytest.mark.parametrize(
    "case",
    [
        next(case for case in CASES if (case["system"], case["function"]) == known)
        for known in sorted({(case["system"], case["function"]) for case in CASES})
    ],
    ids=lambda case: case["id"],
)
def test_a_key_more_in_any_mapping_of_a_case_is_named(case):
    """At every depth: each player, match, round and setting. Names the case gives are its own."""
    refused = 0
    for place, changed in _with_a_key_more(case["input"], ""):
        told = conformance.run({**case, "input": changed})
        if place.endswith(OWN_NAMES):
            continue
        assert "error" in told, place
        refused += 1
    assert refused


OWN_NAMES = (
    "players", "info", "places", "ratings", "statuses", "pm",
    *(f"events[{n}]" for n in range(40)),
)  # fmt: skip


def _with_a_key_more(value, place):
    if isinstance(value, dict):
        yield place, {**value, "unheard_of": 1}
        for name, item in value.items():
            for where, changed in _with_a_key_more(item, f"{place}.{name}"):
                yield where, {**value, name: changed}
    elif isinstance(value, list):
        for number, item in enumerate(value[:2]):
            for where, changed in _with_a_key_more(item, f"{place}[{number}]"):
                yield where, [*value[:number], changed, *value[number + 1 :]]


@pytest.mark.parametrize(
    ("told", "won"),
    [
        ({"present": "a"}, "a"),
        ({"present": "b"}, "b"),
        ({"present": ["b"]}, "b"),
        ({"present": "b", "absent": "a"}, "b"),
        ({"present": []}, None),
        ({"absent": "both"}, None),
    ],
)
def test_002_ii_a_2_who_was_present_wins_the_rated_forfeit(told, won):
    match = {"a": "a", "b": "b", "sa": 0, "sb": 0, "kind": "forfeit"}
    found = answer(
        "faizers_cote",
        "rate_session",
        players={"a": 1200, "b": 1200},
        matches=[match | told],
        cfg={"rate_forfeits": True},
    )["output"]
    expected = {"a": (1215, 1185), "b": (1185, 1215), None: (1200, 1200)}[won]
    assert (found["a"]["new"], found["b"]["new"]) == expected


@pytest.mark.parametrize(
    "told", [{"present": "b", "absent": "b"}, {"present": "c"}, {"present": ["a", "b"]}]
)
def test_a_forfeit_that_contradicts_itself_is_an_error(told):
    match = {"a": "a", "b": "b", "sa": 0, "sb": 0, "kind": "forfeit"}
    cfg, players = {"rate_forfeits": True}, {"a": 1200, "b": 1200}
    given = {"players": players, "matches": [match | told], "cfg": cfg}
    assert "error" in answer("faizers_cote", "rate_session", **given)


def test_who_was_present_is_read_in_every_forfeit_of_the_club():
    ladder = answer(
        "faizers_pairing",
        "match_effect",
        match={"a": "A", "b": "B", "kind": "absent", "present": "B"},
    )
    assert (ladder["output"]["a"]["pr"], ladder["output"]["b"]["pr"]) == (0, 3)
    classique = answer(
        "formule_classique", "match_points", match={"a": "A", "b": "B", "present": "B"}
    )
    assert classique["output"] == {"a": [0, -10], "b": [3, 10]}
    assert answer("faizers_cote", "match_points", kind="forfeit", present="b")["output"] == [0, 3]


@pytest.mark.parametrize(("rating", "after"), [(1101, 991), (1100, 990), (1099, 990)])
def test_002_ii_a_2_the_floor_of_cuts_is_the_one_of_the_settings(rating, after):
    cut = {"rating": rating, "percent": 10}
    exact = answer("faizers_pairing", "rating_cut", settings={"rating_floor": 990}, **cut)
    assert exact["output"]["rating"] in (after, {"num": 9909, "den": 10, "approx": 990.9})
    assert answer("faizers_cote", "apply_cut", cfg={"rating_floor": 990}, **cut)["output"] == after
    assert answer("faizers_pairing", "rating_cut", **cut)["output"]["rating"] == 1000


@pytest.mark.parametrize(
    ("points", "exact", "shown"), [(490, 50, 50), (500, 50, 50), (510, 51, 51)]
)
def test_absp_a_combined_mean_below_50_is_raised_to_50(points, exact, shown):
    found = answer("absp", "combine", history=[[points, 10]])["output"]
    assert found == {"exact": exact, "shown": shown}


@pytest.mark.parametrize(("age", "form"), [(182, 400), (183, None), (184, None)])
def test_002_ii_c_2_a_match_183_days_old_is_out_of_the_form(age, form):
    history = [{"a": "A", "b": "B", "kind": "played", "sa": 400, "sb": 300, "day": 0}]
    rows = answer("faizers_pairing", "standings", players=["A", "B"], history=history, today=age)[
        "output"
    ]["rows"]
    assert rows[0]["form"] == form


@pytest.mark.parametrize("counted", [True, False])
def test_004_4_1_a_double_forfeit_is_never_a_meeting(counted):
    history = [{"a": "A", "b": "B", "forfeit": "both"}]
    settings = {"forfeit_counts_as_met_ppm": counted}
    found = answer("formule_classique", "ppm", group=["A", "B"], history=history, settings=settings)
    assert found["output"] == {"ppm": None}


def test_004_2_names_equal_but_for_accents_are_ordered_as_spelled_then_by_entry():
    names = {"1": "Zoé", "2": "Elea", "3": "Éléa", "4": "Eléa", "5": "Elea", "6": "E\u0301léa"}
    entries = [{"id": id_, "name": name, "cote": 1500} for id_, name in names.items()]
    found = answer("formule_classique", "initial_ranking", entries=entries)["output"]["order"]
    assert found == ["2", "5", "4", "3", "6", "1"]
