"""EMAIL_URL as Django reads it; each part may also be set by its own name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.architecture.test_production import SET_UP, python

NAMES = ("BACKEND", "HOST", "PORT", "HOST_USER", "HOST_PASSWORD", "USE_TLS", "USE_SSL")
PRINT = "; ".join(
    [
        "import json",
        "from config import settings as s",
        f"print(json.dumps([getattr(s, 'EMAIL_' + n) for n in {NAMES}]))",
    ]
)
SIGNS = "smtp+tls://club%40example.org:p%3A%2Fss@mail.example.org"


@pytest.mark.parametrize(
    ("told", "backend", "rest"),
    [
        ({}, "smtp", ["localhost", 25, "", "", False, False]),
        (
            {"EMAIL_URL": SIGNS},
            "smtp",
            ["mail.example.org", 587, "club@example.org", "p:/ss", True, False],
        ),
        (
            {"EMAIL_URL": "smtp+ssl://mail.example.org:2465", "EMAIL_HOST": "other.example.org"},
            "smtp",
            ["other.example.org", 2465, "", "", False, True],
        ),
        (
            {"EMAIL_HOST": "mail.example.org", "EMAIL_PORT": "2525", "EMAIL_USE_TLS": "1"},
            "smtp",
            ["mail.example.org", 2525, "", "", True, False],
        ),
        ({"EMAIL_URL": "console://"}, "console", ["localhost", 25, "", "", False, False]),
        ({"EMAIL_URL": "file://"}, "filebased", ["localhost", 25, "", "", False, False]),
    ],
)
def test_an_address_says_server_and_security(told, backend, rest, tmp_path: Path) -> None:
    done = python(tmp_path, "-c", PRINT, **SET_UP, **told)
    expected = [f"django.core.mail.backends.{backend}.EmailBackend", *rest]
    assert json.loads(done.stdout) == expected, done.stderr


def test_an_unknown_kind_of_server_stops_the_start(tmp_path: Path) -> None:
    told = {**SET_UP, "EMAIL_URL": "http://mail.example.org"}
    done = python(tmp_path, "-c", PRINT, **told)
    assert done.returncode != 0 and "ImproperlyConfigured" in done.stderr
