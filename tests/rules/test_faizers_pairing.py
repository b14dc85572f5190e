"""One round of the ladder: rank, bye, best against lowest, repeats (002 III, VI)."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clubs.rulebooks.fields import settings_of, with_values
from pairings.rules.scoring import MatchRecord, Meeting
from pairings.systems.faizers.conformance import FUNCTIONS
from pairings.systems.faizers.system import CRITERIA, FaizersPairing, bye_counts
from pairings.systems.matching.repairing import NOT_FOUND, permute
from pairings.systems.protocol import BYE_REASONS, REASONS, SKIPPED_BECAUSE, WARNINGS, Entrant

STRICT = FaizersPairing()
OPTIMAL = FaizersPairing(strategy="optimal")
VECTORS = Path(__file__).parent.parent / "vectors" / "faizers_pairing.jsonl"
CASES = [json.loads(line) for line in VECTORS.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_conformance(case):
    function, _shape = FUNCTIONS["faizers_pairing"][case["function"]]
    assert function(case["input"]) == case["expected"]


def game(first: str, second: str | None, day: int = 0) -> MatchRecord:
    if second is None:
        return MatchRecord(first, None, "bye", day=day)
    return MatchRecord(first, second, first_score=300, second_score=300, day=day, key=f"r{day}")


def games(*pairs: str) -> list[MatchRecord]:
    return [game(pair[0], pair[1], day) for day, pair in enumerate(pairs)]


def draw(order: str, *played: str, rules: FaizersPairing = STRICT):
    return rules.pair_ranked(order, rules.met(games(*played)))


def seats(pairing) -> str:
    return " ".join(f"{pair.first}-{pair.second}" for pair in pairing.pairs)


def reasons(pairing) -> list[str]:
    return [pair.reason for pair in pairing.pairs]


# --- III.B -----------------------------------------------------------------------------------


def found(order: str, player: str, proposed: str, *met: str, free: str | None = None):
    place, reason, refused = permute(
        order,
        lambda place: order[place] in (free or order),
        lambda other: other not in met,
        order.index(player),
        order.index(proposed),
    )
    return place != NOT_FOUND and order[place], reason, "".join(order[p] for p in refused)


def test_the_documents_example_a_met_b_and_c_proposal_a_b_gives_a_d():  # III.B.2
    assert found("ABCDEF", "A", "B", "B", "C") == ("D", "down", "BC")


def test_end_to_end_the_same_players_are_proposed_the_last_one():  # III.B.1
    pairing = draw("ABCDEF", "AB", "AC")
    assert (pairing.pairs[0].second, pairing.pairs[0].reason) == ("F", "direct")


@pytest.mark.parametrize(
    ("met", "expected"),
    [
        ("", ("D", "direct", "")),
        ("D", ("C", "up", "D")),
        ("DC", ("B", "up", "DC")),
        ("DCB", ("E", "down", "DCB")),
        ("DCBE", ("F", "down", "DCBE")),
        ("DCBEF", (False, "", "DCBEF")),
    ],
)
def test_up_one_by_one_from_the_proposed_opponent_and_only_then_down(met, expected):
    assert found("ABCDEF", "A", "D", *met) == expected


def test_a_permutation_passes_over_players_who_already_have_a_match():
    assert found("ABCDEF", "A", "F", "F", free="ABCF") == ("C", "up", "F")


def test_the_best_still_free_meets_the_lowest_still_free():  # III.B.1
    pairing = draw("ABCDEF")
    assert seats(pairing) == "A-F B-E C-D" and reasons(pairing) == ["direct"] * 3


def test_a_pair_carries_who_was_proposed_who_was_skipped_and_when_they_met():
    pair = draw("ABCDEF", "AF", "AE", "BF").pairs[0]
    assert (pair.second, pair.reason, pair.proposed) == ("D", "up", "F")
    assert [(s.opponent, s.why, s.meeting.day, s.meeting.key) for s in pair.skipped] == [
        ("F", "met", 0, "r0"),
        ("E", "met", 1, "r1"),
    ]


# --- repeats (VI.4) ------------------------------------------------------------------------


def everybody_met(*, since: int) -> dict:
    return {one: {two: Meeting(since, 1, 0, "") for two in "ABCD" if two != one} for one in "ABCD"}


@pytest.mark.parametrize(("since", "reason"), [(4, "early_repeat"), (5, "repeat"), (6, "repeat")])
def test_a_repeat_is_allowed_five_matches_later(since, reason):
    pairing = STRICT.pair_ranked("ABCD", everybody_met(since=since))
    assert seats(pairing) == "A-D B-C" and reasons(pairing) == [reason] * 2
    assert [pair.meeting.since for pair in pairing.pairs] == [since] * 2


def test_a_forced_repeat_is_searched_up_among_those_met_long_enough_ago():
    met = everybody_met(since=2)
    met["A"]["B"] = met["B"]["A"] = Meeting(5, 1, 0, "")
    pairing = STRICT.pair_ranked("ABCD", met)
    assert seats(pairing) == "A-B C-D" and reasons(pairing) == ["repeat", "early_repeat"]
    assert [(s.opponent, s.why) for s in pairing.pairs[0].skipped] == [
        ("D", "too_soon"),
        ("C", "too_soon"),
    ]


def test_an_early_repeat_asks_for_the_arbiter():
    pairing = STRICT.pair_ranked("ABCD", everybody_met(since=0))
    assert [(w.code, w.players) for w in pairing.warnings] == [
        ("needs_arbiter", ("A", "D")),
        ("needs_arbiter", ("B", "C")),
    ]
    assert pairing.alternative is None


def test_a_new_opponent_is_always_preferred_to_a_permitted_repeat():
    met = everybody_met(since=99)
    del met["A"]["B"], met["B"]["A"]
    assert seats(STRICT.pair_ranked("ABCD", met)) == "A-B C-D"


# --- where the book repeats a match that need not be --------------------------------


def test_six_players_in_round_2_repeat_c_d_two_matches_after_the_start():
    pairing = draw("ABCDEF", "AF", "BE", "CD")
    assert seats(pairing) == "A-E B-F C-D"
    assert reasons(pairing) == ["up", "direct", "early_repeat"]
    assert pairing.alternative is not None
    assert seats(pairing.alternative) == "A-E B-D C-F" and pairing.alternative.repeats == 0
    assert "avoidable_repeat" in [warned.code for warned in pairing.warnings]


def repeats_of_a_season(rules, size: int, rng: random.Random) -> int:
    """How many pairs meet again in size − 1 rounds where everybody is there."""
    entrants = [Entrant(number, 0, number) for number in range(size)]
    records, met, repeats = list[MatchRecord](), set(), 0
    for day in range(1, size):
        pairs = rules.pair_round(entrants, records, today=day).pairs
        for pair in pairs:
            both = frozenset((pair.first, pair.second))
            repeats += both in met
            met.add(both)
            scores = rng.randint(250, 500), rng.randint(250, 500)
            records.append(MatchRecord(pair.first, pair.second, "played", *scores, day=day))
    return repeats


def test_the_committee_reads_how_often_each_strategy_repeats():
    effect = settings_of(FaizersPairing)["strategy"].effect
    printed = [float(number.replace(",", ".")) for number in re.findall(r"\d,\d", effect)]
    measured = [
        sum(repeats_of_a_season(rules, size, random.Random(seed)) for seed in range(seasons))
        / seasons
        for size, seasons in ((6, 60), (10, 20))
        for rules in (STRICT, OPTIMAL)
    ]
    assert len(printed) == 4
    assert all(abs(a - b) < 0.5 for a, b in zip(printed, measured, strict=True)), measured


def test_the_tail_c_d_is_repeated_by_the_book_and_avoided_by_looking_ahead():
    pairing = draw("ABCDEF", "CD")
    assert seats(pairing) == "A-F B-E C-D"
    assert seats(pairing.alternative) == "A-F B-D C-E"
    ahead = draw("ABCDEF", "CD", rules=OPTIMAL)
    assert ahead == pairing.alternative and reasons(ahead) == ["direct", "up", "direct"]
    assert [(s.opponent, s.why, s.meeting) for s in ahead.pairs[1].skipped] == [
        ("E", "lookahead", None)
    ]


def test_refused_early_repeats_leave_c_and_d_without_a_match():
    pairing = draw("ABCDEF", "CD", rules=replace(STRICT, allow_early_repeat=False))
    assert seats(pairing) == "A-F B-E" and pairing.unpaired == ("C", "D")
    assert ("unpaired", ("C", "D")) in pairing.warnings
    assert seats(pairing.alternative) == "A-F B-D C-E" and not pairing.alternative.unpaired


def test_an_avoidable_repeat_may_cost_the_leaders_their_first_choices():
    pairing = draw("GHIJKL", "GL", "HK", "GK", "HL", "KL")
    assert seats(pairing) == "G-J H-I K-L" and pairing.pairs[-1].reason == "early_repeat"
    assert seats(pairing.alternative) == "G-H I-L J-K"
    assert [(s.opponent, s.why) for s in pairing.alternative.pairs[0].skipped] == [
        ("L", "met"),
        ("K", "met"),
        ("J", "lookahead"),
        ("I", "lookahead"),
    ]


def test_when_every_pairing_repeats_nothing_is_called_avoidable():
    pairing = STRICT.pair_ranked("ABCD", everybody_met(since=9))
    assert pairing.repeats == 2 and pairing.alternative is None


# --- byes (II.B.3, III.C.1, VI.5) --------------------------------------------------------------


def with_byes(*byes: str, order: str = "ABCDE", rules: FaizersPairing = STRICT):
    bye = rules.choose_bye(order, [game(player[0], player[1:] or None) for player in byes])
    return bye.player, bye.reason


def test_the_lowest_of_those_with_the_fewest_byes_gets_it():
    assert with_byes() == ("E", "fewest_byes")
    assert with_byes("E", "EA", "D", "DB") == ("C", "fewest_byes")


def test_a_second_bye_running_is_given_only_when_everybody_is_at_the_limit():
    assert with_byes("E") == ("D", "fewest_byes")
    assert with_byes("A", "B", "C", "D", "E") == ("E", "limit_exceeded")
    assert with_byes("A", "B", "C", "D", "E", "E") == ("D", "limit_exceeded")


@pytest.mark.parametrize(("limit", "player"), [(1, "B"), (2, "C"), (3, "C")])
def test_the_limit_counts_the_players_own_matches(limit, player):
    """C has one bye running (their absence from the evening in between changes nothing)."""
    rules = replace(STRICT, max_consecutive_byes=limit)
    assert with_byes("A", "B", "C", "AB", order="ABC", rules=rules)[0] == player


def test_a_match_played_or_missed_ends_the_run_and_an_annulled_one_does_not():
    def run(*records):
        return bye_counts([game("A", None), *records])[0]["A"]

    assert run() == 1
    assert run(game("A", "B")) == 0
    assert run(MatchRecord("B", "A", "absent", absent="b")) == 0
    assert run(MatchRecord("A", "B", "cancelled")) == 1
    assert run(game("A", None)) == 2


def test_the_literal_reading_gives_it_to_the_leader_below_the_limit():
    literal = replace(STRICT, bye_policy="dummy_last")
    assert with_byes(rules=literal) == ("A", "dummy_last")
    assert with_byes("A", rules=literal) == ("B", "dummy_last")
    assert with_byes("A", "AB", rules=literal) == ("A", "dummy_last")


# --- a whole round -----------------------------------------------------------------------------


def entrants(players: str) -> list[Entrant]:
    return [Entrant(player, place, place) for place, player in enumerate(players)]


def test_only_those_present_are_paired():
    pairing = STRICT.pair_round(entrants("ABCDEFG"), [], available="ACDFG", today=0)
    assert pairing.order == tuple("ACDFG")
    assert pairing.byes[0].player == "G" and seats(pairing) == "A-F C-D"


def test_the_alternative_keeps_the_same_bye():
    pairing = STRICT.pair_round(entrants("ABCDEFG"), [game("A", "B"), game("C", "D")], today=0)
    assert seats(pairing) == "A-F B-E C-D" and [bye.player for bye in pairing.byes] == ["G"]
    assert seats(pairing.alternative) == "A-F B-D C-E"
    assert pairing.alternative.byes == pairing.byes
    assert pairing.alternative.order == pairing.order == tuple("ABCDEFG")


@pytest.mark.parametrize("players", ["", "A", "AB"])
def test_the_smallest_rounds(players):
    pairing = STRICT.pair_round(entrants(players), [], today=0)
    assert len(pairing.pairs) == len(players) // 2
    assert [bye.player for bye in pairing.byes] == (["A"] if players == "A" else [])


def test_a_pairing_is_stored_as_json_with_its_reasons():
    played = games("AF", "BE", "CD")
    stored = STRICT.pair_round(entrants("ABCDEF"), played, today=0).to_json()
    assert json.loads(json.dumps(stored)) == stored
    pair = next(pair for pair in stored["pairs"] if pair["reason"] == "early_repeat")
    assert pair["meeting"]["times"] == 1 and pair["proposed"]
    assert stored["alternative"]["pairs"] and stored["strategy"] == "strict"


@st.composite
def rounds(draw):
    """A season of any matches and byes, and who came tonight."""
    size = draw(st.integers(1, 9))
    players = "ABCDEFGHI"[:size]
    records = []
    for day in range(draw(st.integers(0, 16))):
        seated = draw(st.permutations(players))
        bye = size == 1 or draw(st.integers(0, 5)) == 0
        records.append(game(seated[0], None if bye else seated[1], day))
    present = draw(st.sets(st.sampled_from(players)))
    return players, records, present


every_rule = st.builds(
    FaizersPairing,
    strategy=st.sampled_from(["strict", "optimal"]),
    allow_early_repeat=st.booleans(),
    repeat_after=st.integers(0, 6),
    bye_policy=st.sampled_from(["lowest", "dummy_last"]),
    max_consecutive_byes=st.integers(1, 3),
)


@settings(deadline=None)
@given(rounds(), every_rule)
def test_everybody_present_is_seated_exactly_once(evening, rules):
    players, records, present = evening
    pairing = rules.pair_round(entrants(players), records, available=present, today=20)
    seated = [player for pair in pairing.pairs for player in (pair.first, pair.second)]
    seated += [bye.player for bye in pairing.byes] + list(pairing.unpaired)
    assert sorted(seated) == sorted(present) == sorted(pairing.order)
    assert len(pairing.byes) == len(present) % 2
    assert not pairing.unpaired or not rules.allow_early_repeat


@settings(deadline=None)
@given(rounds(), every_rule)
def test_the_reason_of_each_pair_is_true(evening, rules):
    players, records, present = evening
    met = rules.met(records)
    for pair in rules.pair_round(entrants(players), records, available=present, today=20).pairs:
        meeting = met.get(pair.first, {}).get(pair.second)
        assert pair.meeting == meeting and pair.reason in REASONS
        assert (pair.reason in ("repeat", "early_repeat")) == (meeting is not None)
        if meeting is not None:
            assert (pair.reason == "repeat") == (meeting.since >= rules.repeat_after)
        assert (pair.reason == "direct") == (meeting is None and pair.second == pair.proposed)
        for skipped in pair.skipped:
            assert skipped.why in SKIPPED_BECAUSE
            assert (skipped.meeting is None) == (skipped.why == "lookahead")


@settings(deadline=None)
@given(rounds(), every_rule)
def test_nobody_goes_over_the_limit_of_byes_while_another_is_below_it(evening, rules):
    players, records, present = evening
    runs, _ = bye_counts(records)
    below = [p for p in present if runs.get(p, 0) < rules.max_consecutive_byes]
    for bye in rules.pair_round(entrants(players), records, available=present, today=20).byes:
        assert bye.within_limit == bool(below)
        assert not below or bye.player in below


@settings(deadline=None)
@given(rounds(), st.randoms(use_true_random=False))
def test_the_pairing_does_not_depend_on_the_order_of_input(evening, chance):
    players, records, present = evening
    shuffled = chance.sample(entrants(players), len(players))
    assert STRICT.pair_round(shuffled, records, available=present, today=20) == STRICT.pair_round(
        entrants(players), records, available=present, today=20
    )


@settings(deadline=None)
@given(rounds())
def test_the_literal_rule_and_looking_ahead_agree_until_a_repeat_is_avoidable(evening):
    players, records, present = evening
    literal = STRICT.pair_round(entrants(players), records, available=present, today=20)
    ahead = OPTIMAL.pair_round(entrants(players), records, available=present, today=20)
    assert ahead.repeats <= literal.repeats
    if literal.repeats == 0:
        assert ahead.pairs == literal.pairs
    assert (literal.alternative is not None) == (ahead.repeats < literal.repeats)
    if literal.alternative is not None:
        assert literal.alternative == ahead


# --- the committee's numbers -------------------------------------------------------------------

SECTION_L = [
    "ds_mode",
    "ds_signed",
    "ds_weights",
    "bye_ds",
    "forfeit_ds",
    "pdi_policy",
    "pdi_ignore_groups",
    "pdi_multi",
    "forfeit_counts_as_met_pairing",
    "forfeit_counts_as_met_pdi",
    "form_window_days",
    "repeat_after",
    "allow_early_repeat",
    "max_consecutive_byes",
    "bye_policy",
    "strategy",
    "absence_limit",
    "absence_window",
    "suspension_rounds",
    "rating_cut_percent",
    "rating_floor",
]


@pytest.mark.parametrize("name", SECTION_L)
def test_each_number_of_the_play_is_a_setting_with_its_words(name):
    words = settings_of(FaizersPairing)[name]
    assert words.label and words.article.startswith("002 ")


def test_a_rule_book_overrides_by_name_and_refuses_an_unknown_one():
    rules = with_values(
        FaizersPairing, {"bye_ds": 12.5, "pdi_ignore_groups": [["A", "B"]], "repeat_after": 3}
    )
    assert rules.bye_ds * 2 == 25 and rules.pdi_ignore_groups == (("A", "B"),)
    with pytest.raises(KeyError, match="bonus"):
        with_values(FaizersPairing, {"bonus": 1})


def test_every_code_that_a_pairing_or_a_ranking_can_carry_has_words():
    for words in (REASONS, SKIPPED_BECAUSE, BYE_REASONS, WARNINGS):
        assert all(words.values())
    shown = {criterion.name for criterion in STRICT.criteria([], [], today=0)}
    assert shown == set(CRITERIA)
