"""What happened to a match, as sentences in the reader's language."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pairings.matches.models import MatchLine


@dataclass(frozen=True, slots=True)
class Why:
    """Why two players met: one sentence, and the players tried before and why not (`steps`)."""

    lead: str
    steps: list[str]
    order: list[str]
    changed_since: bool = False


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
