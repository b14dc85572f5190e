"""Actions on absences: excuse, review, and the sanctions proposed to the committee."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from decimal import Decimal

from django.db import transaction
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor, Refused, reason_of
from clubs.journal import chain as journal
from clubs.members import merging
from clubs.members.models import Member
from clubs.organisations.models import Organisation, Season
from clubs.rulebooks import actions as rulebooks
from clubs.rulebooks.models import RuleBook
from clubs.sanctions import actions as sanctions
from clubs.sanctions.models import Sanction
from pairings.absences.models import TRIGGER, Absence
from pairings.evenings.models import CheckIn, Evening
from pairings.live import stream as live
from pairings.matches.competition import evening_of
from pairings.matches.messages import emails
from pairings.matches.models import Match
from pairings.matches.reasons import RECALCULATED
from pairings.ranking import season
from pairings.rules import absence_policy
from pairings.rules.absence_policy import Dot
from ratings.ledger import origins, settlement
from ratings.ledger.replay import Difference


class AbsenceRefused(Refused):
    """Refusal of an action on an absence."""


@transaction.atomic
def excuse(*, absence: Absence, words: str, by: Actor, at: datetime) -> Absence:
    """Store the member's excuse, or put another in its place, until an arbiter has answered."""
    is_own = by.member is not None and absence.member_id in merging.family_of(by.member)
    if not is_own:
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
def review(
    *,
    absence: Absence,
    justified: bool,
    reason: str,
    seen: str,
    by: Actor,
    at: datetime,
) -> Absence:
    """Store an arbiter's answer (justified or not) with its reason.

    `seen`: the `version` that the arbiter read: a newer excuse is not answered unread, a newer
    answer not overwritten. Refused for an arbiter's own absence or match.
    """
    reason = reason_of(reason, AbsenceRefused)
    if absence.match.seats(by.member):
        raise AbsenceRefused(
            _("Vous jouez ce match : un autre arbitre doit s’en charger."), code="own_match"
        )
    absence.refresh_from_db(from_queryset=Absence.objects.select_for_update(no_key=True))
    if absence.withdrawn_at is not None:
        raise AbsenceRefused(_("Cette absence a été retirée. Rechargez la page."), code="stale")
    if absence.version != seen:
        raise AbsenceRefused(
            _("Cette absence a changé depuis que vous l’avez lue. Relisez-la avant d’agir."),
            code="stale",
        )
    absence.justified, absence.review_reason = justified, reason
    absence.reviewed_at, absence.reviewed_by = at, by.user
    absence.save(update_fields=["justified", "review_reason", "reviewed_at", "reviewed_by"])
    _note(absence, "absence_reviewed", by, at, reason)
    apply_policy(evening_of(absence.match).season, by=by, at=at)
    return absence


def set_justified(match: Match) -> None:
    """Align the absences of this match with a correction that justifies them differently."""
    Absence.objects.filter(match=match, withdrawn_at__isnull=True).update(justified=match.justified)


@transaction.atomic
def apply_policy(current: Season, *, by: Actor, at: datetime) -> list[Sanction]:
    """Update the season's sanction proposals from its current absences.

    A new case is proposed once for the absence that caused it. A proposal whose case no longer
    exists is withdrawn; an imposed sanction stays in force and is flagged for the committee, who
    lift it or keep it.
    """
    review = reviewed(current)
    cases = {(int(str(p.player)), f"{TRIGGER}{p.window[-1].key}"): p for p in review.proposals}
    system = Actor.system(by.origin)
    _check_open_cases(current, cases.keys(), by=system, at=at)
    people = Member.objects.in_bulk([player for player, _trigger in cases])
    return [
        sanctions.propose(
            member=people[player],
            trigger_key=trigger,
            grounds=proposal.to_json(),
            by=system,
            at=at,
        )
        for (player, trigger), proposal in cases.items()
    ]


def _check_open_cases(
    current: Season, cases: Collection[tuple[int, str]], *, by: Actor, at: datetime
) -> None:
    """Withdraw or flag cases that the season's absences no longer justify, and send notices.

    The rows are locked, so a concurrent decision is applied entirely before or after. They come
    after the journal here: a match with an absence has written its entry (decision 0046).
    """
    journal.lock([current.organisation_id])
    rows = (
        Sanction.objects.select_for_update(no_key=True, of=("self",))
        .filter(
            member__organisation=current.organisation_id,
            status__in=[Sanction.Status.PROPOSED, Sanction.Status.IMPOSED],
            trigger_key__in=Absence.objects.filter(match__evening__season=current)
            .with_trigger()
            .values("trigger"),
        )
        .select_related("member__organisation", "member__user")
        .order_by("pk")
    )
    people = merging.same_people(current.organisation_id) if rows else {}
    for row in rows:
        holds = (people.get(row.member_id, row.member_id), row.trigger_key) in cases
        if row.status == Sanction.Status.PROPOSED and not holds:
            changed = sanctions.withdraw(sanction=row, by=by, at=at)
        else:
            changed = row.status == Sanction.Status.IMPOSED and sanctions.note_grounds(
                sanction=row, hold=holds, by=by, at=at
            )
        if changed:
            _announce(row.member.organisation, at)
            if not holds and by.origin not in emails.QUIET:
                emails.tell_grounds_gone(row)


def reviewed(current: Season, rule_book: RuleBook | None = None) -> absence_policy.Absences:
    """Return the season's absences, each judged by the rule version of its own match."""
    away = Match.objects.filter(evening__season=current).exclude(absent="")
    versions = dict(away.values_list("pk", "rule_book_id"))
    books = RuleBook.objects.in_bulk({pk for pk in versions.values() if pk is not None})
    return absence_policy.review(
        season.records_of(current),
        season.pairing_rules(rule_book),
        {str(pk): season.pairing_rules(books.get(book or 0)) for pk, book in versions.items()},
        excused=excused_in(current),
    )


def apply_policy_to_all(organisation: Organisation, *, at: datetime) -> None:
    """Apply the absence policy to the running season.

    Called daily, for absences noted since the last review.
    """
    evening = season.evening_shown(organisation)
    if evening is not None:
        apply_policy(evening.season, by=Actor.system(), at=at)


def excused_in(current: Season) -> Mapping[str, set[int]]:
    """Return key of a match → members with a justified absence, each under their row after merges."""
    people = merging.same_people(current.organisation_id)
    rows = Absence.objects.filter(
        match__evening__season=current, withdrawn_at__isnull=True, justified=True
    ).values_list("match_id", "member_id")
    absentees: dict[str, set[int]] = {}
    for match_id, member_id in rows:
        absentees.setdefault(str(match_id), set()).add(people.get(member_id, member_id))
    return absentees


def strip_of(
    member: Member, current: Season, rule_book: RuleBook | None
) -> tuple[tuple[Dot, ...], bool]:
    """Return this member's last assigned matches as dots (at most ten), oldest first.

    And whether they only go back to a proposal, after which the count begins again.
    """
    review = reviewed(current, rule_book)
    dots = review.strips.get(member.pk, ())
    has_case = any(proposal.player == member.pk for proposal in review.proposals)
    return dots, has_case and len(dots) < season.pairing_rules(rule_book).absence_window


def impose(
    *,
    sanction: Sanction,
    reason: str,
    by: Actor,
    at: datetime,
    sessions: int = 0,
    from_tonight: bool = False,
    cut_percent: Decimal | None = None,
) -> Sanction:
    """Impose the committee's decision on a proposal.

    It is a suspension over the next `sessions` evenings, a cut of the cote as its own ledger event,
    both, or neither (a warning).

    The absences are checked again first: a proposal they no longer justify is withdrawn, and the
    withdrawal is kept although the decision is refused. `from_tonight` also ends the running
    evening for the member; that evening is not counted.
    """
    current = _season_of(sanction)
    if sanction.status == Sanction.Status.PROPOSED and current is not None:
        apply_policy(current, by=by, at=at)
    with transaction.atomic():
        Member.objects.select_for_update(no_key=True).get(pk=sanction.member_id)
        organisation = sanction.member.organisation
        rules = season.rules_at(organisation, at)
        if cut_percent is not None:
            settlement.lock_early(settlement.list_of(organisation, rulebooks.LADDER))
        if from_tonight and sessions:
            # After the list and before the journal, as closing the evening does.
            CheckIn.objects.filter(
                evening__in=Evening.objects.of(organisation).live(),
                member=sanction.member_id,
                state=CheckIn.State.WAITING,
            ).update(state=CheckIn.State.LEFT)
        decided = sanctions.impose(
            sanction=sanction,
            reason=reason,
            by=by,
            at=at,
            appeal_days=rules.appeal_days,
            evenings=sessions,
            from_tonight=from_tonight,
            cut_percent=cut_percent,
        )
        if cut_percent is not None:
            settlement.adjust(
                rating_list=settlement.list_of(organisation, rulebooks.LADDER),
                member=sanction.member,
                percent=str(cut_percent),
                floor=rules.rating_floor,
                origin=origins.sanction(sanction.pk),
                label="Sanction",  # pages print `Period.title`
                held_on=at.astimezone(organisation.zone).date(),
                reason=reason,
                by=by,
                at=at,
            )
        _announce(organisation, at)
    return decided


def _season_of(sanction: Sanction) -> Season | None:
    """Return the season of the absence that caused the proposal."""
    absences = Absence.objects.filter(member__organisation=sanction.member.organisation_id)
    absence = (
        absences.with_trigger()
        .filter(trigger=sanction.trigger_key)
        .select_related("match__evening__season")
        .first()
    )
    return evening_of(absence.match).season if absence is not None else None


@transaction.atomic
def lift(
    *,
    sanction: Sanction,
    reason: str,
    by: Actor,
    at: datetime,
    give_back: bool = False,
    seen: int | None = None,
) -> Sanction:
    """End a sanction from this moment: appeal accepted, or its grounds are gone.

    `give_back`: undo its cut too and replay later periods, whose changes everybody reads: they do not
    hold the reason. `seen`: version of the preview that was read (`cut_given_back`).
    """
    Member.objects.select_for_update(no_key=True).get(pk=sanction.member_id)
    organisation = sanction.member.organisation
    if give_back:
        settlement.lock_early(settlement.list_of(organisation, rulebooks.LADDER))
    lifted = sanctions.lift(sanction=sanction, reason=reason, by=by, at=at)
    if give_back and lifted.cut_percent is not None:
        settlement.undo_adjustment(
            rating_list=settlement.list_of(organisation, rulebooks.LADDER),
            origin=origins.sanction(sanction.pk),
            reason=RECALCULATED,
            by=by,
            at=at,
            seen=seen,
        )
    _announce(organisation, at)
    return lifted


def _announce(organisation: Organisation, at: datetime) -> None:
    """Announce a decision as any change of the ranking: not all who hear the stream may read of it."""
    live.announce(organisation, "ranking", at=at)


def cuts_undone(sanctions: Iterable[Sanction]) -> set[int]:
    """Return the ids of those that were lifted and whose cut was given back."""
    lifted = {case.pk for case in sanctions if case.lifted_at and case.cut_percent is not None}
    if not lifted:
        return set()
    return lifted - settlement.counted_adjustments(origins.sanction(pk) for pk in sorted(lifted))


def cut_given_back(sanction: Sanction, *, at: datetime) -> Difference | None:
    """Return what undoing the cut would change. None without a cut, or once it was undone."""
    if sanction.cut_percent is None:
        return None
    rating_list = settlement.list_of(sanction.member.organisation, rulebooks.LADDER)
    origin, on = origins.sanction(sanction.pk), at.astimezone(rating_list.organisation.zone).date()
    return settlement.preview_undo(rating_list=rating_list, origin=origin, on=on)


def _note(absence: Absence, verb: str, by: Actor, at: datetime, reason: str) -> None:
    match: Match = absence.match
    journal.note(
        match,
        verb,
        by=by,
        at=at,
        after={"absence": absence.pk, "justified": absence.justified},
        reason=reason,
    )
    live.announce(match.organisation, "absence", at=at, match=match.pk, evening=match.evening_id)


def to_review(organisation: Organisation) -> Iterable[Absence]:
    """Return the excuses pending an arbiter's answer."""
    return (
        Absence.objects.of(organisation)
        .to_review()
        .select_related("member", "match__evening", "match__first", "match__second")
        .order_by("excuse_at", "pk")
    )
