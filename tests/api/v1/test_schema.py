"""Requests made at random from the API's own document: none fails, each answer is as it says.

A run is the same each time and short. API_FUZZ_SECONDS=600 makes ever new ones for as long (CPU).
"""

from __future__ import annotations

import os
import time

import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from hypothesis import HealthCheck, given, settings
from schemathesis import checks
from schemathesis.specs.openapi.checks import (
    response_schema_conformance,
    status_code_conformance,
)

from api.v1 import bearer
from api.v1.urls import site as api
from clubs.accounts.rate_limits import Limit
from tests.api.keys import key_of
from tests.permissions.test_permissions import site, world  # noqa: F401

pytestmark = [pytest.mark.django_db, pytest.mark.only_on("sqlite")]
SECONDS = float(os.environ.get("API_FUZZ_SECONDS", "0"))
EXAMPLES = 6
CHECKS = [checks.not_a_server_error, status_code_conformance, response_schema_conformance]
OPERATIONS = [
    (method, path.partition("/api/v1/")[2])
    for path, methods in api.get_openapi_schema()["paths"].items()
    for method in methods
    if method == "get"
]


@pytest.fixture
def connected():
    """As Django's own test client does: a request does not close the test's connection."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_no_request_fails_and_each_answer_is_documented(
    site,  # noqa: F811
    connected,
    monkeypatch,
    method,
    path,
):
    endless = Limit(name="fuzz", amount=10**9, span=bearer.MINUTE)
    monkeypatch.setattr(bearer, "OF_A_KEY", endless)
    key = key_of(site.club.committee.member, site.club.at)
    headers = {"Authorization": f"Bearer {key}", "Accept-Encoding": "identity"}
    root = f"/c/{site.club.organisation.slug}/api/v1/"
    document = api.get_openapi_schema()
    document["paths"] = {root + path: {method: document["paths"][f"/api/v1/{path}"][method]}}
    schema = schemathesis.openapi.from_dict(document)
    schema.app = WSGIHandler()
    operation = schema[root + path][method.upper()]
    ends = time.process_time() + SECONDS / len(OPERATIONS)
    while True:

        @settings(
            max_examples=EXAMPLES,
            derandomize=not SECONDS,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy())
        def ask(case):
            case.call_and_validate(headers=headers, checks=CHECKS)

        ask()
        if time.process_time() >= ends:
            break
