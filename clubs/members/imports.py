"""A file of members: previewed line by line, written whole, undone within a day.

`preview` says what each line would do; `write` does it in one transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor
from clubs.accounts.older_pages import STALE, version_of
from clubs.exchange import tables
from clubs.exchange.tables import ImportRefused, Known
from clubs.journal import chain as journal
from clubs.members import actions as members
from clubs.members.invitations import actions as invitations
from clubs.members.models import NAME_LENGTH, Member, MemberImport
from clubs.organisations.models import Organisation
from clubs.search import without_accents
from clubs.upkeep.jobs import Progress, no_progress

UNDO = timedelta(hours=24)
SLICE = 50
"""Members deleted by one statement of an undo."""

LABELS: Mapping[str, Callable[[], str]] = {
    "first_name": lambda: _("Prénom"),
    "last_name": lambda: _("Nom"),
    "email": lambda: _("Adresse e-mail"),
    "number": lambda: _("Numéro de joueur"),
}
COLUMNS: Known = {
    "first_name": ("prenom", "first name", "firstname", "prenume"),
    "last_name": ("nom", "last name", "lastname", "surname", "nume", "nom de famille"),
    "email": (
        *("email", "e mail", "mail", "courriel", "adresse e mail", "adresse"),
        *("e mail address", "email address", "adresa de e mail"),
    ),
    "number": (
        *("numero", "numero de joueur", "number", "player number", "no", "n"),
        *("numar", "numar de jucator"),
    ),
}


@dataclass(slots=True)
class ImportedMember:
    """What one line of the file would do: `kind` new, update, double or error.

    `former_name` is a known member's name, where the line replaces it by another one.
    """

    number: int
    values: dict[str, str]
    kind: str = "new"
    problems: list[str] = field(default_factory=list)
    member_id: int | None = None
    former_name: str = ""

    @property
    def name(self) -> str:
        """Return whom the line is about, with the name that it replaces."""
        names = (self.values.get("first_name", ""), self.values.get("last_name", ""))
        name = " ".join(filter(None, names))
        return f"{self.former_name} → {name}" if self.former_name else name

    def refuse(self, problem: str) -> None:
        self.kind = "error"
        self.problems.append(problem)


@dataclass(slots=True)
class _Seen:
    """Numbers, addresses and members by the first line that names each."""

    numbers: dict[int, int] = field(default_factory=dict)
    emails: dict[str, int] = field(default_factory=dict)
    members: dict[int, int] = field(default_factory=dict)


def preview(
    organisation: Organisation, rows: Sequence[Sequence[str]], columns: Mapping[str, int]
) -> list[ImportedMember]:
    """Return every line with its problems, numbered as in the file (the head is line 1)."""
    everybody = list(Member.objects.of(organisation))
    known = [m for m in everybody if m.left_at is None and m.merged_into_id is None]
    by_number = {member.number: member for member in known}
    gone = {member.number for member in everybody} - set(by_number)
    by_email = {member.email: member for member in known if member.email}
    names = {member.search_name for member in known}
    seen = _Seen()
    lines = []
    for record in tables.records(rows, columns):
        line = ImportedMember(record.line, record.values)
        for problem in record.problems:
            line.refuse(problem)
        if not line.problems:
            _check(line, seen, gone)
        if not line.problems:
            number = line.values.get("number")
            of_number = by_number.get(int(number)) if number else None
            of_address = by_email.get(line.values.get("email", "").lower())
            _match(line, of_number, of_address, names, seen)
        lines.append(line)
    return lines


def _check(line: ImportedMember, seen: _Seen, gone: Collection[int]) -> None:
    """Refuse what is wrong in the line by itself, or was said by a line before."""
    values = line.values
    if not without_accents(members.clean_name(values.get("first_name", ""))):
        line.refuse(_("le prénom manque"))
    for name in ("first_name", "last_name"):
        if len(values.get(name, "")) > NAME_LENGTH:
            line.refuse(_("un nom dépasse 60 caractères"))
    if email := values.get("email", "").lower():
        _check_email(line, email, seen)
    if number := values.get("number", ""):
        _check_number(line, number, seen, gone)


def _check_email(line: ImportedMember, email: str, seen: _Seen) -> None:
    try:
        validate_email(email)
    except ValidationError:
        line.refuse(_("« %(email)s » n’est pas une adresse e-mail") % {"email": email[:60]})
    if email in seen.emails:
        line.refuse(_("même adresse qu’à la ligne %(n)s") % {"n": seen.emails[email]})
    seen.emails.setdefault(email, line.number)


def _check_number(line: ImportedMember, typed: str, seen: _Seen, gone: Collection[int]) -> None:
    if not (typed.isascii() and typed.isdigit() and 0 < int(typed) < 1_000_000):
        line.refuse(_("« %(n)s » n’est pas un numéro de joueur") % {"n": typed[:20]})
        return
    number = int(typed)
    if number in seen.numbers:
        line.refuse(_("même numéro qu’à la ligne %(n)s") % {"n": seen.numbers[number]})
    if number in gone:
        line.refuse(_("le numéro %(n)s reste celui d’un ancien membre") % {"n": number})
    seen.numbers.setdefault(number, line.number)


def _match(
    line: ImportedMember,
    of_number: Member | None,
    of_address: Member | None,
    names: Collection[str],
    seen: _Seen,
) -> None:
    """Say whom the line brings up to date, by number or address, or who already has its name."""
    if of_number and of_address and of_number.pk != of_address.pk:
        line.refuse(_("le numéro et l’adresse sont ceux de deux membres différents"))
    member = of_number or of_address
    full = f"{line.values['first_name']} {line.values.get('last_name', '')}"
    if member is None:
        if without_accents(full) in names:
            line.kind = "double"
        return
    if member.pk in seen.members:
        line.refuse(_("même membre qu’à la ligne %(n)s") % {"n": seen.members[member.pk]})
    seen.members.setdefault(member.pk, line.number)
    if line.problems:
        return
    line.kind, line.member_id = "update", member.pk
    last_name = line.values.get("last_name") or member.last_name
    if without_accents(f"{line.values['first_name']} {last_name}") != member.search_name:
        line.former_name = member.full_name


def preview_version(lines: Iterable[ImportedMember]) -> str:
    """Return the version of what a preview says of each line."""
    return version_of(
        (line.number, line.kind, line.name, sorted(line.values.items())) for line in lines
    )


@transaction.atomic
def write(
    *,
    draft: MemberImport,
    seen: str | None = None,
    by: Actor,
    at: datetime,
    progress: Progress = no_progress,
) -> int:
    """Write every line, or none: one wrong line refuses the whole file and is named.

    A line without a number gets one that nobody ever held and that no other line asks for.
    Refused where `seen`, the version of the preview that was read, is older (`preview_version`).
    `progress(done, total)` is called after each line.
    """
    # Whoever edits or forgets one of these members holds their row when they come to the file and to
    # the journal's head, which the new numbers need (decision 0046).
    lines = preview(draft.organisation, draft.rows, draft.columns)
    revoked = invitations.revoke_elsewhere(_new_addresses(lines), at=at)
    Member.objects.filter(pk__in=[line.member_id or 0 for line in lines]).lock()
    member_import = MemberImport.objects.select_for_update(no_key=True).get(pk=draft.pk)
    if member_import.imported_at is not None:
        raise ImportRefused(_("Ce fichier est déjà importé."), code="stale")
    members.lock(member_import.organisation)  # so that nobody is added after this preview
    lines = preview(member_import.organisation, member_import.rows, member_import.columns)
    _check_read(lines, seen)
    claimed = {int(line.values["number"]) for line in lines if line.values.get("number")}
    free = members.free_numbers(member_import.organisation, besides=claimed)
    member_ids: list[int] = []
    for done, line in enumerate(lines, start=1):
        try:
            member = _write_line(member_import.organisation, line, free, by, at)
        except members.MemberRefused as refused:
            raise ImportRefused(
                _("Ligne %(n)s : %(why)s Rien n’a été importé.")
                % {"n": line.number, "why": refused},
                code="errors",
            ) from refused
        if line.kind != "update":
            member_ids.append(member.pk)
        progress(done, len(lines))
    MemberImport.objects.filter(pk=member_import.pk).update(
        imported_at=at, created_members=member_ids
    )
    members.note_revoked(revoked, by=by, at=at)
    journal.record(
        organisation=member_import.organisation,
        verb="members_imported",
        subject=f"import:{member_import.pk}",
        by=by,
        at=at,
        after={"created": len(member_ids), "lines": len(lines)},
    )
    return len(lines)


def _check_read(lines: Sequence[ImportedMember], seen: str | None) -> None:
    """Refuse a file with a wrong line, or that does something else than the preview that was read."""
    wrong = [line for line in lines if line.kind == "error"]
    if wrong:
        raise ImportRefused(
            _(
                "La ligne %(n)s ne peut pas être importée : corrigez le fichier, rien n’a "
                "été importé."
            )
            % {"n": wrong[0].number},
            code="errors",
        )
    if seen is not None and seen != preview_version(lines):
        raise ImportRefused(
            _(
                "L’aperçu a changé depuis votre lecture. Relisez ce que le fichier ferait à "
                "présent, puis importez."
            ),
            code=STALE,
        )


def _new_addresses(lines: Collection[ImportedMember]) -> dict[int, str]:
    """Return the address that the file gives to each known member."""
    values = {line.member_id: line.values.get("email", "") for line in lines}
    return {pk: email.lower() for pk, email in values.items() if pk is not None and email}


def _write_line(
    organisation: Organisation, line: ImportedMember, free: Iterator[int], by: Actor, at: datetime
) -> Member:
    values = line.values
    if line.kind == "update":
        changes = {
            name: values[name] for name in ("first_name", "last_name", "email") if values.get(name)
        }
        member = Member.objects.get(pk=line.member_id or 0)
        return members.edit(member=member, changes=changes, by=by, at=at)
    return members.create(
        organisation=organisation,
        first_name=values["first_name"],
        last_name=values.get("last_name", ""),
        email=values.get("email", ""),
        number=int(values["number"]) if values.get("number") else next(free),
        by=by,
        at=at,
    )


@dataclass(frozen=True, slots=True)
class Undoing:
    """What undoing an import does: members deleted with their numbers, members that stay."""

    going: list[Member]
    kept: list[Member]


def undoing(done: MemberImport) -> Undoing:
    """Split the members that an import created: those used since stay.

    Used means an account, or any row that points at the member: a role, an invitation, a check-in,
    an entry, a match, a line of a list. One query for each kind of row.
    """
    created_members = Member.objects.filter(pk__in=done.created_members).order_by("sort_name", "pk")
    used: set[int | None] = set()
    for relation in Member._meta.related_objects:
        name = relation.field.attname
        rows = relation.related_model._base_manager.filter(**{f"{name}__in": done.created_members})
        used.update(rows.values_list(name, flat=True))
    parted = Undoing([], [])
    for member in created_members:
        stays = member.pk in used or member.user_id is not None or member.merged_into_id is not None
        (parted.kept if stays else parted.going).append(member)
    return parted


@transaction.atomic
def undo(
    *, done: MemberImport, by: Actor, at: datetime, progress: Progress = no_progress
) -> Undoing:
    """Delete the members of an import within a day and free their numbers, unless used since."""
    # Before the file, as `write`: a new row that points at a member waits, and then finds them gone.
    created = MemberImport.objects.values_list("created_members", flat=True).get(pk=done.pk)
    Member.objects.filter(pk__in=created).lock()
    member_import = MemberImport.objects.select_for_update(no_key=True).get(pk=done.pk)
    if (
        member_import.imported_at is None
        or member_import.undone_at is not None
        or at > member_import.imported_at + UNDO
    ):
        code = "stale" if member_import.undone_at is not None else "too_late"
        raise ImportRefused(_("Cet import ne peut plus être annulé."), code=code)
    parted = undoing(member_import)
    going = [member.pk for member in parted.going]
    for start in range(0, len(going), SLICE):
        Member.objects.filter(pk__in=going[start : start + SLICE]).delete()
        progress(min(start + SLICE, len(going)), len(going))
    MemberImport.objects.filter(pk=member_import.pk).update(undone_at=at)
    journal.record(
        organisation=member_import.organisation,
        verb="import_undone",
        subject=f"import:{member_import.pk}",
        by=by,
        at=at,
        after={
            "removed": len(parted.going),
            "kept": [member.pk for member in parted.kept],
        },
    )
    return parted
