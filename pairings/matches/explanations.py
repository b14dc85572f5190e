"""What happened to a match, as sentences in the reader's language."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from clubs.members.models import Member
from pairings.matches.models import Match, MatchLine
from pairings.rules.match_state import Ending, Status


@dataclass(frozen=True, slots=True)
class Why:
    """Why two players met: one sentence, and the players tried before and why not (`steps`)."""

    lead: str
    steps: list[str]
    order: list[str]


EVENTS = {
    "start": gettext_lazy("Le match commence"),
    "submit": gettext_lazy("%(who)s saisit %(scores)s"),
    "edit": gettext_lazy("%(who)s corrige : %(scores)s"),
    "record": gettext_lazy("%(who)s saisit la feuille de match : %(scores)s"),
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
    author = line.by_member.first_name if line.by_member is not None else _("Le club")
    if line.role in ("arbiter", "committee"):
        author = _("Arbitre %(name)s") % {"name": author}
    scores = f"{line.first_score}\u00a0–\u00a0{line.second_score}"
    words = str(EVENTS.get(line.event, line.event)) % {"who": author, "scores": scores}
    if line.role != "system" and line.reason:
        words = f"{words} ({line.reason})"
    return words


def what_happened(match: Match, reader: Member) -> str:
    """Return who did what and when, for an answer that came too late; empty where nothing happened."""

    def hour(at: datetime | None) -> str:
        return f"{at.astimezone(match.organisation.zone):%H:%M}" if at else "–"

    ended = {"hour": hour(match.ended_at)}
    if match.status == Status.CANCELLED.value:
        return _("L’arbitre a annulé ce match à %(hour)s : il n’y a plus rien à confirmer.") % ended
    if match.status == Status.CONTESTED.value:
        contest = match.contests.open().select_related("opened_by").order_by("-pk").first()
        if contest is None or contest.opened_by is None:
            return _("Ce match est en litige : l’arbitre va trancher.")
        details = {"hour": hour(contest.opened_at), "name": contest.opened_by.first_name}
        if match.seats(contest.opened_by) and contest.opened_by_id == reader.pk:
            return _("Vous avez contesté ce résultat à %(hour)s : l’arbitre va trancher.") % details
        return _("%(name)s a contesté ce résultat à %(hour)s : l’arbitre va trancher.") % details
    if match.is_open:
        return ""
    if match.why == Ending.ARBITER:
        return _("L’arbitre a décidé de ce résultat à %(hour)s : il est définitif.") % ended
    if match.why == Ending.CONFIRMED:
        return _("Ce résultat est déjà confirmé depuis %(hour)s : il est définitif.") % ended
    if match.why == Ending.EXPIRED:  # at the end of the window, whenever that was noticed
        ended = {"hour": hour(match.contest_until or match.ended_at)}
        return (
            _("Le délai a pris fin à %(hour)s : le résultat est devenu définitif sans réponse.")
            % ended
        )
    return _("Ce résultat est définitif depuis %(hour)s.") % ended
