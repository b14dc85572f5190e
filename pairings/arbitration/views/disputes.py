"""Views to settle contests, correct results and judge open matches: a preview, then the reason."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from clubs.accounts.actor import Actor, refused_as_message, refused_in
from clubs.accounts.permissions import actor_of, arbiter_required, organisation_of
from clubs.accounts.reauthentication import weighty
from clubs.approvals.forms import ApprovalForm
from clubs.members.models import Member
from clubs.rulebooks.wording import in_minutes
from clubs.ui.french import victory_of
from clubs.ui.sent import has_errors, render_form
from pairings.arbitration import actions as arbitration
from pairings.arbitration import effects, opinions
from pairings.arbitration.forms import DecisionForm, ReasonForm
from pairings.arbitration.holders import holder_of
from pairings.arbitration.models import Contest
from pairings.arbitration.views.queue import task_rows
from pairings.matches import actions as match_actions
from pairings.matches.explanations import decided, timeline_of
from pairings.matches.models import Match
from pairings.matches.refusals import SENTENCES, has_recused, why_barred
from pairings.rules.match_state import Kind

TYPED = ("first_score", "second_score", "games", "reason", "words")
"""Fields of an arbiter's forms about one match that are typed, in the order of a sentence."""
LONGEST = 500
READ_WITH = (
    *("first", "second", "organisation", "rule_book"),
    *("evening__season", "evening__organisation", "round__tournament__organisation"),
)
"""What the pages about one match read with it."""


@arbiter_required
@require_GET
def dispute_list(request: HttpRequest) -> HttpResponse:
    """List the open contests and requests, then the last settled ones."""
    organisation, at = organisation_of(request), timezone.now()
    rows = task_rows(organisation, by=actor_of(request), at=at)
    tasks = [row for row in rows if row["kind"] in ("contest", "request")]
    settled = (
        Contest.objects.of(organisation)
        .filter(closed_at__isnull=False)
        .select_related("match__first", "match__second", "match__evening")
        .order_by("-closed_at", "-pk")[:30]
    )
    context = {"tasks": tasks, "settled": settled, "at": at}
    return render(request, "pairings/arbitration/dispute_list.html", context)


@arbiter_required
@require_http_methods(["GET", "POST"])
def dispute(request: HttpRequest, contest_id: int) -> HttpResponseBase:
    """Show the two versions, the timeline, and a preview of each decision."""
    contest = get_object_or_404(
        Contest.objects.of(organisation_of(request)).select_related(
            "opened_by", *(f"match__{name}" for name in READ_WITH)
        ),
        pk=contest_id,
    )
    if contest.closed_at is not None:
        say_changed(request)
        return redirect(contest.match)
    return _asked(request, contest.match, contest)


@arbiter_required
@require_http_methods(["GET", "POST"])
def match_correct(request: HttpRequest, match_id: int) -> HttpResponseBase:
    """Correct a result in force, with a preview of all changes including later evenings."""
    match = match_of(request, match_id)
    if match.is_open:
        say_changed(request)
        return redirect("pairings:match_judge", match_id=match.pk)
    return _asked(request, match, None)


def say_changed(request: HttpRequest) -> None:
    """Warn that the page was outdated and that the button had no effect; repeat what was typed."""
    if request.method != "POST" or "HX-Request" in request.headers:
        return
    typed = [request.POST.get(name, "").strip()[:LONGEST] for name in TYPED]
    words = [str(SENTENCES["wrong_state"])]
    if any(typed):
        words.append(_("Vous aviez saisi : %(typed)s") % {"typed": ", ".join(filter(None, typed))})
    messages.error(request, " ".join(words))


def match_of(request: HttpRequest, match_id: int) -> Match:
    matches = Match.objects.of(organisation_of(request)).select_related(*READ_WITH)
    return get_object_or_404(matches, pk=match_id)


def _asked(request: HttpRequest, match: Match, contest: Contest | None) -> HttpResponseBase:
    """Judge, after a recent proof where the decision contradicts what is published."""
    contradicts = "decide" in request.POST and bool(match_actions.published_with(match))
    judge = weighty()(_judge) if contradicts else _judge
    return judge(request, match, contest)


def _judge(request: HttpRequest, match: Match, contest: Contest | None) -> HttpResponse:
    """Handle a decision or a correction: same form, same table, same refusals."""
    at, by = timezone.now(), actor_of(request)
    late = contest is not None and contest.late
    barred = why_barred(match, contest, by)
    form = DecisionForm(
        request.POST if {"preview", "decide", "refuse"} & set(request.POST) else None,
        match=match,
        contest=contest,
        initial={"version": match.version},
    )
    reason_form = ReasonForm(request.POST if "pass_on" in request.POST else None, auto_id="pass_%s")
    approval = None
    if not match.is_open and match_actions.wants_two(match, at=at):
        answers = request.POST if "decide" in request.POST else None
        approval = ApprovalForm(answers, organisation=match.organisation, by=by)
    form.is_valid()  # the effect of a choice is shown before its reason is typed
    effect, seen = effects.read_effect(match, form.result())
    if request.method == "POST":
        answer = _judged(request, match, contest, form, reason_form, approval, seen, by, at)
        if answer is not None:
            return answer
    context = {
        "match": match,
        "contest": contest,
        "contested_by": contest.opened_by.first_name_for(viewer_is_member=True)
        if contest and contest.opened_by
        else "",
        "late": late,
        "heading": _heading(match, contest),
        "barred": barred,
        "is_player": match.seats(by.member),
        "closed": str(SENTENCES["tournament_closed"]) if match.competition.is_closed() else "",
        "form": form,
        "reason_form": reason_form,
        "at": at,
        "effect": effect,
        "seen": seen,
        "editions": match_actions.published_with(match),
        "approval": approval,
        "points_label": match.competition.points_label(),
        "versions": _versions(match, contest),
        "timeline": timeline_of(match, viewer_is_member=True),
        "decisions": decided(match, viewer_is_member=True),
        "photos": _photos(match, contest),
        "may_recuse": contest is None or not has_recused(contest, by),
        "opinions": opinions.said_of(contest) if contest else [],
        "second_opinion": _second_opinion(contest, barred, by),
        "delay": _delay(match, contest),
        "window": _window(match, contest),
        "window_time": in_minutes(match.competition.match_rules().contest_window_s),
        **_holder(contest, barred, by),
    }
    # An incomplete score is not an error yet: the page only requests a preview.
    typing = "HX-Request" in request.headers
    wrong = not typing and has_errors(form, reason_form, approval)
    return render_form(request, "pairings/arbitration/dispute.html", context, refused=wrong)


def _judged(
    request: HttpRequest,
    match: Match,
    contest: Contest | None,
    form: DecisionForm,
    reason_form: ReasonForm,
    approval: ApprovalForm | None,
    seen: str,
    by: Actor,
    at: datetime,
) -> HttpResponse | None:
    """Apply the button pressed; None to show the page again with what was typed.

    `seen`: the mark of the chosen effect as it is now; a decision must carry the same one.
    """
    if contest is not None and "take" in request.POST:
        with refused_as_message(request):
            arbitration.take(contest=contest, by=by, at=at)
        return redirect("pairings:dispute", contest_id=contest.pk)
    if contest is not None and "pass_on" in request.POST:
        return _pass_on(request, contest, reason_form, by, at)
    with refused_in(form, {"reason_required": "reason"}):
        if not form.is_valid():
            return None
        if contest is not None and contest.late and "refuse" in request.POST:
            answer = form.cleaned_data["reason"]
            arbitration.close_request(contest=contest, answer=answer, by=by, at=at)
            messages.success(request, _("La réponse est envoyée. Le résultat ne change pas."))
            return redirect("pairings:dispute_list")
        if "decide" not in request.POST:
            return None
        arbitration.check_read(request.POST.get("seen", ""), seen)
        details: dict[str, Any] = {
            "match": match,
            "result": form.result(),
            "reason": form.cleaned_data["reason"],
            "version": form.cleaned_data["version"],
            "by": by,
            "at": at,
        }
        if match.is_open:
            arbitration.settle(**details, contest=contest)
        else:
            approver = approval.ask(at=at) if approval is not None else None
            if approval is not None and approver is None:
                return None
            match_actions.correct(**details, approver=approver)
        messages.success(request, _("La décision est rendue. Les deux joueurs la voient."))
        return redirect(match)
    return None


def _pass_on(
    request: HttpRequest, contest: Contest, form: ReasonForm, by: Actor, at: datetime
) -> HttpResponse | None:
    """Handle "Me récuser": release the contest to the other arbiters."""
    if not form.is_valid():
        return None
    with refused_in(form):
        arbitration.pass_on(contest=contest, reason=form.cleaned_data["reason"], by=by, at=at)
        messages.success(request, _("Le litige attend un autre arbitre."))
        return redirect("pairings:dispute_list")
    return None


def _heading(match: Match, contest: Contest | None) -> str:
    """Return the title on the page: the contest and its table, or the match to correct."""
    if contest is not None and match.table_number:
        return _("Litige %(n)s, table %(t)s") % {"n": contest.pk, "t": match.table_number}
    if contest is not None:
        return _("Litige %(n)s") % {"n": contest.pk}
    if match.second is None:
        return _("Exempt : %(first)s") % {"first": match.first}
    return _("Corriger : %(first)s – %(second)s") % {"first": match.first, "second": match.second}


def _window(match: Match, contest: Contest | None) -> str:
    """Return whether the contest came "in_time" or when the window was "over"; empty without one."""
    if contest is None or match.submitted_at is None:
        return ""
    in_time = match.contest_until is not None and contest.opened_at <= match.contest_until
    return "in_time" if in_time else "over"


def _holder(contest: Contest | None, barred: str, by: Actor) -> dict[str, object]:
    """Return `holder`: "me", "other", or "nobody" where this arbiter may take it; `holder_name`."""
    if contest is None:
        return {"holder": ""}
    holder = holder_of(contest)
    if holder is None:
        return {"holder": "" if barred else "nobody"}
    is_own = by.user is not None and holder.user_id == by.user.pk
    return {"holder": "me" if is_own else "other", "holder_name": holder}


def _second_opinion(contest: Contest | None, barred: str, by: Actor) -> str:
    """Return what this arbiter may do about a second opinion: "to_ask", "asked" or "to_give"."""
    if contest is None or barred:
        return ""
    question = opinions.unanswered(contest)
    if question is None:
        return "to_ask"
    return "asked" if by.user is not None and question.by_id == by.user.pk else "to_give"


def _said_by(match: Match, author: Member | None, when: datetime | None) -> str:
    """Return whose version or sheet it is, and its hour; "" where nobody in person gave it."""
    if author is None:
        return ""
    hour = f"{when.astimezone(match.organisation.zone):%H:%M}" if when else ""
    return _("par %(name)s, %(hour)s") % {"name": author.full_name, "hour": hour}


def _photos(match: Match, contest: Contest | None) -> list[dict[str, str]]:
    """Return the last sheet that each person sent, with a score or with the contest: `url`, `by`."""
    found: dict[int | None, tuple[int, Member | None, datetime]] = {
        sent.by_id: (sent.pk, sent.by, sent.at)
        for sent in match.submissions.exclude(photo="").select_related("by").order_by("pk")
    }
    if contest is not None and contest.photo:
        found[contest.opened_by_id] = (0, contest.opened_by, contest.opened_at)
    return [
        {
            "url": reverse("pairings:photo", kwargs={"match_id": match.pk, "submission_id": pk}),
            "by": _said_by(match, author, when),
        }
        for pk, author, when in found.values()
    ]


def _versions(match: Match, contest: Contest | None) -> list[dict[str, object]]:
    """Return the version entered and the one claimed, with differing values marked."""
    if match.kind != Kind.PLAYED:
        return []
    entered = (match.first_score, match.second_score)
    claimed = (contest.first_score, contest.second_score) if contest else (None, None)
    if match.is_ruled:
        versions = [_version(_("Décision"), match, None, None, entered, claimed)]
    else:
        author, when = match.submitted_by, match.submitted_at
        versions = [_version(_("Saisie"), match, author, when, entered, claimed)]
    if contest is not None and contest.first_score is not None:
        versions.append(
            _version(
                _("Contestation"), match, contest.opened_by, contest.opened_at, claimed, entered
            )
        )
    return versions


def _version(
    title: str,
    match: Match,
    author: Member | None,
    when: datetime | None,
    scores: tuple[int | None, int | None],
    others: tuple[int | None, int | None],
) -> dict[str, object]:
    known = None not in others
    first, second = scores
    winner = None
    if first is not None and second is not None and first != second:
        winner = match.first if first > second else match.second
    return {
        "title": title,
        "by": _said_by(match, author, when),
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
        "words": victory_of(winner.first_name_for(viewer_is_member=True))
        if winner
        else _("Match nul"),
    }


def _delay(match: Match, contest: Contest | None) -> int | None:
    """Return the number of seconds from the entry to the contest."""
    if contest is None or match.submitted_at is None:
        return None
    return int((contest.opened_at - match.submitted_at).total_seconds())
