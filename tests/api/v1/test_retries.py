"""A request sent again is answered as the first time, though what it names is gone by then."""

from __future__ import annotations

import pytest

from clubs.members.models import Member
from pairings.evenings.models import Evening
from tests.api.keys import code_of
from tests.api.v1.test_tables import sent  # noqa: F401

pytestmark = pytest.mark.django_db
DESK = "evenings/2026-11-20/1"


@pytest.mark.parametrize("act", ["arrivals", "departures", "by hand", "change"])
def test_a_request_on_a_member_who_has_left_since_has_its_first_answer(club, send, request, act):
    member, by = club.members[5], club.committee.member
    method, path, body = {
        "arrivals": ("post", f"{DESK}/arrivals", {"member": member.public_id}),
        "departures": ("post", f"{DESK}/departures", {"member": member.public_id}),
        "by hand": request.getfixturevalue("sent")["pair"],
        "change": ("patch", f"members/{member.public_id}", {"first_name": "Ada"}),
    }[act]
    first = send(path, body, by, method=method, once="k")
    assert first.status_code == 200, first.content
    Member.objects.filter(pk=member.pk).update(left_at=club.at)
    again = send(path, body, by, method=method, once="k")
    assert (again.status_code, again.json()) == (200, first.json())
    assert code_of(send(path, body, by, method=method, once="another")) == (404, "not_found")


def test_an_arrival_sent_again_after_the_evening_has_its_first_answer(club, send):
    Evening.objects.filter(pk=club.evening.pk).update(board_code="AB23")
    body, by = {"code": "AB23"}, club.members[7]
    first = send("arrivals", body, by, once="k")
    assert first.status_code == 200, first.content
    Evening.objects.filter(pk=club.evening.pk).update(board_code="")
    assert send("arrivals", body, by, once="k").json() == first.json()
    assert code_of(send("arrivals", body, by, once="another")) == (404, "wrong_code")
