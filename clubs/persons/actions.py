"""Actions on persons of a federation: licence and details, aliases, links with members of clubs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor, Refused
from clubs.journal import chain as journal
from clubs.members import merging
from clubs.members.models import Member
from clubs.organisations.models import Organisation
from clubs.persons import choices as name_choices
from clubs.persons import matching
from clubs.persons.matching import People
from clubs.persons.models import Alias, MemberLink, Person

DETAILS = ("licence", "country", "club", "birth_year", "status")


class PersonRefused(Refused):
    """A change of a person, an alias or a link that may not happen."""


def people_of(organisation: Organisation, choices: Mapping[str, int] | None = None) -> People:
    """Return everybody whom a file may name. Three queries, and one where choices were made."""
    chosen = {pk for pk in (choices or {}).values() if pk != matching.NEW}
    rows = Member.objects.of(organisation).active()
    licences = Person.objects.of(organisation).current().exclude(licence="")
    aliases = Alias.objects.filter(organisation=organisation, member__merged_into__isnull=True)
    return People.of(
        rows.values_list("pk", "number", "first_name", "last_name"),
        aliases=dict(aliases.values_list("name", "member_id")),
        licences=dict(licences.values_list("licence", "member_id")),
        choices=choices,
        gone=chosen - set(Member.objects.filter(pk__in=chosen).values_list("pk", flat=True)),
    )


@transaction.atomic
def edit_person(
    *, member: Member, seen: int, changes: Mapping[str, Any], by: Actor, at: datetime
) -> Person:
    """Change a person's licence and details. `seen` is the version that the page showed.

    It is 0 where the register had no row for the person; a row that is there has another version.
    """
    values = {name: changes[name] for name in DETAILS if name in changes}
    Member.objects.filter(pk=member.pk).lock()  # a file of licences is being written, or it waits
    if "licence" in values:
        values["licence"] = matching.clean_licence(values["licence"])
        _check_free(member, values["licence"])
    person, created = Person.objects.get_or_create(
        member=member, defaults={"organisation": member.organisation}
    )
    before = {name: getattr(person, name) for name in DETAILS}
    try:
        with transaction.atomic():
            moved = Person.objects.filter(pk=person.pk, version=0 if created else seen).update(
                version=F("version") + 1, **values
            )
    except IntegrityError as clash:
        raise PersonRefused(_("Une autre personne a cette licence."), code="licence") from clash
    if not moved:
        raise PersonRefused(
            _("Cette fiche vient d’être modifiée. Relisez-la avant d’agir."), code="stale"
        )
    person.refresh_from_db()
    fields = [name for name in DETAILS if before[name] != getattr(person, name)]
    if (
        "birth_year" in fields
        and may_be_minor(person.birth_year, at)
        and show_short(member.organisation, {member.pk})
    ):
        fields.append("is_minor")
    if fields:
        journal.note(member, "person_edited", by=by, at=at, after={"fields": fields})
    return person


def may_be_minor(birth_year: int | None, at: datetime) -> bool:
    """Return whether the person may be under 18: their name is then shown short to strangers."""
    return birth_year is not None and at.year - birth_year <= 18


def show_short(organisation: Organisation, members: Collection[int]) -> int:
    """Note that these members, locked by the caller, are minors. Returns how many rows change."""
    people = merging.same_people(organisation.pk) if members else {}
    rows = [*members, *(old for old, kept in people.items() if kept in members)]
    return Member.objects.filter(pk__in=rows, is_minor=False).update(is_minor=True)


def _check_free(member: Member, licence: str) -> None:
    holders = Person.objects.filter(organisation_id=member.organisation_id, licence=licence)
    other = holders.exclude(member=member).select_related("member").first() if licence else None
    if other is not None:
        raise PersonRefused(
            _(
                "La licence %(licence)s appartient à %(name)s : fusionnez les fiches si c’est la "
                "même personne."
            )
            % {"licence": licence, "name": other.member.full_name},
            code="licence",
        )


def remember(
    *, organisation: Organisation, names: Mapping[str, int], by: Actor, at: datetime
) -> None:
    """Store an officer's choices {folded name: member} as aliases, in the caller's act and entry.

    The last choice holds: a name was chosen differently when the former choice was wrong.
    """
    known = {
        alias.name: alias
        for alias in Alias.objects.filter(organisation=organisation, name__in=list(names))
    }
    for name, member_id in names.items():
        alias = known.get(name)
        if alias is not None and alias.member_id != member_id:
            Alias.objects.filter(pk=alias.pk).update(
                member_id=member_id, chosen_at=at, chosen_by=by.user
            )
    Alias.objects.bulk_create(
        [
            Alias(
                organisation=organisation,
                name=name[:200],
                member_id=member_id,
                chosen_at=at,
                chosen_by=by.user,
            )
            for name, member_id in names.items()
            if name not in known
        ]
    )


def add_licences(*, organisation: Organisation, licences: Mapping[int, str]) -> None:
    """Give new players {member: licence} the licence of their file, in the caller's act and entry."""
    Person.objects.bulk_create(
        [
            Person(organisation=organisation, member_id=pk, licence=licence, version=1)
            for pk, licence in licences.items()
        ]
    )


@transaction.atomic
def forget_alias(*, alias: Alias, by: Actor, at: datetime) -> None:
    """Take back an officer's choice: the next file that has this name asks again."""
    gone, _rows = Alias.objects.filter(pk=alias.pk).delete()
    if not gone:
        raise PersonRefused(_("Ce nom est déjà retiré."), code="stale")
    journal.note(alias.member, "alias_forgotten", by=by, at=at)


@transaction.atomic
def say_licence(
    *, member: Member, federation: Organisation, licence: str, by: Actor, at: datetime
) -> MemberLink:
    """Store the licence that a club gives of its member, and link the person who holds it.

    A licence whose holder has another name links nobody: an officer of the federation decides.
    """
    number = matching.clean_licence(licence)
    Member.objects.filter(pk=member.pk).lock()
    link, _created = MemberLink.objects.get_or_create(member=member, federation=federation)
    if link.licence == number:
        return link
    person_match = people_of(federation).match(member.full_name, number) if number else None
    holder = person_match.member if person_match is not None and not person_match.problem else None
    known = Person.objects.of(federation).filter(licence=number, member=holder).exists()
    person = holder if number and known else None
    linked = [person] if person is not None else []
    name_choices.lock_to_link(members=[member.pk], persons=linked)
    moved = MemberLink.objects.filter(pk=link.pk, licence=link.licence).update(
        licence=number,
        person_id=person,
        linked_at=at,
        linked_by=by.user,
    )
    if not moved:
        raise PersonRefused(
            _("Cette fiche vient d’être modifiée. Relisez-la avant d’agir."), code="stale"
        )
    link.refresh_from_db()
    name_choices.keep_to_clubs(linked, by, at, journals=[member.organisation_id])
    journal.note(
        member,
        "licence_said",
        by=by,
        at=at,
        after={"federation": federation.slug, "linked": link.person_id is not None},
    )
    return link


@transaction.atomic
def link_member(*, member: Member, person: Member, by: Actor, at: datetime) -> MemberLink:
    """Say who a club's member is among the persons of the federation, by an officer's choice.

    Refused as `stale` for a member who is linked already.
    """
    name_choices.lock_to_link(members=[member.pk], persons=[person.pk])
    person.refresh_from_db()
    if person.merged_into_id is not None or person.left_at is not None:
        raise PersonRefused(_("Cette fiche n’est plus en usage."), code="gone")
    link, _created = MemberLink.objects.get_or_create(
        member=member, federation_id=person.organisation_id
    )
    moved = MemberLink.objects.filter(pk=link.pk, person=None).update(
        person=person, linked_at=at, linked_by=by.user
    )
    if not moved:
        raise PersonRefused(
            _("Ce membre vient d’être relié par quelqu’un d’autre. Rechargez la page."),
            code="stale",
        )
    link.refresh_from_db()
    name_choices.keep_to_clubs([person.pk], by, at)
    journal.note(
        person, "member_linked", by=by, at=at, before={"person": None}, after={"member": member.pk}
    )
    return link


def link_members(
    *, federation: Organisation, people: Mapping[int, int], by: Actor, at: datetime
) -> None:
    """Link members of clubs {member: person}, in the caller's act and entry.

    The caller has locked both (`choices.lock_to_link`).
    """
    known = {
        link.member_id: link
        for link in MemberLink.objects.filter(federation=federation, member__in=people)
    }
    changed = []
    for pk, person in people.items():
        link = known.get(pk)
        if link is not None and link.person_id != person:
            link.person_id, link.linked_at, link.linked_by = person, at, by.user
            changed.append(link)
    MemberLink.objects.bulk_update(changed, ["person", "linked_at", "linked_by"], batch_size=200)
    MemberLink.objects.bulk_create(
        [
            MemberLink(
                member_id=pk,
                federation=federation,
                person_id=person,
                linked_at=at,
                linked_by=by.user,
            )
            for pk, person in people.items()
            if pk not in known
        ]
    )
    name_choices.keep_to_clubs(people.values(), by, at)


@transaction.atomic
def take_over(*, member: Member, into: Member, by: Actor, at: datetime) -> None:
    """Move licence, aliases and links of a row that is merged, within the merge and its entry.

    Refused where each has a licence of their own: one of the two is wrong, or they are two people.
    """
    rows = {
        person.member_id: person
        for person in Person.objects.select_for_update(no_key=True).filter(
            member__in=[member, into]
        )
    }
    old, kept = rows.get(member.pk), rows.get(into.pk)
    if old is not None and kept is not None and old.licence and kept.licence:
        raise PersonRefused(
            _(
                "Ces deux joueurs ont chacun une licence (%(old)s et %(kept)s) : retirez d’abord "
                "celle qui n’est plus valable."
            )
            % {"old": old.licence, "kept": kept.licence},
            code="two_licences",
        )
    if old is not None and kept is None:
        Person.objects.filter(pk=old.pk).update(member=into, version=F("version") + 1)
    elif old is not None and kept is not None:
        licence = old.licence or kept.licence
        Person.objects.filter(pk=old.pk).update(licence="", version=F("version") + 1)
        details = {name: getattr(kept, name) or getattr(old, name) for name in DETAILS[1:4]}
        status = old.status if old.licence else kept.status
        Person.objects.filter(pk=kept.pk).update(
            licence=licence, status=status, version=F("version") + 1, **details
        )
    born = old.birth_year if old is not None and (kept is None or not kept.birth_year) else None
    if may_be_minor(born, at):
        show_short(into.organisation, {into.pk})
    names, links = Alias.objects.filter(member=member), MemberLink.objects.filter(person=member)
    Alias.objects.filter(pk__in=list(names.values_list("pk", flat=True))).update(member=into)
    MemberLink.objects.filter(pk__in=list(links.values_list("pk", flat=True))).update(person=into)
    if member.is_outsider and member.last_name and not member.is_forgotten:
        _keep_spelling(member, into, by, at)
    name_choices.keep_to_clubs([into.pk], by, at)


def _keep_spelling(member: Member, into: Member, by: Actor, at: datetime) -> None:
    """Make the name under which files wrote a merged person an alias, in either order of its words.

    Not a single word, and not the name of somebody else: the next file asks who that is.
    """
    names = dict.fromkeys((member.search_name, member.sort_name), into.pk)
    if not people_of(into.organisation).by_name.keys() & names:
        remember(organisation=into.organisation, names=names, by=by, at=at)
