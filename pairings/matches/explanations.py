"""Stored pairing reasons as sentences in the reader's language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from clubs.members.models import Member
from pairings.matches.models import Match, MatchLine
from pairings.systems.protocol import BYE_REASONS, REASONS, SKIPPED_BECAUSE
from pairings.tournaments import wording as tournament_words
from pairings.tournaments.models import Round


@dataclass(frozen=True, slots=True)
class Why:
    """The reason in one sentence (`lead`), and the players tried before and why not (`steps`)."""

    lead: str
    steps: list[str]
    order: list[str]
    changed_since: bool = False


def pairing_sentences(match: Match, *, viewer_is_member: bool) -> Why:
    """Return the reasons stored with the pair, with the current names of the players concerned."""
    stored = match.pairing_reason
    reason = stored.get("reason", "")
    if match.round is not None:
        return _in_a_round(match, match.round, viewer_is_member=viewer_is_member)
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
        lead = _("Paire choisie par l’arbitre : %(words)s") % {"words": stored.get("words", "")}
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


def _in_a_round(match: Match, played_in: Round, *, viewer_is_member: bool) -> Why:
    """Return the same for a tournament: its system's terms, and the order stored with the draw."""
    entries = played_in.tournament.entries.select_related("member")
    names = {
        entry.member_id: entry.member.name_for(viewer_is_member=viewer_is_member)
        for entry in entries
    }
    draw = played_in.draws.filter(at__lte=match.proposed_at).order_by("-pk").first()
    order = draw.outcome.get("order", []) if draw is not None else []
    lead = _("Ronde %(number)s, %(first)s contre %(second)s : %(why)s.") % {
        "number": played_in.number,
        "first": names.get(match.first_id, "?"),
        "second": names.get(match.second_id or 0, "X"),
        "why": tournament_words.why_words(
            played_in.tournament, match.pairing_reason, lambda pk: names.get(pk, "?")
        ),
    }
    return Why(lead, [], [names.get(pk, "?") for pk in order])


def _step(step: Mapping[str, Any], names: Mapping[int, str]) -> str:
    words = _("%(name)s écarté : %(why)s") % {
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


EVENTS = {
    "start": gettext_lazy("La partie commence"),
    "submit": gettext_lazy("%(who)s saisit %(scores)s"),
    "edit": gettext_lazy("%(who)s corrige : %(scores)s"),
    "record": gettext_lazy("%(who)s note la feuille de match : %(scores)s"),
    "confirm": gettext_lazy("%(who)s confirme"),
    "contest": gettext_lazy("%(who)s conteste"),
    "claim_absence": gettext_lazy("%(who)s signale une absence"),
    "deny": gettext_lazy("%(who)s répond : « J’étais là »"),
    "expire": gettext_lazy("Fin du délai"),
    "timeout": gettext_lazy("Délai de jeu passé"),
    "mark_absent": gettext_lazy("%(who)s constate une absence"),
    "decide": gettext_lazy("%(who)s rend sa décision"),
    "correct": gettext_lazy("%(who)s corrige le résultat"),
    "cancel": gettext_lazy("%(who)s annule le match"),
}
"""One sentence for each accepted action of a match's timeline."""


def line_words(line: MatchLine) -> str:
    """Return an entry of the timeline as a sentence: who did what, with the reason."""
    who = line.by_member.first_name if line.by_member is not None else _("Le club")
    if line.role in ("arbiter", "committee"):
        who = _("Arbitre %(name)s") % {"name": who}
    scores = f"{line.first_score}\u00a0–\u00a0{line.second_score}"
    words = str(EVENTS.get(line.event, line.event)) % {"who": who, "scores": scores}
    if line.role != "system" and line.reason:
        words = f"{words} ({line.reason})"
    return words
