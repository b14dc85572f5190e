"""Event streams: how many one reader may open, and what is hidden from visitors."""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import timedelta

import pytest

from pairings.live import stream as live
from pairings.live.models import LiveEvent
from tests import loops

pytestmark = pytest.mark.django_db
FLUX = "/c/faizers/flux/"


@pytest.fixture
def held(monkeypatch) -> Counter[str]:
    """Return the count of open streams of this process, none at first."""
    counter: Counter[str] = Counter()
    monkeypatch.setattr(live, "open_streams", counter)
    return counter


@pytest.mark.parametrize(("more", "status"), [(-1, 200), (0, 429), (1, 429)])
def test_the_visitors_of_an_address_share_a_number_of_streams(club, as_user, held, more, status):
    held["address:127.0.0.1"] = live.MOST_OF_AN_ADDRESS + more
    answer = as_user().get(FLUX)
    assert answer.status_code == status
    assert as_user(club.members[0].user).get(FLUX).status_code == 200
    if status == 429:
        assert answer["Retry-After"] == "30" and "Trop de pages" in answer.content.decode()


@pytest.mark.parametrize(("more", "status"), [(-1, 200), (0, 429)])
def test_a_member_has_streams_of_their_own(club, as_user, held, more, status):
    held[f"member:{club.members[0].pk}"] = live.MOST_OF_A_MEMBER + more
    assert as_user(club.members[0].user).get(FLUX).status_code == status
    assert as_user(club.members[1].user).get(FLUX).status_code == 200


@pytest.mark.parametrize(("more", "status"), [(-1, 200), (0, 503), (1, 503)])
def test_a_process_with_enough_streams_answers_503_to_everybody(club, as_user, held, more, status):
    held["others"] = live.MOST_STREAMS + more
    for user in (None, club.members[0].user):
        assert as_user(user).get(FLUX).status_code == status


def test_a_stream_counts_while_it_is_open_and_one_too_many_ends_at_once(held, monkeypatch):
    async def events(_organisation, _after, *, is_member):
        while True:
            yield "event"

    monkeypatch.setattr(live, "new_events", events)

    def opened():
        return live.stream(1, None, holder="x", most=2, is_member=False)

    async def run():
        first, second, third = opened(), opened(), opened()
        assert [await anext(first), await anext(second)] == ["event", "event"]
        assert held["x"] == 2
        assert [event async for event in third] == []
        await first.aclose()
        assert held["x"] == 1
        await second.aclose()

    loops.run(run())
    assert "x" not in held


def test_who_leaves_takes_no_event_from_those_who_stay():
    async def run():
        hub, (first, second) = live.Hub(), (asyncio.Queue(), asyncio.Queue())
        hub.listeners = {1: {first, second}}
        hub.leave(1, first)
        hub.hand_out((7, 1, "match", {}))
        assert first.empty() and second.get_nowait()[0] == 7
        hub.leave(1, second)
        assert hub.listeners == {}

    loops.run(run())


def test_who_reads_too_slowly_loses_the_oldest_events():
    async def run():
        hub, slow = live.Hub(), asyncio.Queue(maxsize=2)
        hub.listeners = {1: {slow}}
        for pk in (1, 2, 3):
            hub.hand_out((pk, 1, "match", {}))
        assert [slow.get_nowait()[0] for _event in range(2)] == [2, 3]

    loops.run(run())


@pytest.mark.parametrize(("seconds", "kept"), [(-1, True), (0, True), (1, False)])
def test_an_event_is_kept_for_two_days(club, seconds, kept):
    at = club.at - timedelta(days=2, seconds=seconds)
    event = LiveEvent.objects.create(organisation=club.organisation, kind="match", at=at)
    live.forget_old(at=club.at)
    assert LiveEvent.objects.filter(pk=event.pk).exists() is kept


@pytest.mark.parametrize("kind", ["absence", "contest"])
def test_a_visitor_hears_that_something_moved_and_not_what(kind):
    row = (7, 1, kind, {"match": 5, "evening": 3})
    assert live.frame(row, is_member=False) == "id: 7\ndata: {}\n\n"
    assert f'"kind": "{kind}", "match": 5' in live.frame(row, is_member=True)


@pytest.mark.parametrize("kind", ["match", "round", "ranking", "evening", "tournament"])
def test_a_visitor_hears_what_public_pages_show(kind):
    assert f'"kind": "{kind}", "match": 5' in live.frame(
        (7, 1, kind, {"match": 5}), is_member=False
    )


def test_the_stream_of_a_page_is_that_of_its_reader(club, neighbours, as_user, monkeypatch):
    told = []
    monkeypatch.setattr(live, "stream", lambda *_a, **given: told.append(given) or iter(()))
    for user in (None, neighbours.members[0].user, club.members[0].user):
        as_user(user).get(FLUX)
    assert [one["is_member"] for one in told] == [False, False, True]
