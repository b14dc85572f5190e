"""The life of a match: every transition, every refusal, every limit by three."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairings.rules.match_lifecycle import FLOW, Lifecycle
from pairings.rules.match_state import CLOSED, OPEN, Act, MatchState, Result, Status

RULES = Lifecycle()
NEW = MatchState(first="A", second="B")


def act(kind, by="A", role="player", at=1000.0, **more):
    return Act(type=kind, by=by, role=role, at=at, **more)


def scores(by="A", at=1000.0, a=400, b=350, kind="submit"):
    return act(kind, by=by, at=at, result=Result("played", a, b))


def after(*acts, rules=RULES, start=NEW):
    state = start
    for one in acts:
        step = rules.apply(state, one)
        assert step.ok, step.code
        state = step.after
    return state


SUBMITTED = after(scores())
CONTESTED = after(scores(), act("contest", by="B"))
FINAL = after(scores(), act("confirm", by="B"))
CLAIMED = after(act("claim_absence"))
EXPIRED = RULES.lapse(SUBMITTED, 1301).after
AGREED_LATER = Lifecycle(final_on_confirm=False)
AGREED = after(scores(), act("confirm", by="B"), rules=AGREED_LATER)
AGREED_AND_ENDED = AGREED_LATER.lapse(AGREED, 1301).after


def refused(state, one, rules=RULES):
    step = rules.apply(state, one)
    assert not step.ok
    return step.code


@pytest.mark.parametrize(("at", "status"), [(1299, "contested"), (1300, "contested")])
def test_a_contest_counts_up_to_the_last_second(at, status):
    assert after(scores(), act("contest", by="B", at=at)).status == status


def test_a_contest_one_second_late_is_refused_and_the_expiry_is_kept():
    step = RULES.apply(SUBMITTED, act("contest", by="B", at=1301))
    assert (step.ok, step.code, step.after.status) == (False, "window_closed", Status.FINAL)
    assert [line.event for line in step.lines] == ["expire"]


@pytest.mark.parametrize(("at", "lines"), [(1299, 0), (1300, 0), (1301, 1)])
def test_a_window_lapses_just_after_its_last_second(at, lines):
    assert len(RULES.lapse(SUBMITTED, at).lines) == lines


@pytest.mark.parametrize(("at", "ok"), [(899, False), (900, True), (901, True)])
def test_an_absence_is_claimed_from_the_grace_time_on(at, ok):
    assert RULES.apply(NEW, act("claim_absence", at=at)).ok is ok


@pytest.mark.parametrize(("at", "ok"), [(604799, False), (604800, False), (604801, True)])
def test_a_match_times_out_after_its_deadline(at, ok):
    step = RULES.apply(NEW, act("timeout", by="system", role="system", at=at))
    assert step.ok is ok
    assert not ok or step.after.status is Status.VOID


@pytest.mark.parametrize(
    ("value", "ok"),
    [(-201, False), (-200, True), (-199, True), (1999, True), (2000, True), (2001, False)],
)
def test_scores_lie_between_the_bounds(value, ok):
    assert RULES.apply(NEW, scores(a=value)).ok is ok


@pytest.mark.parametrize(
    ("state", "one", "code"),
    [
        (SUBMITTED, act("confirm"), "own_submission"),
        (SUBMITTED, scores(by="B", kind="edit"), "not_submitter"),
        (SUBMITTED, scores(), "own_submission"),
        (SUBMITTED, scores(a=-900), "own_submission"),
        (SUBMITTED, act("claim_absence", by="B"), "wrong_state"),
        (
            SUBMITTED,
            act("mark_absent", by="R", role="arbiter", result=Result("absent", absent="a")),
            "wrong_state",
        ),
        (SUBMITTED, act("expire", by="system", role="system", at=1300), "window_open"),
        (SUBMITTED, act("confirm", by="C"), "not_allowed"),
        (SUBMITTED, act("confirm", by="R", role="arbiter"), "not_allowed"),
        (NEW, act("cancel", reason="x"), "not_allowed"),
        (NEW, act("confirm", by="B"), "wrong_state"),
        (NEW, act("cancel", by="R", role="arbiter"), "reason_required"),
        (NEW, act("cancel", by="A", role="arbiter", reason="x"), "own_match"),
        (
            NEW,
            act("mark_absent", by="R", role="arbiter", result=Result("absent", absent="c")),
            "bad_result",
        ),
        (NEW, act("dance"), "unknown_event"),
        (FINAL, act("contest", by="B"), "wrong_state"),
        (FINAL, act("confirm", by="B"), "wrong_state"),
        (EXPIRED, act("contest", by="B", at=1400), "window_closed"),
        (AGREED_AND_ENDED, act("contest", by="B", at=1400), "window_closed"),
        (CLAIMED, act("deny"), "own_submission"),
        (CLAIMED, act("withdraw", by="B"), "not_claimer"),
        (CLAIMED, act("withdraw", by="R", role="arbiter"), "not_allowed"),
        (SUBMITTED, act("withdraw"), "wrong_state"),
        (CONTESTED, act("decide", by="R", role="arbiter", reason="x"), "bad_result"),
        (
            CONTESTED,
            act("decide", by="A", role="arbiter", reason="x", result=Result("played", 1, 2)),
            "own_match",
        ),
        (
            FINAL,
            act("correct", by="R", role="arbiter", result=Result("played", 1, 2)),
            "reason_required",
        ),
    ],
)
def test_what_may_not_happen_is_refused_by_name(state, one, code):
    assert refused(state, one) == code


def test_an_arbiter_may_contest_an_obvious_slip_within_the_window():
    assert after(scores(), act("contest", by="R", role="arbiter")).status is Status.CONTESTED


def test_silence_goes_to_the_arbiter_where_the_committee_says_so():
    rules = Lifecycle(tacit_acceptance=False)
    state = rules.lapse(SUBMITTED, 1301).after
    assert (state.status, state.why, state.result) == (
        Status.CONTESTED,
        None,
        Result("played", 400, 350),
    )


@pytest.mark.parametrize(("at", "ok"), [(1299, True), (1300, True), (1301, False)])
def test_a_claimed_absence_is_taken_back_within_its_window(at, ok):
    step = RULES.apply(CLAIMED, act("withdraw", at=at))
    assert step.ok is ok
    assert step.after.status is (Status.PLAYING if ok else Status.FINAL)


def test_a_claim_taken_back_leaves_no_result_and_may_be_made_again():
    state = after(act("claim_absence"), act("withdraw", at=1010))
    assert (state.result, state.submitted_by, state.window_opened_at) == (None, None, None)
    again = RULES.apply(state, act("claim_absence", by="B", at=1020)).after
    assert RULES.window_ends(again) == 1320


def test_a_silent_absence_is_a_forfeit_even_where_silence_is_no_agreement():
    """The switch is about results; an absent player is silent because they are absent."""
    state = Lifecycle(tacit_acceptance=False).lapse(CLAIMED, 1301).after
    assert (state.status, state.why, state.result) == (
        Status.FINAL,
        "expired",
        Result("absent", absent="b"),
    )


@pytest.mark.parametrize(
    ("state", "kind", "code"),
    [
        (NEW, "start", None),
        (NEW, "cancel", None),
        (NEW, "mark_absent", "not_allowed"),
        (SUBMITTED, "contest", "not_allowed"),
        (CONTESTED, "decide", "not_allowed"),
        (FINAL, "correct", "not_allowed"),
    ],
)
def test_an_administrator_starts_and_cancels_and_judges_nothing(state, kind, code):
    """Decisions are the arbiter's or the committee's; an administrator may cancel."""
    one = act(kind, by="S", role="admin", reason="x", result=Result("played", 1, 2, absent="a"))
    assert RULES.apply(state, one).code == code


def test_an_agreement_counts_but_stays_open_where_the_committee_says_so():
    rules = Lifecycle(final_on_confirm=False)
    agreed = after(scores(), act("confirm", by="B"), rules=rules)
    assert (agreed.status, rules.counts(agreed)) == (Status.SUBMITTED, True)
    assert rules.apply(agreed, act("contest", by="A", at=1200)).after.status is Status.CONTESTED
    ended = rules.lapse(agreed, 1301).after
    assert (ended.status, ended.why) == (Status.FINAL, "confirmed")
    late = rules.apply(agreed, act("contest", by="A", at=1301))
    assert (late.code, late.after.status) == ("window_closed", Status.FINAL)


def test_a_double_absence_is_void_and_a_single_one_a_forfeit():
    def mark(absent):
        return after(
            act("mark_absent", by="R", role="arbiter", result=Result("absent", absent=absent))
        ).status

    assert (mark("both"), mark("a"), mark("b")) == (Status.VOID, Status.FINAL, Status.FINAL)


def test_an_unanswered_claim_is_a_forfeit_of_the_other():
    state = RULES.lapse(CLAIMED, 1301).after
    assert (state.status, state.result) == (Status.FINAL, Result("absent", absent="b"))


def test_a_correction_keeps_the_match_closed_and_raises_its_revision():
    one = act("correct", by="R", role="arbiter", reason="report", result=Result("played", 1, 2))
    state = after(one, one, start=FINAL)
    assert (state.status, state.rev, state.why) == (Status.FINAL, 2, "corrected")


def test_every_status_can_be_reached_and_every_open_one_left():
    reached = {Status.PROPOSED}.union(*(targets for _who, _from, targets in FLOW.values()))
    left = set().union(*(sources for _who, sources, _to in FLOW.values()))
    assert reached == set(Status)
    assert left == set(Status)


def test_no_move_of_the_clock_leaves_a_contested_match():
    by_clock = [sources for who, sources, _to in FLOW.values() if "system" in who]
    assert all(Status.CONTESTED not in sources for sources in by_clock)


ACTS = st.builds(
    Act,
    type=st.sampled_from([*FLOW, "dance"]),
    by=st.sampled_from(["A", "B", "C", "R", "system"]),
    role=st.sampled_from(["player", "arbiter", "committee", "admin", "system"]),
    at=st.floats(0, 800_000),
    result=st.sampled_from([None, Result("void"), Result("cancelled")])
    | st.builds(
        Result,
        st.just("played"),
        st.sampled_from([400, 350, -900, "4", None, True]),
        st.sampled_from([350, 400]),
    )
    | st.builds(Result, st.just("absent"), absent=st.sampled_from([None, "a", "both"])),
    reason=st.sampled_from(["", "x"]),
)


@given(st.lists(ACTS, max_size=25), st.booleans(), st.booleans())
def test_whatever_happens_the_invariants_hold(acts, tacit, at_once):
    rules = Lifecycle(tacit_acceptance=tacit, final_on_confirm=at_once)
    state = NEW
    clock = 0.0
    for one in acts:
        clock += one.at / 20
        step = rules.apply(state, dataclasses.replace(one, at=clock))
        assert step.ok == (step.code is None)
        assert all(line.to_status in FLOW[line.event][2] for line in step.lines)
        if state.status is Status.CONTESTED and step.lines:
            assert step.lines[0].event not in ("expire", "timeout")
        if not step.ok and not step.lines:
            assert step.after == state
        if step.after.status is Status.FINAL:
            assert step.after.result is not None
        assert step.after.rev >= state.rev
        state = step.after
    assert (state.status in OPEN) != (state.status in CLOSED)


def test_the_desk_ends_a_match_with_the_slip_both_signed():
    step = RULES.apply(
        NEW, act("record", by="R", role="arbiter", result=Result("played", 400, 350))
    )
    assert (step.after.status, step.after.why) == (Status.FINAL, "desk")
    assert step.after.result == Result("played", 400, 350)


@pytest.mark.parametrize(("second", "status"), [(350, "final"), (351, "contested")])
@pytest.mark.parametrize("state", [SUBMITTED, AGREED])
def test_the_desk_agrees_with_a_phone_or_contests_it(state, second, status):
    one = act("record", by="R", role="arbiter", result=Result("played", 400, second))
    ended = RULES.apply(state, one).after
    assert (ended.status, ended.confirmed) == (status, False)
    assert ended.why == ("confirmed" if status == "final" else None)


@pytest.mark.parametrize(
    ("who", "role", "code"), [("A", "player", "not_allowed"), ("A", "arbiter", "own_match")]
)
def test_nobody_records_a_match_of_their_own(who, role, code):
    assert refused(NEW, act("record", by=who, role=role, result=Result("played", 4, 3))) == code


@pytest.mark.parametrize(("score", "ok"), [(2000, True), (2001, False), (True, False)])
def test_each_game_of_a_match_is_within_the_bounds_of_a_score(score, ok):
    one = act("submit", result=Result("played", 1, 0, games=((score, 300),)))
    assert RULES.apply(NEW, one).ok is ok


OWN_ACTS = {
    "mark_absent": (NEW, {"result": Result("absent", absent="b")}),
    "cancel": (NEW, {"reason": "panne"}),
    "decide": (CONTESTED, {"reason": "feuille", "result": Result("played", 401, 350)}),
    "correct": (FINAL, {"reason": "feuille", "result": Result("played", 401, 350)}),
}


@pytest.mark.parametrize("kind", OWN_ACTS)
def test_an_arbiter_judges_their_own_match_only_where_the_rules_say_so(kind):
    state, more = OWN_ACTS[kind]
    one = act(kind, by="A", role="arbiter", **more)
    assert refused(state, one) == "own_match"
    trusting = dataclasses.replace(RULES, arbiter_may_judge_own_match=True)
    assert trusting.apply(state, one).ok
    assert RULES.apply(state, dataclasses.replace(one, by="J")).ok


@pytest.mark.parametrize(("second", "status"), [(350, "final"), (351, "contested")])
def test_the_other_player_agrees_by_the_same_score_and_contests_by_another(second, status):
    assert after(scores(), scores(by="B", b=second)).status == status


def test_a_score_against_a_claimed_absence_goes_to_the_arbiter():
    assert after(act("claim_absence"), scores(by="B")).status is Status.CONTESTED


@pytest.mark.parametrize(
    "one", [scores(kind="edit", b=351), scores(by="B", b=351), act("confirm", by="B")]
)
def test_what_both_agreed_on_is_not_entered_again(one):
    assert refused(AGREED, one, AGREED_LATER) == "wrong_state"


@pytest.mark.parametrize("rules", [RULES, AGREED_LATER])
def test_who_admits_an_absence_ends_the_match(rules):
    state = after(act("claim_absence"), act("confirm", by="B"), rules=rules)
    assert (state.status, state.why) == (Status.FINAL, "confirmed")


@pytest.mark.parametrize(("by", "absent"), [("A", "b"), ("B", "a")])
def test_a_claim_is_about_the_other_player(by, absent):
    assert after(act("claim_absence", by=by)).result == Result("absent", absent=absent)


def test_a_result_counts_once_it_is_final_or_agreed():
    cancelled = after(act("cancel", by="R", role="arbiter", reason="panne"))
    states = [NEW, SUBMITTED, CLAIMED, CONTESTED, AGREED, FINAL, cancelled]
    assert [AGREED_LATER.counts(state) for state in states] == [
        *(False, False, False, False),
        *(True, True, False),
    ]


@pytest.mark.parametrize(
    ("result", "answer"),
    [
        (Result("played", 401, 350), "final"),
        (Result("absent", absent="a"), "final"),
        (Result("absent", absent="both"), "void"),
        (Result("void"), "void"),
        (Result("cancelled"), "cancelled"),
        (Result("absent", absent="c"), "bad_result"),
        (Result("absent"), "bad_result"),
        (Result("bye"), "bad_result"),
        (Result("played", -900, 350), "bad_score"),
        (Result("played", 401, 2001), "bad_score"),
        (Result("played", 1, 0, games=((2001, 3),)), "bad_score"),
    ],
)
def test_an_arbiter_decides_on_a_result_that_exists(result, answer):
    one = act("decide", by="R", role="arbiter", reason="feuille", result=result)
    step = RULES.apply(CONTESTED, one)
    assert (step.code or step.after.status) == answer


@pytest.mark.parametrize(
    ("state", "by", "role", "at", "events"),
    [
        (NEW, "A", "player", 100, {"start", "submit"}),
        (NEW, "A", "player", 900, {"start", "submit", "claim_absence"}),
        (NEW, "C", "player", 900, set()),
        (NEW, "R", "arbiter", 900, {"start", "record", "mark_absent", "cancel"}),
        (SUBMITTED, "A", "player", 1300, {"edit", "contest"}),
        (SUBMITTED, "B", "player", 1300, {"submit", "confirm", "contest"}),
        (SUBMITTED, "B", "player", 1301, set()),
        (CLAIMED, "A", "player", 1300, {"withdraw"}),
        (CLAIMED, "B", "player", 1300, {"submit", "confirm", "deny"}),
        (CONTESTED, "R", "arbiter", 1300, {"mark_absent", "decide", "cancel"}),
        (FINAL, "R", "arbiter", 1300, {"correct"}),
    ],
)
def test_a_page_offers_what_this_person_may_do_now(state, by, role, at, events):
    assert RULES.allowed(state, by=by, role=role, at=at) == events
