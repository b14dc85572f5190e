"""Notifications to the phones of players: a table, a result to answer, a ruling, a call.

The open page shows it first; a notification is for a phone in a pocket. It says no score, and the
opponent's name as the wall screen shows it, because anybody may read a locked phone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from django.db.models import Q

from clubs.accounts.actor import Actor
from clubs.members.models import Member
from clubs.notifications import outbox, push
from clubs.notifications.models import Kind, PushNotice
from clubs.notifications.push import Words
from clubs.personal_data.register import Someone
from pairings.matches.messages.emails import QUIET, is_decision
from pairings.matches.models import Match
from pairings.rules.match_state import CLOSED, Act, Status

CALL_OF_USE = timedelta(minutes=15)
"""Where the time to come to the table is over already, a call is still of use for a while."""
RULING_OF_USE = timedelta(days=2)
NAMING = (Kind.TABLE, Kind.CALL)
"""Kinds that name the opponent."""


def tables_ready(matches: Sequence[Match], *, at: datetime) -> None:
    """Notify the players of new matches that their table is ready."""
    for match in matches:
        if match.second_id is not None:
            _post(match, Kind.TABLE, f"table:{match.pk}", at)


def tell(
    match: Match, before: Mapping[str, object], act: Act | None, by: Actor, at: datetime
) -> None:
    """Notify players of what an act on their match asks of them, or decided.

    `before`: the previous result, so that a result is announced once for each entry.
    """
    if by.origin in QUIET:
        return
    if match.status == Status.CANCELLED:
        _forgo_unsent(match, at)
    asked = match.status in (Status.SUBMITTED, Status.ABSENCE_CLAIMED) and not match.confirmed
    entered = (before["status"], before["scores"]) != (
        match.status,
        [match.first_score, match.second_score],
    )
    if asked and entered:
        key = f"confirm:{match.pk}:{match.version}"
        rivals = {match.first_id, match.second_id} - {match.submitted_by_id}
        _post(match, Kind.CONFIRM, key, at, to=rivals)
    if is_decision(before, act) and match.status in CLOSED:
        _post(match, Kind.RULING, f"ruling:{match.pk}:{match.version}", at)


def _forgo_unsent(match: Match, at: datetime) -> None:
    """Send no call to this table that no phone has taken yet: its players may have another one.

    One that is being sent meanwhile, and fails, is not tried again either.
    """
    of_match = Q(key=f"{Kind.TABLE}:{match.pk}") | Q(key__startswith=f"{Kind.CALL}:{match.pk}:")
    players = (match.first_id, match.second_id)
    PushNotice.objects.filter(of_match, member__in=players, sent_at=None).update(sent_at=at)


def call(match: Match, *, at: datetime) -> None:
    """Notify both players that an arbiter calls them to their table."""
    _post(match, Kind.CALL, f"call:{match.pk}:{int(at.timestamp())}", at)


def forget_opponent(someone: Someone) -> None:
    """Take somebody's name out of the notifications that their opponents got."""
    own = Match.objects.of_people(someone.members).values_list("pk", flat=True)
    matches = {str(pk) for pk in own}
    notices = PushNotice.objects.filter(
        kind__in=NAMING, member__organisation=someone.organisation
    ).exclude(body="")
    named = [pk for pk, key in notices.values_list("pk", "key") if key.split(":")[1] in matches]
    PushNotice.objects.filter(pk__in=named).update(body="")


def _post(
    match: Match, kind: Kind, key: str, at: datetime, to: set[int | None] | None = None
) -> None:
    players = {match.first_id, match.second_id} if to is None else to
    push.post(
        to=players, kind=kind, key=key, at=at, words=lambda reader: _words(match, kind, reader, at)
    )


def _words(match: Match, kind: Kind, reader: Member, at: datetime) -> Words:
    club = match.organisation
    if kind == Kind.RULING:
        link = outbox.link(club, "pairings:match", match_id=match.pk)
        return Words(link=link, until=at + RULING_OF_USE, context={})
    if kind == Kind.CONFIRM:
        absence = match.status == Status.ABSENCE_CLAIMED
        page = "pairings:absence_report" if absence else "pairings:result_confirm"
        until = match.contest_until or at + CALL_OF_USE
        link = outbox.link(club, page, match_id=match.pk)
        return Words(link=link, until=until, context={"absence": absence, "until": until})
    other = match.opponent_of(reader)
    ends = match.competition.call_ends()
    return Words(
        link=outbox.link(club, "pairings:my_evening"),
        until=max(ends, at + CALL_OF_USE),
        context={
            "table": match.table_number,
            "other": other.wall_name if other is not None else "",
            "later_day": match.competition.later_day(at),
            "until": ends if ends > at else None,
        },
    )
