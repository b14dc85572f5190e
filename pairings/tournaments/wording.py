"""Texts of a tournament: reasons of a board, what parts a tie, printed values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from django.utils import formats
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from clubs.journal.wording import reason_words
from clubs.templatetags.ui import MINUS, percent_fr, signed
from clubs.ui.french import is_french
from clubs.ui.punctuation import listed
from pairings.matches.competition import round_of
from pairings.matches.explanations import Why
from pairings.matches.models import Match
from pairings.rules.firsts import FEWEST
from pairings.rules.firsts import WORDS as FIRSTS_WORDS
from pairings.rules.match_state import Kind
from pairings.systems.points.seeding import FICTIVE
from pairings.systems.protocol import (
    BYE_REASONS,
    FICTIVE_LAST,
    FLOATER,
    HALVES,
    MANUAL,
    NEAR_HALVES,
    SIT_OUT,
    SKIPPED_BECAUSE,
    WARNINGS,
    Tie,
)
from pairings.systems.schedule.system import METHODS
from pairings.tournaments import rules as tournament_rules
from pairings.tournaments.models import Tournament
from pairings.tournaments.standings import COLUMNS, Cell, StandingsRow, TournamentStanding

Named = Callable[[int], str]
BY_HAND = ("swap", MANUAL)
FICTIVE_NAME = "X"
BYES: Mapping[str, object] = {
    **BYE_REASONS,
    FICTIVE_LAST: gettext_lazy("effectif impair : rencontre le joueur fictif X"),
    SIT_OUT: gettext_lazy("pas d’adversaire dans le tableau à cette ronde"),
}


def system_words(tournament: Tournament) -> str:
    """Return the name of the system, with that of each range of rounds where they differ."""
    rules = tournament_rules.rules_of(tournament)
    parts = []
    for row in rules.schedule:
        text = _("rondes %(first)s à %(last)s : %(system)s")
        if row.first == row.last:
            text = _("ronde %(first)s : %(system)s")
        parts.append(text % {**row._asdict(), "system": _(METHODS[row.system])})
    return f"{_(rules.label)} ({listed(parts)})" if parts else _(rules.label)


def why_words(
    tournament: Tournament, why: Mapping[str, Any], named: Named, *, for_members: bool = False
) -> str:
    """Return why a board was made: the reason, and the skipped players with the round they met in.

    What an arbiter typed may speak of people: members of the club read it, visitors do not.
    """
    reason = str(why.get("reason", ""))
    if reason in BY_HAND:
        lead = _("choix de l’arbitre")
        if for_members:
            typed = reason_words(why.get("words", ""))
            lead = _("choix de l’arbitre : %(words)s") % {"words": typed}
        return _led(lead, [_begins(why["begins"], named)] if "begins" in why else [])
    words = tournament_rules.SYSTEMS[tournament.system].reasons
    if "player" in why:
        lead = str(_(str(BYES.get(reason, reason))))
        how = str(why.get("how", ""))
        if how in words and how not in ("", "table", "bracket"):
            lead = f"{lead} ({_(words[how])})"
    else:
        lead = _placed(tournament, why) or _(words.get(reason, reason))
    details = [_skipped(step, named) for step in why.get("skipped", [])[:8]]
    met_in = _round_of(why.get("meeting"))
    if met_in:
        details.append(_("ils se sont rencontrés à la ronde %(number)s") % {"number": met_in})
    if "begins" in why:
        details.append(_begins(why["begins"], named))
    return _led(lead, details)


def _led(lead: str, words: Sequence[str]) -> str:
    return listed((lead, ", ".join(words))) if words else str(lead)


def _placed(tournament: Tournament, why: Mapping[str, Any]) -> str:
    """Return the reason with the places and points of both players, where the draw stored them."""
    stood, reason = why.get("group"), why.get("reason")
    if not stood:
        return ""
    (one, two), sizes = stood["places"], stood.get("sizes")
    places = {"one": one, "two": two}
    if stood.get("number"):
        text = _("groupe nº %(number)s : places initiales %(one)s et %(two)s")
        return text % {**places, "number": stood["number"]}
    if sizes is None:
        return _("voisins au classement des présents : places %(one)s et %(two)s") % places
    points = [points_words(tournament, each) for each in stood["points"]]
    if reason == FLOATER:
        text = _(
            "place %(one)s des %(size)s à %(points)s, descend : rencontre la place %(two)s "
            "des %(below)s à %(less)s"
        )
        fields = {"size": sizes[0], "points": points[0], "below": sizes[1], "less": points[1]}
        return text % {**places, **fields}
    if reason == HALVES:
        text = _(
            "places %(one)s et %(two)s des %(size)s à %(points)s : moitié haute contre moitié basse"
        )
    elif reason == NEAR_HALVES:
        text = _(
            "places %(one)s et %(two)s des %(size)s à %(points)s : au plus près de moitié "
            "contre moitié"
        )
    else:
        return ""
    return text % {**places, "size": sizes[0], "points": points[0]}


def points_words(tournament: Tournament, points: float) -> str:
    """Return "2 victoires" or "6 PM": what the groups of a round are made of."""
    exact = Fraction(points).limit_denominator(2)
    number = value_words("points", exact)
    if tournament_rules.rules_of(tournament).wins_and_spread is None:
        return _("%(points)s PM") % {"points": number}
    # French has its plural from two on; elsewhere a fraction is plural, as none is.
    count = int(exact) if is_french() or exact.denominator == 1 else 0
    words = ngettext("%(points)s victoire", "%(points)s victoires", count)
    return words % {"points": number}


def _begins(reason: Mapping[str, Any], named: Named) -> str:
    """Return who begins and why, with how often each has begun where that decided."""
    words = FIRSTS_WORDS[reason["why"]]
    because = _(words)
    if reason["why"] == FEWEST:
        count, other = reason["firsts"]
        because = _("%(why)s, %(own)s fois contre %(other)s") % {
            "why": because,
            "own": count,
            "other": other,
        }
    return _("%(name)s commence (%(why)s)") % {"name": named(reason["player"]), "why": because}


def pairing_sentences(match: Match, *, viewer_is_member: bool) -> Why:
    """Return the reasons of a board in its system's terms, and the order stored with the draw."""
    played_in = round_of(match)
    entries = played_in.tournament.entries.select_related("member")
    names = {
        entry.member_id: entry.member.name_for(viewer_is_member=viewer_is_member)
        for entry in entries
    }
    draw = played_in.draws.filter(at__lte=match.proposed_at).order_by("-pk").first()
    order = draw.outcome.get("order", []) if draw is not None else []
    lead = _("Ronde %(number)s, %(first)s contre %(second)s : %(why)s.") % {
        "number": played_in.number,
        "first": names.get(match.first_id, "?"),
        "second": names.get(match.second_id or 0, FICTIVE_NAME),
        "why": why_words(
            played_in.tournament,
            match.pairing_reason,
            lambda pk: names.get(pk, "?"),
            for_members=viewer_is_member,
        ),
    }
    return Why(lead, [], [names.get(pk, "?") for pk in order])


def _skipped(step: Mapping[str, Any], named: Named) -> str:
    because = _(SKIPPED_BECAUSE.get(step["why"], step["why"]))
    opponent = FICTIVE_NAME if step["opponent"] == FICTIVE else named(step["opponent"])
    met_in = _round_of(step.get("meeting"))
    if met_in:
        because = _("%(why)s à la ronde %(number)s") % {"why": because, "number": met_in}
    return _("pas %(name)s (%(why)s)") % {"name": opponent, "why": because}


def _round_of(meeting: Mapping[str, Any] | None) -> int:
    """Return the round two players met in last: a tournament stores its rounds as days."""
    return int(meeting["day"]) if meeting else 0


def is_repeat(why: Mapping[str, object]) -> bool:
    """Return whether these two met before; a board of a file says so without where."""
    return bool(why.get("meeting") or why.get("repeat"))


def warning_words(warnings: Sequence[Mapping[str, Any]], named: Named) -> list[str]:
    """Return the rule's warnings to the arbiter before publishing."""
    sentences = []
    for warned in warnings:
        text = str(_(WARNINGS.get(warned["code"], warned["code"])))
        names = ", ".join(named(pk) for pk in warned.get("players", []))
        sentences.append(f"{text} ({names})" if names else text)
    return sentences


def value_words(name: str, value: Any) -> str:
    """Return one value of the standings as printed."""
    if value is None:
        return "–"
    if name in ("pdep", "spread", "direct_spread"):
        return signed(value) if value else "0"
    if name == "ds":
        return percent_fr(value)
    if isinstance(value, Fraction) and value.denominator == 2:
        return formats.number_format(float(value), decimal_pos=1)
    if isinstance(value, Fraction) and value.denominator != 1:
        return formats.number_format(float(value), decimal_pos=2)
    whole = int(value)
    return f"{MINUS}{-whole}" if whole < 0 else str(whole)


def parted_words(row: StandingsRow, above: StandingsRow | None) -> str:
    """Return what parted this line from the one above, with both values.

    Empty when the points did.
    """
    if above is None:
        return ""
    if row.ex_aequo:
        return _("ex æquo : rien ne les départage")
    name = row.parted_by
    if name is None or name not in COLUMNS or name in ("pm", "pr", "stage", "wins"):
        return ""
    if name == "initial":
        return _("départagés par la place initiale")
    return _("départagés par %(criterion)s : %(above)s contre %(own)s") % {
        "criterion": COLUMNS[name][0],
        "above": value_words(name, above.values[name]),
        "own": value_words(name, row.values[name]),
    }


def tie_words(tie: Tie, named: Named) -> str:
    """Return one group level on PM: whether PPM could part it, and if not, who has not met whom."""
    names = ", ".join(named(int(str(pk))) for pk in tie.players)
    if tie.has_ppm:
        text = _("À %(pm)s PM (%(names)s) : tous se sont rencontrés, le PPM départage d’abord.")
    elif tie.not_met is not None:
        text = _(
            "À %(pm)s PM (%(names)s) : pas de PPM, car %(one)s et %(other)s ne se sont pas "
            "rencontrés ; le Pdep départage."
        )
    else:
        text = _("À %(pm)s PM (%(names)s) : le Pdep départage.")
    one, other = tie.not_met or (0, 0)
    words = text % {
        "pm": tie.pm,
        "names": names,
        "one": named(int(str(one))) if tie.not_met else "",
        "other": named(int(str(other))) if tie.not_met else "",
    }
    for same in tie.ex_aequo:
        words += " " + _("Ex æquo : %(names)s.") % {
            "names": ", ".join(named(int(str(pk))) for pk in same)
        }
    return words


def rank_words(standing: TournamentStanding, row: StandingsRow) -> str:
    """Return the place; a dash while no game counts and places are shared."""
    return str(row.rank) if standing.is_ranked else "–"


def places_words(row: StandingsRow) -> str:
    """Return "1 à 4", "2": the places still possible."""
    if row.places is None:
        return ""
    if row.places.best == row.places.worst:
        return str(row.places.best)
    return _("%(best)s à %(worst)s") % {"best": row.places.best, "worst": row.places.worst}


MARKS: Mapping[str, str] = {"win": "+", "loss": MINUS, "draw": "="}


def cell_words(cell: Cell) -> str:
    """Return a cell of the crosstable.

    +3 beat the third, −3 lost, =3 drew; X, forfeits, still open.
    """
    if cell.outcome in MARKS:
        return f"{MARKS[cell.outcome]}{cell.opponent_rank or ''}"
    words = {
        "bye": FICTIVE_NAME,
        "forfeit_win": _("f+"),
        "absent": _("f−"),
        "pending": "…",
        "none": "·",
    }
    text = str(words[cell.outcome])
    return f"{text}{cell.opponent_rank or ''}" if cell.outcome == "pending" else text


def cell_title(cell: Cell, named: Named) -> str:
    """Return the same in full, for a tooltip or a screen reader."""
    if cell.opponent is None:
        return {"bye": _("joueur fictif"), "none": _("absent")}.get(cell.outcome, "")
    name = named(cell.opponent.member_id)
    if cell.outcome == "forfeit_win":
        return _("%(name)s, forfait de l’adversaire") % {"name": name}
    if cell.outcome == "absent":
        return _("%(name)s, forfait") % {"name": name}
    if cell.own is None:
        return name
    return f"{name} {cell.own}\u00a0–\u00a0{cell.other}"


def score_words(match: Match, *, is_first: bool = True) -> str:
    """Return a board's result for a list: the scores, with the games of a two-win match.

    The score of the first player stands first, or that of the second for their own list.
    """
    if match.kind == Kind.ABSENT and match.absent:
        return {
            "a": _("forfait du premier"),
            "b": _("forfait du second"),
            "both": _("double forfait"),
        }[match.absent]
    if match.first_score is None or match.second_score is None:
        return ""
    step = 1 if is_first else -1
    one, other = (match.first_score, match.second_score)[::step]
    words = f"{_minus(one)}\u00a0–\u00a0{_minus(other)}"
    if match.games:
        pairs = [(a, b)[::step] for a, b in match.games]
        words = f"{words} ({', '.join(f'{_minus(a)}–{_minus(b)}' for a, b in pairs)})"
    return words


def _minus(score: int) -> str:
    return f"{MINUS}{-score}" if score < 0 else str(score)


def columns_of(standing: TournamentStanding) -> list[dict[str, Any]]:
    """Return the headers of the standings."""
    return [
        {"code": name, "label": COLUMNS[name][0], "long": COLUMNS[name][1]}
        for name in standing.columns
    ]
