"""The boards of a draft round as plain values: lock, swap, pair by hand. No row is changed here."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from pairings.rules.firsts import Firsts
from pairings.systems.protocol import MANUAL, Pairing, bye_to_json, pair_to_json
from pairings.tournaments.rules import TournamentRefused

Board = dict[str, Any]
Boards = list[Board]
SWAP = "swap"


def boards_of(outcome: Pairing, pairs: Sequence[tuple[int, Board]]) -> Boards:
    """Return the boards of a pairing, the fictive player's last.

    Locked ones keep their place.
    """
    boards = [board(pair.first, pair.second, pair_to_json(pair)) for pair in outcome.pairs]
    for place, locked in sorted(pairs, key=lambda item: item[0]):
        if locked["second"] is not None:
            boards.insert(min(place, len(boards)), locked)
    boards += [board(bye.player, None, bye_to_json(bye)) for bye in outcome.byes]
    return boards + [locked for _place, locked in pairs if locked["second"] is None]


def with_firsts(boards: Boards, firsts: Firsts, seed: str) -> Boards:
    """Return the boards with who begins named first, and why.

    Locked ones, and those where it is decided, stay as they are.
    """

    def toss(one: int, two: int) -> bool:
        """Draw from the seed, so that anybody who knows it can draw again."""
        low, high = sorted((one, two))
        heads = hashlib.sha256(f"{seed}:{low}:{high}".encode()).digest()[0] % 2 == 0
        return heads == (one == low)

    ordered_boards = []
    for each in boards:
        if each["locked"] or each["second"] is None or "begins" in each["why"]:
            ordered_boards.append(each)
            continue
        begins = firsts.settle(each["first"], each["second"], toss)
        details = {"player": begins.first, "why": begins.why, "firsts": list(begins.firsts)}
        ordered_boards.append(
            board(begins.first, begins.second, {**each["why"], "begins": details})
        )
    return ordered_boards


def board(first: object, second: object, why: dict[str, Any], *, locked: bool = False) -> Board:
    """Return one board of a draft."""
    return {"first": first, "second": second, "why": why, "locked": locked}


def players_of(boards: Iterable[Board]) -> list[int]:
    """Return everybody who has a board."""
    return [pk for b in boards for pk in (b["first"], b["second"]) if pk is not None]


def tables_of(outcome: Mapping[str, Any]) -> set[frozenset[object]]:
    """Return who meets whom in a stored pairing; who has no opponent stands alone."""
    pairs = {frozenset((pair["first"], pair["second"])) for pair in outcome["pairs"]}
    return pairs | {frozenset((bye["player"],)) for bye in outcome["byes"]}


def locked_boards(boards: Boards, present: set[int]) -> list[tuple[int, Board]]:
    """Return the locked boards whose players are still present, with their places."""
    return [
        (place, b)
        for place, b in enumerate(boards)
        if b["locked"] and present.issuperset(players_of([b]))
    ]


def set_lock(boards: Boards, player: int, *, locked: bool) -> Boards:
    """Lock the board of that player, so that another draw keeps it."""
    place = _place_of(boards, player)
    return [{**b, "locked": locked} if index == place else b for index, b in enumerate(boards)]


def swap(boards: Boards, one: int, other: int, words: str) -> Boards:
    """Exchange the places of two players. Both boards keep the arbiter's reason."""
    if one == other:
        raise TournamentRefused(_("Choisissez deux personnes différentes."), code="same_player")
    places = {_place_of(boards, one), _place_of(boards, other)}
    if len(places) == 1:
        raise TournamentRefused(_("Ces deux joueurs sont à la même table."), code="same_board")
    if any(boards[place]["locked"] for place in places):
        raise TournamentRefused(_("Cette table est verrouillée."), code="locked")
    turned = {one: other, other: one}
    why = {"reason": SWAP, "words": words}
    return [
        board(turned.get(b["first"], b["first"]), turned.get(b["second"], b["second"]), why)
        if place in places
        else b
        for place, b in enumerate(boards)
    ]


def pair_by_hand(boards: Boards, first: int, second: int | None, words: str) -> Boards:
    """Pair these two (or one against the fictive player).

    Players left alone by it are paired with each other where there are two.
    """
    if first == second:
        raise TournamentRefused(_("Choisissez deux personnes différentes."), code="same_player")
    chosen = {first, second} - {None}
    touched = [place for place, b in enumerate(boards) if chosen & set(players_of([b]))]
    if second is None:
        touched += [
            place for place, b in enumerate(boards) if b["second"] is None and place not in touched
        ]
    if any(boards[place]["locked"] for place in touched):
        raise TournamentRefused(_("Cette table est verrouillée."), code="locked")
    left = [pk for place in touched for pk in players_of([boards[place]]) if pk not in chosen]
    why = {"reason": MANUAL, "words": words}
    new_board = board(first, second, why, locked=True)
    place = min(touched, default=len(boards))
    kept = [b for index, b in enumerate(boards) if index not in touched]
    kept.insert(min(place, len(kept)), new_board)
    if len(left) == 2:
        kept.append(board(left[0], left[1], why))
    elif len(left) == 1 and any(boards[at]["second"] is None for at in touched):
        kept.append(board(left[0], None, why))
    return sorted(kept, key=lambda b: b["second"] is None)


def _place_of(boards: Boards, player: int) -> int:
    for place, b in enumerate(boards):
        if player in (b["first"], b["second"]):
            return place
    raise TournamentRefused(_("Ce joueur n’a pas de table dans ce brouillon."), code="no_board")
