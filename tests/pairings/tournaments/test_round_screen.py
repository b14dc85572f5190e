"""The director's page of a round: the draft as a table, the cost of a swap, second reading, clock."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from clubs.accounts.actor import ARBITER, Actor, Refused
from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members.models import RoleGrant
from pairings.evenings import pairing
from pairings.matches import actions as match_actions
from pairings.rules.match_state import Result
from pairings.tournaments import actions as tournaments
from pairings.tournaments import registration
from pairings.tournaments import standings as tournament_standings
from pairings.tournaments.models import Round
from pairings.tournaments.rounds import actions as rounds
from pairings.tournaments.rounds import publishing as round_publishing
from pairings.tournaments.rounds import score_entry
from pairings.tournaments.rounds.draft_table import DraftTable
from pairings.tournaments.rules import TournamentRefused
from tests.pages import words
from tests.printed_fields import Printed
from tests.tournament_day import (
    end_round,
    entry_of,
    frozen,
    make_tournament,
    play,
    play_round,
    publish,
    round_of,
)

pytestmark = pytest.mark.django_db
CLUB = "/c/tournoi"


def swiss(house, size=8, count=4, **rules):
    return frozen(house, size, system="swiss", rules=rules, round_count=count)


def control(open_, number, rest=""):
    return f"{CLUB}/gestion/tournois/{open_.slug}/ronde/{number}/{rest or 'conduite/'}"


def draw(house, open_, number):
    return rounds.draw(round=round_of(open_, number), by=house.arbiter, at=house.at)


def table_of(open_, number):
    sheet = tournament_standings.sheet_of(open_)
    found = next(r for r in sheet.rounds if r.number == number)
    return DraftTable(sheet, found, lambda pk: f"J{pk}")


def refusal(call, **given) -> Refused:
    with pytest.raises(Refused) as caught:
        call(**given)
    return caught.value


# The draft as a table


def test_the_draft_shows_place_points_spread_cote_firsts_and_the_places_that_meet(house, director):
    open_ = swiss(house)
    play_round(house, open_, 1)
    draw(house, open_, 2)
    table = table_of(open_, 2)
    order = tournament_standings.standing(tournament_standings.sheet_of(open_), until=1).rows
    stood = {row.entry.member_id: row for row in order}
    assert [column["code"] for column in table.columns] == ["wins", "spread"]
    begun = 0
    for line in table.lines():
        for side in line.sides:
            row = stood[side.member_id]
            assert (side.place, side.cote) == (order.index(row) + 1, row.entry.cote)
            assert side.values[0] == str(row.values["wins"])
            begun += side.begun
    assert begun == 4
    why = table.lines()[0].why.replace("\u00a0", " ")
    assert why.startswith("places 1 et 3 des 4 à 1 victoire : moitié haute contre moitié basse")
    page = words(director.get(control(open_, 2)))
    assert "places 1 et 3 des 4 à 1 victoire" in page
    assert 'data-key-shortcut="p"' in page


def test_a_draft_older_than_a_result_that_pairs_otherwise_says_so(house, director):
    open_ = swiss(house)
    play_round(house, open_, 1)
    draw(house, open_, 2)
    warned = "la règle apparierait autrement. Appariez de nouveau"
    assert warned not in words(director.get(control(open_, 2)))

    def correct(minutes, first, second):
        match = round_of(open_, 1).matches.get(table_number=1)
        fixed = Result("played", first, second)
        at = house.at + timedelta(minutes=minutes)
        slip = {"reason": "feuille relue", "by": house.arbiter, "at": at}
        match_actions.correct(match=match, result=fixed, **slip)
        return at

    match = round_of(open_, 1).matches.get(table_number=1)
    score, other = match.first_score, match.second_score
    correct(1, score + 5, other + 5)  # the spread, and with it every place, stays
    assert warned not in words(director.get(control(open_, 2)))
    seen, publish_act = round_of(open_, 2).version, control(open_, 2, "acte/publier/")
    at = correct(2, other, score)
    # The page was read before the correction: publishing asks, and nothing is published.
    asked = director.post(publish_act, {"version": seen})
    assert asked.status_code == 422
    assert "la règle apparierait autrement" in Printed(asked, "outdated").error.replace(
        "\u00a0", " "
    )
    assert round_of(open_, 2).state == "draft"
    assert warned in words(director.get(control(open_, 2)))
    rounds.draw(round=round_of(open_, 2), by=house.arbiter, at=at)
    assert warned not in words(director.get(control(open_, 2)))
    correct(3, score, other)
    agreed = {"version": round_of(open_, 2).version, "outdated": "on"}
    assert director.post(publish_act, agreed).status_code == 302
    assert round_of(open_, 2).state == "published"


def test_every_key_on_the_page_is_listed(house, director):
    import re

    open_ = swiss(house)

    def check():
        answer = director.get(control(open_, 1))
        shown = set(re.findall(r'data-key-shortcut="(.)"', answer.content.decode()))
        listed = [key for key, _words in answer.context["shortcuts"]]
        assert len(listed) == len(set(listed))
        assert shown <= set(listed)
        return shown

    assert {"a", "r"} <= check()
    drawn = draw(house, open_, 1)
    assert {"a", "b", "x", "h", "p", "r"} <= check()
    published = round_publishing.publish(round=drawn, by=house.arbiter, at=house.at)
    assert {"s", "m", "o", "h", "d", "b"} <= check()
    play(house, published)
    assert "t" in check()
    round_publishing.close(round=published, by=house.arbiter, at=house.at, unread_reason="seul")
    assert {"n", "s", "b"} <= check()


def test_a_draw_from_an_outdated_page_does_not_replace_the_draft_of_another(house, director):
    open_ = swiss(house)
    seen = round_of(open_, 1).version
    drawn = draw(house, open_, 1)
    path = control(open_, 1, "acte/apparier/")
    answer = director.post(path, {"version": seen}, follow=True)
    assert "quelqu’un d’autre" in words(answer)
    assert round_of(open_, 1).version == drawn.version
    assert f'name="version" value="{drawn.version}"' in words(director.get(control(open_, 1)))


def test_a_round_not_drawn_yet_sends_the_version_that_was_read(house, director):
    open_ = swiss(house)
    assert 'name="version" value="0"' in words(director.get(control(open_, 1)))


# The cost of a swap


def test_a_swap_shows_its_cost_before_it_is_done(house, director):
    open_ = swiss(house)
    play_round(house, open_, 1)
    draw(house, open_, 2)
    match = round_of(open_, 1).matches.get(table_number=1)
    one, other = match.first_id, match.second_id
    held = round_of(open_, 2).draft
    partner = next(
        ({b["first"], b["second"]} - {other}).pop()
        for b in held
        if other in (b["first"], b["second"])
    )
    cost = table_of(open_, 2).swap_cost(one, partner)
    assert any(text.startswith("Revanche") and "ronde 1" in text for text in cost.words)
    assert cost.words[-1].replace("\u00a0", " ").endswith(": 0 avant, 2 après.")
    asked = {"first": one, "second": partner}
    page = words(director.get(control(open_, 2), asked))
    assert "Ce que cet échange coûterait" in page
    assert "déjà rencontrés (ronde 1)" in page
    assert round_of(open_, 2).draft == held
    given = {**asked, "version": round_of(open_, 2).version}
    blank = director.post(control(open_, 2, "acte/echanger/"), {**given, "reason": ""})
    assert blank.status_code == 422
    assert "Ce que cet échange coûterait" in words(blank)
    director.post(control(open_, 2, "acte/echanger/"), {**given, "reason": "même voiture"})
    pairs = [{b["first"], b["second"]} for b in round_of(open_, 2).draft]
    assert {one, other} in pairs


def test_a_pairing_by_hand_shows_its_cost_before_it_is_done(house, director):
    open_ = swiss(house)
    play_round(house, open_, 1)
    open_.entries.update(home_club="Cluj")
    draw(house, open_, 2)
    met = round_of(open_, 1).matches.get(table_number=1)
    held = round_of(open_, 2).draft
    asked = {"acte": "main", "first": met.first_id, "second": met.second_id}
    page = words(director.get(control(open_, 2), asked))
    one, other = met.first.full_name, met.second.full_name
    assert "Ce que cet appariement coûterait" in page
    assert f"Revanche : {one} – {other}, déjà rencontrés (ronde 1)." in page
    assert f"Même club : {one} – {other} (Cluj)." in page
    assert f"{one} commence, mais {other} a commencé moins souvent (0 contre 1)." in page
    assert "Écart entre adversaires" in page
    assert round_of(open_, 2).draft == held
    given = {**asked, "version": round_of(open_, 2).version}
    blank = director.post(control(open_, 2, "acte/main/"), {**given, "reason": ""})
    assert blank.status_code == 422 and "Ce que cet appariement coûterait" in words(blank)
    director.post(control(open_, 2, "acte/main/"), {**given, "reason": "même voiture"})
    pairs = [(b["first"], b["second"]) for b in round_of(open_, 2).draft]
    assert (met.first_id, met.second_id) in pairs


def test_a_table_of_two_who_met_says_when_once(house, director):
    open_ = swiss(house)
    play_round(house, open_, 1)
    draw(house, open_, 2)
    row, met = round_of(open_, 2), round_of(open_, 1).matches.get(table_number=1)
    why = {"reason": "kept", "meeting": {"day": 1, "since": 1, "times": 1, "key": str(met.pk)}}
    row.draft[0] |= {"first": met.first_id, "second": met.second_id, "why": why}
    Round.objects.filter(pk=row.pk).update(draft=row.draft)
    page = words(director.get(control(open_, 2)))
    assert page.count("déjà rencontrés : ronde 1.") == 1
    assert "se sont rencontrés à la ronde" not in page


def test_who_has_no_opponent_again_has_met_nobody(house, director):
    open_ = swiss(house, 7)
    play_round(house, open_, 1)
    draw(house, open_, 2)
    exempt = next(b["first"] for b in round_of(open_, 1).draft if b["second"] is None)
    page = words(director.get(control(open_, 2), {"acte": "main", "first": exempt, "second": 0}))
    assert "déjà sans adversaire : ronde 1." in page and "déjà rencontrés : ronde" not in page


def test_a_pairing_by_hand_says_who_is_left_and_keeps_the_choice(house, director):
    open_ = swiss(house)
    drawn = draw(house, open_, 1)
    (one, mate), (other, partner) = ((b["first"], b["second"]) for b in drawn.draft[:2])
    cost = table_of(open_, 1).hand_cost(one, other)
    assert {side.member_id for side in cost.after[1].sides} == {mate, partner}
    alone = table_of(open_, 1).hand_cost(one, None)
    assert alone.words[-1].replace("\u00a0", " ") == f"Reste sans table : J{mate}."
    asked = {"acte": "main", "first": one, "second": one}
    refused = director.get(control(open_, 1), asked)
    assert refused.status_code == 422 and "deux personnes différentes" in words(refused)
    assert f'<option value="{one}" selected' in words(refused)


def test_a_swap_within_a_board_or_of_nobody_is_refused_at_its_fields(house, director):
    open_ = swiss(house)
    board = draw(house, open_, 1).draft[0]
    same = director.get(control(open_, 1), {"first": board["first"], "second": board["second"]})
    assert "à la même table" in words(same)
    assert "Ce que cet échange coûterait" not in words(same)
    nobody = director.get(control(open_, 1), {"first": "999999", "second": ""})
    assert nobody.status_code == 422


@pytest.mark.parametrize("late", ["swap", "publish", "set_lock", "draw"])
def test_of_two_directors_at_one_draft_the_second_is_told(house, late):
    open_ = swiss(house)
    drawn = draw(house, open_, 1)
    boards = drawn.draft
    given = {"round": drawn, "by": house.arbiter, "at": house.at, "version": drawn.version}
    swapped = {"one": boards[0]["first"], "other": boards[1]["first"], "reason": "voisins"}
    rounds.swap(**given, **swapped)
    after = round_of(open_, 1)
    calls = {
        "swap": lambda **more: rounds.swap(**more, **swapped),
        "publish": round_publishing.publish,
        "set_lock": lambda **more: rounds.set_lock(player=boards[0]["first"], on=True, **more),
        "draw": rounds.draw,
    }
    assert refusal(calls[late], **{**given, "by": house.committee}).code == "stale"
    again = round_of(open_, 1)
    assert (again.draft, again.state, again.version) == (after.draft, "draft", after.version)


# Open matches elsewhere


def test_a_player_still_at_another_table_is_named_at_the_draft(house, director):
    open_ = swiss(house)
    first, second = house.members[2:4]
    pairing.pair_by_hand(
        evening=house.evening,
        first=first,
        second=second,
        reason="soirée",
        by=house.arbiter,
        at=house.at,
    )
    draw(house, open_, 1)
    page = words(director.get(control(open_, 1)))
    assert "Encore à une autre table" in page
    assert page.count(first.full_name) > words(director.get(control(open_, 2))).count(
        first.full_name
    )


def test_the_round_being_played_is_not_another_table(house, director):
    rules = {"schedule": [[1, 1, "swiss", 0], [2, 3, "swiss", 1]]}
    open_ = frozen(house, 8, system="schedule", rules=rules)
    play_round(house, open_, 1)
    publish(house, open_, 2)
    draw(house, open_, 3)
    page = words(director.get(control(open_, 3)))
    assert "se joue encore" in page
    assert "Encore à une autre table" not in page


# Second reading


def test_a_round_does_not_end_with_results_read_by_nobody_else_without_a_reason(house, director):
    open_ = swiss(house)
    published = publish(house, open_, 1)
    play(house, published)
    path = control(open_, 1, "acte/clore/")
    asked = director.post(path)
    assert asked.status_code == 422
    assert "4 résultats saisis n’ont été relus par personne d’autre" in words(asked)
    # The question is not asked by a second button below it.
    assert 'id="terminer"' not in asked.content.decode()
    assert director.post(path, {"reason": " "}).status_code == 422
    assert round_of(open_, 1).state == "published"
    director.post(path, {"reason": "Un seul arbitre ce soir"})
    assert round_of(open_, 1).state == "closed"
    noted = JournalEntry.objects.filter(verb="round_closed").latest("pk")
    assert noted.reason == "Un seul arbitre ce soir"
    assert noted.after == {"round": 1, "unread": [1, 2, 3, 4]}
    assert noted.actor_id == house.committee.user.pk


def test_results_read_by_a_second_person_end_the_round_without_a_question(house):
    open_ = swiss(house)
    published = publish(house, open_, 1)
    play(house, published)
    for match in published.matches.all():
        score_entry.check(match=match, version=match.version, by=house.committee, at=house.at)
    given = {"round": published, "by": house.arbiter, "at": house.at}
    round_publishing.close(**given, unread_reason="sans objet")
    noted = JournalEntry.objects.filter(verb="round_closed").latest("pk")
    assert (noted.reason, noted.after) == ("", {"round": 1})


def test_a_result_corrected_after_its_second_reading_is_to_be_read_again(house):
    open_ = swiss(house)
    published = publish(house, open_, 1)
    play(house, published)
    for match in published.matches.all():
        score_entry.check(match=match, version=match.version, by=house.committee, at=house.at)
    assert score_entry.unread(published.matches.all()) == []
    match = published.matches.get(table_number=2)
    from pairings.rules.match_state import Result

    house.correct(match, Result("played", 401, 300), "feuille mal lue")
    given = {"round": published, "by": house.arbiter, "at": house.at}
    assert refusal(round_publishing.close, **given).code == "unread"
    assert [m.pk for m in score_entry.unread(published.matches.all())] == [match.pk]


def test_results_that_players_agreed_on_need_no_second_reading(house):
    open_ = swiss(house)
    published = publish(house, open_, 1)
    for match in published.matches.all():
        one, two = (house.player(member) for member in match.players())
        match_actions.submit(match=match, by=one, scores=(410, 390), at=house.at)
        match.refresh_from_db()
        match_actions.confirm(match=match, by=two, at=house.at)
    round_publishing.close(round=published, by=house.arbiter, at=house.at)
    assert round_of(open_, 1).state == "closed"


# The clock of the room


def test_the_clock_of_the_room_runs_here_and_on_the_wall_until_it_is_stopped(
    house, director, as_user
):
    open_ = swiss(house)
    publish(house, open_, 1)
    path = control(open_, 1, "acte/horloge/")
    assert director.post(path, {"minutes": "0"}).status_code == 422
    director.post(path, {"minutes": "50"})
    found = round_of(open_, 1)
    assert found.clock_until - found.clock_from == timedelta(minutes=50)
    assert "data-countdown-time" in words(director.get(control(open_, 1)))
    wall = f"{CLUB}/tournois/{open_.slug}/ecran/?vue="
    for part in ("tables", "horloge"):
        assert "50:00" in words(as_user().get(wall + part)), part
    director.post(path, {"minutes": "50", "stop": "1"})
    assert round_of(open_, 1).clock_until is None
    assert "50:00" not in words(as_user().get(wall + "tables"))


def test_a_page_older_than_the_clock_neither_starts_it_again_nor_stops_it(house, director):
    open_ = swiss(house)
    publish(house, open_, 1)
    path = control(open_, 1, "acte/horloge/")
    read = director.get(control(open_, 1)).context["clock_form"].initial["seen"]
    assert director.post(path, {"minutes": "50", "seen": read}).status_code == 302
    until = round_of(open_, 1).clock_until
    for sent in ({"minutes": "70"}, {"minutes": "50", "stop": "1"}):
        refused = director.post(path, {**sent, "seen": read})
        assert "vient d’être modifiée" in words(refused)
        assert round_of(open_, 1).clock_until == until
    again = refused.context["clock_form"]
    assert "Enregistré" not in words(refused)
    director.post(path, {"minutes": "50", "stop": "1", "seen": again["seen"].value()})
    assert round_of(open_, 1).clock_until is None


def test_a_page_adds_a_table_to_the_round_that_it_showed_and_to_no_later_one(house, director):
    open_ = swiss(house, size=7)
    published = publish(house, open_, 1)
    bye = published.matches.get(second__isnull=True)
    late = house.enter(open_, house.members[7], cote=1000)
    form = director.get(control(open_, 1)).context["late_form"]
    sent = {"first": bye.first_id, "second": late.member_id, "reason": "en retard"}
    sent["version"] = form["version"].value()
    Round.objects.filter(pk=published.pk).update(version=published.version + 1)
    path = control(open_, 1, "acte/table/")
    before = published.matches.count()
    refused = director.post(path, sent)
    assert "vient d’être modifiée" in words(refused) and published.matches.count() == before
    assert "en retard" in words(refused)
    sent["version"] = refused.context["late_form"]["version"].value()
    assert director.post(path, sent).status_code == 302
    assert published.matches.count() == before + 1


def test_the_clock_stops_with_its_round_and_runs_for_no_other(house):
    open_ = swiss(house)
    given = {"by": house.arbiter, "at": house.at}
    planned = round_of(open_, 1)
    assert refusal(round_publishing.set_clock, round=planned, minutes=5, **given).code == (
        "wrong_state"
    )
    published = publish(house, open_, 1)
    round_publishing.set_clock(round=published, minutes=5, **given)
    taken_back = round_publishing.unpublish(round=published, reason="trop tôt", **given)
    assert taken_back.clock_until is None
    round_publishing.publish(round=taken_back, **given)
    round_publishing.set_clock(round=published, minutes=5, **given)
    play(house, published)
    round_publishing.close(round=published, unread_reason="seul", **given)
    assert round_of(open_, 1).clock_until is None


def test_a_director_who_plays_reads_at_which_table_another_must_take_the_round_back(house, as_user):
    open_ = frozen(house, 9)
    published = publish(house, open_, 1)
    seated = published.matches.filter(second__isnull=False).first()
    exempt = published.matches.get(second__isnull=True)
    for member, sentence in (
        (seated.second, f"Vous jouez à la table {seated.table_number}\N{NO-BREAK SPACE}:"),
        (exempt.first, "Vous avez une exemption à cette ronde\N{NO-BREAK SPACE}:"),
    ):
        found = refusal(
            round_publishing.unpublish,
            round=published,
            reason="salle changée",
            by=Actor(user=house.arbiter.user, member=member, role=ARBITER),
            at=house.at,
        )
        assert (found.code, str(found).startswith(sentence)) == ("own_match", True)
        # Nor does their page offer it.
        role = {"role": RoleGrant.ARBITER, "by": house.committee, "at": house.at}
        members.grant(member=member, **role)
        page = as_user(member.user).get(control(open_, 1))
        assert sentence in page.content.decode() and "/acte/depublier/" not in page.content.decode()
    assert round_of(open_, 1).state == Round.State.PUBLISHED


def test_a_page_takes_back_the_publication_that_it_showed_and_no_later_one(house, as_user):
    open_ = swiss(house)
    given = {"by": house.arbiter, "at": house.at}
    published = publish(house, open_, 1)
    director = as_user(house.arbiter.user)
    read = {"version": published.version, "reason": "trop tôt"}
    field = f'<input type="hidden" name="version" value="{published.version}">'
    address = control(open_, 1).replace("/conduite/", "/acte/depublier/")
    assert field in director.get(control(open_, 1)).content.decode().partition(address)[2]
    back = round_publishing.unpublish(round=published, reason="trop tôt", **given)
    round_publishing.publish(round=back, **given)
    answer = director.post(address, read, follow=True)
    assert round_of(open_, 1).state == Round.State.PUBLISHED
    assert (
        "vient d’être modifiée" in answer.content.decode() and "trop tôt" in answer.content.decode()
    )


def test_a_page_ends_the_round_that_it_showed_and_no_later_publication(house, as_user):
    open_ = swiss(house)
    published = publish(house, open_, 1)
    play(house, published)
    director = as_user(house.arbiter.user)
    address = control(open_, 1).replace("/conduite/", "/acte/clore/")
    read = round_of(open_, 1).version
    field = f'<input type="hidden" name="version" value="{read}">'

    def form_of(answer):
        return words(answer).partition(f'action="{address}"')[2].partition("</form>")[0]

    assert field in form_of(director.get(control(open_, 1)))
    assert field in form_of(
        director.post(address, {"version": read})
    )  # asks why it is not read again
    # A latecomer got a table meanwhile, say.
    Round.objects.filter(pk=published.pk).update(version=read + 2)
    answer = director.post(address, {"version": read, "reason": "seul"}, follow=True)
    assert "vient d’être modifiée" in answer.content.decode()
    assert round_of(open_, 1).state == Round.State.PUBLISHED
    director.post(address, {"version": read + 2, "reason": "seul"})
    assert round_of(open_, 1).state == Round.State.CLOSED


def test_who_left_during_a_round_that_is_taken_back_is_not_in_it(house):
    open_ = swiss(house)
    given = {"by": house.arbiter, "at": house.at}
    published = publish(house, open_, 1)
    gone, kept = entry_of(open_, house.members[2]), entry_of(open_, house.members[3])
    registration.withdraw(entry=gone, number=2, **given)
    registration.withdraw(entry=kept, number=3, **given)
    back = round_publishing.unpublish(round=published, reason="trop tôt", **given)
    assert refusal(round_publishing.publish, round=back, **given).code == "absent"
    assert entry_of(open_, house.members[3]).withdrawn_from == 3
    line = JournalEntry.objects.get(verb="round_unpublished")
    assert line.after == {"round": 1, "withdrawn": [gone.member_id]}


# What a tournament meets


def test_a_swiss_of_seven_after_two_withdrawals_and_a_late_arrival_pairs_everybody(house):
    open_ = swiss(house, size=8, count=5)
    play_round(house, open_, 1)
    for member in house.members[1:3]:
        registration.withdraw(
            entry=entry_of(open_, member), number=2, by=house.arbiter, at=house.at
        )

    late = house.join("Tard", "Venu")
    house.enter(open_, late, cote=1500, by=house.arbiter)
    byes = []
    for number in (2, 3, 4, 5):
        drawn = draw(house, open_, number)
        seated = [pk for b in drawn.draft for pk in (b["first"], b["second"]) if pk]
        assert len(seated) == len(set(seated)) == 7
        assert late.pk in seated
        byes += [b["first"] for b in drawn.draft if b["second"] is None]
        assert len(table_of(open_, number).lines()) == 4
        published = round_publishing.publish(round=drawn, by=house.arbiter, at=house.at)
        play(house, published)
        round_publishing.close(round=published, by=house.arbiter, at=house.at, unread_reason="seul")
    assert len(byes) == len(set(byes)) == 4
    games = [
        frozenset((m.first_id, m.second_id))
        for number in range(1, 6)
        for m in round_of(open_, number).matches.all()
        if m.second_id
    ]
    assert len(games) == len(set(games))


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ({"first_0": "1", "last_0": "3", "first_1": "5", "last_1": "6"}, "pour la ronde 4"),
        ({"first_0": "2", "last_0": "3", "first_1": "4", "last_1": "6"}, "pour la ronde 1"),
    ],
)
def test_a_schedule_with_a_hole_is_refused_and_nothing_typed_is_lost(
    house, director, rows, problem
):
    made = make_tournament(house, 8, system="schedule", rules={"schedule": [[1, 2, "swiss"]]})
    path = f"{CLUB}/gestion/tournois/{made.slug}/reglages/"
    typed = {"schedule": "1", "system_0": "quads", "system_1": "swiss", "lag_0": "0", **rows}
    answer = director.post(path, typed)
    assert answer.status_code == 422
    assert f"Aucun système {problem}" in words(answer)
    assert f'value="{rows["first_1"]}"' in words(answer)
    made.refresh_from_db()
    assert made.rules == {"schedule": [[1, 2, "swiss"]]}


# Wins and spread


def test_places_still_possible_are_shown_under_wins_and_spread(house, as_user):
    open_ = swiss(house, count=3)
    path = f"{CLUB}/tournois/{open_.slug}/classement/"
    play_round(house, open_, 1)
    for number in (2, 3):
        published = publish(house, open_, number)
        before = tournament_standings.standing(tournament_standings.sheet_of(open_)).rows
        assert all(row.places is not None for row in before)
        assert any(row.places.best < row.places.worst for row in before)
        assert "Places possibles" in words(as_user().get(path))
        play(house, published)
        round_publishing.close(round=published, by=house.arbiter, at=house.at, unread_reason="seul")
    bounds = {row.entry.member_id: row.places for row in before}
    for row in tournament_standings.standing(tournament_standings.sheet_of(open_)).rows:
        place = bounds[row.entry.member_id]
        assert place.best <= row.rank <= place.worst


def test_the_rules_form_shows_what_the_chosen_ranking_reads_and_keeps_the_rest(house, director):
    made = make_tournament(
        house, 8, system="swiss", rules={"pdep_cap": 80}, round_count=3, name="Suisse"
    )
    path = f"{CLUB}/gestion/tournois/{made.slug}/reglages/"
    form = director.get(path).context["rules"]
    assert not [name for name in form.fields if "pdep" in name or "ppm" in name]
    assert "r_lag" in form.fields and "s_spread_cap" in form.fields
    typed = {name: form[name].value() for name in form.fields}
    sent = {
        name: value for name, value in typed.items() if value is not None and value is not False
    }
    answer = director.post(path, {**sent, "rules": "1", "ranking": ""})
    assert answer.status_code == 302, answer.context["rules"].errors
    made.refresh_from_db()
    assert made.rules["pdep_cap"] == 80 and made.rules["wins_and_spread"] is None
    assert "r_pdep_cap" in director.get(path).context["rules"].fields


def test_a_round_that_leaves_players_without_a_table_is_published_with_the_box_ticked(
    house, director
):
    open_ = swiss(house)
    late = list(open_.entries.order_by("pk")[:2])
    open_.entries.filter(pk__in=[one.pk for one in late]).update(away=[1])
    draw(house, open_, 1)
    open_.entries.update(away=[])
    page = director.get(control(open_, 1))
    box, publish = Printed(page, "unpaired"), control(open_, 1, "acte/publier/")
    assert "sans match" in box.label and "checked" not in box.attributes
    asked = director.post(publish, {})
    assert asked.status_code == 422 and "sans table" in Printed(asked, "unpaired").error
    assert round_of(open_, 1).state == "draft"
    director.post(publish, {"unpaired": "on"})
    assert round_of(open_, 1).state == "published"


def test_a_round_in_which_nobody_present_has_an_opponent_is_passed(house, director):
    """Of a fixed table: the rounds after it can be drawn, and nobody has won or lost in it."""
    open_ = frozen(house, 4, system="round_robin")
    draw(house, open_, 1)
    for board in round_of(open_, 1).draft:
        entry = open_.entries.get(member=board["first"])
        house.set_away(entry, 1)
    director.post(control(open_, 1, "acte/apparier/"))
    assert round_of(open_, 1).draft == [] and round_of(open_, 1).state == "draft"
    assert "Présents mais sans table" in words(director.get(control(open_, 1)))
    assert director.post(control(open_, 1, "acte/publier/")).status_code == 422
    director.post(control(open_, 1, "acte/publier/"), {"unpaired": "on"})
    assert "Absents à cette ronde" in words(director.get(f"{CLUB}/tournois/{open_.slug}/ronde/1/"))
    director.post(control(open_, 1, "acte/clore/"))
    assert round_of(open_, 1).state == "closed"
    assert play_round(house, open_, 2).matches.count() == 2


def test_a_game_that_is_put_off_is_found_again_when_its_round_is_over(house, director, as_user):
    """Its match is taken away, so that the league goes on; its result is given when it is played."""
    open_ = frozen(house, 4, system="round_robin")
    last = {"ends_on": open_.held_on + timedelta(days=21)}
    tournaments.edit(tournament=open_, changes=last, by=house.committee, at=house.at)
    later = publish(house, open_, 1).matches.order_by("table_number").last()
    assert "Un match est reporté" in words(director.get(control(open_, 1)))
    match_actions.cancel(match=later, reason="remise", by=house.arbiter, at=house.at)
    play(house, round_of(open_, 1))
    end_round(house, round_of(open_, 1))
    play_round(house, open_, 2)
    there = f'href="{CLUB}/matchs/{later.pk}/corriger/"'
    assert there in words(director.get(control(open_, 1)))
    house.correct(later, Result("played", 410, 400), "jouée")
    page = words(director.get(control(open_, 1)))
    assert there not in page and "410" in page


def test_a_match_that_another_board_replaced_is_not_offered_again(house, director):
    open_ = swiss(house, 4, count=2)
    for _time in range(2):
        round_publishing.unpublish(
            round=publish(house, open_, 1), reason="salle", by=house.arbiter, at=house.at
        )
    publish(house, open_, 1)
    assert round_of(open_, 1).matches.filter(status="cancelled").count() == 4
    assert director.get(control(open_, 1)).context["taken_away"] == []


def test_a_board_of_a_publication_that_was_taken_back_is_no_game_put_off(house, director):
    """Both its players are absent from what was published after it: nobody has put a game off."""
    open_ = swiss(house, 4, count=2)
    for _time in range(2):
        taken_back = publish(house, open_, 1)
        both = taken_back.matches.order_by("pk").first()
        round_publishing.unpublish(
            round=taken_back, reason="malades", by=house.arbiter, at=house.at
        )
    for pk in (both.first_id, both.second_id):
        house.set_away(open_.entries.get(member=pk), 1)
    house.at += timedelta(minutes=5)
    publish(house, open_, 1)
    assert director.get(control(open_, 1)).context["taken_away"] == []


# Another day for one round


def test_a_round_is_put_off_and_the_others_keep_their_hour(house, director, as_user):
    open_ = swiss(house, 4, count=3)
    last = open_.held_on + timedelta(days=9)
    tournaments.edit(tournament=open_, changes={"ends_on": last}, by=house.committee, at=house.at)
    before = {each.number: each.starts_at for each in open_.rounds.all()}
    page = director.get(control(open_, 2))
    assert Printed(page, "id_hour").attributes["value"] == "22:15"
    sent = {"day": last.isoformat(), "hour": "19:30", "version": round_of(open_, 2).version}
    assert director.post(control(open_, 2, "acte/deplacer/"), sent).status_code == 302
    moved = round_of(open_, 2)
    zone = house.organisation.zone
    assert f"{moved.starts_at.astimezone(zone):%Y-%m-%d %H:%M}" == "2026-11-29 19:30"
    assert [round_of(open_, n).starts_at for n in (1, 3)] == [before[1], before[3]]
    shown = words(as_user().get(f"{CLUB}/tournois/{open_.slug}/ronde/2/"))
    assert "La ronde 2 sera publiée le dimanche 29 novembre vers 19:30" in shown
    noted = JournalEntry.objects.get(verb="round_moved")
    assert noted.before == {"round": 2, "starts_at": before[2].isoformat()}
    stale = director.post(control(open_, 2, "acte/deplacer/"), {**sent, "hour": "20:00"})
    assert "vient d’être modifiée" in words(stale)


@pytest.mark.parametrize(("days", "refused"), [(-1, True), (0, False), (2, False), (3, True)])
def test_a_round_stays_in_the_days_of_its_tournament(house, director, days, refused):
    open_ = swiss(house, 4, count=2)
    first = open_.held_on
    changes = {"ends_on": first + timedelta(days=2)}
    tournaments.edit(tournament=open_, changes=changes, by=house.committee, at=house.at)
    sent = {"day": (first + timedelta(days=days)).isoformat(), "hour": "23:00"}
    answer = director.post(control(open_, 1, "acte/deplacer/"), sent)
    assert answer.status_code == (422 if refused else 302)
    if refused:
        field = Printed(answer, "id_day")
        assert field.is_refused and "changez d’abord son dernier jour" in field.error
        assert field.attributes["value"] == sent["day"]


@pytest.mark.parametrize(("late", "refused"), [(-1, True), (0, False), (1, False)])
def test_a_round_is_put_to_an_hour_to_come(house, late, refused):
    open_ = swiss(house, 4, count=2)

    def move(minutes: int, at: datetime) -> None:
        starts_at = house.at + timedelta(minutes=minutes)
        rounds.move(round=round_of(open_, 2), starts_at=starts_at, by=house.arbiter, at=at)

    if refused:
        with pytest.raises(TournamentRefused, match="Cette heure est passée"):
            move(late, house.at)
    else:
        move(late, house.at)
    move(0, house.at + timedelta(seconds=59))  # the minute that is running, typed as "now"
    # What was played on paper is entered on a later day, with the hours that it had.
    move(-30, house.at + timedelta(days=2))


def test_the_last_day_does_not_come_before_a_round_that_was_put_off(house, director):
    open_ = swiss(house, 4, count=2)
    by = {"by": house.committee, "at": house.at}
    last = open_.held_on + timedelta(days=9)
    tournaments.edit(tournament=open_, changes={"ends_on": last}, **by)
    rounds.move(round=round_of(open_, 2), starts_at=house.at + timedelta(days=9), **by)
    page = f"{CLUB}/gestion/tournois/{open_.slug}/reglages/"
    typed = {
        "details": "1",
        "name": open_.name,
        "day": open_.held_on.isoformat(),
        "hour": "21:00",
        "system": "swiss",
        "winning_games": "1",
        "round_count": "2",
        "minutes": "25",
        "round_minutes": "75",
        "self_entry": "on",
    }
    answer = director.post(page, {**typed, "ends_on": (last - timedelta(days=1)).isoformat()})
    assert answer.status_code == 422
    field = Printed(answer, "id_ends_on")
    assert field.is_refused and "La ronde 2 est prévue le 29 novembre 2026" in field.error
    assert director.post(page, {**typed, "ends_on": last.isoformat()}).status_code == 302
    # Another hour of the first round gives all of them their place again.
    moved = {**typed, "hour": "20:00", "ends_on": ""}
    assert director.post(page, moved).status_code == 302
    assert round_of(open_, 2).starts_at - round_of(open_, 1).starts_at == timedelta(minutes=75)


def test_a_round_of_that_day_is_to_come_though_it_is_published(house):
    """It does not move: the last day stays until it is taken back, or played."""
    open_ = swiss(house, 4, count=2)
    by = {"by": house.committee, "at": house.at}
    last = open_.held_on + timedelta(days=9)
    tournaments.edit(tournament=open_, changes={"ends_on": last}, **by)
    rounds.move(round=round_of(open_, 1), starts_at=house.at + timedelta(days=9), **by)
    publish(house, open_, 1)
    cut = {"tournament": open_, "changes": {"ends_on": None}, **by}
    refused = refusal(tournaments.edit, **cut)
    assert refused.code == "outside"
    assert str(refused) == "La ronde 1, publiée, se joue le 29 novembre 2026."
    play(house, round_of(open_, 1))
    end_round(house, round_of(open_, 1))
    assert tournaments.edit(**cut).ends_on is None


@pytest.mark.parametrize(
    ("number", "hours", "said"),
    [(1, 0, ""), (1, 3, "après celle qui la suit"), (2, 0, "avant celle qui la précède")],
)
def test_a_round_out_of_order_says_so_on_its_page(house, director, number, hours, said):
    open_ = swiss(house, 4, count=2)
    at = house.at + timedelta(hours=hours)
    rounds.move(round=round_of(open_, number), starts_at=at, by=house.arbiter, at=house.at)
    page = words(director.get(control(open_, number)))
    assert ("Cette ronde est prévue" in page) == bool(said) and said in page


def test_a_published_round_does_not_move(house, director):
    open_ = swiss(house, 4, count=2)
    published = publish(house, open_, 1)
    assert "Déplacer cette ronde" not in words(director.get(control(open_, 1)))
    given = {"round": published, "starts_at": house.at, "by": house.arbiter, "at": house.at}
    assert refusal(rounds.move, **given).code == "published"
