"""A person shows no more of their name in a federation than in any of their clubs (decision 0037)."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor
from clubs.journal import chain as journal
from clubs.members.actions import SHOWN, MemberRefused
from clubs.members.models import FORGOTTEN, Member
from clubs.persons.models import MemberLink

STRICTNESS = [visibility for visibility, _label in Member.VISIBILITIES]
"""From the choice that shows most of a name to the one that shows least."""


def follow(
    member: Member, rows: Collection[int], changed: Collection[str], by: Actor, at: datetime
) -> None:
    """Let the copies of a member in federations show no more than the member's `rows` do.

    Called within the act that changed them, before its entry. `changed`: which of `SHOWN` it
    changed. Refused where the row is itself such a copy and now shows more than a club's does.
    """
    _check_within_clubs(member, changed)
    tighten(lock_copies(rows), changed, by, at, journals=[member.organisation_id])


def lock_copies(rows: Collection[int]) -> list[Member]:
    """Lock the rows that federations have of these members, and federations of theirs.

    Links are read again after each lock: a merge may have moved them meanwhile.
    """
    copies: dict[int, Member] = {}
    reached = set(rows)
    while True:
        links = MemberLink.objects.filter(member__in=reached).exclude(person=None)
        linked = Member.objects.filter(pk__in=links.values("person")).exclude(pk__in=copies)
        locked = list(linked.order_by("pk").select_for_update(no_key=True))
        if not locked:
            return list(copies.values())
        copies |= {copy.pk: copy for copy in locked}
        reached |= {pk for copy in locked for pk in copy.rows()}


def lock_to_link(*, members: Collection[int], persons: Collection[int]) -> None:
    """Lock members of clubs and whom a federation says they are, before any other row of the act.

    A club's row comes before its copies, as in `follow`; who links them reads the latest choice.
    """
    Member.objects.filter(pk__in=members).lock()
    Member.objects.filter(pk__in=persons).lock()
    lock_copies(persons)


def keep_to_clubs(
    persons: Collection[int], by: Actor, at: datetime, *, journals: Collection[int] = ()
) -> None:
    """Tighten persons who were linked with members of clubs, within that act (`lock_to_link`)."""
    linked = list(Member.objects.filter(pk__in=persons, merged_into=None).order_by("pk"))
    tighten([*linked, *lock_copies(persons)], (), by, at, journals=journals)


def tighten(
    copies: Collection[Member],
    changed: Collection[str],
    by: Actor,
    at: datetime,
    *,
    journals: Collection[int],
) -> None:
    """Bring rows of federations, locked by the caller, in line with the strictest of their clubs.

    A looser choice follows for what was `changed` alone, and for a row without an account: with
    one, the person chooses in the federation too. `journals`: organisations whose entry follows.
    """
    if not copies:
        return
    journal.lock([*journals, *(copy.organisation_id for copy in copies)])
    for copy in copies:
        shown = _shown(copy, changed)
        fields = [name for name in SHOWN if shown[name] != getattr(copy, name)]
        if fields:
            Member.objects.filter(pk__in=copy.rows()).update(**shown)
            actor = Actor.system(by.origin)  # who hides their name is not named elsewhere for it
            journal.note(copy, "choice_followed", by=actor, at=at, after={"fields": fields})


def _shown(copy: Member, changed: Collection[str]) -> dict[str, object]:
    links = MemberLink.objects.filter(person=copy).values_list(
        "member__visibility", "member__is_minor", "member__slug"
    )
    said = list(links)
    strictest = max((STRICTNESS.index(visibility) for visibility, *_rest in said), default=0)
    minor = copy.is_child or any(is_minor for _visibility, is_minor, _slug in said)
    # What somebody chose before a club forgot them is not known any more.
    known = all(not slug.startswith(FORGOTTEN) for *_rest, slug in said)
    if not (known and copy.user_id is None and not copy.awaits_guardian):
        changed = ()
    if "visibility" not in changed:
        strictest = max(strictest, STRICTNESS.index(copy.visibility))
    if "is_minor" not in changed:
        minor = minor or copy.is_minor
    return {"visibility": STRICTNESS[strictest], "is_minor": minor}


def _check_within_clubs(copy: Member, changed: Collection[str]) -> None:
    """Refuse a change by which a federation's row shows more than a club that they are in."""
    if not changed:
        return
    links = MemberLink.objects.filter(person=copy, member__left_at=None)
    for link in links.select_related("member__organisation").order_by("pk"):
        member = link.member
        name = {"club": member.organisation.name}
        if "visibility" in changed and STRICTNESS.index(copy.visibility) < STRICTNESS.index(
            member.visibility
        ):
            sentence = _("Au club %(club)s, vous montrez moins de votre nom : changez-y d’abord ce choix.")  # fmt: skip
            raise MemberRefused(sentence % name, code="shows_less")
        if "is_minor" in changed and member.is_minor and not copy.is_minor:
            sentence = _("Le club %(club)s note que cette personne a moins de 18 ans : c’est là-bas que cela se corrige d’abord.")  # fmt: skip
            raise MemberRefused(sentence % name, code="minor_elsewhere")
