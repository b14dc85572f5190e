"""A confirmation costs few statements, and an action returns what it stored."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import Max
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from pairings.matches import actions as match_actions
from pairings.matches.models import Match
from pairings.rules.match_state import Result
from tests.clubhouse import make_club

pytestmark = pytest.mark.django_db

STATEMENTS = 17
AROUND = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE")


def url_of(club, match) -> str:
    return f"/c/{club.organisation.slug}/matchs/{match.pk}/confirmer/"


def columns(match: Match) -> dict:
    return {field.attname: getattr(match, field.attname) for field in Match._meta.concrete_fields}


@pytest.fixture
def entered(db):
    """Return a club of that size, one result entered now, and the player who is to answer."""

    def enter(size: int):
        club = make_club(f"club{size}", size=size)
        match, (a, b) = club.match()
        done = match_actions.submit(match=match, by=a, scores=(400, 350), at=timezone.now())
        return club, done, b

    return enter


@pytest.mark.parametrize("size", [4, 40])
def test_a_confirmation_asks_few_questions_whatever_the_clubs_size(entered, client, size):
    club, match, b = entered(size)
    other, (_c, d) = club.entered(scores=(1, 2))
    match_actions.confirm(match=other, by=d, at=club.at)  # the first match creates the period
    client.force_login(b.user, backend="allauth.account.auth_backends.AuthenticationBackend")
    with CaptureQueriesContext(connection) as asked:
        answer = client.post(url_of(club, match), {"version": match.version})
    assert (answer.status_code, Match.objects.get(pk=match.pk).status) == (302, "final")
    said = [q["sql"] for q in asked if not q["sql"].startswith(AROUND)]
    assert len(said) <= STATEMENTS, "\n".join(said)
    inside = [q["sql"] for q in asked if q["sql"].startswith("SAVEPOINT")]
    assert len(inside) == 1, "one transaction, here inside the test's own, and none inside it"


def test_every_verb_gives_back_the_row_it_stored(club):
    at, arbiter = club.at, club.arbiter
    given = []

    def keep(match: Match) -> Match:
        stored = Match.objects.get(pk=match.pk)
        assert columns(match) == columns(stored)
        assert match.version == (match.lines.aggregate(last=Max("number"))["last"] or 0)
        given.append(match.status)
        return match

    match, (a, b) = club.match()
    keep(match_actions.start(match=match, by=a, at=at))
    keep(match_actions.submit(match=match, by=a, scores=(400, 350), at=at))
    keep(match_actions.submit(match=match, by=a, scores=(400, 351), at=at + timedelta(seconds=7)))
    keep(match_actions.contest(match=match, by=b, at=at + timedelta(seconds=9), words="faux"))
    keep(
        match_actions.decide(
            match=match, result=Result("played", 3, 4), reason="vu", by=arbiter, at=at
        )
    )
    wrong = Result("absent", absent="b", justified=True)
    keep(match_actions.correct(match=match, result=wrong, reason="revu", by=arbiter, at=at))
    keep(match_actions.correct(match=match, result=Result("void"), reason="nul", by=arbiter, at=at))
    late, (c, _d) = club.match()
    keep(match_actions.claim_absence(match=late, by=c, at=at + timedelta(hours=1)))
    other, (_e, _f) = club.match()
    keep(match_actions.mark_absent(match=other, absent="both", justified=False, by=arbiter, at=at))
    assert given == [
        *("playing", "submitted", "submitted", "contested", "final", "final", "void"),
        *("absence_claimed", "void"),
    ]


def test_somebody_else_hears_nothing_of_a_match_whatever_they_send(club, other_club, client):
    match, (a, b) = club.match()
    done = match_actions.submit(match=match, by=a, scores=(400, 350), at=timezone.now())
    backend = "allauth.account.auth_backends.AuthenticationBackend"
    third = next(m for m in club.members if m.pk not in (a.member.pk, b.member.pk))
    client.force_login(third.user, backend=backend)
    for version in (done.version, done.version + 1):
        assert client.post(url_of(club, match), {"version": version}).status_code == 404
    client.force_login(other_club.members[0].user, backend=backend)
    assert client.post(url_of(other_club, match), {"version": done.version}).status_code == 404
    assert Match.objects.get(pk=match.pk).status == "submitted"
