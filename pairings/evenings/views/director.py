"""Views of an evening for its arbiters: conduct it, pair the waiting players, close."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from clubs.accounts.actor import Actor, Refused, refused_as_message, refused_in
from clubs.accounts.permissions import actor_of, arbiter_required
from clubs.members.models import Member
from clubs.templatetags.ui import undo_tag
from clubs.ui.sent import number_of, whole_number
from pairings.absences.models import Absence
from pairings.arbitration import undo
from pairings.arbitration.forms import PairForm, ReasonForm, SwapForm
from pairings.arbitration.views.queue import task_rows
from pairings.evenings import actions as evenings
from pairings.evenings import pairing
from pairings.evenings import queries as evening_queries
from pairings.evenings.admission import guests
from pairings.evenings.admission import screen_link as screen
from pairings.evenings.common import DOORS_OPEN
from pairings.evenings.models import CheckIn, Evening
from pairings.evenings.views.public import evening_of
from pairings.matches import actions as match_actions
from pairings.matches.messages import calls
from pairings.matches.models import Match
from pairings.rules.match_state import Status


@arbiter_required
@require_GET
def control(request: HttpRequest, day: str) -> HttpResponse:
    """Show the queue, the tables, the waiting players and one button for each state (J11)."""
    return render(request, "pairings/evenings/control.html", _control(request, day))


@arbiter_required
@require_GET
def control_live(request: HttpRequest, day: str) -> HttpResponse:
    """Show the live fragment of the control page."""
    return render(request, "pairings/evenings/_control.html", _control(request, day))


def _control(request: HttpRequest, day: str, **forms: object) -> dict[str, object]:
    evening, at = evening_of(request, day), timezone.now()
    match_actions.lapse_due(at=at)
    free = list(evening.check_ins.waiting(at=at).select_related("member"))
    elsewhere = pairing.seated_elsewhere((row.member_id for row in free), at)
    waiting = [row for row in free if row.member_id not in elsewhere]
    return {
        "evening": evening,
        "missed": evening.was_missed(at=at),
        "at": at,
        "tasks": [
            row
            for row in task_rows(evening.organisation, by=actor_of(request), at=at)
            if row["match"].evening_id == evening.pk
        ],
        "tables": [_table(match) for match in evening_queries.tables(evening)],
        "waiting": waiting,
        "elsewhere": [row for row in free if row.member_id in elsewhere],
        "paused": CheckIn.objects.filter(
            evening=evening, state=CheckIn.State.WAITING, paused_until__gt=at
        ).select_related("member"),
        "present": evening.check_ins.present().count(),
        "open_matches": evening.matches.open().count(),
        "pair_form": forms.get("pair_form") or _pair_form(row.member_id for row in waiting),
        "swap_form": forms.get("swap_form") or _swap_form(evening),
        "cancel_form": forms.get("cancel_form") or ReasonForm(auto_id="cancel_%s"),
        "states": _states(evening),
        "shortcuts": shortcuts_of(evening),
        "guest_requests": evening.guest_requests.waiting(),
        "doors_open": evening.state in DOORS_OPEN,
        "screen_url": screen_url(request, evening),
        "undoable": [
            {"match": match, "words": undo.words_of(match, act)}
            for match, act in undo.recent(evening, at=at)
        ],
    }


def _pair_form(waiting: Iterable[int], posted: QueryDict | None = None) -> PairForm:
    """Return the form that pairs two of those who wait."""
    members = Member.objects.filter(pk__in=list(waiting)).order_by("sort_name", "pk")
    return PairForm(posted, auto_id="pair_%s", waiting=members)


def _swap_form(evening: Evening, posted: QueryDict | None = None) -> SwapForm:
    """Return the form that exchanges two tables where nothing has begun."""
    not_begun = evening.matches.filter(status=Status.PROPOSED, second__isnull=False)
    tables = not_begun.select_related("first", "second").order_by("table_number", "pk")
    return SwapForm(posted, auto_id="swap_%s", tables=tables)


def screen_url(request: HttpRequest, evening: Evening) -> str:
    """Return the full address of the screen link in force, to open or copy on another computer."""
    if not evening.screen_open:
        return ""
    path = reverse("pairings:screen", kwargs={"key": screen.key_of(evening)})
    return request.build_absolute_uri(path)


def _states(evening: Evening) -> list[dict[str, Any]]:
    """Return the buttons that this state offers; the first is the main one."""
    steps = {
        Evening.State.PLANNED: [("ouvrir", _("Ouvrir les arrivées"), "door-open")],
        Evening.State.OPEN: [("commencer", _("Commencer les matchs"), "play")],
        Evening.State.RUNNING: [("dernieres", _("Derniers matchs"), "flag")],
        Evening.State.LAST_GAMES: [
            ("clore", _("Passer à la clôture"), "calculator"),
            ("commencer", _("Reprendre les appariements"), "undo-2"),
        ],
        Evening.State.CLOSING: [("cloture", _("Voir la clôture"), "calculator")],
    }
    return [
        {"act": act, "label": label, "icon": icon, "main": not number, "key": "sr"[number]}
        for number, (act, label, icon) in enumerate(steps.get(Evening.State(evening.state), []))
    ]


def shortcuts_of(evening: Evening) -> list[tuple[str, str]]:
    """Return the keys of the control page in this state, with what each reaches."""
    state = Evening.State(evening.state)
    plays = state in (Evening.State.RUNNING, Evening.State.LAST_GAMES)
    keys = [("t", _("points à traiter")), ("b", _("tables : les rappeler, les arbitrer"))]
    keys += [("u", _("dernières actions : annuler"))] if plays else []
    keys += [(one["key"], one["label"]) for one in _states(evening)]
    if state == Evening.State.RUNNING:
        keys += [("a", _("apparier maintenant")), ("m", _("appariement automatique"))]
    keys += [("h", _("apparier à la main")), ("x", _("échanger deux tables"))] if plays else []
    keys += [("g", _("joueurs invités qui attendent"))] if evening.is_live else []
    keys += [("i", _("accueil : noter les arrivées")), ("e", _("écran mural"))]
    keys += [("l", _("lien de l’écran"))] if evening.is_live else []
    keys += [("d", _("annuler cette soirée"))] if state == Evening.State.PLANNED else []
    return [*keys, ("?", _("montrer cette liste"))]


def _table(match: Match) -> dict[str, object]:
    return {
        "match": match,
        "since": match.started_at or match.proposed_at,
        "url": reverse("pairings:match_judge", kwargs={"match_id": match.pk}),
    }


@arbiter_required
@require_POST
def evening_act(request: HttpRequest, day: str, act: str) -> HttpResponse:
    """Handle one button of the control page."""
    evening, at, by = evening_of(request, day), timezone.now(), actor_of(request)
    on = request.POST.get("on") == "yes"
    version = whole_number(request.POST.get("version"))
    read: dict[str, Any] = {"evening": evening, "seen": _seen(request), "by": by, "at": at}
    acts: dict[str, Callable[[], object]] = {
        "ouvrir": lambda: evenings.open_doors(**read),
        "commencer": lambda: evenings.begin(**read),
        "dernieres": lambda: evenings.last_games(**read),
        "clore": lambda: evenings.begin_closing(**read),
        "auto": lambda: evenings.set_auto_pair(evening=evening, on=on, by=by, at=at),
        "invites": lambda: guests.set_wait(evening=evening, on=on, by=by, at=at),
        "ecran": lambda: screen.give(evening=evening, by=by, at=at, version=version),
        "ecran-retirer": lambda: screen.withdraw(evening=evening, by=by, at=at, version=version),
        "rappeler": lambda: _call(request, evening, by, at),
        "annuler": lambda: _cancel(request, evening, by, at),
        "cloture": lambda: None,
        "apparier": lambda: _by_hand(request, evening, by, at),
        "echanger": lambda: _swap(request, evening, by, at),
    }
    if act not in acts:
        raise Http404
    try:
        acts[act]()
    except _FormRefused as refused:
        context = _control(request, day, **refused.forms)
        return render(request, "pairings/evenings/control.html", context, status=422)
    except Refused as refused:
        messages.error(request, str(refused))
    targets = {"clore": "evening_close", "cloture": "evening_close", "invites": "checkin_desk"}
    return redirect(f"pairings:{targets.get(act, 'control')}", day=day)


def _seen(request: HttpRequest) -> str:
    """Return the state of the evening that the page showed."""
    return request.POST.get("seen", "")


class _FormRefused(Exception):
    """Signal that a form of the control page must be shown again with its errors."""

    def __init__(self, **forms: object) -> None:
        super().__init__()
        self.forms = forms


def _call(request: HttpRequest, evening: Evening, by: Actor, at: datetime) -> None:
    match = get_object_or_404(evening.matches, pk=number_of(request.POST.get("match")))
    calls.call_players(match=match, by=by, at=at)
    messages.success(request, _("Les deux joueurs sont rappelés à leur table."))


def _cancel(request: HttpRequest, evening: Evening, by: Actor, at: datetime) -> None:
    form = ReasonForm(request.POST, auto_id="cancel_%s")
    if not form.is_valid():
        raise _FormRefused(cancel_form=form)
    evenings.cancel_evening(evening=evening, by=by, at=at, **form.cleaned_data)


def _by_hand(request: HttpRequest, evening: Evening, by: Actor, at: datetime) -> None:
    ids = evening.check_ins.waiting(at=at).values_list("member_id", flat=True)
    form = _pair_form(ids, request.POST)
    if form.is_valid():
        with refused_in(form):
            match = pairing.pair_by_hand(evening=evening, by=by, at=at, **form.cleaned_data)
            messages.success(
                request,
                _("%(a)s et %(b)s sont appelés à la table %(n)s.")
                % {"a": match.first, "b": match.second, "n": match.table_number},
                extra_tags=undo_tag(match.pk, match.version),
            )
            return
    raise _FormRefused(pair_form=form)


def _swap(request: HttpRequest, evening: Evening, by: Actor, at: datetime) -> None:
    form = _swap_form(evening, request.POST)
    if form.is_valid():
        with refused_in(form):
            pairing.swap(evening=evening, by=by, at=at, **form.cleaned_data)
            return
    raise _FormRefused(swap_form=form)


@arbiter_required
@require_http_methods(["GET", "POST"])
def evening_close(request: HttpRequest, day: str) -> HttpResponse:
    """Show the checklist of open matches, then one button that rates the session."""
    evening, at = evening_of(request, day), timezone.now()
    match_actions.lapse_due(at=at)
    if request.method == "POST":
        with refused_as_message(request):
            if evening.state in (Evening.State.RUNNING, Evening.State.OPEN):
                evenings.begin_closing(
                    evening=evening, seen=_seen(request), by=actor_of(request), at=at
                )
            evenings.close_evening(evening=evening, by=actor_of(request), at=at)
            messages.success(
                request, _("La soirée est clôturée : cotes et catégories sont à jour.")
            )
            return redirect("pairings:evening", day=day)
        return redirect("pairings:evening_close", day=day)
    context = {
        "evening": evening,
        "tables": [_table(match) for match in evening_queries.tables(evening)],
        "played": evening.matches.played().count(),
        "excuses": Absence.objects.of(evening.organisation).to_review().count(),
        "can_close": evening.state in evenings.MOVES[Evening.State.CLOSING]
        or evening.state == Evening.State.CLOSING,
    }
    return render(request, "pairings/evenings/evening_close.html", context)
