"""What an officer reads to tell who a name is: the nearest persons, their club and last result."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from clubs.members.models import Member
from clubs.organisations.models import Organisation
from clubs.persons.matching import People
from clubs.persons.models import Person
from ratings.ledger.models import StandingCote


@dataclass(frozen=True, slots=True)
class Candidate:
    """One person whom a name may be. `last`: label and day of their last competition."""

    member: Member
    person: Person | None
    last: tuple[str, date] | None


@dataclass(frozen=True, slots=True)
class OpenName:
    """A name to decide: how the file writes it, on which line, and whom it may be."""

    key: str
    name: str
    licence: str
    line: int
    why: str
    candidates: Sequence[Candidate]


def open_names(
    organisation: Organisation, people: People, names: Mapping[str, tuple[str, str, int]]
) -> list[OpenName]:
    """Return {key: (name, licence, line)} with the persons each may be. Two queries."""
    nearest = people.nearest([name for name, _licence, _line in names.values()])
    entries = []
    for key, (name, licence, line) in names.items():
        match = people.match(name, licence)
        among = list(dict.fromkeys([*match.among, *nearest[name]]))
        entries.append((key, name, licence, line, match.problem, among))
    known = candidates(organisation, {pk for *_name, among in entries for pk in among})
    return [
        OpenName(key, name, licence, line, why, [known[pk] for pk in among if pk in known])
        for key, name, licence, line, why, among in entries
    ]


def candidates(organisation: Organisation, wanted: Collection[int]) -> dict[int, Candidate]:
    """Return these members with their register and their last competition in any list."""
    rows = Member.objects.of(organisation).filter(pk__in=wanted).select_related("person")
    last: dict[int, tuple[str, date]] = {}
    cotes = StandingCote.objects.filter(member__in=wanted, last_on__isnull=False)
    for cote in cotes.select_related("last_entry__period").order_by("last_on", "pk"):
        period = cote.last_entry.period if cote.last_entry is not None else None
        if cote.last_on is not None:
            last[cote.member_id] = (period.title if period is not None else "", cote.last_on)
    return {
        member.pk: Candidate(member, getattr(member, "person", None), last.get(member.pk))
        for member in rows
    }
