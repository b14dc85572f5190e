"""The journal page, where the committee also compares a code that was mailed to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from django import forms
from django.core.paginator import Paginator
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET

from clubs.accounts.permissions import committee_required, organisation_of
from clubs.exchange.csv import csv_response
from clubs.journal import chain as journal
from clubs.journal import checks as journal_checks
from clubs.journal import heads
from clubs.journal.changes import ValueChange, changes_in
from clubs.journal.models import JournalEntry
from clubs.journal.wording import ROLES, reason_words, sentence, subjects
from clubs.members.models import Member
from clubs.organisations.models import Organisation
from clubs.registries import JOURNAL_VERBS
from clubs.search import without_accents
from clubs.ui.punctuation import labelled

BLOCK = 2000


class KeptCodeForm(forms.Form):
    """A code of the journal as it was mailed, to compare with the journal of today."""

    code = forms.CharField(label=gettext_lazy("Code reçu par e-mail"), max_length=100)

    def clean_code(self) -> tuple[int, str]:
        typed = self.cleaned_data["code"]
        head = heads.read(typed)
        if head is None or typed.startswith("0"):  # no line has the number 0
            raise forms.ValidationError(
                _("Copiez le code entier : un nombre, deux-points, puis 64 chiffres et lettres.")
            )
        return head

    def compared(self, organisation: Organisation) -> dict[str, object]:
        """Return the number of the line that has this code, and whether it still has it."""
        head = self.cleaned_data["code"]
        return {"kept_seq": head[0], "agrees": heads.departure(organisation, [head]) is None}


@committee_required
@require_GET
def journal_page(request: HttpRequest) -> HttpResponse:
    """Show who did what, when and why; order and filters; CSV; the state of the chain."""
    organisation = organisation_of(request)
    oldest_first = request.GET.get("tri") == "seq"
    entries = (
        JournalEntry.objects.filter(organisation=organisation)
        .select_related("actor")
        .order_by("seq" if oldest_first else "-seq")
    )
    verb, searched_name = request.GET.get("verbe", ""), request.GET.get("qui", "").strip()
    if verb:
        entries = entries.filter(verb=verb)
    if searched_name:
        ids = Member.objects.of(organisation).matching(searched_name).values_list("pk", flat=True)
        entries = entries.filter(member_id_of_actor__in=list(ids))
    people = Member.objects.of(organisation)
    if request.GET.get("format") == "csv":
        return _csv(entries, people.in_bulk(), organisation)
    seq, head = journal.head_of(organisation)
    paginator = Paginator(entries, 60)
    if not verb and not searched_name:
        paginator.count = seq  # numbered without a gap: no need to count the rows
    page = paginator.get_page(request.GET.get("page"))
    about = subjects((entry.subject for entry in page), organisation)
    changed = changes_in(page)
    actors = people.in_bulk({entry.member_id_of_actor for entry in page} - {None})
    verbs = [(known, sentence(known, organisation)) for known in _verbs(organisation)]
    kept = KeptCodeForm(request.GET if "code" in request.GET else None)
    context = {
        "kept": kept,
        **(kept.compared(organisation) if kept.is_valid() else {}),
        "page": page,
        "lines": [
            {
                "entry": entry,
                "who": _who(entry, actors),
                "words": sentence(entry.verb, organisation),
                "about": about[entry.subject],
                "changes": changed[entry.seq],
            }
            for entry in page
        ],
        "verbs": sorted(verbs, key=lambda item: without_accents(item[1])),
        "verb": verb,
        "who": searched_name,
        "oldest_first": oldest_first,
        "check": journal_checks.last(organisation),
        "seq": seq,
        "head": head,
    }
    return render(request, "clubs/journal/journal.html", context)


def _verbs(organisation: Organisation) -> list[str]:
    """Return the actions that the journal of this organisation has: each is one look at an index."""
    entries = JournalEntry.objects.filter(organisation=OuterRef("pk"))
    found = {verb: Exists(entries.filter(verb=verb)) for verb in JOURNAL_VERBS}
    row = Organisation.objects.annotate(**found).values(*found).get(pk=organisation.pk)
    return [verb for verb in JOURNAL_VERBS if row[verb]]


def _who(entry: JournalEntry, actors: Mapping[int, Member]) -> str:
    """Return who acted, as a member, else by the account, else the site itself."""
    member = actors.get(entry.member_id_of_actor or 0)
    if member is not None:
        return member.full_name
    if entry.actor is None:
        return _("le site")
    return _("un compte fermé") if entry.actor.is_emptied else str(entry.actor)


def _csv(
    entries: QuerySet[JournalEntry], people: Mapping[int, Member], organisation: Organisation
) -> HttpResponse:
    head = [_("Numéro"), _("Date"), _("Qui"), _("Rôle"), _("Action"), _("Objet"), _("Motif")]
    head += [_("Avant → après"), _("Code de contrôle")]
    return csv_response("journal", head, _lines(entries, people, organisation))


def _in_a_line(change: ValueChange) -> str:
    became = change.new if change.old is None else f"{change.old} → {change.new}"
    return labelled(change.label, became)


def _lines(
    entries: QuerySet[JournalEntry], people: Mapping[int, Member], organisation: Organisation
) -> Iterator[list[object]]:
    """Yield the lines of the file; their subjects are read a block at a time."""
    rows = entries.iterator(chunk_size=BLOCK)
    while block := list(islice(rows, BLOCK)):
        about = subjects((entry.subject for entry in block), organisation)
        changed = changes_in(block)
        for entry in block:
            yield [
                entry.seq,
                timezone.localtime(entry.at).isoformat(timespec="seconds"),
                _who(entry, people),
                str(ROLES.get(entry.role, entry.role)),
                sentence(entry.verb, organisation),
                about[entry.subject][0],
                reason_words(entry.reason),
                " · ".join(_in_a_line(change) for change in changed[entry.seq]),
                entry.hash,
            ]
