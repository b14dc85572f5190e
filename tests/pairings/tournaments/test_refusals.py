"""Every action on a tournament says what it refuses in which state, and then changes nothing.

What it does not refuse it does to that tournament alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from clubs.accounts.actor import Refused
from clubs.journal.models import JournalEntry
from pairings.matches.models import Match
from pairings.tournaments import actions as tournaments
from pairings.tournaments import closing, rating, registration
from pairings.tournaments.models import Entry, FinalRanking, Round, RoundDraw, Tournament
from pairings.tournaments.rounds import actions as rounds
from pairings.tournaments.rounds import publishing, score_entry
from pairings.tournaments.rules import checked_rules
from tests.clubhouse import Clubhouse, make_club
from tests.refusals import refused
from tests.tournament_day import (
    entry_of,
    frozen,
    make_tournament,
    play,
    play_round,
    publish,
    round_of,
)

pytestmark = pytest.mark.django_db


@dataclass
class Scene:
    """A tournament of a club in one of its states, and its two players with the best cotes."""

    club: Clubhouse
    tournament: Tournament

    @property
    def first(self) -> Round:
        return round_of(self.tournament, 1)

    @property
    def entry(self) -> Entry:
        return entry_of(self.tournament, self.club.members[0])

    @property
    def match(self) -> Match:
        return self.first.matches.order_by("table_number").first()

    @property
    def outsider(self) -> int:
        return self.club.members[7].pk


def empty(club: Clubhouse) -> Tournament:
    return make_tournament(club, 0)


def entries(club: Clubhouse) -> Tournament:
    return make_tournament(club, 6, self_entry=False)


def ready(club: Clubhouse) -> Tournament:
    return make_tournament(club, 6, round_count=2)


def begun(club: Clubhouse) -> Tournament:
    return frozen(club, 6, round_count=2)


def drafted(club: Clubhouse) -> Tournament:
    tournament = begun(club)
    rounds.draw(round=round_of(tournament, 1), by=club.arbiter, at=club.at)
    return tournament


def published(club: Clubhouse) -> Tournament:
    tournament = begun(club)
    publish(club, tournament, 1)
    return tournament


def played(club: Clubhouse) -> Tournament:
    tournament = published(club)
    play(club, round_of(tournament, 1))
    return tournament


def over(club: Clubhouse) -> Tournament:
    tournament = begun(club)
    for number in (1, 2):
        play_round(club, tournament, number)
    return tournament


def closed(club: Clubhouse) -> Tournament:
    tournament = over(club)
    closing.close(tournament=tournament, by=club.arbiter, at=club.at)
    tournament.refresh_from_db()
    return tournament


def drafted_again(club: Clubhouse) -> Tournament:
    tournament = begun(club)
    play_round(club, tournament, 1)
    rounds.draw(round=round_of(tournament, 2), by=club.arbiter, at=club.at)
    return tournament


def cancelled(club: Clubhouse) -> Tournament:
    return closing.cancel(tournament=entries(club), reason="r", by=club.committee, at=club.at)


def locked_draft(club: Clubhouse) -> Tournament:
    tournament = drafted(club)
    of_first = {"round": round_of(tournament, 1), "by": club.arbiter, "at": club.at}
    for member in club.members[:6]:
        rounds.set_lock(player=member.pk, on=True, **of_first)
    return tournament


Act = Callable[..., Any]


def of_tournament(act: Act, **more: Any) -> Act:
    return lambda scene, **who: act(tournament=scene.tournament, **more, **who)


def of_entry(act: Act, **more: Any) -> Act:
    return lambda scene, **who: act(entry=scene.entry, **more, **who)


def of_round(act: Act, **more: Any) -> Act:
    return lambda scene, **who: act(round=scene.first, **more, **who)


def draw_the_next(scene: Scene, **who: Any) -> Round:
    return rounds.draw(round=round_of(scene.tournament, 2), **who)


def enter(place: int = 7, **more: Any) -> Act:
    return lambda scene, **who: registration.enter(
        tournament=scene.tournament,
        **{"member": scene.club.members[place], "cote": 1500, **more, **who},
    )


def enter_alone(scene: Scene, **who: Any) -> Any:
    member = scene.club.members[7]
    return registration.enter(
        tournament=scene.tournament,
        member=member,
        cote=1500,
        by=scene.club.player(member),
        at=who["at"],
    )


def enter_a_stranger(scene: Scene, **who: Any) -> Any:
    stranger = make_club("voisins", size=2).members[0]
    return registration.enter(tournament=scene.tournament, member=stranger, cote=1500, **who)


def two(act: Act, one: int = 0, other: int = 1, reason: str = "r") -> Act:
    """An act on two players of the first round, by their places."""
    names = ("one", "other") if act is rounds.swap else ("first", "second")

    def on_two(scene: Scene, **who: Any) -> Any:
        places = {
            name: scene.club.members[place].pk
            for name, place in zip(names, (one, other), strict=True)
        }
        return act(round=scene.first, reason=reason, **places, **who)

    return on_two


def lock_an_outsider(scene: Scene, **who: Any) -> Any:
    return rounds.set_lock(round=scene.first, player=scene.outsider, on=True, **who)


def lock_the_first(scene: Scene, **who: Any) -> Any:
    return rounds.set_lock(round=scene.first, player=scene.club.members[0].pk, on=True, **who)


def check(scene: Scene, *, newer: int = 0, **who: Any) -> Any:
    return score_entry.check(match=scene.match, version=scene.match.version + newer, **who)


def check_a_newer(scene: Scene, **who: Any) -> Any:
    return check(scene, newer=1, **who)


def post_to_a_neighbour(scene: Scene, **who: Any) -> Any:
    theirs = make_club("voisins", size=2).rating_list("glicko2")
    return rating.hand_over(tournament=scene.tournament, rating_list=theirs, **who)


def post_here(scene: Scene, **who: Any) -> Any:
    own = scene.club.rating_list("glicko2")
    return rating.hand_over(tournament=scene.tournament, rating_list=own, **who)


def create(scene: Scene, **who: Any) -> Any:
    club = scene.club
    return tournaments.create(
        organisation=club.organisation, name=" ", starts_at=club.at, system="swiss", **who
    )


REFUSED: list[tuple[str, Callable[[Clubhouse], Tournament], Act, str]] = [
    ("a tournament without a name", entries, create, "name_required"),
    (
        "a name taken away",
        entries,
        of_tournament(tournaments.edit, changes={"name": " "}),
        "name_required",
    ),
    (
        "too many rounds",
        entries,
        of_tournament(tournaments.edit, changes={"round_count": 41}),
        "rounds",
    ),
    ("no round", entries, of_tournament(tournaments.edit, changes={"round_count": 0}), "rounds"),
    (
        "a change after the end",
        closed,
        of_tournament(tournaments.edit, changes={"name": "A"}),
        "wrong_state",
    ),
    (
        "who enters, once frozen",
        begun,
        of_tournament(tournaments.edit, changes={"self_entry": False}),
        "frozen",
    ),
    ("frozen twice", begun, of_tournament(tournaments.freeze), "wrong_state"),
    ("frozen without players", empty, of_tournament(tournaments.freeze), "too_few"),
    ("unfrozen unsaid", begun, of_tournament(tournaments.unfreeze, reason=" "), "reason_required"),
    (
        "unfrozen, not frozen",
        entries,
        of_tournament(tournaments.unfreeze, reason="r"),
        "wrong_state",
    ),
    ("unfrozen, drawn", drafted, of_tournament(tournaments.unfreeze, reason="r"), "drawn"),
    ("closed before it began", entries, of_tournament(closing.close), "wrong_state"),
    ("closed unplayed", begun, of_tournament(closing.close), "no_round"),
    ("closed with an open round", published, of_tournament(closing.close), "open_round"),
    ("reopened unsaid", closed, of_tournament(closing.reopen, reason=" "), "reason_required"),
    ("reopened while it runs", begun, of_tournament(closing.reopen, reason="r"), "wrong_state"),
    ("cancelled unsaid", entries, of_tournament(closing.cancel, reason=" "), "reason_required"),
    ("cancelled, played", published, of_tournament(closing.cancel, reason="r"), "published"),
    ("cancelled twice", cancelled, of_tournament(closing.cancel, reason="r"), "wrong_state"),
    ("an entry after the end", closed, enter(), "wrong_state"),
    ("an entry of a stranger", entries, enter_a_stranger, "other_club"),
    ("an entry by themselves, of the desk alone", entries, enter_alone, "desk_only"),
    ("a cote below zero", entries, enter(cote=-1), "bad_cote"),
    ("a cote above all", entries, enter(cote=4001), "bad_cote"),
    ("entered twice", entries, enter(place=0), "already_entered"),
    ("removed, once frozen", begun, of_entry(registration.remove), "frozen"),
    ("back without having left", begun, of_entry(registration.come_back, number=1), "wrong_state"),
    (
        "absent after the end",
        closed,
        of_entry(registration.set_presence, number=3, present=False),
        "wrong_state",
    ),
    (
        "absent from no round",
        begun,
        of_entry(registration.set_presence, number=0, present=False),
        "no_round",
    ),
    (
        "absent from a round that stands",
        published,
        of_entry(registration.withdraw, number=1),
        "published",
    ),
    ("drawn, published", published, of_round(rounds.draw), "published"),
    ("drawn after the end", closed, of_round(rounds.draw), "wrong_state"),
    ("drawn, the one before not closed", played, draw_the_next, "not_closed"),
    ("two exchanged, published", published, two(rounds.swap), "wrong_state"),
    ("two exchanged unsaid", drafted, two(rounds.swap, reason=" "), "reason_required"),
    ("exchanged with themselves", drafted, two(rounds.swap, 0, 0), "same_player"),
    ("exchanged across a locked table", locked_draft, two(rounds.swap, 0, 2), "locked"),
    ("paired with themselves", drafted, two(rounds.pair_by_hand, 0, 0), "same_player"),
    ("paired with somebody away", drafted, two(rounds.pair_by_hand, 0, 7), "not_present"),
    ("paired across a locked table", locked_draft, two(rounds.pair_by_hand, 0, 2), "locked"),
    ("a table locked for nobody", drafted, lock_an_outsider, "no_board"),
    ("published without a draft", begun, of_round(publishing.publish), "wrong_state"),
    ("taken back unsaid", published, of_round(publishing.unpublish, reason=" "), "reason_required"),
    ("taken back, a draft", drafted, of_round(publishing.unpublish, reason="r"), "wrong_state"),
    ("paired late unsaid", published, two(publishing.pair_late, reason=" "), "reason_required"),
    ("paired late with themselves", published, two(publishing.pair_late, 0, 0), "same_player"),
    ("paired late in a draft", drafted, two(publishing.pair_late), "wrong_state"),
    ("paired late, not entered", published, two(publishing.pair_late, 0, 7), "not_entered"),
    ("paired late, at a table", published, two(publishing.pair_late), "already_playing"),
    ("a clock of a draft", drafted, of_round(publishing.set_clock, minutes=20), "wrong_state"),
    ("a round closed, a draft", drafted, of_round(publishing.close), "wrong_state"),
    ("a round closed, results missing", published, of_round(publishing.close), "open_matches"),
    ("read again, changed since", published, check_a_newer, "stale"),
    ("read again, no result", published, check, "wrong_state"),
    ("posted before the end", published, post_here, "wrong_state"),
    ("posted to a neighbour's list", closed, post_to_a_neighbour, "other_club"),
]


@pytest.mark.parametrize(
    ("make", "act", "code"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED]
)
def test_it_is_refused_by_its_code_and_nothing_changes(club, make, act, code):
    scene = Scene(club, make(club))
    rows = (JournalEntry, Tournament, Entry, Round, Match)
    if act in (enter_a_stranger, post_to_a_neighbour, post_here):
        rows = rows[1:]  # another club or a list is founded for it
    before = [list(model.objects.order_by("pk").values()) for model in rows]
    with refused(code):
        act(scene, by=club.committee, at=club.at)
    assert [list(model.objects.order_by("pk").values()) for model in rows] == before


ACCEPTED: list[tuple[str, Callable[[Clubhouse], Tournament], Act]] = [
    ("changed", entries, of_tournament(tournaments.edit, changes={"name": "Autre"})),
    ("an entry", entries, enter()),
    ("an entry changed", entries, of_entry(registration.edit_entry, changes={"cote": 1234})),
    ("an entry removed", entries, of_entry(registration.remove)),
    ("frozen", ready, of_tournament(tournaments.freeze)),
    ("unfrozen", begun, of_tournament(tournaments.unfreeze, reason="r")),
    ("absent", begun, of_entry(registration.set_presence, number=1, present=False)),
    ("withdrawn", begun, of_entry(registration.withdraw, number=1)),
    ("drawn", begun, of_round(rounds.draw)),
    ("two exchanged", drafted, two(rounds.swap)),
    ("paired by hand", drafted, two(rounds.pair_by_hand)),
    ("a table locked", drafted, lock_the_first),
    ("published", drafted, of_round(publishing.publish)),
    ("taken back", published, of_round(publishing.unpublish, reason="r")),
    ("a clock", published, of_round(publishing.set_clock, minutes=20)),
    ("a result read again", played, check),
    ("a round closed", played, of_round(publishing.close, unread_reason="r")),
    ("closed", over, of_tournament(closing.close)),
    ("closed early", drafted_again, of_tournament(closing.close, reason="r")),
    ("reopened", closed, of_tournament(closing.reopen, reason="r")),
    ("cancelled", entries, of_tournament(closing.cancel, reason="r")),
]


@pytest.mark.parametrize(
    ("make", "act"), [case[1:] for case in ACCEPTED], ids=[case[0] for case in ACCEPTED]
)
def test_an_act_changes_no_other_tournament_in_the_same_state(club, make, act):
    neighbours = make_club("voisins", size=8)
    make(neighbours)
    scene = Scene(club, make(club))

    def rows(whose: Clubhouse) -> list[list[dict[str, Any]]]:
        of = {
            JournalEntry: "organisation",
            Tournament: "organisation",
            Entry: "tournament__organisation",
            Round: "tournament__organisation",
            RoundDraw: "round__tournament__organisation",
            FinalRanking: "tournament__organisation",
            Match: "organisation",
        }
        return [
            list(model.objects.filter(**{path: whose.organisation}).order_by("pk").values())
            for model, path in of.items()
        ]

    own, others = rows(club), rows(neighbours)
    act(scene, by=club.committee, at=club.at)
    assert rows(neighbours) == others
    after = rows(club)
    assert after != own and len(after[0]) > len(own[0]), "with its line in the journal"


@pytest.mark.parametrize(
    ("system", "values"),
    [
        ("schedule", {"schedule": 5}),
        ("schedule", {"schedule": [["swiss", [1]]]}),
        ("swiss", {"wins_and_spread": [["a"]]}),
        ("swiss", {"setting_of_a_later_version": 1}),
    ],
)
def test_a_setting_that_nobody_knows_is_refused_in_plain_words(system, values):
    with pytest.raises(Refused) as refusal:
        checked_rules(system, values)
    assert refusal.value.code == "rule_value"
    assert "inconnu" in str(refusal.value) or "ronde" in str(refusal.value)
