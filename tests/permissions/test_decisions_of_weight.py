"""Which decisions ask again who one is: nothing changes before the proof, nothing typed is lost.

Each form of arbiters and of the committee is in WEIGHTY or in EVERYDAY; a new one in neither fails.
"""

from __future__ import annotations

from typing import Any

import pytest
import time_machine
from django.core.cache import cache
from django.urls import reverse

from clubs.accounts.models import User
from pairings.arbitration import effects
from pairings.evenings.models import Evening
from pairings.rules.match_state import Result
from tests.clubs.accounts.test_reauthentication import LATER, hidden, prove, sign_in
from tests.permissions import access
from tests.permissions.access import ARBITER, COMMITTEE, MEMBER, REASON
from tests.permissions.furnished_club import PREPARED, Furnished, rows
from tests.permissions.test_permissions import TABLES, address, body_of, untouched

pytestmark = pytest.mark.django_db

# Address → the line of access.py (None), or one of its forms: who, arguments, body.
WEIGHTY: dict[str, tuple[str, dict[str, Any], dict[str, Any]] | None] = {
    "clubs:roles": None,
    "clubs:rules_adopt": None,
    "clubs:archive": None,
    "clubs:close": None,
    "clubs:privacy_settings": None,
    "clubs:member_edit, forgetting": (
        COMMITTEE,
        {"member_id": "guest"},
        {"leave": "1", "forget": "1"},
    ),
    "clubs:guardian_withdraws": None,
    "clubs:account_unlink": None,
    "clubs:my_data, forgetting": (MEMBER, {}, {"leave": "1", "forget": "1"}),
    "pairings:force_closing": None,
    "pairings:match_correct, once published": (
        ARBITER,
        {"match_id": "published"},
        {
            "decide": "1",
            "version": "{published_version}",
            "choice": "other",
            "first_score": "311",
            "second_score": "300",
            "seen": "{published_seen}",
            **REASON,
        },
    ),
    "pairings:sanction": None,
    "pairings:sanction, imposing": (
        COMMITTEE,
        {"sanction_id": "sanction"},
        {"impose": "1", "sessions": "1", "cut_percent": "0", **REASON},
    ),
    "pairings:merge_guest": None,
    "pairings:tournament_act, reopening": (
        COMMITTEE,
        {"slug": "closed", "act": "rouvrir"},
        REASON,
    ),
    "pairings:tournament_act, cancelling": (
        COMMITTEE,
        {"slug": "coming", "act": "annuler"},
        REASON,
    ),
    "ratings:publish": None,
    "ratings:list_publish": None,
    "ratings:merge": None,
    "ratings:long_correction": None,
    "ratings:handover_correction": None,
    "ratings:game_add": None,
    "ratings:game_correct": None,
    "ratings:sheet_correct": None,
    "ratings:event_correct": None,
    "ratings:facts_correct": None,
    "ratings:event_remove": None,
    "api:tokens, of a role": (MEMBER, {}, {"name": "Bureau", "scopes": "office", "days": "30"}),
    "api:webhook_list": None,
    "api:webhook": None,
    "api:webhook_act": None,
}
# What an evening, a tournament or the desk does again and again, or what is set right as easily.
EVERYDAY = {
    "clubs:member_edit",  # all but forgetting
    *("clubs:member_add", "clubs:person", "clubs:requests", "clubs:invite"),
    *("clubs:licence_upload", "clubs:licence_columns", "clubs:licence_preview"),
    *("clubs:import_upload", "clubs:import_map", "clubs:import_preview", "clubs:import_done"),
    *("clubs:season_list", "clubs:season_edit", "clubs:club_settings", "clubs:posters"),
    "clubs:rules_edit",  # a draft
    *("pairings:evening_new", "pairings:evening_edit", "pairings:evening_act"),
    *("pairings:pair_preview", "pairings:checkin_desk", "pairings:guest_requests"),
    *("pairings:evening_close", "pairings:evening_federation", "pairings:evening_lists"),
    # A ruling of the evening; what is published already asks.
    *("pairings:dispute", "pairings:opinion", "pairings:undo", "pairings:match_judge"),
    *("pairings:match_correct", "pairings:absence_list"),
    *("pairings:tie_list", "pairings:tie"),
    *("pairings:tournament_create", "pairings:tournament_import", "pairings:tournament_settings"),
    *("pairings:tournament_desk", "pairings:entry_act", "pairings:tournament_federation"),
    *("pairings:tournament_act", "pairings:round_act", "pairings:round_grid"),
    *("pairings:results_import", "pairings:tournament_file"),
    *("ratings:trial_new", "ratings:trial", "ratings:list_new", "ratings:feeders"),
    *("ratings:handover", "ratings:check", "ratings:seating", "ratings:grade_list"),
    *("ratings:quotas", "ratings:bring", "ratings:make_official", "ratings:draft_tables"),
    *("ratings:draft", "ratings:draft_columns", "ratings:draft_names", "ratings:run"),
    "ratings:newcomers",
    "api:webhook_replay",
}


@pytest.fixture(autouse=True)
def nothing_counted():
    """Limits of proofs are counted in the cache."""
    cache.clear()
    yield
    cache.clear()


def line_of(case: str) -> tuple[str, str, str, dict[str, Any], dict[str, Any]]:
    """Return app, name, who, arguments and body of a case."""
    space, name = case.partition(",")[0].split(":")
    who, arguments, body = WEIGHTY[case] or access.whole(TABLES[space][name])[:3]
    return space, name, who, arguments, body or {}


def test_each_form_of_a_role_is_a_decision_of_weight_or_an_everyday_one():
    lines = [
        (space, name, access.whole(line))
        for space, table in TABLES.items()
        for name, line in table.items()
    ]
    lines += [(space, name, access.whole(line)) for space, name, line in access.FURTHER]
    forms = {
        f"{space}:{name}"
        for space, name, (level, _arguments, body, effect) in lines
        if level in (ARBITER, COMMITTEE) and body is not None and effect != access.KEYED
    }
    whole = {case for case in WEIGHTY if "," not in case}
    assert whole & EVERYDAY == set()
    members = {case for case in WEIGHTY if line_of(case)[2] == MEMBER}
    sorted_out = whole - members | EVERYDAY
    assert not forms - sorted_out, f"put each in WEIGHTY or EVERYDAY: {forms - sorted_out}"
    assert not sorted_out - forms, f"no form of a role any more: {sorted_out - forms}"


def person(site: Furnished, who: str) -> User:
    club = site.club
    people = {MEMBER: club.members[0], ARBITER: club.arbiter, COMMITTEE: club.committee}
    return people[who].user


def publish_a_match(site: Furnished) -> None:
    """Name a match of last week, whose ranking is published."""
    evening = Evening.objects.closed().get(organisation=site.club.organisation)
    match = evening.matches.order_by("pk").first()
    seen = effects.read_effect(match, Result("played", 311, 300))[1]
    site.words |= {
        "published": match.pk,
        "published_version": match.version,
        "published_seen": seen,
    }


@pytest.mark.parametrize("case", WEIGHTY)
def test_a_decision_waits_for_the_proof_and_then_goes_through(site, settings, case):
    space, name, who, arguments, body = line_of(case)
    settings.SECOND_FACTOR, settings.SECOND_FACTOR_GRACE_DAYS = False, 14
    with untouched():
        PREPARED.get(name, lambda _site: None)(site)
        if "published" in arguments.values():
            publish_a_match(site)
        if "office" in body.values():  # a key of a role is made by who holds it
            who = COMMITTEE
        url = address(site, space, name, arguments, site.club)
        root = f"/c/{site.club.organisation.slug}"
        with time_machine.travel(site.club.at - LATER, tick=False):
            client = sign_in(person(site, who))
        sent = body_of(site, client, url, body)
        settings.SECOND_FACTOR = True
        client.get(f"{root}/")  # notes when the role was first asked for its factor
        before = rows()

        asks = client.post(url, sent, headers={"referer": f"http://testserver{root}/aide/"})
        assert asks["Location"].startswith(f"{root}{reverse('account_reauthenticate')}?next=")
        assert rows() == before
        prove(client, root)
        offered = hidden(client.get(url).content.decode())
        assert offered == [(key, text) for key, text in sent.items() if key != "approver_pin"]
        answer = client.post(url, dict(offered))
        assert answer.status_code in (200, 302, 303)
        assert rows() != before


def test_a_form_that_has_no_page_of_its_own_is_given_up_for_the_page_it_was_on(site, settings):
    settings.SECOND_FACTOR, settings.SECOND_FACTOR_GRACE_DAYS = True, 14
    root = f"/c/{site.club.organisation.slug}"
    url = f"{root}/gestion/etat/archive/"
    with untouched():
        with time_machine.travel(site.club.at - LATER, tick=False):
            client = sign_in(person(site, COMMITTEE))
        for page, leads_to in (
            (f"http://testserver{root}/gestion/etat/", f"http://testserver{root}/gestion/etat/"),
            ("https://elsewhere.example/", url),
        ):
            client.post(url, headers={"referer": page})
            given_up = client.get(url, {"abandonner": "1"})
            assert given_up["Location"] == leads_to
