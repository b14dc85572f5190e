"""Tied groups, and the committee's decisions to ignore the PDI for one of them (002 II.B.1).

"Si l'incomplétude risque de fausser le classement, le comité pourra décider d'ignorer le PDI en
faveur des autres critères." A decision is a separate action in the journal, with a date and a
reason; it is not a number of the rule book, and it applies to exactly these players in this season.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from clubs.accounts.actor import COMMITTEE, Actor, Refused, reason_of
from clubs.journal import chain as journal
from clubs.members import merging
from clubs.members.models import Member
from clubs.organisations.models import Season
from clubs.rulebooks import actions as rulebooks
from clubs.rulebooks.models import RuleBook
from pairings.live import stream as live
from pairings.ranking import season
from pairings.ranking.models import PdiWaiver
from pairings.rules.scoring import Number
from pairings.rules.tiebreaks import RankedPlayer

KEY_SIGN = "-"


class TieRefused(Refused):
    """Refusal of a decision on a tied group, in words the reader may see."""


@dataclass(frozen=True, slots=True)
class Group:
    """Players level on PR of whom the PDI parts at least two, in the order of the ranking.

    `whole`: everybody of that PR total; otherwise the sub-group that has played each other.
    """

    key: str
    members: Sequence[Member]
    whole: bool
    pr: Number
    lines: Sequence[RankedPlayer]


def key_of(members: Collection[int]) -> str:
    """Return the key of a group in addresses and in the database."""
    return KEY_SIGN.join(str(pk) for pk in sorted(members))


def groups(current: Season, rule_book: RuleBook | None, *, at: datetime) -> list[Group]:
    """Return the groups for which the committee may ignore the PDI, best first."""
    today = at.astimezone(current.organisation.zone).date()
    now = season.standing(current, rule_book, today=today)
    rules = season.pairing_rules(rule_book, season.waived_groups(current), season=current)
    entrants = season.entrants_of(now.members.values())
    places = {int(str(line.player)): place for place, line in enumerate(now.lines)}
    tied_groups = []
    used = rules.pdi_groups(entrants, now.records, today=today.toordinal())
    for players, whole in used:
        ids = sorted((int(str(player)) for player in players), key=places.__getitem__)
        lines = [now.lines[places[pk]] for pk in ids]
        members = [now.members[pk] for pk in ids]
        tied_groups.append(Group(key_of(ids), members, whole, lines[0].values["pr"], lines))
    return sorted(tied_groups, key=lambda group: (places[group.members[0].pk], not group.whole))


def effect(
    current: Season, rule_book: RuleBook | None, group: Group, *, at: datetime
) -> list[tuple[Member, int, int]]:
    """Return who changes place if the PDI of this group is ignored.

    Each as (member, rank before, rank after).
    """
    today = at.astimezone(current.organisation.zone).date()
    now = season.standing(current, rule_book, today=today)
    waived = [*season.waived_groups(current), tuple(member.pk for member in group.members)]
    then = season.standing(current, rule_book, today=today, waived=waived)
    after = then.places
    return [
        (now.members[pk], rank, after[pk])
        for pk, rank in now.places.items()
        if any(member.pk == pk for member in group.members) or after[pk] != rank
    ]


@transaction.atomic
def ignore_pdi(*, group: Group, current: Season, reason: str, by: Actor, at: datetime) -> PdiWaiver:
    """Ignore the PDI for this group, by the committee's decision.

    The later criteria part it (002 II.B.1).
    """
    reason = _reason_of(reason, by)
    book = rulebooks.in_force(current.organisation, rulebooks.LADDER, at)
    ids = sorted(member.pk for member in group.members)
    try:
        with transaction.atomic():
            waiver = PdiWaiver.objects.create(
                season=current,
                group=ids,
                key=key_of(ids),
                reason=reason,
                decided_at=at,
                decided_by=by.user,
            )
    except IntegrityError as clash:
        raise TieRefused(
            _("Le PDI de ce groupe est déjà ignoré. Rechargez la page."), code="stale"
        ) from clash
    journal.record(
        organisation=current.organisation,
        verb="pdi_ignored",
        subject=f"pdi_waiver:{waiver.pk}",
        by=by,
        at=at,
        after={"season": current.pk, "members": ids},
        reason=reason,
        rule_book=book,
    )
    live.announce(current.organisation, "ranking", at=at)
    return waiver


@transaction.atomic
def restore_pdi(*, waiver: PdiWaiver, reason: str, by: Actor, at: datetime) -> None:
    """End a decision; it stays readable."""
    reason = _reason_of(reason, by)
    moved = PdiWaiver.objects.filter(pk=waiver.pk, withdrawn_at__isnull=True).update(
        withdrawn_at=at, withdrawn_by=by.user, withdrawn_reason=reason
    )
    if not moved:
        raise TieRefused(_("Cette décision ne tient déjà plus. Rechargez la page."), code="stale")
    waiver.refresh_from_db()
    organisation = waiver.season.organisation
    journal.record(
        organisation=organisation,
        verb="pdi_restored",
        subject=f"pdi_waiver:{waiver.pk}",
        by=by,
        at=at,
        before={"season": waiver.season_id, "members": waiver.group},
        reason=reason,
    )
    live.announce(organisation, "ranking", at=at)


def _reason_of(reason: str, by: Actor) -> str:
    if by.role != COMMITTEE:
        raise TieRefused(_("Seul le comité peut décider d’ignorer le PDI."), code="role")
    return reason_of(reason, TieRefused)


@dataclass(frozen=True, slots=True)
class Note:
    """One decision as the rules and the page of ties print it."""

    names: Sequence[str]
    waiver: PdiWaiver


def notes(current: Season, *, viewer_is_member: bool, all_of_them: bool = False) -> list[Note]:
    """Return the decisions in force in a season, oldest first, with the names this reader may see.

    `all_of_them`: also those that have ended.
    """
    decided = PdiWaiver.objects.filter(season=current)
    waivers = list((decided if all_of_them else decided.in_force()).order_by("decided_at", "pk"))
    people = merging.same_people(current.organisation_id) if waivers else {}
    groups = [waiver.members_in(people) for waiver in waivers]
    ids = {pk for group in groups for pk in group}
    members: Mapping[int, Member] = Member.objects.in_bulk(ids) if ids else {}
    return [
        Note(
            [
                members[pk].name_for(viewer_is_member=viewer_is_member)
                for pk in group
                if pk in members
            ],
            waiver,
        )
        for waiver, group in zip(waivers, groups, strict=True)
    ]
