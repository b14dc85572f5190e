"""What happened to a match, as sentences in the reader's language, and whom it was against."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from django.conf import settings
from django.utils import translation
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from clubs.journal.wording import reason_words
from clubs.members.models import Member
from clubs.ui.french import written
from pairings.arbitration.models import Contest
from pairings.matches.models import Decision, Match, MatchLine
from pairings.matches.state import final_since
from pairings.rules.match_state import JUDGES, SYSTEM, Absent, Ending, Event, Status


@dataclass(frozen=True, slots=True)
class Why:
    """Why two players met: one sentence, and the players tried before and why not (`steps`)."""

    lead: str
    steps: list[str]
    order: list[str]


EVENTS: Mapping[str, Promise] = {
    Event.START: gettext_lazy("Le match commence"),
    Event.SUBMIT: gettext_lazy("%(who)s saisit %(scores)s"),
    Event.EDIT: gettext_lazy("%(who)s corrige : %(scores)s"),
    Event.RECORD: gettext_lazy("%(who)s saisit la feuille de match : %(scores)s"),
    Event.CONFIRM: gettext_lazy("%(who)s confirme"),
    Event.CONTEST: gettext_lazy("%(who)s conteste"),
    Event.CLAIM_ABSENCE: gettext_lazy("%(who)s signale une absence"),
    Event.DENY: gettext_lazy("%(who)s répond : « J’étais là »"),
    Event.WITHDRAW: gettext_lazy("%(who)s retire l’absence : le match commence"),
    Event.EXPIRE: gettext_lazy("Fin du délai"),
    Event.TIMEOUT: gettext_lazy("Délai de jeu passé"),
    Event.MARK_ABSENT: gettext_lazy("%(who)s constate une absence"),
    Event.DECIDE: gettext_lazy("%(who)s rend sa décision"),
    Event.CORRECT: gettext_lazy("%(who)s corrige le résultat"),
    Event.CANCEL: gettext_lazy("%(who)s annule le match"),
}
"""One sentence for each accepted action of a match's timeline."""


def line_words(line: MatchLine, *, viewer_is_member: bool) -> str:
    """Return an entry of the timeline as a sentence: who did what, with the reason."""
    author = _("Le club")
    if line.by_member is not None:
        author = line.by_member.first_name_for(viewer_is_member=viewer_is_member)
    if line.role in JUDGES:
        author = _("Arbitre %(name)s") % {"name": author}
    scores = f"{line.first_score}\u00a0–\u00a0{line.second_score}"
    words = str(EVENTS.get(line.event, line.event)) % {"who": author, "scores": scores}
    subject = line.event == Event.CONTEST and line.reason in _subjects()
    if line.role != SYSTEM and line.reason and not subject:
        words = f"{words} ({reason_words(line.reason)})"
    return words


def timeline_of(match: Match, *, viewer_is_member: bool) -> list[dict[str, object]]:
    """Return each entry of a match's timeline (`line`) with its sentence (`words`), oldest first."""
    return [
        {"line": line, "words": line_words(line, viewer_is_member=viewer_is_member)}
        for line in match.lines.order_by("number").select_related("by_member")
    ]


@cache
def _subjects() -> frozenset[str]:
    """Return the subjects of a contest in each language.

    One without words once stored its subject as its author read it; the page of the match says it in
    the reader's language.
    """
    labels: set[str] = set()
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            labels |= {str(label) for label in Contest.Subject.labels}
    return frozenset(labels)


def decided(match: Match, *, viewer_is_member: bool) -> list[tuple[Decision, list[str]]]:
    """Return each result decided so far, oldest first, with the names of who was absent in it."""
    names = [member.name_for(viewer_is_member=viewer_is_member) for member in match.players()]
    absent = {"": [], Absent.FIRST.value: names[:1], Absent.SECOND.value: names[1:]}
    return [
        (decision, absent.get(decision.absent, names))
        for decision in match.decisions.order_by("pk")
    ]


def what_happened(match: Match, reader: Member, *, at: datetime, viewer_is_member: bool) -> str:
    """Return who did what and when, for an answer that came too late; empty where nothing happened."""

    def hour(moment: datetime | None) -> str:
        return _hour_of(moment, match, at)

    ended = {"hour": hour(final_since(match))}
    if match.status == Status.CANCELLED.value:
        return _("L’arbitre a annulé ce match à %(hour)s : il n’y a plus rien à confirmer.") % ended
    if match.status == Status.CONTESTED.value:
        contest = match.contests.open().select_related("opened_by").order_by("-pk").first()
        if contest is None or contest.opened_by is None:
            return _("Ce match est en litige : l’arbitre va trancher.")
        name = contest.opened_by.first_name_for(viewer_is_member=viewer_is_member)
        details = {"hour": hour(contest.opened_at), "name": name}
        if match.seats(contest.opened_by) and contest.opened_by_id == reader.pk:
            return _("Vous avez contesté ce résultat à %(hour)s : l’arbitre va trancher.") % details
        return _("%(name)s a contesté ce résultat à %(hour)s : l’arbitre va trancher.") % details
    if match.is_open:
        return ""
    if match.why == Ending.ARBITER:
        return _("L’arbitre a décidé de ce résultat à %(hour)s : il est définitif.") % ended
    if match.why == Ending.CONFIRMED:
        return _("Ce résultat est déjà confirmé depuis %(hour)s : il est définitif.") % ended
    if match.why == Ending.EXPIRED:
        return (
            _("Le délai a pris fin à %(hour)s : le résultat est devenu définitif sans réponse.")
            % ended
        )
    return _("Ce résultat est définitif depuis %(hour)s.") % ended


def _hour_of(moment: datetime | None, match: Match, at: datetime) -> str:
    """Return the hour of a moment, with its day where that is another one than today's."""
    if moment is None:
        return "–"
    zone = match.organisation.zone
    local, today = moment.astimezone(zone), at.astimezone(zone).date()
    day = "" if local.date() == today else f" ({written(local.date(), 'j F Y')})"
    return f"{local:%H:%M}{day}"


def names_of(other: Member | None, *, viewer_is_member: bool) -> dict[str, str]:
    """Return the opponent's name and first name as this reader may see them."""
    if other is None:
        return {"other_name": "", "other_first_name": ""}
    return {
        "other_name": other.name_for(viewer_is_member=viewer_is_member),
        "other_first_name": other.first_name_for(viewer_is_member=viewer_is_member),
    }
