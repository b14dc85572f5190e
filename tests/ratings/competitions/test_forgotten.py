"""A name in a competition that nobody brought in yet is forgotten, and its games keep their player."""

from __future__ import annotations

import json
from datetime import date, timedelta

import pytest

from clubs.members import actions as members
from clubs.members.models import Member
from clubs.personal_data import forgetting
from clubs.personal_data.export import data_of
from clubs.personal_data.models import PrivacySettings
from clubs.personal_data.register import Someone
from clubs.persons.matching import NEW, name_key
from ratings.competitions import actions as competitions
from ratings.competitions.files.import_files import File
from ratings.competitions.models import CompetitionDraft
from ratings.ledger.models import RatedGame

pytestmark = pytest.mark.django_db
HEAD = ["joueur 1", "licence 1", "joueur 2", "licence 2", "résultat"]


@pytest.fixture
def draft(club):
    rating_list = club.rating_list("absp", name="ABSP")
    gone, stays = club.members[:2]
    rows = [HEAD, [gone.full_name, "F12", stays.full_name, "", "1-0"]]
    return competitions.draft(
        rating_list=rating_list,
        file=File(rows=rows, encoding="utf-8"),
        file_name="open.csv",
        kind="games",
        label="Open",
        held_on=date(2026, 11, 1),
        facts={},
        by=club.committee,
        at=club.at,
    )


def forget(club, member):
    members.leave(member=member, by=club.committee, at=club.at, forget=True)


def stored(draft) -> str:
    draft.refresh_from_db()
    return json.dumps([draft.rows, draft.choices, draft.handed], ensure_ascii=False).lower()


def test_a_waiting_competition_forgets_the_name_and_finds_the_row(club, draft):
    gone = club.members[0]
    name, before = gone.last_name.lower(), Member.objects.count()
    forget(club, gone)
    assert name not in stored(draft) and draft.version == 1
    competitions.bring(draft=draft, with_newcomers=True, by=club.committee, at=club.at)
    assert Member.objects.count() == before
    assert RatedGame.objects.get().first_id == gone.pk
    assert name not in stored(draft)


def test_a_choice_of_an_officer_stays(club, draft):
    gone, name = club.members[0], club.members[0].last_name.lower()
    draft.choices = {name_key(gone.full_name, "F12"): NEW}
    draft.save()
    forget(club, gone)
    assert name not in stored(draft)
    assert list(draft.choices.values()) == [NEW]


def test_the_lines_of_a_waiting_competition_are_in_the_export(club, draft):
    (line,) = data_of(Someone.of(club.members[1]))["ratings.CompetitionDraft"]
    assert line["file_name"] == "open.csv" and line["line"] == draft.rows[1]


@pytest.mark.parametrize(("days", "lines"), [(9, 2), (10, 2), (11, 1)])
def test_a_competition_that_nobody_brings_in_loses_its_lines(club, draft, days, lines):
    PrivacySettings.objects.update_or_create(
        organisation=club.organisation, defaults={"imports_days": 10}
    )
    forgetting.expire_all(at=club.at + timedelta(days=days))
    assert len(CompetitionDraft.objects.get().rows) == lines


def test_a_competition_that_was_brought_in_keeps_its_lines(club, draft):
    competitions.bring(draft=draft, with_newcomers=True, by=club.committee, at=club.at)
    forgetting.expire_all(at=club.at + timedelta(days=1000))
    assert len(CompetitionDraft.objects.get().rows) == 2
