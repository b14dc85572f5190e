"""Second opinions: one arbiter asks, another answers, and the answer is advisory."""

from __future__ import annotations

import pytest

from clubs.accounts.actor import ARBITER, PLAYER, Actor
from clubs.journal.append_only import AppendOnlyError
from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members.models import RoleGrant
from pairings.arbitration import actions as arbitration
from pairings.arbitration import opinions
from pairings.arbitration import queue as arbitration_queue
from pairings.arbitration.models_opinions import Opinion
from pairings.matches.refusals import ResultRefused
from pairings.rules.match_state import Result

pytestmark = pytest.mark.django_db


@pytest.fixture
def contest(club):
    match, _players = club.contested()
    return match.contests.get()


@pytest.fixture
def second(club, contest) -> Actor:
    """Return another arbiter, who does not play the match."""
    match = contest.match
    member = next(m for m in club.members if m.pk not in (match.first_id, match.second_id))
    members.grant(member=member, role=RoleGrant.ARBITER, by=club.committee, at=club.at)
    return Actor(member.user, member, ARBITER)


def ask(club, contest, by=None, words="La feuille est illisible, et toi ?"):
    return opinions.ask(contest=contest, words=words, by=by or club.arbiter, at=club.at)


def give(club, contest, by, words="Je lis 400."):
    return opinions.give(contest=contest, words=words, by=by, at=club.at)


def refused(code, act, *args, **kwargs):
    with pytest.raises(ResultRefused) as refusal:
        act(*args, **kwargs)
    assert refusal.value.code == code
    assert str(refusal.value).endswith(".")


def test_one_asks_another_answers_and_both_are_archived(club, contest, second):
    ask(club, contest)
    assert opinions.unanswered(contest).by == club.arbiter.user
    give(club, contest, second)
    assert opinions.unanswered(contest) is None
    assert list(contest.opinions.order_by("pk").values_list("asks", flat=True)) == [True, False]
    lines = JournalEntry.objects.filter(verb__startswith="opinion").order_by("seq")
    assert [(line.verb, line.subject) for line in lines] == [
        ("opinion_asked", f"match:{contest.match_id}"),
        ("opinion_given", f"match:{contest.match_id}"),
    ]


def test_a_question_shows_in_the_queue_until_it_is_answered(club, contest, second):
    def asked():
        (task,) = [
            t for t in arbitration_queue.queue(club.organisation, at=club.at) if t.kind == "contest"
        ]
        return task.asked

    assert not asked()
    ask(club, contest)
    assert asked()
    give(club, contest, second)
    assert not asked()


def test_an_opinion_binds_nobody_and_stops_nobody(club, contest):
    ask(club, contest)
    club.decide(contest.match, Result("played", 400, 350), "La feuille.")
    contest.refresh_from_db()
    assert contest.closed_at is not None
    refused("stale", give, club, contest, club.committee)


def test_who_may_not_speak(club, contest, second):
    match = contest.match
    refused("not_allowed", ask, club, contest, by=Actor(second.user, second.member, PLAYER))
    members.grant(member=match.first, role=RoleGrant.ARBITER, by=club.committee, at=club.at)
    refused("own_match", ask, club, contest, by=Actor(match.first.user, match.first, ARBITER))
    refused("not_asked", give, club, contest, second)
    ask(club, contest)
    refused("own_question", give, club, contest, club.arbiter)
    refused("already_asked", ask, club, contest, by=second)
    arbitration.pass_on(contest=contest, reason="ami", by=second, at=club.at)
    refused("recused", give, club, contest, second)
    assert Opinion.objects.count() == 1


def test_an_empty_sentence_is_refused(club, contest):
    refused("reason_required", ask, club, contest, words="  ")


def test_what_was_said_stays(club, contest):
    said = ask(club, contest)
    said.words = "autre chose"
    with pytest.raises(AppendOnlyError):
        said.save()


def test_the_players_never_read_it(club, contest, second):
    from django.test import Client

    ask(club, contest, words="phrase-entre-arbitres")
    client = Client()
    client.force_login(
        contest.match.first.user,
        backend="allauth.account.auth_backends.AuthenticationBackend",
    )
    page = client.get(f"/matchs/{contest.match_id}/")
    assert page.status_code == 200 and "phrase-entre-arbitres" not in page.content.decode()


def test_the_pages_ask_answer_and_keep_what_was_typed(club, contest, second):
    from django.test import Client

    def desk(actor):
        client = Client()
        client.force_login(
            actor.user, backend="allauth.account.auth_backends.AuthenticationBackend"
        )
        return client

    url, dispute = f"/arbitrage/litiges/{contest.pk}/avis/", f"/arbitrage/litiges/{contest.pk}/"
    first, other = desk(club.arbiter), desk(second)
    assert "Demander un second avis" in first.get(dispute).content.decode()
    assert first.post(url, {"words": ""}).status_code == 422
    assert first.post(url, {"words": "Qu’en penses-tu ?"})["Location"] == dispute
    assert "attend un autre arbitre" in first.get(dispute).content.decode()
    assert "second avis demandé" in other.get("/arbitrage/").content.decode()
    assert "Donner mon avis" in other.get(dispute).content.decode()
    page = other.get(url)
    assert "Qu’en penses-tu" in page.content.decode()
    assert other.post(url, {"words": "Je lis 400."}).status_code == 302
    assert "Je lis 400." in first.get(dispute).content.decode()
    mine = first.post(url, {"words": "Encore une question"})
    assert mine.status_code == 302 and Opinion.objects.filter(asks=True).count() == 2


def test_an_answer_to_a_question_that_was_answered_meanwhile_is_no_new_question(
    club, contest, second, as_user
):
    question = ask(club, contest)
    page, client = f"/arbitrage/litiges/{contest.pk}/avis/", as_user(second.user)
    assert f'name="question" value="{question.pk}"' in client.get(page).content.decode()
    give(club, contest, second)
    said = {"words": "Je lis 390.", "question": question.pk}
    answer = client.post(page, said)
    assert answer.status_code == 422 and "Je lis 390." in answer.content.decode()
    assert Opinion.objects.count() == 2
    client.post(page, said | {"question": ""})  # the page that came back
    assert Opinion.objects.last().asks
