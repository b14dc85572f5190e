"""Several evenings a day, also at the same time in two rooms: addresses, presence, pages, rating."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from clubs.journal.models import JournalEntry
from pairings.evenings import actions as evenings
from pairings.evenings.admission import presence
from pairings.evenings.models import CheckIn, Evening
from pairings.evenings.player_page import matches as own_matches
from pairings.evenings.player_page.card import current_card
from pairings.matches import actions as match_actions
from pairings.matches.models import Match
from pairings.ranking import live as live_ranking
from pairings.ranking import season
from pairings.ranking.publication import ClubRanking
from pairings.rules.match_state import Result
from pairings.tournaments import actions as tournaments
from pairings.tournaments import registration
from ratings.editions import actions as editions
from ratings.ledger import origins, replay, settlement
from ratings.ledger.models import LedgerEntry, StandingCote
from ratings.ledger.origins import OriginKind
from tests.refusals import refused

pytestmark = pytest.mark.django_db

DAY = "2026-11-20"


def announced(club, *, place="Salle B", hours=0, days=0):
    return club.announce(club.at + timedelta(hours=hours, days=days), place=place, auto_pair=False)


def running(club, *members, **where):
    """A second evening of the day that runs, with these members in it."""
    evening = announced(club, **where)
    evenings.open_doors(evening=evening, by=club.arbiter, at=club.at)
    for member in members:
        arrive(club, evening, member)
    return evenings.begin(evening=evening, by=club.arbiter, at=club.at)


def arrive(club, evening, member):
    return presence.check_in(
        evening=evening, member=member, source="desk", by=club.arbiter, at=club.at
    )


def played(club, evening, first, second):
    """A match of that evening that both agreed on."""
    club.evening = evening
    match, _players = club.played(first, second, scores=(410, 300))
    return match


def closed(club, evening):
    club.evening = evening
    club.close()
    return Evening.objects.get(pk=evening.pk)


def where(member):
    """The evenings where a member is present."""
    return list(CheckIn.objects.present().filter(member=member).values_list("evening", flat=True))


# Addresses


def test_the_second_evening_of_a_day_has_an_address_of_its_own(club, client):
    first, second, third = club.evening, announced(club), announced(club, hours=2)
    root = f"/c/{club.organisation.slug}/soirees/{DAY}/"
    assert [one.get_absolute_url() for one in (first, second, third)] == [
        f"/soirees/{DAY}/",
        f"/soirees/{DAY}/2/",
        f"/soirees/{DAY}/3/",
    ]
    for address, evening in ((root, first), (f"{root}2/", second), (f"{root}3/", third)):
        assert client.get(address).context["evening"] == evening
    assert client.get(f"{root}2/ecran/").context["evening"] == second
    assert client.get(f"{root}2/ecran/tables/").context["evening"] == second
    for unknown in (f"{root}1/", f"{root}4/", f"{root}0/", f"{root}02/"):
        assert client.get(unknown).status_code == 404


def test_an_address_stays_when_another_evening_is_cancelled_or_moved(club):
    second, third = announced(club), announced(club, hours=2)
    evenings.cancel_evening(evening=second, reason="salle prise", by=club.committee, at=club.at)
    third.refresh_from_db()
    assert third.address == f"{DAY}/3"
    moved = evenings.edit_evening(
        evening=third,
        starts_at=club.at + timedelta(days=1),
        place="Salle C",
        auto_pair=False,
        by=club.committee,
        at=club.at,
    )
    assert moved.address == "2026-11-21"
    assert announced(club, hours=3).address == f"{DAY}/3"


def test_the_last_result_on_the_wall_names_its_table(club, client):
    match = played(club, club.evening, *club.members[:2])
    Match.objects.filter(pk=match.pk).update(table_number=4)
    foot = client.get(f"{club.evening.get_absolute_url()}ecran/pied/").content.decode()
    names = [one.wall_name for one in (match.first, match.second)]
    assert "Table 4\u00a0:" in foot and f"<b>{names[0]} 410 – 300 {names[1]}</b>" in foot


def test_the_last_of_a_days_closed_evenings_is_the_one_that_began_last(club):
    late, early = club.evening, running(club, hours=-1)  # announced after it
    for evening in (early, late):
        closed(club, evening)
    organisation, member = club.organisation, club.members[0]
    assert season.evening_shown(organisation) == late
    assert season.last_closed(organisation) == late
    assert current_card(member, organisation, at=club.at)[0].over == late


def test_a_room_has_one_evening_at_an_hour_unless_it_is_cancelled(club, as_user):
    second = announced(club)
    with refused("same_start"):
        announced(club)
    assert announced(club, place="Salle C").number == 3
    desk = as_user(club.committee.user)
    form = {"day": DAY, "hour": "20:00", "place": "Salle B"}
    page = desk.post(f"/c/{club.organisation.slug}/soirees/nouvelle/", form)
    assert page.status_code == 422 and list(page.context["form"].errors) == ["hour"]
    evenings.cancel_evening(evening=second, reason="salle prise", by=club.committee, at=club.at)
    assert announced(club).number == 4


def test_who_announces_an_evening_on_a_day_that_is_over_is_told(club, as_user):
    desk, address = as_user(club.committee.user), f"/c/{club.organisation.slug}/soirees/nouvelle/"
    past = (club.at - timedelta(days=1)).date().isoformat()
    page = desk.post(address, {"day": past, "hour": "20:00"}, follow=True)
    assert "Ce jour est passé" in page.content.decode()
    page = desk.post(address, {"day": DAY, "hour": "23:00"}, follow=True)
    assert "Ce jour est passé" not in page.content.decode()


def test_an_announced_evening_cannot_be_moved_onto_another(club):
    announced(club)
    other = announced(club, place="Salle C")
    with refused("same_start"):
        evenings.edit_evening(
            evening=other,
            starts_at=club.at,
            place="Salle B",
            auto_pair=False,
            by=club.committee,
            at=club.at,
        )


# Presence


def test_two_evenings_of_a_day_run_at_the_same_time(club):
    second = running(club, *club.members[:2])
    assert set(Evening.objects.of(club.organisation).live()) == {club.evening, second}


def test_who_waits_at_one_evening_leaves_it_by_arriving_at_the_other(club):
    member = club.members[0]
    second = running(club)
    arrive(club, second, member)
    assert where(member) == [second.pk]
    left = JournalEntry.objects.filter(verb="checked_out", subject=f"evening:{club.evening.pk}")
    assert [entry.after["member"] for entry in left] == [member.pk]
    arrive(club, club.evening, member)
    assert where(member) == [club.evening.pk]


def test_who_plays_at_one_evening_cannot_arrive_at_the_other(club):
    _match, (a, _b) = club.match()
    second = running(club)
    with refused("plays_elsewhere"):
        arrive(club, second, a.member)
    assert where(a.member) == [club.evening.pk]


def test_the_database_refuses_a_member_present_twice(club):
    second = running(club)
    with pytest.raises(IntegrityError), transaction.atomic():
        CheckIn.objects.create(
            evening=second,
            member=club.members[0],
            arrived_at=club.at,
            waiting_since=club.at,
            source="desk",
        )


def test_a_member_chooses_the_room_on_their_own_page(club, as_user):
    member = club.members[0]
    presence.go_home(evening=club.evening, member=member, by=club.player(member), at=club.at)
    second = running(club)
    phone = as_user(member.user)
    root = f"/c/{club.organisation.slug}/ma-soiree/"
    page = phone.get(root)
    assert page.context["rooms"] == [club.evening, second]
    assert "Aller à la soirée de 20:00, Salle B" in page.content.decode()
    phone.post(f"{root}revenir/", {"evening": second.pk})
    assert where(member) == [second.pk]
    assert phone.get(root).context["card"].evening == second
    phone.post(f"{root}partir/")
    assert where(member) == []


def test_a_newcomer_to_the_day_reads_both_rooms(club, as_user):
    second = running(club)
    member = club.members[0]
    CheckIn.objects.filter(member=member).delete()
    page = as_user(member.user).get(f"/c/{club.organisation.slug}/ma-soiree/")
    assert page.context["card"].state == "arrive"
    text = page.content.decode()
    assert f'value="{club.evening.pk}"' in text and f'value="{second.pk}"' in text


def test_a_room_that_closes_leads_to_the_one_that_is_open(club, as_user):
    """Who was not there reads of the other room, who was may go there; both read of the closing."""
    second = running(club)
    newcomer, player = club.members[:2]
    CheckIn.objects.filter(member=newcomer).delete()
    evenings.begin_closing(evening=club.evening, by=club.arbiter, at=club.at)
    root = f"/c/{club.organisation.slug}/ma-soiree/"
    card = as_user(newcomer.user).get(root).context["card"]
    assert (card.state, card.rooms) == ("arrive", [second])
    phone = as_user(player.user)
    page = phone.get(root)
    assert page.context["card"].state == "closing"
    assert "Aller à la soirée de 20:00, Salle B" in page.content.decode()
    phone.post(f"{root}revenir/", {"evening": second.pk})
    assert where(player) == [second.pk]


def test_the_matches_of_tonight_are_those_of_every_room(club, as_user):
    second = running(club)
    player = club.members[0]
    first_match, _players = club.played(*club.members[:2])
    presence.check_in(
        evening=second, member=player, source="qr", by=club.player(player), at=club.at
    )
    page = as_user(player.user).get(f"/c/{club.organisation.slug}/ma-soiree/")
    assert page.context["card"].evening == second
    assert [line.match for line in page.context["tonight"]] == [first_match]


def test_a_refused_arrival_leads_to_the_match_that_is_to_end_first(club, as_user):
    second = running(club)
    club.match(*club.members[:2])
    door = f"/c/{club.organisation.slug}/s/{second.door_code}/"
    refused = as_user(club.members[0].user).post(door)
    main = refused.content.decode().split("<main")[1].split("</main>")[0]
    assert refused.status_code == 409 and "terminez-le d’abord" in main
    assert "<form" not in main and "/ma-soiree/" in main and main.count("btn--primary") == 1


# Pages


def test_each_code_of_a_room_leads_to_its_own_evening(club, client):
    second = running(club)
    root = f"/c/{club.organisation.slug}/s/"
    for evening in (Evening.objects.get(pk=club.evening.pk), second):
        assert client.get(f"{root}{evening.board_code}/").context["evening"] == evening
        assert client.get(f"{root}{evening.door_code}/").context["evening"] == evening


def test_walls_desks_and_control_pages_show_their_own_evening(club, as_user):
    one, _ = club.match()
    second = running(club, club.members[4], club.members[5])
    first = club.evening
    club.evening = second
    other, _ = club.match(club.members[4], club.members[5])
    desk = as_user(club.arbiter.user)
    for evening, match, present in ((first, one, 8), (second, other, 2)):
        day = {"day": evening.address}
        control = desk.get(reverse("pairings:control", kwargs=day)).context
        assert [table["match"] for table in control["tables"]] == [match]
        assert control["present"] == present
        wall = desk.get(reverse("pairings:board", kwargs=day)).context
        assert len(wall["tables"]) == 1 and wall["present"] == present
        assert desk.get(reverse("pairings:checkin_desk", kwargs=day)).context["present"] == present


def test_lists_of_evenings_name_both_rooms(club, as_user):
    running(club, hours=1)
    root = f"/c/{club.organisation.slug}"
    desk = as_user(club.arbiter.user)
    for page in ("/arbitrage/", "/soirees/", "/agenda.ics", "/"):
        text = desk.get(root + page).content.decode()
        assert "Salle B" in text, page
    assert f"/soirees/{DAY}/2/conduite/" in desk.get(f"{root}/arbitrage/").content.decode()
    assert (
        "Vendredi 20\u00a0novembre, 21:00, Salle B"
        in desk.get(f"{root}/arbitrage/").content.decode()
    )


def test_pages_with_two_rooms_have_one_filled_button(club, as_user):
    running(club)
    for path in ("/c/faizers/", "/c/faizers/soirees/"):
        page = as_user().get(path).content.decode()
        assert page.count("Voir en direct") == 2 and page.count("btn--primary") == 1, path


def test_a_dispute_names_its_room_while_several_evenings_run(club, as_user):
    second = running(club, club.members[4], club.members[5])
    club.evening = second
    match, (_a, b) = club.entered(club.members[4], club.members[5], scores=(410, 300))
    match_actions.contest(match=match, by=b, at=club.at, words="faux", scores=(400, 300))
    page = as_user(club.arbiter.user).get(f"/c/{club.organisation.slug}/arbitrage/")
    _before, _name, row = page.content.decode().partition('<span class="list__name">')
    assert "Salle B" in row.partition("</a>")[0]


def test_clubs_of_one_site_have_their_own_rooms(club, neighbours, client):
    theirs = running(neighbours)
    ours = running(club)
    assert (theirs.address, ours.address) == (f"{DAY}/2", f"{DAY}/2")
    for host, evening, stranger in ((club, ours, theirs), (neighbours, theirs, ours)):
        root = f"/c/{host.organisation.slug}"
        assert client.get(f"{root}/soirees/{DAY}/2/").context["evening"] == evening
        assert client.get(f"{root}/s/{stranger.board_code}/").status_code == 404


# Rating


def test_evenings_of_a_day_are_rated_in_the_order_of_their_closing(club):
    first, members = club.evening, club.members
    for member in members[4:6]:
        presence.go_home(evening=first, member=member, by=club.arbiter, at=club.at)
    second = running(club, *members[4:6])
    played(club, first, members[0], members[1])
    played(club, second, members[4], members[5])
    second = closed(club, second)
    arrive(club, first, members[4])
    played(club, first, members[4], members[2])
    first = closed(club, first)
    rating_list = settlement.list_of(club.organisation, "faizers")
    rated = list(rating_list.periods.in_order())
    assert [period.label for period in rated] == [f"{DAY}/2", DAY]
    assert list(replay.check(rating_list)) == []
    assert [period.title for period in rated] == [
        "Soirée du 20 novembre (2)",
        "Soirée du 20 novembre",
    ]
    proposal = ClubRanking().proposal(
        club.organisation, on=first.held_on, today=first.held_on, since=None
    )
    assert len(proposal.table.rows) >= 5


def test_an_evening_closes_after_midnight_although_a_cut_of_the_new_day_is_rated(club):
    held = settlement.list_of(club.organisation, "faizers")
    _match, (winner, _loser) = club.played(scores=(400, 100))
    after_midnight = club.at + timedelta(hours=6)
    settlement.adjust(
        rating_list=held,
        member=winner.member,
        percent="10",
        origin=origins.Origin(OriginKind.SANCTION, 1),
        label="Sanction",
        held_on=after_midnight.date(),
        reason="Trois absences",
        by=club.committee,
        at=after_midnight,
    )
    club.at = after_midnight
    club.close()
    club.evening.refresh_from_db()
    assert club.evening.state == Evening.State.CLOSED
    entries = (
        LedgerEntry.objects.in_force().filter(rating_list=held, member=winner.member).in_order()
    )
    kinds = [(entry.kind, entry.period.title) for entry in entries]
    assert kinds == [("settled", "Soirée du 20 novembre"), ("adjusted", "Sanction")]
    assert entries[0].shown_after == entries[1].shown_before
    assert entries[0].reason == "Soirée du 20 novembre 2026"
    assert list(replay.check(held)) == []


def test_the_ranking_of_the_closed_room_has_no_game_of_the_room_that_is_open(club):
    one, two, three, four = club.members[:4]
    first, second = club.evening, running(club, three, four)
    played(club, first, one, two)
    played(club, second, three, four)
    closed(club, first)
    ranking = live_ranking.ranking(club.organisation, at=club.at, live=False)
    points = {row.member.pk: row.values["pr"] for row in ranking.rows}
    assert (points[one.pk], points.get(three.pk, 0)) == (3, 0)
    live = live_ranking.ranking(club.organisation, at=club.at, live=True)
    assert {row.member.pk: row.values["pr"] for row in live.rows}[three.pk] == 3
    closed(club, second)
    ranking = live_ranking.ranking(club.organisation, at=club.at, live=False)
    assert {row.member.pk: row.values["pr"] for row in ranking.rows}[three.pk] == 3


def test_a_published_afternoon_is_not_contradicted_by_the_evening_that_is_open(club):
    one, two, three, four = club.members[:4]
    afternoon = club.evening
    played(club, afternoon, one, two)
    closed(club, afternoon)
    edition = club.publish_edition("Après-midi")
    played(club, running(club, three, four), three, four)
    assert not editions.again(edition).changed


def test_the_live_ranking_projects_the_games_of_both_rooms(club):
    first, members = club.evening, club.members
    for member in members[4:6]:
        presence.go_home(evening=first, member=member, by=club.arbiter, at=club.at)
    second = running(club, *members[4:6])
    played(club, first, members[0], members[1])
    played(club, second, members[4], members[5])
    found = live_ranking.ranking(club.organisation, at=club.at, live=True)
    projected = {row.member.pk for row in found.rows if row.is_projected}
    assert projected == {members[n].pk for n in (0, 1, 4, 5)}
    assert found.live and found.evening == first


def test_each_evening_of_a_day_has_its_own_recap(club, as_user):
    first, members = club.evening, club.members
    second = running(club, *members[4:6])
    played(club, second, members[4], members[5])
    closed(club, second)
    phone = as_user(members[4].user)
    root = f"/c/{club.organisation.slug}/ma-soiree/bilan/{DAY}/"
    assert phone.get(f"{root}2/").context["evening"] == second
    assert phone.get(root).status_code == 404  # the other one still runs
    assert first.address == DAY


def first_of_two_closed(club):
    """The match of the first of two closed evenings of a day; its first player won both times."""
    first, (a, b, c) = club.evening, club.members[:3]
    match = played(club, first, a, b)
    closed(club, first)
    second = running(club, a, c)
    played(club, second, a, c)
    closed(club, second)
    match.refresh_from_db()
    return match


def test_a_tournament_reads_the_cote_of_the_days_last_evening_after_a_correction(club):
    """The first evening's entry is written anew, later than that of the second, which stays."""
    match = first_of_two_closed(club)
    a = match.first
    last = StandingCote.objects.get(member=a).shown
    match_actions.correct(
        match=match,
        result=Result("played", 420, 300),
        reason="feuille relue",
        by=club.committee,
        at=club.at,
    )
    assert StandingCote.objects.get(member=a).shown == last
    tournament = tournaments.create(
        organisation=club.organisation,
        name="Coupe",
        starts_at=club.at + timedelta(days=1),
        system="swiss",
        rating_list=settlement.list_of(club.organisation, "faizers"),
        by=club.committee,
        at=club.at,
    )
    assert registration.cote_on(tournament, a) == (last, "PL")


def test_a_profile_projects_the_cote_of_the_room_that_the_player_is_in(club, client):
    c, d = club.members[2:4]
    other = running(club, c, d)
    played(club, other, c, d)
    page = client.get(f"/c/{club.organisation.slug}/joueurs/{c.address}/")
    ranked = live_ranking.ranking(club.organisation, at=club.at, live=True)
    row = next(row for row in ranked.rows if row.member == c)
    assert page.context["projected"] == row.projected == 1015
    told = client.get(f"/c/{club.organisation.slug}/joueurs/{c.address}/ce-soir/")
    assert (told.context["before"], told.context["after"]) == (1000, 1015)


@pytest.fixture
def changed_rooms(club):
    """A player who won in one room, then in another that is open too."""
    a, b, c, d = club.members[:4]
    first = club.evening
    played(club, first, a, b)
    other = running(club, c, d)
    arrive(club, other, a)
    arrive(club, other, c)
    played(club, other, a, c)
    return a


def test_who_played_in_both_rooms_reads_one_projection_everywhere(club, changed_rooms, as_user):
    """As the live ranking does (decision 0038), and as their card, which takes it from there."""
    member, client = changed_rooms, as_user(changed_rooms.user)
    root = f"/c/{club.organisation.slug}"
    ranked = live_ranking.ranking(club.organisation, at=club.at, live=True)
    row = next(row for row in ranked.rows if row.member == member)
    assert row.projected == 1030
    profile = client.get(f"{root}/joueurs/{member.address}/")
    assert (profile.context["projected"], profile.context["row"].projected) == (1030, 1030)
    why = client.get(f"{root}/joueurs/{member.address}/ce-soir/")
    assert (why.context["before"], why.context["after"]) == (1000, 1030)
    card = client.get(f"{root}/ma-soiree/")
    assert card.context["cote_won"] == why.context["delta"] == 30


def test_a_ruling_tells_the_cote_of_both_rooms_before_and_after(club, changed_rooms, as_user):
    """The last win becomes a draw: 15 + 15, then 15 + 0, on the card and in the mail."""
    member = changed_rooms
    match = Match.objects.involving(member).latest("pk")
    verdict = {"result": Result("played", 400, 400), "reason": "feuille"}
    match_actions.correct(match=match, by=club.arbiter, at=club.at, **verdict)
    match.refresh_from_db()
    card = as_user(member.user).get(f"/c/{club.organisation.slug}/ma-soiree/")
    assert card.context["ruling"].cote == own_matches.ruling_for(match, member).cote == (1030, 1015)


def test_rooms_of_one_night_have_one_version_of_the_rules(club, client):
    """Rules adopted between the two openings are of the next night: one projection reads both rooms."""
    first, (a, b, c, d) = club.evening, club.members[:4]
    played(club, first, a, b)
    adopted = club.rule_book({"cote": {"k_beginner": 80}})
    other = running(club, c, d)
    assert other.rule_book_id == first.rule_book_id != adopted.pk
    played(club, other, c, d)
    ranked = live_ranking.ranking(club.organisation, at=club.at, live=True)
    rows = {row.member: row.projected for row in ranked.rows}
    for member in (a, c):
        page = client.get(f"/c/{club.organisation.slug}/joueurs/{member.address}/")
        assert page.context["projected"] == rows[member] == 1015
    for room in (first, other):
        closed(club, room)
    third = running(club, hours=1)
    assert third.rule_book_id == adopted.pk
