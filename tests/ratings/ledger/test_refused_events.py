"""What a system cannot rate is said in the language of who asked."""

from __future__ import annotations

from datetime import date

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import translation

from ratings.ledger import replay, settlement
from ratings.ledger.corrections import remove_event
from ratings.ledger.posting import LedgerRefused
from ratings.ledger.propagation import changes_of
from ratings.ledger.timeline import START
from ratings.systems import system
from ratings.systems.protocol import EVENT, Event, Game, frozen


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("fr", "Parties non officielles"),
        ("en", "Unofficial games"),
    ],
)
def test_games_that_are_not_official_are_refused_in_the_readers_language(language, words):
    event = Event("e", date(2026, 11, 20), games=(Game("", 1, 2, 2),))
    with translation.override(language), pytest.raises(LedgerRefused, match=words):
        changes_of(system("fesa")(), {}, event, EVENT)


def test_a_start_that_is_no_number_is_refused_in_the_readers_language():
    facts = frozen({"players": {"1": {"rating": "abc"}}})
    with translation.override("en"), pytest.raises(LedgerRefused, match="abc” is not a number"):
        changes_of(system("fisf")(), {}, Event("e", date(2026, 11, 20), facts=facts), START)


@pytest.mark.django_db
def test_a_page_says_in_english_why_the_rules_cannot_rate(club, as_user):
    """A file of starts of FISF with a series that does not exist, shown before it is brought in."""
    page = f"/c/faizers/gestion/cotes/{club.rating_list('fisf').slug}/apporter/"
    file = SimpleUploadedFile("f.csv", f"joueur;classique\n{club.members[0].number};Z\n".encode())
    desk = as_user(club.committee.user)
    sent = {"file": file, "sheet": "starts", "label": "T", "held_on": "2026-11-20"}
    answer = desk.post(page, sent)
    desk.cookies["django_language"] = "en"
    assert (
        "“Z” is not a Classique series: Joker, A, B or C." in desk.get(answer.url).content.decode()
    )


@pytest.mark.django_db
def test_a_later_competition_that_a_correction_leaves_impossible_to_rate_is_named(club):
    """Without the first open nobody of the second one has a rating: ABSP asks for an estimate."""
    held = club.rating_list("absp")
    rated, one, other = (member.pk for member in club.members[:3])

    def settled(key, label, day, *, kind=EVENT, facts=None, game=None):
        period = settlement.open_period(
            rating_list=held, key=key, label=label, held_on=day, kind=kind, facts=facts or {}
        )
        if game is not None:
            settlement.record_game(period=period, posting=game, at=club.at)
        settlement.settle(period=period, by=club.committee, at=club.at)
        return period

    players = {"players": {str(rated): {"rating": 120}}}
    settled("starts", "Départ", date(2026, 9, 1), kind=START, facts=players)
    first = settled("one", "Open de Lyon", date(2026, 9, 20), game=Game("g1", rated, one, 2))
    settled("two", "Open de Nice", date(2026, 10, 4), game=Game("g2", one, other, 2))
    words = (
        "Open de Nice \\(4 octobre 2026\\)\u00a0: Joueurs sans cote qui n’ont rencontré personne"
    )
    with pytest.raises(LedgerRefused, match=words):
        replay.preview(held, remove_event(first), on=club.at.date())
