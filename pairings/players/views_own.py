"""Blocks of a member's own page: what waits for them, their place, their last evenings."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from clubs.accounts.permissions import access_of, organisation_of
from clubs.members import merging
from clubs.members.models import Member
from clubs.organisations.models import Organisation
from clubs.sanctions.models import Sanction
from clubs.ui.french import written
from pairings.absences.models import Absence
from pairings.evenings.models import Evening
from pairings.evenings.player_page import card as player_card
from pairings.matches.competition import evening_of
from pairings.matches.models import Match
from pairings.ranking import season as seasons
from pairings.ranking.views import begun, line_of

EVENINGS = 3
Task = dict[str, str]


def to_do(request: HttpRequest) -> dict[str, object] | None:
    """Return what waits for the reader, the most urgent first; None when nothing does."""
    member, organisation, at = access_of(request).member, organisation_of(request), timezone.now()
    if member is None:
        return None
    tasks = [
        *_now(member, organisation, at),
        *_absences(member, organisation, at),
        *_appeals(member, at),
    ]
    if not member.pin_hash:
        tasks.append(_pin())
    return {"template": "pairings/players/_own_tasks.html", "tasks": tasks} if tasks else None


def _now(member: Member, organisation: Organisation, at: datetime) -> Iterator[Task]:
    """Give what the card of the evening asks of them, which is done there."""
    card, _matches = player_card.current_card(member, organisation, at=at)
    name = _opponent(card.match, member)
    words = {
        "called": _("On vous attend à table contre %(name)s"),
        "playing": _("Saisir le résultat contre %(name)s"),
        "to_confirm": _("Confirmer ou contester le résultat saisi par %(name)s"),
        "absence_to_answer": _("Répondre à %(name)s, qui signale votre absence"),
        "arrive": _("Dire que vous êtes là : la soirée est ouverte"),
    }.get(card.state)
    if words is not None:
        yield _task(words % {"name": name}, "swords", reverse("pairings:my_evening"))


def _opponent(match: Match | None, member: Member) -> str:
    """Return the other player's name, as a member reads it; empty without one."""
    if match is None:
        return ""
    other = match.opponent_of(member)
    return other.name_for(viewer_is_member=True) if other is not None else ""


def _absences(member: Member, organisation: Organisation, at: datetime) -> Iterator[Task]:
    """Give the absences of the season that may still be excused."""
    season = seasons.season_of(organisation, at=at)
    missed = Absence.objects.of(organisation).filter(
        member__in=merging.family_of(member),
        match__evening__season=season,
        justified=False,
        excuse_at__isnull=True,
        reviewed_at__isnull=True,
    )
    for absence in missed.select_related("match__evening").order_by("-noted_at", "-pk"):
        day = written(evening_of(absence.match).held_on, "j F")
        url = reverse("pairings:absence_justify", args=[absence.pk])
        yield _task(_("Justifier votre absence du %(day)s") % {"day": day}, "calendar-x", url)


def _appeals(member: Member, at: datetime) -> Iterator[Task]:
    """Give the decisions of the committee against which they may still appeal."""
    open_ = Sanction.objects.filter(
        member=member, status=Sanction.Status.IMPOSED, appealed_at__isnull=True, appeal_until__gt=at
    )
    for sanction in open_:
        assert sanction.appeal_until is not None
        until = sanction.appeal_until.astimezone(member.organisation.zone)
        words = _("Lire la décision du comité ; un appel est possible jusqu’au %(day)s")
        day = written(until.date(), "j F")
        yield _task(words % {"day": day}, "scale", reverse("pairings:my_absences"))


def _pin() -> Task:
    words = _("Choisir votre code à 4 chiffres")
    return _task(words, "key-round", f"{reverse('clubs:settings')}#code") | {
        "more": _("Il sert à confirmer un résultat sur le téléphone de l’adversaire.")
    }


def _task(words: str, icon: str, url: str) -> Task:
    return {"words": words, "icon": icon, "url": url}


def place(request: HttpRequest) -> dict[str, object] | None:
    """Return the reader's row of the ranking; of a newcomer, the words of what comes."""
    access, organisation = access_of(request), organisation_of(request)
    if access.member is None or not organisation.is_club:
        return None
    ranking = begun(organisation, at=timezone.now(), live=True)
    own = ranking.row_of(access.member) if ranking else None
    return {
        "template": "pairings/players/_own_place.html",
        "rows": [{**line_of(own, access), "own": True}] if own is not None else [],
        "size": len(ranking.rows) if ranking else 0,
    }


def evenings(request: HttpRequest) -> dict[str, object] | None:
    """Return the last closed evenings at which the reader was, each with its recap."""
    member, organisation = access_of(request).member, organisation_of(request)
    if member is None or not organisation.is_club:
        return None
    family = merging.family_of(member)
    been = Evening.objects.of(organisation).closed().filter(check_ins__member__in=family)
    rows = list(been.distinct().order_by("-held_on", "-number")[:EVENINGS])
    return {"template": "pairings/players/_own_evenings.html", "rows": rows} if rows else None
