"""A tournament run elsewhere with tsh, followed here by its file round after round."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from clubs.journal.models import JournalEntry
from pairings.exchange.formats import tsh
from pairings.exchange.problems import FileRefused
from pairings.tournaments import actions as tournaments
from pairings.tournaments import closing
from pairings.tournaments import standings as tournament_standings
from pairings.tournaments.files import follow as tournament_follow
from pairings.tournaments.files import restore as tournament_restore
from pairings.tournaments.files import snapshot
from pairings.tournaments.models import Round
from pairings.tournaments.rounds import publishing as round_publishing
from pairings.tournaments.rules import TournamentRefused
from tests.clubhouse import make_club
from tests.refusals import refused
from tests.tournament_day import frozen, make_tournament, publish, round_of

pytestmark = pytest.mark.django_db
CLUB = "/c/ailleurs"


@pytest.fixture
def house(db):
    return make_club("ailleurs", size=5)


@pytest.fixture
def running(house):
    return frozen(house, system="swiss", round_count=2)


def division(*lines: str) -> str:
    """Return the file of the club's five players; tsh brackets a name with a digit."""
    head = [f"(Nom{n}), (Prénom{n}) {1900 - 10 * n} " for n in range(5)]
    return "".join(f"{one}{rest}\n" for one, rest in zip(head, lines, strict=True))


ONE = division("2; 400", "1; 300", "4; 350", "3; 350", "0; 50")
TWO = division("2 3", "1 5", "4 1", "3 0", "0 2")
SCORES = ("400 410", "300 420", "350 390", "350 50", "50 380")
BOTH = division(
    *(f"{a}; {b}" for a, b in zip(("2 3", "1 5", "4 1", "3 0", "0 2"), SCORES, strict=True))
)


def sheet_of(text: str, tournament):
    return tsh.read(
        text.encode(), name=tournament.name, held_on=tournament.held_on, own_ranking=True
    )


def follow(house, tournament, text: str) -> int:
    sheet = sheet_of(text, tournament)
    return tournament_follow.follow(
        tournament=tournament, sheet=sheet, by=house.arbiter, at=house.at
    )


def places(tournament):
    found = tournament_standings.standing(tournament_standings.sheet_of(tournament))
    return [(row.entry.member.last_name, row.values["spread"]) for row in found.rows]


def test_each_sending_adds_what_is_new_and_nothing_twice(house, running):
    assert follow(house, running, ONE) == 3
    assert round_of(running, 1).state == Round.State.CLOSED
    assert places(running)[:2] == [("Nom0", 100), ("Nom4", 50)]
    assert follow(house, running, ONE) == 0
    paired = division("2 3; 400", "1 5; 300", "4 1; 350", "3 0; 350 50", "0 2; 50")
    assert follow(house, running, paired) == 1
    assert round_of(running, 2).state == Round.State.PUBLISHED
    assert follow(house, running, BOTH) == 2
    assert round_of(running, 2).state == Round.State.CLOSED
    assert places(running)[:2] == [("Nom0", 120), ("Nom3", 50)]
    assert JournalEntry.objects.filter(verb="tournament_followed").count() == 4


def test_more_rounds_than_planned_are_added(house, running):
    third = division(
        "2 3 4; 400 410 500",
        "1 5 0; 300 420 50",
        "4 1 5; 350 390 400",
        "3 0 1; 350 50 300",
        "0 2 3; 50 380 410",
    )
    assert follow(house, running, third) == 9
    assert running.rounds.count() == 3 and places(running)[0][0] == "Nom0"


def test_a_result_that_differs_an_unknown_name_and_another_board_are_refused_whole(house, running):
    follow(house, running, ONE)
    for text, words in (
        (BOTH.replace("400 410", "401 410"), "déjà un autre résultat"),
        (BOTH.replace("(Nom3)", "(Nom33)"), "pas d’inscription"),
        (division("3; 400", "4; 300", "1; 350", "2; 350", "0; 50"), "pas celle du site"),
    ):
        with pytest.raises(FileRefused) as refusal:
            follow(house, running, text)
        assert any(words in str(problem) for problem in refusal.value.problems)
        assert round_of(running, 2).state == Round.State.PLANNED


def test_a_round_published_here_takes_its_results_whoever_is_named_first(house, running):
    published = publish(house, running, 1)
    numbers = {member.pk: n for n, member in enumerate(house.members, start=1)}
    opponents, scores = ["0"] * 5, ["50"] * 5
    for match in published.matches.filter(second__isnull=False):
        one, two = numbers[match.first_id], numbers[match.second_id]
        opponents[one - 1], opponents[two - 1] = str(two), str(one)
        scores[one - 1], scores[two - 1] = "401", "302"
    text = division(*(f"{a}; {b}" for a, b in zip(opponents, scores, strict=True)))
    assert follow(house, running, text) == 2
    found = round_of(running, 1)
    assert found.state == Round.State.CLOSED
    assert {
        (m.first_score, m.second_score) for m in found.matches.filter(second__isnull=False)
    } == {(401, 302)}


def test_a_tournament_that_has_not_begun_or_is_over_is_refused(house):
    made = make_tournament(house, system="swiss", round_count=2)
    with pytest.raises(TournamentRefused):
        follow(house, made, ONE)


def test_the_division_is_sent_on_the_page_of_results(house, running, as_user):
    address = f"{CLUB}/gestion/tournois/{running.slug}/resultats/"
    arbiter = as_user(house.arbiter.user)
    answer = arbiter.post(address, {"file": SimpleUploadedFile("a.t", ONE.encode())})
    assert answer.status_code == 302
    assert round_of(running, 1).state == Round.State.CLOSED
    wrong = ONE.replace("(Nom3)", "(Nom33)").encode()
    answer = arbiter.post(address, {"file": SimpleUploadedFile("a.t", wrong)})
    assert answer.status_code == 422 and "pas d’inscription" in answer.content.decode()


def test_an_event_comes_in_with_every_place_as_tsh_gives_it_and_goes_out_again(house):
    sheet = tsh.read(BOTH.encode(), name="Open", held_on=house.at.date(), own_ranking=True)
    done = tournament_restore.restore(
        sheet=sheet, organisation=house.organisation, digest="", by=house.committee, at=house.at
    )
    assert done.differences == () and done.tournament.system == "swiss"
    found = tournament_standings.standing(tournament_standings.sheet_of(done.tournament))
    assert found.columns[:2] == ["wins", "spread"]
    out = tsh.write(snapshot.photograph(tournament_standings.sheet_of(done.tournament)))
    again = tsh.read(out, name="Open", held_on=house.at.date(), own_ranking=True)
    assert [line.place for line in again.standings] == [line.place for line in sheet.standings]


def test_a_round_of_a_file_that_was_taken_back_stays_with_what_its_boards_were(house, running):
    """No draw of the site is behind it."""
    paired = division("2 3; 400", "1 5; 300", "4 1; 350", "3 0; 350 50", "0 2; 50")
    follow(house, running, paired)
    details = {"reason": "Panne", "at": house.at}
    round_publishing.unpublish(round=round_of(running, 2), by=house.arbiter, **details)
    details |= {"tournament": running, "by": house.committee}
    closing.close(**details)
    closing.reopen(**details)
    with refused("drawn"):
        fewer = {"round_count": 1}
        tournaments.edit(tournament=running, changes=fewer, by=house.committee, at=house.at)
