"""Which Content-Security-Policy an answer bears."""

from __future__ import annotations

import pytest
from csp.constants import NONCE
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
    said = []

    @csp_update({"script-src": [NONCE]})
    def view(request) -> HttpResponse:
        said.append(str(request.csp_nonce))
        return HttpResponse()

    policy = policy_of(view)
    assert f"script-src 'nonce-{said[0]}'" in (policy or "")


@pytest.mark.parametrize("status", [404, 500])
def test_the_error_pages_of_development_bear_none(settings, status):
    def view(_request) -> HttpResponse:
        return HttpResponse(status=status)

    assert "default-src 'self'" in (policy_of(view) or "")
    settings.DEBUG = True
    assert policy_of(view) is None
