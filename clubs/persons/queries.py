"""What pages read of persons: the register, and the federations of a club's member."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from clubs.members.models import Member
from clubs.organisations.models import Organisation
from clubs.persons.models import MemberLink


def register(organisation: Organisation) -> QuerySet[Member]:
    """Return everybody of the register or of the lists, in alphabetical order."""
    people = Member.objects.of(organisation).active()
    known = people.filter(Q(person__isnull=False) | Q(is_outsider=True))
    return known.select_related("person").order_by("sort_name", "pk")


def found_by(people: QuerySet[Member], words: str) -> QuerySet[Member]:
    """Select by name, number, licence or club."""
    typed = words.strip()
    by_licence = Q(person__licence__iexact=typed) | Q(person__club__icontains=typed)
    matching = Member.objects.matching(words).values("pk")
    return people.filter(by_licence | Q(pk__in=matching)) if typed else people


def federations(organisation: Organisation) -> QuerySet[Organisation]:
    """Return the federations of this site, for a club of the same game."""
    return Organisation.objects.filter(
        kind=Organisation.FEDERATION, game=organisation.game, closed_at=None
    ).exclude(pk=organisation.pk)


def federations_of(member: Member) -> list[tuple[Organisation, MemberLink | None]]:
    """Return the federations with what the club said of this member. Two queries."""
    links = {link.federation_id: link for link in MemberLink.objects.filter(member=member)}
    known = federations(member.organisation).order_by("name", "pk")
    return [(federation, links.get(federation.pk)) for federation in known]
