"""A statement kept ready says and does what the ordinary manager's does, for every one we keep."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from clubs import journal, middleware, permissions, prepared, rulebook
from clubs.models import Organisation
from config import accounts, sessions
from pairings import posting, results
from pairings.models import CheckIn, LiveEvent, Match, MatchLine, Seat

pytestmark = pytest.mark.django_db


def content(row) -> dict:
    return {name: value for name, value in vars(row).items() if name != "_state"}


@pytest.fixture
def asked(club, other_club):
    """Every question that is kept ready, with what is found and what is not."""
    match, (a, b) = club.match()
    results.submit(match=match, by=a, scores=(400, 350), at=club.at)
    results.confirm(match=match, by=b, at=club.at)
    organisation = club.organisation
    draft = rulebook.save_draft(
        organisation=organisation,
        code="faizers",
        values={"match": {"contest_window_s": 60}},
        by=club.committee,
        at=club.at,
    )
    now = timezone.now()
    session = Session(session_key="s" * 32, session_data="x", expire_date=now + timedelta(days=1))
    session.save()
    theirs = other_club.organisation.pk
    return {
        results._match: [(match.pk, organisation.pk), (match.pk, theirs), (0, organisation.pk)],
        results._rule_book: [(draft.pk,), (0,)],
        posting._known_period: [
            (organisation.pk, f"evening:{club.evening.pk}"),
            (theirs, f"evening:{club.evening.pk}"),
            (organisation.pk, "evening:0"),
        ],
        permissions._member: [
            (organisation.pk, a.user.pk),
            (theirs, a.user.pk),
            (organisation.pk, 0),
        ],
        middleware._named: [("faizers",), ("voisins",), ("ailleurs",), ("fai'zers",)],
        middleware._first_two: [()],
        journal._head: [(organisation.pk,), (theirs,), (0,)],
        accounts._user: [(a.user.pk,), (0,)],
        sessions._session: [("s" * 32, now), ("s" * 32, now + timedelta(days=2)), ("", now)],
    }


def test_every_question_kept_ready_gives_the_rows_of_its_queryset(asked):
    found = 0
    for question, all_given in asked.items():
        for given in all_given:
            for _again in range(2):
                with transaction.atomic():
                    ready, ordinary = question(*given), list(question.build(*given))
                assert [content(row) for row in ready] == [content(row) for row in ordinary]
                assert ready == ordinary
                found += len(ready)
    assert found >= 2 * len(asked), "a question that never finds anything compares nothing"


def test_every_change_kept_ready_changes_what_its_queryset_would(club):
    match, _players = club.match()
    at = timezone.now()
    evening, pair = club.evening.pk, (match.first_id, match.second_id)
    for change, given in {
        results._free_seats: (match.pk,),
        results._wait_again: (evening, *pair, at),
        journal._move_head: (club.organisation.pk, 3, "f" * 64),
    }.items():
        rows, values = change.build(*given)
        everything = rows.model.objects.order_by("pk")
        before = [content(row) for row in everything.all()]
        with transaction.atomic():
            expected = rows.update(**values)
            after = [content(row) for row in everything.all()]
            transaction.set_rollback(True)
        assert [content(row) for row in everything.all()] == before != after
        assert change(*given) == expected >= 1
        assert [content(row) for row in everything.all()] == after
    assert not Seat.objects.filter(match=match, live=True).exists()
    assert (
        CheckIn.objects.filter(member_id__in=pair, state="waiting", waiting_since=at).count() == 2
    )


def test_a_row_inserted_is_the_row_that_was_saved(club):
    at = timezone.now()

    def event(payload) -> LiveEvent:
        return LiveEvent(organisation=club.organisation, kind="test", payload=payload, at=at)

    for payload in ({"a": [1, None, "é’"]}, {}, []):
        saved, inserted = event(payload), prepared.insert(event(payload))
        saved.save()
        one, other = LiveEvent.objects.get(pk=saved.pk), LiveEvent.objects.get(pk=inserted.pk)
        assert content(one) | {"id": 0} == content(other) | {"id": 0}
        assert inserted.pk != saved.pk


def test_a_row_is_inserted_once_and_what_the_database_refuses_is_refused(club):
    match, _players = club.match()
    line = {"match": match, "number": 1, "at": club.at, "event": "x", "role": "player"}
    row = prepared.insert(MatchLine(**line, from_status="a", to_status="b"))
    with pytest.raises(AssertionError, match="once"):
        prepared.insert(row)
    with pytest.raises(IntegrityError), transaction.atomic():
        prepared.insert(MatchLine(**line, from_status="a", to_status="b"))


def test_nothing_is_asked_for_null(club):
    with pytest.raises(AssertionError, match="NULL"):
        middleware._named(None)


def test_an_organisation_whose_name_looks_like_a_blank_is_asked_for_as_any_other(db):
    Organisation.objects.create(slug="blank-0", name="blank:0")
    assert [row.name for row in middleware._named("blank-0")] == ["blank:0"]
    assert middleware._named("blank:0") == []


def test_what_is_changed_together_is_what_would_be_changed_one_by_one(club):
    at = timezone.now()
    match, _players = club.match()
    twin, _others = club.match()

    def change(row) -> None:
        prepared.update_later(
            Match, {"id": row.pk, "version": 0}, {"version": 1, "ended_at": at, "rule_book_id": None},
            otherwise=LookupError(),
        )  # fmt: skip
        prepared.insert_later(
            MatchLine(match_id=row.pk, number=1, at=at, event="é’%s", role="player")
        )
        results._free_seats.later(row.pk)
        prepared.insert_later(
            LiveEvent(
                organisation_id=row.organisation_id, kind="x", payload={"a": [1, None]}, at=at
            )
        )

    def after(row) -> list[dict]:
        rows = [
            Match.objects.get(pk=row.pk),
            *MatchLine.objects.filter(match=row).order_by("pk"),
            *Seat.objects.filter(match=row).order_by("pk"),
            LiveEvent.objects.order_by("-pk").first(),
        ]
        own = {"id", "match_id", "member_id", "first_id", "second_id", "table_number"}
        return [{n: v for n, v in content(one).items() if n not in own} for one in rows]

    with transaction.atomic(), CaptureQueriesContext(connection) as asked, prepared.together():
        change(match)
    with transaction.atomic():
        change(twin)
    assert after(match) == after(twin)
    assert after(match)[0]["version"] == 1 and len(after(match)) == 5
    assert len(asked) == (1 if connection.vendor == "postgresql" else 4)


def test_what_is_asked_inside_comes_after_what_waits(club):
    match, _players = club.match()
    line = {"match_id": match.pk, "at": club.at, "role": "player"}
    with transaction.atomic(), prepared.together():
        prepared.insert_later(MatchLine(**line, number=1))
        assert MatchLine.objects.filter(match=match).count() == 1
        prepared.insert_later(MatchLine(**line, number=2))
        with prepared.together():
            prepared.insert_later(MatchLine(**line, number=3))
        with transaction.atomic():
            MatchLine.objects.create(**line, number=4)
        prepared.insert_later(MatchLine(**line, number=5))
    numbers = MatchLine.objects.filter(match=match).order_by("pk").values_list("number", flat=True)
    assert list(numbers) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("version", [0, 1])
def test_a_guard_that_does_not_hold_undoes_what_went_with_it(club, version):
    match, _players = club.match()
    try:
        with transaction.atomic(), prepared.together():
            prepared.insert_later(MatchLine(match_id=match.pk, number=1, at=club.at, role="player"))
            prepared.update_later(
                Match, {"id": match.pk, "version": version}, {"version": 9}, otherwise=LookupError()
            )
            prepared.insert_later(MatchLine(match_id=match.pk, number=2, at=club.at, role="player"))
        held = True
    except LookupError:
        held = False
    match.refresh_from_db()
    assert (held, match.version, match.lines.count()) == (
        (True, 9, 2) if version == 0 else (False, 0, 0)
    )


def test_what_the_database_refuses_of_a_part_is_refused_and_nothing_waits_on(club):
    match, _players = club.match()
    line = {"match_id": match.pk, "number": 1, "at": club.at, "role": "player"}
    for _again in range(2):
        with pytest.raises(IntegrityError), transaction.atomic(), prepared.together():
            prepared.insert_later(MatchLine(**line))
            prepared.insert_later(MatchLine(**line))
        with pytest.raises(KeyError), transaction.atomic(), prepared.together():
            prepared.insert_later(MatchLine(**line))
            raise KeyError
        assert match.lines.count() == 0
    assert "waiting" not in connection.__dict__
