"""Verbs about absences: excuse, review, and what the count proposes to the committee."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal

from django.db import transaction
from django.utils.translation import gettext as _

from clubs import journal, members, rulebook, sanctions
from clubs.actor import Actor, Refused
from clubs.models import Member, Organisation, RuleBook, Sanction, Season
from pairings import absence_policy, live, posting, season
from pairings.absence_policy import Dot
from pairings.models import Absence, Evening, Match
from pairings.scoring import MatchRecord
from ratings import ledger


class AbsenceRefused(Refused):
    """An act on an absence that may not happen."""


@transaction.atomic
def excuse(*, absence: Absence, words: str, by: Actor, at: datetime) -> Absence:
    """The member says why, once, before an arbiter has answered."""
    own = by.member is not None and absence.member_id in members.family_of(by.member)
    if not own:
        raise AbsenceRefused(_("Cette absence n’est pas la vôtre."), code="not_yours")
    if not words.strip():
        raise AbsenceRefused(_("Dites pourquoi, en une phrase."), code="reason_required")
    moved = Absence.objects.filter(
        pk=absence.pk, reviewed_at__isnull=True, withdrawn_at__isnull=True
    ).update(excuse=words.strip(), excuse_at=at)
    if not moved:
        raise AbsenceRefused(_("Un arbitre a déjà répondu pour cette absence."), code="stale")
    absence.refresh_from_db()
    _note(absence, "absence_excused", by, at, words.strip())
    return absence


@transaction.atomic
def review(*, absence: Absence, justified: bool, reason: str, by: Actor, at: datetime) -> Absence:
    """An arbiter says justified or not, and why. Not for himself, not in his own match."""
    if not reason.strip():
        raise AbsenceRefused(_("Le motif est obligatoire."), code="reason_required")
    if absence.match.seats(by.member):
        raise AbsenceRefused(
            _("Vous jouez ce match : un autre arbitre doit s’en charger."), code="own_match"
        )
    moved = Absence.objects.filter(pk=absence.pk, withdrawn_at__isnull=True).update(
        justified=justified, reviewed_at=at, reviewed_by=by.user, review_reason=reason.strip()
    )
    if not moved:
        raise AbsenceRefused(_("Cette absence a été retirée. Rechargez la page."), code="stale")
    absence.refresh_from_db()
    _note(absence, "absence_reviewed", by, at, reason.strip())
    evening = absence.match.evening
    if evening is not None:
        apply_policy(evening.season, evening.rule_book, by=by, at=at)
    return absence


def apply_policy(
    current: Season, rule_book: RuleBook | None, *, by: Actor, at: datetime
) -> list[Sanction]:
    """Propose what the season's absences call for. A proposal is made once for its absence."""
    found = absence_policy.review(records_of(current), season.pairing_rules(rule_book))
    people = Member.objects.in_bulk([int(str(p.player)) for p in found.proposals])
    return [
        sanctions.propose(
            member=people[int(str(proposal.player))],
            trigger_key=f"match:{proposal.window[-1].key}",
            grounds=proposal.to_json(),
            by=Actor.system(by.origin),
            at=at,
        )
        for proposal in found.proposals
    ]


def apply_policy_to_all(organisation: Organisation, *, at: datetime) -> None:
    """The daily look, for a season whose absences were noted while nobody looked."""
    evening = (
        Evening.objects.of(organisation)
        .exclude(state=Evening.PLANNED)
        .select_related("season", "rule_book")
        .order_by("-held_on", "-pk")
        .first()
    )
    if evening is not None:
        apply_policy(evening.season, evening.rule_book, by=Actor.system(), at=at)


def records_of(current: Season) -> list[MatchRecord]:
    """The season's records with what arbiters said of each absence.

    In a double absence where only one excuse was accepted, the other alone is absent here.
    """
    excused = excused_in(current)
    return [_with_excuses(record, excused) for record in season.records_of(current)]


def excused_in(current: Season) -> Mapping[int, set[int]]:
    """Match id → members whose absence was justified, each under the row that stands for him."""
    people = members.same_people(current.organisation_id)
    rows = Absence.objects.filter(
        match__evening__season=current, withdrawn_at__isnull=True, justified=True
    ).values_list("match_id", "member_id")
    found: dict[int, set[int]] = {}
    for match_id, member_id in rows:
        found.setdefault(match_id, set()).add(people.get(member_id, member_id))
    return found


def _with_excuses(record: MatchRecord, excused: Mapping[int, set[int]]) -> MatchRecord:
    away = record.absentees()
    if not away:
        return record
    justified = [pid for pid in away if pid in excused.get(int(record.key), set())]
    if len(away) == 2 and len(justified) == 1:
        other = "b" if justified[0] == record.first else "a"
        return record._replace(absent=other, justified=False)
    return record._replace(justified=len(justified) == len(away))


def strip_of(member: Member, current: Season, rule_book: RuleBook | None) -> tuple[Dot, ...]:
    """The ten dots: this member's last assigned matches, oldest first."""
    found = absence_policy.review(records_of(current), season.pairing_rules(rule_book))
    return found.strips.get(member.pk, ())


@transaction.atomic
def impose(
    *,
    sanction: Sanction,
    reason: str,
    by: Actor,
    at: datetime,
    sessions: int = 0,
    cut_percent: Decimal | None = None,
) -> Sanction:
    """The committee's decision: a suspension over the next `sessions` evenings' dates, a cut as a
    ledger event of its own, both or neither (a warning). One transaction."""
    Member.objects.select_for_update().get(pk=sanction.member_id)
    organisation = sanction.member.organisation
    today = at.astimezone(organisation.zone).date()
    until = _suspension_end(organisation, today, sessions) if sessions else None
    decided = sanctions.impose(
        sanction=sanction,
        reason=reason,
        by=by,
        at=at,
        suspended_from=today if until else None,
        suspended_until=until,
        cut_percent=cut_percent,
    )
    if cut_percent is not None:
        ledger.adjust(
            rating_list=ledger.list_of(organisation, posting.SYSTEM),
            member=sanction.member,
            percent=str(cut_percent),
            floor=cut_floor(organisation, at),
            key=f"sanction:{sanction.pk}",
            label=_("Sanction"),
            held_on=today,
            reason=reason,
            by=by,
            at=at,
        )
    live.announce(organisation, "sanction", at=at, sanction=sanction.pk)
    return decided


def cut_floor(organisation: Organisation, at: datetime) -> int | None:
    """The floor of a cut decided now, where the committee gave it one of its own."""
    return season.pairing_rules(rulebook.in_force(organisation, posting.SYSTEM, at)).rating_floor


@transaction.atomic
def lift(*, sanction: Sanction, reason: str, by: Actor, at: datetime) -> Sanction:
    """End a sanction (an appeal accepted). Its cut is undone and what came after is replayed."""
    Member.objects.select_for_update().get(pk=sanction.member_id)
    organisation = sanction.member.organisation
    lifted = sanctions.lift(sanction=sanction, reason=reason, by=by, at=at)
    if lifted.cut_percent is not None:
        ledger.undo_adjustment(
            rating_list=ledger.list_of(organisation, posting.SYSTEM),
            key=f"sanction:{sanction.pk}",
            reason=reason,
            by=by,
            at=at,
        )
    live.announce(organisation, "sanction", at=at, sanction=sanction.pk)
    return lifted


def _suspension_end(organisation: Organisation, today: date, sessions: int) -> date:
    """The day of the n-th evening announced from today; weekly steps where none is announced."""
    days = list(
        Evening.objects.of(organisation)
        .filter(held_on__gte=today)
        .exclude(state__in=[Evening.CLOSED, Evening.CANCELLED])
        .order_by("held_on", "pk")
        .values_list("held_on", flat=True)[:sessions]
    )
    last = days[-1] if days else today
    return last + timedelta(days=7 * (sessions - len(days)))


def _note(absence: Absence, verb: str, by: Actor, at: datetime, reason: str) -> None:
    match: Match = absence.match
    journal.record(
        organisation=match.organisation,
        verb=verb,
        subject=f"match:{match.pk}",
        by=by,
        at=at,
        after={"absence": absence.pk, "justified": absence.justified},
        reason=reason,
    )
    live.announce(match.organisation, "absence", at=at, match=match.pk, evening=match.evening_id)


def to_review(organisation: Organisation) -> Iterable[Absence]:
    """Excuses that wait for an arbiter."""
    return (
        Absence.objects.of(organisation)
        .to_review()
        .select_related("member", "match__evening", "match__first", "match__second")
        .order_by("excuse_at", "pk")
    )
