"""Second opinions on a contest: one arbiter asks, another answers, before the decision (J6).

An opinion changes no result. Arbiters cannot give one on their own match, or on a contest from
which they recused themselves. Questions and answers are both archived.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor
from clubs.journal import chain as journal
from pairings.arbitration.models import Contest
from pairings.arbitration.models_opinions import Opinion
from pairings.live import stream as live
from pairings.matches.refusals import ResultRefused, check_not_own, check_not_recused, refusal
from pairings.rules.match_state import JUDGES


@transaction.atomic
def ask(*, contest: Contest, words: str, by: Actor, at: datetime) -> Opinion:
    """Ask the other arbiters for an opinion. Only one question at a time may be pending."""
    if unanswered(contest) is not None:
        raise ResultRefused(_("Un second avis est déjà demandé."), code="already_asked")
    return _say(contest, words, by, at, asks=True)


@transaction.atomic
def give(*, contest: Contest, words: str, by: Actor, at: datetime) -> Opinion:
    """Answer another arbiter's question."""
    waiting = unanswered(contest)
    if waiting is None:
        raise ResultRefused(_("Personne ne demande d’avis sur ce litige."), code="not_asked")
    if by.user is not None and waiting.by_id == by.user.pk:
        raise ResultRefused(
            _("C’est votre question : un autre arbitre doit répondre."), code="own_question"
        )
    return _say(contest, words, by, at, asks=False)


def say(*, contest: Contest, words: str, by: Actor, at: datetime) -> Opinion:
    """Answer the pending question, or ask one where there is none."""
    act = ask if unanswered(contest) is None else give
    return act(contest=contest, words=words, by=by, at=at)


def _say(contest: Contest, words: str, by: Actor, at: datetime, *, asks: bool) -> Opinion:
    if by.role not in JUDGES or by.user is None:
        raise refusal("not_allowed")
    row = Contest.objects.select_for_update(no_key=True).get(pk=contest.pk)
    if row.closed_at is not None:
        raise refusal("wrong_state", code="stale")
    check_not_own(contest.match, by)
    check_not_recused(row, by)
    if not words.strip():
        raise ResultRefused(_("Écrivez une phrase."), code="reason_required")
    said = Opinion.objects.create(
        contest=row, by=by.user, by_member=by.member, at=at, asks=asks, words=words.strip()
    )
    verb = "opinion_asked" if asks else "opinion_given"
    journal.note(contest.match, verb, by=by, at=at, after={"contest": row.pk}, reason=said.words)
    live.announce(contest.match.organisation, "contest", at=at, match=row.match_id)
    return said


def unanswered(contest: Contest) -> Opinion | None:
    """Return the pending question, or None."""
    said = said_of(contest)
    return said[-1] if said and said[-1].asks else None


def said_of(contest: Contest) -> list[Opinion]:
    """Return the questions and answers, oldest first."""
    rows = Opinion.objects.filter(contest=contest).select_related("by_member")
    return list(rows.order_by("pk"))


def waiting_for(contests: Collection[int]) -> set[int]:
    """Return those of these contests whose last message is a question. One query."""
    last: dict[int, bool] = {}
    rows = Opinion.objects.filter(contest__in=contests).order_by("pk")
    for contest_id, asks in rows.values_list("contest_id", "asks"):
        last[contest_id] = asks
    return {contest_id for contest_id, asks in last.items() if asks}
