"""The subject of a journal entry in words: people, rule books, seasons, invitations."""

from __future__ import annotations

from collections.abc import Collection

from django.urls import reverse
from django.utils.translation import gettext as _

from clubs.journal.wording import Subject
from clubs.members.models import Member, MemberImport
from clubs.members.models_access import Invitation, JoinRequest
from clubs.organisations.models import Organisation, Season
from clubs.rulebooks.models import RuleBook
from clubs.sanctions.models import Sanction


def members(ids: Collection[int]) -> dict[int, Subject]:
    return {
        member.pk: (
            member.full_name,
            reverse("clubs:member_edit", kwargs={"member_id": member.pk}),
        )
        for member in Member.objects.filter(pk__in=ids)
    }


def rule_books(ids: Collection[int]) -> dict[int, Subject]:
    """Return rule books in words: an adopted version has a page, a draft the committee's form."""
    return {
        book.pk: (
            _("version %(n)s des règles") % {"n": book.number},
            reverse("clubs:rules_version", kwargs={"number": book.number})
            if book.adopted_at
            else "",
        )
        for book in RuleBook.objects.filter(pk__in=ids)
    }


def seasons(ids: Collection[int]) -> dict[int, Subject]:
    return {
        season.pk: (season.name, reverse("clubs:season_edit", kwargs={"season_id": season.pk}))
        for season in Season.objects.filter(pk__in=ids)
    }


def organisations(ids: Collection[int]) -> dict[int, Subject]:
    address = reverse("clubs:club_settings")
    return {
        organisation.pk: (organisation.name, address)
        for organisation in Organisation.objects.filter(pk__in=ids)
    }


def invitations(ids: Collection[int]) -> dict[int, Subject]:
    address = reverse("clubs:invite")
    rows = Invitation.objects.filter(pk__in=ids).select_related("member")
    return {
        invitation.pk: (
            str(invitation.member or invitation.email or _("lien d’invitation")),
            address,
        )
        for invitation in rows
    }


def requests(ids: Collection[int]) -> dict[int, Subject]:
    return {
        join_request.pk: (str(join_request), "")
        for join_request in JoinRequest.objects.filter(pk__in=ids)
    }


def imports(ids: Collection[int]) -> dict[int, Subject]:
    """Return imports in words: one that was written has a page."""
    return {
        member_import.pk: (
            _("fichier %(name)s") % {"name": member_import.file_name},
            reverse("clubs:import_done", kwargs={"import_id": member_import.pk})
            if member_import.imported_at
            else "",
        )
        for member_import in MemberImport.objects.filter(pk__in=ids)
    }


def sanctions(ids: Collection[int]) -> dict[int, Subject]:
    rows = Sanction.objects.filter(pk__in=ids).select_related("member")
    return {
        sanction.pk: (
            str(sanction.member),
            reverse("pairings:sanction", kwargs={"sanction_id": sanction.pk}),
        )
        for sanction in rows
    }


SUBJECTS = {
    "member": members,
    "rulebook": rule_books,
    "season": seasons,
    "organisation": organisations,
    "invitation": invitations,
    "request": requests,
    "import": imports,
    "sanction": sanctions,
}
