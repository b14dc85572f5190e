"""An absence answered by two at once, or while its match is corrected or given back."""

from __future__ import annotations

import pytest

from clubs.journal.models import JournalEntry
from pairings.absences import actions as absences
from pairings.absences.models import Absence
from pairings.arbitration import undo
from pairings.matches import actions as match_actions
from pairings.matches.models import Match
from pairings.rules.match_state import Result
from tests.pairings.matches.test_races import together, while_open

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = 4


@pytest.fixture
def away(club):
    """An absence that nobody has answered, and the act that corrects its match."""
    match, (player, _other) = club.match()
    club.mark_absent(match, "a")
    club.player_away, club.missed = player, Match.objects.get(pk=match.pk)
    return Absence.objects.get(match=match)


def excuse(club, absence):
    stale = Absence.objects.get(pk=absence.pk)
    return lambda: absences.excuse(absence=stale, words="malade", by=club.player_away, at=club.at)


def review(club, absence, *, by=None, reason="vu"):
    stale = Absence.objects.get(pk=absence.pk)
    return lambda: absences.review(
        absence=stale,
        justified=True,
        reason=reason,
        seen=stale.version,
        by=by or club.arbiter,
        at=club.at,
    )


def correct(club):
    stale = Match.objects.get(pk=club.missed.pk)
    return lambda: match_actions.correct(
        match=stale, result=Result("played", 400, 350), reason="venu", by=club.committee, at=club.at
    )


def give_back(club):
    stale = Match.objects.get(pk=club.missed.pk)
    return lambda: undo.undo(match=stale, by=club.arbiter, at=club.at)


def written(*verbs):
    """Return these verbs in the order of the journal."""
    entries = JournalEntry.objects.filter(verb__in=verbs).order_by("seq")
    return list(entries.values_list("verb", flat=True))


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_an_excuse_against_an_answer_that_has_not_read_it_only_one_is_kept(club, away, _round):
    answers = together(excuse(club, away), review(club, away))
    assert sorted(answers) == ["ok", "stale"]
    away.refresh_from_db()
    excused = answers[0] == "ok"
    assert (away.excuse == "malade") is excused is not away.justified
    verb = "absence_excused" if excused else "absence_reviewed"
    assert written("absence_excused", "absence_reviewed") == [verb]


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_of_two_answers_read_on_the_same_absence_one_is_to_be_read_again(club, away, _round):
    answers = together(
        review(club, away, reason="le premier"),
        review(club, away, by=club.committee, reason="le second"),
    )
    assert sorted(answers) == ["ok", "stale"]
    away.refresh_from_db()
    assert away.review_reason == ("le premier" if answers[0] == "ok" else "le second")
    assert written("absence_reviewed") == ["absence_reviewed"]


@pytest.mark.parametrize("_round", range(ROUNDS))
@pytest.mark.parametrize("answer", [excuse, review])
@pytest.mark.parametrize("withdraw", [correct, give_back])
def test_an_absence_that_is_withdrawn_takes_no_answer_any_more(
    club, away, answer, withdraw, _round
):
    answers = together(answer(club, away), withdraw(club))
    assert answers[0] in ("ok", "stale") and answers[1] == "ok"
    away.refresh_from_db()
    assert away.withdrawn_at is not None
    answered = bool(away.excuse or away.review_reason)
    verbs = written("absence_excused", "absence_reviewed", "match_correct")
    assert answered is (answers[0] == "ok") is (len(verbs) == 2)
    assert verbs[-1] == "match_correct"


def test_an_excuse_that_waits_for_an_answer_is_refused(club, away):
    assert while_open(review(club, away), excuse(club, away)) == ["ok", "stale"]
    away.refresh_from_db()
    assert away.excuse == "" and written("absence_excused") == []


@pytest.mark.parametrize("answer", [excuse, review])
@pytest.mark.parametrize("withdraw", [correct, give_back])
def test_an_answer_that_waits_for_the_withdrawal_is_refused(club, away, answer, withdraw):
    assert while_open(withdraw(club), answer(club, away)) == ["ok", "stale"]
    away.refresh_from_db()
    assert away.withdrawn_at is not None and not (away.excuse or away.review_reason)
