"""Stored pairing reasons of the ladder as sentences in the reader's language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from clubs.journal.wording import reason_words
from clubs.members.models import Member
from pairings.matches.explanations import Why
from pairings.matches.models import Match
from pairings.systems.protocol import BYE_REASONS, REASONS, SKIPPED_BECAUSE


def pairing_sentences(match: Match, *, viewer_is_member: bool) -> Why:
    """Return the reasons stored with the pair, with the current names of the players concerned."""
    stored = match.pairing_reason
    reason = stored.get("reason", "")
    ids = {match.first_id, match.second_id, stored.get("proposed")}
    ids |= {step["opponent"] for step in stored.get("skipped", [])}
    run = match.pairing_run
    order = run.outcome.get("order", []) if run is not None else []
    ids |= set(order)
    members = Member.objects.in_bulk([pk for pk in ids if isinstance(pk, int)])
    names = {
        pk: member.name_for(viewer_is_member=viewer_is_member) for pk, member in members.items()
    }
    if reason == "manual" or reason == "swap":
        lead = _("Appariement choisi par l’arbitre.")
        if viewer_is_member:  # what was typed may speak of people
            typed = reason_words(stored.get("words", ""))
            lead = _("Appariement choisi par l’arbitre : %(words)s") % {"words": typed}
        return Why(lead, [], [])
    if match.second_id is None:
        lead = _("%(first)s ne joue pas cette ronde : %(why)s.") % {
            "first": names.get(match.first_id, "?"),
            "why": _(BYE_REASONS.get(reason, reason)),
        }
        return Why(lead, [], [names.get(pk, "?") for pk in order])
    lead = _("%(first)s contre %(second)s : %(why)s.") % {
        "first": names.get(match.first_id, "?"),
        "second": names.get(match.second_id or 0, "?"),
        "why": _(REASONS.get(reason, reason)),
    }
    steps = [_step(step, names) for step in stored.get("skipped", [])]
    if stored.get("meeting"):
        steps.append(_("Ils se sont déjà rencontrés : c’est une revanche."))
    return Why(lead, steps, [names.get(pk, "?") for pk in order])


def _step(step: Mapping[str, Any], names: Mapping[int, str]) -> str:
    words = _("Pas %(name)s : %(why)s") % {
        "name": names.get(step["opponent"], "?"),
        "why": _(SKIPPED_BECAUSE.get(step["why"], step["why"])),
    }
    meeting = step.get("meeting") or {}
    since = meeting.get("since")
    if since is not None and since > 0:
        words += ngettext(" (il y a %(count)s match)", " (il y a %(count)s matchs)", int(since)) % {
            "count": since
        }
    return words
