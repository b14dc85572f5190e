"""Mail to players about a recorded action: an absence noted, an arbiter's decision.

The open page and the wall screen show it first; mail is for players who have left (UX §0.10).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from clubs.accounts.actor import Actor
from clubs.members.models import Member, RoleGrant
from clubs.notifications import outbox
from clubs.sanctions.models import Sanction
from pairings.matches.models import Match
from pairings.matches.rating import rates_forfeits
from pairings.rules.match_state import CLOSED, Absent, Act, Ending, Event, Status

QUIET = ("demo", "import")
"""Origins of actions that need no mail: made by a generator or read from a file."""
DECISIONS = (Event.DECIDE, Event.CORRECT)


def is_decision(before: Mapping[str, object], act: Act | None) -> bool:
    """Return whether players hear of an act as of a decision: also of a match taken away once begun."""
    if act is None:
        return False
    begun = before["status"] != Status.PROPOSED
    return act.type in DECISIONS or (act.type == Event.CANCEL and begun)


def tell(
    match: Match,
    before: Mapping[str, object],
    act: Act | None,
    by: Actor,
    ruling: Callable[[Member], object],
) -> None:
    """Send mail after a match of the ladder ended or changed; nothing is sent before the commit.

    `before`: the previous result, so that an absence is announced once, when it is in force.
    `ruling`: what a decision changed for one of the players.
    """
    if by.origin in QUIET:
        return
    players = {player.pk: player for player in (match.first, match.second) if player is not None}
    was = before["absent"] if before["status"] in CLOSED else ""
    if match.absent and match.absent != was:
        _absence(match, [players[pk] for pk in match.absentee_ids()])
    if act is not None and is_decision(before, act):
        _decision(match, players.values(), act.reason, ruling)


def tell_grounds_gone(sanction: Sanction) -> None:
    """Notify the member and the committee that the absences of a case have changed.

    A proposal was withdrawn; an imposed sanction stays in force until the committee lifts it.
    """
    organisation, member = sanction.member.organisation, sanction.member
    committee = Member.objects.filter(
        organisation=organisation,
        left_at__isnull=True,
        grants__role=RoleGrant.COMMITTEE,
        grants__revoked_at__isnull=True,
    ).exclude(pk=member.pk)
    readers = [(member, outbox.link(organisation, "pairings:my_absences"))]
    for one in committee.select_related("user").order_by("pk"):
        page = outbox.link(organisation, "pairings:sanction", sanction_id=sanction.pk)
        readers.append((one, page))
    for reader, page in readers:
        address = outbox.address_of(reader)
        if address:
            context = {
                "club": organisation,
                "reader": reader,
                "member": member,
                "own": reader.pk == member.pk,
                "imposed": sanction.status == Sanction.Status.IMPOSED,
                "link": page,
            }
            outbox.post(
                to=address,
                name="sanction",
                language=outbox.language_of(reader),
                context=context,
            )


def _absence(match: Match, away: Iterable[Member]) -> None:
    for member in away:
        _post(
            "absence",
            match,
            member,
            justified=match.justified,
            both=match.absent == Absent.BOTH,
            timeout=match.why == Ending.TIMEOUT,
            rated=rates_forfeits(match),
            link=outbox.link(match.organisation, "pairings:my_absences"),
        )


def _decision(
    match: Match, players: Iterable[Member], reason: str, ruling: Callable[[Member], object]
) -> None:
    for member in players:
        if not outbox.address_of(member):
            continue
        _post(
            "decision",
            match,
            member,
            reason=reason,
            ruling=ruling(member),
            link=outbox.link(match.organisation, "pairings:match", match_id=match.pk),
        )


def _post(name: str, match: Match, member: Member, **words: object) -> None:
    address = outbox.address_of(member)
    if not address:
        return
    first, second = (_named(player, member) for player in (match.first, match.second))
    context = {
        "club": match.organisation,
        "match": match,
        "member": member,
        "first": first,
        "second": second,
        "other": second if member.pk == match.first_id else first,
        "evening": match.evening,
        **words,
    }
    outbox.post(to=address, name=name, language=outbox.language_of(member), context=context)


def _named(player: Member | None, reader: Member) -> str:
    """Return the name that the reader of a mail may see; a guest reads as a visitor does."""
    if player is None or player.pk == reader.pk:
        return str(player or "")
    return player.name_for(viewer_is_member=not reader.is_guest)
