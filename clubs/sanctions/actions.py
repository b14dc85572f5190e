"""Sanctions: proposed, imposed, dismissed, appealed, lifted. Never automatic."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from clubs.accounts.actor import Actor, Refused, reason_of
from clubs.journal import chain as journal
from clubs.members.models import Member
from clubs.sanctions.models import Sanction

# Stored as it stands, shown in the reader's language (`clubs.registries.SITE_REASONS`).
GROUNDS_CHANGED = gettext_noop("Les absences qui fondaient cette proposition ont changé.")


class SanctionRefused(Refused):
    """A decision that may not be taken."""


@transaction.atomic
def propose(
    *, member: Member, trigger_key: str, grounds: Mapping[str, object], by: Actor, at: datetime
) -> Sanction:
    """Propose a case to the committee. The same trigger proposes once.

    A withdrawn case is proposed again: the absences that withdrew it have been corrected. One still
    open depends on the matches as they are now.
    """
    sanction, created = Sanction.objects.get_or_create(
        member=member,
        trigger_key=trigger_key,
        defaults={"grounds": dict(grounds), "proposed_at": at},
    )
    if not created and sanction.grounds != dict(grounds):
        Sanction.objects.filter(pk=sanction.pk, status=Sanction.Status.PROPOSED).update(
            grounds=dict(grounds)
        )
    again = Sanction.objects.filter(pk=sanction.pk, status=Sanction.Status.WITHDRAWN).update(
        status=Sanction.Status.PROPOSED,
        reason="",
        decided_at=None,
        proposed_at=at,
        grounds=dict(grounds),
    )
    if not created:
        sanction.refresh_from_db()
    if created or again:
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
    appeal_days: int,
    evenings: int = 0,
    from_tonight: bool = False,
    cut_percent: Decimal | None = None,
) -> Sanction:
    """Impose a suspension over some evenings, a cut, both, or a warning alone.

    Nobody decides on their own case. `appeal_days`: how long the member may appeal. The cut itself
    is an entry of the ledger, written by the caller in the same transaction (this app knows no
    cote).
    """
    reason = _check(sanction, reason, by)
    if cut_percent is not None and not 0 < cut_percent < 100:
        raise SanctionRefused(
            _("La réduction doit être comprise entre 0 et 100 %."), code="percent"
        )
    return _decide(
        sanction,
        Sanction.Status.IMPOSED,
        reason,
        by,
        at,
        suspended_evenings=evenings or None,
        suspended_tonight=from_tonight and evenings > 0,
        cut_percent=cut_percent,
        appeal_until=at + timedelta(days=appeal_days),
    )


@transaction.atomic
def withdraw(*, sanction: Sanction, by: Actor, at: datetime) -> bool:
    """Withdraw a proposal whose absences have changed. False when it is no longer proposed."""
    moved = Sanction.objects.filter(pk=sanction.pk, status=Sanction.Status.PROPOSED).update(
        status=Sanction.Status.WITHDRAWN, reason=GROUNDS_CHANGED, decided_at=at
    )
    sanction.refresh_from_db()
    if moved:
        _note(sanction, "sanction_withdrawn", by, at, GROUNDS_CHANGED)
    return bool(moved)


@transaction.atomic
def note_grounds(*, sanction: Sanction, hold: bool, by: Actor, at: datetime) -> bool:
    """Mark an imposed sanction as unfounded, or as founded again.

    It stays in force until the committee lifts it. False when nothing changes.
    """
    moved = Sanction.objects.filter(
        pk=sanction.pk, status=Sanction.Status.IMPOSED, unfounded_at__isnull=not hold
    ).update(unfounded_at=None if hold else at)
    sanction.refresh_from_db()
    if moved:
        _note(sanction, "sanction_founded" if hold else "sanction_unfounded", by, at, "")
    return bool(moved)


@transaction.atomic
def dismiss(*, sanction: Sanction, reason: str, by: Actor, at: datetime) -> Sanction:
    """Dismiss the case; the count restarts."""
    reason = _check(sanction, reason, by)
    return _decide(sanction, Sanction.Status.DISMISSED, reason, by, at)


@transaction.atomic
def appeal(*, sanction: Sanction, text: str, by: Actor, at: datetime) -> Sanction:
    """Record the member's appeal, once, within the days they were given at the decision."""
    if by.member is None or by.member.pk != sanction.member_id:
        raise SanctionRefused(_("Seule la personne concernée peut faire appel."), code="not_yours")
    if not text.strip():
        raise SanctionRefused(_("Écrivez les raisons de votre appel."), code="reason_required")
    if sanction.appeal_until is None or at > sanction.appeal_until:
        raise SanctionRefused(
            _("Le délai d’appel est passé. Écrivez au comité si besoin."), code="too_late"
        )
    _lock(sanction)
    moved = Sanction.objects.filter(
        pk=sanction.pk, status=Sanction.Status.IMPOSED, appealed_at__isnull=True
    ).update(appealed_at=at, appeal_text=text.strip())
    if not moved:
        raise SanctionRefused(_("Votre appel est déjà enregistré."), code="stale")
    sanction.refresh_from_db()
    _note(sanction, "sanction_appealed", by, at, text.strip())
    return sanction


@transaction.atomic
def lift(*, sanction: Sanction, reason: str, by: Actor, at: datetime) -> Sanction:
    """End a sanction early (an appeal accepted, an absence corrected)."""
    reason = _check(sanction, reason, by)
    moved = Sanction.objects.filter(pk=sanction.pk, status=Sanction.Status.IMPOSED).update(
        status=Sanction.Status.LIFTED, lifted_at=at, appeal_answer=reason
    )
    if not moved:
        raise SanctionRefused(_("Cette sanction n’est plus en cours."), code="stale")
    sanction.refresh_from_db()
    _note(sanction, "sanction_lifted", by, at, reason)
    return sanction


@transaction.atomic
def refuse_appeal(*, sanction: Sanction, reason: str, by: Actor, at: datetime) -> Sanction:
    """Keep the committee's decision, with its reason."""
    reason = _check(sanction, reason, by)
    moved = Sanction.objects.filter(
        pk=sanction.pk, status=Sanction.Status.IMPOSED, appealed_at__isnull=False, appeal_answer=""
    ).update(appeal_answer=reason)
    if not moved:
        raise SanctionRefused(_("Cet appel a déjà une réponse."), code="stale")
    sanction.refresh_from_db()
    _note(sanction, "appeal_refused", by, at, reason)
    return sanction


def _lock(sanction: Sanction) -> None:
    """Lock the journal before the case: an absence of a match comes to cases after its own entry."""
    journal.lock([sanction.member.organisation_id])


def _check(sanction: Sanction, reason: str, by: Actor) -> str:
    """Return the reason; refuse to decide without one, or on one's own case; lock the journal."""
    _lock(sanction)
    reason = reason_of(reason, SanctionRefused)
    if by.member is not None and by.member.pk == sanction.member_id:
        raise SanctionRefused(_("Vous ne pouvez pas décider de votre propre cas."), code="own_case")
    return reason


def _decide(
    sanction: Sanction, status: str, reason: str, by: Actor, at: datetime, **changes: object
) -> Sanction:
    moved = Sanction.objects.filter(pk=sanction.pk, status=Sanction.Status.PROPOSED).update(
        status=status, reason=reason, decided_at=at, decided_by=by.user, **changes
    )
    if not moved:
        sanction.refresh_from_db()
        if sanction.status == Sanction.Status.WITHDRAWN:
            raise SanctionRefused(
                _("Cette proposition a été retirée : les absences ont changé depuis."),
                code="withdrawn",
            )
        raise SanctionRefused(
            _("Cette proposition vient d’être traitée. Rechargez la page."), code="stale"
        )
    sanction.refresh_from_db()
    _note(sanction, f"sanction_{status}", by, at, reason)
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
            "suspended_evenings": sanction.suspended_evenings,
            "suspended_tonight": sanction.suspended_tonight,
            "cut_percent": sanction.cut_percent,
        },
        reason=reason,
    )
