"""What waits for the committee, shown on its first page."""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from clubs.members.models import Member
from clubs.members.models_access import JoinRequest
from clubs.organisations.models import Organisation, Season
from clubs.registries import SCOPES
from clubs.rulebooks.models import RuleBook
from clubs.setup.actions import is_begun


def awaiting(organisation: Organisation) -> Iterator[tuple[str, str]]:
    """Give each thing as a sentence, with the page where it is done."""
    if not is_begun(organisation):
        yield _("La mise en route n’est pas finie"), reverse("clubs:setup")
    asking = JoinRequest.objects.filter(organisation=organisation, answered_at=None).count()
    if asking:
        words = ngettext("%(n)s demande d’adhésion", "%(n)s demandes d’adhésion", asking)
        yield words % {"n": asking}, reverse("clubs:requests")
    guests = Member.objects.of(organisation).belonging().filter(is_guest=True).count()
    if guests:
        words = ngettext("%(n)s invité à confirmer", "%(n)s invités à confirmer", guests)
        yield words % {"n": guests}, f"{reverse('clubs:member_list')}?etat=invites"
    ends = Season.objects.filter(organisation=organisation).order_by("ends_on")
    last_day = ends.values_list("ends_on", flat=True).last()
    if last_day and last_day < timezone.localdate(timezone=organisation.zone):
        yield _("La saison est finie : ouvrir la suivante"), reverse("clubs:season_list")
    for draft in RuleBook.objects.filter(organisation=organisation).drafts().order_by("scope"):
        rules = _(SCOPES[draft.scope].label)
        words = _("%(rules)s : le brouillon de la version %(n)s attend.")
        page = f"{reverse('clubs:rules_edit')}?livre={draft.scope}"
        yield words % {"rules": rules, "n": draft.number}, page
