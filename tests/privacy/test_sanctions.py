"""A sanction is read by its player and the committee: nobody else finds it among the changes of a rating."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from django.test import Client

from api.webhooks import payloads
from api.webhooks.models import Delivery, Webhook
from clubs.journal.models import JournalEntry
from clubs.personal_data.export import data_of
from clubs.personal_data.register import Someone
from clubs.rulebooks.actions import LADDER
from clubs.sanctions.models import Sanction
from pairings.absences import actions as absences
from pairings.live import stream as live
from pairings.live.models import LiveEvent
from pairings.matches import actions as match_actions
from ratings.ledger import settlement
from ratings.ledger.models import LedgerEntry
from tests.api.keys import key_of

pytestmark = pytest.mark.django_db

READERS = {"visitor": False, "other": False, "arbiter": False, "player": True, "committee": True}


@pytest.fixture
def cut(club):
    """The entry of a cut, after one rated evening."""
    player = club.members[0]
    match, _players = club.match(player, club.members[1])
    for side in (match.first, match.second):  # the same scores from both are final
        match_actions.submit(match=match, by=club.player(side), scores=(400, 350), at=club.at)
    club.close()
    sanction = Sanction.objects.create(member=player, proposed_at=club.at, trigger_key="x")
    how = {"reason": "abus", "by": club.committee, "at": club.at, "cut_percent": Decimal(1)}
    absences.impose(sanction=sanction, **how)
    return LedgerEntry.objects.get(member=player, kind="adjusted")


@pytest.fixture
def reader(club):
    return {
        "visitor": None,
        "other": club.members[1],
        "arbiter": club.arbiter.member,
        "player": club.members[0],
        "committee": club.committee.member,
    }


@pytest.mark.parametrize(("name", "told"), READERS.items())
def test_the_pages_of_a_player_tell_a_sanction_to_whom_it_concerns(
    club, cut, reader, as_user, name, told
):
    client = as_user(reader[name] and reader[name].user)
    root, why = f"/joueurs/{cut.member.address}/", f"/cote/{cut.pk}/"
    pages = [client.get(root), client.get(f"{root}cotes/{LADDER}/")]
    assert [page.status_code for page in pages] == [200, 200]
    for page in pages:
        content = page.content.decode()
        assert ("sanction" in content.lower(), why in content) == (told, told)
        assert "1005" in content  # the rating itself is everybody's
    assert client.get(f"{root}cote/{cut.pk}/").status_code == (200 if told else 404)


@pytest.mark.parametrize(("name", "told"), READERS.items())
def test_so_does_the_page_of_the_cut_among_the_competitions(club, cut, reader, as_user, name, told):
    client = as_user(reader[name] and reader[name].user)
    root = f"/cotes/{LADDER}/competitions/"
    assert client.get(f"{root}{cut.period_id}/").status_code == (200 if told else 404)
    played = LedgerEntry.objects.filter(member=cut.member).earliest("pk")
    assert client.get(f"{root}{played.period_id}/").status_code == 200


@pytest.mark.parametrize(("name", "told"), READERS.items())
def test_so_does_the_api(club, cut, reader, name, told):
    key = key_of(reader[name], club.at, "read") if reader[name] else ""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    path = f"/api/v1/players/{cut.member.public_id}/changes"
    listed = Client().get(path, headers=headers).json()["items"]
    assert (cut.pk in [row["id"] for row in listed], len(listed)) == (told, 1 + told)
    one = Client().get(f"{path}/{cut.pk}", headers=headers)
    assert one.status_code == (200 if told else 404)


def test_the_changes_of_others_do_not_hold_the_reason_why_a_sanction_was_lifted(club, cut, as_user):
    other = club.members[1]
    club.next_evening()
    club.played(cut.member, other)
    club.close()
    absences.lift(
        sanction=Sanction.objects.get(),
        reason="deuil familial",
        by=club.committee,
        at=club.at,
        give_back=True,
    )
    again = LedgerEntry.objects.get(member=other, supersedes__isnull=False)
    page = as_user(None).get(f"/joueurs/{other.address}/cote/{again.pk}/").content.decode()
    assert "Recalcul après une décision du comité." in page and "deuil" not in page
    assert JournalEntry.objects.get(verb="sanction_lifted").reason == "deuil familial"


def test_a_reason_that_an_older_version_wrote_beside_others_changes_is_not_printed(
    club, cut, as_user, monkeypatch
):
    other = club.members[1]
    club.next_evening()
    club.played(cut.member, other)
    club.close()
    write = settlement.undo_adjustment
    monkeypatch.setattr(
        settlement, "undo_adjustment", lambda **how: write(**how | {"reason": "deuil familial"})
    )
    absences.lift(
        sanction=Sanction.objects.get(),
        reason=" deuil familial",
        by=club.committee,
        at=club.at,
        give_back=True,
    )
    again = LedgerEntry.objects.get(member=other, supersedes__isnull=False)
    assert again.reason == "deuil familial"
    page = as_user(None).get(f"/joueurs/{other.address}/cote/{again.pk}/")
    assert page.status_code == 200 and "deuil" not in page.content.decode()
    exported = data_of(Someone.of(other))
    assert "deuil" not in str(exported) and len(exported["ratings.LedgerEntry"]) == 3
    told = data_of(Someone.of(cut.member))["clubs.Sanction"]
    assert "deuil familial" in str(told), "the player reads it with their sanction"


def test_a_webhook_tells_that_the_list_changed_and_not_why(club, cut):
    lifted = {"reason": "recours", "by": club.committee, "at": club.at, "give_back": True}
    absences.lift(sanction=Sanction.objects.get(), **lifted)
    webhook = Webhook.objects.create(
        organisation=club.organisation, handled_seq=0, created_at=club.at
    )
    entries = JournalEntry.objects.filter(verb__in=["period_settled", "list_replayed"])
    told = []
    for entry in entries.order_by("seq"):
        delivery = Delivery(webhook=webhook, seq=entry.seq, event="rating.changed")
        told.append(json.loads(payloads.body_of(delivery))["data"])
    link = told[0]["link"]
    of_the_list = {"list": LADDER, "link": link, "changes": 1}
    assert [bool(data.get("competition")) for data in told] == [True, False, False]
    assert told[1:] == [of_the_list | {"correction": False}, of_the_list | {"correction": True}]


def test_the_stream_tells_members_of_no_decision(club, cut):
    lifted = {"reason": "recours", "by": club.committee, "at": club.at, "give_back": True}
    absences.lift(sanction=Sanction.objects.get(), **lifted)
    rows = LiveEvent.objects.order_by("pk").values_list("pk", "organisation", "kind", "payload")
    told = [live.frame(row, is_member=True) for row in rows]
    assert "sanction" not in "".join(told)
    assert told[-1].endswith('data: {"kind": "ranking"}\n\n')
