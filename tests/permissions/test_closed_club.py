"""In a closed club nothing is written, whoever asks, but what concerns its people's data."""

from __future__ import annotations

import pytest
from django.urls import get_resolver

from clubs.organisations.models import Organisation
from tests.permissions import access
from tests.permissions.test_permissions import (
    address,
    lines,
    patterns,
    reader_of,
    signed_in,
    untouched,
)

pytestmark = pytest.mark.django_db
STILL = {
    *(("api", name) for name in ("tokens", "webhook_act")),
    *(("clubs", name) for name in ("account_unlink", "archive", "close", "club_settings")),
    *(("clubs", name) for name in ("guardian_withdraws", "member_edit", "my_data", "person")),
    *(("clubs", name) for name in ("notifications", "privacy_settings", "push_device", "roles")),
    ("clubs", "settings"),
}
# Of an account, a browser or a demo, not of the club.
NOT_OF_A_CLUB = {("clubs", "session_end"), ("clubs", "theme"), ("pairings", "demo_sign_in")}


def test_pages_that_still_write_are_those_of_data_and_settings():
    marked = {
        (space, name)
        for space in ("pairings", "clubs", "ratings", "api")
        for name in get_resolver().namespace_dict[space][1].reverse_dict
        if isinstance(name, str)
        and name in patterns(space)
        and hasattr(patterns(space)[name].callback, "after_closing")
    }
    assert marked == STILL


def test_every_other_form_of_a_closed_club_is_refused_and_writes_nothing(site):
    """Whatever is sent: each is refused before it is read."""
    wrong, asked = [], 0
    with untouched() as wrote:
        Organisation.objects.filter(pk=site.club.organisation.pk).update(closed_at=site.club.at)
        for line in lines():
            space, name, level, arguments, body, effect = line.values
            skipped = (access.COOKIE, access.KEYED, access.READ)
            if body is None or effect in skipped or (space, name) in STILL | NOT_OF_A_CLUB:
                continue
            client = signed_in(site, reader_of(site, level, arguments))
            wrote.clear()
            answer = client.post(address(site, space, name, arguments, site.club))
            asked += 1
            if answer.status_code != 403 or wrote:
                wrong.append((space, name, answer.status_code, wrote[:1]))
    assert not wrong
    assert asked > 80
