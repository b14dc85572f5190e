"""Rules adopted at once, and while an evening that they count for is closed."""

from __future__ import annotations

import pytest

from clubs.journal import chain as journal
from clubs.journal.models import JournalEntry
from clubs.rulebooks import actions as rulebooks
from clubs.rulebooks.models import RuleBook
from pairings.evenings import actions as evenings
from ratings.ledger import replay
from ratings.ledger.models import RatingList
from tests.clubhouse import make_club
from tests.pairings.matches.test_lock_order import after_the_first_entry
from tests.pairings.matches.test_races import together

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def club(transactional_db):
    return make_club("faizers", size=4)


def adopting(club, draft):
    """An adoption on its own copy of the row, as each request has one."""
    row = RuleBook.objects.get(pk=draft.pk)
    return lambda: club.adopt(row, club.at)


@pytest.mark.parametrize("_round", range(4))
def test_one_draft_adopted_by_two_hands_is_adopted_once(club, _round):
    draft = club.draft_rules({"cote": {"k_beginner": 40}})
    answers = together(adopting(club, draft), adopting(club, draft))
    assert sorted(answers) == ["ok", "stale"]
    assert JournalEntry.objects.filter(verb="rule_adopted").count() == 1
    assert list(journal.verify(club.organisation)) == []


@pytest.mark.parametrize("is_adopted_first", [True, False])
def test_rules_adopted_while_an_evening_is_closed_leave_a_list_that_replays(club, is_adopted_first):
    club.played(club.members[0], club.members[1], scores=(400, 300))
    evenings.begin_closing(evening=club.evening, by=club.arbiter, at=club.at)
    draft = club.draft_rules({"cote": {"k_beginner": 40}})
    acts = [
        adopting(club, draft),
        lambda: evenings.close_evening(evening=club.evening, by=club.arbiter, at=club.at),
    ]
    answers = after_the_first_entry(*(acts if is_adopted_first else reversed(acts)))
    assert answers == ["ok", "ok"]
    rated = RatingList.objects.get(organisation=club.organisation, system="faizers")
    assert list(replay.check(rated)) == []
    assert list(journal.verify(club.organisation)) == []
    assert rulebooks.in_force(club.organisation, "faizers", club.at) == draft
