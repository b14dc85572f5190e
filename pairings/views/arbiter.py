"""The arbiter's evening: conduct it, pair, settle contests, correct, review absences."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from clubs.actor import ARBITER, COMMITTEE, Actor, Refused
from clubs.models import Member
from clubs.permissions import access_of, arbiter_required, organisation_of
from clubs.qr import svg as qr
from pairings import absences, board, ladder, results, season
from pairings.arbiter_forms import (
    DecisionForm,
    JudgeForm,
    PairForm,
    ReasonForm,
    ReviewForm,
    SwapForm,
)
from pairings.explain import line_words
from pairings.forms import GuestForm
from pairings.match_flow import Result
from pairings.models import Absence, CheckIn, Contest, Evening, Match
from pairings.systems.base import (
    BYE_REASONS,
    REASONS,
    SKIPPED_BECAUSE,
    WARNINGS,
    Pair,
    Pairing,
)
from pairings.views.evening import evening_of


def _actor(request: HttpRequest) -> Actor:
    access = access_of(request)
    return access.actor(ARBITER if ARBITER in access.roles else COMMITTEE)


@arbiter_required
@never_cache
@require_GET
def arbiter_home(request: HttpRequest) -> HttpResponse:
    """Everything that waits for an arbiter, whatever the evening."""
    organisation, at = organisation_of(request), timezone.now()
    results.lapse_due(at=at)
    context = {
        "evening": board.live_evening(organisation),
        "tasks": [_task(task, at) for task in board.queue(organisation, at=at)],
        "next": board.next_evening(organisation, at=at),
        "excuses": absences.to_review(organisation),
        "at": at,
    }
    return render(request, "pairings/arbiter.html", context)


# The evening


@arbiter_required
@never_cache
@require_GET
def control(request: HttpRequest, day: str) -> HttpResponse:
    """J11: the queue, the tables, who waits, and one button for each state."""
    return render(request, "pairings/control.html", _control(request, day))


@arbiter_required
@never_cache
@require_GET
def control_live(request: HttpRequest, day: str) -> HttpResponse:
    """The moving part of the control page."""
    return render(request, "pairings/_control.html", _control(request, day))


def _control(request: HttpRequest, day: str, **forms: Any) -> dict[str, Any]:
    evening, at = evening_of(request, day), timezone.now()
    results.lapse_due(at=at)
    waiting = list(CheckIn.objects.filter(evening=evening).waiting(at=at).select_related("member"))
    everybody = Member.objects.filter(pk__in=[row.member_id for row in waiting])
    not_begun = evening.matches.filter(status="proposed", second__isnull=False)
    return {
        "evening": evening,
        "at": at,
        "tasks": [
            _task(task, at)
            for task in board.queue(evening.organisation, at=at)
            if task.match.evening_id == evening.pk
        ],
        "tables": [_table(match, at) for match in board.tables(evening)],
        "waiting": waiting,
        "paused": CheckIn.objects.filter(
            evening=evening, state="waiting", paused_until__gt=at
        ).select_related("member"),
        "present": evening.check_ins.exclude(state="left").count(),
        "open_matches": evening.matches.open().count(),
        "pair_form": forms.get("pair_form")
        or PairForm(waiting=everybody.order_by("sort_name", "pk")),
        "swap_form": forms.get("swap_form")
        or SwapForm(
            tables=not_begun.select_related("first", "second").order_by("table_number", "pk")
        ),
        "states": _states(evening),
    }


def _states(evening: Evening) -> list[dict[str, Any]]:
    """The buttons that this state offers; the first is the main one."""
    steps = {
        Evening.PLANNED: [("ouvrir", _("Ouvrir les arrivées"), "door-open")],
        Evening.OPEN: [("commencer", _("Commencer les parties"), "play")],
        Evening.RUNNING: [("dernieres", _("Dernières parties"), "flag")],
        Evening.LAST_GAMES: [
            ("clore", _("Passer à la clôture"), "calculator"),
            ("commencer", _("Reprendre les appariements"), "undo-2"),
        ],
        Evening.CLOSING: [("cloture", _("Voir la clôture"), "calculator")],
    }
    return [
        {"act": act, "label": label, "icon": icon, "main": not number}
        for number, (act, label, icon) in enumerate(steps.get(evening.state, []))
    ]


def _task(task: board.Task, at: datetime) -> dict[str, Any]:
    match = task.match
    words = {
        "contest": _("Litige"),
        "absence": _("Absence signalée"),
        "call": _("Appel dépassé"),
        "unanswered": _("Saisie sans réponse"),
        "request": _("Demande tardive"),
    }
    icons = {
        "contest": "gavel",
        "absence": "user-x",
        "call": "megaphone",
        "unanswered": "hourglass",
        "request": "mail-question",
    }
    if task.contest is not None:
        url = reverse("pairings:dispute", kwargs={"contest_id": task.contest.pk})
        label = _("Trancher") if task.kind == "contest" else _("Répondre")
    else:
        url = reverse("pairings:match_judge", kwargs={"match_id": match.pk})
        label = _("Agir")
    return {
        "kind": task.kind,
        "words": words[task.kind],
        "icon": icons[task.kind],
        "match": match,
        "minutes": max(0, int((at - task.since).total_seconds() // 60)),
        "url": url,
        "label": label,
        "taken_by": task.contest.taken_by if task.contest else None,
        "key": f"{task.kind}-{match.pk}",
    }


def _table(match: Match, at: datetime) -> dict[str, Any]:
    since = match.started_at or match.proposed_at
    return {
        "match": match,
        "minutes": max(0, int((at - since).total_seconds() // 60)),
        "url": reverse("pairings:match_judge", kwargs={"match_id": match.pk}),
    }


@arbiter_required
@require_POST
def evening_act(request: HttpRequest, day: str, act: str) -> HttpResponse:
    """One button of the control page."""
    evening, at, by = evening_of(request, day), timezone.now(), _actor(request)
    acts: dict[str, Callable[[], Any]] = {
        "ouvrir": lambda: ladder.open_doors(evening=evening, by=by, at=at),
        "commencer": lambda: ladder.begin(evening=evening, by=by, at=at),
        "dernieres": lambda: ladder.last_games(evening=evening, by=by, at=at),
        "clore": lambda: ladder.begin_closing(evening=evening, by=by, at=at),
        "auto": lambda: ladder.set_auto_pair(
            evening=evening, on=not evening.auto_pair, by=by, at=at
        ),
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
        return render(request, "pairings/control.html", context, status=422)
    except Refused as refused:
        messages.error(request, str(refused))
    target = "evening_close" if act in ("clore", "cloture") else "control"
    return redirect(f"pairings:{target}", day=day)


class _FormRefused(Exception):
    """A form of the control page that must be shown again with its errors."""

    def __init__(self, **forms: Any) -> None:
        super().__init__()
        self.forms = forms


def _by_hand(request: HttpRequest, evening: Evening, by: Actor, at: datetime) -> None:
    ids = CheckIn.objects.filter(evening=evening).waiting(at=at).values_list("member_id", flat=True)
    form = PairForm(
        request.POST, waiting=Member.objects.filter(pk__in=list(ids)).order_by("sort_name", "pk")
    )
    if not form.is_valid():
        raise _FormRefused(pair_form=form)
    try:
        ladder.pair_by_hand(evening=evening, by=by, at=at, **form.cleaned_data)
    except Refused as refused:
        form.add_error(None, str(refused))
        raise _FormRefused(pair_form=form) from refused


def _swap(request: HttpRequest, evening: Evening, by: Actor, at: datetime) -> None:
    tables = evening.matches.filter(status="proposed", second__isnull=False)
    form = SwapForm(
        request.POST,
        tables=tables.select_related("first", "second").order_by("table_number", "pk"),
    )
    if not form.is_valid():
        raise _FormRefused(swap_form=form)
    try:
        ladder.swap(evening=evening, by=by, at=at, **form.cleaned_data)
    except Refused as refused:
        form.add_error(None, str(refused))
        raise _FormRefused(swap_form=form) from refused


@arbiter_required
@never_cache
@require_http_methods(["GET", "POST"])
def pair_preview(request: HttpRequest, day: str) -> HttpResponse:
    """What the run would do, with its reasons and the alternative that avoids a repeat."""
    evening, at = evening_of(request, day), timezone.now()
    early = request.POST.get("early") == "1" or request.GET.get("early") == "1"
    if request.method == "POST":
        strategy = "optimal" if "avoid" in request.POST else None
        try:
            run = ladder.pair_waiting(
                evening=evening,
                by=_actor(request),
                at=at,
                strategy=strategy,
                allow_early_repeat=early,
            )
        except Refused as refused:
            messages.error(request, str(refused))
        else:
            count = run.matches.count()
            messages.success(
                request,
                ngettext("%(n)s table appelée.", "%(n)s tables appelées.", count) % {"n": count},
            )
        return redirect("pairings:control", day=day)
    waiting = list(
        CheckIn.objects.filter(evening=evening).waiting(at=at).values_list("member_id", flat=True)
    )
    found = season.propose(evening, waiting, at=at, allow_early_repeat=early)
    names = {m.pk: m.full_name for m in Member.objects.filter(pk__in=_ids(found, waiting))}
    context = {
        "evening": evening,
        "waiting": len(waiting),
        "plan": _plan(found, names),
        "alternative": _plan(found.alternative, names) if found.alternative else None,
        "early": early,
        "needs_early": any(w.code == "needs_arbiter" for w in found.warnings),
        "can_pair": evening.state == Evening.RUNNING and bool(found.pairs or found.byes),
    }
    return render(request, "pairings/pair_preview.html", context)


def _ids(found: Pairing, waiting: list[int]) -> set[Any]:
    ids: set[Any] = set(waiting) | set(found.order)
    for pair in found.pairs:
        ids |= {skipped.opponent for skipped in pair.skipped} | {pair.proposed}
    return ids


def _plan(found: Pairing, names: dict[int, str]) -> dict[str, Any]:
    return {
        "pairs": [_pair_words(pair, names) for pair in found.pairs],
        "byes": [
            {"name": names.get(bye.player, "?"), "why": _(BYE_REASONS.get(bye.reason, bye.reason))}
            for bye in found.byes
        ],
        "unpaired": [names.get(pid, "?") for pid in found.unpaired],
        "warnings": [
            {
                "words": _(WARNINGS.get(warned.code, warned.code)),
                "names": ", ".join(names.get(pid, "?") for pid in warned.players),
            }
            for warned in found.warnings
        ],
        "repeats": found.repeats,
    }


def _pair_words(pair: Pair, names: dict[int, str]) -> dict[str, Any]:
    return {
        "first": names.get(pair.first, "?"),
        "second": names.get(pair.second, "?"),
        "why": _(REASONS.get(pair.reason, pair.reason)),
        "repeat": pair.is_repeat,
        "skipped": [
            f"{names.get(step.opponent, '?')} ({_(SKIPPED_BECAUSE.get(step.why, step.why))})"
            for step in pair.skipped[:6]
        ],
    }


@arbiter_required
@never_cache
@require_http_methods(["GET", "POST"])
def checkin_desk(request: HttpRequest, day: str) -> HttpResponse:
    """The door: one tap a name, search without accents or by number, guests."""
    evening, at, by = evening_of(request, day), timezone.now(), _actor(request)
    organisation = evening.organisation
    guest_form = GuestForm(request.POST if "first_name" in request.POST else None)
    if request.method == "POST":
        try:
            if "first_name" in request.POST:
                if guest_form.is_valid():
                    ladder.welcome_guest(evening=evening, by=by, at=at, **guest_form.cleaned_data)
                    return redirect("pairings:checkin_desk", day=day)
            else:
                member = get_object_or_404(
                    Member.objects.of(organisation).active(), pk=_number(request.POST.get("member"))
                )
                if "leave" in request.POST:
                    ladder.go_home(evening=evening, member=member, by=by, at=at)
                else:
                    ladder.check_in(evening=evening, member=member, source="desk", by=by, at=at)
                return redirect(request.get_full_path())
        except Refused as refused:
            messages.error(request, str(refused))
    words = request.GET.get("q", "").strip()
    found = Member.objects.of(organisation).active()
    if words:
        found = found.matching(words)
    here = dict(evening.check_ins.values_list("member_id", "state"))
    rows = [
        {"member": member, "state": here.get(member.pk, "")}
        for member in found.order_by("sort_name", "pk")[:300]
    ]
    address = request.build_absolute_uri(
        reverse("pairings:checkin", kwargs={"code": evening.door_code})
    )
    context = {
        "evening": evening,
        "rows": rows,
        "words": words,
        "guest_form": guest_form,
        "qr": qr(address),
        "present": sum(state in ("waiting", "playing") for state in here.values()),
    }
    return render(
        request, "pairings/checkin_desk.html", context, status=422 if guest_form.errors else 200
    )


def _number(typed: str | None) -> int:
    if typed is None or not typed.isascii() or not typed.isdigit() or len(typed) > 18:
        raise Http404
    return int(typed)


@arbiter_required
@never_cache
@require_http_methods(["GET", "POST"])
def evening_close(request: HttpRequest, day: str) -> HttpResponse:
    """The checklist: what is still open, then one button that rates the session."""
    evening, at = evening_of(request, day), timezone.now()
    results.lapse_due(at=at)
    if request.method == "POST":
        try:
            if evening.state in (Evening.RUNNING, Evening.OPEN):
                ladder.begin_closing(evening=evening, by=_actor(request), at=at)
            ladder.close_evening(evening=evening, by=_actor(request), at=at)
        except Refused as refused:
            messages.error(request, str(refused))
            return redirect("pairings:evening_close", day=day)
        messages.success(request, _("La soirée est close : cotes et badges sont à jour."))
        return redirect("pairings:evening", day=day)
    context = {
        "evening": evening,
        "tables": [_table(match, at) for match in board.tables(evening)],
        "played": evening.matches.filter(counts=True).count(),
        "excuses": Absence.objects.of(evening.organisation).to_review().count(),
        "at": at,
    }
    return render(request, "pairings/evening_close.html", context)


# Contests and corrections


@arbiter_required
@never_cache
@require_GET
def dispute_list(request: HttpRequest) -> HttpResponse:
    """Open contests and requests, then the last ones settled."""
    organisation, at = organisation_of(request), timezone.now()
    tasks = [
        _task(task, at)
        for task in board.queue(organisation, at=at)
        if task.kind in ("contest", "request")
    ]
    settled = (
        Contest.objects.of(organisation)
        .filter(closed_at__isnull=False)
        .select_related("match__first", "match__second", "match__evening")
        .order_by("-closed_at", "-pk")[:30]
    )
    context = {"tasks": tasks, "settled": settled, "at": at}
    return render(request, "pairings/dispute_list.html", context)


@arbiter_required
@never_cache
@require_http_methods(["GET", "POST"])
def dispute(request: HttpRequest, contest_id: int) -> HttpResponse:
    """Two versions, the timeline, the effect of each decision before it is made."""
    contest = get_object_or_404(
        Contest.objects.of(organisation_of(request)).select_related(
            "match__first",
            "match__second",
            "match__evening__season",
            "match__evening__organisation",
            "match__organisation",
            "match__rule_book",
            "opened_by",
            "taken_by",
        ),
        pk=contest_id,
    )
    if contest.closed_at is not None:
        return redirect(contest.match)
    return _judge(request, contest.match, contest)


@arbiter_required
@never_cache
@require_http_methods(["GET", "POST"])
def match_correct(request: HttpRequest, match_id: int) -> HttpResponse:
    """A result already in force, changed: the whole difference first, later evenings included."""
    match = _match(request, match_id)
    if match.is_open:
        return redirect("pairings:match_judge", match_id=match.pk)
    return _judge(request, match, None)


def _match(request: HttpRequest, match_id: int) -> Match:
    return get_object_or_404(
        Match.objects.of(organisation_of(request)).select_related(
            "first",
            "second",
            "evening__season",
            "evening__organisation",
            "organisation",
            "rule_book",
        ),
        pk=match_id,
    )


def _judge(request: HttpRequest, match: Match, contest: Contest | None) -> HttpResponse:
    """One page for a decision and a correction: same form, same table, same refusals."""
    at, by = timezone.now(), _actor(request)
    late = contest is not None and contest.late
    own = match.seats(by.member)
    form = DecisionForm(
        request.POST if "choice" in request.POST or "decide" in request.POST else None,
        match=match,
        contest=contest,
        initial={"version": match.version},
    )
    reason_form = ReasonForm(request.POST if "pass_on" in request.POST else None)
    if request.method == "POST":
        answer = _judged(request, match, contest, form, reason_form, by, at)
        if answer is not None:
            return answer
    context = {
        "match": match,
        "contest": contest,
        "late": late,
        "own": own,
        "form": form,
        "reason_form": reason_form,
        "at": at,
        "effect": _effect(match, form),
        "versions": _versions(match, contest),
        "timeline": [
            {"line": line, "words": line_words(line)}
            for line in match.lines.order_by("number").select_related("by_member")
        ],
        "decisions": list(match.decisions.order_by("pk")),
        "photo": match.submissions.exclude(photo="").order_by("-pk").first(),
        "delay": _delay(match, contest),
        "taken_by_me": contest is not None
        and contest.taken_by_id == (by.user.pk if by.user else 0),
    }
    failed = form.is_bound and bool(form.errors)
    return render(request, "pairings/dispute.html", context, status=422 if failed else 200)


def _judged(
    request: HttpRequest,
    match: Match,
    contest: Contest | None,
    form: DecisionForm,
    reason_form: ReasonForm,
    by: Actor,
    at: datetime,
) -> HttpResponse | None:
    """What the button pressed does; None shows the page again."""
    try:
        if contest is not None and "take" in request.POST:
            results.take(contest=contest, by=by, at=at)
            return redirect("pairings:dispute", contest_id=contest.pk)
        if contest is not None and "pass_on" in request.POST:
            if not reason_form.is_valid():
                return None
            results.pass_on(
                contest=contest, reason=reason_form.cleaned_data["reason"], by=by, at=at
            )
            messages.success(request, _("Le litige attend un autre arbitre."))
            return redirect("pairings:dispute_list")
        if contest is not None and contest.late and "refuse" in request.POST:
            results.close_request(
                contest=contest, answer=request.POST.get("reason", ""), by=by, at=at
            )
            return redirect("pairings:dispute_list")
        if "decide" not in request.POST or not form.is_valid():
            return None
        details: dict[str, Any] = {
            "match": match,
            "result": form.result(),
            "reason": form.cleaned_data["reason"],
            "version": form.cleaned_data["version"],
            "by": by,
            "at": at,
        }
        if match.is_open:
            if contest is not None and contest.taken_by_id is None:
                results.take(contest=contest, by=by, at=at)
            results.decide(**details)
        else:
            results.correct(**details)
    except Refused as refused:
        form.add_error("reason" if refused.code == "reason_required" else None, str(refused))
        return None
    messages.success(request, _("La décision est rendue. Les deux joueurs la voient."))
    return redirect(match)


def _effect(match: Match, form: DecisionForm) -> board.EffectTable | None:
    """The before → after table of the decision now chosen (by default: the other version)."""
    if match.evening is None or match.second_id is None:
        return None
    if form.is_bound:
        if "choice" in form.errors or not form.is_valid():
            return None
        result = form.result()
    else:
        contest = form.contest
        if contest is None or contest.first_score is None:
            return None
        result = Result("played", contest.first_score, contest.second_score)
    trial = board.trial_of(
        match,
        status=_status_after(result),
        kind="" if result.kind == "cancelled" else result.kind,
        first_score=result.first_score,
        second_score=result.second_score,
        absent=result.absent or "",
        justified=result.justified,
        counts=_status_after(result) == "final",
    )
    return board.effect_of(match, board.trial_record(trial, match.evening.held_on), trial)


def _status_after(result: Result) -> str:
    if result.kind == "cancelled":
        return "cancelled"
    return "void" if result.absent == "both" else "final"


def _versions(match: Match, contest: Contest | None) -> list[dict[str, Any]]:
    """The version entered and the one claimed, the differing line marked."""
    if match.kind != "played":
        return []
    entered = (match.first_score, match.second_score)
    claimed = (contest.first_score, contest.second_score) if contest else (None, None)
    found = [_version(_("Saisie"), match, match.submitted_by, match.submitted_at, entered, claimed)]
    if contest is not None and contest.first_score is not None:
        found.append(
            _version(
                _("Contestation"), match, contest.opened_by, contest.opened_at, claimed, entered
            )
        )
    return found


def _version(
    title: str,
    match: Match,
    who: Member | None,
    when: datetime | None,
    scores: tuple[int | None, int | None],
    others: tuple[int | None, int | None],
) -> dict[str, Any]:
    known = None not in others
    first, second = scores
    winner = None
    if first is not None and second is not None and first != second:
        winner = match.first if first > second else match.second
    return {
        "title": title,
        "by": _("par %(name)s, %(hour)s")
        % {
            "name": who.full_name,
            "hour": f"{when.astimezone(match.organisation.zone):%H:%M}" if when else "",
        }
        if who
        else "",
        "lines": [
            {
                "name": str(member),
                "score": "–" if score is None else score,
                "differs": known and score != other,
            }
            for member, score, other in zip(
                (match.first, match.second), scores, others, strict=True
            )
        ],
        "words": _("Victoire de %(name)s") % {"name": winner.first_name}
        if winner
        else _("Match nul"),
    }


def _delay(match: Match, contest: Contest | None) -> int | None:
    """How many seconds after the entry the contest came."""
    if contest is None or match.submitted_at is None:
        return None
    return int((contest.opened_at - match.submitted_at).total_seconds())


@arbiter_required
@never_cache
@require_http_methods(["GET", "POST"])
def match_judge(request: HttpRequest, match_id: int) -> HttpResponse:
    """What an arbiter may do on an open match: contest a slip, note an absence, cancel."""
    match, at, by = _match(request, match_id), timezone.now(), _actor(request)
    results.lapse(match=match, at=at)
    match.refresh_from_db()
    if not match.is_open:
        return redirect("pairings:match_correct", match_id=match.pk)
    contest = match.contests.open().filter(late=False).first()
    if contest is not None:
        return redirect("pairings:dispute", contest_id=contest.pk)
    allowed = results.allowed(match, by=by, at=at)
    form = JudgeForm(request.POST or None, allowed=allowed, match=match)
    if request.method == "POST" and form.is_valid():
        try:
            _judge_act(match, form.cleaned_data, by, at)
            messages.success(request, _("C’est noté."))
            return redirect(match)
        except Refused as refused:
            form.add_error(None, str(refused))
    context = {
        "match": match,
        "form": form,
        "own": match.seats(by.member),
        "timeline": [
            {"line": line, "words": line_words(line)}
            for line in match.lines.order_by("number").select_related("by_member")
        ],
        "at": at,
    }
    return render(request, "pairings/match_judge.html", context, status=422 if form.errors else 200)


def _judge_act(match: Match, given: dict[str, Any], by: Actor, at: datetime) -> None:
    act, reason = given["act"], given["reason"]
    if act == "contest":
        results.contest(match=match, by=by, at=at, subject=Contest.OTHER, words=reason)
    elif act == "start":
        results.start(match=match, by=by, at=at)
    elif act == "cancel":
        results.cancel(match=match, reason=reason, by=by, at=at)
    else:
        results.mark_absent(
            match=match,
            absent=act.removeprefix("absent_"),
            justified=given["justified"],
            reason=reason,
            by=by,
            at=at,
        )


@arbiter_required
@never_cache
@require_http_methods(["GET", "POST"])
def absence_list(request: HttpRequest) -> HttpResponse:
    """Excuses that wait for an answer, and the last absences."""
    organisation, at = organisation_of(request), timezone.now()
    bound: ReviewForm | None = None
    wanted = _number(request.POST.get("absence")) if request.method == "POST" else 0
    if request.method == "POST":
        absence = get_object_or_404(Absence.objects.of(organisation), pk=wanted)
        bound = ReviewForm(request.POST)
        if bound.is_valid():
            try:
                absences.review(
                    absence=absence,
                    justified=bound.cleaned_data["justified"] == "yes",
                    reason=bound.cleaned_data["reason"],
                    by=_actor(request),
                    at=at,
                )
                messages.success(request, _("C’est noté."))
                return redirect("pairings:absence_list")
            except Refused as refused:
                bound.add_error(None, str(refused))
    recent = (
        Absence.objects.of(organisation)
        .select_related("member", "match__evening", "match__first", "match__second")
        .order_by("-noted_at", "-pk")[:60]
    )
    rows = [
        {
            "absence": absence,
            "form": bound
            if bound and absence.pk == wanted
            else ReviewForm(auto_id=f"a{absence.pk}_%s"),
        }
        for absence in recent
    ]
    context = {"rows": rows, "at": at}
    failed = bound is not None and bool(bound.errors)
    return render(request, "pairings/absence_list.html", context, status=422 if failed else 200)
