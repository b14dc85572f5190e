"""A player's actions on a phone: entry, confirmation, agreement on one phone, contest, absence."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from clubs.accounts.actor import Refused
from clubs.accounts.permissions import organisation_of, player_required, received_at
from clubs.members.models import Member
from clubs.rulebooks.wording import in_minutes
from clubs.ui.sent import render_form
from pairings.arbitration import actions as arbitration
from pairings.matches import actions as match_actions
from pairings.matches import photos
from pairings.matches.forms import AbsenceForm, DisputeForm, ScoreForm, VersionForm
from pairings.matches.models import Match
from pairings.matches.views.match import (
    TOO_LATE,
    actor_at,
    happened_words,
    in_order,
    is_settled_alike,
    late_words,
    next_page,
    own_match,
    own_match_context,
    sides,
)
from pairings.rules.match_state import NOT_STARTED, Event, Kind, Status
from pairings.tournaments import player_match


@player_required
@require_http_methods(["GET", "POST"])
def result_enter(request: HttpRequest, match_id: int) -> HttpResponse:
    """Enter the result of the reader's match, by games or as two numbers."""
    try:
        match, member = own_match(request, match_id)
    except Http404:  # the code of an old slip, on a table where others sit now
        if request.method == "POST":
            raise  # the outbox of a phone takes a redirect as a result that arrived
        matches = Match.objects.of(organisation_of(request))
        return redirect(get_object_or_404(matches, pk=match_id, status=Status.CANCELLED))
    if match.competition.winning_games() > 1:
        return player_match.enter_games(request, match, member)
    return _enter_score(request, match, member)


def _enter_score(request: HttpRequest, match: Match, member: Member) -> HttpResponse:
    """Enter two numbers: the reader's score, then the opponent's.

    The resulting sentence is shown before sending. Where no script has shown what is rare about the
    scores, the page comes back once and says so; what the outbox kept was read on its phone.
    """
    at = received_at(request)
    rules = match.competition.match_rules()
    here = sides(match, member)
    mine_entered = match.submitted_by_id == member.pk
    enterable = match.status in (Status.PROPOSED, Status.PLAYING) or (
        match.status == Status.SUBMITTED and mine_entered
    )
    if request.method == "GET" and not enterable:
        return redirect(next_page(match, member))
    initial = {"key": uuid.uuid4().hex, "version": match.version}
    if mine_entered:
        initial |= {"mine": here["mine"], "theirs": here["theirs"]}
    form = ScoreForm(request.POST or None, request.FILES or None, initial=initial, rules=rules)
    before, doubts, already_sent = _scores_before(match, member), [], False
    if enterable and form.is_valid() and "X-Outbox" not in request.headers:
        doubts = form.doubts(before)
    if request.method == "POST" and form.is_valid() and not doubts:
        try:
            with photos.kept(form.cleaned_data["photo"]) as photo:
                after = match_actions.enter_score(
                    match=match,
                    by=actor_at(request),
                    mine=form.cleaned_data["mine"],
                    theirs=form.cleaned_data["theirs"],
                    key=form.cleaned_data["key"] or request.headers.get("Idempotency-Key", "")[:64],
                    photo=photo,
                    version=form.read(),
                    at=at,
                )
        except photos.PhotoRefused as refused:
            form.add_error("photo", str(refused))
        except Refused as refused:
            already_sent = refused.code == "already_sent"
            form.add_error(None, late_words(request, refused, match, member))
        else:
            if "same_phone" in request.POST and after.status == Status.SUBMITTED:
                return redirect("pairings:result_pin", match_id=after.pk)
            return redirect("pairings:my_evening")
    context = {
        "form": form,
        **own_match_context(request, match, member, at),
        "editing": mine_entered or already_sent,
        "already_sent": already_sent,
        "sent": "{mine} – {theirs}".format(**sides(match, member)),
        "points_scale": match.competition.points_scale(),
        "before": before,
        "doubts": doubts,
    }
    return _entry_page(request, form, context)


def _entry_page(request: HttpRequest, form: ScoreForm, context: dict[str, Any]) -> HttpResponse:
    """Render the form of a result; where none can be sent any more, without the points it would bring."""
    can_send = context["allowed"] & {Event.SUBMIT, Event.EDIT}
    context["is_over"] = bool(form.non_field_errors()) and not can_send
    return render_form(request, "pairings/matches/result_enter.html", context)


def _scores_before(match: Match, member: Member) -> str:
    """Return the scores of the player's match before this one, theirs first ("389-398"), or ""."""
    before = (
        Match.objects.of(match.organisation)
        .involving(member)
        .filter(kind=Kind.PLAYED, proposed_at__lt=match.proposed_at)
        .order_by("-proposed_at", "-pk")
        .first()
    )
    if before is None or None in (before.first_score, before.second_score):
        return ""
    scores = (before.first_score, before.second_score)
    return "-".join(map(str, scores if before.first_id == member.pk else scores[::-1]))


def _sent_to_the_committee(
    request: HttpRequest, match: Match, member: Member, photo: UploadedFile | None
) -> str:
    """Return what became of a contest that came after the window, with the reason."""
    words = [
        happened_words(request, match, member),
        _("Votre demande est transmise au comité."),
    ]
    if photo:
        words.append(_("La photo n’est pas jointe : montrez la feuille au comité."))
    return " ".join(words)


@player_required
@require_http_methods(["GET", "POST"])
def result_confirm(request: HttpRequest, match_id: int) -> HttpResponse:
    """Confirm or contest the scores shown; nothing can be edited here.

    Many players confirm in the same minute, so a confirmation reads the match once, under its lock.
    """
    at = received_at(request)
    form = VersionForm(request.POST or None)
    error, late = "", False
    if request.method == "POST" and form.is_valid():
        here = Match(pk=match_id, organisation=organisation_of(request))
        try:
            match_actions.confirm(
                match=here, by=actor_at(request), at=at, version=form.cleaned_data["version"]
            )
        except Match.DoesNotExist:
            raise Http404 from None
        except Refused as refused:
            error = str(refused)
            late = refused.code in TOO_LATE
        else:
            messages.success(request, _("Résultat confirmé. Merci !"))
            return redirect("pairings:my_evening")
    elif request.method == "POST":  # a modified form does not say which result was read
        error = _("Ce résultat a changé depuis que vous l’avez lu. Relisez-le avant d’agir.")
    match, member = own_match(request, match_id)
    if late:
        error = happened_words(request, match, member) or error
        if is_settled_alike(match) and match.version == form.cleaned_data["version"] + 1:
            messages.info(request, error)  # the result that was read, and no other, stands
            return redirect(match)
    if request.method == "GET":  # a confirmation expires the window itself
        match_actions.lapse_read(match, at=at)
    is_own_entry = match.status == Status.SUBMITTED and match.submitted_by_id == member.pk
    if (
        is_own_entry or match.status not in (Status.SUBMITTED, Status.ABSENCE_CLAIMED)
    ) and not error:
        return redirect(next_page(match, member))
    context = {
        "error": error,
        "version": match.version,
        "sheet": match.submissions.exclude(photo="").order_by("-pk").first(),
        **own_match_context(request, match, member, at),
        **match.competition.points_if_final(member),
    }
    return render(
        request, "pairings/matches/result_confirm.html", context, status=409 if error else 200
    )


def _is_waited_for(match: Match, member: Member) -> bool:
    """Return whether a contest, or the player's own late request, waits for its answer already."""
    return match.status == Status.CONTESTED or match.contests.requests_of(member).exists()


def _typed_before(request: HttpRequest) -> dict[str, str]:
    """Return the scores that came too late on another page: they are not typed again."""
    return {name: request.GET[name] for name in ("mine", "theirs") if name in request.GET}


@player_required
@require_http_methods(["GET", "POST"])
def result_dispute(request: HttpRequest, match_id: int) -> HttpResponse:
    """Contest the result ("Non, je conteste"); after the window, send a request to the committee."""
    match, member = own_match(request, match_id)
    at = received_at(request)
    match_actions.lapse_read(match, at=at)
    late = not match.is_open
    if request.method == "GET" and _is_waited_for(match, member):
        return redirect(match)  # which says what is waited for
    form = DisputeForm(
        request.POST or None,
        request.FILES or None,
        initial={"version": match.version, **_typed_before(request)},
        rules=match.competition.match_rules(),
        by_games=match.competition.winning_games() > 1,
    )
    if request.method == "POST" and form.is_valid():
        answers = form.cleaned_data
        scores = None
        if answers["mine"] is not None:
            scores = in_order(match, member, answers)
        try:
            if late:
                arbitration.ask_committee(
                    match=match, by=actor_at(request), at=at, words=answers["words"], scores=scores
                )
                messages.success(
                    request, _sent_to_the_committee(request, match, member, answers["photo"])
                )
            else:
                with photos.kept(answers["photo"]) as photo:
                    match_actions.contest(
                        match=match,
                        by=actor_at(request),
                        at=at,
                        subject=answers["subject"],
                        words=answers["words"],
                        scores=scores,
                        photo=photo,
                        version=answers["version"],
                    )
                messages.success(
                    request,
                    _("Le match est dans la liste de l’arbitre. Rien ne change avant sa décision."),
                )
            return redirect("pairings:my_evening" if not late else match)
        except photos.PhotoRefused as refused:
            form.add_error("photo", str(refused))
        except Refused as refused:
            form.add_error(None, late_words(request, refused, match, member))
            late = not match.is_open
    context = {
        "form": form,
        "late": happened_words(request, match, member) if late else "",
        "waited_for": form.is_bound and _is_waited_for(match, member),
        **own_match_context(request, match, member, at),
    }
    return render_form(request, "pairings/matches/result_dispute.html", context)


@player_required
@require_http_methods(["GET", "POST"])
def absence_report(request: HttpRequest, match_id: int) -> HttpResponse:
    """Claim the opponent's absence ("Mon adversaire n’est pas là"), answer or take back such a claim."""
    match, member = own_match(request, match_id)
    at = received_at(request)
    match_actions.lapse_read(match, at=at)
    claimed = match.status == Status.ABSENCE_CLAIMED
    form = AbsenceForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            # The form says which button was pressed: an answer from a page read before the
            # opponent's claim must not be taken as an answer to that claim.
            if "deny" in request.POST:
                match_actions.deny_absence(
                    match=match, by=actor_at(request), at=at, words=form.cleaned_data["words"]
                )
                messages.success(request, _("Le match est dans la liste de l’arbitre."))
            elif "agree" in request.POST:
                seen = match.version if claimed else -1  # a score is confirmed on its own page
                match_actions.confirm(match=match, by=actor_at(request), at=at, version=seen)
            elif "withdraw" in request.POST:
                match_actions.withdraw_absence(match=match, by=actor_at(request), at=at)
                messages.success(request, _("L’absence est retirée. Bonne partie !"))
            elif not (claimed and match.submitted_by_id == member.pk):  # sent twice: said once
                match_actions.claim_absence(match=match, by=actor_at(request), at=at)
                messages.success(request, _("L’absence est signalée."))
            return redirect("pairings:my_evening")
        except Refused as refused:
            form.add_error(None, late_words(request, refused, match, member))
            claimed = match.status == Status.ABSENCE_CLAIMED
            if (
                "agree" in request.POST
                and is_settled_alike(match)
                and member.pk in match.absentee_ids()
            ):
                messages.info(request, happened_words(request, match, member))
                return redirect(match)
            if match.status == Status.PLAYING and _answers_claim(request):
                messages.info(request, _("L’absence a été retirée : le match est en cours."))
                return redirect("pairings:my_evening")
    may_claim = match.status in NOT_STARTED
    if not (claimed or may_claim or form.errors):
        return redirect(next_page(match, member))
    context = {
        "form": form,
        "claimed": claimed,
        "may_claim": may_claim,
        "time_to_answer": in_minutes(match.competition.match_rules().contest_window_s),
        "points_scale": match.competition.points_scale(),
        **own_match_context(request, match, member, at),
    }
    return render_form(request, "pairings/matches/absence_report.html", context)


def _answers_claim(request: HttpRequest) -> bool:
    """Return whether the button that was pressed is of a claimed absence."""
    return any(button in request.POST for button in (Event.DENY, Event.WITHDRAW, "agree"))
