"""A page with several forms says first what is wrong in the one that was sent."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse

from clubs.organisations.models import Organisation
from pairings.evenings import actions as evenings
from tests.pages import url

pytestmark = pytest.mark.django_db


@pytest.fixture
def announced(club):
    """The day of an evening that is announced and not open yet."""
    evening = evenings.announce_evening(
        organisation=Organisation.objects.get(pk=club.organisation.pk),
        starts_at=club.at + timedelta(days=7),
        by=club.committee,
        at=club.at,
    )
    return evening.held_on.isoformat()


@pytest.fixture
def contested(club):
    return club.contested()[0].contests.get()


@pytest.mark.parametrize(
    ("page", "posted", "field"),
    [
        ("code", {"pin": "12"}, "id_pin"),
        ("swap", {}, "swap_one"),
        ("cancel", {"reason": ""}, "cancel_reason"),
        ("edit", {"cancel": "1", "reason": ""}, "cancel_reason"),
        ("desk", {"first_name": ""}, "id_first_name"),
        ("dispute", {"pass_on": "1", "reason": ""}, "pass_reason"),
    ],
)
def test_the_title_and_a_summary_name_the_wrong_field(
    club, as_user, announced, contested, page, posted, field
):
    today = club.evening.held_on.isoformat()
    address = {
        "code": reverse("clubs:settings"),
        "swap": url("evening_act", day=today, act="echanger"),
        "cancel": url("evening_act", day=announced, act="annuler"),
        "edit": url("evening_edit", day=announced),
        "desk": url("checkin_desk", day=today),
        "dispute": url("dispute", contest_id=contested.pk),
    }[page]
    answer = as_user(club.committee.user).post(address, posted)
    shown = " ".join(answer.content.decode().split())
    assert answer.status_code == 422
    assert "Erreur\N{NO-BREAK SPACE}:" in answer.content.decode().split("</title>")[0]
    assert shown.count('class="error-summary"') == 1
    focused = shown.split(" autofocus")[0]  # without a script the first such element has it
    for before in (focused, shown.split("data-autofocus")[0]):
        assert 'class="error-summary"' in before, "the summary has the focus"
    assert f'href="#{field}"' in shown and f'id="{field}"' in shown
