"""Pages of hand-overs: the officer's inbox, one hand-over, invited clubs; and the club's page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from clubs.accounts.actor import Refused, refused_as_message, refused_in
from clubs.accounts.permissions import committee_of, committee_required, organisation_of
from clubs.organisations.models import Organisation
from clubs.persons.actions import people_of
from clubs.ui.sent import has_errors, render_form, whole_number
from ratings.competitions.corrections.views_decision import decide
from ratings.competitions.views_brought import after_acceptance
from ratings.handovers import actions as handovers
from ratings.handovers import corrections, documents, queries
from ratings.handovers.documents import Competition
from ratings.handovers.forms import NO, YES, AnswerForm, HandOverForm, InviteForm
from ratings.handovers.models import FeedRight, HandOver
from ratings.handovers.queries import has_all, last_by_list, lists_open_to
from ratings.ledger.models import RatingList
from ratings.names.forms import NameForm, errors_of, posted_forms, shown_forms
from ratings.names.queries import open_names

NEWEST = 50
WITHDRAW, TELL = "retirer", "relier"


@committee_required
@require_GET
def handover_list(request: HttpRequest) -> HttpResponse:
    """Show the inbox: what waits for an answer, then what was answered."""
    received = HandOver.objects.told().filter(rating_list__organisation=organisation_of(request))
    received = received.select_related("club", "rating_list")
    waiting = received.waiting()
    rights = FeedRight.objects.filter(rating_list__organisation=organisation_of(request))
    context = {
        "has_invited": rights.filter(revoked_at__isnull=True).exists(),
        "waiting": waiting.order_by("held_on", "pk"),
        "answered": received.exclude(pk__in=waiting.values("pk")).order_by("-held_on", "-pk")[
            :NEWEST
        ],
    }
    return render(request, "ratings/handovers/handover_list.html", context)


def _handover_of(request: HttpRequest, handover_id: int) -> HandOver:
    return get_object_or_404(
        HandOver.objects.told().select_related(
            "club", "rating_list__organisation", "draft__period"
        ),
        pk=handover_id,
        rating_list__organisation=organisation_of(request),
    )


@committee_required
@require_http_methods(["GET", "POST"])
def handover(request: HttpRequest, handover_id: int) -> HttpResponse:
    """Show one hand-over, beside what arrived before; accept it, return it, tell its players."""
    stored_handover = _handover_of(request, handover_id)
    form = AnswerForm(request.POST or None, initial={"seen": stored_handover.version})
    name_forms = _name_forms(request, stored_handover)
    errors = errors_of(name_forms) if request.POST.get("act") == TELL else []
    if request.method == "POST" and form.is_valid() and not errors:
        with refused_in(form, {"reason_required": "reason"}):
            return _answer(request, stored_handover, form, name_forms)
    context = _page(stored_handover)
    context |= {"form": form, "name_forms": name_forms, "error_list": errors}
    return render_form(
        request, "ratings/handovers/handover.html", context, refused=form.errors or errors
    )


def _answer(
    request: HttpRequest, handover: HandOver, form: AnswerForm, name_forms: list[NameForm]
) -> HttpResponse:
    act, seen = request.POST.get("act"), form.cleaned_data["seen"]
    arguments: dict[str, Any] = {"handover": handover, "seen": seen}
    arguments |= {"by": committee_of(request), "at": timezone.now()}
    if act == "accepter":
        draft = handovers.accept(**arguments)
        return after_acceptance(request, draft)
    elif act == "retourner":
        handovers.send_back(reason=form.cleaned_data["reason"], **arguments)
        messages.success(request, _("Le club lira votre motif."))
    elif act == TELL:
        handovers.tell_players(people=_told_players(name_forms), **arguments)
    elif act == "corriger":
        corrections.take_correction(reason=form.cleaned_data["reason"], **arguments)
        messages.success(request, _("La correction est enregistrée."))
    else:
        raise Http404
    return redirect("ratings:handover", handover_id=handover.pk)


def _name_forms(request: HttpRequest, handover: HandOver) -> list[NameForm]:
    """Return the form of each player whom a correction adds; the key is the club's member."""
    unlinked = _unlinked(handover) if handover.is_corrected and handover.draft is not None else []
    if not unlinked:
        return []
    licences = handover.last_delivery.document["players"]
    written = _written_names(handover)
    federation = handover.rating_list.organisation
    people = people_of(federation)
    rows = open_names(
        federation, people, {str(pk): (written[pk], licences[str(pk)], 0) for pk in unlinked}
    )
    telling = request.POST.get("act") == TELL
    posted = posted_forms(request.POST, most=len(rows), people=people, needed=telling)
    return shown_forms(rows, posted, people=people)


def _told_players(name_forms: list[NameForm]) -> dict[int, int | None]:
    """Return who the officer says each new player is: None for a new person."""
    if not all(form.is_bound for form in name_forms):
        raise handovers.LedgerRefused(_("Ce joueur est inconnu."), code="unknown_player")
    answers = [form.cleaned_data for form in name_forms]
    return {int(answer["key"]): answer["person"] or None for answer in answers}


def _written_names(handover: HandOver) -> dict[int, str]:
    """Return the name of each player of any delivery, as the rows write it."""
    ids = {int(pk) for one in handover.deliveries.all() for pk in one.document["players"]}
    return documents.written_names(documents.members_now(ids))


def _unlinked(handover: HandOver) -> list[int]:
    persons = queries.persons_of(handover)
    return [int(pk) for pk in handover.last_delivery.document["players"] if int(pk) not in persons]


def _page(handover: HandOver) -> dict[str, object]:
    deliveries = {one.number: one for one in handover.deliveries.order_by("number")}
    last = deliveries[handover.delivered].document
    before = deliveries.get(handover.accepted) or deliveries.get(handover.delivered - 1)
    people = _written_names(handover)
    changed = documents.changes(before.document, last) if before is not None else []
    periods = corrections.periods_of(handover)
    return {
        "held": handover,
        "why_gone": corrections.why_gone(handover),
        "why_unrated": corrections.why_unrated(handover),
        "list": handover.rating_list,
        "periods": periods,
        "is_rated": any(period.settled_at for period in periods),
        "deliveries": list(deliveries.values()),
        "facts": _facts(handover),
        "players": [(people[int(pk)], licence) for pk, licence in last["players"].items()],
        "rounds": documents.by_round(last, people),
        "placings": [(place, people[pk]) for pk, place in last.get("placings", [])],
        "changes": [
            (" – ".join(people[pk] for pk in c.players), c.before, c.after) for c in changed
        ],
    }


def _facts(handover: HandOver) -> list[tuple[str, object]]:
    """Return what the club said of the competition, in the words of the form."""
    form = HandOverForm(rating_list=handover.rating_list)
    details = {
        **handover.facts,
        "official": _("oui") if handover.facts.get("official") else _("non"),
    }
    return [
        (str(form.fields[name].label), _("oui") if value is True else value)
        for name, value in details.items()
        if name in form.fields
    ]


@committee_required
@require_http_methods(["GET", "POST"])
def handover_correction(request: HttpRequest, handover_id: int) -> HttpResponseBase:
    """Show what the club's correction changes in the list, then apply it with a reason."""
    stored_handover = _handover_of(request, handover_id)
    periods = corrections.periods_of(stored_handover)
    back = reverse("ratings:handover", kwargs={"handover_id": stored_handover.pk})
    if not any(period.settled_at for period in periods) or not stored_handover.is_corrected:
        return redirect(back)
    correction = None
    with refused_as_message(request):
        correction = corrections.correction_of(stored_handover, periods)
    if correction is None:
        return redirect(back)
    asked = whole_number(request.GET.get("version"))
    seen = stored_handover.version if asked is None else asked
    return decide(
        request,
        rating_list=stored_handover.rating_list,
        form=None,
        correction=correction,
        title=_("Correction proposée par %(club)s") % {"club": stored_handover.club.name},
        what=stored_handover.label,
        back=back,
        apply=lambda _wish, reason, list_seen, approver: corrections.take_correction(
            handover=stored_handover,
            seen=seen,
            reason=reason,
            by=committee_of(request),
            at=timezone.now(),
            list_seen=list_seen,
            approver=approver,
        ),
        then={"handover": stored_handover, "version": seen},
    )


@committee_required
@require_http_methods(["GET", "POST"])
def feeders(request: HttpRequest) -> HttpResponse:
    """Invite clubs of the site, and say which lists each may feed."""
    federation = organisation_of(request)
    rights = FeedRight.objects.filter(
        rating_list__organisation=federation, revoked_at__isnull=True
    ).select_related("club", "rating_list")
    clubs: dict[Organisation, list[RatingList]] = {}
    for right in rights.order_by("club__name", "rating_list__name", "pk"):
        clubs.setdefault(right.club, []).append(right.rating_list)
    chosen = next((club for club in clubs if club.slug == request.GET.get("club")), None)
    form = InviteForm(request.POST or None, federation=federation, invited=clubs, chosen=chosen)
    if request.method == "POST" and form.is_valid():
        with refused_in(form):
            handovers.invite(
                club=form.cleaned_data["club"],
                lists=list(form.cleaned_data["lists"]),
                federation=federation,
                seen=form.cleaned_data["seen"],
                by=committee_of(request),
                at=timezone.now(),
            )
            messages.success(request, _("Les listes que ce club alimente sont enregistrées."))
            return redirect("ratings:feeders")
    everybody, has_lists = not form.clubs.exists(), form.own_lists.exists()
    context = {
        "form": form,
        "clubs": clubs,
        "chosen": chosen,
        "everybody": everybody,
        "has_lists": has_lists,
    }
    return render_form(request, "ratings/handovers/feeders.html", context)


def club_page(request: HttpRequest, read: Callable[[], Competition], *, back: str) -> HttpResponse:
    """Show a club where its competition stands in each list it may feed, and hand it over."""
    club = organisation_of(request)
    open_lists, competition = lists_open_to(club), read()
    sent_handovers = _sent(club, competition)
    closed_lists = RatingList.objects.filter(
        pk__in=set(sent_handovers) - {one.pk for one in open_lists}
    )
    lists = [*open_lists, *closed_lists.select_related("organisation").order_by("name", "pk")]
    lasts = last_by_list(club, lists)
    chosen = _chosen(request, lists, lasts)
    sent = sent_handovers.get(chosen.pk) if chosen is not None else None
    form, unchanged = None, False
    is_gone = sent is not None and sent.is_gone
    refusal = str(handovers.removed()) if is_gone and request.method == "POST" else ""
    withdrawing = request.POST.get("act") == WITHDRAW
    withdrawal = _withdrawal(request, sent) if sent is not None else None
    if withdrawing and withdrawal is not None and withdrawal.is_valid():
        messages.success(request, _("La transmission est retirée."))
        return redirect(request.get_full_path())
    if chosen is not None and chosen in open_lists and competition.is_closed and not is_gone:
        form = _form(request, competition, sent, chosen, lasts.get(chosen.pk))
        unchanged = has_all(sent, competition)
        form.fields["tell"].disabled = unchanged
        if form.is_valid():
            try:
                handovers.hand_over_as_it_is(
                    club=club,
                    read=read,
                    rating_list=chosen,
                    facts=form.facts(),
                    tell=form.cleaned_data["tell"],
                    by=committee_of(request),
                    at=timezone.now(),
                )
            except Refused as refused:
                refusal = str(refused)
            else:
                messages.success(request, _("C’est transmis. La réponse s’affichera ici."))
                return redirect(request.get_full_path())
    context = {
        "label": competition.label,
        "back": back,
        "closed": competition.is_closed,
        "rows": [(one, sent_handovers.get(one.pk)) for one in lists],
        "chosen": chosen,
        "is_open": chosen is None or chosen in open_lists,
        "sent": sent,
        "why_gone": corrections.why_gone(sent) if sent is not None else "",
        "why_unrated": corrections.why_unrated(sent) if sent is not None else "",
        "form": form,
        "refusal": refusal,
        "withdrawal": withdrawal,
        "unchanged": unchanged,
    }
    wrong = withdrawing or refusal or has_errors(form)
    return render_form(request, "ratings/handovers/club_page.html", context, refused=wrong)


def _sent(club: Organisation, competition: Competition) -> dict[int, HandOver]:
    """Return {list: its hand-over of this competition}, also where the club may feed it no more."""
    origin = competition.origin
    sent = HandOver.objects.told().filter(club=club, origin=origin.kind.value, origin_id=origin.id)
    return {one.rating_list_id: one for one in sent}


def _chosen(
    request: HttpRequest, lists: list[RatingList], lasts: Mapping[int, HandOver]
) -> RatingList | None:
    """Return the list of the address; else the one that the club used last, or its only one."""
    used = max(lasts, key=lambda pk: lasts[pk].pk, default="")
    asked = request.GET.get("liste") or str(used)
    named = [one for one in lists if str(one.pk) == asked] or lists
    return named[0] if len(named) == 1 else None


def _withdrawal(request: HttpRequest, sent: HandOver) -> AnswerForm:
    """Return the form that withdraws; valid once it did."""
    asked = request.POST if request.POST.get("act") == WITHDRAW else None
    form = AnswerForm(asked, initial={"seen": sent.version}, auto_id="withdrawal_%s")
    form.fields["reason"].required, form.fields["reason"].help_text = True, ""
    if form.is_valid():
        by, at = committee_of(request), timezone.now()
        with refused_in(form):
            handovers.withdraw(handover=sent, **form.cleaned_data, by=by, at=at)
    return form


def _form(
    request: HttpRequest,
    competition: Competition,
    sent: HandOver | None,
    chosen: RatingList,
    last: HandOver | None,
) -> HandOverForm:
    """Return what is asked of this competition; official where the club's last one in the list was."""
    is_taken = sent is not None and sent.state == HandOver.State.ACCEPTED
    initial: dict[str, object] = {} if is_taken else dict(competition.facts)
    if sent is None and last is not None and last.facts.get("official"):
        initial["official"] = YES
    if sent is not None:
        said = YES if sent.facts.get("official") else NO
        initial |= {**sent.facts, "official": said, "tell": sent.told}
    posted = None if request.POST.get("act") == WITHDRAW else request.POST or None
    form = HandOverForm(posted, rating_list=chosen, initial=initial)
    if is_taken:
        form.fix()
    return form
