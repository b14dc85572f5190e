"""Which Content-Security-Policy an answer bears."""

from __future__ import annotations

import pytest
from csp.utils import build_policy

HEADER = "Content-Security-Policy"


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/classement/", "/nulle-part/"])
def test_every_page_bears_the_policy_of_the_site(client, club, path):
    policy = client.get(path, follow=True)[HEADER]
    assert set(policy.split("; ")) == set(build_policy().split("; "))
    assert "frame-ancestors 'none'" in policy and "unsafe" not in policy


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path", ["/classement/", "/nulle-part/", "/compte/login/", "/gestion/", "/api/v1/seasons"]
)
def test_every_answer_says_what_a_browser_may_do_with_it(client, club, path):
    """A page, an error, a way to the sign-in, and an answer to a program."""
    answer = client.get(path)
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Referrer-Policy"] == "same-origin"
    assert answer["X-Frame-Options"] == "DENY"
    assert answer["Cross-Origin-Opener-Policy"] == "same-origin"
    assert "geolocation=()" in answer["Permissions-Policy"]
    assert "Access-Control-Allow-Origin" not in answer
