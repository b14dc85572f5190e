"""The proxy by itself: it sends a waiting form to the other process, and its own pages are readable."""

from __future__ import annotations

import http.client
import json
import re
import select
import socket
import struct
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from email.message import Message
from pathlib import Path

import pytest
from django.utils import translation
from django.utils.translation import gettext

from api.v1.problems import MEDIA_TYPE, RETRY_S, ProblemOut
from tests.deployed import TOKEN, Deployed, needs_a_proxy

pytestmark = [pytest.mark.real_clock, needs_a_proxy]
STATIC = Path(__file__).resolve().parents[2] / "static"
AWAY = (
    "Le site revient dans quelques minutes",
    "Il ne peut rien enregistrer pour le moment. Rien de ce qui était enregistré n’est perdu\N{NO-BREAK SPACE}; un "
    "résultat enregistré sur votre téléphone sera envoyé ensuite.",
)
TOO_LARGE = (
    "Cet envoi est trop grand",
    "Le site prend %(mb)s\N{NO-BREAK SPACE}Mo au plus. Rien n’a été enregistré\N{NO-BREAK SPACE}: revenez en "
    "arrière et envoyez un fichier plus petit.",
)


@pytest.fixture
def proxy(tmp_path: Path) -> Iterator[Deployed]:
    """The proxy of `deploy/` before processes that do not run."""
    site = Deployed(tmp_path, database="", redis="", secret_key="")
    (tmp_path / "static").symlink_to(STATIC)
    site.proxy()
    try:
        yield site
    finally:
        site.stop("proxy")


def asked(site: Deployed, path: str, **headers: str) -> tuple[int, Message, str]:
    client = http.client.HTTPSConnection(
        "localhost", site.ports["proxy"], timeout=60, context=site.trusting
    )
    try:
        client.putrequest("POST" if "Content-Length" in headers else "GET", path)
        for name, value in headers.items():
            client.putheader(name, value)
        client.endheaders()
        answer = client.getresponse()
        return answer.status, answer.headers, answer.read().decode()
    finally:
        client.close()


BY_ITSELF: list[tuple[int, tuple[str, str], str, dict[str, str]]] = [
    (502, AWAY, "/", {}),
    (502, AWAY, "/c/faizers/flux/", {}),
    (413, TOO_LARGE, "/", {"Content-Length": str(13 * 1024 * 1024)}),
    (414, TOO_LARGE, "/" + "a" * 9000, {}),
    (400, TOO_LARGE, "/", {"Cookie": "a" * 40_000}),
]


def test_what_the_proxy_answers_by_itself_is_a_page_in_each_language(proxy, settings):
    for status, sentences, path, headers in BY_ITSELF:
        given, told, page = asked(proxy, path, **headers)
        assert given == status and told["Content-Type"].startswith("text/html")
        for language, _name in settings.LANGUAGES:
            assert f'<section lang="{language}">' in page
            with translation.override(language):
                for sentence in sentences:
                    assert gettext(sentence) % {"mb": 10} in page
        assert "src=" not in page and "href=" not in page


AWAY_PROBLEM = (
    "unavailable",
    "Site momentanément indisponible",
    "Le site revient dans quelques minutes",
)
LONG_PROBLEM = (
    "too_large",
    "Trop long",
    "Le corps d’une requête a %(mb)s\N{NO-BREAK SPACE}Mo au plus.",
)
PROBLEMS: list[tuple[int, tuple[str, str, str], str, dict[str, str]]] = [
    (502, AWAY_PROBLEM, "/c/faizers/api/v1/members", {}),
    (502, AWAY_PROBLEM, "/api/v1/seasons?limit=2", {}),
    (413, LONG_PROBLEM, "/api/v1/tournament-files", {"Content-Length": str(13 * 1024 * 1024)}),
    (400, LONG_PROBLEM, "/c/faizers/api/v1/seasons", {"Cookie": "a" * 40_000}),
]


@pytest.mark.parametrize(
    ("asks", "language"),
    [("", "fr"), ("de", "fr"), ("fr-CH, en", "fr"), ("en-GB, ro;q=0.5", "en"), ("ro-RO", "ro")],
)
def test_what_the_proxy_answers_to_a_program_is_a_problem(proxy, settings, asks, language):
    for status, (code, title, detail), path, headers in PROBLEMS:
        given, told, body = asked(proxy, path, **{"Accept-Language": asks, **headers})
        assert (given, told["Content-Type"]) == (status, MEDIA_TYPE), body
        assert told["Cache-Control"] == "no-store"
        assert told["Retry-After"] == (str(RETRY_S) if status > 499 else None)
        with translation.override(language):
            expected = {
                "type": "/api/v1/docs#errors",
                "status": status,
                "code": code,
                "title": gettext(title),
                "detail": gettext(detail)
                % {"mb": settings.DATA_UPLOAD_MAX_MEMORY_SIZE // (1024 * 1024)},
                "errors": [],
            }
        assert ProblemOut.model_validate(json.loads(body)).model_dump() == expected


def test_the_address_of_the_problem_is_the_proxys_own(proxy):
    assert asked(proxy, "/static/proxy/problem")[0] == 404


def test_a_form_at_a_process_that_goes_is_sent_to_the_other(proxy: Deployed) -> None:
    pages = [socket.create_server(("127.0.0.1", proxy.ports[name])) for name in ("web-1", "web-2")]
    try:
        with ThreadPoolExecutor(1) as phone:
            answer = phone.submit(proxy.status, "/matchs/1/saisir/", given={"mine": 400})
            bodies, numbers = [], []
            for last in (False, True):
                (asked, *_others), _, _ = select.select(pages, [], [], 30)
                line, _address = asked.accept()
                line.settimeout(30)
                given = b""
                while not given.endswith(TOKEN.encode()):
                    given += line.recv(65536)
                head, _blank, body = given.partition(b"\r\n\r\n")
                bodies.append(body)
                numbers += re.findall(rb"X-Request-ID: ([0-9a-f]{32})\r\n", head)
                if last:
                    line.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                else:  # it goes: whoever waited is cut off without an answer
                    line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    pages.remove(asked)
                    asked.close()
                line.close()
            assert answer.result(30) == 200
        assert bodies[0] == bodies[1] and bodies[0].startswith(b"mine=400&")
        assert len(numbers) == 2 and numbers[0] == numbers[1]  # the site knows them by it
    finally:
        for door in pages:
            door.close()


def test_a_process_that_nobody_hears_from_is_passed_over(proxy: Deployed) -> None:
    """The address of a container that restarts: a connection is neither taken nor refused."""
    full = socket.socket()
    full.bind(("127.0.0.1", proxy.ports["web-1"]))
    full.listen(0)
    with (
        full,
        socket.create_connection(full.getsockname()),  # the one that may wait there
        socket.create_server(("127.0.0.1", proxy.ports["web-2"])) as answers,
        ThreadPoolExecutor(1) as phone,
    ):
        answers.settimeout(30)
        asked = [phone.submit(proxy.status, "/classement/") for _turn in range(2)]
        for _turn in asked:
            line, _address = answers.accept()
            with line:
                line.recv(65536)
                line.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        assert [answer.result(30) for answer in asked] == [200, 200]
