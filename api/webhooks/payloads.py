"""What is posted: which journal entries are events, and the body of each.

Numbers, ids and links. Of people what a visitor of the site reads: the name as they show it, and the
public id of those whose page is open. Written when it is sent, so that what is hidden since is not.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping

from api.v1.shapes import person
from api.webhooks.models import Delivery, Event
from clubs.accounts.permissions import Access
from clubs.journal.models import JournalEntry, parts_of
from clubs.members.models import Member
from clubs.notifications.outbox import link
from pairings.evenings.models import Evening
from pairings.matches.models import Match
from pairings.rules.match_state import CLOSED
from pairings.rules.match_state import Event as MatchEvent
from ratings.editions.sources import CLUB
from ratings.ledger.models import Period

VISITOR = Access(organisation=None, user=None, member=None)
MATCH_VERBS = frozenset(event.verb for event in MatchEvent)
RULINGS = (MatchEvent.DECIDE.verb, MatchEvent.CORRECT.verb)
REPLAYED = "list_replayed"
EVENTS = {
    "evening_closed": Event.EVENING,
    "edition_published": Event.EDITION,
    "edition_mended": Event.EDITION,
    "period_settled": Event.RATING,
}


def events_of(entry: JournalEntry) -> Iterator[Event]:
    """Return what an entry is for other programs: mostly nothing, and two things for a contest."""
    if entry.verb in EVENTS:
        yield EVENTS[entry.verb]
    elif entry.verb == REPLAYED:
        if _after(entry)["superseded"]:  # a new name, or a merge of who is in another list
            yield Event.RATING
    elif entry.verb in MATCH_VERBS:
        before, after = (dict(state or {}).get("status") for state in (entry.before, entry.after))
        if after in CLOSED and before not in CLOSED:
            yield Event.RESULT
        if entry.verb in RULINGS:
            yield Event.RULING


def body_of(delivery: Delivery) -> bytes:
    """Return the body of a delivery, as JSON."""
    club = delivery.webhook.organisation
    entry = JournalEntry.objects.get(organisation=club, seq=delivery.seq)
    entry.organisation = club
    content = {
        "id": delivery.pk,
        "event": delivery.event,
        "at": entry.at.isoformat(),
        "seq": entry.seq,
        "organisation": club.slug,
        "data": DATA[Event(delivery.event)](entry),
    }
    return json.dumps(content, ensure_ascii=False).encode()


def _after(entry: JournalEntry) -> dict[str, object]:
    return dict(entry.after or {})


def _person(member: Member | None) -> dict[str, object] | None:
    return None if member is None else person(member, VISITOR)


def _match(entry: JournalEntry) -> dict[str, object]:
    """Return a match with the result that this entry gave it, which may be corrected since."""
    match = Match.objects.select_related("evening", "round__tournament", "first", "second").get(
        pk=entry.about[1]
    )
    changes = {name: value for name, value in _after(entry).items() if name != "justified"}
    return {
        "match": match.pk,
        "link": link(entry.organisation, "pairings:match", match_id=match.pk),
        "table": match.table_number,
        "first": _person(match.first),
        "second": _person(match.second),
        **match.competition.named(),
        **changes,
    }


def _evening(entry: JournalEntry) -> dict[str, object]:
    evening = Evening.objects.get(pk=entry.about[1])
    matches = Match.objects.filter(evening=evening, counts=True).count()
    return {
        "evening": evening.address,
        "link": link(entry.organisation, "pairings:evening", day=evening.address),
        "matches": matches,
    }


def _edition(entry: JournalEntry) -> dict[str, object]:
    slug, _number = parts_of(entry.about[1])
    number = _after(entry)["number"]
    is_club_list = slug == CLUB
    page = (
        link(entry.organisation, "ratings:edition", number=number)
        if is_club_list
        else link(entry.organisation, "ratings:list_edition", liste=slug, number=number)
    )
    return {"list": None if is_club_list else slug, "link": page, **_after(entry)}


def _rating(entry: JournalEntry) -> dict[str, object]:
    """Return the list, its competition where it shows one, and how many ratings were written.

    A sanction's cut is none: the lower rating is everybody's, not where it comes from.
    """
    after = _after(entry)
    kind, key = entry.about
    payload: dict[str, object] = {
        "list": after["list"],
        "link": link(entry.organisation, "ratings:list", slug=after["list"]),
        "correction": entry.verb == REPLAYED,
        "changes": after.get("entries", after.get("superseded")),
    }
    period = Period.objects.shown().filter(pk=key).first() if kind == "period" else None
    if period is not None:
        payload |= {"competition": period.pk, "held_on": period.held_on.isoformat()}
    return payload


DATA: Mapping[Event, Callable[[JournalEntry], dict[str, object]]] = {
    Event.RESULT: _match,
    Event.RULING: _match,
    Event.EVENING: _evening,
    Event.EDITION: _edition,
    Event.RATING: _rating,
}
"""What is posted about each event, from the journal entry that it comes from."""
