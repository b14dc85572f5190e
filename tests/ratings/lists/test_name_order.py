"""Equal numbers stand in the order of the names that the reader sees: no place tells a hidden one."""

from __future__ import annotations

from datetime import date

import pytest

from clubs.members.models import Member, name_order
from clubs.organisations.models import Organisation
from clubs.search import without_accents
from ratings.competitions.files.import_files import PLACINGS, STARTS
from ratings.lists import queries
from tests.ratings.lists.test_views import held_list, rated

pytestmark = pytest.mark.django_db
PEOPLE = ["Bob Faure", "Zoe Fatou", "Yan Fagot", "Ana Fabre", "Élo Fasel"]
FOR_VISITORS, FOR_MEMBERS = "EABYZ", "AEZBY"


def choose():
    """Zoe's name is for members, Yan and Élo show initials: Élo's first letter has an accent."""
    Member.objects.filter(first_name="Zoe").update(is_minor=True)
    Member.objects.filter(first_name="Yan").update(visibility=Member.INITIALS)
    Member.objects.filter(first_name="Élo").update(visibility=Member.MEMBERS)


@pytest.fixture
def equal(club):
    """A list where five people have the same number."""
    held = held_list(club, "absp")
    rows = [[name, "150", "40"] for name in PEOPLE]
    rated(club, held, [["joueur", "cote", "parties"], *rows], STARTS, date(2026, 1, 1))
    choose()
    return held


@pytest.fixture
def reader_of(client, as_user, club):
    return lambda is_member: as_user(club.members[0].user) if is_member else client


def first_letters(names):
    """Return the first letter of each name, without its accent."""
    return "".join(without_accents(name)[0] for name in names).upper()


readers = pytest.mark.parametrize(
    ("is_member", "order"), [(False, FOR_VISITORS), (True, FOR_MEMBERS)]
)


@readers
def test_a_query_and_a_page_put_people_in_the_same_order(equal, is_member, order):
    cotes = equal.cotes.select_related("member")
    by_query = cotes.order_by(name_order(viewer_is_member=is_member, path="member__"), "pk")
    people = [cote.member for cote in by_query]
    by_key = sorted(people, key=lambda one: one.order_for(viewer_is_member=is_member))
    assert first_letters(one.first_name for one in people) == order
    assert by_key == people


@readers
def test_a_section_and_its_pages_by_grade_order_equals_by_what_is_shown(
    club, equal, is_member, order
):
    on = club.at.date()
    page = queries.page(equal, on=on, viewer_is_member=is_member)
    whole = queries.ranking_on(equal, on, viewer_is_member=is_member)
    assert first_letters(row.name for row in page.rows) == order
    assert first_letters(row.name for row in whole.rows) == order


@readers
def test_the_leaders_of_a_home_page_are_ordered_by_what_is_shown(
    club, equal, reader_of, is_member, order
):
    Organisation.objects.filter(pk=club.organisation.pk).update(kind=Organisation.FEDERATION)
    parts = reader_of(is_member).get("/c/faizers/").context["parts"]
    lists = next(part for part in parts if part["template"].endswith("_home_lists.html"))
    (row,) = lists["rows"]
    assert first_letters(name for name, _shown in row["best"]) == order[:3]


@pytest.fixture
def won(club):
    """A competition that five people won, who were all as strong as their opponents."""
    held = held_list(club, "fisf")
    losers = [str(member) for member in club.members[:5]]
    people = [[name, "1500", "40"] for name in [*PEOPLE, *losers]]
    rated(club, held, [["joueur", "cote", "parties"], *people], STARTS, date(2026, 1, 1))
    choose()
    games = [[name, other, "1"] for name, other in zip(PEOPLE, losers, strict=True)]
    period = rated(club, held, [["joueur 1", "joueur 2", "résultat"], *games])
    return f"/c/faizers/cotes/{held.slug}/competitions/{period.pk}/"


@readers
def test_a_competition_orders_equals_by_what_is_shown(won, reader_of, is_member, order):
    rows = reader_of(is_member).get(won).context["rows"]
    assert first_letters(row["name"] for row in rows[:5]) == order
    lines = reader_of(is_member).get(f"{won}?vue=grille").context["lines"]
    assert first_letters(line["name"] for line in lines[:5]) == order


@pytest.mark.parametrize(("is_member", "order"), [(False, "EABPP"), (True, "AEZBP")])
def test_those_who_moved_as_much_are_ordered_by_what_is_shown(
    club, won, reader_of, is_member, order
):
    Organisation.objects.filter(pk=club.organisation.pk).update(kind=Organisation.FEDERATION)
    parts = reader_of(is_member).get("/c/faizers/").context["parts"]
    news = next(part for part in parts if part["template"].endswith("_home_news.html"))
    assert first_letters(row["name"] for row in news["movers"]) == order


@readers
def test_the_general_rating_orders_equals_by_what_is_shown(club, reader_of, is_member, order):
    held = held_list(club, "romania", "duplicat_clasic", "seniors")
    sheet = [["place", "joueur"], *(["1", name] for name in PEOPLE)]
    for day in (1, 2, 3):
        rated(club, held, sheet, PLACINGS, date(2026, 3, day))
    choose()
    rows = reader_of(is_member).get("/c/faizers/cotes/general/").context["rows"]
    assert first_letters(row["name"] for row in rows) == order
