"""A bare Django view that writes the rows of a confirmation, beside the site's own addresses."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from django.db import models, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import include, path
from django.utils import timezone

from clubs.journal.models import JournalEntry, JournalHead
from pairings.evenings.models import CheckIn
from pairings.live.models import LiveEvent
from pairings.matches.models import Decision, Match, MatchLine, Seat
from ratings.ledger.models import RatedGame

EXAMPLES: dict[type[models.Model], dict[str, Any]] = {}


def read_examples() -> None:
    """Keep the newest row of each table as an example of what to write."""
    for model in (RatedGame, MatchLine, Decision, LiveEvent, JournalEntry):
        row: dict[str, Any] = dict(model._default_manager.order_by("-pk").values()[0])
        del row[model._meta.pk.attname]
        EXAMPLES[model] = row


def _write(model: type[models.Model], **changed: Any) -> None:
    model._default_manager.create(**{**EXAMPLES[model], **changed})


def confirm(request: HttpRequest, match_id: int) -> HttpResponse:
    at, version = timezone.now(), int(request.POST["version"])
    assert request.user.is_authenticated
    with transaction.atomic():
        match = Match.objects.select_for_update().get(pk=match_id, version=version)
        _write(RatedGame, source=f"bare:{match.pk}", position=match.pk)
        changed = {"status": "final", "why": "confirmed", "counts": True, "ended_at": at}
        Match.objects.filter(pk=match.pk, version=version).update(version=version + 1, **changed)
        _write(MatchLine, match_id=match.pk, number=version + 1, at=at)
        _write(Decision, match_id=match.pk, at=at)
        Seat.objects.filter(match=match, live=True).update(live=False)
        CheckIn.objects.filter(
            evening=match.evening_id, member__in=[match.first_id, match.second_id]
        ).update(state="waiting", waiting_since=at)
        _write(LiveEvent, payload={"match": match.pk, "status": "final"}, at=at)
        head = JournalHead.objects.select_for_update().get(organisation=match.organisation_id)
        entry = {"seq": head.seq + 1, "at": at, "previous_hash": head.hash, "after": changed}
        text = json.dumps(entry, sort_keys=True, default=str)
        entry["hash"] = hashlib.sha256(text.encode()).hexdigest()
        JournalHead.objects.filter(pk=head.pk).update(seq=entry["seq"], hash=entry["hash"])
        _write(JournalEntry, **{**entry, "after": json.loads(json.dumps(changed, default=str))})
    return redirect("/")


urlpatterns = [
    path("bare/matchs/<int:match_id>/confirmer/", confirm),
    path("", include("config.urls")),
]
