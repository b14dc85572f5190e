"""Whom a name in a file of a tournament means: a member of the club, also by a merged record's name."""

from __future__ import annotations

from collections.abc import Collection

from clubs.members.merging import same_people
from clubs.members.models import Member
from clubs.organisations.models import Organisation


def members_by_name(organisation: Organisation, names: Collection[str]) -> dict[str, list[Member]]:
    """Return {name without accents: active members}. `names`: those of the file.

    The name of a record that was merged is that of the member, unless somebody else has it or the file
    names the member too: then the two are different people there.
    """
    known = {member.pk: member for member in Member.objects.of(organisation).active()}
    by_name: dict[str, list[Member]] = {}
    for member in known.values():
        by_name.setdefault(member.search_name, []).append(member)
    merged = same_people(organisation)
    used: set[int] = set()
    for row in Member.objects.filter(pk__in=merged).order_by("pk"):
        kept = known.get(merged[row.pk])
        if kept is None or row.search_name in by_name or row.search_name not in names:
            continue
        if kept.search_name not in names and kept.pk not in used:
            by_name[row.search_name] = [kept]
            used.add(kept.pk)
    return by_name
