"""Names of an imported file, one by one: licence, alias, exact, the nearest three, or new."""

from __future__ import annotations

import pytest

from clubs.accounts.actor import Refused
from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members.actions import Newcomer
from clubs.members.models import Member
from clubs.persons import actions as persons
from clubs.persons.matching import NEW, NameKey, People, name_key
from clubs.persons.models import Alias, Person
from ratings.competitions import actions as competitions
from ratings.competitions.files.headings import GAMES
from ratings.competitions.files.import_files import File
from ratings.ledger.models import RatedGame
from ratings.names import actions as names
from ratings.names import queries
from ratings.names.forms import posted_forms, shown_forms
from ratings.names.views import undecided
from tests.clubhouse import make_club
from tests.printed_fields import Printed
from tests.refusals import refused

pytestmark = pytest.mark.django_db
HEAD = ["joueur 1", "licence 1", "joueur 2", "licence 2", "résultat"]
PAGE = "/c/federation/gestion/cotes/absp/apporter/{}/noms/"


@pytest.fixture
def federation():
    return make_club("federation", size=2)


@pytest.fixture
def held_list(federation):
    return federation.rating_list("absp", name="ABSP")


def people(federation, *written):
    rows = [Newcomer(*name.split(" ", 1)) for name in written]
    return members.create_outsiders(
        organisation=federation.organisation, people=rows, at=federation.at
    )


def licensed(federation, member, licence):
    persons.edit_person(
        member=member,
        seen=0,
        changes={"licence": licence},
        by=federation.committee,
        at=federation.at,
    )


def draft(federation, held_list, *games):
    return competitions.draft(
        rating_list=held_list,
        file=File([HEAD, *[list(game) for game in games]], "UTF-8"),
        file_name="t.csv",
        kind=GAMES,
        label="Tournoi",
        held_on=federation.at.date(),
        facts={},
        by=federation.committee,
        at=federation.at,
    )


def choose(federation, held, seen=None, **choices):
    names.choose_names(
        draft=held,
        seen=held.version if seen is None else seen,
        choices={key.replace("_", " "): pk for key, pk in choices.items()},
        by=federation.committee,
        at=federation.at,
    )


def bring(federation, held, newcomers=False):
    return competitions.bring(
        draft=held, with_newcomers=newcomers, by=federation.committee, at=federation.at
    )


INDEX = People.of(
    [
        (1, 101, "Ana", "Pop"),
        (2, 102, "Dan", "Ene"),
        (3, 103, "Mia", "Rus"),
        (4, 104, "Mia", "Rus"),
    ],
    aliases={"d. ene": 2},
    licences={"A7": 1, "B8": 3},
)


@pytest.mark.parametrize(
    ("name", "licence", "member"),
    [
        ("POP Ana", "", 1),
        ("101", "", 1),
        ("A. Pop", "", None),
        ("Anna Pop", "A7", 1),
        ("D. Ene", "", 2),
        ("Mia Rus", "", None),
        ("Mia Rus", "B8", 3),
        ("Dan Ene", "A7", None),
        ("Ana Pop", "C9", None),
        ("Dan Ene", "C9", 2),
    ],
)
def test_a_name_is_told_by_licence_alias_or_as_it_is_written(name, licence, member):
    assert INDEX.match(name, licence).member == member


def test_a_name_in_doubt_says_whom_it_may_be():
    assert INDEX.match("Mia Rus").among == (3, 4)
    assert INDEX.match("Dan Ene", "A7").among == (1, 2)  # the licence's holder, then the name's
    assert INDEX.match("Ana Pop", "C9").among == (1,)


def test_the_nearest_are_three_at_most_and_near():
    near = INDEX.nearest(["Anna Popp", "Xavier Quill", "Mia Russ"])
    assert near["Anna Popp"] == [1] and near["Xavier Quill"] == []
    assert set(near["Mia Russ"]) == {3, 4}


@pytest.mark.parametrize(
    ("key", "text"), [(NameKey("ana pop"), "ana pop"), (NameKey("ana pop", "77"), "ana pop|77")]
)
def test_a_key_is_read_as_it_was_written(key, text):
    assert str(key) == text and NameKey.parse(text) == key


def test_an_officers_choice_counts_and_is_remembered(federation, held_list, as_user):
    ana, dan = people(federation, "Ana Pop", "Dan Ene")
    held = draft(federation, held_list, ["Anna Popp", "", "Dan Ene", "", "1"])
    beside = draft(federation, held_list, ["Anna Popp", "", "Dan Ene", "", "1"])
    desk = as_user(federation.committee.user)
    page = PAGE.format(held.pk)
    assert "Ana Pop" in desk.get(page).content.decode()
    sent = {"seen": "0", "key0": "anna popp", "who0": str(ana.pk)}
    answer = desk.post(page, sent)
    assert answer.status_code == 302
    held.refresh_from_db()
    beside.refresh_from_db()
    assert beside.choices == {}
    bring(federation, held)
    with refused("stale"):  # it is in the list
        choose(federation, held, anna_popp=dan.pk)
    game = RatedGame.objects.get()
    assert (game.first_id, game.second_id) == (ana.pk, dan.pk)
    assert Alias.objects.get().name == "anna popp"
    later = draft(federation, held_list, ["Anna POPP", "", "Dan Ene", "", "0"])
    assert not undecided(competitions.preview(later), later)
    entry = JournalEntry.objects.get(verb="names_chosen")
    assert entry.after == {"draft": held.pk, "names": 1}


def test_a_person_who_was_chosen_and_is_gone_is_asked_again(federation, held_list, as_user):
    """The import of members that brought them was undone, before the competition was brought in."""
    ana, _dan, other = people(federation, "Ana Pop", "Dan Ene", "Eva Rus")
    held = draft(federation, held_list, ("Anna Popp", "", "Dan Ene", "", "1"))
    choose(federation, held, anna_popp=ana.pk)
    Member.objects.filter(pk=ana.pk).delete()
    with pytest.raises(Refused):
        bring(federation, held)
    client, page = as_user(federation.committee.user), PAGE.format(held.pk)
    shown = client.get(page)
    assert "n’existe plus" in shown.content.decode() and len(shown.context["forms"]) == 1
    assert "nouveau" not in [who for *_key, who in shown.context["chosen"]]
    choose(federation, held, anna_popp=other.pk)
    period = bring(federation, held)
    assert RatedGame.objects.get(period=period).first == other


def test_a_new_player_is_an_outsider_with_their_licence(federation, held_list):
    people(federation, "Dan Ene")
    held = draft(federation, held_list, ["Ana Pop", "77", "Dan Ene", "", "1"])
    with refused("unknown_player"):
        bring(federation, held)
    choose(federation, held, **{"ana_pop|77": NEW})
    bring(federation, held)
    ana = Member.objects.get(search_name="ana pop")
    assert ana.is_outsider and Person.objects.get(member=ana).licence == "77"
    assert not Alias.objects.exists()


def test_the_name_of_somebody_else_is_never_an_alias(federation, held_list):
    one, other, dan = people(federation, "Ana Pop", "Ana Pop", "Dan Ene")
    held = draft(federation, held_list, ["Ana Pop", "", "Dan Ene", "", "1"])
    assert "ana pop" in undecided(competitions.preview(held), held)
    choose(federation, held, ana_pop=other.pk)
    bring(federation, held)
    assert RatedGame.objects.get().first_id == other.pk and not Alias.objects.exists()
    assert one.pk != other.pk and dan.pk


def test_a_licence_of_another_name_is_asked(federation, held_list):
    ana, dan = people(federation, "Ana Pop", "Dan Ene")
    licensed(federation, ana, "12")
    held = draft(federation, held_list, ["Mia Rus", "12", "Dan Ene", "", "1"])
    lines = competitions.preview(held)
    assert lines[0].problems and undecided(lines, held)
    with refused("errors"):
        bring(federation, held, newcomers=True)
    choose(federation, held, **{"mia_rus|12": ana.pk})
    assert bring(federation, held).games.get().first_id == ana.pk
    assert dan.pk


def test_one_licence_under_two_names_in_a_file_is_an_error(federation, held_list):
    people(federation, "Ana Pop", "Dan Ene", "Mia Rus")
    held = draft(
        federation,
        held_list,
        ["Ana Pop", "12", "Dan Ene", "", "1"],
        ["Mia Rus", "12", "Dan Ene", "", "1"],
    )
    wrong = [line.problems for line in competitions.preview(held)]
    assert wrong[0] == [] and "ligne 2" in wrong[1][0]


def test_two_officers_at_one_file_do_not_overwrite_each_other(federation, held_list, as_user):
    ana, dan = people(federation, "Ana Pop", "Dan Ene")
    held = draft(federation, held_list, ["Anna Popp", "", "Dan Ene", "", "1"])
    choose(federation, held, anna_popp=ana.pk)
    desk = as_user(federation.committee.user)
    late = desk.post(PAGE.format(held.pk), {"seen": "0", "key0": "anna popp", "who0": str(dan.pk)})
    assert late.status_code == 422 and "Quelqu’un d’autre" in late.content.decode()
    held.refresh_from_db()
    assert held.choices == {"anna popp": ana.pk}
    desk.post(PAGE.format(held.pk), {"seen": "1", "again": "anna popp"})
    held.refresh_from_db()
    assert held.choices == {}


def test_nothing_is_said_to_be_kept_where_nobody_was_chosen(federation, held_list, as_user):
    people(federation, "Ana Pop", "Dan Ene")
    held = draft(federation, held_list, ["Anna Popp", "", "Dan Ene", "", "1"])
    page = as_user(federation.committee.user).post(
        PAGE.format(held.pk), {"seen": "0", "key0": "anna popp"}
    )
    assert page.status_code == 422 and "Choisissez d’abord" in page.content.decode()
    assert "Vos choix sont enregistrés" not in page.content.decode()


def test_a_name_told_to_be_a_new_player_is_not_asked_again(federation, held_list, as_user):
    people(federation, "Dan Ene")
    held = draft(federation, held_list, ["Petit Tigre", "", "Dan Ene", "", "1"])
    desk, preview = as_user(federation.committee.user), PAGE.format(held.pk).removesuffix("noms/")
    asked = "Ce sont de nouveaux joueurs"
    assert asked in desk.get(preview).content.decode()
    desk.post(PAGE.format(held.pk), {"seen": "0", "key0": "petit tigre", "who0": str(NEW)})
    page = desk.get(preview)
    assert asked not in page.content.decode() and page.context["newcomers"] == 1
    assert desk.post(preview).status_code == 302
    assert RatedGame.objects.count() == 1


def test_a_number_is_typed_for_somebody_who_is_not_near(federation, held_list, as_user):
    ana, _dan = people(federation, "Ana Pop", "Dan Ene")
    held = draft(federation, held_list, ["Petit Tigre", "", "Dan Ene", "", "1"])
    desk = as_user(federation.committee.user)
    told = {"seen": "0", "key0": name_key("Petit Tigre"), "who0": "number"}
    empty = desk.post(PAGE.format(held.pk), told)
    assert empty.status_code == 422 and "Donnez son numéro" in empty.content.decode()
    wrong = desk.post(PAGE.format(held.pk), {**told, "number0": "99999"})
    assert wrong.status_code == 422 and "99999" in wrong.content.decode()
    desk.post(PAGE.format(held.pk), {**told, "number0": str(ana.number)})
    held.refresh_from_db()
    assert held.choices == {"petit tigre": ana.pk}


def test_a_wrong_number_is_said_beside_it_and_no_answer_is_lost(federation, held_list, as_user):
    ana, _dan = people(federation, "Ana Pop", "Dan Ene")
    held = draft(federation, held_list, ["Anna Popp", "", "Petit Tigre", "", "1"])
    sent = {"seen": "0", "key0": "anna popp", "who0": str(ana.pk), "key1": "petit tigre"}
    wrong = as_user(federation.committee.user).post(
        PAGE.format(held.pk), sent | {"who1": "number", "number1": "99999"}
    )
    assert wrong.status_code == 422
    assert Printed(wrong, "id_who0_0").attributes["checked"] == ""
    number = Printed(wrong, "id_number1")
    assert number.attributes["value"] == "99999" and number.is_refused
    assert "Petit Tigre\N{NO-BREAK SPACE}: " + number.error in wrong.content.decode()
    held.refresh_from_db()
    assert held.choices == {} and held.version == 0


def test_a_number_without_its_button_counts(federation, held_list, as_user):
    ana, _dan = people(federation, "Ana Pop", "Dan Ene")
    held = draft(federation, held_list, ["Petit Tigre", "", "Dan Ene", "", "1"])
    sent = {"seen": "0", "key0": "petit tigre", "number0": str(ana.number)}
    as_user(federation.committee.user).post(PAGE.format(held.pk), sent)
    held.refresh_from_db()
    assert held.choices == {"petit tigre": ana.pk}


def test_an_answer_stays_with_its_name_when_the_page_moved(federation, held_list):
    ana, _dan = people(federation, "Ana Pop", "Dan Ene")
    index = persons.people_of(federation.organisation)
    open_ones = {"anna popp": ("Anna Popp", "", 2), "petit tigre": ("Petit Tigre", "", 2)}
    rows = queries.open_names(federation.organisation, index, open_ones)
    data = {"key0": "petit tigre", "who0": "0", "key2": "anna popp", "who2": str(ana.pk)}
    forms = shown_forms(rows, posted_forms(data, most=3, people=index), people=index)
    assert [form["who"].value() for form in forms] == [str(ana.pk), "0"]
    forms = shown_forms(
        rows, posted_forms({"key1": "anna popp"}, most=2, people=index), people=index
    )
    assert [form.place for form in forms] == [1, 0]


def test_a_person_of_another_federation_cannot_be_chosen(federation, held_list):
    people(federation, "Dan Ene")
    stranger = make_club("ailleurs", size=2).members[0]
    held = draft(federation, held_list, ["Anna Popp", "", "Dan Ene", "", "1"])
    with refused("unknown_player"):
        choose(federation, held, anna_popp=stranger.pk)


def test_three_hundred_unknown_names_of_five_thousand_lines_ask_few_queries(
    federation, held_list, django_assert_max_num_queries
):
    known = people(federation, *[f"Prenom{n} Famille{n}" for n in range(400)])
    unknown = [f"Prenon{n} Famile{n}" for n in range(300)]
    games = [
        [unknown[n % 300], "", f"Prenom{n % 400} Famille{n % 400}", "", "1"] for n in range(5000)
    ]
    held = draft(federation, held_list, *games)
    with django_assert_max_num_queries(6):
        lines = competitions.preview(held)
        open_ones = undecided(lines, held)
        index = persons.people_of(federation.organisation)
    assert len(open_ones) == 300
    with django_assert_max_num_queries(2):
        rows = queries.open_names(federation.organisation, index, open_ones)
    assert all(1 <= len(row.candidates) <= 3 for row in rows)
    assert rows[7].candidates[0].member.pk == known[7].pk
    with django_assert_max_num_queries(20):
        made = names.create_newcomers(held, competitions.unknown_names(lines), True, federation.at)
        names.remember(held, list(made), federation.committee, federation.at)
    assert len(made) == 300
