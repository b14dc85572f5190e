"""Two acts at once: of a club and the federation it feeds, or of the club and one of its members."""

from __future__ import annotations

import pytest
from django.db import transaction

from clubs.journal import chain as journal
from clubs.members import actions as members
from clubs.members.models import Member
from clubs.personal_data import forgetting
from clubs.persons import actions as persons
from ratings.handovers import actions as handovers
from ratings.handovers.models import HandOver
from ratings.ledger import settlement
from ratings.ledger.models import RatedGame
from tests.pairings.matches.test_lock_order import after_the_first_entry
from tests.pairings.matches.test_races import at_its_first_step, while_open
from tests.ratings.handovers.test_choices import choose, copy_of, outsider, shown
from tests.ratings.handovers.test_handovers import (
    OFFICIAL,
    accepted,
    bring,
    competition,
    officer,
    scene,
    send,
)

__all__ = ["scene"]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("then", ["withdrawn", "handed over again"])
def test_an_act_of_the_club_waits_for_the_delivery_of_a_correction(transactional_db, scene, then):
    """Closing a tournament once more writes its own entry, and then delivers what changed."""
    sent, how = send(scene, (400, 350)), {"by": scene.club.committee, "at": scene.at}

    @transaction.atomic
    def close_again():
        journal.note(scene.club.evening, "tournament_closed", **how)
        handovers.follow(competition=competition(scene, (400, 300)), **how)

    acts = {
        "withdrawn": lambda: handovers.withdraw(
            handover=sent, seen=sent.version, reason="faux", **how
        ),
        "handed over again": lambda: send(scene, (400, 310)),
    }
    answers = after_the_first_entry(close_again, acts[then])
    assert answers == ["ok", "stale" if then == "withdrawn" else "ok"]


@pytest.mark.parametrize("is_sent", [False, True])
def test_what_is_handed_over_while_a_correction_is_written_is_corrected(
    transactional_db, scene, is_sent
):
    if is_sent:
        send(scene, (400, 350))
    results, how = [(400, 350)], {"by": scene.club.committee, "at": scene.at}

    @transaction.atomic
    def correct():
        journal.note(scene.club.evening, "corrected", **how)
        results[0] = (400, 300)
        if is_sent:
            handovers.follow(competition=competition(scene, *results), **how)

    def hand_over():
        handovers.hand_over_as_it_is(
            club=scene.club.organisation,
            read=lambda: competition(scene, *results),
            rating_list=scene.list,
            facts=OFFICIAL,
            tell=False,
            **how,
        )

    answers = after_the_first_entry(correct, hand_over)
    assert answers == ["ok", "twice" if is_sent else "ok"]
    [game] = HandOver.objects.get().last_delivery.document["games"]
    assert game["second_score"] == 300


@pytest.mark.parametrize("act", ["accepted", "returned"])
def test_a_correction_of_the_club_waits_for_the_answer_of_an_officer(transactional_db, scene, act):
    """An arbiter who corrects a match answers no hand-over: none of them refuses the correction."""
    sent, how = send(scene, (400, 350)), {"by": scene.club.committee, "at": scene.at}
    acts = {
        "accepted": lambda: officer(scene, handovers.accept, sent),
        "returned": lambda: officer(scene, handovers.send_back, sent, reason="faux"),
    }
    corrected = competition(scene, (400, 300))
    answers = while_open(acts[act], lambda: handovers.follow(competition=corrected, **how))
    assert answers == ["ok", "ok"]
    sent.refresh_from_db()
    is_returned = sent.state == HandOver.State.RETURNED
    assert (is_returned, sent.delivered) == ((False, 2) if act == "accepted" else (True, 1))


@pytest.mark.parametrize("first", ["the choice", "the link"])
@pytest.mark.parametrize("link", ["brought", "told by an officer", "said by the club"])
def test_a_choice_made_while_a_member_is_linked_counts_and_ends_in_no_deadlock(
    transactional_db, scene, link, first
):
    club, federation = scene.club, scene.federation
    one = club.members[0]
    known = outsider(federation, one.full_name)
    how = {"by": federation.committee, "at": scene.at}
    persons.edit_person(member=known, seen=0, changes={"licence": "77"}, **how)
    sent = send(scene, (400, 350))
    draft = officer(scene, handovers.accept, sent)
    acts = {
        "brought": lambda: bring(scene, draft),
        "told by an officer": lambda: persons.link_member(member=one, person=known, **how),
        "said by the club": lambda: persons.say_licence(
            member=one,
            federation=federation.organisation,
            licence="77",
            by=club.committee,
            at=scene.at,
        ),
    }
    both = [acts[link], lambda: choose(club, one, visibility=Member.INITIALS)]
    assert after_the_first_entry(*(both if first == "the link" else both[::-1])) == ["ok", "ok"]
    assert copy_of(one) == known and shown(known) == (Member.INITIALS, False)


def test_a_competition_is_brought_in_while_the_federation_forgets_one_of_its_players(
    transactional_db, scene, monkeypatch
):
    """Forgetting holds the federation's row when it comes to the person's, which the import holds."""
    known = outsider(scene.federation, scene.club.members[0].full_name)
    how = {"by": scene.federation.committee, "at": scene.at}
    persons.link_member(member=scene.club.members[0], person=known, **how)
    draft, lock = officer(scene, handovers.accept, send(scene, (400, 350))), forgetting.lock

    def leave(step):
        monkeypatch.setattr(forgetting, "lock", lambda member: (lock(member), step(0, 0)))
        members.leave(member=known, forget=True, **how)

    assert at_its_first_step(leave, lambda: bring(scene, draft)) == ["ok", "ok"]
    assert RatedGame.objects.filter(period__rating_list=scene.list).count() == 1


@pytest.mark.parametrize("first", ["the choice", "the federation"])
@pytest.mark.parametrize("act", ["edited", "merged"])
def test_a_choice_of_the_club_and_an_act_of_the_federation_on_the_copy_end_in_no_deadlock(
    transactional_db, scene, act, first
):
    club, federation = scene.club, scene.federation
    one, kept = club.members[0], outsider(federation, "Eva Rus")
    accepted(scene, send(scene, (400, 350)))
    copy, how = copy_of(one), {"by": federation.committee, "at": scene.at}
    acts = {
        "edited": lambda: choose(federation, copy, last_name="Autre"),
        "merged": lambda: settlement.merge_member(member=copy, into=kept, reason="La même", **how),
    }
    both = [acts[act], lambda: choose(club, one, visibility=Member.INITIALS)]
    answers = after_the_first_entry(*(both if first == "the federation" else both[::-1]))
    assert answers == ["ok", "ok"]
    assert shown(copy_of(one)) == shown(copy) == (Member.INITIALS, False)
