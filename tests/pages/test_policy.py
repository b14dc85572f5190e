"""Which Content-Security-Policy an answer bears."""

from __future__ import annotations

import pytest
from csp.decorators import csp_exempt, csp_update
from csp.utils import build_policy
from django.http import HttpResponse
from django.test import RequestFactory

from config.headers import SitePolicyMiddleware

HEADER = "Content-Security-Policy"


def policy_of(view) -> str | None:
    return SitePolicyMiddleware(view)(RequestFactory().get("/")).headers.get(HEADER)


@pytest.mark.django_db
def test_every_page_bears_the_policy_of_the_site(client, club):
    policy = client.get("/classement/", follow=True)[HEADER]
    assert set(policy.split("; ")) == set(build_policy().split("; "))
    assert "frame-ancestors 'none'" in policy and "unsafe" not in policy


def test_a_page_with_wishes_of_its_own_gets_them():
    wide = csp_update({"img-src": ["https://example.org"]})(lambda _request: HttpResponse())
    assert "https://example.org" in (policy_of(wide) or "")
    assert policy_of(csp_exempt()(lambda _request: HttpResponse())) is None


def test_a_page_that_says_its_policy_itself_keeps_it():
    own = lambda _request: HttpResponse(headers={HEADER: "default-src 'none'"})  # noqa: E731
    assert policy_of(own) == "default-src 'none'"


def test_a_nonce_that_a_page_asked_for_is_in_its_policy():
    def view(request) -> HttpResponse:
        return HttpResponse(str(request.csp_nonce))

    answer = SitePolicyMiddleware(view)(RequestFactory().get("/"))
    assert answer.headers[HEADER]
