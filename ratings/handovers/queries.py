"""What pages and journals ask of hand-overs."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Max, QuerySet

from clubs.journal.wording import Subject
from clubs.members.merging import same_people
from clubs.organisations.models import Organisation
from clubs.persons.models import MemberLink
from ratings.handovers import documents
from ratings.handovers.documents import Competition
from ratings.handovers.models import FeedRight, HandOver
from ratings.ledger.models import RatingList
from ratings.ledger.origins import Origin


def subjects(ids: Collection[int]) -> dict[int, Subject]:
    """Return hand-overs in words; the page is the federation's, so the club's journal has no link."""
    handovers = HandOver.objects.filter(pk__in=ids).select_related("rating_list")
    return {one.pk: (f"{one.label}, {one.rating_list.title}", "") for one in handovers}


def lists_open_to(club: Organisation) -> list[RatingList]:
    """Return the lists of federations that this club may feed."""
    lists = RatingList.objects.filter(pk__in=feed_rights_of(club).values("rating_list"))
    lists = lists.select_related("organisation")
    return list(lists.order_by("organisation__name", "name", "pk"))


def feed_rights_of(club: Organisation) -> QuerySet[FeedRight]:
    """Select what federations that are open let this club feed."""
    rights = FeedRight.objects.filter(club=club, revoked_at__isnull=True)
    return rights.filter(rating_list__organisation__closed_at=None)


def last_by_list(club: Organisation, lists: Collection[RatingList]) -> dict[int, HandOver]:
    """Return {list: what this club handed over last to it}, of these lists."""
    sent = HandOver.objects.filter(club=club, rating_list__in=lists)
    newest = sent.values("rating_list").annotate(newest=Max("pk")).values("newest")
    return {one.rating_list_id: one for one in HandOver.objects.filter(pk__in=newest)}


def has_all(sent: HandOver | None, competition: Competition) -> bool:
    """Return whether a list took this competition as it is today: it would be refused as sent twice."""
    if sent is None or sent.state != HandOver.State.ACCEPTED:
        return False
    return bool(sent.last_delivery.content == documents.content_of(competition, sent.rating_list))


def was_sent(origin: Origin) -> bool:
    """Return whether this evening or tournament was ever handed over."""
    sent = HandOver.objects.filter(origin=origin.kind.value, origin_id=origin.id)
    return sent.exists()


def persons_of(handover: HandOver) -> dict[int, int]:
    """Return {member of the club: row of the federation} of those already matched.

    Rows that the club merged are one person: one that is linked with nobody has the other's.
    """
    links = MemberLink.objects.filter(
        federation=handover.rating_list.organisation_id, member__organisation=handover.club_id
    )
    linked = dict(links.exclude(person=None).order_by("pk").values_list("member_id", "person_id"))
    merged = same_people(handover.club_id)
    known = {merged.get(member, member): person for member, person in linked.items()} | linked
    return {old: known[kept] for old, kept in merged.items() if kept in known} | known
