"""The message for an answer that came too late: who did what and when, and what is left to do."""

from __future__ import annotations

from datetime import datetime

from django.utils.translation import gettext as _

from clubs.members.models import Member
from pairings.matches.models import Match
from pairings.rules.match_lifecycle import Status


def what_happened(match: Match, reader: Member) -> str:
    """Return one or two sentences about the match now; empty where nothing happened in between."""

    def hour(at: datetime | None) -> str:
        return f"{at.astimezone(match.organisation.zone):%H:%M}" if at else "–"

    ended = {"hour": hour(match.ended_at)}
    if match.status == Status.CANCELLED.value:
        return _("L’arbitre a annulé ce match à %(hour)s : il n’y a plus rien à confirmer.") % ended
    if match.status == Status.CONTESTED.value:
        contest = match.contests.open().select_related("opened_by").order_by("-pk").first()
        if contest is None or contest.opened_by is None:
            return _("Ce match est en litige : l’arbitre va trancher.")
        told = {"hour": hour(contest.opened_at), "name": contest.opened_by.first_name}
        if match.seats(contest.opened_by) and contest.opened_by_id == reader.pk:
            return _("Vous avez contesté ce résultat à %(hour)s : l’arbitre va trancher.") % told
        return _("%(name)s a contesté ce résultat à %(hour)s : l’arbitre va trancher.") % told
    if match.is_open:
        return ""
    if match.why == "arbiter":
        return _("L’arbitre a décidé de ce résultat à %(hour)s : il est définitif.") % ended
    if match.why == "confirmed":
        return _("Ce résultat est déjà confirmé depuis %(hour)s : il est définitif.") % ended
    if match.why == "expired":
        return (
            _("Le délai a pris fin à %(hour)s : le résultat est devenu définitif sans réponse.")
            % ended
        )
    return _("Ce résultat est définitif depuis %(hour)s.") % ended
