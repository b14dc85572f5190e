"""The proxy by itself: it sends a waiting form to the other process, and its own pages are readable."""

from __future__ import annotations

import http.client
import json
import os
import re
import select
import socket
import ssl
import struct
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from email.message import Message
from pathlib import Path

import pytest
from django.utils import translation
from django.utils.translation import gettext

from api.v1.problems import MEDIA_TYPE, RETRY_S, ProblemOut
from tests.deployed import DEPLOY, TOKEN, Deployed, needs_a_proxy
from tests.our_code import LANGUAGES, NO_LANGUAGE_OF_OURS
from tests.plugins.postgres import free_port

pytestmark = [pytest.mark.real_clock, needs_a_proxy]
STATIC = Path(__file__).resolve().parents[2] / "static"
AWAY = (
    "Le site revient dans quelques minutes",
    "Il ne peut rien enregistrer pour le moment. Rien de ce qui était enregistré n’est perdu\N{NO-BREAK SPACE}; un "
    "résultat enregistré sur votre téléphone sera envoyé ensuite.",
)
TOO_LARGE = (
    "Cet envoi est trop grand",
    "Le site accepte %(mb)s\N{NO-BREAK SPACE}Mo au plus. Rien n’a été enregistré\N{NO-BREAK SPACE}: revenez en "
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


@pytest.fixture
def away(proxy: Deployed) -> Iterator[Deployed]:
    """The proxy where nobody answers: the ports are taken, so that no other test's process gets them."""
    with ExitStack() as held:
        for name in ("web-1", "web-2", "streams"):
            held.enter_context(socket.socket()).bind(("127.0.0.1", proxy.ports[name]))
        yield proxy


def test_no_two_processes_of_a_run_get_one_port() -> None:
    given = [free_port() for _ in range(500)]
    assert len(set(given)) == 500
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:])
    assert {port // 2_000 for port in given} == {5 + worker % 10}


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


def test_what_the_proxy_answers_by_itself_is_a_page_in_each_language(away, settings):
    for status, sentences, path, headers in BY_ITSELF:
        given, told, page = asked(away, path, **headers)
        assert given == status and told["Content-Type"].startswith("text/html")
        assert told["Server"] == "nginx"
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
    [
        ("", "fr"),
        (NO_LANGUAGE_OF_OURS, "fr"),
        ("fr-CH, en", "fr"),
        ("en-GB, ro;q=0.5", "en"),
        ("ro-RO", "ro"),
        *((language, language) for language in LANGUAGES),
    ],
)
def test_what_the_proxy_answers_to_a_program_is_a_problem(away, settings, asks, language):
    for status, (code, title, detail), path, headers in PROBLEMS:
        given, told, body = asked(away, path, **{"Accept-Language": asks, **headers})
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


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6], ids=["IPv4", "IPv6"])
def test_the_proxy_speaks_http2_on_both_kinds_of_address(proxy: Deployed, family: int) -> None:
    host = "127.0.0.1" if family == socket.AF_INET else "::1"
    context = ssl.create_default_context(cafile=str(proxy.folder / "tls/fullchain.pem"))
    context.set_alpn_protocols(["h2", "http/1.1"])
    with (
        socket.create_connection((host, proxy.ports["proxy"]), timeout=30) as line,
        context.wrap_socket(line, server_hostname="localhost") as spoken,
    ):
        assert spoken.selected_alpn_protocol() == "h2"


def test_port_80_is_served_on_both_kinds_of_address(tmp_path: Path) -> None:
    """As envsubst fills it in, on another port: nginx takes it, and leads to TLS."""
    port = free_port()
    site = (DEPLOY / "nginx/plain.conf.template").read_text()
    assert re.findall(r"listen (.+);", site) == ["80", "[::]:80"]
    site = site.replace("${DOMAIN}", "localhost").replace("listen 80;", f"listen {port};")
    site = site.replace("listen [::]:80;", f"listen [::]:{port};")
    site = site.replace("/var/log/nginx", str(tmp_path))
    (tmp_path / "nginx.conf").write_text(
        f"daemon off; pid {tmp_path}/pid; events {{}} http {{ access_log off; {site} }}"
    )
    command = ["nginx", "-c", str(tmp_path / "nginx.conf"), "-e", str(tmp_path / "log")]
    with subprocess.Popen(command) as running:
        try:
            for host in ("127.0.0.1", "::1"):
                told = answered_on(host, port)
                assert told["Location"] == "https://localhost/classement/"
                assert told["Server"] == "nginx"
        finally:
            running.terminate()


def answered_on(host: str, port: int) -> http.client.HTTPMessage:
    """The headers of the answer on this address, once the proxy listens."""
    until = time.monotonic() + 30
    while True:
        client = http.client.HTTPConnection(host, port, timeout=30)
        try:
            client.request("GET", "/classement/", headers={"Host": "localhost"})
            return client.getresponse().headers
        except ConnectionRefusedError:
            assert time.monotonic() < until
            time.sleep(0.05)
        finally:
            client.close()


SECRET = "zazoune-fayocanari"


@pytest.mark.parametrize(
    ("path", "logged"),
    [
        (f"/i/{SECRET}/", "/i"),
        (f"/c/faizers/joueurs/{SECRET}/contre/{SECRET}/?q={SECRET}", "/c/faizers/joueurs"),
        (f"/c//i/{SECRET}/", "/c"),
        (f"//i/{SECRET}/", "/"),
        (f"/?next=/i/{SECRET}/", "/"),
        (f"/media/sheets/{SECRET}.jpg", "/media"),
    ],
)
def test_the_proxys_logs_have_the_first_part_of_a_path_alone(proxy, path, logged):
    asked(proxy, path, Referer=f"https://localhost/i/{SECRET}/")
    asked(proxy, "/last/", Host="localhost")
    log, deadline = proxy.folder / "access.log", time.monotonic() + 30
    while "/last" not in log.read_text() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert f'"GET {logged}" ' in log.read_text()
    for written in proxy.folder.glob("*.log"):
        assert SECRET not in written.read_text(), written


def test_port_80_logs_no_path():
    site = (DEPLOY / "nginx/plain.conf.template").read_text()
    assert "access_log off;" in site and "error_log /var/log/nginx/error.log crit;" in site
