"""Actions of a hand-over: invite a club, hand over, withdraw, accept, return."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor, reason_of
from clubs.accounts.older_pages import STALE, changed_meanwhile, version_of
from clubs.journal import chain as journal
from clubs.members.actions import Newcomer, create_outsiders
from clubs.notifications import outbox
from clubs.organisations.models import Organisation
from clubs.persons.actions import link_members
from clubs.persons.choices import lock_to_link
from ratings.competitions.models import CompetitionDraft
from ratings.handovers import documents, queries
from ratings.handovers.documents import Competition
from ratings.handovers.models import Delivery, FeedRight, HandOver
from ratings.ledger.models import RatingList
from ratings.ledger.posting import LedgerRefused
from ratings.registries import HANDING_PAGES

State = HandOver.State


@transaction.atomic
def invite(
    *,
    club: Organisation,
    lists: Collection[RatingList],
    federation: Organisation,
    seen: str | None = None,
    by: Actor,
    at: datetime,
) -> None:
    """Say which lists of the federation a club may feed; those not named are withdrawn.

    The same lists again are no change, and no entry in the journal.

    `seen`: the `feed_version` of those that a page showed; an older one is refused.
    """
    if club.pk == federation.pk or any(one.organisation_id != federation.pk for one in lists):
        raise LedgerRefused(_("Choisissez un club et des listes de la fédération."), code="other")
    assert by.user is not None
    journal.lock([federation.pk])
    wanted = {one.pk for one in lists}
    feed_rights = FeedRight.objects.filter(
        rating_list__organisation=federation, club=club, revoked_at__isnull=True
    )
    known = dict(feed_rights.values_list("rating_list_id", "pk"))
    if seen is not None and seen != feed_version(known):
        raise LedgerRefused(changed_meanwhile(), code=STALE)
    if wanted == set(known):
        return
    gone = [pk for list_id, pk in known.items() if list_id not in wanted]
    FeedRight.objects.filter(pk__in=gone, revoked_at__isnull=True).update(revoked_at=at)
    for list_id in sorted(wanted - set(known)):
        FeedRight.objects.create(
            rating_list_id=list_id, club=club, granted_at=at, granted_by=by.user
        )
    journal.record(
        organisation=federation,
        verb="club_invited",
        subject=f"feeder:{club.pk}",
        by=by,
        at=at,
        before={"club": club.slug, "lists": sorted(known)},
        after={"club": club.slug, "lists": sorted(wanted)},
    )


def feed_version(lists: Iterable[int]) -> str:
    """Return the version of the lists, by their ids, that a club may feed."""
    return version_of(sorted(lists))


@transaction.atomic
def hand_over_as_it_is(*, club: Organisation, read: Callable[[], Competition], **how: Any) -> None:
    """Hand over what `read` returns once no act of the club is under way (`hand_over` has the rest).

    A correction that is being written would be missed by a document read before it, and the
    document would then replace the one that it sent.
    """
    journal.lock([club.pk])
    hand_over(competition=read(), **how)


@transaction.atomic
def hand_over(
    *,
    competition: Competition,
    rating_list: RatingList,
    facts: Mapping[str, object],
    tell: bool,
    by: Actor,
    at: datetime,
) -> HandOver:
    """Deliver a closed competition to a list of a federation.

    The same document twice is refused, and one that was rated and taken out of the list. Another
    one replaces what an officer has not taken yet, or has returned or given up, or becomes a
    proposed correction of what is in the list.
    """
    if not competition.is_closed:
        raise LedgerRefused(changed_meanwhile(), code=STALE)
    if not queries.feed_rights_of(competition.club).filter(rating_list=rating_list).exists():
        raise LedgerRefused(
            _("Cette fédération ne vous a pas ouvert cette liste."), code="no_right"
        )
    content = documents.content_of(competition, rating_list)
    if not documents.is_rated(content):
        raise LedgerRefused(_("Il n’y a rien à transmettre à cette liste."), code="empty")
    details = {
        "label": competition.label[:120],
        "held_on": competition.held_on,
        "facts": dict(facts),
        "told": tell,
    }
    journal.lock([competition.club.pk])  # before the row: `follow` comes to it after an entry
    handover, created = HandOver.objects.select_for_update(no_key=True).get_or_create(
        rating_list=rating_list,
        origin=competition.origin.kind.value,
        origin_id=competition.origin.id,
        defaults={"club": competition.club, **details},
    )
    if not created:
        if HandOver.objects.told().get(pk=handover.pk).is_gone:
            raise removed()
        _deliver_again(handover, content, details)
    _store_delivery(handover, content, by, at)
    note(handover, competition.club, "handed_over", by, at)
    return handover


def _store_delivery(handover: HandOver, content: object, by: Actor, at: datetime) -> None:
    Delivery.objects.create(
        hand_over=handover, number=handover.delivered, content=content, sent_at=at, sent_by=by.user
    )


def _deliver_again(handover: HandOver, content: object, details: Mapping[str, object]) -> None:
    last = handover.last_delivery
    same = last.content == content and handover.facts == details["facts"]
    if same and not handover.is_set_aside and not _is_announced_anew(handover, details):
        raise LedgerRefused(
            _("Cette compétition est déjà transmise à cette liste, sans changement."), code="twice"
        )
    changes: dict[str, object] = {"delivered": F("delivered") + 1, "version": F("version") + 1}
    if handover.state == State.ACCEPTED:
        changes["told"] = details["told"]
    else:
        reason = "" if handover.state == State.WITHDRAWN else handover.reason
        changes |= {"state": State.SENT.value, "draft": None, "reason": reason, **details}
    seen = handover.version
    if not HandOver.objects.filter(pk=handover.pk, version=seen).update(**changes):
        raise stale()
    handover.refresh_from_db()


def _is_announced_anew(handover: HandOver, details: Mapping[str, object]) -> bool:
    """Return whether the club gives it another name or day, while no list has it."""
    known = {"label": handover.label, "held_on": handover.held_on}
    return handover.state != State.ACCEPTED and known != {name: details[name] for name in known}


@transaction.atomic
def follow(*, competition: Competition, by: Actor, at: datetime) -> int:
    """Deliver a later correction of the club to every list that has the competition.

    Nothing is delivered where the results are those delivered last, with the name and the day until a
    list has taken them. Returns how many were. The hand-overs are locked: an officer who answers one
    at the same moment is waited for, as the club answers none here.
    """
    handovers = HandOver.objects.filter(
        club=competition.club, origin=competition.origin.kind.value, origin_id=competition.origin.id
    ).exclude(state__in=HandOver.SET_ASIDE)
    named = {"label": competition.label[:120], "held_on": competition.held_on}
    sent = 0
    handovers = handovers.select_for_update(no_key=True, of=("self",))
    for one in handovers.select_related("rating_list__organisation").order_by("pk"):
        content = documents.content_of(competition, one.rating_list)
        results = documents.results_of(one.last_delivery.document)
        if results == documents.results_of(content) and not _is_announced_anew(one, named):
            continue
        _deliver_again(one, content, {**named, "facts": one.facts, "told": one.told})
        _store_delivery(one, content, by, at)
        note(one, competition.club, "hand_over_corrected", by, at)
        sent += 1
    return sent


@transaction.atomic
def withdraw(*, handover: HandOver, seen: int, reason: str, by: Actor, at: datetime) -> None:
    """Withdraw what no officer has accepted yet; the club may hand it over again later."""
    reason = reason_of(reason, LedgerRefused)
    journal.lock([handover.club_id])
    moved = HandOver.objects.filter(pk=handover.pk, version=seen, state=State.SENT).update(
        state=State.WITHDRAWN.value, version=F("version") + 1, reason=reason
    )
    handover.refresh_from_db()
    if not moved and handover.state in (State.MATCHING, State.ACCEPTED):
        raise LedgerRefused(
            _("La fédération l’a déjà acceptée : écrivez-lui, rien ne se retire plus d’ici."),
            code="taken",
        )
    if not moved:
        raise stale()
    note(handover, handover.club, "hand_over_withdrawn", by, at, reason)


@transaction.atomic
def accept(*, handover: HandOver, seen: int, by: Actor, at: datetime) -> CompetitionDraft:
    """Take a hand-over: its rows become a draft whose names are matched like those of a file.

    Players already linked keep their person. `seen` is the version that the officer read: what
    arrived since, or another officer's answer, refuses it. One that is not official is kept and
    shown in the list in the same way, and rated nowhere.
    """
    draft = _draft_of(handover, by, at)
    moved = HandOver.objects.filter(pk=handover.pk, version=seen, state=State.SENT).update(
        state=State.MATCHING.value, version=F("version") + 1, draft=draft, reason=""
    )
    if not moved:
        raise stale()
    handover.refresh_from_db()
    note(handover, handover.rating_list.organisation, "hand_over_accepted", by, at)
    return draft


def _draft_of(handover: HandOver, by: Actor, at: datetime) -> CompetitionDraft:
    delivery = handover.last_delivery
    members = documents.members_now(map(int, delivery.document["players"]))
    rows, keys = documents.rows_of(delivery.document, members)
    persons = queries.persons_of(handover)
    last = delivery.document.get("split_after")
    # Of what the club calls official the list's document decides, as of a file (003).
    facts = {k: v for k, v in handover.facts.items() if (k, v) != ("official", True)}
    assert by.user is not None
    return CompetitionDraft.objects.create(
        rating_list=handover.rating_list,
        file_name=handover.club.name[:200],
        label=handover.label,
        held_on=handover.held_on,
        facts={
            **facts,
            **({"split_after": last} if last else {}),
            "sheet": "placings" if "placings" in delivery.document else "games",
        },
        rows=rows,
        choices={key: persons[pk] for key, pk in keys.items() if pk in persons},
        handed={"players": keys, "keys": [game["key"] for game in delivery.games]},
        created_at=at,
        created_by=by.user,
    )


def check_current(draft: CompetitionDraft) -> HandOver:
    """Return the hand-over of a draft; refused where the club sent another document since."""
    handover = HandOver.objects.select_for_update(no_key=True).filter(draft=draft).first()
    if handover is None:
        raise LedgerRefused(
            _("Le club a envoyé une correction : reprenez sa transmission."), code="stale"
        )
    return handover


def brought(
    *,
    handover: HandOver,
    players: Mapping[str, int],
    persons: Mapping[str, int],
    by: Actor,
    at: datetime,
) -> None:
    """Note within the import that the list has the competition, and who its players are.

    `players`: {key of a name: the club's member}; `persons`: {key: row of the federation}.
    """
    HandOver.objects.filter(pk=handover.pk).update(
        state=State.ACCEPTED.value,
        accepted=F("delivered"),
        answered=F("delivered"),
        version=F("version") + 1,
    )
    link_members(
        federation=handover.rating_list.organisation,
        people={pk: persons[key] for key, pk in players.items() if key in persons},
        by=by,
        at=at,
    )
    handover.refresh_from_db()
    write_to_club(handover)


@transaction.atomic
def tell_players(
    *, handover: HandOver, seen: int, people: Mapping[int, int | None], by: Actor, at: datetime
) -> None:
    """Say who players that a correction adds are: {member: person}, None for a new person."""
    federation = handover.rating_list.organisation
    lock_to_link(members=people, persons=[pk for pk in people.values() if pk is not None])
    moved = HandOver.objects.filter(pk=handover.pk, version=seen).update(version=F("version") + 1)
    if not moved:
        raise stale()
    fresh = documents.members_now(pk for pk, person in people.items() if person is None)
    rows = create_outsiders(
        organisation=federation,
        people=[documents.newcomer(member) for member in fresh.values()],
        at=at,
    )
    person_ids = dict(zip(fresh, (row.pk for row in rows), strict=True))
    persons = {pk: person or person_ids[pk] for pk, person in people.items()}
    link_members(federation=federation, people=persons, by=by, at=at)
    handover.refresh_from_db()
    note(handover, federation, "names_chosen", by, at)


def known_as(draft: CompetitionDraft) -> dict[str, Newcomer]:
    """Return {key of a name: what the club says of the person}; empty for a file."""
    keys = draft.handed.get("players", {})
    members = documents.members_now(keys.values()) if keys else {}
    return {key: documents.newcomer(members[pk]) for key, pk in keys.items() if pk in members}


@transaction.atomic
def send_back(*, handover: HandOver, seen: int, reason: str, by: Actor, at: datetime) -> None:
    """Return a hand-over, or a proposed correction, to the club with the reason."""
    reason = reason_of(reason, LedgerRefused)
    if handover.is_set_aside or (handover.state == State.ACCEPTED and not handover.is_corrected):
        raise stale()
    state = State.ACCEPTED if handover.state == State.ACCEPTED else State.RETURNED
    moved = HandOver.objects.filter(pk=handover.pk, version=seen, state=handover.state).update(
        state=state.value,
        answered=F("delivered"),
        version=F("version") + 1,
        reason=reason,
        draft=handover.draft if state == State.ACCEPTED else None,
    )
    if not moved:
        raise stale()
    handover.refresh_from_db()
    note(handover, handover.rating_list.organisation, "hand_over_returned", by, at, reason)
    write_to_club(handover)


def stale() -> LedgerRefused:
    return LedgerRefused(
        _("Cette transmission vient de changer : relisez-la avant d’y répondre."), code="stale"
    )


def removed() -> LedgerRefused:
    """Return why a rated competition that left the list is not handed over again."""
    return LedgerRefused(
        _(
            "La fédération l’a retirée de sa liste, où une compétition n’entre qu’une fois. Elle "
            "garde ce que vous avez envoyé et peut la rétablir : écrivez-lui."
        ),
        code="removed",
    )


def note(
    handover: HandOver, where: Organisation, verb: str, by: Actor, at: datetime, reason: str = ""
) -> None:
    journal.record(
        organisation=where,
        verb=verb,
        subject=f"handover:{handover.pk}",
        by=by,
        at=at,
        after={"list": handover.rating_list.slug, "delivery": handover.delivered},
        reason=reason,
    )


def write_to_club(handover: HandOver) -> None:
    """Send the club the mail it asked for: accepted or returned, and why."""
    last = handover.last_delivery
    if not handover.told or last.sent_by is None:
        return
    page = outbox.link_to(handover.club, lambda: HANDING_PAGES[handover.origin](handover.origin_id))
    outbox.post(
        to=last.sent_by.email,
        name="hand_over",
        language=last.sent_by.language,
        context={
            "held": handover,
            "federation": handover.rating_list.organisation,
            "link": f"{page}?liste={handover.rating_list_id}",
        },
    )
