"""Every address against every role of this and of another club, by GET and by POST.

The club is built once: each case runs in a savepoint that is rolled back. Whoever may open an
address gets a page or a redirect, and what they post changes rows; the same body from anybody else
is refused by its name and changes none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from typing import Any

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.http import FileResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from clubs.accounts.models import User
from tests.permissions import access
from tests.permissions.furnished_club import PREPARED, Furnished, rows

pytestmark = pytest.mark.django_db
LEVELS = {
    access.PUBLIC: 0,
    access.MEMBER: 1,
    access.OWN: 1,
    access.PLAYERS: 1,
    access.ARBITER: 2,
    access.COMMITTEE: 3,
}
TABLES = {
    "pairings": access.PAIRINGS,
    "clubs": access.CLUBS,
    "ratings": access.RATINGS,
    "api": access.API,
}
STREAM = ("pairings", "live")


def named(namespace: str) -> set[str]:
    """The names of every address of an app."""
    resolver = get_resolver()
    patterns = resolver.namespace_dict[namespace][1]
    return {name for name in patterns.reverse_dict if isinstance(name, str)}


def lines() -> list[Any]:
    """One case for each line: the address by its name, then the further acts of some."""
    usual = [(space, name, line) for space, table in TABLES.items() for name, line in table.items()]
    found = []
    for space, name, line in [*usual, *access.FURTHER]:
        if (space, name) != STREAM:
            act = line[1].get("act") or line[1].get("what") or ""
            marked = f"{space}:{name}" + (f"-{act}" if act else "")
            found.append(pytest.param(space, name, *access.whole(line), id=marked))
    return found


@contextmanager
def untouched() -> Iterator[list[str]]:
    """What happens inside leaves no row. Yields the statements that may have changed one."""
    wrote: list[str] = []

    def note(execute: Any, sql: str, *rest: Any) -> Any:
        if not sql.lstrip().upper().startswith(("SELECT", "SAVEPOINT", "RELEASE", "ROLLBACK")):
            wrote.append(sql)
        return execute(sql, *rest)

    with transaction.atomic(), connection.execute_wrapper(note):
        yield wrote
        transaction.set_rollback(True)


def now_rows(wrote: list[str], before: frozenset[str]) -> frozenset[str]:
    """All rows as they are now; where no statement wrote, they are those of before."""
    return rows() if wrote else before


class FileReader(Client):
    """A client that reads a photo to its end, which closes its file, as a server does."""

    def request(self, **request: Any) -> Any:
        answer = super().request(**request)
        if isinstance(answer, FileResponse):
            b"".join(answer)  # type: ignore[arg-type]
        return answer


def signed_in(site: Furnished, user: User | None) -> Client:
    """A client of that account; None is a visitor."""
    client = FileReader(raise_request_exception=False)
    if user is not None:
        client.cookies.load(site.cookies[user.pk])
    return client


def people(site: Furnished, level: str, owner: User) -> list[tuple[str, User | None, int]]:
    """(name, account, level) of every kind of reader. Of what is one's own, others are no owner."""
    club, neighbours = site.club, site.neighbours
    if level == access.PUBLIC:
        return [("visitor", None, 0), ("player", owner, 1), ("committee", club.committee.user, 3)]
    own = level in (access.OWN, access.PLAYERS)
    alone = level == access.OWN
    return [
        ("visitor", None, 0),
        ("player", owner if own else club.members[0].user, 1),
        ("other player", club.members[23].user, 0 if own else 1),
        ("arbiter", club.arbiter.user, 0 if alone else 2),
        ("committee", club.committee.user, 0 if alone else 3),
        ("neighbour", neighbours.members[0].user, 0),
        ("neighbouring arbiter", neighbours.arbiter.user, 0),
        ("neighbouring committee", neighbours.committee.user, 0),
    ]


def reader_of(site: Furnished, level: str, arguments: dict[str, Any]) -> User | None:
    """Somebody with an account for whom the address of a line is."""
    owner = next((site.owners[word] for word in arguments.values() if word in site.owners), None)
    readers = people(site, level, owner or site.club.members[0].user)
    return next(user for _who, user, held in readers[1:] if held >= LEVELS[level])


def address(site: Furnished, space: str, name: str, arguments: dict[str, Any], club: Any) -> str:
    filled = {key: site.words.get(value, value) for key, value in arguments.items()}
    return f"/c/{club.organisation.slug}" + reverse(f"{space}:{name}", kwargs=filled)


def body_of(site: Furnished, client: Client, url: str, body: dict[str, Any]) -> dict[str, Any]:
    """The body as it is sent: `{word}` filled in, files opened, a page's own fields under it."""
    sent: dict[str, Any] = {}
    if access.FROM_PAGE in body:
        sent = fields_of(client.get(url).content.decode(), body[access.FROM_PAGE])
    for key, value in body.items():
        if key == access.FROM_PAGE:
            continue
        key = key.format(**site.words)
        if isinstance(value, access.Upload):
            content = site.words.get(value.content, value.content)
            raw = content if isinstance(content, bytes) else content.encode()
            sent[key] = SimpleUploadedFile(value.name, raw)
        else:
            sent[key] = str(value).format(**site.words)
    return sent


class _Fields(HTMLParser):
    """The fields of each form of a page, with what is in them."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[dict[str, str]] = []
        self.select = self.area = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        held = dict(attrs)
        name = held.get("name") or ""
        if tag == "form":
            self.forms.append({})
        if not self.forms or (not name and tag != "option"):
            return
        kind = held.get("type", "text")
        if tag == "input" and kind in ("radio", "checkbox"):
            if "checked" in held:
                self.forms[-1][name] = held.get("value") or "on"
        elif tag == "input" and kind not in ("submit", "file"):
            self.forms[-1][name] = held.get("value") or ""
        elif tag == "select":
            self.select = name
        elif tag == "option" and self.select:
            if "selected" in held or self.select not in self.forms[-1]:  # the first, else
                self.forms[-1][self.select] = held.get("value") or ""
        elif tag == "textarea":
            self.area = name
            self.forms[-1][name] = ""

    def handle_endtag(self, tag: str) -> None:
        if tag == "select":
            self.select = ""
        if tag == "textarea":
            self.area = ""

    def handle_data(self, data: str) -> None:
        if self.area:
            self.forms[-1][self.area] += data


def fields_of(page: str, field: str) -> dict[str, str]:
    """The form of a page that has this field, as a browser would send it untouched."""
    reader = _Fields()
    reader.feed(page)
    held = next(form for form in reader.forms if field in form)
    return {name: value for name, value in held.items() if name != "csrfmiddlewaretoken"}


def again(sent: dict[str, Any]) -> dict[str, Any]:
    """The same body for the next client: files are read from their start."""
    for value in sent.values():
        if isinstance(value, SimpleUploadedFile):
            value.seek(0)
    return dict(sent)


def test_every_named_address_has_a_line():
    for space, table in TABLES.items():
        lacking, gone = named(space) - set(table), set(table) - named(space)
        assert not lacking, f"give each a line in tests/permissions/access.py: {lacking}"
        assert not gone, f"remove from tests/permissions/access.py: {gone}"


@pytest.mark.parametrize(("space", "name", "level", "arguments", "body", "effect"), lines())
def test_an_address_opens_for_those_it_is_for_and_nobody_else(
    site, space, name, level, arguments, body, effect
):
    ask_everybody(site, space, name, level, arguments, body, effect)


def ask_everybody(
    site: Furnished,
    space: str,
    name: str,
    level: str,
    arguments: dict[str, Any],
    body: dict[str, Any] | None,
    effect: str,
) -> None:
    """Ask for one address, and post its body, as every kind of reader."""
    before = prepared(site, name)
    url = address(site, space, name, arguments, site.club)
    owner = next((site.owners[word] for word in arguments.values() if word in site.owners), None)
    needed = LEVELS[level]
    readers = people(site, level, owner or site.club.members[0].user)
    if effect == access.KEYED:
        for who, user, _held in readers:
            with untouched() as wrote:
                client = signed_in(site, user)
                read = 401 if body is None else access.READ_TOO.get(name, 405)
                assert client.get(url).status_code == read, (who, url)
                answer = client.post(url, body or {}, content_type="application/json")
                assert answer.status_code in (401, 405), (who, url)
                assert now_rows(wrote, before) == before, (who, url)
        return
    first = next(user for _who, user, held in readers if held >= needed)
    is_guarded = hasattr(patterns(space)[name].callback, "needs")
    with untouched():
        sent = body_of(site, signed_in(site, first), url, body or {})
    for who, user, held in readers:
        case = (who, url)
        allowed = held >= needed
        with untouched() as wrote:
            answer = signed_in(site, user).get(url)
            if effect == access.POSTED:
                pass
            elif not allowed:
                refused(answer, user, level, case, effect == access.POST_ONLY)
            else:
                opened(answer, effect, case)
                kept_by_nobody = "no-store" in answer.get("Cache-Control", "")
                assert kept_by_nobody or not is_guarded, f"a cache may keep this page: {case}"
            if (not allowed or user is first) and name not in access.READING_WRITES:
                assert now_rows(wrote, before) == before, f"a GET changed rows: {case}"
        if effect == access.READ or (allowed and user is not first):
            continue
        with untouched() as wrote:
            answer = signed_in(site, user).post(url, again(sent))
            after = now_rows(wrote, before)
            assert site.theirs <= after, f"rows of the other club changed: {case}"
            if not allowed:
                refused(answer, user, level, case, body is None)
                assert after == before, f"a refused POST changed rows: {case}"
            elif body is None:
                status = 401 if name in access.POSTED_TOO else 405
                assert answer.status_code == status, f"this form needs a body in access.py: {case}"
            else:
                assert answer.status_code in (200, 302, 303), (case, said(answer))
                assert (after != before) is (effect not in (access.ASKS, access.COOKIE)), (
                    case,
                    said(answer),
                )


def prepared(site: Furnished, name: str) -> frozenset[str]:
    """All rows once everything has happened that the address needs."""
    if name not in PREPARED:
        return site.rows
    PREPARED[name](site)
    return rows()


def opened(answer: Any, effect: str, case: tuple[str, str]) -> None:
    """A page, or a way on that is not the way to the login."""
    if effect in (access.POST_ONLY, access.COOKIE):
        assert answer.status_code == 405, case
        return
    assert answer.status_code in (200, 302, 303), (case, answer.status_code)
    assert "/compte/login/" not in answer.get("Location", ""), case


def refused(
    answer: Any, user: User | None, level: str, case: tuple[str, str], no_method: bool
) -> None:
    """A visitor is sent to the login, another role reads why not; another's own is not found."""
    if user is None:
        assert answer.status_code == 302, (case, answer.status_code)
        assert "/compte/login/" in answer["Location"], case
    elif level in (access.OWN, access.PLAYERS):
        assert answer.status_code in (403, 404, *([405] if no_method else [])), case
    else:
        assert answer.status_code == 403, (case, answer.status_code)


def said(answer: Any) -> str:
    """What the page complains of, for the message of a failing case."""
    errors = re.findall(
        r'class="[^"]*(?:error|invalid)[^"]*"[^>]*>\s*([^<]+)', answer.content.decode()
    )
    return f"{answer.status_code} {answer.get('Location', '')} {errors}"


@pytest.mark.parametrize(
    ("space", "name", "level", "arguments", "body", "effect"),
    [line for line in lines() if set(line.values[3].values()) & access.OF_ONE_CLUB],
)
def test_an_object_of_this_club_is_not_found_under_the_neighbours_address(
    site, space, name, level, arguments, body, effect
):
    neighbours = site.neighbours
    with untouched():
        user = neighbours.committee.user
        own = address(site, space, name, arguments, site.club)
        first = site.club.committee.user
        sent = {} if level == access.OWN else body_of(site, signed_in(site, first), own, body or {})
    url = address(site, space, name, arguments, neighbours)
    with untouched() as wrote:
        client = signed_in(site, user)
        if effect != access.POST_ONLY:
            assert client.get(url).status_code == 404, url
        assert client.post(url, again(sent)).status_code in (404, 405), url
        assert now_rows(wrote, site.rows) == site.rows, url


def test_a_post_without_a_token_is_refused(site):
    client = Client(enforce_csrf_checks=True)
    client.force_login(site.owners["called"], backend=settings.AUTHENTICATION_BACKENDS[-1])
    url = address(site, "pairings", "result_enter", {"match_id": "called"}, site.club)
    assert client.post(url, {"mine": "1", "theirs": "2"}).status_code == 403


def patterns(space: str) -> dict[str, URLPattern]:
    """The addresses of an app by their names."""
    apps = [part for part in get_resolver().url_patterns if getattr(part, "app_name", "") == space]
    return {pattern.name: pattern for part in apps for pattern in inside(part)}


def inside(part: URLResolver) -> Iterator[URLPattern]:
    """The addresses of an include, those of includes within it too."""
    for pattern in part.url_patterns:
        yield from inside(pattern) if isinstance(pattern, URLResolver) else [pattern]


def guarded() -> list[Any]:
    """The addresses whose view stands behind a guard."""
    return [
        line
        for line in lines()
        if hasattr(patterns(line.values[0])[line.values[1]].callback, "needs")
        and line.values[5] not in (access.POSTED, access.READ)
    ]


@pytest.mark.only_on("sqlite")  # it tests the tests
@pytest.mark.parametrize(("space", "name", "level", "arguments", "body", "effect"), guarded())
def test_without_its_guard_no_address_passes(
    site, monkeypatch, space, name, level, arguments, body, effect
):
    pattern = patterns(space)[name]
    monkeypatch.setattr(pattern, "callback", pattern.callback.__wrapped__)
    with pytest.raises(AssertionError):
        ask_everybody(site, space, name, level, arguments, body, effect)


QUERIES = {"ranking": 10, "player_list": 10, "evening": 16, "evening_list": 10, "board": 20}


@pytest.mark.parametrize("name", QUERIES)
def test_list_pages_ask_few_questions_whatever_their_size(
    site, django_assert_max_num_queries, name
):
    """What moves is computed once and kept until something moves: the next reader pays little."""
    url = address(site, "pairings", name, access.PAIRINGS[name][1], site.club)
    client = signed_in(site, site.club.members[0].user)
    client.get(url)
    with django_assert_max_num_queries(QUERIES[name]):
        client.get(url)


def test_a_ranking_asks_as_many_questions_for_many_as_for_few(site, django_assert_max_num_queries):
    client = signed_in(site, site.club.members[0].user)
    with django_assert_max_num_queries(18):
        client.get(address(site, "pairings", "ranking", {}, site.club))
