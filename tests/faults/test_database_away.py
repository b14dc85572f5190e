"""The database goes away while people read: a 503 in their language, then on as before.

Requests go through the WSGI application as a server sends them: an exception that leaves it would
end the server's process, and fails these tests. PostgreSQL really ends the connection and a new
one is refused; SQLite's file cannot be opened, or each statement fails as on a broken disk.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from http.cookies import SimpleCookie
from typing import Any

import psycopg
import pytest
from django.db import OperationalError, connection
from django.test import Client

from config.wsgi import application

pytestmark = pytest.mark.django_db(transaction=True)
BACKEND = "allauth.account.auth_backends.AuthenticationBackend"
SAID = {
    "fr": "Le site revient dans quelques minutes",
    "en": "The site will be back in a few minutes",
    "ro": "Site-ul revine în câteva minute",
}


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    text: str


def get(path: str, *, session: str = "", language: str = "", accept: str = "fr") -> Answer:
    """One request, begun and ended as a server does, with its signals."""
    cookies: SimpleCookie = SimpleCookie()
    if session:
        cookies["sessionid"] = session
    if language:
        cookies["django_language"] = language
    environ = {
        "REQUEST_METHOD": "GET",
        "PATH_INFO": path,
        "QUERY_STRING": "",
        "SERVER_NAME": "testserver",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "HTTP_ACCEPT_LANGUAGE": accept,
        "HTTP_COOKIE": cookies.output(header="", sep=";").strip(),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(),
        "wsgi.errors": io.StringIO(),
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    begun: list[tuple[str, list[tuple[str, str]]]] = []
    response: Any = application(environ, lambda status, headers, *_error: begun.append((status, headers)))  # type: ignore[func-returns-value]  # fmt: skip
    try:
        text = b"".join(response).decode()
    finally:
        response.close()
    status, headers = begun[0]
    return Answer(int(status.split()[0]), dict(headers), text)


def end_connection() -> None:
    """What a restart of PostgreSQL does to the open connection, in use or kept in the pool."""
    connection.ensure_connection()
    place = connection.connection.info
    told = {"host": place.host, "port": place.port, "user": place.user, "dbname": place.dbname}
    with psycopg.connect(**told) as other, other.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [place.backend_pid])
        assert cursor.fetchone() == (True,)


def cut() -> None:
    if connection.vendor == "postgresql":
        end_connection()
        connection.settings_dict["PORT"] = "1"
    else:
        connection.settings_dict["NAME"] = "/nowhere/club.sqlite3"


def forget_connections() -> None:
    """The next statement connects anew, to where the settings then point."""
    connection.close()
    if connection.vendor == "postgresql":
        connection.close_pool()


@contextmanager
def away() -> Iterator[None]:
    """Inside, no statement reaches the database."""
    usual = deepcopy(connection.settings_dict)
    if connection.vendor == "postgresql":
        connection.settings_dict["OPTIONS"]["pool"]["timeout"] = 0.2
    cut()
    forget_connections()
    try:
        yield
    finally:
        connection.settings_dict.update(usual)
        forget_connections()


@contextmanager
def vanishing_before(number: int) -> Iterator[list[int]]:
    """The database goes away before the statement of that number; the list says whether it did."""
    usual = dict(connection.settings_dict)
    cuts: list[int] = []
    asked = 0

    def count(execute: Any, *arguments: Any) -> Any:
        nonlocal asked
        asked += 1
        if asked == number:
            cuts.append(number)
            cut()
        if cuts and connection.vendor == "sqlite":
            raise OperationalError("disk I/O error")
        return execute(*arguments)

    try:
        with connection.execute_wrapper(count):
            yield cuts
    finally:
        connection.settings_dict.update(usual)


@pytest.fixture
def session(club) -> str:
    """The session of a committee member, whose frame asks the database most."""
    client = Client()
    client.force_login(club.committee.user, backend=BACKEND)
    return str(client.cookies["sessionid"].value)


def test_a_signed_in_reader_is_told_when_to_come_back_and_the_same_process_goes_on(session):
    paths = ["/", "/gestion/", "/moi/", "/classement/", "/nowhere/"]
    before = [get(path, session=session).status for path in paths]
    assert before == [200, 200, 200, 200, 404]
    with away():
        answers = [get(path, session=session) for path in paths * 2]
    for answer in answers:
        assert answer.status == 503
        assert answer.headers["Retry-After"] == "10"
        assert answer.headers["Cache-Control"] == "no-store"
        assert SAID["fr"] in answer.text
    assert [get(path, session=session).status for path in paths] == before


def test_it_speaks_the_language_of_the_reader(session):
    for cookie, accept, language in [
        ("", "en-GB,fr;q=0.5", "en"),
        ("", "ro", "ro"),
        ("ro", "en", "ro"),
        ("", "ja", "fr"),
    ]:
        with away():
            answer = get("/gestion/", session=session, language=cookie, accept=accept)
        assert answer.status == 503
        assert SAID[language] in answer.text
        assert f'lang="{language}"' in answer.text
        assert answer.headers["Content-Language"] == language


def test_it_may_vanish_before_any_statement_of_a_page(session):
    """Each page is a whole page or the 503: never an exception, never half a page."""
    whole = get("/gestion/", session=session)
    number, more = 0, True
    while more:
        number += 1
        with vanishing_before(number) as cuts:
            answer = get("/gestion/", session=session)
        more = bool(cuts)
        if cuts:
            assert answer.status == 503, f"before statement {number}"
            assert answer.text.rstrip().endswith("</html>")
        assert get("/healthz").status == 200
    assert number > 5, "this page asks nothing: the run tested little"
    assert answer.status == whole.status == 200


@pytest.mark.only_on("postgres")
def test_a_restart_of_the_server_between_two_requests_is_seen_by_nobody(session):
    assert get("/gestion/", session=session).status == 200
    end_connection()
    connection.close()
    assert get("/gestion/", session=session).status == 200
