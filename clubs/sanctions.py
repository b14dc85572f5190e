"""Sanctions: proposed, imposed, dismissed, appealed, lifted. Never automatic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from clubs import journal
from clubs.actor import Actor, Refused
from clubs.models import Member, Sanction

APPEAL_DAYS = 7


class SanctionRefused(Refused):
    """A decision that may not be taken."""


@transaction.atomic
def propose(
    *, member: Member, trigger_key: str, grounds: Mapping[str, Any], by: Actor, at: datetime
) -> Sanction:
    """Put a case before the committee. The same trigger proposes once."""
    sanction, created = Sanction.objects.get_or_create(
        member=member,
        trigger_key=trigger_key,
        defaults={"grounds": dict(grounds), "proposed_at": at},
    )
    if created:
        journal.record(
            organisation=member.organisation,
            verb="sanction_proposed",
            subject=f"sanction:{sanction.pk}",
            by=by,
            at=at,
            after={"member": member.pk, "grounds": dict(grounds)},
        )
    return sanction


@transaction.atomic
def impose(
    *,
    sanction: Sanction,
    reason: str,
    by: Actor,
    at: datetime,
    suspended_from: date | None = None,
    suspended_until: date | None = None,
    cut_percent: Decimal | None = None,
) -> Sanction:
    """The committee decides: a suspension with an end, a cut, both, or a warning alone.

    Nobody decides on his own case. The cut itself is an entry of the ledger, written by the
    caller in the same transaction (this app knows no cote).
    """
    _check(sanction, reason, by)
    if suspended_from and (suspended_until is None or suspended_until < suspended_from):
        raise SanctionRefused(_("La suspension doit avoir une fin, après son début."), code="dates")
    if cut_percent is not None and not 0 < cut_percent < 100:
        raise SanctionRefused(_("La réduction est entre 0 et 100 %."), code="percent")
    return _decide(
        sanction,
        Sanction.IMPOSED,
        reason,
        by,
        at,
        suspended_from=suspended_from,
        suspended_until=suspended_until,
        cut_percent=cut_percent,
        appeal_until=at + timedelta(days=APPEAL_DAYS),
    )


@transaction.atomic
def dismiss(*, sanction: Sanction, reason: str, by: Actor, at: datetime) -> Sanction:
    """The committee lets it be; the count restarts."""
    _check(sanction, reason, by)
    return _decide(sanction, Sanction.DISMISSED, reason, by, at)


@transaction.atomic
def appeal(*, sanction: Sanction, text: str, by: Actor, at: datetime) -> Sanction:
    """The member answers, within seven days of the decision, once."""
    if by.member is None or by.member.pk != sanction.member_id:
        raise SanctionRefused(_("Seule la personne concernée fait appel."), code="not_yours")
    if not text.strip():
        raise SanctionRefused(_("Écrivez les raisons de votre appel."), code="reason_required")
    if sanction.appeal_until is None or at > sanction.appeal_until:
        raise SanctionRefused(_("Le délai d’appel de 7 jours est passé."), code="too_late")
    moved = Sanction.objects.filter(
        pk=sanction.pk, status=Sanction.IMPOSED, appealed_at__isnull=True
    ).update(appealed_at=at, appeal_text=text.strip())
    if not moved:
        raise SanctionRefused(_("Votre appel est déjà enregistré."), code="stale")
    sanction.refresh_from_db()
    _note(sanction, "sanction_appealed", by, at, text.strip())
    return sanction


@transaction.atomic
def lift(*, sanction: Sanction, reason: str, by: Actor, at: datetime) -> Sanction:
    """End a sanction early (an appeal accepted, an absence corrected)."""
    if not reason.strip():
        raise SanctionRefused(_("Le motif est obligatoire."), code="reason_required")
    if by.member is not None and by.member.pk == sanction.member_id:
        raise SanctionRefused(_("Vous ne décidez pas de votre propre cas."), code="own_case")
    moved = Sanction.objects.filter(pk=sanction.pk, status=Sanction.IMPOSED).update(
        status=Sanction.LIFTED, lifted_at=at, appeal_answer=reason.strip()
    )
    if not moved:
        raise SanctionRefused(_("Cette sanction n’est plus en cours."), code="stale")
    sanction.refresh_from_db()
    _note(sanction, "sanction_lifted", by, at, reason.strip())
    return sanction


@transaction.atomic
def refuse_appeal(*, sanction: Sanction, reason: str, by: Actor, at: datetime) -> Sanction:
    """The committee keeps its decision, and says why."""
    if not reason.strip():
        raise SanctionRefused(_("Le motif est obligatoire."), code="reason_required")
    if by.member is not None and by.member.pk == sanction.member_id:
        raise SanctionRefused(_("Vous ne décidez pas de votre propre cas."), code="own_case")
    moved = Sanction.objects.filter(
        pk=sanction.pk, status=Sanction.IMPOSED, appealed_at__isnull=False, appeal_answer=""
    ).update(appeal_answer=reason.strip())
    if not moved:
        raise SanctionRefused(_("Cet appel a déjà une réponse."), code="stale")
    sanction.refresh_from_db()
    _note(sanction, "appeal_refused", by, at, reason.strip())
    return sanction


def suspension_of(member: Member, *, on: date) -> Sanction | None:
    """The suspension that keeps this member from being paired that day."""
    return (
        Sanction.objects.suspending(on=on)
        .filter(member=member)
        .order_by("-suspended_until", "pk")
        .first()
    )


def suspensions_of(members: Iterable[int], *, on: date) -> dict[int, Sanction]:
    """The suspension of each of these member ids that has one that day. One query."""
    found = Sanction.objects.suspending(on=on).filter(member_id__in=list(members))
    return {row.member_id: row for row in found.order_by("suspended_until", "pk")}


def is_suspended(member: Member, *, on: date) -> bool:
    return suspension_of(member, on=on) is not None


def suspended_ids(members: Iterable[int], *, on: date) -> set[int]:
    """Which of these member ids may not be paired that day."""
    return set(
        Sanction.objects.suspending(on=on)
        .filter(member_id__in=list(members))
        .values_list("member_id", flat=True)
    )


def _check(sanction: Sanction, reason: str, by: Actor) -> None:
    if not reason.strip():
        raise SanctionRefused(_("Le motif est obligatoire."), code="reason_required")
    if by.member is not None and by.member.pk == sanction.member_id:
        raise SanctionRefused(_("Vous ne décidez pas de votre propre cas."), code="own_case")


def _decide(
    sanction: Sanction, status: str, reason: str, by: Actor, at: datetime, **changes: Any
) -> Sanction:
    moved = Sanction.objects.filter(pk=sanction.pk, status=Sanction.PROPOSED).update(
        status=status, reason=reason.strip(), decided_at=at, decided_by=by.user, **changes
    )
    if not moved:
        raise SanctionRefused(
            _("Cette proposition vient d’être traitée. Rechargez la page."), code="stale"
        )
    sanction.refresh_from_db()
    _note(sanction, f"sanction_{status}", by, at, reason.strip())
    return sanction


def _note(sanction: Sanction, verb: str, by: Actor, at: datetime, reason: str) -> None:
    journal.record(
        organisation=sanction.member.organisation,
        verb=verb,
        subject=f"sanction:{sanction.pk}",
        by=by,
        at=at,
        after={
            "status": sanction.status,
            "suspended_from": sanction.suspended_from,
            "suspended_until": sanction.suspended_until,
            "cut_percent": sanction.cut_percent,
        },
        reason=reason,
    )
