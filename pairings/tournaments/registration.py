"""Actions on entries: enter, edit, remove, be away, withdraw, come back."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import Max, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from clubs.accounts.actor import ARBITER, COMMITTEE, SYSTEM, Actor
from clubs.members.models import Member
from pairings.absences import suspensions
from pairings.tournaments import actions as tournaments
from pairings.tournaments import rules as tournament_rules
from pairings.tournaments.models import Entry, Round, Tournament
from pairings.tournaments.rules import TournamentRefused
from ratings.ledger.models import LedgerEntry
from ratings.lists.queries import system_on

COTES = range(4001)
DESK = (ARBITER, COMMITTEE, SYSTEM)


@transaction.atomic
def enter(
    *,
    tournament: Tournament,
    member: Member,
    by: Actor,
    at: datetime,
    cote: int | None = None,
    cote_origin: str = "",
    paid: bool = False,
    source: str = Entry.DESK,
    home_club: str = "",
) -> Entry:
    """Enter a member: by themselves while entries are open to members, or at the desk.

    Without `cote` it is read from the tournament's list at its date. Once the initial ranking is
    frozen this is a late arrival: placed after everybody, from the next round not yet published.
    """
    row = _locked_to_enter(tournament, member)
    late = row.state == Tournament.State.RUNNING
    first_round = tournaments.next_round_number(row) if late else 1
    _check_may_enter(row, member, by, first_round)
    if row.entries.filter(member__merged_into=member).exists():
        raise _already_entered(member)
    if cote is None:
        cote, cote_origin = cote_on(row, member)
    _check_cote(cote)
    if is_full(row, first_round):
        raise TournamentRefused(
            _("La première ronde est publiée : le tableau ne prend plus personne."),
            code="table_full",
        )
    last = row.entries.aggregate(n=Max("initial"))["n"] if late else None
    try:
        with transaction.atomic():
            entry = Entry.objects.create(
                tournament=row,
                member=member,
                cote=cote,
                cote_origin=cote_origin,
                home_club=home_club.strip(),
                paid=paid,
                source=source,
                entered_at=at,
                initial=(last or 0) + 1 if late else None,
                first_round=first_round,
            )
    except IntegrityError as clash:
        raise _already_entered(member) from clash
    if late and first_round == 1:
        tournaments.plan_rounds(row)  # one more player may ask for one more round
    after = {"member": member.pk, "cote": cote, "first_round": entry.first_round}
    tournaments.note(row, "tournament_late" if late else "tournament_entered", by, at, after=after)
    return entry


def is_full(row: Tournament, first_round: int) -> bool:
    """Return whether the table of the tournament has no place for somebody who comes at that round."""
    return first_round > 1 and not tournament_rules.rules_of(row).admits(row.entries.count())


def _locked_to_enter(tournament: Tournament, member: Member) -> Tournament:
    """Return the tournament, locked after the member, as their departure locks them.

    Refused for somebody who has left the club or was merged.
    """
    here = Member.objects.active().filter(pk=member.pk).lock()
    row = tournaments.locked(tournament)
    if not here:
        raise TournamentRefused(
            _("%(name)s : sa situation vient de changer. Relisez-la avant d’agir.")
            % {"name": member.full_name},
            code="stale",
        )
    return row


def _already_entered(member: Member) -> TournamentRefused:
    return TournamentRefused(
        _("%(name)s a déjà une inscription à ce tournoi.") % {"name": member.full_name},
        code="already_entered",
    )


def _check_may_enter(row: Tournament, member: Member, by: Actor, first_round: int) -> None:
    if not row.is_open:
        raise TournamentRefused(_("Ce tournoi n’accepte plus d’inscription."), code="wrong_state")
    if member.organisation_id != row.organisation_id:
        raise TournamentRefused(_("Ce membre n’est pas de ce club."), code="other_club")
    is_desk = by.role in DESK
    if not is_desk:
        if by.member is None or by.member.pk != member.pk:
            raise TournamentRefused(_("Vous ne pouvez inscrire que vous-même."), code="not_yours")
        if row.state != Tournament.State.ENTRIES or not row.self_entry:
            raise TournamentRefused(
                _("Les inscriptions se font à l’accueil du tournoi."), code="desk_only"
            )
    suspension = suspensions.at_tournament(row, [member.pk], number=first_round).get(member.pk)
    if suspension is not None:
        raise TournamentRefused(
            ngettext(
                "%(name)s : la suspension porte encore sur %(n)s soirée.",
                "%(name)s : la suspension porte encore sur %(n)s soirées.",
                suspension.left,
            )
            % {"name": member.full_name, "n": suspension.left},
            code="suspended",
        )


@transaction.atomic
def remove(*, entry: Entry, by: Actor, at: datetime) -> None:
    """Remove an entry while the initial ranking is not frozen: the player did not come."""
    row = tournaments.locked(entry.tournament)
    _check_own_or_desk(entry, by)
    if row.state != Tournament.State.ENTRIES:
        raise TournamentRefused(
            _("Le classement initial est figé : notez plutôt un abandon."), code="frozen"
        )
    if not Entry.objects.filter(pk=entry.pk).delete()[0]:
        raise _removed()
    tournaments.note(row, "tournament_entry_removed", by, at, before={"member": entry.member_id})


@transaction.atomic
def edit_entry(*, entry: Entry, changes: Mapping[str, object], by: Actor, at: datetime) -> Entry:
    """Change fee paid, club, and the cote while the initial ranking is not frozen."""
    row = tournaments.locked(entry.tournament)
    allowed = {"paid", "home_club", "cote", "cote_origin"}
    new = {name: value for name, value in changes.items() if name in allowed}
    stored = _stored(entry)
    new = {name: value for name, value in new.items() if getattr(stored, name) != value}
    if not new:
        return stored
    if "cote" in new:
        _check_cote(new["cote"])
        if row.state != Tournament.State.ENTRIES:
            raise TournamentRefused(
                _("Le classement initial est figé : les cotes ne changent plus."), code="frozen"
            )
    before = {name: getattr(stored, name) for name in new}
    Entry.objects.filter(pk=stored.pk).update(**new)
    stored.refresh_from_db()
    tournaments.note(
        row,
        "tournament_entry_edited",
        by,
        at,
        before={"member": stored.member_id, **before},
        after={"member": stored.member_id, **new},
    )
    return stored


def _check_cote(cote: object) -> None:
    if not isinstance(cote, int) or isinstance(cote, bool) or cote not in COTES:
        raise TournamentRefused(_("Une cote est un nombre entier, de 0 à 4000."), code="bad_cote")


def cote_on(tournament: Tournament, member: Member) -> tuple[int, str]:
    """Return the member's cote in the tournament's list at its date, and its origin.

    Somebody never rated has the number that everybody starts from in that list, else 0.
    """
    rating_list = tournament.rating_list
    if rating_list is None:
        return 0, ""
    day = tournament.rated_on or tournament.held_on
    last = (
        LedgerEntry.objects.in_force()
        .filter(rating_list=rating_list, member=member, held_on__lte=day)
        .in_order()
        .last()
    )
    if last is None:
        system = system_on(rating_list, day)
        return system.shown(system.newcomer()) or 0, ""
    return (0, "") if last.shown_after is None else (int(last.shown_after), "PL")


# Presence


@transaction.atomic
def set_presence(*, entry: Entry, number: int, present: bool, by: Actor, at: datetime) -> Entry:
    """Announce that somebody is absent from one round, or present after all.

    Announced before the round is drawn: they are not paired, and gain nothing (004 §8).
    """
    row = tournaments.locked(entry.tournament)
    stored = _stored(entry)
    _check_own_or_desk(stored, by)
    _check_not_public(row, number, by)
    away = set(stored.away)
    away = away - {number} if present else away | {number}
    if sorted(away) == sorted(stored.away):
        return stored
    Entry.objects.filter(pk=stored.pk).update(away=sorted(away))
    stored.refresh_from_db()
    after = {"member": stored.member_id, "round": number, "present": present}
    tournaments.note(row, "tournament_presence", by, at, after=after)
    return stored


@transaction.atomic
def withdraw(*, entry: Entry, number: int, by: Actor, at: datetime, reason: str = "") -> Entry:
    """Mark a player absent from that round to the end, or until they come back.

    They keep their points (004 §8). Who has left already left then.
    """
    row = tournaments.locked(entry.tournament)
    stored = _stored(entry)
    _check_own_or_desk(stored, by)
    _check_not_public(row, number, by)
    if stored.withdrawn_from is not None and stored.withdrawn_from <= number:
        return stored
    Entry.objects.filter(pk=stored.pk).update(withdrawn_from=number)
    stored.refresh_from_db()
    after = {"member": stored.member_id, "from": number}
    tournaments.note(row, "tournament_withdrawn", by, at, after=after, reason=reason.strip())
    return stored


def current(member: Member) -> QuerySet[Entry]:
    """Return the entries that a departure removes or withdraws."""
    entries = Entry.objects.filter(member=member).select_related("tournament")
    over = (Tournament.State.CLOSED, Tournament.State.CANCELLED)
    return entries.exclude(tournament__state__in=over).order_by("pk")


def lock_current(member: Member, _at: datetime) -> None:
    """Lock the tournaments of these entries, as directors do."""
    own = Tournament.objects.filter(pk__in=current(member).order_by().values("tournament"))
    list(own.order_by("pk").select_for_update(no_key=True).values_list("pk"))


@transaction.atomic
def come_back(*, entry: Entry, number: int, by: Actor, at: datetime) -> Entry:
    """Mark a player present again from that round on, with the same points.

    The rounds missed stay missed. Refused for somebody who has left the club.
    """
    row = _locked_to_enter(entry.tournament, entry.member.current_row)
    stored = _stored(entry)
    _check_own_or_desk(stored, by)
    _check_not_public(row, number, by)
    if stored.withdrawn_from is None:
        raise TournamentRefused(_("Ce joueur n’a pas abandonné."), code="wrong_state")
    away = stored.away_once_back(number)
    Entry.objects.filter(pk=stored.pk).update(withdrawn_from=None, away=away)
    stored.refresh_from_db()
    after = {"member": stored.member_id, "from": number}
    tournaments.note(row, "tournament_returned", by, at, after=after)
    return stored


def _stored(entry: Entry) -> Entry:
    """Return the entry as it is now. Refused where somebody has removed it."""
    stored = Entry.objects.filter(pk=entry.pk).first()
    if stored is None:
        raise _removed()
    return stored


def _removed() -> TournamentRefused:
    return TournamentRefused(_("Cette inscription vient d’être retirée."), code="stale")


def _check_own_or_desk(entry: Entry, by: Actor) -> None:
    if by.role not in DESK and not entry.is_of(by.member):
        raise TournamentRefused(_("Cette inscription n’est pas la vôtre."), code="not_yours")


def _check_not_public(row: Tournament, number: int, by: Actor) -> None:
    if not row.is_open:
        raise TournamentRefused(_("Ce tournoi est terminé."), code="wrong_state")
    if number < 1:
        raise TournamentRefused(_("Choisissez une ronde."), code="no_round")
    if row.rounds.filter(
        number__gte=number, state__in=[Round.State.PUBLISHED, Round.State.CLOSED]
    ).exists():
        words = _("La ronde %(number)s est déjà publiée : adressez-vous à l’arbitre.")
        if by.role in DESK:
            words = _("La ronde %(number)s est déjà publiée : notez un forfait à sa table.")
        raise TournamentRefused(words % {"number": number}, code="published")
