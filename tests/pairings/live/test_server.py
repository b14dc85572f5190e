"""The server answers pages while streams stay open, and delivers events at once."""

from __future__ import annotations

import gzip
import http.client
import json
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings
from django.core.signals import request_started
from django.db import connection, transaction
from django.test import Client

from clubs.members.models import Member
from clubs.organisations.models import Organisation
from config.asgi import STREAM_THREADS
from pairings.live import stream as live
from pairings.live.models import LiveEvent
from tests.clubhouse import make_club

AT = datetime(2026, 11, 20, 19, 0, tzinfo=UTC)
PATIENCE_S = 60
"""A busy machine makes an answer late."""


@pytest.fixture
def two_clubs(transactional_db: None) -> tuple[Organisation, Organisation]:
    first, second = (Organisation(slug=slug, name=slug.title()) for slug in ("lyon", "cluj"))
    first.save()
    second.save()
    return first, second


def announce(club: Organisation, kind: str) -> None:
    with transaction.atomic():
        live.announce(club, kind, at=AT)


def open_stream(site: str, path: str, **headers: str) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:  # fmt: skip
    viewer = http.client.HTTPConnection(site.removeprefix("http://"), timeout=PATIENCE_S)
    viewer.request("GET", path, headers=headers)
    return viewer, viewer.getresponse()


@contextmanager
def viewers(site: str, count: int) -> Iterator[None]:
    """Many who listen to the events of a club, each by a stream that stays open."""
    listening = [open_stream(site, "/c/lyon/flux/") for _ in range(count)]
    try:
        assert {answer.status for _viewer, answer in listening} == {200}
        yield
    finally:
        for viewer, _answer in listening:
            viewer.close()


def next_event(stream: http.client.HTTPResponse) -> dict[str, object]:
    while line := stream.readline().decode():
        if line.startswith("data:"):
            event: dict[str, object] = json.loads(line.removeprefix("data:"))
            return event
    raise AssertionError("the stream ended")


def test_pages_answer_while_more_viewers_listen_than_there_are_threads(site, two_clubs):
    with viewers(site, 20):
        reader, page = open_stream(site, "/c/lyon/classement/")
        with closing(reader):
            assert (page.status, b"</html>" in page.read()) == (200, True)
        for path in ("/c/lyon/classement/", "/static/css/base.css"):
            reader, page = open_stream(site, path, **{"Accept-Encoding": "gzip"})
            with closing(reader):
                assert page.headers["Content-Encoding"] == "gzip"
                assert gzip.decompress(page.read())


def test_viewers_share_a_few_threads(site, two_clubs):
    before = threading.active_count()
    with viewers(site, 4 * STREAM_THREADS):
        reader_of_events = 1
        assert threading.active_count() <= before + STREAM_THREADS + reader_of_events


@pytest.mark.only_on("postgres")
def test_viewers_hold_no_connection_to_the_database(site, two_clubs):
    """The pool keeps what a page or the reader of events used: that is no connection a viewer."""
    pool = connection.settings_dict["OPTIONS"]["pool"]["max_size"]
    with viewers(site, pool + 20), connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity "
            "WHERE datname = current_database() AND state IN ('active', 'idle in transaction') "
            "AND pid != pg_backend_pid()"
        )
        assert cursor.fetchone()[0] <= 1
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
        assert cursor.fetchone()[0] <= pool + 1


def test_a_page_whose_stream_opens_late_hears_what_happened_since_it_was_made(site, two_clubs):
    lyon, _cluj = two_clubs
    for kind, at in (("before", AT - timedelta(minutes=1)), ("since", AT + timedelta(seconds=1))):
        LiveEvent.objects.create(organisation=lyon, kind=kind, at=at)
    viewer, stream = open_stream(site, f"/c/lyon/flux/?since={AT.timestamp():.0f}")
    with closing(viewer):
        assert next_event(stream)["kind"] == "since"


def test_a_stream_without_events_says_so_that_a_page_can_hear_it_is_alive(
    site, two_clubs, monkeypatch
):
    """An event of its own name: pages ask for nothing, and where it does not come they reconnect."""
    monkeypatch.setattr(live, "HEARTBEAT_S", 0.01)
    viewer, stream = open_stream(site, "/c/lyon/flux/")
    with closing(viewer):
        said = [stream.readline().decode().strip() for _line in range(9)]
    assert said == ["retry: 2000", ": bonjour", ""] + 2 * ["event: alive", "data: {}", ""]


@pytest.mark.parametrize("end", ["left", "signed out"])
def test_who_left_or_signed_out_hears_as_a_visitor_once_their_stream_has_ended(
    site, transactional_db, monkeypatch, end
):
    monkeypatch.setattr(live, "MEMBER_STREAM_S", 0.0)
    club = make_club("faizers", size=2)
    member = club.members[0]
    client = Client()
    client.force_login(member.user)
    cookie = f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"
    viewer, stream = open_stream(site, "/c/faizers/flux/", Cookie=cookie)
    with closing(viewer):
        assert stream.read() == b"retry: 2000\n: bonjour\n\n"
    if end == "left":
        Member.objects.filter(pk=member.pk).update(left_at=AT)
    else:
        client.logout()
    viewer, stream = open_stream(site, "/c/faizers/flux/", Cookie=cookie)
    with closing(viewer):
        stream.readline()
        announce(club.organisation, "contest")
        assert next_event(stream) == {}


def test_an_event_reaches_its_own_club_and_no_other(site, two_clubs):
    lyon, cluj = two_clubs
    # A browser accepts compressed answers: events are not held back to be compressed together.
    viewer, stream = open_stream(site, "/c/lyon/flux/", **{"Accept-Encoding": "gzip"})
    with closing(viewer):
        stream.readline()
        announce(cluj, "theirs")
        announce(lyon, "ours")
        assert next_event(stream)["kind"] == "ours"


def test_who_was_away_hears_what_was_missed_and_nothing_twice(site, two_clubs):
    lyon, cluj = two_clubs
    for club, kind in ((lyon, "first"), (cluj, "theirs"), (lyon, "second"), (lyon, "third")):
        announce(club, kind)
    last = LiveEvent.objects.order_by("pk").values_list("pk", flat=True)[0]
    viewer, stream = open_stream(site, "/c/lyon/flux/", **{"Last-Event-ID": str(last)})
    with closing(viewer):
        assert [next_event(stream)["kind"] for _ in range(2)] == ["second", "third"]
        announce(lyon, "fourth")
        assert next_event(stream)["kind"] == "fourth"


@pytest.mark.parametrize(("missed", "event"), [(2, {"kind": "missed"}), (3, {})])
def test_who_missed_much_hears_once_that_something_moved(
    site, two_clubs, monkeypatch, missed, event
):
    monkeypatch.setattr(live, "BACKLOG", 2)
    lyon, _cluj = two_clubs
    for kind in ("known", *["missed"] * missed):
        announce(lyon, kind)
    known = LiveEvent.objects.order_by("pk").values_list("pk", flat=True)[0]
    viewer, stream = open_stream(site, "/c/lyon/flux/", **{"Last-Event-ID": str(known)})
    with closing(viewer):
        assert next_event(stream) == event
        if event:
            assert next_event(stream) == event
        announce(lyon, "next")
        assert next_event(stream)["kind"] == "next"


def test_an_event_that_is_committed_after_a_later_one_is_heard_once(site, two_clubs):
    """The database gives the number when the row is written, before the commit."""
    lyon, _cluj = two_clubs
    viewer, stream = open_stream(site, "/c/lyon/flux/")
    with closing(viewer):
        stream.readline()
        for pk, kind in ((1002, "second"), (1001, "first"), (1003, "third")):
            LiveEvent.objects.create(pk=pk, organisation=lyon, kind=kind, at=AT)
            assert next_event(stream)["kind"] == kind


def test_the_first_viewer_of_a_process_hears_what_is_committed_after_a_later_event(site, two_clubs):
    lyon, _cluj = two_clubs
    LiveEvent.objects.create(pk=1002, organisation=lyon, kind="known", at=AT)
    viewer, stream = open_stream(site, "/c/lyon/flux/")
    with closing(viewer):
        stream.readline()
        LiveEvent.objects.create(pk=1001, organisation=lyon, kind="late", at=AT)
        assert next_event(stream)["kind"] == "late"


def test_head_on_the_event_stream_ends_and_leaves_the_connection_usable(site, two_clubs):
    with closing(
        http.client.HTTPConnection(site.removeprefix("http://"), timeout=PATIENCE_S)
    ) as viewer:
        for _again in range(2):
            viewer.request("HEAD", "/c/lyon/flux/")
            answer = viewer.getresponse()
            assert (answer.status, answer.read()) == (200, b"")
            assert answer.headers["Content-Type"] == "text/event-stream"


def test_a_large_body_and_a_large_answer_pass_whole(site, tmp_path, settings):
    """Both are transferred in pieces; a file is served to its last byte."""
    script = (settings.BASE_DIR / "static" / "vendor").rglob("*.js")
    largest = max(script, key=lambda path: path.stat().st_size)
    reader, answer = open_stream(site, f"/static/{largest.relative_to(settings.BASE_DIR / 'static')}")  # fmt: skip
    with closing(reader):
        assert (answer.status, answer.read()) == (200, largest.read_bytes())
    body = b"code=" + b"x" * 900_000
    with closing(
        http.client.HTTPConnection(site.removeprefix("http://"), timeout=PATIENCE_S)
    ) as sender:
        sender.request("POST", "/langue/setlang/", body)
        answer = sender.getresponse()
        assert (answer.status, len(answer.read()) > 0) == (403, True)
        sender.request("GET", "/hors-ligne/")
        assert b"</html>" in sender.getresponse().read()


def test_half_a_form_is_never_shown_to_a_page(site, two_clubs):
    """A phone that loses the network while it sends must not submit a partial form."""
    seen: list[object] = []
    listen = lambda scope=None, **_told: seen.append(scope)  # noqa: E731
    request_started.connect(listen)
    with closing(
        http.client.HTTPConnection(site.removeprefix("http://"), timeout=PATIENCE_S)
    ) as sender:
        sender.putrequest("POST", "/c/lyon/s/")
        sender.putheader("Content-Length", "1000")
        sender.endheaders(b"code=ABC")
        time.sleep(0.1)
    reader, answer = open_stream(site, "/healthz")
    with closing(reader):
        assert answer.status == 200
    request_started.disconnect(listen)
    assert [scope["path"] for scope in seen] == ["/healthz"]


def test_a_cookie_set_by_a_page_reaches_the_browser(site, two_clubs):
    """Django writes a space before the value of Set-Cookie, which HTTP does not allow."""
    reader, answer = open_stream(site, "/compte/login/")
    with closing(reader):
        assert answer.status == 200
        assert "csrftoken=" in str(answer.headers["Set-Cookie"])
