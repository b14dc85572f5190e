"""The site posts to machines of the internet, and never to one of its own network."""

from __future__ import annotations

import hashlib
import hmac
import socket
import ssl
import threading
import time
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
import urllib3
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from api.webhooks import sending
from tests.push_server import push_server, silent_server

NAME = "hooks.example.org"
PUBLIC = "93.184.215.14"
LOCAL = [
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "127.0.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "192.168.1.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:10.0.0.1",
    "::ffff:93.184.215.14",
    "64:ff9b::a00:1",
    "2002:a00:1::1",
    "fc00::1",
    "fe80::1",
    "fec0::1",
    "ff02::1",
]


@pytest.mark.parametrize("address", LOCAL)
def test_no_such_address_is_of_the_internet(address):
    assert not sending.is_public(address)


@pytest.mark.parametrize("address", [PUBLIC, "1.1.1.1", "2606:4700:4700::1111"])
def test_these_are(address):
    assert sending.is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "http://example.org/hook",
        "ftp://example.org/hook",
        "https://example.org:8443/hook",
        "https://example.org:80/hook",
        "https://user:word@example.org/hook",
        "https:///hook",
        "https://example.org:x/hook",
        "https://exa\tmple..org/hook",
        "https://[::1/hook",
        "https://exa mple.org/hook",
        "https://example.org|/hook",
        "example.org/hook",
        "https://127.0.0.1/",
        "https://0x7f.1/",
        "https://2130706433/",
        "https://017700000001/",
        "https://[::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://169.254.169.254/latest/meta-data/",
        "https://localhost/",
        "https://valkey/",
        "https://１２７.0.0.1/",
        "https://127。0。0。1/",
        "https://é@example.org/",
        "http://127.0.0.1:8000/hook",
    ],
)
def test_an_address_that_the_site_never_posts_to_is_refused_at_once(address):
    with pytest.raises(sending.AddressRefused):
        sending.checked(address)


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        (" https://example.org ", "https://example.org/"),
        ("https://example.org:443/a?b=c#d", "https://example.org:443/a?b=c"),
        ("https://exemple.fr/été", "https://exemple.fr/%C3%A9t%C3%A9"),
        ("https://crème.example/été", "https://xn--crme-6oa.example/%C3%A9t%C3%A9"),
        ("https://crème.example:443", "https://xn--crme-6oa.example:443/"),
    ],
)
def test_an_address_is_stored_as_it_is_posted_to(typed, stored):
    assert sending.checked(typed) == stored


@pytest.mark.parametrize(("more", "fits"), [(-1, True), (0, True), (1, False)])
def test_an_address_fits_its_column(more, fits):
    address = "https://example.org/".ljust(sending.ADDRESS_LENGTH + more, "x")
    if fits:
        assert sending.checked(address) == address
        return
    with pytest.raises(sending.AddressRefused):
        sending.checked(address)


def answering(monkeypatch, *answers):
    """The resolver gives these addresses, one list a look-up; no connection is made."""
    left = list(answers)
    asked: list[object] = []

    def look_up(name, port, **_more):
        return [(0, 0, 0, "", (address, port)) for address in left.pop(0)]

    def connect(target, timeout, **_more):
        asked.append(target)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    monkeypatch.setattr(urllib3.util.connection, "create_connection", connect)
    return asked


def reason(address):
    with pytest.raises(sending.NotSent) as refused:
        sending.post(address, body=b"{}", headers={})
    return refused.value.code


@pytest.mark.parametrize("addresses", [["10.1.2.3"], ["127.0.0.1"], [PUBLIC, "10.1.2.3"], []])
def test_a_name_of_a_local_network_is_never_connected_to(monkeypatch, addresses):
    asked = answering(monkeypatch, addresses)
    assert (reason(f"https://{NAME}/"), asked) == (sending.PRIVATE, [])


@pytest.mark.parametrize("host", ["0x7f.1", "[::1]", "169.254.169.254", "127.0.0.1"])
def test_an_address_in_digits_is_looked_up_and_refused_as_well(monkeypatch, host):
    asked: list[object] = []
    monkeypatch.setattr(
        urllib3.util.connection, "create_connection", lambda *given, **_more: asked.append(given)
    )
    assert (reason(f"https://{host}/"), asked) == (sending.PRIVATE, [])


def test_the_address_that_was_checked_is_the_one_connected_to(monkeypatch):
    """A name that answers otherwise the second time is not asked a second time."""
    asked = answering(monkeypatch, [PUBLIC], ["127.0.0.1"])
    assert (reason(f"https://{NAME}/"), asked) == (sending.NO_CONNECTION, [(PUBLIC, 443)])


def test_an_unknown_name_is_said(monkeypatch):
    def unknown(*_given, **_more):
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert reason(f"https://{NAME}/") == sending.NO_NAME


def test_plain_http_is_never_sent_by_a_site_in_use():
    with push_server() as server:
        assert reason(server.address) == sending.PRIVATE
        assert server.received == []


def test_nor_is_it_sent_as_https(monkeypatch):
    asked = answering(monkeypatch, [PUBLIC])
    assert (reason(f"http://{NAME}/"), asked) == (sending.PRIVATE, [])


@pytest.mark.parametrize("address", [f"http://{NAME}/", "https://127.0.0.1/"])
def test_a_site_with_receivers_of_its_own_machine_trusts_no_other_address(settings, address):
    settings.WEBHOOK_LOOPBACK = True
    with pytest.raises(sending.AddressRefused):
        sending.checked(address)


# What goes out


@pytest.fixture
def loopback(settings):
    settings.WEBHOOK_LOOPBACK = True
    with push_server() as running:
        yield running


def test_a_redirection_is_not_followed(loopback):
    loopback.answers["/hook?a=1"] = 307
    assert sending.post(f"{loopback.address}/hook?a=1", body=b"{}", headers={"X-A": "b"}) == 307
    [(path, headers, body)] = loopback.received
    assert (path, headers["X-A"], body) == ("/hook?a=1", "b", b"{}")
    assert f"http://{headers['Host']}" == loopback.address


@pytest.mark.real_clock
def test_a_program_that_says_nothing_holds_no_worker(settings, monkeypatch):
    settings.WEBHOOK_LOOPBACK = True
    monkeypatch.setattr(sending, "ANSWER_S", 0.2)
    with silent_server() as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        assert reason(address) == sending.NO_ANSWER


@contextmanager
def dripping(answer):
    """A server that sends these bytes one by one, 20 a second."""
    stopped = threading.Event()

    def drip(listener):
        held, _peer = listener.accept()
        with held:
            try:
                for byte in answer:
                    held.sendall(bytes([byte]))
                    stopped.wait(0.05)
            except OSError:
                return

    with silent_server() as listener:
        thread = threading.Thread(target=drip, args=[listener])
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            stopped.set()
            thread.join()


@pytest.mark.real_clock
def test_nor_does_one_that_answers_a_byte_at_a_time(settings, monkeypatch):
    settings.WEBHOOK_LOOPBACK = True
    monkeypatch.setattr(sending, "ANSWER_S", 0.3)
    with dripping(b"HTTP/1.1 204 No Content\r\n\r\n") as port:
        assert reason(f"http://127.0.0.1:{port}/") == sending.NO_ANSWER


@pytest.mark.real_clock
def test_nor_does_one_whose_tls_comes_a_byte_at_a_time(monkeypatch):
    monkeypatch.setattr(sending, "ANSWER_S", 0.3)
    began = time.monotonic()
    with dripping(b"\x16\x03\x03\x10\x00" + bytes(600)) as port:  # the head of a long record
        standing_for_a_public_machine(monkeypatch, port)
        assert reason(f"https://{NAME}/") == sending.NO_ANSWER
        assert time.monotonic() - began < 10


def standing_for_a_public_machine(monkeypatch, port):
    """Every name leads to PUBLIC, and connections to there end at this port of this machine."""

    def connect(target, timeout, **_more):
        assert target == (PUBLIC, 443)
        connected = socket.socket()
        connected.settimeout(timeout)
        connected.connect(("127.0.0.1", port))
        return connected

    monkeypatch.setattr(urllib3.util.connection, "create_connection", connect)
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda _name, port, **_more: [(0, 0, 0, "", (PUBLIC, port))]
    )


@pytest.fixture
def secured(tmp_path, monkeypatch):
    """A receiver by TLS with a certificate for NAME, which stands for the machine PUBLIC."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, NAME)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(NAME)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    public, private = tmp_path / "public.pem", tmp_path / "private.pem"
    public.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    ours = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    ours.load_cert_chain(public, private)
    monkeypatch.setenv("SSL_CERT_FILE", str(public))
    with push_server(ours) as server:
        standing_for_a_public_machine(monkeypatch, server.http.server_address[1])
        yield server


@pytest.mark.real_clock
def test_the_certificate_and_the_host_are_of_the_name(secured):
    assert sending.post(f"https://{NAME}:443/hook", body=b"{}", headers={}) == 201
    [(path, headers, _body)] = secured.received
    assert (path, headers["Host"]) == ("/hook", NAME)


@pytest.mark.real_clock
def test_a_certificate_of_another_name_is_refused(secured):
    assert reason("https://other.example.org/hook") == sending.NO_ANSWER
    assert secured.received == []


def test_the_host_of_an_address_in_digits_is_written_as_in_the_address(monkeypatch):
    """Without its brackets, the colons of IPv6 would be read as a port's."""
    hosts = []

    class Connected:
        sock = None

        def __init__(self, *_given, **_more):
            pass

        def connect(self):
            pass

        def request(self, *_given, headers, **_more):
            hosts.append(headers["Host"])

        def getresponse(self):
            return urllib3.HTTPResponse(status=204)

        def close(self):
            pass

    monkeypatch.setattr(sending, "HTTPSConnection", Connected)
    for host in ("[2606:4700:4700::1111]", PUBLIC):
        address = sending.checked(f"https://{host}/hook")
        assert sending.post(address, body=b"{}", headers={}) == 204
    assert hosts == ["[2606:4700:4700::1111]", PUBLIC]


def test_the_signature_is_over_the_time_and_the_body():
    expected = hmac.new(b"secret", b'12.{"a": 1}', hashlib.sha256).hexdigest()
    assert sending.signature("secret", 12, b'{"a": 1}') == f"v1={expected}"
