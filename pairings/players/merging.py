"""Merging of a guest with the member they are; no row of the past changes.

Matches, seats, check-ins and rated games keep the guest's row, which stores the member it belongs
to (`merged_into`). Every reader of a ranking, a cote, a list of matches or an absence counts them
for that member. A preview shows the same effect as the merge (docs/decisions/0005).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from itertools import product

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from clubs.accounts.actor import COMMITTEE, Actor, reason_of
from clubs.journal import chain as journal
from clubs.members import actions as members
from clubs.members import merging
from clubs.members.actions import MemberRefused, awaits_guardian, note_revoked, revoke_invitations
from clubs.members.models import Member, RoleGrant
from clubs.notifications.models import PushSubscription
from clubs.organisations.models import Season
from clubs.persons import actions as persons
from clubs.rulebooks.models import RuleBook
from clubs.sanctions.models import Sanction
from pairings.absences import suspensions
from pairings.evenings.models import CheckIn, Evening
from pairings.live import stream as live
from pairings.matches.models import Match, Seat
from pairings.ranking import season
from pairings.rules.match_state import Status
from pairings.tournaments.models import Entry, Tournament
from ratings.ledger import replay, settlement
from ratings.ledger.corrections import merge_member
from ratings.ledger.models import RatingList

Numbers = tuple[int | None, int | None]


UNDER_WAY: Mapping[str, str] = {
    Tournament.State.RUNNING: gettext_noop(
        "%(name)s joue le tournoi « %(tournament)s » : fusionnez les fiches après sa fin."
    ),
    Tournament.State.ENTRIES: gettext_noop(
        "%(name)s a une inscription au tournoi « %(tournament)s » : retirez-la avant de fusionner "
        "les fiches, ou fusionnez-les après la fin du tournoi."
    ),
}
"""Why a guest is not merged now, by the state of the tournament that they are in."""


@dataclass(frozen=True, slots=True)
class Moved:
    """One person's change in a season: rank and PR before → after; None: not in that ranking."""

    member: Member
    rank: Numbers
    pr: Numbers


@dataclass(frozen=True, slots=True)
class Preview:
    """What merging would change. `cotes`: the club list's name → (member, before, after)."""

    seasons: list[tuple[Season, list[Moved]]]
    cotes: list[tuple[RatingList, list[tuple[Member, Numbers]]]]
    matches: int


def has_played(member: Member) -> bool:
    """Return whether this row ever had a seat at a match."""
    return Seat.objects.filter(member=member).exists()


def preview(*, guest: Member, into: Member, at: datetime) -> Preview:
    """Return everybody whose values change: PR and rank in each season, cote in each list.

    Writes nothing.
    """
    check(guest, into, at=at)
    played = Match.objects.involving(guest).exclude(status=Status.CANCELLED)
    of_evenings = played.filter(evening__isnull=False).values("evening__season")
    in_order = Season.objects.filter(pk__in=of_evenings).order_by("-starts_on", "-pk")
    seasons = [(current, _moved(current, {guest.pk: into.pk})) for current in in_order]
    cotes, today = [], at.astimezone(into.organisation.zone).date()
    for rating_list in RatingList.objects.filter(organisation=into.organisation_id).order_by("pk"):
        finals = replay.preview(rating_list, merge_member(guest, into), on=today).finals
        people = Member.objects.in_bulk(list(finals))
        lines = [
            (people[pk], numbers) for pk, numbers in finals.items() if numbers[0] != numbers[1]
        ]
        if lines:
            cotes.append((rating_list, sorted(lines, key=lambda line: line[0].sort_name)))
    return Preview(seasons, cotes, played.count())


def _moved(current: Season, merged: Mapping[int, int]) -> list[Moved]:
    book, day = _rules_of(current)
    now = season.standing(current, book, today=day)
    then = season.standing(current, book, today=day, merged=merged)
    before, after = now.by_member, then.by_member
    rows = []
    for pk, member in {**now.members, **then.members}.items():
        a, b = before.get(pk), after.get(pk)
        rank = (a.rank if a else None, b.rank if b else None)
        pr = (a.values["pr"] if a else None, b.values["pr"] if b else None)
        if rank[0] != rank[1] or pr[0] != pr[1]:
            rows.append(Moved(member, rank, pr))
    return sorted(rows, key=lambda row: (row.rank[1] or 10**6, row.member.pk))


def _rules_of(current: Season) -> tuple[RuleBook | None, date]:
    opened = Evening.objects.filter(season=current).live_then_closed()
    last = opened.select_related("rule_book").first()
    return (last.rule_book, last.held_on) if last else (None, current.ends_on)


@transaction.atomic
def unite(*, guest: Member, into: Member, reason: str, by: Actor, at: datetime) -> None:
    """Merge the guest into the member, in one transaction; raise a refusal where impossible."""
    if by.role != COMMITTEE:
        raise MemberRefused(_("Seul le comité peut fusionner deux fiches."), code="role")
    reason = reason_of(reason, MemberRefused)
    # An invitation's row before a member's, as accepting one does.
    revoked = revoke_invitations(guest, at=at)
    guest, into = merging.lock_both(guest, into)
    check(guest, into, at=at)
    played = has_played(guest)
    if played:
        settlement.lock_lists(into.organisation)
    here = CheckIn.objects.present().filter(member=guest, evening__state__in=Evening.LIVE)
    here.update(state=CheckIn.State.LEFT)
    PushSubscription.objects.filter(member=guest.pk).update(member=into)
    if played:
        settlement.merge_member(member=guest, into=into, by=by, at=at, reason=reason)
        # After the journal, as every decision on a case: one that is over is the member's own now.
        Sanction.objects.filter(member=guest.pk).update(member=into)
    else:
        merging.merge_guest(guest=guest, into=into, by=by, at=at, reason=reason)
        persons.take_over(member=guest, into=into, by=by, at=at)
    _move_account(guest, into, by, at)
    _move_roles(guest, into, by, at)
    note_revoked(revoked, by=by, at=at)
    live.announce(into.organisation, "ranking", at=at)


def _move_account(guest: Member, into: Member, by: Actor, at: datetime) -> None:
    """Move the guest's account, if any, to the member."""
    user = guest.user
    if user is None:
        return
    Member.objects.filter(pk=guest.pk).update(user=None)
    Member.objects.filter(pk=into.pk).update(user=user)
    guest.refresh_from_db()
    journal.note(into, "account_linked", by=by, at=at, before={"member": guest.pk})


def _move_roles(guest: Member, into: Member, by: Actor, at: datetime) -> None:
    """Give the member the guest's roles: the committee may have nobody else."""
    for held in RoleGrant.objects.filter(member=guest, revoked_at=None).order_by("pk"):
        if not RoleGrant.objects.filter(member=into, role=held.role, revoked_at=None).exists():
            members.grant(member=into, role=held.role, by=by, at=at)
        members.withdraw_role(member=guest, role=held.role, by=by, at=at)


def check(guest: Member, into: Member, *, at: datetime) -> None:
    """Refuse a merge of rows that cannot be one person, or that needs something settled first."""
    if guest.organisation_id != into.organisation_id or guest.pk == into.pk:
        raise MemberRefused(_("Choisissez un autre membre du même club."), code="wrong_member")
    if not guest.is_guest or guest.merged_into_id is not None or guest.left_at is not None:
        raise MemberRefused(_("Cet invité est déjà confirmé, fusionné ou parti."), code="stale")
    if into.is_guest or into.merged_into_id is not None or into.left_at is not None:
        raise MemberRefused(_("On fusionne un invité avec un membre du club."), code="wrong_member")
    if guest.user_id is not None and into.user_id is not None:
        raise MemberRefused(
            _("L’invité et le membre ont chacun un compte : ce sont deux personnes."),
            code="two_accounts",
        )
    if guest.user_id is not None and into.awaits_guardian:
        raise awaits_guardian()
    if Match.objects.involving(guest).open().exists():
        raise MemberRefused(
            _("%(name)s joue en ce moment : fusionnez les fiches après la fin de son match.")
            % {"name": guest.full_name},
            code="playing",
        )
    _check_apart(guest, into)
    _check_no_tournament(guest)
    proposed = Sanction.objects.filter(member=guest).open_proposals().exists()
    if proposed or suspensions.has_any(guest, at=at):
        raise MemberRefused(
            _("Une sanction concerne cet invité : classez-la ou levez-la d’abord."),
            code="sanction",
        )


def _check_apart(guest: Member, into: Member) -> None:
    """Refuse rows that were opponents of each other, or at two tables at once."""
    mine, theirs = merging.family_of(guest), merging.family_of(into)
    guest_matches = Match.objects.of_people(mine).exclude(status=Status.CANCELLED)
    others = Match.objects.of_people(theirs).exclude(status=Status.CANCELLED)
    if guest_matches.filter(Q(first__in=theirs) | Q(second__in=theirs)).exists():
        raise MemberRefused(
            _("Ils ont joué l’un contre l’autre : ce sont deux personnes."), code="met"
        )
    together = others.filter(
        Q(pairing_run__in=guest_matches.filter(pairing_run__isnull=False).values("pairing_run"))
        | Q(round__in=guest_matches.filter(round__isnull=False).values("round"))
    )
    if together.exists() or _at_once(guest_matches, others):
        raise MemberRefused(
            _("Ils ont joué en même temps, à deux tables : ce sont deux personnes."),
            code="at_once",
        )
    if Entry.objects.filter(
        member__in=mine, tournament__in=Entry.objects.filter(member__in=theirs).values("tournament")
    ).exists():
        raise MemberRefused(
            _("Ils sont inscrits au même tournoi : ce sont deux personnes."), code="same_tournament"
        )


def _check_no_tournament(guest: Member) -> None:
    """Refuse while the guest is in a tournament: its rounds to come would be the old row's.

    Nobody could then enter or confirm a result of them on a phone.
    """
    entries = Entry.objects.filter(member=guest).select_related("tournament").order_by("pk")
    for state, text in UNDER_WAY.items():
        entry = entries.filter(tournament__state=state).first()
        if entry is not None:
            words = {"name": guest.full_name, "tournament": entry.tournament.name}
            raise MemberRefused(_(text) % words, code="in_tournament")


def _at_once(own: QuerySet[Match], others: QuerySet[Match]) -> bool:
    """Return whether a match of one began before a match of the other ended, in any room.

    A match still open has not ended; a bye has no table. Rounds may last for days: only evenings count.
    """
    times = [
        matches.filter(evening__isnull=False, second__isnull=False).values_list(
            "proposed_at", "ended_at"
        )
        for matches in (own, others)
    ]
    return any(
        (until is None or start < until) and (end is None or since < end)
        for (start, end), (since, until) in product(*times)
    )
