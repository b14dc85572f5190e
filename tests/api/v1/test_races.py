"""An arbiter's key and a director of the same tournament, at once."""

from __future__ import annotations

import threading

import pytest
from django.db import transaction

from pairings.arbitration import actions as arbitration
from pairings.rules.match_state import Result
from pairings.tournaments import actions as tournaments
from pairings.tournaments.rounds import score_entry
from pairings.tournaments.rounds.score_entry import GridLine
from tests.clubhouse import make_club
from tests.pairings.matches.test_races import together
from tests.tournament_day import make_tournament, publish

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def club(transactional_db):
    return make_club("tournoi", size=4)


def test_a_match_started_once_by_a_key_against_a_grid_that_is_one_act(club, send, monkeypatch):
    """The key's act is one transaction, and it asks first whether the match has run out."""
    made = make_tournament(club, 4, system="swiss", round_count=1)
    running = tournaments.freeze(tournament=made, by=club.committee, at=club.at)
    round_one = publish(club, running, 1)
    first, *others = round_one.matches.order_by("pk")
    begun, ended = threading.Event(), threading.Event()
    intervene = arbitration.intervene

    def late(**values):
        begun.set()
        ended.wait(timeout=0.5)
        return intervene(**values)

    monkeypatch.setattr(arbitration, "intervene", late)
    judge, path = club.arbiter.member, f"matches/{first.pk}/intervention"
    seen = send(path, {}, judge, method="get").json()["seen"]
    body = {"act": "start", "version": first.version, "seen": seen, "reason": ""}
    lines = [GridLine(m.pk, m.version, Result("played", 400, 350)) for m in (first, *others)]
    answers = []

    @transaction.atomic
    def grid():
        tournaments.locked_with_matches(running, round_one.matches.all())
        score_entry.enter(round=round_one, lines=lines, by=club.arbiter, at=club.at)

    def enter():
        begun.wait(timeout=20)
        try:
            grid()
        finally:
            ended.set()

    def start():
        answers.append(send(path, body, judge, once="a").status_code)

    assert together(start, enter) == ["ok", "ok"]
    assert answers[0] in (200, 409), "started first, or refused as stale"
