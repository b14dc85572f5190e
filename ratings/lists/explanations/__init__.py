"""Stored reasons in words: one printed line each, in the reader's language.

The function of a line is found by its kind and its document ("game" of 000, "game" of 003 …). A new
system adds one function and one name in `WORDS`; a kind without a function prints its name and its
values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from clubs.members.models import Member
from clubs.rulebooks.citations import cited
from clubs.templatetags.ui import cote, decimal, signed
from ratings.systems.storage import from_json

Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Printed:
    """One line: its head, the filled-in formula under it, its effect, the article it comes from."""

    head: str
    formula: str
    effect: Any
    article: str
    chance: Any = None
    is_note: bool = False


def lines_of(
    because: Sequence[Mapping[str, Any]],
    *,
    viewer_is_member: bool = False,
    names: Mapping[Any, str] | None = None,
) -> list[Printed]:
    """Return every stored reason of one change, with today's names of the opponents (or `names`)."""
    if names is None:
        ids = [line["opponent"] for line in because if line.get("opponent")]
        names = {
            pk: member.name_for(viewer_is_member=viewer_is_member)
            for pk, member in Member.objects.in_bulk(ids).items()
        }
    return [_printed(line, names.get(line.get("opponent") or 0, "")) for line in because]


def _printed(line: Mapping[str, Any], opponent: str) -> Printed:
    values = from_json(line.get("values") or {})
    article = str(line.get("article", ""))
    words = WORDS.get((line["kind"], article.split(" ")[0])) or WORDS.get((line["kind"], ""))
    head, formula = words(values, opponent) if words else (line["kind"], _plain(values))
    return Printed(
        head=head,
        formula=formula,
        effect=from_json(line.get("effect")),
        article=cited(article),
        chance=values.get("We") if line["kind"] == "game" else None,
        is_note=line.get("effect") is None,
    )


def _plain(values: Values) -> str:
    return ", ".join(f"{name} = {value}" for name, value in values.items())


def symbols(pairs: Iterable[tuple[str, Any]], places: int = 2) -> str:
    """Return "K = 20, W = 1, We = 0,24" with the document's own symbols; whole numbers stay whole."""
    return ", ".join(f"{name} = {number(value, places)}" for name, value in pairs)


def number(value: Any, places: int = 2) -> str:
    """Return a number as a page writes it; decimals only where there are some."""
    if value is None:
        return "–"
    if float(value) == int(value):
        return cote(value)
    return decimal(value, places)


# 002 FAIZERS -----------------------------------------------------------------------------------


def _faizers_game(v: Values, opponent: str) -> tuple[str, str]:
    parts = []
    if v.get("own_score") is not None:
        parts.append(f"{v['own_score']} – {v['other_score']}")
    parts.append(_("cote %(cote)s") % {"cote": number(v.get("E_opponent"))})
    parts.append(symbols([("K", v["K"]), ("W", v["W"]), ("We", v["We"])]))
    return opponent, " · ".join(parts)


def _ds(v: Values, opponent: str) -> tuple[str, str]:
    head = _("Part de la différence de score (α)")
    return head, symbols([("α", v.get("alpha")), ("ΣDS", v.get("DS")), ("K", v.get("K"))])


def _cut(v: Values, opponent: str) -> tuple[str, str]:
    head = _("Réduction décidée par le comité : %(percent)s %%") % {"percent": v.get("percent")}
    return head, symbols([("E0", v.get("E0"))])


# 000 FISF --------------------------------------------------------------------------------------


def _fisf_k(v: Values, opponent: str) -> tuple[str, str]:
    head = _("Coefficient K = %(k)s pour toute l’épreuve") % {"k": v["K"]}
    games = ngettext("%(n)s partie jouée avant", "%(n)s parties jouées avant", int(v["games"]))
    return head, f"{symbols([('E0', v['E0'])])}, {games % {'n': v['games']}}"


def _fisf_game(v: Values, opponent: str) -> tuple[str, str]:
    formula = _(
        "%(own)s − %(other)s = %(diff)s, ligne %(row)s de la table : We = %(we)s ; "
        "%(k)s × (%(w)s − %(we)s)"
    ) % {
        "own": cote(v["E0"]),
        "other": cote(v["E_opponent"]),
        "diff": signed(v["diff"]) if v["diff"] else "0",
        "row": v["row"],
        "we": decimal(v["We"], 2),
        "k": v["K"],
        "w": number(v["W"], 1),
    }
    return opponent, formula


def _fisf_sum(v: Values, opponent: str) -> tuple[str, str]:
    formula = _("E1 = %(e0)s + %(k)s × (%(w)s − %(we)s) = %(raw)s") % {
        "e0": cote(v["E0"]),
        "k": v["K"],
        "w": number(v["W"], 1),
        "we": decimal(v["We"], 2),
        "raw": decimal(v["raw"], 2),
    }
    return _("Arrondi à l’entier le plus proche, une fois par épreuve"), formula


# 003 FESA --------------------------------------------------------------------------------------


def _fesa_game(v: Values, opponent: str) -> tuple[str, str]:
    head = _("%(name)s, %(elo)s après le tableau") % {"name": opponent, "elo": cote(v["or"])}
    if v["formula"] == "d'":
        formula = _("d′ = %(k)s × (%(opponent)s − %(tr)s) / 160")
    else:
        formula = _("d = %(k)s × (%(res)s − %(we)s)")
    words = formula % {
        "k": v["k"],
        "res": number(v["res"], 1),
        "we": decimal(v["We"], 4),
        "opponent": cote(v["or"]),
        "tr": number(v["tr"]),
    }
    if v["bonus"]:
        words += _(", bonus d’activité %(bonus)s") % {"bonus": signed(v["bonus"], 2)}
    return head, words


def _fesa_earlier(v: Values, opponent: str) -> tuple[str, str]:
    words = ngettext(
        "%(n)s partie d’un tableau précédent compte aussi",
        "%(n)s parties de tableaux précédents comptent aussi",
        int(v["games"]),
    )
    return words % {"n": v["games"]}, ""


def _fesa_virtual(v: Values, opponent: str) -> tuple[str, str]:
    head = _("Grade reconnu : %(grade)s") % {"grade": v["grade"]}
    return head, _("une victoire et une défaite virtuelles contre %(mp)s") % {"mp": v["MP"]}


def _fesa_result(v: Values, opponent: str) -> tuple[str, str]:
    words = {1.0: _("victoire"), 0.5: _("nul"), 0.0: _("défaite")}[float(v["res"])]
    return opponent, _("%(result)s contre %(elo)s") % {"result": words, "elo": cote(v["or"])}


def _fesa_performance(v: Values, opponent: str) -> tuple[str, str]:
    head = _("Classement de performance : %(elo)s") % {"elo": cote(v["Elo"])}
    share = v.get("share")
    if share == "0":
        formula = _("aucun point : compté au plancher")
    elif share == "100":
        formula = _("tous les points : un nul virtuel contre le meilleur des autres est ajouté")
    else:
        formula = _("le niveau qui attend %(score)s points sur %(games)s") % {
            "score": number(v["score"], 1),
            "games": v["games"],
        }
    return head, formula


ROUTES: Mapping[str, Callable[[], str]] = {
    "UB": lambda: _("la limite haute est atteinte"),
    "UB of next grade (provisional)": lambda: _(
        "classement provisoire : la limite haute du grade suivant est atteinte"
    ),
    "MP": lambda: _("assez de parties de suite au point médian"),
    "LB": lambda: _("assez de parties de suite à la limite basse, dont une au point médian"),
    "MP early": lambda: _("point médian : plus aucune défaite ne peut l’empêcher"),
    "LB early": lambda: _("limite basse : plus aucune défaite ne peut l’empêcher"),
}


def _fesa_grade(v: Values, opponent: str) -> tuple[str, str]:
    if v.get("to"):
        head = _("Grade : %(before)s → %(after)s") % {
            "before": v.get("from") or "–",
            "after": v["to"],
        }
    else:
        head = _("Grade inchangé")
    route = ROUTES.get(v.get("route") or "")
    words = route() if route else ""
    if v.get("waiting"):
        words = " · ".join(
            part
            for part in (
                words,
                _("%(grade)s attend l’accord de la Nihon Shogi Renmei") % {"grade": v["waiting"]},
            )
            if part
        )
    return head, words


def _fesa_unsettled(v: Values, opponent: str) -> tuple[str, str]:
    head = _("Ce tableau ne se stabilise pas : les nombres sont fixés par la règle de partage")
    return head, _("%(n)s passages") % {"n": v["passes"]}


def _fesa_lifted(v: Values, opponent: str) -> tuple[str, str]:
    head = _("Plusieurs nouveaux joueurs ont tout gagné dans ce tableau")
    return head, _("le nul virtuel de l’un est contre l’autre : ils se font monter l’un l’autre")


# 001 Romania -----------------------------------------------------------------------------------


def _romania_points(v: Values, opponent: str) -> tuple[str, str]:
    head = _("Place %(place)s sur %(players)s, valeur de la partie %(v)s") % {
        "place": number(v["L"], 1),
        "players": v["J"],
        "v": decimal(v["V"], 2),
    }
    formula = _("P = %(p)s, de poids %(w)s sur %(sum)s") % {
        "p": decimal(v["P"], 2),
        "w": v["weight"],
        "sum": v["sum_of_weights"],
    }
    return head, formula


def _romania_left(v: Values, opponent: str) -> tuple[str, str]:
    words = ngettext(
        "%(n)s partie sort de la fenêtre", "%(n)s parties sortent de la fenêtre", len(v["games"])
    )
    return words % {"n": len(v["games"])}, _("N = %(n)s parties officielles") % {"n": v["N"]}


def _romania_ageing(v: Values, opponent: str) -> tuple[str, str]:
    words = ngettext(
        "%(n)s partie plus ancienne perd %(step)s de poids",
        "%(n)s parties plus anciennes perdent %(step)s de poids",
        int(v["games"]),
    )
    return words % {"n": v["games"], "step": v["step"]}, ""


STATUS_NAMES: Mapping[str, Callable[[], str]] = {
    "active": lambda: _("actif"),
    "provisional": lambda: _("provisoire"),
    "none": lambda: _("sans rating"),
}


def _romania_status(v: Values, opponent: str) -> tuple[str, str]:
    before, after = (STATUS_NAMES.get(v[side], lambda: "–")() for side in ("from", "to"))
    head = _("Statut : %(before)s → %(after)s") % {"before": before, "after": after}
    return head, _("actif à partir de %(n)s parties dans la fenêtre") % {"n": v["least"]}


# 001 ABSP --------------------------------------------------------------------------------------


def _absp_game(v: Values, opponent: str) -> tuple[str, str]:
    result = {1.0: _("victoire"), 0.5: _("nul"), 0.0: _("défaite")}[float(v["W"])]
    words = _("%(result)s contre %(cote)s : %(points)s points") % {
        "result": result,
        "cote": number(v["E_opponent"]),
        "points": number(v["points"]),
    }
    if v["counted"] != v["E_opponent"]:
        words += _(", l’adversaire compté %(cote)s") % {"cote": number(v["counted"])}
    return opponent, words


def _absp_window(v: Values, opponent: str) -> tuple[str, str]:
    words = ngettext(
        "%(n)s partie plus ancienne compte encore",
        "%(n)s parties plus anciennes comptent encore",
        int(v["games"]),
    )
    left = ngettext(
        "%(n)s partie sort de la fenêtre", "%(n)s parties sortent de la fenêtre", int(v["left"])
    )
    return words % {"n": v["games"]}, left % {"n": v["left"]} if v["left"] else ""


def _absp_ten_point(v: Values, opponent: str) -> tuple[str, str]:
    head = _("Règle des 10 points : le départ est porté de %(before)s à %(after)s") % {
        "before": number(v["E0"]),
        "after": number(v["start"]),
    }
    games = ngettext("%(n)s partie jouée avant", "%(n)s parties jouées avant", int(v["games"]))
    return head, games % {"n": v["games"]}


# All systems -----------------------------------------------------------------------------------


def _rounding(v: Values, opponent: str) -> tuple[str, str]:
    raw = v.get("raw")
    return _("Arrondi à l’entier"), "" if raw is None else decimal(raw, 2)


def _floor(v: Values, opponent: str) -> tuple[str, str]:
    floor = v.get("floor")
    return _("Plancher de la cote"), "" if floor is None else number(floor)


def _start(v: Values, opponent: str) -> tuple[str, str]:
    return _("Cote de départ"), _plain({k: x for k, x in v.items() if isinstance(x, int | str)})


WORDS: dict[tuple[str, str], Callable[[Values, str], tuple[str, str]]] = {
    ("game", "002"): _faizers_game,
    ("ds", "002"): _ds,
    ("cut", "002"): _cut,
    ("k", "000"): _fisf_k,
    ("game", "000"): _fisf_game,
    ("rounding", "000"): _fisf_sum,
    ("game", "003"): _fesa_game,
    ("earlier", "003"): _fesa_earlier,
    ("virtual", "003"): _fesa_virtual,
    ("result", "003"): _fesa_result,
    ("performance", "003"): _fesa_performance,
    ("grade", "003"): _fesa_grade,
    ("unsettled", "003"): _fesa_unsettled,
    ("lifted", "003"): _fesa_lifted,
    ("game", "001"): _absp_game,
    ("window", "001"): _absp_window,
    ("ten_point", "001"): _absp_ten_point,
    ("points", "001"): _romania_points,
    ("left", "001"): _romania_left,
    ("ageing", "001"): _romania_ageing,
    ("status", "001"): _romania_status,
    ("rounding", ""): _rounding,
    ("floor", ""): _floor,
    ("start", ""): _start,
}
"""(kind, document) → its function; without a document for what all systems share."""
