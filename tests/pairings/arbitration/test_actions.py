"""Refusals to arbiters and the committee, and undoing the cut of a lifted sanction."""

from __future__ import annotations

from contextlib import nullcontext
from datetime import timedelta
from decimal import Decimal

import pytest

from clubs.accounts.actor import ARBITER, Actor
from clubs.sanctions.models import Sanction
from pairings.absences import actions as absences
from pairings.arbitration import actions as arbitration
from pairings.arbitration import opinions
from pairings.evenings import pairing
from pairings.evenings.models import CheckIn, Evening, PairingRun
from pairings.matches import actions as match_actions
from pairings.matches.models import Match
from pairings.rules.match_state import Result
from ratings.ledger import replay
from ratings.ledger.models import LedgerEntry, RatingList, StandingCote
from tests.refusals import refused

pytestmark = pytest.mark.django_db


def finish(club, match, a, b, scores=(400, 350)):
    match_actions.submit(match=match, by=a, scores=scores, at=club.at)
    match_actions.confirm(match=match, by=b, at=club.at)


def only_two_wait(club, *members):
    CheckIn.objects.filter(evening=club.evening).exclude(member__in=members).update(state="left")


def test_a_repeat_before_its_delay_needs_the_arbiters_agreement(club):
    one, other = club.members[:2]
    match, (a, b) = club.match(one, other)
    finish(club, match, a, b)
    only_two_wait(club, one, other)
    with refused("needs_agreement"):
        pairing.pair_waiting(evening=club.evening, by=club.arbiter, at=club.at)
    assert not PairingRun.objects.exists()
    run = pairing.pair_waiting(
        evening=club.evening, by=club.arbiter, at=club.at, allow_early_repeat=True
    )
    assert run.given["early"] is True
    assert {run.matches.get().first_id, run.matches.get().second_id} == {one.pk, other.pk}


def test_the_arbiters_agreement_does_not_override_a_committee_that_forbids_early_repeats(club):
    one, other = club.members[:2]
    match, (a, b) = club.match(one, other)
    finish(club, match, a, b)
    only_two_wait(club, one, other)
    rule_tonight(club, allow_early_repeat=False)
    with refused("nobody"):
        pairing.pair_waiting(
            evening=club.evening, by=club.arbiter, at=club.at, allow_early_repeat=True
        )


def rule_tonight(club, section="pairing", **values):
    """Give the running evening a rule version with these numbers."""
    day_before = club.at - timedelta(days=1)
    draft = club.draft_rules({section: values}, at=day_before)
    book = club.adopt(draft, day_before, voted_by="le comité", at=day_before)
    Evening.objects.filter(pk=club.evening.pk).update(rule_book=book)
    club.evening.refresh_from_db()


def test_an_exempt_may_be_taken_away_but_never_given_a_score(club):
    only_two_wait(club, *club.members[:3])
    run = pairing.pair_waiting(evening=club.evening, by=club.arbiter, at=club.at)
    bye = run.matches.get(second=None)
    before = bye.version
    for result in (Result("played", 400, 0), Result("absent", absent="a")):
        with refused("bad_result"):
            club.correct(bye, result, "x")
    assert Match.objects.get(pk=bye.pk).version == before
    club.correct(bye, Result("cancelled"), "il jouait")
    bye.refresh_from_db()
    assert (bye.status, bye.counts) == ("cancelled", False)


def test_an_arbiter_who_recuses_themselves_leaves_the_claim_of_another(club):
    match, _players = club.contested()
    contest = match.contests.get()
    arbitration.take(contest=contest, by=club.arbiter, at=club.at)
    arbitration.pass_on(contest=contest, reason="ami", by=club.committee, at=club.at)
    assert contest.taken_by == club.arbiter.user
    assert contest.passed_on == [club.committee.user.pk]


def test_an_arbiter_who_passed_a_contest_on_neither_takes_nor_decides_it(club):
    match, _players = club.contested()
    contest = match.contests.get()
    arbitration.take(contest=contest, by=club.arbiter, at=club.at)
    arbitration.pass_on(contest=contest, reason="ma sœur joue", by=club.arbiter, at=club.at)
    contest.refresh_from_db()
    for act in (
        lambda: arbitration.take(contest=contest, by=club.arbiter, at=club.at),
        lambda: club.decide(match, Result("cancelled"), "x"),
        lambda: arbitration.pass_on(contest=contest, reason="x", by=club.arbiter, at=club.at),
    ):
        with refused("recused"):
            act()
    colleague = Actor(club.committee.user, club.committee.member, ARBITER)
    arbitration.take(contest=contest, by=colleague, at=club.at)
    done = match_actions.decide(
        match=match, result=Result("played", 400, 350), reason="vu", by=colleague, at=club.at
    )
    assert done.status == "final"


@pytest.mark.parametrize("may", [False, True])
def test_whether_an_arbiter_settles_their_own_match_is_said_by_the_rules(club, may):
    rule_tonight(club, "match", arbiter_may_judge_own_match=may)
    match, (other, own) = club.match(second=club.arbiter.member)
    match_actions.submit(match=match, by=other, scores=(400, 350), at=club.at)
    match_actions.contest(match=match, by=own, words="faux", at=club.at)
    contest, by = match.contests.get(), {"by": club.arbiter, "at": club.at}
    ruling = {"match": match, "result": Result("played", 400, 350), "reason": "feuille relue"}

    def answered():
        return nullcontext() if may else refused("own_match")

    with answered():
        opinions.ask(contest=contest, words="Qu’en pensez-vous ?", **by)
    with answered():
        arbitration.settle(contest=contest, version=2, **ruling, **by)
    if not may:
        club.decide(**ruling, by=club.committee)
    asked = arbitration.ask_committee(match=match, words="faux", by=other, at=club.at)
    with answered():
        arbitration.close_request(contest=asked, answer="non", **by)
    match.refresh_from_db()
    asked.refresh_from_db()
    assert (match.status, asked.closed_at is not None) == ("final", may)


SAID_OF_THE_READER = {
    (False, True): "Vous ne jouez pas ce match.",
    (True, True): "Vous jouez ce match\u00a0: les règles vous laissent le trancher.",
    (True, False): "Vous jouez ce match\u00a0: un autre arbitre doit s’en charger.",
}


@pytest.mark.parametrize(("plays", "may"), SAID_OF_THE_READER)
def test_the_page_of_a_dispute_says_whether_its_reader_plays_the_match(club, as_user, plays, may):
    rule_tonight(club, "match", arbiter_may_judge_own_match=may)
    match, (other, own) = club.match(second=club.arbiter.member if plays else None)
    match_actions.submit(match=match, by=other, scores=(400, 350), at=club.at)
    match_actions.contest(match=match, by=own, words="faux", at=club.at)
    page = f"/c/{club.organisation.slug}/arbitrage/litiges/{match.contests.get().pk}/"
    shown = as_user(club.arbiter.user).get(page).content.decode().replace("&nbsp;", "\u00a0")
    said = [words for words in SAID_OF_THE_READER.values() if words in shown]
    assert said == [SAID_OF_THE_READER[plays, may]]
    assert shown.count("jouez ") == 1


def test_lifting_a_sanction_gives_its_cut_back_and_replays_what_came_after(club):
    member, other = club.members[:2]
    match, (a, b) = club.match(member, other)
    finish(club, match, a, b)
    club.close()
    sanction = Sanction.objects.create(
        member=member, proposed_at=club.at, trigger_key="x", grounds={}
    )
    club.impose(sanction, "abus", cut_percent=Decimal("1"))
    club.next_evening()
    match, (a, b) = club.match(club.members[0], club.members[2])
    finish(club, match, a, b)
    club.close()
    cut = StandingCote.objects.get(member=member).shown
    sanction.refresh_from_db()
    seen = absences.cut_given_back(sanction, at=club.at)
    assert seen.finals == {member.pk: (1020, 1029)}
    absences.lift(
        sanction=sanction,
        reason="appel fondé",
        by=club.committee,
        at=club.at,
        give_back=True,
        seen=seen.version,
    )
    sanction.refresh_from_db()
    assert sanction.status == Sanction.Status.LIFTED
    back = StandingCote.objects.get(member=member).shown
    assert (cut, back) == (1020, 1029)
    undone = LedgerEntry.objects.in_force().get(member=member, kind="adjusted")
    assert undone.shown_before == undone.shown_after == 1015
    assert undone.supersedes.reason == "abus"
    assert list(replay.check(RatingList.objects.get())) == []


def test_a_request_for_a_correction_waits_for_the_committee_until_it_is_answered(club, as_user):
    def awaiting() -> list[str]:
        page = as_user(club.committee.user).get("/c/faizers/gestion/")
        return [words for words, _page in page.context["awaiting"]]

    match, (one, _other) = club.played()
    asked = arbitration.ask_committee(match=match, by=one, at=club.at, words="c’est faux")
    assert "1 demande de correction" in awaiting()
    arbitration.close_request(contest=asked, by=club.committee, at=club.at, answer="non")
    assert not any("correction" in words for words in awaiting())
