"""Computing, checking and validating one competition, and what its control page prints."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.forms import Form
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from clubs.accounts.actor import Actor, Refused, refused_as_message
from clubs.accounts.permissions import committee_of, committee_required, organisation_of
from clubs.approvals.forms import ApprovalForm
from clubs.members.models import Member
from clubs.templatetags.ui import signed
from clubs.ui.sent import has_errors, render_form, whole_number
from clubs.upkeep import jobs
from clubs.upkeep.models_jobs import Job
from clubs.upkeep.views import answer as job_answer
from clubs.upkeep.views import progress
from ratings import systems
from ratings.competitions import actions as competitions
from ratings.competitions import drafts, long_corrections
from ratings.competitions.forms import DropForm, ReasonForm, UnofficialForm
from ratings.handovers.corrections import club_reads, is_returned
from ratings.ledger import corrections, settlement
from ratings.ledger.models import Period, RatingList
from ratings.ledger.origins import UNOFFICIAL
from ratings.lists.formatting import label_word
from ratings.lists.views import list_of_address
from ratings.lists.views_competitions import OfficialForm, competition_page

LINES = 100
"""Those who move on one page of a control or of a correction's effect."""
FRIENDLY, DROPPED = "amicale", "abandonner"
UNRATED: dict[str, type[Form]] = {FRIENDLY: UnofficialForm, DROPPED: DropForm}


def period_of(request: HttpRequest, slug: str, period_id: int) -> Period:
    """Return a period of a list of this organisation (404 otherwise)."""
    return get_object_or_404(
        Period.objects.select_related("rating_list__organisation", "rule_book"),
        pk=period_id,
        rating_list=list_of_address(request, slug),
    )


@committee_required
@require_http_methods(["GET", "POST"])
def run(request: HttpRequest, slug: str, period_id: int) -> HttpResponse:
    """Show the four steps of one competition: brought in, computed, checked, validated."""
    period = period_of(request, slug, period_id)
    if period.kind == UNOFFICIAL:
        return redirect("ratings:competition", slug=slug, period_id=period.pk)
    rating_list, now = period.rating_list, timezone.now()
    latest = jobs.latest(Job.Kind.DRY, period.pk, at=now)
    followed = job_answer(request, latest)
    if followed is not None:
        return followed
    late = period.settled_at is None and competitions.is_late(period)
    posted = request.POST if late and request.POST.get("act") == "valider" else None
    form = ReasonForm(posted)
    done = latest if latest and latest.state == Job.State.DONE else None
    touches = late and latest is not None and latest.result.get("editions")
    wants_two = touches and settlement.wants_two(rating_list, now)
    approval = approval_form(request, posted) if wants_two else None
    unrated = {
        act: kind(request.POST if request.POST.get("act") == act else None, auto_id=f"{act}_%s")
        for act, kind in UNRATED.items()
    }
    refusal = ""
    if request.method == "POST":
        if period.settled_at is not None:
            messages.info(request, _("Cette compétition est déjà comptée."))
            return redirect("ratings:competition", slug=slug, period_id=period.pk)
        try:
            answer = _do(request, period, form, approval, unrated, now)
        except Refused as refused:
            answer, refusal = None, str(refused)
            period.refresh_from_db()  # what the refused act had set was taken back with it
        if answer is not None:
            return answer
    wrong = refusal or has_errors(form, approval, *unrated.values())
    if request.method == "POST" and not wrong:
        return redirect("ratings:run", slug=slug, period_id=period.pk)
    control = control_of(rating_list, done) if done else None
    moves = Paginator(control["rows"] if control else (), LINES)
    context = {
        "list": rating_list,
        "period": period,
        "late": late,
        "is_returned": is_returned(period),
        "club_reads": club_reads([period.pk]),
        "approval": approval,
        "run": latest,
        "control": control,
        "page": moves.get_page(request.GET.get("page")),
        "stale": done is not None and done.result["version"] != rating_list.version,
        "form": form,
        "unrated": unrated,
        "refusal": refusal,
        "official_when": _official_when(rating_list),
        **_asked(period),
        "games": period.games.in_force().count(),
        "placings": period.placings.in_force().count(),
    }
    return render_form(request, "ratings/competitions/run.html", context, refused=wrong)


def _asked(period: Period) -> dict[str, bool]:
    """Return whether the list's document asks something of the event, and of its new players."""
    about_players = drafts.lines_asked(period.rating_list)
    asks = systems.system(period.rating_list.system).asks
    asks_facts = period.kind == settlement.GAMES and len(about_players) < len(asks)
    return {
        "asks_facts": asks_facts,
        "asks_newcomers": bool(about_players) and drafts.newcomers_of(period).exists(),
    }


def _do(
    request: HttpRequest,
    period: Period,
    form: ReasonForm,
    approval: ApprovalForm | None,
    unrated: dict[str, Form],
    now: datetime,
) -> HttpResponse | None:
    """Do what the sent form names; return its answer, None for this page again."""
    act, by = request.POST.get("act", ""), committee_of(request)
    if act == "calculer":
        club = period.rating_list.organisation
        jobs.ask(organisation=club, kind=Job.Kind.DRY, target_id=period.pk, by=by, at=now)
    elif act == "valider":
        return _validate(request, period, form, approval, by, now)
    elif act in unrated:
        return _leave_unrated(request, period, act, unrated[act], now)
    return None


def _leave_unrated(
    request: HttpRequest, period: Period, act: str, form: Form, now: datetime
) -> HttpResponse | None:
    """Keep a competition that waits without rating it, or give it up."""
    if not form.is_valid():
        return None
    by, why = committee_of(request), form.cleaned_data["reason"]
    if act == FRIENDLY:
        drafts.say_official(period=period, official=False, reason=why, by=by, at=now)
        return None
    competitions.drop(period=period, reason=why, by=by, at=now)
    messages.success(request, _("La compétition est abandonnée."))
    return redirect("ratings:desk_list", slug=period.rating_list.slug)


def _official_when(rating_list: RatingList) -> str:
    """Return the rule by which a competition counts, in the words of the list's document."""
    words = systems.system(rating_list.system).official_when
    return _(words) if words else ""


def approval_form(request: HttpRequest, posted: QueryDict | None) -> ApprovalForm:
    """Return the form of who approves in the committee, where two people are wanted."""
    by = committee_of(request)
    return ApprovalForm(posted, organisation=organisation_of(request), by=by)


def _validate(
    request: HttpRequest,
    period: Period,
    form: ReasonForm,
    approval: ApprovalForm | None,
    by: Actor,
    now: datetime,
) -> HttpResponse | None:
    """Rate it: settle the newest competition, insert an older one by a replay."""
    rating_list = period.rating_list
    seen = whole_number(request.POST.get("seen"))
    if seen is None or seen != rating_list.version:
        raise settlement.LedgerRefused(
            _("La liste ou ses règles ont changé depuis le calcul à blanc : recommencez-le."),
            code="stale",
        )
    if form.is_bound:
        if not form.is_valid():
            return None
        approver = approval.ask(at=now) if approval is not None else None
        if approval is not None and approver is None:
            return None
        insertion, reason = corrections.insert_event(period), form.cleaned_data["reason"]
        if long_corrections.is_long(rating_list):
            asked = long_corrections.asked(insertion, rating_list=rating_list, back=request.path)
            job = long_corrections.ask_to_apply(
                organisation=rating_list.organisation,
                given=asked,
                reason=reason,
                seen={str(rating_list.pk): seen},
                approver=approver,
                by=by,
                at=now,
            )
            return redirect("ratings:long_correction", run_id=job.pk)
        settlement.apply(
            rating_list=rating_list,
            correction=insertion,
            by=by,
            at=now,
            reason=reason,
            seen=seen,
            approver=approver,
        )
    else:
        settlement.settle(period=period, by=by, at=now)
        if period.removed_at is not None:  # given up meanwhile
            raise settlement.LedgerRefused(_("Cette compétition vient de changer."), code="stale")
    messages.success(request, _("La compétition est comptée. La liste peut être publiée."))
    return redirect("ratings:competition", slug=rating_list.slug, period_id=period.pk)


def control_of(rating_list: RatingList, latest: Job) -> dict[str, Any]:
    """Return the control page's data: everybody who moves, biggest moves first, and what to check."""
    result = latest.result
    ids = {move["member"] for move in result["moves"]} | {
        odd["member"] for odd in result["oddities"]
    }
    names = {pk: member.full_name for pk, member in Member.objects.in_bulk(ids).items()}
    rows = [
        {
            "name": names.get(move["member"], "?"),
            "before": move["before"],
            "after": move["after"],
            "delta": (
                None
                if move["before"] is None or move["after"] is None
                else move["after"] - move["before"]
            ),
            "rank": move["rank"],
            "labels": label_words(move["labels"]),
            "newcomer": move["member"] in result["newcomers"],
        }
        for move in result["moves"]
    ]
    rows.sort(key=lambda row: (-abs(row["delta"] or 0), row["name"]))
    return {
        "rows": rows,
        "newcomers": [row for row in rows if row["newcomer"]],
        "labels": [row for row in rows if row["labels"] and not row["newcomer"]],
        "oddities": [oddity_words(rating_list, odd, names) for odd in result["oddities"]],
        "periods": result["periods"],
        "editions": result["editions"],
    }


def label_words(labels: list[list[object]]) -> list[tuple[str, str]]:
    """Return categories, series, grades and statuses before and after, in words."""
    return [(label_word(before), label_word(after)) for before, after in labels]


def oddity_words(rating_list: RatingList, odd: dict[str, Any], names: dict[int, str]) -> str:
    """Return one thing to check, as a sentence."""
    name = names.get(odd["member"], "?")
    if odd["kind"] == "big_move":
        return _("%(name)s bouge de %(by)s points.") % {"name": name, "by": signed(odd["by"])}
    if odd["kind"] == "one_sided":
        return _("%(name)s n’a que des victoires ou que des défaites en %(n)s parties.") % {
            "name": name,
            "n": odd["games"],
        }
    if odd["kind"] == "suspended":
        return _("Licence suspendue : %(name)s.") % {"name": name}
    sentences, kind = systems.system(rating_list.system).oddities, odd["kind"]
    return _(sentences[kind]) % {"name": name}


@committee_required
@require_http_methods(["GET", "POST"])
def make_official(request: HttpRequest, slug: str, period_id: int) -> HttpResponse:
    """Let a competition kept as not official be rated after all.

    The address of a refused form, opened again, redirects to the competition.
    """
    period, form = period_of(request, slug, period_id), OfficialForm(request.POST)
    if request.method == "GET":
        return redirect("ratings:competition", slug=slug, period_id=period.pk)
    if not form.is_valid():
        return competition_page(request, period, form)
    by, reason = committee_of(request), form.cleaned_data["reason"]
    with refused_as_message(request):
        drafts.say_official(period=period, official=True, reason=reason, by=by, at=timezone.now())
        return redirect("ratings:run", slug=slug, period_id=period.pk)
    return redirect("ratings:competition", slug=slug, period_id=period.pk)


@committee_required
@require_GET
def run_state(request: HttpRequest, slug: str, period_id: int) -> HttpResponse:
    """Return the progress of the dry run: the page fetches it again while the run lasts."""
    period = period_of(request, slug, period_id)
    return progress(request, jobs.latest(Job.Kind.DRY, period.pk, at=timezone.now()))
