"""An arbiter calls two players to their table again."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor
from clubs.journal import chain as journal
from clubs.journal.models import JournalEntry
from pairings.matches.messages import pushes
from pairings.matches.models import Match
from pairings.matches.refusals import SENTENCES, ResultRefused, check_version
from pairings.matches.transitions import locked
from pairings.rules.match_state import Status

BETWEEN_CALLS = timedelta(minutes=1)


@transaction.atomic
def call_players(*, match: Match, by: Actor, at: datetime, version: int | None = None) -> None:
    """Call both players to their table again; at most once a minute.

    `version`: of the match as it was read; another one is refused.
    """
    match = locked(match)
    check_version(match, version)
    if match.status != Status.PROPOSED or match.second_id is None:
        raise ResultRefused(str(SENTENCES["wrong_state"]), code="wrong_state")
    calls = JournalEntry.objects.filter(
        organisation=match.organisation_id, subject=f"match:{match.pk}", verb="match_called"
    )
    if calls.filter(at__gt=at - BETWEEN_CALLS).exists():
        raise ResultRefused(
            _("Ces joueurs viennent d’être rappelés : attendez une minute."), code="just_called"
        )
    journal.note(match, "match_called", by=by, at=at)
    pushes.call(match, at=at)
