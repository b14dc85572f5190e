"""Counters of tries in the shared cache, and the one place that says where a request comes from."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.http import HttpResponse
from django.test import RequestFactory
from django.urls import reverse

from clubs.accounts import rate_limits
from clubs.accounts.client_address import address_of
from tests.clubhouse import NOW

THREE = rate_limits.Limit(name="test", amount=3, span=timedelta(minutes=10))


@pytest.mark.parametrize(("tries", "allowed"), [(2, True), (3, True), (4, False)])
def test_as_many_tries_as_the_limit_says(tries, allowed):
    for _try in range(tries - 1):
        rate_limits.take(THREE, "a", at=NOW)
    if allowed:
        rate_limits.take(THREE, "a", at=NOW)
    else:
        with pytest.raises(rate_limits.TooMany):
            rate_limits.take(THREE, "a", at=NOW)


def test_another_subject_and_the_next_span_have_counters_of_their_own():
    for _try in range(3):
        rate_limits.take(THREE, "a", at=NOW)
    with pytest.raises(rate_limits.TooMany) as over:
        rate_limits.check(THREE, "a", at=NOW)
    rate_limits.check(THREE, "b", at=NOW)
    rate_limits.check(THREE, "a", at=over.value.until)
    with pytest.raises(rate_limits.TooMany):
        rate_limits.check(THREE, "a", at=over.value.until - timedelta(seconds=1))


def test_a_try_that_was_right_is_given_back():
    for _try in range(3):
        rate_limits.take(THREE, "a", at=NOW)
        rate_limits.give_back(THREE, "a", at=NOW)
    rate_limits.check(THREE, "a", at=NOW)


def test_too_many_tries_answer_429_and_when_to_come_back(rf: RequestFactory):
    @rate_limits.limited
    def view(request) -> HttpResponse:
        rate_limits.take(THREE, "a", at=NOW)
        return HttpResponse("ok")

    request = rf.get("/")
    request.received_at, request.organisation = NOW, None
    assert [view(request).status_code for _try in range(4)] == [200, 200, 200, 429]
    assert 0 < int(view(request)["Retry-After"]) <= 600


@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        (0, "203.0.113.9", "192.0.2.1"),  # anybody may send the header
        (1, None, "192.0.2.1"),
        (1, "203.0.113.9", "203.0.113.9"),
        (1, "198.51.100.7, 203.0.113.9", "203.0.113.9"),  # the first entry is the client's own
        (2, "198.51.100.7, 203.0.113.9", "198.51.100.7"),
        (2, "10.0.0.1, 198.51.100.7, 203.0.113.9", "198.51.100.7"),
        (1, "2001:db8:1:2:aaaa::1", "2001:db8:1:2::"),  # one subscriber's network
        (1, "no address", ""),
    ],
)
def test_the_address_is_the_one_our_own_proxy_saw(settings, rf, proxies, forwarded, address):
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = proxies
    extra = {} if forwarded is None else {"HTTP_X_FORWARDED_FOR": forwarded}
    assert address_of(rf.get("/", REMOTE_ADDR="192.0.2.1", **extra)) == address


@pytest.mark.django_db
def test_too_many_forgotten_passwords_are_told_when_to_come_back(client, clock):
    asked = [client.post(reverse("account_reset_password"), {"email": "a@x.fr"}) for _ in range(6)]
    assert [answer.status_code for answer in asked] == [302] * 5 + [429]
    assert (asked[-1]["Retry-After"], asked[-1]["Cache-Control"]) == ("300", "no-store")
    assert "réessayez à partir de" in asked[-1].content.decode()
