"""A file of entries imported into a tournament: matched with members, previewed, all or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor, Refused
from clubs.members import actions as members
from clubs.members.models import Member
from clubs.search import without_accents
from pairings.exchange.formats.csv_xlsx_reading import EntryLine
from pairings.tournaments import actions as tournaments
from pairings.tournaments import registration
from pairings.tournaments.files.named import members_by_name
from pairings.tournaments.models import Entry, Tournament
from pairings.tournaments.rules import TournamentRefused


@dataclass(frozen=True, slots=True)
class Matched:
    """A row of the file and its member; None will be created as a guest.

    A `problem` blocks the whole import.
    """

    line: EntryLine
    member: Member | None
    problem: str = ""


def match_lines(tournament: Tournament, lines: Sequence[EntryLine]) -> list[Matched]:
    """Find each row's member by number, else by name without accents. Writes nothing."""
    names = {without_accents(f"{line.first_name} {line.last_name}") for line in lines}
    by_name = members_by_name(tournament.organisation, names)
    by_number = {member.number: member for same in by_name.values() for member in same}
    rows = tournament.entries.values_list("member_id", "member__merged_into")
    entered = {pk for row in rows for pk in row}
    matched_lines, seen = [], set(entered)
    for line in lines:
        matched = _match(line, by_number, by_name)
        named = matched.member
        if named is not None and not matched.problem:
            if named.pk in seen:
                problem = _("%(name)s a déjà une inscription.") % {"name": named.full_name}
                matched = Matched(line, named, problem)
            seen.add(named.pk)
        matched_lines.append(matched)
    return matched_lines


def _match(
    line: EntryLine, by_number: dict[int, Member], by_name: dict[str, list[Member]]
) -> Matched:
    if line.number is not None:
        member = by_number.get(line.number)
        if member is None:
            problem = _("aucun membre n’a le numéro %(number)s.") % {"number": line.number}
            return Matched(line, None, problem)
        return Matched(line, member)
    same = by_name.get(without_accents(f"{line.first_name} {line.last_name}"), [])
    if len(same) > 1:
        return Matched(line, None, _("plusieurs membres ont ce nom : donnez le numéro de joueur."))
    return Matched(line, same[0] if same else None)


@transaction.atomic
def enter_all(
    *, tournament: Tournament, lines: Sequence[EntryLine], by: Actor, at: datetime
) -> list[Entry]:
    """Enter every row, or nobody.

    An unknown person becomes a guest, and stands in no list of the club's members.
    """
    known = match_lines(tournament, lines)
    # Members, then the tournament, before the journal, to which a new guest is an entry.
    Member.objects.filter(pk__in=[each.member.pk for each in known if each.member]).lock()
    tournaments.locked(tournament)
    entries = []
    for matched in known:
        if matched.problem:
            raise TournamentRefused(_at(matched.line, matched.problem), code="line")
        try:
            player = matched.member or members.create(
                organisation=tournament.organisation,
                first_name=matched.line.first_name,
                last_name=matched.line.last_name,
                is_guest=True,
                is_outsider=True,
                by=by,
                at=at,
            )
            entries.append(
                registration.enter(
                    tournament=tournament,
                    member=player,
                    cote=matched.line.rating,
                    cote_origin="PL" if matched.line.rating is not None else "",
                    home_club=matched.line.club,
                    paid=matched.line.paid,
                    source=Entry.FILE,
                    by=by,
                    at=at,
                )
            )
        except Refused as refused:
            raise TournamentRefused(_at(matched.line, str(refused)), code="line") from refused
    return entries


def _at(line: EntryLine, problem: str) -> str:
    return _("Ligne %(line)s : %(text)s") % {"line": line.line, "text": problem}
