"""The journal page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from clubs.accounts.permissions import committee_required, organisation_of
from clubs.exchange.csv import csv_response
from clubs.journal import chain as journal
from clubs.journal import checks as journal_checks
from clubs.journal.models import JournalEntry
from clubs.journal.wording import sentence, subjects
from clubs.members.models import Member
from clubs.registries import JOURNAL_VERBS


@committee_required
@require_GET
def journal_page(request: HttpRequest) -> HttpResponse:
    """Show who did what, when and why; filters; CSV; the state of the chain."""
    organisation = organisation_of(request)
    entries = (
        JournalEntry.objects.filter(organisation=organisation)
        .select_related("actor")
        .order_by("-seq")
    )
    verb, searched_name = request.GET.get("verbe", ""), request.GET.get("qui", "").strip()
    if verb:
        entries = entries.filter(verb=verb)
    if searched_name:
        ids = Member.objects.of(organisation).matching(searched_name).values_list("pk", flat=True)
        entries = entries.filter(member_id_of_actor__in=list(ids))
    people = Member.objects.of(organisation)
    if request.GET.get("format") == "csv":
        full = {member.pk: member.full_name for member in people}
        return _csv(entries.iterator(chunk_size=2000), full)
    seq, head = journal.head_of(organisation)
    paginator = Paginator(entries, 60)
    if not verb and not searched_name:
        paginator.count = seq  # numbered without a gap: no need to count the rows
    page = paginator.get_page(request.GET.get("page"))
    about = subjects((entry.subject for entry in page), organisation)
    actors = people.in_bulk({entry.member_id_of_actor for entry in page} - {None})
    context = {
        "page": page,
        "lines": [
            {
                "entry": entry,
                "who": _who(entry, actors),
                "words": sentence(entry.verb),
                "about": about[entry.subject],
            }
            for entry in page
        ],
        "verbs": sorted(JOURNAL_VERBS.items(), key=lambda item: str(item[1])),
        "verb": verb,
        "who": searched_name,
        "check": journal_checks.last(organisation),
        "seq": seq,
        "head": head,
    }
    return render(request, "clubs/journal/journal.html", context)


def _who(entry: JournalEntry, actors: Mapping[int, Member]) -> str:
    """Return who acted, as a member, else by the account, else the site itself."""
    member = actors.get(entry.member_id_of_actor or 0)
    if member is not None:
        return member.full_name
    return str(entry.actor) if entry.actor else _("le site")


def _csv(entries: Iterable[JournalEntry], names: Mapping[int, str]) -> HttpResponse:
    return csv_response(
        "journal",
        ["numéro", "date", "qui", "rôle", "acte", "objet", "motif", "empreinte"],
        (
            [
                entry.seq,
                timezone.localtime(entry.at).isoformat(timespec="seconds"),
                names.get(entry.member_id_of_actor or 0, ""),
                entry.role,
                sentence(entry.verb),
                entry.subject,
                entry.reason,
                entry.hash,
            ]
            for entry in entries
        ),
    )
