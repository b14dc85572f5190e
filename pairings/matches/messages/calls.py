"""An arbiter calls two players to their table again."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor
from clubs.journal import chain as journal
from clubs.ui.statuses import STATUS_TAGS
from pairings.matches.messages import pushes
from pairings.matches.models import Match
from pairings.matches.refusals import ResultRefused, check_version
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
        words, _icon, _tone = STATUS_TAGS[match.status]
        raise ResultRefused(
            _("Ce match n’attend pas ses joueurs : %(state)s.") % {"state": words},
            code="wrong_state",
        )
    if match.called_again_at is not None and match.called_again_at > at - BETWEEN_CALLS:
        raise ResultRefused(
            _("Ces joueurs viennent d’être rappelés : attendez une minute."), code="just_called"
        )
    Match.objects.filter(pk=match.pk).update(called_again_at=at)
    journal.note(match, "match_called", by=by, at=at)
    pushes.call(match, at=at)
