"""EMAIL_URL as Django reads it."""

from __future__ import annotations

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.mail import mail_server

SMTP = "django.core.mail.backends.smtp.EmailBackend"


@pytest.mark.parametrize(
    ("url", "backend", "host", "port", "secured"),
    [
        ("", SMTP, "localhost", "25", ("", "")),
        ("smtp://mail.example.org", SMTP, "mail.example.org", "25", ("", "")),
        ("smtp+tls://mail.example.org", SMTP, "mail.example.org", "587", ("1", "")),
        ("smtp+ssl://mail.example.org:2465", SMTP, "mail.example.org", "2465", ("", "1")),
        (
            "console://",
            "django.core.mail.backends.console.EmailBackend",
            "localhost",
            "25",
            ("", ""),
        ),
        (
            "file://",
            "django.core.mail.backends.filebased.EmailBackend",
            "localhost",
            "25",
            ("", ""),
        ),
    ],
)
def test_an_address_says_server_and_security(url, backend, host, port, secured) -> None:
    found = mail_server(url, {})
    assert (found["EMAIL_BACKEND"], found["EMAIL_HOST"], found["EMAIL_PORT"]) == (
        backend,
        host,
        port,
    )
    assert (found["EMAIL_USE_TLS"], found["EMAIL_USE_SSL"]) == secured


def test_name_and_password_may_hold_signs() -> None:
    found = mail_server("smtp+tls://club%40example.org:p%3A%2Fss@mail.example.org", {})
    assert (found["EMAIL_HOST_USER"], found["EMAIL_HOST_PASSWORD"]) == (
        "club@example.org",
        "p:/ss",
    )


def test_a_setting_given_by_its_name_wins() -> None:
    found = mail_server("smtp://mail.example.org", {"EMAIL_PORT": "2525", "PATH": "/bin"})
    assert found["EMAIL_PORT"] == "2525" and "PATH" not in found


def test_an_unknown_kind_of_server_stops_the_start() -> None:
    with pytest.raises(ImproperlyConfigured, match="EMAIL_URL"):
        mail_server("http://mail.example.org", {})
