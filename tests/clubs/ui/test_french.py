"""Days as French writes them, hours that are known, lines in the order of their categories."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from django.template import Context, Template
from django.urls import reverse
from django.utils import timezone, translation

from clubs.templatetags.ui import day, moment
from clubs.ui.french import written
from ratings.systems.fisf.wording import coming_serie_line
from ratings.trials import views as trials

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("language", "layout", "value", "text"),
    [
        ("fr", "j F Y", date(2026, 9, 1), "1er septembre 2026"),
        ("fr", "l j F", date(2026, 9, 1), "mardi 1er septembre"),
        ("fr", "j N Y", date(2026, 9, 2), "2 sept. 2026"),
        ("ro", "j N Y", date(2026, 3, 13), "13 martie 2026"),
        ("ro", "l j F", date(2026, 3, 13), "vineri, 13 martie"),
        ("ro", "l j F Y", date(2026, 3, 13), "vineri, 13 martie 2026"),
        ("en", "l j F", date(2026, 3, 13), "Friday 13 March"),
        ("en", "j N Y", date(2026, 3, 13), "13 Mar 2026"),
        ("en", "j N Y", date(2026, 9, 1), "1 Sep 2026"),
        ("fr", "j F", date(2026, 9, 2), "2 septembre"),
        ("fr", "j F", date(2026, 9, 11), "11 septembre"),
        ("fr", "j F Y, H:i", datetime(2026, 9, 1, 1, 11, tzinfo=UTC), "1er septembre 2026, 03:11"),
        ("fr", "d/m/Y", date(2026, 9, 1), "01/09/2026"),
        ("fr", "Y", date(2026, 9, 1), "2026"),
        ("en", "j F Y", date(2026, 9, 1), "1 September 2026"),
    ],
)
def test_a_day_is_written_as_its_language_writes_it(language, layout, value, text):
    with translation.override(language), timezone.override("Europe/Paris"):
        filled = Template(f'{{{{ value|date:"{layout}" }}}}').render(Context({"value": value}))
        assert filled.replace("\u00a0", " ") == text
        if not isinstance(value, datetime):
            assert written(value, layout) == text


@pytest.mark.parametrize(
    ("language", "layout", "text"),
    [
        ("fr", "l j F Y, H:i", "mardi 1er\u00a0septembre 2026, 08:00"),
        ("en", "j N Y", "1\u00a0Sep 2026"),
        ("ro", "l j F", "marți, 1\u00a0septembrie"),
        ("fr", "d/m/Y", "01/09/2026"),
    ],
)
def test_no_line_of_a_narrow_page_ends_between_the_day_and_its_month(language, layout, text):
    value = datetime(2026, 9, 1, 8, 0, tzinfo=UTC)
    with translation.override(language), timezone.override("UTC"):
        template = Template(f'{{{{ value|date:"{layout}" }}}}')
        assert template.render(Context({"value": value})) == text


def test_no_module_formats_a_month_without_its_first():
    """`date_format` alone writes "1 septembre"; `written` knows the first of a month."""
    layout = re.compile(r"date_format\([^\n]*\"[^\"\n]*j [FNMb]")
    modules = [
        path
        for app in ("api", "clubs", "pairings", "ratings")
        for path in (ROOT / app).rglob("*.py")
    ]
    assert [str(path) for path in modules if layout.search(path.read_text())] == []


def test_a_series_that_comes_on_the_first_of_september_is_told_so():
    values = {"coming": "A", "held": "A", "from": "2027-09-01"}
    assert "à partir du 1er septembre 2027" in coming_serie_line(values, "")[0]


def test_a_day_alone_stands_where_the_hour_is_not_known():
    with timezone.override("Europe/Paris"), translation.override("fr"):
        known, unknown = (datetime(2026, 9, 1, hour, 0, tzinfo=UTC) for hour in (12, 22))
        assert moment(known) == "mardi 1er\u00a0septembre, 14:00"
        assert moment(unknown) == "mercredi 2\u00a0septembre"
        assert day(date(2026, 9, 1)) == "mardi 1er\u00a0septembre"


def test_categories_stand_from_the_highest_to_the_lowest():
    told = [["topaze", 1, 1], ["diamant", 0, 1], ["5A", 1, 1], ["onyx", 2, 2], ["amethyste", 3, 1]]
    labels = [label for label, *_counts in sorted(told, key=trials.category_order)]
    assert labels == ["diamant", "topaze", "amethyste", "onyx", "5A"]


@pytest.mark.django_db
def test_the_sentence_of_the_formule_classique_stands_in_its_own_tournaments_only(club, as_user):
    from tests.tournament_day import make_tournament

    for system, stands in (("formule_classique", True), ("round_robin", False)):
        made = make_tournament(club, name=f"Essai {system}", system=system)
        page = as_user(club.arbiter.user).get(
            reverse("pairings:tournament_manage", kwargs={"slug": made.slug})
        )
        assert page.status_code == 200
        assert ("5 matchs de 8 à 32" in page.content.decode()) is stands
