"""Refusals of an action on a match and of typed scores, in words the reader may see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from clubs.accounts.actor import Actor, Refused
from clubs.ui.french import written
from clubs.ui.statuses import STATUS_TAGS
from pairings.arbitration.models import Contest
from pairings.matches.models import Match
from pairings.matches.state import final_since
from pairings.rules.match_lifecycle import Lifecycle
from pairings.rules.match_state import JUDGES, Act, Event, Kind, Result, Status, instant
from pairings.systems.points.match_points import GAME_PROBLEMS, games_won, problem_with

SENTENCES: Mapping[str, object] = {
    "own_submission": gettext_lazy(
        "Vous avez saisi ce résultat : c’est à votre adversaire de confirmer."
    ),
    "already_sent": gettext_lazy("Vous avez déjà envoyé un autre résultat pour ce match."),
    "wrong_state": gettext_lazy("Ce match vient de changer d’état. Relisez-le avant d’agir."),
    "window_open": gettext_lazy("Le délai de contestation court encore."),
    "not_submitter": gettext_lazy("Seule la personne qui a saisi le résultat peut le corriger."),
    "not_claimer": gettext_lazy("Seule la personne qui a signalé l’absence peut la retirer."),
    "reason_required": gettext_lazy("Le motif est obligatoire."),
    "not_allowed": gettext_lazy("Vous n’avez pas le droit de faire cela sur ce match."),
    "not_a_player": gettext_lazy("Vous ne jouez pas ce match."),
    "own_match": gettext_lazy("Vous jouez ce match : un autre arbitre doit s’en charger."),
    "exempt": gettext_lazy("Une exemption n’a pas d’adversaire : on ne peut que l’annuler."),
    "recused": gettext_lazy("Vous avez passé ce litige à un autre arbitre."),
    "bad_result": gettext_lazy("Ce résultat n’est pas complet."),
    "tournament_closed": gettext_lazy("Ce tournoi est terminé : il faut d’abord le rouvrir."),
    "replaced": gettext_lazy(
        "Ce match annulé a été remplacé dans sa ronde : il ne reçoit plus de résultat."
    ),
}


class ResultRefused(Refused):
    """Refusal of an action on a match, in words the reader may see."""


def refusal(reason: str, *, code: str = "") -> ResultRefused:
    """Return the refusal with the sentence of this reason, whose code is the reason or another one."""
    return ResultRefused(str(SENTENCES[reason]), code=code or reason)


def not_from(match: Match) -> ResultRefused:
    """Return the refusal of what is not possible from this state, which the reader has read."""
    return ResultRefused(_words_of_state(match), code="wrong_state")


def _words_of_state(match: Match) -> str:
    state, _icon, _tone = STATUS_TAGS[match.status]
    return _("L’état de ce match ne permet pas cela : %(state)s.") % {"state": state}


def sentence_of(
    code: str, match: Match, act: Act | None = None, *, is_as_read: bool = False
) -> str:
    """Return the refusal of this code in words, with the hour or the bounds that it is about.

    `is_as_read`: the match is still in the version that the reader named.
    """
    since = final_since(match) if match.status == Status.FINAL.value else None
    if code == "wrong_state" and act is not None and act.type == Event.CONTEST and since:
        words = _("Ce résultat est définitif depuis %(hour)s.")
        return f"{words % _clock(since, match)} {_way_out(act)}"
    if code == "window_closed" and match.contest_until is not None:
        words = _("Le délai s’est terminé à %(hour)s.")
        return f"{words % _clock(match.contest_until, match)} {_way_out(act)}"
    if code == "stale":
        return _("Ce résultat a changé depuis que vous l’avez lu. Relisez-le avant d’agir.")
    if code == "too_early":
        ends = match.competition.call_ends().astimezone(match.organisation.zone)
        words = _("Il est trop tôt : vous pourrez signaler une absence à %(hour)s.")
        if act is not None and match.competition.later_day(instant(act.at)):
            words = _("Il est trop tôt : vous pourrez signaler une absence le %(day)s à %(hour)s.")
        return words % {"day": written(ends, "l j F"), **_clock(ends, match)}
    if code == "bad_score":
        return bounds_of_scores(match.competition.match_rules())
    if code == "wrong_state" and is_as_read:
        return _words_of_state(match)
    return str(SENTENCES.get(code, SENTENCES["wrong_state"]))


def _clock(at: datetime, match: Match) -> dict[str, str]:
    return {"hour": f"{at.astimezone(match.organisation.zone):%H:%M}"}


def _way_out(act: Act | None) -> str:
    """Return what remains to those who contest a final result."""
    if act is not None and act.role in JUDGES:
        return _("Vous pouvez corriger le résultat.")
    return _("Vous pouvez demander une correction au comité.")


def bounds_of_scores(rules: Lifecycle) -> str:
    """Return the range of a score under these rules, for the message of a refused score."""
    low, high = (str(score).replace("-", "−") for score in (rules.min_score, rules.max_score))
    return _("Un score est un nombre entier, de %(low)s à %(high)s.") % {"low": low, "high": high}


def check_version(match: Match, version: int | None) -> None:
    """Refuse another version than the one that was read; None where none was."""
    if version is not None and version != match.version:
        raise ResultRefused(sentence_of("stale", match), code="stale")


def is_own_match(match: Match, by: Actor) -> bool:
    """Return whether an arbiter plays this match, and the rules let nobody judge their own."""
    plays = match.seats(by.member)
    return plays and not match.competition.match_rules().arbiter_may_judge_own_match


def check_not_own(match: Match, by: Actor) -> None:
    """Refuse an arbiter whose own match it is."""
    if is_own_match(match, by):
        raise refusal("own_match")


def has_recused(contest: Contest, by: Actor) -> bool:
    """Return whether an arbiter recused themselves from this contest."""
    return by.user is not None and by.user.pk in contest.passed_on


def check_not_recused(contest: Contest, by: Actor) -> None:
    """Refuse an arbiter who recused themselves from this contest."""
    if has_recused(contest, by):
        raise refusal("recused")


def why_barred(match: Match, contest: Contest | None, by: Actor) -> str:
    """Return why this arbiter may not decide here; empty when they may."""
    if is_own_match(match, by):
        return str(SENTENCES["own_match"])
    if contest is not None and has_recused(contest, by):
        return str(SENTENCES["recused"])
    return ""


def completed(match: Match, result: Result) -> Result:
    """Return a played result with its scores: as given, or the games won where several are played.

    Refuses games that do not make a finished match.
    """
    needed = match.competition.winning_games()
    if result.kind != Kind.PLAYED or (needed == 1 and not result.games):
        return result
    if needed == 1:
        raise refusal("bad_result")
    problem = problem_with(result.games, needed)
    if problem is not None:
        raise ResultRefused(_(GAME_PROBLEMS[problem]), code=problem)
    first, second = games_won(result.games)
    return replace(result, first_score=first, second_score=second)


def check_scores(match: Match, scores: tuple[object, object]) -> None:
    rules = match.competition.match_rules()
    if not all(rules.is_score(value) for value in scores):
        raise ResultRefused(bounds_of_scores(rules), code="bad_score")


def check_other_scores(match: Match, scores: tuple[object, object]) -> None:
    """Refuse, as the right scores, those that are contested: the arbiter would read one version twice."""
    if match.is_open and scores == (match.first_score, match.second_score):
        words = _("Ce sont les scores contestés : saisissez les bons.")
        raise ResultRefused(words, code="same_scores")
