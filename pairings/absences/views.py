"""Views of a member's absences and appeals, the arbiters' answers and the committee's sanctions."""

from __future__ import annotations

from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from clubs.accounts.actor import COMMITTEE, PLAYER, Actor, Refused, refused_in
from clubs.accounts.permissions import (
    access_of,
    actor_of,
    arbiter_required,
    committee_required,
    member_required,
    organisation_of,
)
from clubs.accounts.reauthentication import weighty
from clubs.members import merging
from clubs.members.models import Member
from clubs.rulebooks import actions as rulebooks
from clubs.sanctions import actions as sanctions
from clubs.sanctions.models import Sanction
from clubs.ui.french import written
from clubs.ui.sent import has_errors, number_of, render_form
from pairings.absences import actions as absences
from pairings.absences import suspensions
from pairings.absences.models import Absence
from pairings.arbitration.forms import LiftForm, ReviewForm, SanctionForm, TextForm
from pairings.evenings import queries as evening_queries
from pairings.matches.competition import evening_of
from pairings.ranking import projection
from pairings.ranking import season as seasons
from pairings.ranking.season import pairing_rules
from ratings.ledger.models import StandingCote
from ratings.ledger.replay import Difference
from ratings.systems.storage import state_from_json

PAGE = 50


@member_required
@require_GET
def my_absences(request: HttpRequest) -> HttpResponse:
    """Show the ten dots, each absence with its answer, and any sanction with its appeal."""
    organisation, at = organisation_of(request), timezone.now()
    member = access_of(request).member
    assert member is not None
    season = seasons.season_of(organisation, at=at)
    book = projection.rules_shown(organisation, at=at)
    rules = pairing_rules(book)
    dots, restarted = absences.strip_of(member, season, book) if season else ((), False)
    marks = [_mark(dot.absent, dot.justified) for dot in dots]
    cases = Sanction.objects.filter(member=member).order_by("-proposed_at", "-pk")
    undone = absences.cuts_undone(cases)
    context = {
        "marks": marks,
        "missed": marks.count("absent"),
        "window": rules.absence_window,
        "restarted": restarted,
        "limit": rules.absence_limit,
        "absences": Absence.objects.of(organisation)
        .filter(member__in=merging.family_of(member))
        .select_related("match__evening", "match__first", "match__second")
        .order_by("-noted_at", "-pk"),
        "sanctions": [(case, case.pk in undone) for case in cases],
        "at": at,
    }
    return render(request, "pairings/absences/my_absences.html", context)


def _mark(absent: bool, justified: bool) -> str:
    """Return how a match is marked in the strip of a member's last ones."""
    if not absent:
        return "present"
    return "excused" if justified else "absent"


def _one_text(request: HttpRequest, form: TextForm, words: dict[str, str]) -> HttpResponse:
    """Render the page of one text to send."""
    return render_form(request, "pairings/absences/one_text.html", {"form": form, **words})


@member_required
@require_http_methods(["GET", "POST"])
def absence_justify(request: HttpRequest, absence_id: int) -> HttpResponse:
    """Let the member excuse an absence, or write the excuse anew, until an arbiter has answered."""
    access = access_of(request)
    absence = get_object_or_404(
        Absence.objects.of(organisation_of(request)).select_related("match__evening"),
        pk=absence_id,
        member__in=merging.family_of(access.member) if access.member else [],
    )
    form = TextForm(request.POST or None, initial={"text": absence.excuse})
    if request.method == "POST" and form.is_valid():
        with refused_in(form):
            absences.excuse(
                absence=absence,
                words=form.cleaned_data["text"],
                by=access.actor(PLAYER),
                at=timezone.now(),
            )
            messages.success(request, _("Un arbitre lira votre justification."))
            return redirect("pairings:my_absences")
    words = {
        "title": _("Justifier une absence"),
        "subtitle": written(evening_of(absence.match).held_on, "j F Y"),
        "button": _("Envoyer"),
    }
    return _one_text(request, form, words)


@member_required
@require_http_methods(["GET", "POST"])
def appeal(request: HttpRequest, sanction_id: int) -> HttpResponse:
    """Let the member appeal while they may."""
    access = access_of(request)
    sanction = get_object_or_404(Sanction, pk=sanction_id, member=access.member)
    form = TextForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with refused_in(form):
            sanctions.appeal(
                sanction=sanction,
                text=form.cleaned_data["text"],
                by=access.actor(PLAYER),
                at=timezone.now(),
            )
            messages.success(request, _("Votre appel est transmis au comité."))
            return redirect("pairings:my_absences")
    words = {"title": _("Faire appel"), "subtitle": sanction.reason, "button": _("Envoyer l’appel")}
    return _one_text(request, form, words)


@arbiter_required
@require_http_methods(["GET", "POST"])
def absence_list(request: HttpRequest) -> HttpResponse:
    """List the excuses pending an answer, and the last absences."""
    organisation, at = organisation_of(request), timezone.now()
    bound: ReviewForm | None = None
    wanted = number_of(request.POST.get("absence")) if request.method == "POST" else 0
    if request.method == "POST":
        absence = get_object_or_404(Absence.objects.of(organisation), pk=wanted)
        bound = ReviewForm(request.POST)
        if bound.is_valid():
            with refused_in(bound):
                absences.review(
                    absence=absence,
                    justified=bound.cleaned_data["justified"] == "yes",
                    reason=bound.cleaned_data["reason"],
                    seen=bound.cleaned_data["seen"],
                    by=actor_of(request),
                    at=at,
                )
                messages.success(request, _("Votre réponse est enregistrée."))
                return redirect("pairings:absence_list")
            bound.data = request.POST.dict() | {"seen": absence.version}  # read by now
    waiting = list(absences.to_review(organisation))
    recent = (
        Absence.objects.of(organisation)
        .exclude(pk__in=[absence.pk for absence in waiting])
        .select_related("member", "match__evening", "match__first", "match__second")
        .order_by("-noted_at", "-pk")[:60]
    )
    by = actor_of(request)
    rows = [
        {
            "absence": absence,
            "waits": number < len(waiting),
            "own": absence.match.seats(by.member),
            "form": bound
            if bound and absence.pk == wanted
            else ReviewForm(auto_id=f"a{absence.pk}_%s", initial={"seen": absence.version}),
        }
        for number, absence in enumerate([*waiting, *recent])
    ]
    proposals = Sanction.objects.filter(
        member__organisation=organisation, status=Sanction.Status.PROPOSED
    ).count()
    context = {"rows": rows, "proposals": proposals}
    return render_form(
        request,
        "pairings/absences/absence_list.html",
        context,
        refused=has_errors(bound),
    )


@committee_required
@require_GET
def sanction_list(request: HttpRequest) -> HttpResponse:
    """List all that waits for a decision, then the decided sanctions a page at a time."""
    cases = Sanction.objects.filter(member__organisation=organisation_of(request))
    cases = cases.select_related("member").order_by("-proposed_at", "-pk")
    imposed = cases.filter(status=Sanction.Status.IMPOSED)
    decided = cases.exclude(status=Sanction.Status.PROPOSED)
    context = {
        "proposed": cases.open_proposals(),
        "appealed": imposed.filter(appealed_at__isnull=False, appeal_answer=""),
        "unfounded": imposed.filter(unfounded_at__isnull=False),
        "page": Paginator(decided, PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "pairings/absences/sanction_list.html", context)


ENDS = {"lift", "refuse_appeal", "dismiss"}


@committee_required
@weighty(when=lambda request: bool({"impose", *ENDS} & request.POST.keys()))
@require_http_methods(["GET", "POST"])
def sanction(request: HttpRequest, sanction_id: int) -> HttpResponse:
    """Show one case: the absences, a preview of the effect, the decision, the appeal."""
    access, at = access_of(request), timezone.now()
    case = get_object_or_404(
        Sanction.objects.select_related("member__organisation"),
        pk=sanction_id,
        member__organisation=organisation_of(request),
    )
    grounds = case.grounds
    form = SanctionForm(
        request.POST if "sessions" in request.POST else None,
        initial={
            "sessions": grounds.get("suspension_rounds", 0),
            "cut_percent": _in_hundredths(grounds.get("rating_cut_percent", 0)),
        },
    )
    posted = request.POST if ENDS & request.POST.keys() else None
    back = _given_back(case, at)
    reason_form = LiftForm(posted, preview=back, auto_id="end_%s")
    tonight = evening_queries.live_evening(case.member.organisation)
    if tonight is None:
        del form.fields["from_tonight"]
    if request.method == "POST":
        by = access.actor(COMMITTEE)
        try:
            if reason_form.is_bound:
                if reason_form.is_valid():
                    _close_case(request, case, reason_form, by, at)
                    return redirect("pairings:sanction_list")
            elif "impose" in request.POST and form.is_valid():
                _impose(case, form, by, at)
                messages.success(request, _("La sanction est prononcée ; la personne la voit."))
                return redirect("pairings:sanction_list")
        except Refused as refused:
            (reason_form if reason_form.is_bound else form).add_error(None, str(refused))
            case.refresh_from_db()
            back = _given_back(case, at)
    context = {
        "sanction": case,
        "cut_undone": bool(absences.cuts_undone([case])),
        "form": form,
        "reason_form": reason_form,
        "own": access.member is not None and access.member.pk == case.member_id,
        "effect": cut_effect(case, form, at=at),
        "left": suspensions.still_to_serve(case, at=at),
        "seen": back.version if back is not None else None,
        "back": _cotes_of(back),
        "appeal_days": seasons.rules_at(case.member.organisation, at).appeal_days,
        "marks": [_mark(dot["absent"], dot["justified"]) for dot in grounds.get("window", [])],
    }
    return render_form(
        request,
        "pairings/absences/sanction.html",
        context,
        refused=has_errors(form, reason_form),
    )


def _given_back(sanction: Sanction, at: datetime) -> Difference | None:
    """Return what lifting a sanction in force would give back of its cut."""
    if sanction.status != Sanction.Status.IMPOSED:
        return None
    return absences.cut_given_back(sanction, at=at)


def _in_hundredths(percent: object) -> Decimal:
    """Return a proposed percentage, exact as "25/2", with the decimals that the form takes."""
    exact = Fraction(str(percent))
    cut = Decimal(exact.numerator) / exact.denominator
    return cut.quantize(Decimal(1) if exact.denominator == 1 else Decimal("0.01"), ROUND_HALF_UP)


def _impose(sanction: Sanction, form: SanctionForm, by: Actor, at: datetime) -> None:
    cut = form.cleaned_data["cut_percent"] or Decimal(0)
    absences.impose(
        sanction=sanction,
        reason=form.cleaned_data["reason"],
        by=by,
        at=at,
        sessions=form.cleaned_data["sessions"] or 0,
        from_tonight=form.cleaned_data.get("from_tonight", False),
        cut_percent=cut if cut > 0 else None,
    )


def _close_case(
    request: HttpRequest, sanction: Sanction, form: LiftForm, by: Actor, at: datetime
) -> None:
    """Lift a sanction, keep it, or uphold it against an appeal, according to the button pressed."""
    answers = form.cleaned_data
    reason = answers["reason"]
    if "lift" in request.POST:
        absences.lift(
            sanction=sanction,
            reason=reason,
            by=by,
            at=at,
            give_back=answers.get("give_back", False),
            seen=answers.get("seen"),
        )
        messages.success(request, _("La sanction est levée ; la personne le voit."))
    elif "dismiss" in request.POST:
        sanctions.dismiss(sanction=sanction, reason=reason, by=by, at=at)
        messages.success(request, _("La proposition est classée sans suite."))
    else:
        sanctions.refuse_appeal(sanction=sanction, reason=reason, by=by, at=at)
        messages.success(request, _("La sanction est maintenue ; la personne lit pourquoi."))


def _cotes_of(difference: Difference | None) -> list[dict[str, object]]:
    """Return the members whose cote a correction changes, with the values before → after."""
    if difference is None:
        return []
    people = Member.objects.in_bulk(difference.finals)
    return [
        {"member": people[pk], "before": before, "after": after}
        for pk, (before, after) in difference.finals.items()
    ]


def cut_effect(sanction: Sanction, form: SanctionForm, *, at: datetime) -> tuple[int, int] | None:
    """Return the cote before → after for the percentage now in the form."""
    percent: object = form.initial.get("cut_percent") or 0
    if form.is_bound:
        if "cut_percent" in form.errors:
            return None
        percent = form.cleaned_data["cut_percent"] or 0
    cote = StandingCote.objects.filter(
        member=sanction.member, rating_list__slug=rulebooks.LADDER
    ).first()
    organisation = sanction.member.organisation
    rules = rulebooks.rules_at(organisation, rulebooks.LADDER, "cote", at)
    floor = seasons.rules_at(organisation, at).rating_floor
    # With the decimals of the committee, as the cut applies; who has never played starts from the first cote.
    state = rules.newcomer() if cote is None else state_from_json(cote.state)
    cut = rules.adjust_percent(sanction.member_id, state, str(percent), cut_floor=floor)
    return rules.shown(state), rules.shown(cut.after)
