"""Each act on a sanction in each of its states, and on no other sanction than its own."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from clubs.accounts.actor import Refused
from clubs.journal.models import JournalEntry
from clubs.sanctions import actions
from clubs.sanctions.models import Sanction
from tests.refusals import refused

pytestmark = pytest.mark.django_db
DAYS = 7
GROUNDS = {"absences": [1, 2, 3]}


def propose(club, member=None, key="three absences", grounds=GROUNDS):
    return actions.propose(
        member=member or club.members[0],
        trigger_key=key,
        grounds=grounds,
        by=club.committee,
        at=club.at,
    )


def by_committee(club, reason="Après discussion."):
    return {"reason": reason, "by": club.committee, "at": club.at}


def impose(club, sanction, **details):
    decided = {"appeal_days": DAYS, "evenings": 2, **by_committee(club), **details}
    return actions.impose(sanction=sanction, **decided)


def withdraw(club, sanction):
    return actions.withdraw(sanction=sanction, by=club.committee, at=club.at)


def unfound(club, sanction):
    return actions.note_grounds(sanction=sanction, hold=False, by=club.committee, at=club.at)


def dismiss(club, sanction):
    return actions.dismiss(sanction=sanction, **by_committee(club))


def appeal(club, sanction, text="J’étais à l’hôpital.", at=None):
    author = club.player(sanction.member)
    return actions.appeal(sanction=sanction, text=text, by=author, at=at or club.at)


def refuse_appeal(club, sanction):
    return actions.refuse_appeal(sanction=sanction, **by_committee(club))


def lift(club, sanction):
    return actions.lift(sanction=sanction, **by_committee(club))


ACTS = {
    act.__name__: act for act in (impose, dismiss, withdraw, appeal, refuse_appeal, lift, unfound)
}
WAYS = {
    "proposed": (),
    "withdrawn": (withdraw,),
    "dismissed": (dismiss,),
    "imposed": (impose,),
    "appealed": (impose, appeal),
    "kept": (impose, appeal, refuse_appeal),
    "lifted": (impose, lift),
}
"""How a sanction comes into each state."""
DONE = {
    "impose": {"proposed"},
    "dismiss": {"proposed"},
    "withdraw": {"proposed"},
    "appeal": {"imposed"},
    "refuse_appeal": {"appealed"},
    "lift": {"imposed", "appealed", "kept"},
    "unfound": {"imposed", "appealed", "kept"},
}
"""The states in which an act is done; in every other one it changes nothing."""
QUIET = {"withdraw", "unfound"}
"""Acts of the site itself: they return False where a person is refused."""


def in_state(club, state, member=None):
    sanction = propose(club, member)
    for act in WAYS[state]:
        act(club, sanction)
        sanction.refresh_from_db()
    return sanction


def rows(**of):
    return list(Sanction.objects.filter(**of).order_by("pk").values())


@pytest.mark.parametrize("state", WAYS)
@pytest.mark.parametrize("act", ACTS)
def test_an_act_is_done_where_the_table_says_so(club, act, state):
    sanction = in_state(club, state)
    in_state(club, state, club.members[1])
    own, others = rows(pk=sanction.pk), rows(member=club.members[1])
    entries = JournalEntry.objects.count()
    if state in DONE[act]:
        assert ACTS[act](club, sanction)
    elif act in QUIET:
        assert ACTS[act](club, sanction) is False
    else:
        with pytest.raises(Refused) as refusal:
            ACTS[act](club, sanction)
        late = act == "appeal" and state in ("proposed", "withdrawn", "dismissed")
        gone = act in ("impose", "dismiss") and state == "withdrawn"
        assert refusal.value.code == ("too_late" if late else "withdrawn" if gone else "stale")
    is_done = state in DONE[act]
    assert (rows(pk=sanction.pk) != own) is is_done
    assert rows(member=club.members[1]) == others
    assert JournalEntry.objects.count() == entries + is_done


def test_a_sanction_that_rests_on_corrected_absences_is_founded_again(club):
    sanction = in_state(club, "imposed")
    assert unfound(club, sanction)
    other = in_state(club, "imposed", club.members[1])
    assert unfound(club, other)
    assert actions.note_grounds(sanction=sanction, hold=True, by=club.committee, at=club.at)
    assert not actions.note_grounds(sanction=sanction, hold=True, by=club.committee, at=club.at)
    other.refresh_from_db()
    assert sanction.unfounded_at is None and other.unfounded_at == club.at
    entries = JournalEntry.objects.filter(subject=f"sanction:{sanction.pk}").order_by("seq")
    verbs = [entry.verb for entry in entries]
    assert verbs[-2:] == ["sanction_unfounded", "sanction_founded"]


@pytest.mark.parametrize(
    ("seconds", "is_heard"), [(-1, True), (0, True), (1, False)], ids=["before", "at", "after"]
)
def test_an_appeal_is_heard_until_the_end_of_its_days(club, seconds, is_heard):
    sanction = in_state(club, "imposed")
    at = club.at + timedelta(days=DAYS, seconds=seconds)
    if is_heard:
        assert appeal(club, sanction, at=at).appealed_at == at
        return
    with refused("too_late"):
        appeal(club, sanction, at=at)


@pytest.mark.parametrize(
    ("percent", "is_taken"),
    [("0", False), ("0.01", True), ("99.99", True), ("100", False), ("-5", False)],
)
def test_a_cut_is_between_nothing_and_everything(club, percent, is_taken):
    sanction = propose(club)
    if is_taken:
        assert impose(club, sanction, cut_percent=Decimal(percent)).cut_percent == Decimal(percent)
        return
    with refused("percent"):
        impose(club, sanction, cut_percent=Decimal(percent))


@pytest.mark.parametrize(
    ("evenings", "from_tonight", "stored"),
    [(0, True, (None, False)), (1, True, (1, True)), (1, False, (1, False))],
)
def test_a_warning_suspends_nobody(club, evenings, from_tonight, stored):
    sanction = impose(club, propose(club), evenings=evenings, from_tonight=from_tonight)
    assert (sanction.suspended_evenings, sanction.suspended_tonight) == stored


@pytest.mark.parametrize("act", ["impose", "dismiss", "lift", "refuse_appeal"])
@pytest.mark.parametrize(
    ("reason", "own", "code"), [("  ", False, "reason_required"), ("Vu.", True, "own_case")]
)
def test_a_decision_has_a_reason_and_is_not_about_oneself(club, act, reason, own, code):
    state = {"lift": "imposed", "refuse_appeal": "appealed"}.get(act, "proposed")
    sanction = in_state(club, state)
    by = replace(club.committee, member=sanction.member) if own else club.committee
    decided = {"reason": reason, "by": by, "at": club.at}
    if act == "impose":
        decided["appeal_days"] = DAYS
    with refused(code):
        getattr(actions, act)(sanction=sanction, **decided)


def test_an_appeal_is_of_who_is_concerned_and_says_why(club):
    sanction = in_state(club, "imposed")
    for author, text, code in (
        (club.player(club.members[1]), "Injuste.", "not_yours"),
        (club.player(sanction.member), " ", "reason_required"),
    ):
        with refused(code):
            actions.appeal(sanction=sanction, text=text, by=author, at=club.at)


def test_the_same_trigger_proposes_once_and_another_one_anew(club):
    first = propose(club)
    entries = JournalEntry.objects.count()
    assert propose(club).pk == first.pk
    assert JournalEntry.objects.count() == entries
    assert propose(club, key="three more").pk != first.pk
    assert JournalEntry.objects.count() == entries + 1


@pytest.mark.parametrize(
    ("state", "follows"),
    [("proposed", True), ("withdrawn", True), ("dismissed", False), ("imposed", False)],
)
def test_only_a_case_that_is_open_follows_the_matches(club, state, follows):
    sanction = in_state(club, state)
    other = in_state(club, state, club.members[1])
    entries = JournalEntry.objects.count()
    now = propose(club, grounds={"absences": [1, 2, 4]})
    other.refresh_from_db()
    assert now.pk == sanction.pk
    assert (now.grounds == {"absences": [1, 2, 4]}) is follows
    assert now.status == ("proposed" if follows else state) and other.grounds == GROUNDS
    assert JournalEntry.objects.count() == entries + (state == "withdrawn")
    if state == "withdrawn":
        assert (now.reason, now.decided_at, other.status) == ("", None, "withdrawn")
