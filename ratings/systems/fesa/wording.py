"""Reasons of the FESA Elo (003) in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from clubs.templatetags.ui import cote, decimal, signed
from ratings.systems.words import Values, Words, number


def game_line(v: Values, opponent: str) -> tuple[str, str]:
    head = _("%(name)s, %(elo)s après le tableau") % {"name": opponent, "elo": number(v["or"])}
    if v["formula"] == "d'":
        formula = _("d′ = %(k)s × (%(opponent)s − %(tr)s) / 160")
    else:
        formula = _("d = %(k)s × (%(res)s − %(we)s)")
    words = formula % {
        "k": v["k"],
        "res": number(v["res"], 1),
        "we": decimal(v["We"], 4),
        "opponent": number(v["or"]),
        "tr": number(v["tr"]),
    }
    if v["bonus"]:
        words += _(", bonus d’activité %(bonus)s") % {"bonus": signed(v["bonus"], 2)}
    return head, words


def earlier_line(v: Values, opponent: str) -> tuple[str, str]:
    words = ngettext(
        "%(n)s partie d’un tableau précédent compte aussi",
        "%(n)s parties de tableaux précédents comptent aussi",
        int(v["games"]),
    )
    return words % {"n": v["games"]}, ""


def virtual_line(v: Values, opponent: str) -> tuple[str, str]:
    head = _("Grade reconnu : %(grade)s") % {"grade": v["grade"]}
    return head, _("une victoire et une défaite virtuelles contre %(mp)s") % {"mp": v["MP"]}


def result_line(v: Values, opponent: str) -> tuple[str, str]:
    words = {1.0: _("victoire"), 0.5: _("nul"), 0.0: _("défaite")}[float(v["res"])]
    return opponent, _("%(result)s contre %(elo)s") % {"result": words, "elo": number(v["or"])}


def performance_line(v: Values, opponent: str) -> tuple[str, str]:
    head = _("Classement de performance : %(elo)s") % {"elo": cote(v["Elo"])}
    share = v.get("share")
    if share == "0":
        formula = _("aucun point : compté au plancher")
    elif share == "100":
        formula = _("tous les points : un nul virtuel contre le meilleur des autres est ajouté")
    else:
        formula = _("le niveau dont le score attendu est %(score)s sur %(games)s") % {
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
    "MP early": lambda: _("point médian : plus aucune défaite ne peut empêcher la promotion"),
    "LB early": lambda: _("limite basse : plus aucune défaite ne peut empêcher la promotion"),
}


def grade_line(v: Values, opponent: str) -> tuple[str, str]:
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


def grade_act_line(v: Values, opponent: str) -> tuple[str, str]:
    if v["act"] == "approval":
        head = _("Accord de la Nihon Shogi Renmei pour %(grade)s") % {"grade": v["grade"]}
    else:
        head = _("Demande de promotion : %(grade)s") % {"grade": v["grade"]}
    return head, _("référence %(reference)s, du %(day)s") % {
        "reference": v["reference"],
        "day": v["dated_on"],
    }


def unsettled_line(v: Values, opponent: str) -> tuple[str, str]:
    head = _("Ce tableau ne se stabilise pas : les nombres sont fixés par la règle de départage")
    return head, _("%(n)s passages") % {"n": v["passes"]}


def decimals_line(v: Values, opponent: str) -> tuple[str, str]:
    head = _("Arrondis, les nombres de ce tableau changent à chaque passage")
    return head, _("ils sont calculés avec leurs décimales et arrondis à la fin")


def lifted_line(v: Values, opponent: str) -> tuple[str, str]:
    head = _("Plusieurs nouveaux joueurs ont tout gagné dans ce tableau")
    return head, _("le nul virtuel de l’un est contre l’autre : ils se font monter l’un l’autre")


def to_status_line(v: Values, opponent: str) -> tuple[str, str]:
    if v["status"] == "unrated":
        head = ngettext(
            "Classement provisoire : %(have)s partie sur %(need)s",
            "Classement provisoire : %(have)s parties sur %(need)s",
            v["have"],
        )
        return head % v, _("avec une victoire et une défaite au moins, ou un nul")
    head = ngettext(
        "Classement définitif : %(have)s partie sur %(need)s",
        "Classement définitif : %(have)s parties sur %(need)s",
        v["have"],
    )
    return head % v, ""


def to_upper_line(v: Values, opponent: str) -> tuple[str, str]:
    head = ngettext(
        "%(grade)s par la limite haute (UB %(limit)s) : encore %(left)s point",
        "%(grade)s par la limite haute (UB %(limit)s) : encore %(left)s points",
        v["left"],
    )
    words = []
    if v["status"] == "provisional":
        words.append(_("classement provisoire : il faut la limite haute du grade suivant"))
    if v["approval"]:
        words.append(_("avec l’accord de la Nihon Shogi Renmei"))
    return head % v, " · ".join(words)


def to_middle_line(v: Values, opponent: str) -> tuple[str, str]:
    head = ngettext(
        "%(grade)s par le point médian (MP %(limit)s) : %(have)s partie de suite sur %(need)s",
        "%(grade)s par le point médian (MP %(limit)s) : %(have)s parties de suite sur %(need)s",
        v["have"],
    )
    return head % v, _("les plus récentes, jouées avec au moins cet Elo")


def to_lower_line(v: Values, opponent: str) -> tuple[str, str]:
    head = ngettext(
        "%(grade)s par la limite basse (LB %(limit)s) : %(have)s partie de suite sur %(need)s",
        "%(grade)s par la limite basse (LB %(limit)s) : %(have)s parties de suite sur %(need)s",
        v["have"],
    )
    if v["has_middle"]:
        return head % v, _("dont une au point médian %(middle)s : oui") % v
    return head % v, _("dont une au point médian %(middle)s : pas encore") % v


WORDS: Words = {
    "game": game_line,
    "earlier": earlier_line,
    "virtual": virtual_line,
    "result": result_line,
    "performance": performance_line,
    "grade": grade_line,
    "grade_act": grade_act_line,
    "unsettled": unsettled_line,
    "decimals": decimals_line,
    "lifted": lifted_line,
    "to_status": to_status_line,
    "to_upper": to_upper_line,
    "to_middle": to_middle_line,
    "to_lower": to_lower_line,
}
"""Kind of reason → its line."""
