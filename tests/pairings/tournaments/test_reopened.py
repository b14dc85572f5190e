"""A tournament that ends before its last round: reopened and corrected, played on, or cancelled."""

from __future__ import annotations

from datetime import timedelta

import pytest

from clubs.journal import chain as journal
from clubs.journal.models import JournalEntry
from clubs.organisations.models import Organisation
from pairings.rules.match_state import Result
from pairings.tournaments import actions as tournaments
from pairings.tournaments import closing, rating
from pairings.tournaments.models import Tournament
from pairings.tournaments.rounds import publishing as round_publishing
from ratings.handovers.models import HandOver
from ratings.ledger import settlement
from ratings.ledger.models import Period, RatingList
from ratings.ledger.posting import ANNOUNCED
from tests.clubhouse import make_club
from tests.pages import words
from tests.tournament_day import frozen, play_round, publish

pytestmark = pytest.mark.django_db


@pytest.fixture
def reopened(house) -> Tournament:
    """Two rounds of five, then the end and its ranking; the committee has reopened it."""
    made = frozen(house, 8, round_count=5)
    for number in (1, 2):
        play_round(house, made, number)
    by_committee = {"by": house.committee, "at": house.at}
    closing.close(tournament=made, reason="La salle ferme", **by_committee)
    return closing.reopen(tournament=made, reason="Une autre salle", **by_committee)


def rounds_of(tournament: Tournament) -> list[tuple[int, str]]:
    return list(tournament.rounds.order_by("number").values_list("number", "state"))


def test_its_other_rounds_are_planned_again_by_saving_their_number(house, director, reopened):
    over = [(1, "closed"), (2, "closed")]
    assert rounds_of(reopened) == over
    page = words(director.get(f"/c/tournoi/gestion/tournois/{reopened.slug}/"))
    assert "5 rondes étaient prévues : pour jouer les autres, enregistrez les réglages" in page
    save = {"tournament": reopened, "by": house.committee, "at": house.at}
    tournaments.edit(changes={"place": ""}, **save)  # as it was, and not about rounds
    assert rounds_of(reopened) == over
    for _twice in range(2):
        row = tournaments.edit(changes={"round_count": 5}, **save)
        assert rounds_of(row) == [*over, (3, "planned"), (4, "planned"), (5, "planned")]
    noted = JournalEntry.objects.get(verb="tournament_edited")
    assert (noted.before, noted.after) == ({"round_count": 2}, {"round_count": 5})
    assert row.version == reopened.version + 1
    assert play_round(house, row, 3).state == "closed"


def test_what_is_not_published_yet_is_not_called_the_final_ranking(house, as_user, reopened):
    visitor, home = as_user(), reopened.get_absolute_url()
    match = reopened.rounds.get(number=2).matches.get(table_number=1)
    turned = Result("played", match.second_score, match.first_score)
    house.correct(match, turned, "feuille relue")
    assert "Classement final" not in words(visitor.get(home))
    shown = words(visitor.get(f"{home}classement/"))
    assert "Tournoi rouvert : ce classement peut changer jusqu’à sa publication." in shown
    assert "Classement après la ronde 2" in shown
    for page in ("classement/", "ecran/"):
        assert "Classement final" not in words(visitor.get(f"{home}{page}"))
    assert f"{home}classement/publications/1/" in shown
    row = tournaments.edit(
        tournament=reopened, changes={"round_count": 3}, by=house.committee, at=house.at
    )
    publish(house, row, 3)
    assert "La ronde 3 se joue" in words(visitor.get(home))
    assert "Tournoi rouvert" in words(visitor.get(f"{home}classement/"))


def test_a_list_without_the_corrected_results_says_so_until_it_is_handed_them(house, director):
    lists = [settlement.list_of(house.organisation, code) for code in ("faizers", "glicko2")]
    by_committee = {"by": house.committee, "at": house.at}
    made = frozen(house, 8, round_count=2)
    for number in (1, 2):
        play_round(house, made, number)
    closing.close(tournament=made, **by_committee)

    def hand_over(rating_list) -> None:
        row = Tournament.objects.get(pk=made.pk)
        rating.hand_over(tournament=row, rating_list=rating_list, **by_committee)

    def told() -> int:
        page = words(director.get(f"/c/tournoi/gestion/tournois/{made.slug}/"))
        return page.count("résultats corrigés depuis")

    for one in lists:
        hand_over(one)
    row = closing.reopen(tournament=made, reason="une feuille oubliée", **by_committee)
    closing.close(tournament=row, reason="rien à corriger", **by_committee)
    assert told() == 0
    row = closing.reopen(tournament=made, reason="une feuille mal lue", **by_committee)
    match = made.rounds.get(number=2).matches.get(table_number=1)
    turned = Result("played", match.second_score, match.first_score)
    house.correct(match, turned, "feuille relue")
    closing.close(tournament=row, reason="corrigé", **by_committee)
    assert told() == 2
    for left, one in ((1, lists[0]), (0, lists[1])):
        hand_over(one)
        assert told() == left


def test_a_tournament_that_is_reopened_is_not_handed_to_a_federation_meanwhile(
    house, director, monkeypatch
):
    made, by_committee = frozen(house, 8, round_count=1), {"by": house.committee, "at": house.at}
    play_round(house, made, 1)
    closing.close(tournament=made, **by_committee)
    federation = make_club("federation", size=2)
    Organisation.objects.filter(pk=federation.organisation.pk).update(kind=Organisation.FEDERATION)
    rating_list = federation.rating_list("glicko2")
    federation.lets_feed(house, rating_list)
    lock = journal.lock

    def lock_late(organisations) -> None:
        """Wait for the committee, who reopens it."""
        monkeypatch.setattr(journal, "lock", lock)
        closing.reopen(tournament=made, reason="une feuille mal lue", **by_committee)
        lock(organisations)

    monkeypatch.setattr(journal, "lock", lock_late)
    page = f"/c/tournoi/tournois/{made.slug}/federation/"
    answer = director.post(page, {"official": "yes"})
    assert (answer.status_code, HandOver.objects.count()) == (422, 0)
    assert "Ces valeurs ont changé" in words(answer)


def test_a_list_that_has_not_rated_it_takes_its_name_and_day_again(house):
    lists = [settlement.list_of(house.organisation, code) for code in ("faizers", "glicko2")]
    by_committee = {"by": house.committee, "at": house.at}
    made = frozen(house, 8, round_count=1)
    play_round(house, made, 1)
    closing.close(tournament=made, **by_committee)
    first = [rating.hand_over(tournament=made, rating_list=one, **by_committee) for one in lists]
    versions = dict(RatingList.objects.values_list("pk", "version"))
    assert first[1].settled_at is None
    row = closing.reopen(tournament=made, reason="le titre", **by_committee)
    day = row.held_on - timedelta(days=1)
    row = tournaments.edit(
        tournament=row, changes={"name": "Coupe d’hiver", "held_on": day}, **by_committee
    )
    closing.close(tournament=row, reason="le titre", **by_committee)
    for one, held in zip(lists, first, strict=True):
        again = rating.hand_over(tournament=row, rating_list=one, **by_committee)
        waits = held.settled_at is None
        assert (again.label, again.held_on) == (
            ("Coupe d’hiver", day) if waits else (held.label, held.held_on)
        )
        one.refresh_from_db()
        assert (one.version == versions[one.pk]) is not waits  # a dry run made before is older


def handed_over_twice(house, *, declared, changed, noted=True):
    """Return the facts in a FESA list: its officer declared some, the club changed others meanwhile.

    `noted`: whether the version that handed it over first noted what the club had said.
    """
    fesa = settlement.list_of(house.organisation, "fesa")
    by_committee = {"by": house.committee, "at": house.at}
    made = frozen(house, 8, round_count=1)
    play_round(house, made, 1)
    closing.close(tournament=made, **by_committee)
    held = rating.hand_over(tournament=made, rating_list=fesa, **by_committee)
    facts = {name: fact for name, fact in held.facts.items() if noted or name != ANNOUNCED}
    Period.objects.filter(pk=held.pk).update(facts=facts | declared)
    version = RatingList.objects.get(pk=fesa.pk).version
    row = closing.reopen(tournament=made, reason="la cadence", **by_committee)
    row = tournaments.edit(tournament=row, changes=changed, **by_committee)
    closing.close(tournament=row, reason="la cadence", **by_committee)
    again = rating.hand_over(tournament=row, rating_list=fesa, **by_committee)
    assert again.pk == held.pk
    assert RatingList.objects.get(pk=fesa.pk).version > version  # a dry run made before is older
    return again.facts


def test_a_list_that_has_not_rated_it_takes_its_rhythm_and_arbiter_again(house):
    """A FESA list refuses it until they are corrected; what an officer said of a player stays."""
    said = {"players": {str(house.members[0].pk): {"accepted_grade": "5 Kyu", "authority": "FESA"}}}
    rhythm = {"minutes": 30, "byoyomi": 30, "director": "A. Olufsen"}
    facts = handed_over_twice(house, declared=said, changed=rhythm)
    of_event = {"minutes": 30, "byoyomi": 30, "arbiter": "A. Olufsen", "one_table": True}
    assert facts == {**said, **of_event, "announced": of_event}


def test_what_an_officer_declared_of_a_tournament_stays_where_the_club_changes_nothing(house):
    """A FESA list refuses 25 minutes and no arbiter; the officer declares both at the desk."""
    declared = {"minutes": 40, "arbiter": "A. Olufsen"}
    facts = handed_over_twice(house, declared=declared, changed={"byoyomi": 30})
    assert facts.items() >= {**declared, "byoyomi": 30}.items()


def test_what_an_officer_declared_stays_where_1_12_handed_it_over_first(house):
    """1.12 noted nothing of what the club had said: what stands there stays, what was empty comes."""
    declared = {"minutes": 40, "arbiter": "A. Olufsen"}
    facts = handed_over_twice(house, declared=declared, changed={"byoyomi": 30}, noted=False)
    assert facts.items() >= {**declared, "byoyomi": 30}.items()


def test_a_tournament_whose_only_round_was_taken_back_may_be_cancelled(house, director):
    made, by_arbiter = frozen(house, 9), {"by": house.arbiter, "at": house.at}
    first = publish(house, made, 1)
    round_publishing.unpublish(round=first, reason="Alerte", **by_arbiter)
    act = f"/c/tournoi/gestion/tournois/{made.slug}/acte/annuler/"
    page = words(director.post(act, {"reason": "Alerte"}, follow=True))
    assert "Le tournoi est annulé." in page and "Ce tournoi est annulé." in page
    noted = JournalEntry.objects.get(verb="tournament_cancelled")
    assert noted.reason == "Alerte"
