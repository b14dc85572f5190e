"""From every page of the desk and of one's own corner there is a way back."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.django_db


@pytest.fixture
def root(club, neighbours) -> str:
    return f"/c/{club.organisation.slug}"


@pytest.mark.parametrize(
    ("path", "back"),
    [
        ("/gestion/", []),
        ("/gestion/journal/", ["/gestion/"]),
        ("/gestion/membres/", ["/gestion/"]),
        ("/gestion/membres/nouveau/", ["/gestion/", "/gestion/membres/"]),
        ("/gestion/egalites/", ["/gestion/"]),
        ("/gestion/cotes/", ["/gestion/"]),
        ("/gestion/cotes/nouvelle/", ["/gestion/", "/gestion/cotes/"]),
        ("/moi/", []),
        ("/moi/carte/", ["/moi/"]),
        ("/moi/absences/", ["/moi/"]),
        ("/classement/", []),
    ],
)
def test_the_way_back_is_printed_above_the_title(club, root, as_user, path, back):
    page = as_user(club.committee.user).get(f"{root}{path}")
    assert [url for _label, url in page.context["breadcrumb"]] == [f"{root}{url}" for url in back]
    text = page.content.decode()
    assert ('class="breadcrumb"' in text) is bool(back)
    assert all(f'<a href="{root}{url}">' in text for url in back)


def test_nobody_is_led_where_they_may_not_go(club, root, as_user):
    page = as_user(None).get(f"{root}/gestion/journal/", follow=True)
    assert page.context["breadcrumb"] == []


def test_the_journal_reads_as_a_list_on_a_phone_and_as_a_table_on_a_desk(club, root, as_user):
    text = as_user(club.committee.user).get(f"{root}/gestion/journal/").content.decode()
    assert 'class="card list only-phone"' in text and "table-card only-wide" in text
