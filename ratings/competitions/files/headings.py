"""The columns of a competition's file: kinds of sheet, heads in three languages, what is needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from clubs.exchange import tables
from ratings.systems import FACTS, SYSTEMS

GAMES, PLACINGS, STARTS = "games", "placings", "starts"
FACTS_OF_A_START = tuple(dict.fromkeys(name for one in SYSTEMS for name in one.start_columns))
TEXTS_OF_A_START = frozenset(name for one in SYSTEMS for name in one.start_texts)

GAME_CELLS = tuple((f"game_{game}_1", f"game_{game}_2") for game in (1, 2, 3))
"""The columns of the games of a match of two winning games, as a tournament exports them."""
DAY_FORMATS = ("%Y-%m-%d", "%d/%m/%Y", "%d.%m.%Y")
"""How a day is written in a file or typed in a form."""
FIRST_NAME = ("prenom", "first name", "firstname", "prenume")
NAME = ("joueur", "nom", "player", "name", "jucator", "nume")
LAST_NAME = ("nom de famille", "last name", "lastname", "surname")
PLAYER = (*NAME, *LAST_NAME)
"""The whole name; the last name alone where the first name has a column of its own."""
LICENCE = ("licence", "no licence", "numero de licence", "licenta")

HEADS: Mapping[str, tables.Known] = {
    GAMES: {
        "first": ("joueur 1", "joueur", "player 1", "player", "jucator 1", "jucator", "blanc"),
        "second": ("joueur 2", "adversaire", "player 2", "opponent", "jucator 2", "noir"),
        "result": ("resultat", "result", "rezultat", "res"),
        "first_score": ("score 1", "points 1", "score", "scor 1"),
        "second_score": ("score 2", "points 2", "score adverse", "scor 2"),
        "round": ("ronde", "round", "runda", "tour"),
        "game": ("manche", "game", "partida"),
        "absent": ("absent", "forfait", "forfeit"),
        "played": ("joue", "jouee", "played", "jucat", "jucata"),
        "first_licence": ("licence 1", "licenta 1"),
        "second_licence": ("licence 2", "licenta 2"),
        **{
            f"game_{game}_{seat}": (f"manche {game} joueur {seat}", f"game {game} player {seat}")
            + (f"partida {game} jucator {seat}",)
            for game in (1, 2, 3)
            for seat in (1, 2)
        },
    },
    PLACINGS: {
        "place": ("place", "rang", "loc", "locul", "rank", "clt"),
        "player": PLAYER,
        "first_name": FIRST_NAME,
        "licence": LICENCE,
    },
    STARTS: {
        "player": PLAYER,
        "first_name": FIRST_NAME,
        "rating": ("cote", "cota", "elo", "rating"),
        "games": ("parties", "games", "partide"),
        "grade": ("grade", "grad"),
        "bonus_used": ("bonus", "bonus utilises"),
        "tournaments": ("tournois", "tournaments", "turnee"),
        "last": (
            "derniere",
            "derniere competition",
            "last",
            "last competition",
            "ultima competitie",
        ),
        "rank": ("rang", "rang duplicate", "rank", "loc", "locul"),
        "players": (
            *("joueurs classes", "effectif", "players"),
            *("ranked players", "jucatori clasati"),
        ),
        "duplicate": ("serie duplicate", "serie", "duplicate series", "serie duplicat"),
        "classique": ("serie classique", "classique", "classique series", "serie clasic"),
        "licence": LICENCE,
    },
}
NEEDED: Mapping[str, tuple[tuple[str, ...], ...]] = {
    GAMES: (("first",), ("second",), ("result", "first_score", "game_1_1")),
    PLACINGS: (("place",), ("player",)),
    STARTS: (("player",), ("rating", "rank", "duplicate", "classique")),
}


def _game_label(game: int, seat: int) -> str:
    words = _("Manche %(game)s joueur %(seat)s") % {"game": game, "seat": seat}
    return words[:1].lower() + words[1:]


LABELS: Mapping[str, Callable[[], str]] = {
    "first": lambda: _("joueur 1"),
    "second": lambda: _("joueur 2"),
    "result": lambda: _("résultat"),
    "first_score": lambda: _("score 1"),
    "second_score": lambda: _("score 2"),
    "round": lambda: _("ronde"),
    "game": lambda: ngettext("manche", "manches", 1),
    "absent": lambda: _("absent"),
    "played": lambda: _("joué"),
    "first_licence": lambda: _("licence 1"),
    "second_licence": lambda: _("licence 2"),
    **{
        f"game_{game}_{seat}": partial(_game_label, game, seat)
        for game in (1, 2, 3)
        for seat in (1, 2)
    },
    "licence": lambda: _("licence"),
    "place": lambda: _("place"),
    "player": lambda: ngettext("joueur", "joueurs", 1),
    "first_name": lambda: _("prénom"),
    **{name: partial(_, FACTS[name]) for name in FACTS_OF_A_START},
}
