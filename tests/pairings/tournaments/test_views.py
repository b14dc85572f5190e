"""The pages of a tournament: public, players, director; input is kept, outdated saves are reported."""

from __future__ import annotations

import re
from datetime import date, timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from clubs.members import actions as members
from clubs.members.models import Member, RoleGrant
from pairings.matches import actions as match_actions
from pairings.rules.match_state import Result
from pairings.tournaments import actions as tournaments
from pairings.tournaments import closing as tournament_closing
from pairings.tournaments import registration
from pairings.tournaments.models import Entry, Tournament
from pairings.tournaments.rounds import actions as rounds
from pairings.tournaments.rounds import publishing as round_publishing
from pairings.tournaments.rounds import score_entry
from tests.clubhouse import make_club
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


@pytest.fixture
def open_(house):
    return frozen(house)


def page(path: str) -> str:
    return f"{CLUB}{path}"


def manage(open_, rest: str = "") -> str:
    return page(f"/gestion/tournois/{open_.slug}/{rest}")


def test_the_public_pages_open_in_every_state(house, as_user, open_):
    client = as_user()
    base = page(f"/tournois/{open_.slug}/")
    paths = ["", "inscrits/", "classement/", "grille/", "ronde/1/", "ronde/1/?par=nom", "ecran/"]
    walls = [f"ecran/?vue={name}" for name in ("tables", "noms", "classement", "horloge")]
    parts = [f"ecran/?partie={name}" for name in ("tables", "noms", "classement", "horloge")]

    def look():
        for path in paths + walls + parts:
            answer = client.get(base + path)
            assert answer.status_code == 200, path
            assert "None" not in answer.content.decode(), path

    look()
    published = publish(house, open_, 1)
    look()
    play(house, published)
    end_round(house, published)
    look()
    assert client.get(page("/tournois/")).status_code == 200
    assert client.get(base + "ronde/9/").status_code == 404
    assert client.get(base + "ecran/?partie=autre").status_code == 404


def test_the_pages_of_a_tournament_say_the_year_of_its_days(as_user, director, open_):
    """A reader of one of the years before could not tell which."""
    Tournament.objects.filter(pk=open_.pk).update(ends_on=date(2026, 11, 21))
    home = words(as_user().get(page(f"/tournois/{open_.slug}/")))
    assert "vendredi 20 novembre 2026 – samedi 21 novembre 2026" in home
    desk = words(director.get(page(f"/gestion/tournois/{open_.slug}/")))
    assert "vendredi 20 novembre 2026" in desk


def test_while_a_tournament_runs_the_way_to_its_entries_leads_to_their_list(director, open_):
    """Above it stand the forms to enter more players, a screen and a half on a phone."""
    assert 'inscrits/#inscrits"' in director.get(manage(open_, "")).content.decode()
    assert 'id="inscrits"' in director.get(manage(open_, "inscrits/")).content.decode()
    Tournament.objects.filter(pk=open_.pk).update(state=Tournament.State.ENTRIES)
    assert 'inscrits/#inscrits"' not in director.get(manage(open_, "")).content.decode()


def test_a_round_not_published_says_when_and_shows_no_table(house, as_user, open_):
    rounds.draw(round=round_of(open_, 1), by=house.arbiter, at=house.at)
    answer = words(as_user().get(page(f"/tournois/{open_.slug}/ronde/1/")))
    assert "La ronde 1 sera publiée vers" in answer
    assert house.members[0].full_name not in answer


def test_who_meets_nobody_has_an_x_in_place_of_a_table_on_every_page(house, as_user, director):
    open_ = frozen(house, 9)
    publish(house, open_, 1)
    public_page = page(f"/tournois/{open_.slug}/ronde/1/")
    shown = [as_user().get(public_page), as_user().get(f"{public_page}?par=nom")]
    shown.append(director.get(manage(open_, "ronde/1/conduite/")))
    for answer in shown:
        assert len(re.findall(r'list__rank"> X<span', words(answer))) == 1
        assert 'list__rank"> –' not in words(answer)


@pytest.mark.parametrize("where", ["classement", "grille", "ecran"])
def test_a_swiss_shows_no_rank_before_a_game_counts(house, as_user, where):
    open_ = frozen(house, 9, system="swiss", round_count=3)
    publish(house, open_, 1)  # one has an exemption, which is no game
    address = page(f"/tournois/{open_.slug}/{where}/")
    rank = r'class="(?:num rank|wall-rank__no)">([^<]*)</'
    before = re.findall(rank, as_user().get(address).content.decode())
    assert before.count("–") == 9
    play(house, round_of(open_, 1))
    after = re.findall(rank, as_user().get(address).content.decode())
    assert "–" not in after and after[-9] == "1"


def test_a_director_creates_a_tournament_and_enters_a_guest(house, director):
    answer = director.post(
        page("/gestion/tournois/nouveau/"),
        {
            "name": "Coupe d’hiver",
            "day": "2026-12-12",
            "hour": "09:30",
            "system": "formule_classique",
            "winning_games": "2",
            "minutes": "25",
            "round_minutes": "75",
            "fee": "5 €",
        },
    )
    made = Tournament.objects.get(name="Coupe d’hiver")
    assert answer.headers["Location"].endswith(f"/gestion/tournois/{made.slug}/inscrits/")
    assert made.rules == {"winning_games": 2}
    desk = manage(made, "inscrits/")
    shown = director.get(desk).content.decode()
    assert "Vide\u00a0: sans cote." in shown and "liste choisie" not in shown  # it has none
    answer = director.post(
        desk, {"enter": "1", "first_name": "Zoé", "last_name": "Faÿ", "cote": "1234", "paid": "on"}
    )
    assert answer.status_code == 302
    entry = made.entries.get()
    assert (entry.member.is_guest, entry.cote, entry.paid) == (True, 1234, True)
    field = Printed(director.get(desk), f"entry{entry.pk}_cote")
    assert (field.attributes["value"], field.label) == ("1234", "Zoé Faÿ, cote")
    director.post(f"{desk}{entry.pk}/cote/", {"cote": "1300"})
    entry.refresh_from_db()
    assert entry.cote == 1300
    director.post(f"{desk}{entry.pk}/cote/", {"cote": "4001"})
    entry.refresh_from_db()
    assert entry.cote == 1300
    director.post(f"{desk}{entry.pk}/cote/", {"cote": ""})
    entry.refresh_from_db()
    assert entry.cote == 0
    assert "value" not in Printed(director.get(desk), f"entry{entry.pk}_cote").attributes


@pytest.mark.parametrize(
    ("changes", "words_there"),
    [
        ({"name": ""}, "obligatoire"),
        ({"ends_on": "2026-12-01"}, "vient avant"),
        ({"round_count": "41"}, "40"),
        ({"round_count": "7", "rounds_a_day": "3", "ends_on": "2026-12-13"}, "14 décembre 2026"),
        ({"round_count": "4", "rounds_a_day": "3"}, "13 décembre 2026"),
        ({"round_count": "5", "round_minutes": "10080"}, "9 janvier 2027"),
        ({"round_count": "3", "round_minutes": "2880", "rounds_a_day": "1"}, "16 décembre 2026"),
        ({"round_count": "3", "round_minutes": "1500"}, "14 décembre 2026"),
        (
            {"round_count": "2", "round_minutes": "2880", "rounds_a_day": "2"},
            "14 décembre 2026",
        ),
        ({"round_count": "3", "round_minutes": "1440", "rounds_a_day": "2"}, "ne tiennent pas"),
        ({"round_minutes": "720", "rounds_a_day": "3"}, "ne tiennent pas en un jour"),
        ({"round_minutes": "44641"}, "44640"),
    ],
)
def test_a_wrong_field_is_said_beside_it_and_nothing_typed_is_lost(
    director, house, changes, words_there
):
    given = {
        "name": "Coupe",
        "day": "2026-12-12",
        "hour": "09:30",
        "system": "formule_classique",
        "winning_games": "1",
        "minutes": "33",
        "round_minutes": "75",
    }
    answer = director.post(page("/gestion/tournois/nouveau/"), {**given, **changes})
    assert answer.status_code == 422
    assert words_there in words(answer)
    assert 'value="33"' in words(answer)
    assert not Tournament.objects.exists()


def test_who_announces_a_tournament_on_a_day_that_is_over_is_told(house, director):
    given = {
        "name": "Coupe",
        "hour": "09:30",
        "system": "swiss",
        "winning_games": "1",
        "minutes": "33",
        "round_minutes": "75",
    }
    for day, is_over in ((house.at - timedelta(days=1), True), (house.at, False)):
        given["day"] = f"{day:%Y-%m-%d}"
        answer = words(director.post(page("/gestion/tournois/nouveau/"), given, follow=True))
        assert ("Ce jour est passé" in answer) is is_over
        assert ("Le tournoi est annoncé. Inscrivez les joueurs." in answer) is not is_over


@pytest.mark.parametrize("system", ["knockout", "round_robin", "formule_classique"])
def test_a_tournament_that_nobody_entered_yet_is_not_said_to_have_no_round(house, as_user, system):
    made = make_tournament(house, 0, system=system)
    shown = words(as_user().get(page(f"/tournois/{made.slug}/")))
    [count] = re.findall(r"<dt>Rondes</dt>\s*<dd>(\S+)</dd>", shown)
    assert count != "0"


def test_a_round_of_a_later_day_is_announced_with_its_day(house, director, as_user):
    given = {
        "name": "Coupe",
        "day": "2026-12-12",
        "ends_on": "2026-12-13",
        "hour": "09:30",
        "system": "swiss",
        "winning_games": "1",
        "minutes": "33",
        "round_minutes": "75",
        "round_count": "4",
        "rounds_a_day": "2",
    }
    director.post(page("/gestion/tournois/nouveau/"), given)
    made = Tournament.objects.get()
    for player in house.members[:4]:
        house.enter(made, player)
    tournaments.freeze(tournament=made, by=house.committee, at=house.at)
    answer = words(as_user().get(f"{made.get_absolute_url()}ronde/3/"))
    assert "La ronde 3 sera publiée le dimanche 13 décembre vers 09:30" in answer
    hours = words(as_user().get(f"{made.get_absolute_url()}ecran/?partie=horloge"))
    assert "Ronde 4, dimanche 13 décembre" in " ".join(hours.split())
    shown = words(director.get(manage(made, "ronde/3/conduite/")))
    assert "dimanche 13 décembre, 09:30" in shown


def test_a_round_a_week_is_planned_announced_and_in_the_calendar(house, director, as_user):
    given = {
        "name": "Championnat",
        "day": "2026-12-12",
        "ends_on": "2026-12-26",
        "hour": "19:30",
        "system": "swiss",
        "winning_games": "1",
        "minutes": "25",
        "round_minutes": "10080",
        "round_count": "3",
    }
    assert director.post(page("/gestion/tournois/nouveau/"), given).status_code == 302
    made = Tournament.objects.get()
    for player in house.members[:4]:
        house.enter(made, player)
    tournaments.freeze(tournament=made, by=house.committee, at=house.at)
    answer = words(as_user().get(f"{made.get_absolute_url()}ronde/3/"))
    assert "La ronde 3 sera publiée le samedi 26 décembre vers 19:30" in answer
    dates = as_user().get(f"{made.get_absolute_url()}horaires.ics").content.decode()
    assert "DTSTART:20261219T183000Z\r\nDTEND:20261219T192000Z" in dates


def test_a_file_of_entries_is_all_or_nothing(house, director):
    made = make_tournament(house, 0)
    desk = manage(made, "inscrits/")

    def send(text: str):
        file = SimpleUploadedFile("inscrits.csv", text.encode())
        return director.post(desk, {"import": "1", "file": file})

    number = house.members[0].number
    head = "Prénom;Nom;Numéro;Club;Cote;Payé\n"
    bad = send(head + f";;{number};;1500;oui\nAlba;Rossi;;Nice;abc;oui\n")
    assert bad.status_code == 422
    assert "Ligne" in words(bad)
    assert not made.entries.exists()
    good = send(head + f"Prénom0;Nom0;{number};;1500;oui\nAlba;Rossi;;Nice;1600;non\n")
    assert good.status_code == 302
    assert made.entries.count() == 2
    assert made.entries.get(member=house.members[0]).paid
    again = send(head + f"Prénom0;Nom0;{number};;1500;oui\n")
    assert again.status_code == 422
    assert "déjà une inscription" in words(again)


def test_a_member_enters_themselves_and_leaves(house, as_user):
    made = make_tournament(house, 0)
    member = house.members[0]
    client = as_user(member.user)
    home = page(f"/tournois/{made.slug}/")
    assert "Je m’inscris" in words(client.get(home))
    client.post(home + "inscription/inscrire/")
    assert made.entries.get().source == Entry.SELF
    assert "Me désinscrire" in words(client.get(home))
    client.post(home + "inscription/retirer/")
    assert not made.entries.exists()


def test_the_director_draws_swaps_publishes_and_closes_through_the_pages(
    house, director, as_user, open_
):
    control = manage(open_, "ronde/1/conduite/")
    act = manage(open_, "ronde/1/acte/")
    assert "Apparier" in words(director.get(control))
    assert director.post(act + "apparier/").status_code == 302
    shown = words(director.get(control))
    assert "tableau prédéterminé" in shown
    found = round_of(open_, 1)
    one, other = found.draft[0]["first"], found.draft[1]["first"]
    swap = {"first": one, "second": other, "version": found.version}
    refused = director.post(act + "echanger/", {**swap, "reason": ""})
    assert refused.status_code == 422
    assert f'name="first" value="{one}"' in words(refused)
    done = director.post(act + "echanger/", {**swap, "reason": "même famille"})
    assert done.status_code == 302
    assert "choix de l’arbitre : même famille" in words(director.get(control))
    stale = director.post(act + "publier/", {"version": found.version}, follow=True)
    assert "modifiée par quelqu’un d’autre" in words(stale)
    found.refresh_from_db()
    director.post(act + "publier/", {"version": found.version})
    found.refresh_from_db()
    assert found.state == "published"
    assert "Il manque 4 résultats" in words(director.get(control))
    # What was typed may speak of people: visitors read that it was a choice.
    shown = page(f"/tournois/{open_.slug}/ronde/1/")
    assert "même famille" in words(director.get(shown))
    visitor = words(as_user().get(shown))
    assert "choix de l’arbitre" in visitor and "même famille" not in visitor
    play(house, found)
    closed = director.post(act + "clore/", {"reason": "un seul arbitre"})
    assert closed.headers["Location"].endswith("/ronde/2/conduite/")


def grid_row(match, a, b, **more) -> dict[str, str]:
    base = f"m{match.pk}-"
    values = {"version": match.version, "a1": a, "b1": b, "absent": ""} | more
    return {base + name: str(value) for name, value in values.items()}


def test_the_grid_keeps_what_was_typed_when_another_director_was_faster(house, director, open_):
    published = publish(house, open_, 1)
    one, other = published.matches.filter(second__isnull=False).order_by("table_number")[:2]
    typed = {**grid_row(one, 412, 377), **grid_row(other, 401, 399)}
    house.record(other, Result("played", 500, 100))
    grid = manage(open_, "ronde/1/saisie/")
    answer = director.post(grid, typed)
    assert answer.status_code == 422
    text = words(answer)
    assert "Quelqu’un a saisi 500 – 100 entre-temps" in text
    assert 'value="401"' in text
    one.refresh_from_db()
    other.refresh_from_db()
    assert (one.first_score, one.second_score) == (412, 377)
    assert (other.first_score, other.second_score) == (500, 100)


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ({"a": "4OO", "b": "300"}, "n’est pas un score"),
        ({"a": "2001", "b": "300"}, "entre −200 et 2000"),
        ({"a": "400", "b": ""}, "Saisissez les deux scores"),
        ({"a": "400", "b": "300", "absent": "a"}, "pas les deux"),
    ],
)
def test_a_wrong_row_of_the_grid_is_said_and_the_others_are_saved(
    house, director, open_, row, sentence
):
    published = publish(house, open_, 1)
    one, other = published.matches.filter(second__isnull=False).order_by("table_number")[:2]
    more = {"absent": row["absent"]} if "absent" in row else {}
    typed = {**grid_row(one, row["a"], row["b"], **more), **grid_row(other, 401, 399)}
    answer = director.post(manage(open_, "ronde/1/saisie/"), typed)
    assert answer.status_code == 422
    assert sentence in words(answer)
    ((told, anchor),) = answer.context["error_list"]
    assert sentence in told and f'id="{anchor}"' in answer.content.decode()
    assert told.startswith(f"Table {one.table_number}\N{NO-BREAK SPACE}: ")
    one.refresh_from_db()
    other.refresh_from_db()
    assert one.is_open
    assert not other.is_open


def test_a_second_person_marks_a_row_as_checked(house, director, open_, as_user):
    published = publish(house, open_, 1)
    match = published.matches.get(table_number=1)
    house.record(match, Result("played", 400, 300))
    match.refresh_from_db()
    grid = manage(open_, "ronde/1/saisie/")
    who_typed = as_user(house.arbiter.user)
    told = words(who_typed.get(grid))
    assert "à relire" in told and 'name="check"' not in told
    assert 'name="check"' in words(director.get(grid))
    own = who_typed.post(grid, {"check": f"{match.pk}:{match.version}"}, follow=True)
    assert "une autre personne" in words(own)
    director.post(grid, {"check": f"{match.pk}:{match.version}"})
    match.refresh_from_db()
    assert match.is_checked
    assert "vérifié" in words(director.get(grid))


def test_the_grid_offers_no_ruling_to_an_arbiter_who_plays_the_contested_match(
    house, director, open_, as_user
):
    match = publish(house, open_, 1).matches.get(table_number=1)
    a, b = house.player(match.first), house.player(match.second)
    match_actions.submit(match=match, by=a, scores=(400, 300), at=house.at)
    match_actions.contest(match=match, by=b, at=house.at, words="faux")
    role = {"role": RoleGrant.ARBITER, "by": house.committee, "at": house.at}
    members.grant(member=match.second, **role)
    grid = manage(open_, "ronde/1/saisie/")
    own = words(as_user(match.second.user).get(grid))
    assert "un autre arbitre doit s’en charger" in own and ">Trancher<" not in own
    assert ">Trancher<" in words(director.get(grid))


def test_a_grid_in_which_nothing_can_be_typed_has_no_button_to_save(house, open_, director):
    published = publish(house, open_, 1)
    grid = manage(open_, "ronde/1/saisie/")
    assert '<span class="only-phone" aria-hidden="true">Forfait</span>' in words(director.get(grid))
    for match in published.matches.filter(second__isnull=False):
        assert "Enregistrer" in words(director.get(grid))
        house.record(match, Result("played", 400, 300))
        match.refresh_from_db()
        score_entry.check(match=match, version=match.version, by=house.committee, at=house.at)
    shown = words(director.get(grid))
    assert "Tous les résultats sont là" in shown and "Corriger" in shown
    assert "Enregistrer" not in shown and "Une ligne vide" not in shown


def test_typing_goes_on_at_the_first_empty_score(house, director, open_):
    published = publish(house, open_, 1)
    one, other = published.matches.filter(second__isnull=False).order_by("table_number")[:2]
    grid = manage(open_, "ronde/1/saisie/")
    before = director.get(grid)
    after = director.post(grid, grid_row(one, 412, 377), follow=True)
    for page, match in ((before, one), (after, other)):
        focused = re.findall(r"<input[^>]*data-autofocus[^>]*>", page.content.decode())
        assert len(focused) == 1 and f'id="id_m{match.pk}-a1"' in focused[0]


def test_an_arbiter_who_plays_reads_before_typing_that_another_one_enters_their_match(
    house, open_, as_user
):
    published = publish(house, open_, 1)
    own, other = published.matches.filter(second__isnull=False).order_by("table_number")[:2]
    role = {"role": RoleGrant.ARBITER, "by": house.committee, "at": house.at}
    members.grant(member=own.first, **role)
    grid = manage(open_, "ronde/1/saisie/")
    shown = as_user(own.first.user).get(grid).content.decode()
    assert "Vous jouez ce match" in words(as_user(own.first.user).get(grid))
    assert f"id_m{own.pk}-a1" not in shown and f"id_m{other.pk}-a1" in shown
    assert f"id_m{own.pk}-a1" in as_user(house.arbiter.user).get(grid).content.decode()
    # Nor do they say that what another one typed is what the slip says.
    as_user(house.arbiter.user).post(grid, grid_row(own, 410, 390))
    own.refresh_from_db()
    player, check = as_user(own.first.user), f"{own.pk}:{own.version}"
    assert f'value="{check}"' not in player.get(grid).content.decode()
    assert "Vous jouez ce match" in words(player.post(grid, {"check": check}, follow=True))
    own.refresh_from_db()
    assert not own.is_open and not own.is_checked


def test_the_grid_asks_for_the_reason_of_a_correction_and_keeps_what_was_typed(
    house, director, open_
):
    published = publish(house, open_, 1)
    one, other = published.matches.filter(second__isnull=False).order_by("table_number")[:2]
    grid = manage(open_, "ronde/1/saisie/")
    assert "Motif des corrections" not in words(director.get(grid))
    director.post(grid, grid_row(one, 140, 377))
    one.refresh_from_db()
    _before, _label, after = director.get(grid).content.decode().partition("Motif des corrections")
    assert after and "facultatif" not in after.partition("</label>")[0]
    answer = director.post(grid, {**grid_row(one, 410, 377), **grid_row(other, 401, 399)})
    assert answer.status_code == 422
    assert 'value="410"' in answer.content.decode()
    assert "Motif des corrections\N{NO-BREAK SPACE}: Le motif est obligatoire." in [
        told for told, _anchor in answer.context["error_list"]
    ]
    typed = {**grid_row(one, 410, 377), "reason": "Le 4 lu comme un 1"}
    assert director.post(grid, typed).status_code == 302
    one.refresh_from_db()
    other.refresh_from_db()
    assert (one.first_score, other.first_score) == (410, 401)
    assert one.decisions.order_by("pk").last().reason == "Le 4 lu comme un 1"


def test_a_forfeit_is_noted_in_the_grid(house, director, open_):
    published = publish(house, open_, 1)
    match = published.matches.get(table_number=1)
    director.post(manage(open_, "ronde/1/saisie/"), grid_row(match, "", "", absent="b"))
    match.refresh_from_db()
    assert (match.kind, match.absent) == ("absent", "b")


@pytest.mark.parametrize("first", [{"a": 412, "b": 377}, {"a": "", "b": "", "absent": "b"}])
def test_a_result_that_is_cleared_in_the_grid_is_said_to_stay(house, director, open_, first):
    match = publish(house, open_, 1).matches.get(table_number=1)
    grid, unread = manage(open_, "ronde/1/saisie/"), grid_row(match, "", "")
    director.post(grid, grid_row(match, **first))
    match.refresh_from_db()
    answer = director.post(grid, grid_row(match, "", ""))
    assert answer.status_code == 422 and "Un résultat saisi ne s’efface pas" in words(answer)
    # On a page of before the result its row was empty already.
    assert director.post(grid, unread).status_code == 302
    version = match.version
    match.refresh_from_db()
    assert match.version == version and not match.is_open


def test_a_tournament_is_closed_handed_over_and_reopened_with_a_reason(house, director, open_):
    for number in range(1, 6):
        play_round(house, open_, number)
    home = manage(open_)
    assert "Publier le classement final" in words(director.get(home))
    director.post(home + "acte/clore/")
    open_.refresh_from_db()
    assert open_.state == "closed"
    from ratings.ledger import settlement

    club_list = settlement.list_of(house.organisation, "faizers")
    by_places = house.rating_list("romania", kind="libere", name="Par places")
    shown = words(director.get(home))
    assert f"Transmettre à la liste {club_list.name}" in shown and "Par places" not in shown
    assert director.post(home + "acte/cotes/", {"list": by_places.pk}).status_code == 404
    director.post(home + "acte/cotes/", {"list": club_list.pk})
    assert "calculée" in words(director.get(home))
    refused = director.post(home + "acte/rouvrir/", {"reason": ""})
    assert refused.status_code == 422
    director.post(home + "acte/rouvrir/", {"reason": "feuille égarée"})
    open_.refresh_from_db()
    assert open_.state == "running"
    again = director.post(home + "acte/clore/", {"reason": ""})
    why = Printed(again, "close-reason")
    assert again.status_code == 422 and why.is_refused
    assert why.label == "Motif du nouveau classement" and "dites pourquoi" in why.error
    director.post(home + "acte/clore/", {"reason": "feuille retrouvée"})
    public = words(director.get(page(f"/tournois/{open_.slug}/classement/")))
    assert "Publication nº 2" in public


def test_the_desk_of_a_tournament_that_is_over_offers_nothing_that_is_refused(
    house, director, open_
):
    play_round(house, open_, 1)

    def pages() -> tuple[str, str]:
        return tuple(
            words(director.get(manage(open_, rest))) for rest in ("reglages/", "ronde/1/saisie/")
        )

    settings, grid = pages()
    assert 'aria-describedby="closed"' not in settings
    assert re.search(r'name="m\d+-a1"', grid) and "Enregistrer" in grid and 'name="check"' in grid
    end = {"tournament": open_, "by": house.committee, "at": house.at}
    tournament_closing.close(**end, reason="salle fermée")
    settings, grid = pages()
    main = settings[settings.index("<main") : settings.index("</main")]
    assert main.count("<button") == main.count(' disabled aria-describedby="closed"') > 1
    assert not re.search(r'name="m\d+-a1"', grid)
    assert "Enregistrer" not in grid and 'name="check"' not in grid and "/corriger/" not in grid
    assert all("il faut d’abord le rouvrir" in page for page in (settings, grid))


@pytest.mark.parametrize("act", ["rouvrir", "deverrouiller", "annuler", "clore"])
def test_an_act_for_which_somebody_was_faster_keeps_the_reason_that_was_typed(
    house, director, open_, act
):
    if act == "rouvrir":  # reopened by somebody else since the page was read
        for number in range(1, 6):
            play_round(house, open_, number)
    elif act == "clore":  # closed by somebody else
        play_round(house, open_, 1)
        by, reason = house.committee, "salle fermée"
        tournament_closing.close(tournament=open_, by=by, at=house.at, reason=reason)
    else:
        publish(house, open_, 1)
    refused = director.post(manage(open_, f"acte/{act}/"), {"reason": "feuille égarée"})
    assert refused.status_code == 422 and "error-summary" in words(refused)
    assert "Votre motif : feuille égarée" in words(refused)


def test_a_page_freezes_the_ranking_that_it_showed_and_no_later_one(house, director):
    made = make_tournament(house, size=8)
    home, how = manage(made), {"tournament": made, "by": house.committee, "at": house.at}
    field = f'<input type="hidden" name="version" value="{made.version}">'
    assert field in words(director.get(home)).partition("acte/arreter/")[2].partition("</form>")[0]
    tournaments.freeze(**how)
    tournaments.unfreeze(reason="oubli", **how)  # entries are open again: others may still enter
    answer = director.post(home + "acte/arreter/", {"version": made.version}, follow=True)
    assert "vient d’être modifié" in words(answer)
    made.refresh_from_db()
    assert made.state == "entries"


@pytest.mark.parametrize("act", ["rouvrir", "deverrouiller", "annuler", "clore"])
def test_an_act_of_a_page_read_before_another_is_refused_and_then_offered_again(
    house, director, open_, act
):
    if act in ("clore", "rouvrir"):
        play_round(house, open_, 1)
    if act == "rouvrir":
        end = {"tournament": open_, "by": house.committee, "at": house.at}
        tournament_closing.close(**end, reason="salle fermée")
    open_.refresh_from_db()
    address = manage(open_, f"acte/{act}/")
    field = '<input type="hidden" name="version" value="{}">'

    def form_of(answer):
        return words(answer).partition(f'action="{address}"')[2].partition("</form>")[0]

    assert field.format(open_.version) in form_of(director.get(manage(open_)))
    Tournament.objects.filter(pk=open_.pk).update(version=open_.version + 2)
    sent = {"version": open_.version, "reason": "feuille égarée"}
    refused = director.post(address, sent)
    assert refused.status_code == 422 and "vient d’être modifié" in words(refused)
    again = form_of(refused)
    assert field.format(open_.version + 2) in again and "feuille égarée" in again
    state = open_.state
    open_.refresh_from_db()
    assert open_.state == state
    director.post(address, {**sent, "version": open_.version})
    open_.refresh_from_db()
    assert open_.state != state


def test_a_live_ranking_says_what_is_missing_while_something_is(house, director):
    """Once every result is typed the round waits to be ended, and no line can change any more."""
    running = frozen(house, 8)
    published = publish(house, running, 1)
    address = page(f"/tournois/{running.slug}/classement/")
    assert "il manque 4 résultats" in words(director.get(address))
    play(house, published)
    ranking = words(director.get(address))
    assert "Classement pendant la ronde 1" in ranking
    assert "il manque" not in ranking


def test_only_a_tournament_with_a_fee_asks_for_it(house, director, open_):
    for fee, there in (("", False), ("5 €", True)):
        Tournament.objects.filter(pk=open_.pk).update(fee=fee, state=Tournament.State.ENTRIES)
        assert ("à régler" in words(director.get(manage(open_)))) is there, fee
        desk = words(director.get(manage(open_, "inscrits/")))
        assert ("à payer" in desk) is ("Droit payé" in desk) is there, fee


def test_a_tournament_without_its_number_of_rounds_leads_to_it(house, director):
    made = make_tournament(house, 8, system="swiss")
    shown = words(director.get(manage(made))).partition("Choisissez le nombre de rondes.")[2]
    assert shown.strip().startswith(f'<a href="{manage(made, "reglages/")}">Réglages du tournoi')


def test_the_desk_is_ready_for_the_next_entry_while_entries_are_open(house, director, open_):
    ready = re.compile(r'<select name="member"[^>]* autofocus')
    new = make_tournament(house, 4, name="Encore ouvert")
    assert ready.search(director.get(manage(new, "inscrits/")).content.decode())
    assert not ready.search(director.get(manage(open_, "inscrits/")).content.decode())


@pytest.mark.parametrize(("size", "takes"), [(7, True), (8, False)])
def test_the_desk_asks_for_nobody_whom_the_table_has_no_place_for(house, director, size, takes):
    """A table of Berger has one free place for an odd number of players."""
    made = frozen(house, size, system="round_robin")
    assert 'name="first_name"' in words(director.get(manage(made, "inscrits/")))
    publish(house, made, 1)
    shown = words(director.get(manage(made, "inscrits/")))
    assert ('name="first_name"' in shown) is takes
    assert ("le tableau ne prend plus personne" in shown) is not takes


def test_who_is_taken_off_the_list_is_named(house, director, open_):
    Tournament.objects.filter(pk=open_.pk).update(state=Tournament.State.ENTRIES)
    entry = entry_of(open_, house.members[0])
    answer = director.post(manage(open_, f"inscrits/{entry.pk}/retirer/"), follow=True)
    assert f"Inscription retirée : {entry.member}." in words(answer)
    assert not Entry.objects.filter(pk=entry.pk).exists()


def test_the_desk_marks_presence_fees_and_withdrawals(house, director, open_):
    entry = entry_of(open_, house.members[0])
    base = manage(open_, f"inscrits/{entry.pk}/")
    for act in ("paye", "absent", "abandon"):
        answer = director.post(base + f"{act}/")
        assert answer.headers["Location"].endswith(f"/inscrits/#e{entry.pk}")  # not the page's top
    lines = re.findall(r"<tr id=[^>]*>", words(director.get(manage(open_, "inscrits/"))))
    assert lines and all('tabindex="-1"' in line for line in lines)  # the focus goes there
    assert f'id="e{entry.pk}"' in director.get(manage(open_, "inscrits/")).content.decode()
    entry.refresh_from_db()
    assert (entry.paid, entry.away, entry.withdrawn_from) == (True, [1], 1)
    tag = "</svg>abandon</span>"  # in words, not only by a button that offers the return
    assert words(director.get(manage(open_, "inscrits/"))).count(tag) == 1
    director.post(base + "retour/")
    assert tag not in words(director.get(manage(open_, "inscrits/")))
    entry.refresh_from_db()
    assert entry.is_present(1)


def test_an_absence_is_noted_for_the_round_that_the_page_names(house, director, as_user, open_):
    """The round was published meanwhile: the next one, which nobody spoke of, is left alone."""
    entry = entry_of(open_, house.members[0])
    own = as_user(entry.member.user)
    own_page = page(f"/tournois/{open_.slug}/")
    for reader, address, act in (
        (director, manage(open_, "inscrits/"), manage(open_, f"inscrits/{entry.pk}/absent/")),
        (own, own_page, f"{own_page}inscription/absent/"),
    ):
        assert '<input type="hidden" name="round" value="1">' in words(reader.get(address))
        assert reader.post(act, {"round": "1"}).status_code == 302
        entry.refresh_from_db()
        assert entry.away == [1]
        Entry.objects.filter(pk=entry.pk).update(away=[])
    publish(house, open_, 1)
    for reader, act, way in (
        (director, manage(open_, f"inscrits/{entry.pk}/absent/"), "notez un forfait"),
        (own, f"{own_page}inscription/absent/", "adressez-vous à l’arbitre"),
    ):
        answer = reader.post(act, {"round": "1"}, follow=True)
        assert f"La ronde 1 est déjà publiée : {way}" in words(answer)
        entry.refresh_from_db()
        assert entry.away == []


@pytest.mark.parametrize("gone", [False, True])
def test_a_withdrawal_or_a_return_is_of_the_round_that_the_page_names(
    house, director, as_user, open_, gone
):
    """Once that round is published, its table has to be settled: the next one is not taken."""
    act = "retour" if gone else "abandon"
    entry = entry_of(open_, house.members[0])
    Entry.objects.filter(pk=entry.pk).update(withdrawn_from=1 if gone else None)
    own, own_page = as_user(entry.member.user), page(f"/tournois/{open_.slug}/")
    ways = (
        (director, manage(open_, "inscrits/"), manage(open_, f"inscrits/{entry.pk}/{act}/")),
        (own, own_page, f"{own_page}inscription/{act}/"),
    )
    field = '<input type="hidden" name="round" value="1">'
    for reader, address, form in ways:
        shown = words(reader.get(address)).partition(form)[2].partition("</form>")[0]
        assert field in shown
    publish(house, open_, 1)
    for reader, _address, form in ways:
        assert "La ronde 1 est déjà publiée" in words(
            reader.post(form, {"round": "1"}, follow=True)
        )
    entry.refresh_from_db()
    assert entry.withdrawn_from == (1 if gone else None)


def test_whoever_left_the_club_leaves_its_tournament_at_once_and_for_good(house, director, open_):
    """Also who had given up a later round: the one named by a page from before a round was undone."""
    entry, how = entry_of(open_, house.members[0]), {"by": house.committee, "at": house.at}
    registration.withdraw(entry=entry, number=2, **how)
    assert "Noter le retour" in words(director.get(manage(open_, "inscrits/")))
    members.leave(member=entry.member, forget=False, **how)
    entry.refresh_from_db()
    assert entry.withdrawn_from == 1
    assert "Noter le retour" not in words(director.get(manage(open_, "inscrits/")))
    director.post(manage(open_, f"inscrits/{entry.pk}/retour/"))
    entry.refresh_from_db()
    assert entry.withdrawn_from == 1


def test_who_is_knocked_out_is_asked_for_no_presence_and_counted_nowhere(house, director, as_user):
    cup = frozen(house, 8, system="knockout")
    play(house, publish(house, cup, 1))
    results = {
        pk: won
        for match in round_of(cup, 1).matches.all()
        for pk, won in (
            (match.first_id, match.first_score > match.second_score),
            (match.second_id, match.second_score > match.first_score),
        )
    }
    for over in (False, True):  # as soon as the match is lost, and once the round is over
        if over:
            end_round(house, round_of(cup, 1))
        for pk, won in results.items():
            shown = words(as_user(Member.objects.get(pk=pk).user).get(cup.get_absolute_url()))
            assert ("Je ne peux pas jouer la prochaine ronde" in shown) is won
            assert ("Vous jouez ce tournoi" in shown) is won
            assert ("Vous n’êtes plus au tableau." in shown) is not won
        desk = words(director.get(manage(cup, "inscrits/")))
        assert "ronde 2 : 4 présents" in desk and desk.count("</svg>éliminé</span>") == 4
        assert (desk.count("Noter l’absence"), desk.count("Noter l’abandon")) == (4, 4)
    out = next(pk for pk, won in results.items() if not won)
    Entry.objects.filter(tournament=cup, member=out).update(withdrawn_from=2)
    control = words(director.get(manage(cup, "ronde/2/conduite/")))
    assert re.search(r"\s4 présents\s", control) and "Absents :" not in control
    publish(house, cup, 2)
    public = as_user().get(page(f"/tournois/{cup.slug}/ronde/2/"))
    assert public.status_code == 200 and public.context["absent"] == []


def test_the_ranking_of_a_wall_does_not_end_the_names_of_who_plays_as_if_they_were_cut(
    house, as_user, open_
):
    publish(house, open_, 1)
    wall = as_user().get(page(f"/tournois/{open_.slug}/ecran/?partie=classement"))
    text = wall.content.decode()
    assert "…" not in text and text.count(">joue</span>") == 8  # of nine: one meets X


def test_a_player_sees_their_table_and_enters_on_their_phone(house, as_user, open_):
    match = publish(house, open_, 1).matches.get(table_number=1)
    client = as_user(match.first.user)
    own = client.get(page(f"/tournois/{open_.slug}/")).content.decode()
    assert "Ma table" in own and "Voir les tables" in own and own.count("btn--primary") == 1
    public = as_user().get(page(f"/tournois/{open_.slug}/")).content.decode()
    assert "Ma table" not in public and public.count("btn--primary") == 1
    card = words(client.get(page("/ma-soiree/")))
    assert match.second.full_name in card
    for path in ("", "pourquoi/", "saisir/"):
        assert client.get(page(f"/matchs/{match.pk}/{path}")).status_code == 200
    client.post(page(f"/matchs/{match.pk}/saisir/"), {"mine": "410", "theirs": "390"})
    match.refresh_from_db()
    assert match.status == "submitted"
    other = as_user(match.second.user)
    assert "410" in words(other.get(page(f"/matchs/{match.pk}/confirmer/")))
    other.post(
        page(f"/matchs/{match.pk}/contester/"),
        {"subject": "score", "mine": "410", "theirs": "390", "version": match.version},
    )
    match.refresh_from_db()
    assert match.status == "contested"
    arbiter = as_user(house.arbiter.user)
    contest = match.contests.get()
    assert arbiter.get(page(f"/arbitrage/litiges/{contest.pk}/")).status_code == 200
    assert arbiter.get(page("/arbitrage/")).status_code == 200
    dispute = page(f"/arbitrage/litiges/{contest.pk}/")
    ruling = {"choice": "take", "reason": "feuille relue", "version": match.version}
    seen = arbiter.post(dispute, {**ruling, "preview": "1"}).context["seen"]
    assert arbiter.post(dispute, {**ruling, "decide": "1", "seen": seen}).status_code == 302
    match.refresh_from_db()
    assert (match.first_score, match.second_score) == (390, 410)
    assert client.get(page(f"/joueurs/{match.first.address}/")).status_code == 200
    assert (
        client.get(
            page(f"/joueurs/{match.first.address}/contre/{match.second.address}/")
        ).status_code
        == 200
    )


def test_the_table_of_a_later_day_is_that_match_while_a_club_night_goes_on(house, as_user):
    """A round a week is published before its day: "Ma soirée" is about the evening of tonight."""
    week = {"starts_at": house.at + timedelta(days=3), "round_minutes": 10080}
    made = frozen(house, 4, system="swiss", round_count=3)
    Tournament.objects.filter(pk=made.pk).update(**week)
    made.rounds.update(starts_at=week["starts_at"])
    match = publish(house, made, 1).matches.get(table_number=1)
    here = as_user(match.first.user)
    own = here.get(page(f"/tournois/{made.slug}/")).content.decode()
    [table] = re.findall(r'<a class="btn btn--primary[^>]*href="([^"]+)">\s*Ma table', own)
    assert "Saisir le résultat" in words(here.get(table))


QUERIES = {"tournois/{}/ronde/1/": 12, "tournois/{}/classement/": 12, "tournois/{}/grille/": 12}


@pytest.mark.parametrize("path", QUERIES)
def test_a_page_asks_few_questions_whatever_the_number_of_players(
    as_user, django_assert_max_num_queries, path
):
    club = make_club("tournoi", size=24)
    made = frozen(club)
    play(club, publish(club, made, 1))
    client = as_user(club.members[0].user)
    url = page("/" + path.format(made.slug))
    client.get(url)
    with django_assert_max_num_queries(QUERIES[path]):
        assert client.get(url).status_code == 200


def test_two_directors_saving_one_row_at_once_leave_one_result(house, open_):
    match = publish(house, open_, 1).matches.get(table_number=1)
    line = score_entry.GridLine(
        match_id=match.pk, version=match.version, result=Result("played", 400, 390)
    )
    other = score_entry.GridLine(
        match_id=match.pk, version=match.version, result=Result("played", 401, 390)
    )
    first = score_entry.enter(round=match.round, lines=[line], by=house.arbiter, at=house.at)
    second = score_entry.enter(round=match.round, lines=[other], by=house.committee, at=house.at)
    assert [first[0].saved, second[0].saved] == [True, False]
    assert match.decisions.count() == 1


def test_a_two_win_match_is_entered_game_by_game_on_a_phone(house, as_user):
    made = frozen(house, rules={"winning_games": 2})
    match = publish(house, made, 1).matches.get(table_number=1)
    client = as_user(match.second.user)
    url = page(f"/matchs/{match.pk}/saisir/")
    assert "Manche 3" in words(client.get(url))
    one = {"mine1": "410", "theirs1": "390", "mine2": "300", "theirs2": "420"}
    unfinished = client.post(url, one)
    assert unfinished.status_code == 422
    assert "il en manque une" in words(unfinished)
    assert 'value="410"' in words(unfinished)
    three = client.post(url, {**one, "mine3": "401", "theirs3": "400", "key": "k1"})
    assert three.status_code == 302
    match.refresh_from_db()
    assert match.games == [[390, 410], [420, 300], [400, 401]]
    assert (match.first_score, match.second_score) == (1, 2)
    shown = words(as_user(match.first.user).get(page(f"/matchs/{match.pk}/confirmer/")))
    assert "390 – 410" in shown
    assert "+1 PM" in shown
    match_actions.contest(match=match, by=house.player(match.first), at=house.at, words="faux")
    arbiter = as_user(house.arbiter.user)
    dispute = page(f"/arbitrage/litiges/{match.contests.get().pk}/")
    match.refresh_from_db()
    typed = {"choice": "other", "reason": "feuille", "version": match.version}
    wrong = arbiter.post(dispute, {**typed, "decide": "1", "games": "410-390"})
    assert wrong.status_code == 422
    assert "il en manque une" in words(wrong)
    typed["games"] = "410-390 400-300"
    effect = arbiter.post(dispute, {**typed, "preview": "1"})
    assert "joueurs touchés" in words(effect)
    decided = arbiter.post(dispute, {**typed, "decide": "1", "seen": effect.context["seen"]})
    assert decided.status_code == 302
    match.refresh_from_db()
    assert (match.first_score, match.second_score, len(match.games)) == (2, 0, 2)
    assert "Pdep" in words(client.get(page(f"/matchs/{match.pk}/")))


def test_the_reason_of_a_board_is_told_to_its_players(house, as_user, open_):
    match = publish(house, open_, 1).matches.get(second__isnull=True)
    told = words(as_user(match.first.user).get(page(f"/matchs/{match.pk}/pourquoi/")))
    assert "joueur fictif X" in told


def test_who_keeps_their_place_with_other_points_is_said_to(house, director):
    made = frozen(house, 2, system="swiss", round_count=1)
    match = play_round(house, made, 1).matches.get()
    given = {"tournament": made, "by": house.committee, "at": house.at}
    tournament_closing.close(**given)
    tournament_closing.reopen(reason="feuille relue", **given)
    match.refresh_from_db()
    best = max(match.first_score, match.second_score)
    scores = (score + 50 * (score == best) for score in (match.first_score, match.second_score))
    house.correct(match, Result("played", *scores), "relu")
    shown = words(director.get(manage(made)))
    assert len(re.findall("toujours au rang [12], avec d’autres points", shown)) == 2


def test_each_publication_stays_readable_and_shows_what_the_next_changed(house, as_user, open_):
    from pairings.matches.models import Match

    for number in range(1, 6):
        play_round(house, open_, number)
    given = {"tournament": open_, "by": house.committee, "at": house.at}
    tournament_closing.close(**given)
    tournament_closing.reopen(reason="feuille relue", **given)
    match = Match.objects.filter(round__tournament=open_, kind="played").order_by("pk").first()
    turned = Result("played", match.second_score, match.first_score)
    house.correct(match, turned, "inversés")
    tournament_closing.close(reason="scores inversés", **given)
    base = page(f"/tournois/{open_.slug}/classement/publications/")
    first, second = as_user().get(base + "1/"), as_user().get(base + "2/")
    assert "remplacé par la publication nº 2" in words(first)
    assert "is-moved" in words(second)
    assert "scores inversés" in words(second)
    assert as_user().get(base + "3/").status_code == 404


@pytest.mark.parametrize(
    ("rounds_typed", "sentence"),
    [
        ("1-8 2-7 3-6", "chaque place de 1 à 8"),
        ("1-8 2-7 3-6 4-5\n1-8 2-7 3-6 4-5", "se rencontrent deux fois"),
        ("1-8 deux-7 3-6 4-5", "n’est pas une rencontre"),
        ("", "au moins une ronde"),
    ],
)
def test_a_wrong_table_of_fixed_rounds_is_refused_and_named(
    house, director, rounds_typed, sentence
):
    made = make_tournament(house, 8)
    answer = director.post(
        manage(made, "reglages/"), {"tables": "1", "size": "8", "rounds": rounds_typed}
    )
    assert answer.status_code == 422
    assert sentence in words(answer)
    made.refresh_from_db()
    assert made.rules == {}


def test_an_organiser_replaces_the_table_of_fixed_rounds(house, director):
    made = make_tournament(house, 8)
    own = "1-5 2-6 3-7 4-8\n1-6 2-5 3-8 4-7"
    director.post(manage(made, "reglages/"), {"tables": "1", "size": "8", "rounds": own})
    made.refresh_from_db()
    made = tournaments.freeze(tournament=made, by=house.committee, at=house.at)
    drawn = rounds.draw(round=round_of(made, 1), by=house.arbiter, at=house.at)
    order = [e.member_id for e in made.entries.order_by("initial")]
    pairs = [(order.index(b["first"]) + 1, order.index(b["second"]) + 1) for b in drawn.draft]
    assert pairs == [(1, 5), (2, 6), (3, 7), (4, 8)]
    assert "tableaux du club (non officiels)" in words(
        director.get(manage(made, "ronde/1/conduite/"))
    )


def test_the_rules_kept_with_a_tournament_are_set_before_the_first_draw(house, director):
    made = make_tournament(house, 8)
    url = manage(made, "reglages/")
    shown = director.get(url)
    form = shown.context["rules"]
    typed = {name: form[name].value() for name in form.fields}
    typed = {name: value for name, value in typed.items() if value is not False}
    refused = director.post(url, {**typed, "rules": "1", "r_forfeit_loss_pdep": "5"})
    assert refused.status_code == 422
    director.post(
        url, {**typed, "rules": "1", "r_forfeit_loss_pdep": "0", "m_contest_window_s": "2"}
    )
    made.refresh_from_db()
    assert made.rules == {"forfeit_loss_pdep": 0}
    assert made.match_rules == {"contest_window_s": 120}


def test_the_grid_says_when_a_phone_had_the_scores_the_other_way_round(house, director, open_):
    published = publish(house, open_, 1)
    match = published.matches.get(table_number=1)
    now = timezone.now()
    match_actions.submit(match=match, by=house.player(match.first), scores=(377, 412), at=now)
    match.refresh_from_db()
    rare = published.matches.get(table_number=2)
    typed = {**grid_row(match, 412, 377), **grid_row(rare, 90, 377)}
    answer = words(director.post(manage(open_, "ronde/1/saisie/"), typed, follow=True))
    assert "Table 1 : un joueur a saisi les deux scores inversés" in answer
    assert "Table 2 : 90 est un score rare" in answer
    match.refresh_from_db()
    assert match.status == "contested"


@pytest.mark.parametrize(
    ("bounds", "score", "said"),
    [
        ({"usual_low": 90}, 90, False),
        ({"usual_low": 90}, 89, True),
        ({"usual_low": None}, -200, False),
        ({"usual_high": 500}, 500, False),
        ({"usual_high": 500}, 501, True),
        ({"usual_high": None}, 2000, False),
    ],
)
def test_the_grid_calls_rare_what_the_rules_of_the_tournament_call_so(
    house, director, bounds, score, said
):
    open_ = frozen(house, 8)
    Tournament.objects.filter(pk=open_.pk).update(match_rules=bounds)
    match = publish(house, open_, 1).matches.get(table_number=1)
    typed = grid_row(match, score, 377)
    answer = words(director.post(manage(open_, "ronde/1/saisie/"), typed, follow=True))
    assert (f"{score} est un score rare" in answer) is said
    match.refresh_from_db()
    assert match.first_score == score


def test_the_settings_page_saved_as_it_is_changes_nothing(house, director):
    made = make_tournament(house, 8, fee="10 €", rated_on=date(2026, 11, 1), round_count=3)
    url = manage(made, "reglages/")
    before = Tournament.objects.values().get(pk=made.pk)
    page_ = director.get(url)
    form = page_.context["details"]
    assert 'value="2026-11-20"' in words(page_)
    typed = {name: form[name].value() for name in form.fields}
    shown = {
        name: form[name].as_widget().partition('value="')[2].partition('"')[0] for name in typed
    }
    typed |= {"details": "1", "day": shown["day"], "rated_on": shown["rated_on"]}
    typed |= {"self_entry": "on", "version": made.version}
    sent = {name: value for name, value in typed.items() if value is not None}
    assert director.post(url, sent).status_code == 302
    assert Tournament.objects.values().get(pk=made.pk) == before
    again = director.post(url, {**sent, "name": "Autre nom", "version": made.version + 1})
    assert again.status_code == 422
    assert "modifié par quelqu’un d’autre" in words(again)


def test_times_stored_before_they_were_checked_do_not_hold_back_another_field(house, director):
    made = make_tournament(house, 8, round_count=3, round_minutes=1440)
    url = manage(made, "reglages/")
    form = director.get(url).context["details"]
    typed = {name: form[name].value() for name in form.fields}
    typed |= {"details": "1", "version": made.version, "day": "2026-11-20", "place": "Salle B"}
    sent = {name: value for name, value in typed.items() if value is not None}
    assert "au plus tôt" in words(director.post(url, {**sent, "round_count": "4"}))
    assert director.post(url, sent).status_code == 302
    made.refresh_from_db()
    assert (made.place, made.round_count, made.ends_on) == ("Salle B", 3, None)


def test_several_members_are_entered_at_once_with_the_cotes_of_the_list(house, director):
    made = make_tournament(house, 0)
    desk = manage(made, "inscrits/")
    chosen = [member.pk for member in house.members[:4]]
    assert "Inscrire plusieurs membres" in words(director.get(desk))
    assert director.post(desk, {"many": "1", "members": chosen}).status_code == 302
    assert made.entries.count() == 4
    again = director.post(desk, {"many": "1", "members": chosen[:1]})
    assert again.status_code == 422
    assert made.entries.count() == 4


@pytest.mark.parametrize("system", ["round_robin", "king_of_the_hill", "knockout", "faizers"])
def test_the_pages_speak_of_every_system(house, director, system):
    rules = {"rounds": 2} if system == "king_of_the_hill" else {}
    count = 2 if system == "faizers" else None
    made = frozen(house, 7, system=system, rules=rules, round_count=count)
    drawn = rounds.draw(round=round_of(made, 1), by=house.arbiter, at=house.at)
    control = words(director.get(manage(made, "ronde/1/conduite/")))
    found = round_publishing.publish(
        round=drawn, by=house.arbiter, at=house.at, allow_unpaired=True
    )
    for board in found.draft:
        assert str(board["why"].get("reason")) not in ("", "None")
    play(house, found)
    base = page(f"/tournois/{made.slug}/")
    filled_up = {"": "un joueur fictif X complète", "inscrits/": "le joueur fictif X vient"}
    for path in ("", "inscrits/", "ronde/1/", "classement/", "grille/", "ecran/"):
        answer = director.get(base + path)
        assert answer.status_code == 200, path
        if path in filled_up:  # seven players: in a bracket or a table of Berger one sits out
            sits_out = system in ("round_robin", "knockout")
            assert (filled_up[path] in words(answer)) is not sits_out, path
        assert not re.search(r"\bNone\b", words(answer)), path  # a token may hold the letters
    assert director.get(manage(made, "reglages/")).status_code == 200
    match = found.matches.filter(second__isnull=False).first()
    for path in ("", "pourquoi/", "corriger/"):
        assert director.get(page(f"/matchs/{match.pk}/{path}")).status_code == 200, path
    assert "Publier la ronde" in control


def test_the_address_of_a_refused_form_opened_again_leads_back(director, open_):
    for path in ("ronde/1/acte/echanger/", "acte/rouvrir/"):
        assert director.get(manage(open_, path)).status_code == 302


def test_a_player_page_names_the_tournament_of_a_match_and_the_place_won(house, as_user, open_):
    for number in range(1, 6):
        play_round(house, open_, number)
    closed = tournament_closing.close(tournament=open_, by=house.committee, at=house.at)
    last = Member.objects.get(pk=closed.lines[-1]["member"])
    told = words(as_user().get(page(f"/joueurs/{last.address}/")))
    assert "Open de novembre, ronde 5" in told
    assert "9<sup>e</sup> sur 9" in told
    own = words(as_user(last.user).get(page(f"/tournois/{open_.slug}/")))
    assert "Votre tournoi" in own and "Vous jouez ce tournoi" not in own


def test_players_read_their_own_score_first_in_their_own_rounds(house, director, open_, as_user):
    published = publish(house, open_, 1)
    one, other = published.matches.filter(second__isnull=False).order_by("table_number")[:2]
    typed = {**grid_row(one, 433, 356), **grid_row(other, "", "", absent="b")}
    assert director.post(manage(open_, "ronde/1/saisie/"), typed).status_code == 302
    for member, row in (
        (one.first, f"{one.second} 433 – 356"),
        (one.second, f"{one.first} 356 – 433"),
        (other.first, f"{other.second}, forfait de l’adversaire forfait"),
        (other.second, f"{other.first} forfait"),
    ):
        shown = words(as_user(member.user).get(page(f"/tournois/{open_.slug}/")))
        own = shown.split("Vous jouez ce tournoi")[1].split("</section>")[0]
        assert row in " ".join(re.sub("<[^>]*>", " ", own).split())


def test_a_player_without_a_rating_is_said_to_have_none(house, director, as_user, open_):
    """It is stored as 0."""
    player = house.members[0]
    open_.entries.filter(member=player).update(cote=0)
    own = words(as_user(player.user).get(page(f"/tournois/{open_.slug}/")))
    assert "au classement initial, sans cote." in own
    rated = words(as_user(house.members[1].user).get(page(f"/tournois/{open_.slug}/")))
    assert re.search(r"au classement initial, cote \d{3,}\.", rated)
    for address in (page(f"/tournois/{open_.slug}/inscrits/"), manage(open_, "inscrits/")):
        shown = words(director.get(address))
        assert re.findall(r'<td class="num"> ?(0|–) ?</td>', shown) == ["–"], address
