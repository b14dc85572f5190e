"""What a club writes and sends is the same without the other clubs of the site.

Every form is posted, an evening and a tournament are played and every periodic task runs: beside a club
and its league that hold the same things and have the same people as members, then once they are gone.
Compared are all rows, the journal among them, mails, notifications to phones and requests to webhooks.
"""

from __future__ import annotations

import random
import re
import secrets
import uuid
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from celery import current_app
from django.conf import settings
from django.core import mail
from django.test import TestCase

from api.webhooks import sending
from api.webhooks.models import Event, Webhook
from clubs.members import actions as members
from clubs.members.invitations import actions as invitations
from clubs.members.models import Member
from clubs.notifications import push_service
from clubs.notifications.models import PushSubscription
from pairings.evenings import pairing
from pairings.evenings.admission import presence
from pairings.evenings.models import Evening
from pairings.rules.match_state import Result
from pairings.tournaments.models import Tournament
from tests.kept import begin_keys_at
from tests.permissions import access
from tests.permissions.furnished_club import Furnished, end_tonight, rows
from tests.permissions.test_other_clubs import (
    forget_caches,
    join_the_neighbours,
    remove,
    rows_of,
)
from tests.permissions.test_permissions import (
    address,
    body_of,
    lines,
    prepared,
    reader_of,
    signed_in,
    untouched,
)
from tests.tournament_day import end_round, play, round_of

# Which rows are read and written is decided above the database.
pytestmark = [pytest.mark.django_db, pytest.mark.only_on("sqlite")]
# Its form chooses a club of the site.
NAMES_THE_OTHERS = {"feeders"}
WINDOWS_END, EVE = timedelta(minutes=20), timedelta(days=6)
"""When periodic tasks run again: matches have expired; the next evening is tomorrow."""
# Behind the rows of all kept clubs, which begin at ten thousand more for each that a worker has built.
NEW_KEYS = 5_000_000
# The keys of new rows and what is computed from them, which the other clubs' new rows move.
OF_NEW_ROWS = re.compile(r"\b5\d{6}\b|\b[0-9a-f]{64}\b")


@dataclass
class Sent:
    """What left the site: mails, notifications, requests to webhooks."""

    others: list[str] = field(default_factory=list)

    def clear(self) -> None:
        mail.outbox.clear()
        self.others.clear()

    def texts(self) -> list[str]:
        return sorted([f"{one.to} {one.subject} {one.body}" for one in mail.outbox] + self.others)


@pytest.fixture
def sent(monkeypatch, mailoutbox) -> Sent:
    sent = Sent()
    monkeypatch.setattr(push_service, "send", lambda **push: sent.others.append(repr(push)))

    def post(address: str, *, body: bytes, headers: dict[str, str]) -> int:
        sent.others.append(f"{address} {headers['Webhook-Event']} {body.decode()}")
        return 204

    monkeypatch.setattr(sending, "post", post)
    return sent


@pytest.fixture
def chance(monkeypatch) -> random.Random:
    """What keys, links and public ids are drawn from: the same each time it is seeded."""
    chance = random.Random(0)
    monkeypatch.setattr(secrets, "choice", chance.choice)
    monkeypatch.setattr(secrets, "randbelow", chance.randrange)
    monkeypatch.setattr(secrets, "token_bytes", chance.randbytes)
    monkeypatch.setattr(uuid, "uuid4", lambda: uuid.UUID(int=chance.getrandbits(128)))
    return chance


def give_phones(site: Furnished) -> None:
    """Everybody of both clubs has one, and both clubs' webhooks hear of everything."""
    Webhook.objects.update(events=Event.values)
    for member in Member.objects.active().filter(push_subscriptions=None).order_by("pk"):
        endpoint = f"https://fcm.googleapis.com/{member.pk}"
        PushSubscription.objects.create(member=member, endpoint=endpoint, created_at=site.club.at)


def posted(site: Furnished, sent: Sent, chance: random.Random) -> dict[str, Any]:
    """The answer to each form, the rows that it took away and wrote, and what it sent."""
    answers = {}
    for line in lines():
        space, name, level, arguments, body, effect = line.values
        if body is None or effect in (access.KEYED, access.READ) or name in NAMES_THE_OTHERS:
            continue
        with untouched():
            chance.seed(0)
            prepared(deepcopy(site), name)  # it changes rows in memory too
            forget_caches()
            sent.clear()
            before = rows()
            client = signed_in(site, reader_of(site, level, arguments))
            url = address(site, space, name, arguments, site.club)
            content = body_of(site, client, url, body)
            with TestCase.captureOnCommitCallbacks(execute=True):
                answer = client.post(url, content)
            after = rows()
            assert answer.status_code in (200, 302, 303), line.id
            way = answer.status_code, answer.get("Location", "")
            answers[line.id] = way, before - after, after - before, sent.texts()
    return answers


def test_every_form_writes_and_sends_the_same_without_the_other_clubs(site, sent, chance):
    with untouched():
        join_the_neighbours(site)
        give_phones(site)
        beside = posted(site, sent, chance)
        remove(site.neighbours.organisation.slug)
        alone = posted(site, sent, chance)
    forget_caches()
    assert sum(len(new) > 0 for _way, _old, new, _sent in beside.values()) > 90
    assert [name for name in beside if beside[name] != alone[name]] == []


def begin_night(site: Furnished) -> None:
    """Go on with what is furnished: matches in each state, and people who ask."""
    club = site.club
    waiting = pairing.waiting_ids(club.evening, club.at)
    free = [one for one in club.members if one.pk in waiting]
    match, _players = club.contested(*free[:2])
    club.decide(match, Result("played", 400, 350), "vu")
    club.entered(*free[2:4])
    club.match(*free[4:6])
    for judge in (club.arbiter.member, club.committee.member):
        presence.go_home(evening=club.evening, member=judge, by=club.arbiter, at=club.at)
    Evening.objects.filter(pk=club.evening.pk).update(auto_pair=True)
    people = {"first_name": "Zoé", "last_name": "Neuve", "email": "zoe@example.org"}
    invitations.ask_to_join(organisation=club.organisation, at=club.at, **people)
    club.invite(email="ines@example.org")


def end_night(site: Furnished) -> None:
    """The rest of the evening, a round of a tournament, a ranking, and somebody who leaves."""
    club = site.club
    end_tonight(site)
    tournament = Tournament.objects.get(organisation=club.organisation, slug=site.words["open"])
    play(club, round_of(tournament, 1))
    end_round(club, round_of(tournament, 1))
    club.publish_edition("Classement de la soirée")
    members.leave(member=club.members[25], by=club.committee, at=club.at, forget=True)


def work() -> None:
    """Run every periodic task, as workers do."""
    forget_caches()
    for line in settings.CELERY_BEAT_SCHEDULE.values():
        with TestCase.captureOnCommitCallbacks(execute=True):
            current_app.tasks[line["task"]].apply()


def night(site: Furnished, *, acts: bool) -> None:
    """The evening and the day before the next one, with the periodic tasks between the acts."""
    for act, after in ((begin_night, timedelta(0)), (end_night, WINDOWS_END), (None, EVE)):
        now = replace(site, club=replace(site.club, at=site.club.at + after))
        with time_machine.travel(now.club.at, tick=False):
            if after:
                work()
            if acts and act is not None:
                with TestCase.captureOnCommitCallbacks(execute=True):
                    act(now)
            work()


def written(slug: str, sent: Sent) -> dict[str, list[str]]:
    """The rows of a club and its league, table by table, and what was sent in their name."""
    found = {"sent": [text for text in sent.texts() if re.search(rf"/c/{slug}|Club {slug}", text)]}
    for model, keys in rows_of(slug):
        columns = [one.attname for one in model._meta.concrete_fields if not one.primary_key]
        rows = model._base_manager.filter(pk__in=keys).order_by("pk").values_list(*columns)
        found[model.__name__] = [repr(row) for row in rows]
    return {
        name: sorted(OF_NEW_ROWS.sub("new", text) for text in texts)
        for name, texts in found.items()
    }


def test_a_night_and_every_periodic_task_leave_the_same_without_the_other_clubs(
    site, sent, chance, settings
):
    settings.ARCHIVE_KEEP = 0  # of the whole site
    ours, theirs = site.club.organisation.slug, site.neighbours.organisation.slug
    with untouched():
        join_the_neighbours(site)
        give_phones(site)

        def after_night(*, acts: bool, without: str = "") -> dict[str, dict[str, list[str]]]:
            chance.seed(0)
            sent.clear()
            with untouched():
                begin_keys_at(NEW_KEYS)
                if without:
                    remove(without)
                night(deepcopy(site), acts=acts)
                return {slug: written(slug, sent) for slug in (ours, theirs)}

        beside = after_night(acts=True)
        alone = after_night(acts=True, without=theirs)
        quiet = after_night(acts=False, without=ours)
    forget_caches()
    assert len(beside[ours]["sent"]) > 60
    assert beside[ours] == alone[ours]
    assert beside[theirs] == quiet[theirs]
