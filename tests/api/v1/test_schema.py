"""Requests made at random from the API's own document: none fails, each answer is as it says.

A run is the same each time and short. API_FUZZ_SECONDS=600 makes ever new ones for as long (CPU).
"""

from __future__ import annotations

import json
import os
import re
import time
from base64 import urlsafe_b64encode

import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.test import Client
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from ninja.responses import NinjaJSONEncoder
from schemathesis import GenerationMode, checks
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from api.v1 import bearer
from api.v1.urls import reading, writing
from api.v1.urls import site as api
from clubs.accounts.rate_limits import Limit
from pairings.matches.models import Match
from ratings.ledger.models import RatingList
from tests.api.keys import ALL, key_of
from tests.permissions.conftest import site, world  # noqa: F401

pytestmark = [pytest.mark.django_db, pytest.mark.only_on("sqlite")]
SECONDS = float(os.environ.get("API_FUZZ_SECONDS", "0"))
EXAMPLES, LONG_RUN = 6, 100
PLAIN = "[analysis.constants]\nenabled = false"
"""Not the constants of the site's own modules: reading them takes a second for each address."""
CHECKS = [
    checks.not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
OPERATIONS = [
    (method.lower(), re.sub(r"{\w+:", "{", address).strip("/"))
    for part in reading + writing
    for address, view in part.router.path_operations.items()
    for operation in view.operations
    for method in operation.methods
]
"""Of the routers: the document takes a second to make, and every worker imports this module."""
# Of an address that writes, or reads for a role: the key's member (a player of that match, else the committee), its places.
PLACES = {
    "arrivals": ("called", {}),
    "matches/{match_id}/result": ("called", {"match_id": "called"}),
    "matches/{match_id}/confirmation": ("to_confirm", {"match_id": "to_confirm"}),
    "matches/{match_id}/contest": ("to_confirm", {"match_id": "to_confirm"}),
    "matches/{match_id}/absence": ("called", {"match_id": "called"}),
    "matches/{match_id}/presence": ("called", {"match_id": "called"}),
    "matches/{match_id}/arrival": ("called", {"match_id": "called"}),
    "matches/{match_id}/decision": ("", {"match_id": "match"}),
    "matches/{match_id}/intervention": ("", {"match_id": "called"}),
    "matches/{match_id}/correction": ("", {"match_id": "over"}),
    "matches/{match_id}/correction-request": ("over", {"match_id": "over"}),
    "matches/{match_id}/undo": ("", {"match_id": "called"}),
    "matches/{match_id}/call": ("", {"match_id": "called"}),
    "contests": ("", {}),
    "contests/{contest_id}": ("", {"contest_id": "contest"}),
    **{
        f"contests/{{contest_id}}/{act}": ("", {"contest_id": "contest"})
        for act in ("taking", "recusal", "opinions", "answer")
    },
    "evenings": ("", {}),
    **{
        f"evenings/{{day}}/{{nth}}/{act}": ("", {"day": day, "nth": 1})
        for day, acts in {
            "day": (
                *("start", "last-games", "arrivals", "departures", "guests", "pairing"),
                *("closing", "close", "forced-close", "desk"),
                *("pairing/by-hand", "swaps", "last-acts", "choices", "screen"),
            ),
            "next_week": ("opening", "cancellation", "changes"),
        }.items()
        for act in acts
    },
    "evenings/{day}/{nth}/guest-requests/{request_id}": (
        "",
        {"day": "day", "nth": 1, "request_id": "guest_request"},
    ),
    "tournaments/{slug}/rounds/{round_number}/results": ("", {"slug": "open", "round_number": 1}),
    "members": ("", {}),
    "members/{member}": ("", {"member": "slug"}),
    "tournament-files": ("", {}),
    "lists/{slug}/competition-files": ("", {"slug": "liste"}),
}

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.dates().map(str)
    | st.text(st.characters(exclude_categories=()), max_size=9)
    | st.sampled_from(["\0", "\ud800"])
)
PLACED = (
    {
        "players": 1,
        "organisations": 1,
        "editions": 1,
        "lists": 1,
        "lists/{list}": 1,
    }
    | dict.fromkeys(("seasons", "evenings", "tournaments", "lists/{list}/competitions"), 2)
    | {"players/{player}/changes": 4}
)
"""Addresses that take `after`, and how many values a place of theirs has."""
BLOTS = ("", "\0")
"""What JSON can write and no database stores; half a pair, which this client cannot send: test_bodies.py."""


@pytest.fixture
def connected():
    """As Django's own test client does: a request does not close the test's connection."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def ask(site, connected, monkeypatch):  # noqa: F811
    """Ask one operation at random, with one of the keys; returns the statuses that were answered.

    In the long run again and again, for its part of the time.
    """
    endless = Limit(name="fuzz", amount=10**9, span=bearer.MINUTE)
    monkeypatch.setattr(bearer, "OF_A_KEY", endless)
    root = f"/c/{site.club.organisation.slug}/api/v1/"

    def fuzz(method, path, keys, modes, **places):
        # As a program reads it: schemathesis writes into what it is given, the site keeps its own.
        document = json.loads(json.dumps(api.get_openapi_schema(), cls=NinjaJSONEncoder))
        told = {**document["paths"][f"/api/v1/{path}"][method]}
        del told["security"]  # the test gives the keys
        document["paths"] = {root + path: {method: told}}
        schema = schemathesis.openapi.from_dict(
            document, config=schemathesis.Config.from_str(PLAIN)
        )
        schema.app = WSGIHandler()
        operation = schema[root + path][method.upper()]
        seen = set()

        @settings(
            max_examples=LONG_RUN if SECONDS else EXAMPLES,
            derandomize=not SECONDS,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        )
        @given(
            case=st.one_of(*(operation.as_strategy(generation_mode=mode) for mode in modes)),
            key=st.sampled_from(keys),
            real=st.booleans(),
            blot=st.sampled_from(BLOTS if method != "get" else BLOTS[:1]),
        )
        def one(case, key, real, blot):
            if blot and isinstance(case.body, dict):
                case.body = {**case.body, next(iter(case.body), blot): blot}
            if real:
                case.path_parameters.update(places)
            case.headers["Authorization"] = f"Bearer {key}"
            case.headers["Accept-Encoding"] = "identity"
            seen.add(case.call_and_validate(checks=CHECKS).status_code)

        ends = time.process_time() + SECONDS / len(OPERATIONS)
        one()
        while time.process_time() < ends:
            one()
        return seen

    return fuzz


def test_every_operation_of_the_document_is_asked():
    documented = api.get_openapi_schema()["paths"].items()
    assert {(method, path) for path, methods in documented for method in methods} == {
        (method, f"/api/v1/{path}") for method, path in OPERATIONS
    }


@pytest.mark.parametrize("path", [path for method, path in OPERATIONS if method == "get"])
def test_no_request_fails_and_each_answer_is_documented(site, ask, path):  # noqa: F811
    key = key_of(site.club.committee.member, site.club.at)
    _whose, places = PLACES.get(path, ("", {}))
    held = {name: site.words.get(word, word) for name, word in places.items()}
    assert 401 not in ask("get", path, [key], [GenerationMode.POSITIVE], **held)


@pytest.mark.parametrize(("path", "length"), PLACED.items())
def test_no_place_that_decodes_fails(site, path, length):  # noqa: F811
    """Of any types: a site gave few of them."""
    held = RatingList.objects.filter(organisation=site.club.organisation).earliest("pk")
    address = path.format(player=site.club.members[0].public_id, list=held.slug)
    client = Client(raise_request_exception=False)

    @settings(max_examples=20, derandomize=True, database=None, deadline=None)
    @given(values=st.lists(SCALARS, min_size=length, max_size=length))
    @example(values=[None] * length)
    @example(values=["\0"] * length)
    @example(values=["2026-01-01", "\ud800"][-length:])
    @example(values=["2026-01-01", None][:length])
    def one(values):
        after = urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")
        answer = client.get(f"/c/faizers/api/v1/{address}?after={after}")
        assert answer.status_code in (200, 422), answer.content

    one()


@pytest.mark.parametrize(("method", "path"), [one for one in OPERATIONS if one[0] != "get"])
def test_no_act_fails_and_each_answer_is_documented(site, ask, method, path):  # noqa: F811
    """Right and wrong bodies, with a key of every scope of somebody who may and of each scope."""
    whose, places = PLACES[path]
    member = site.club.committee.member
    if whose:
        match = Match.objects.get(pk=site.words[whose])
        member = match.second if whose == "to_confirm" else match.first
    keys = [key_of(member, site.club.at, *scopes) for scopes in ((), *((one,) for one in ALL))]
    held = {name: site.words.get(word, word) for name, word in places.items()}
    assert 401 not in ask(method, path, keys, list(GenerationMode), **held)
