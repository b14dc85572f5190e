"""What migrations make of rows that were there before them, and the way back.

Taking the whole site back and forward again costs ten seconds of processor: all cases go together.
Each makes its own club on the newest site, is given the models of before, and reads what the newest
site makes of their rows.
"""

from __future__ import annotations

from collections.abc import Generator
from datetime import date, timedelta
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.migrations.executor import MigrationExecutor

from clubs.journal import chain as journal
from clubs.members.merging import confirm_guest
from clubs.members.models import PUBLIC_ID_LENGTH, Member
from clubs.organisations.models import Organisation
from clubs.sanctions import actions as sanctions
from clubs.sanctions.models import Sanction
from clubs.setup import club_settings
from pairings.evenings import actions as evenings
from pairings.evenings.models import Evening
from pairings.matches.messages import calls
from pairings.matches.models import Match
from ratings.competitions.models import CompetitionDraft
from ratings.handovers.models import HandOver
from ratings.ledger import settlement
from ratings.ledger.models import Period, RatedGame
from ratings.ledger.origins import Origin, OriginKind
from tests.clubhouse import make_club
from tests.migrated import to_the_newest
from tests.tournament_day import frozen, publish

DAY = date(2026, 11, 20)
BEFORE = [("clubs", "0009_suspensions_by_evenings"), ("ratings", "0009_drop_period_numbers")]


def cases_of_a_merged_guest() -> Generator[Any]:
    """A decided case of a merged guest is the member's, and the way back keeps it."""
    club = make_club("cas", size=4)
    first, second, kept, other = club.members
    how = {"by": club.committee, "at": club.at}

    def dismissed(member, key):
        case = sanctions.propose(member=member, trigger_key=key, grounds={}, **how)
        return sanctions.dismiss(sanction=case, reason="vu", **how)

    decided = [dismissed(first, "absence:1"), dismissed(second, "absence:2")]
    twice = dismissed(first, "absence:3")
    again = sanctions.propose(member=kept, trigger_key="absence:3", grounds={}, **how)
    apart = dismissed(other, "absence:1")
    Member.objects.filter(pk=first.pk).update(merged_into=second)
    Member.objects.filter(pk=second.pk).update(merged_into=kept)
    whose = Sanction.objects.order_by("pk").values_list("pk", "member")
    was = list(whose)
    yield "before"
    assert list(whose.all()) == was
    yield "newest"
    moved = {case.pk: kept.pk for case in (*decided, again)}
    assert dict(whose.all()) == {**moved, twice.pk: first.pk, apart.pk: other.pk}
    assert not list(journal.verify(club.organisation))


def added_games() -> Generator[Any]:
    """The keys of games fill the column that says who added them, and the rows stay protected."""
    club = make_club("parties", size=2)
    held = settlement.list_of(club.organisation, "fisf")
    period = settlement.open_period(rating_list=held, key="open", label="Open", held_on=DAY)
    first, second = club.members[:2]
    columns = {"first_id": first.pk, "second_id": second.pk, "first_halves": 2}
    columns |= {"period_id": period.pk, "posted_at": club.at}
    older = yield "before"
    for source in ("match:1", "tournament:5:added:0"):
        older.get_model("ratings", "RatedGame").objects.create(source=source, **columns)
    assert not edited_by_hand()
    yield "newest"
    added = dict(RatedGame.objects.values_list("source", "added"))
    assert added == {"match:1": False, "tournament:5:added:0": True}
    assert not edited_by_hand()


def edited_by_hand() -> bool:
    """Whether the database lets anybody change a stored game."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("UPDATE ratings_ratedgame SET first_halves = 0")
    except DatabaseError:
        return False
    return True


def facts_of_the_journal() -> Generator[Any]:
    """What pages ask for is a column beside its journal entry; the journal filled the columns."""
    club = make_club("faits")
    by, at, later = club.committee, club.at, club.at + timedelta(minutes=2)
    guest = club.join("Solène", "B", is_guest=True)
    confirm_guest(member=guest, by=by, at=later)
    for when in (at, later):
        club_settings.hang_posters(organisation=club.organisation, by=by, at=when)
    planned = evenings.announce_evening(
        organisation=club.organisation, starts_at=at + timedelta(days=7), by=by, at=at
    )
    evenings.cancel_evening(evening=planned, reason=" Salle fermée ", by=by, at=at)
    match, _players = club.match()
    for when in (at, later):
        calls.call_players(match=match, by=club.arbiter, at=when)
    wanted = {
        "confirmed": {(guest.pk, later)},
        "posters": {(club.organisation.pk, at)},
        "cancelled": {(planned.pk, "Salle fermée")},
        "called": {(match.pk, later)},
    }
    assert facts() == wanted
    yield "before"
    yield "newest"
    assert facts() == wanted


def facts() -> dict[str, set[object]]:
    """Each column's values that say something."""
    said = {
        "confirmed": Member.objects.exclude(confirmed_at=None).values_list("pk", "confirmed_at"),
        "posters": Organisation.objects.exclude(posters_hung_at=None).values_list(
            "pk", "posters_hung_at"
        ),
        "cancelled": Evening.objects.exclude(cancel_reason="").values_list("pk", "cancel_reason"),
        "called": Match.objects.exclude(called_again_at=None).values_list("pk", "called_again_at"),
    }
    return {name: set(rows) for name, rows in said.items()}


def merged_rows() -> Generator[Any]:
    """Rows that were merged show what the member chose, and the way back keeps it."""
    first, second, kept, other = make_club("lignes", size=4).members
    Member.objects.filter(pk=first.pk).update(merged_into=second)
    Member.objects.filter(pk=second.pk).update(merged_into=kept)
    Member.objects.filter(pk=kept.pk).update(visibility=Member.INITIALS, is_minor=True)
    shown = Member.objects.order_by("pk").values_list("visibility", "is_minor")
    yield "before"
    assert shown.get(pk=first.pk) == (Member.EVERYBODY, False)
    yield "newest"
    three = shown.filter(pk__in=(first.pk, second.pk, kept.pk))
    assert list(three) == [(Member.INITIALS, True)] * 3
    assert shown.get(pk=other.pk) == (Member.EVERYBODY, False)


def evening_numbers() -> Generator[Any]:
    """The labels of evenings fill the column of their number, and the way back keeps them."""
    held = settlement.list_of(make_club("soirees", size=2).organisation, "faizers")
    wanted = {
        ("evening", "2026-11-20"): 1,
        ("evening", "2026-11-20/2"): 2,
        ("evening", "2026-11-13"): None,  # moved to another day
        ("evening", "Soirée de gala"): None,  # renamed
        ("file", "2026-11-20"): None,  # a competition that an officer named so
    }
    older = yield "before"
    for number, (origin, label) in enumerate(wanted, 1):
        older.get_model("ratings", "Period").objects.create(
            rating_list_id=held.pk, key=f"{origin}:{number}", label=label, held_on=DAY
        )
    yield "newest"
    rows = held.periods.values_list("origin", "label", "evening_number")
    assert {(origin, label): number for origin, label, number in rows} == wanted


def origins_of_periods() -> Generator[Any]:
    """The keys of periods fill the columns of their origin, and the way back keeps them."""
    organisation = make_club("origines", size=2).organisation
    there, held = (settlement.list_of(organisation, system) for system in ("fesa", "fisf"))
    wanted = {
        "evening:12": ("evening", 12, 1),
        "from-evening:12": ("from-evening", 12, 1),
        "tournament:7": ("tournament", 7, 1),
        "tournament:7:2": ("tournament", 7, 2),
        "file:3": ("file", 3, 1),
        "sanction:12": ("sanction", 12, 1),
        "start": ("named", None, 1),
        "evening:": ("named", None, 1),
        "old evening:12": ("named", None, 1),
    }
    for key, (origin, origin_id, part) in wanted.items():
        of = {"origin": origin, "origin_id": origin_id, "origin_part": part}
        Period.objects.create(rating_list=there, key=key, label=key, held_on=DAY, **of)
    older = (yield "before").get_model("ratings", "Period")
    assert "origin" not in {field.name for field in older._meta.get_fields()}
    kept = older.objects.filter(rating_list_id=there.pk).values_list("key", flat=True)
    assert set(kept) == set(wanted)
    for key in wanted:
        older.objects.create(rating_list_id=held.pk, key=key, label=key, held_on=DAY)
    yield "newest"
    for rating_list in (there, held):
        rows = rating_list.periods.values_list("key", "origin", "origin_id", "origin_part")
        assert {key: tuple(row) for key, *row in rows} == wanted
    named = Period.objects.exclude(origin_id=None)
    assert all(Origin(OriginKind(p.origin), p.origin_id, p.origin_part).key == p.key for p in named)


def public_ids() -> Generator[Any]:
    """Everybody there before gets an id of their own, and the way back keeps the rows."""
    of_the_club = {"organisation_id": make_club("avant", size=3).organisation.pk}
    people = Member.objects.filter(**of_the_club)
    names = dict(people.values_list("pk", "slug"))
    older = (yield "before").get_model("clubs", "Member")
    assert "public_id" not in {field.name for field in older._meta.get_fields()}
    assert dict(older.objects.filter(**of_the_club).values_list("pk", "slug")) == names
    yield "newest"
    ids = dict(people.values_list("pk", "public_id"))
    assert ids.keys() == names.keys()
    assert len(set(ids.values())) == len(names)
    assert {len(one) for one in ids.values()} == {PUBLIC_ID_LENGTH}


def reasons_of_files() -> Generator[Any]:
    """What is behind the first semicolon of the reason of a tournament's board named people."""
    club = make_club("motifs", size=8)
    drawn = publish(club, frozen(club, 8), 1)
    boards = list(drawn.matches.order_by("table_number"))
    of_a_file = {"reason": "déjà rencontré ; pas Ada Braun (à la ronde 1)", "repeat": True}
    by_hand = {"reason": "swap", "words": "elle arrive plus tard ; il est prévenu"}
    for match, why in zip(boards, (of_a_file, by_hand), strict=False):
        Match.objects.filter(pk=match.pk).update(pairing_reason=why)
    untouched = boards[2].pairing_reason
    yield "before"
    yield "newest"
    reasons = [Match.objects.get(pk=match.pk).pairing_reason for match in boards[:3]]
    assert reasons == [{"reason": "déjà rencontré", "repeat": True}, by_hand, untouched]


def languages_of_members() -> Generator[Any]:
    """Who never had an account to choose a language in has their club's; an account keeps its own."""
    club = make_club("limba", size=1)
    Organisation.objects.filter(pk=club.organisation.pk).update(language="ro")
    alone, english, chosen = club.join("Ana"), club.join("Bob", language="en"), club.members[0]
    rows = (alone, english, chosen)
    older = yield "before"
    of_club = older.get_model("clubs", "Member").objects.filter(organisation=club.organisation.pk)
    of_club.exclude(language="en").update(language="fr")
    yield "newest"
    for row in rows:
        row.refresh_from_db()
    assert [row.language for row in rows] == ["ro", "en", "fr"]


CASES = [
    languages_of_members,
    cases_of_a_merged_guest,
    added_games,
    facts_of_the_journal,
    merged_rows,
    evening_numbers,
    origins_of_periods,
    public_ids,
    reasons_of_files,
]


@pytest.mark.django_db(transaction=True)
def test_rows_of_before_are_what_the_newest_site_makes_of_them():
    cases = [begin() for begin in CASES]
    assert {next(case) for case in cases} == {"before"}
    try:
        executor = MigrationExecutor(connection)
        executor.migrate(BEFORE)
        older = executor.loader.project_state(BEFORE).apps
        assert {case.send(older) for case in cases} == {"newest"}
    finally:
        to_the_newest()
    assert {next(case, "over") for case in cases} == {"over"}


@pytest.mark.django_db(transaction=True)
def test_a_hand_over_given_up_before_its_rating_is_returned_to_its_club():
    """One that still waits, was rated, or has another table in the list stays; so does the way back."""
    club = make_club("donne", size=2)
    held = settlement.list_of(make_club("recoit", size=2).organisation, "fisf")
    of = {"rating_list": held, "club": club.organisation, "held_on": DAY, "delivered": 2}
    taken = {"state": HandOver.State.ACCEPTED.value, "accepted": 1, "answered": 1, "version": 4}
    gone, rated = {"removed_at": club.at}, {"settled_at": club.at}
    tables = {
        "given up": [gone],
        "given up in two tables": [gone, gone],
        "waits": [{}],
        "taken out": [gone | rated],
        "one table waits": [gone, {}],
        "one table was rated": [gone, gone | rated],
        "nothing made yet": [],
    }
    for number, (label, parts) in enumerate(tables.items(), start=1):
        draft = CompetitionDraft.objects.create(
            rating_list=held,
            held_on=DAY,
            rows={},
            created_at=club.at,
            created_by=club.committee.user,
        )
        one = HandOver.objects.create(
            origin="tournament",
            origin_id=number,
            label=label,
            reason="cadence",
            draft=draft,
            **of,
            **taken,
        )
        for part, columns in enumerate(parts, start=1):
            origin = Origin(OriginKind.HANDED_OVER, one.pk, part)
            Period.objects.create(
                rating_list=held,
                key=origin.key,
                label=label,
                held_on=DAY,
                **origin.columns(),
                **columns,
            )
    told = HandOver.objects.values_list("label", "state", "answered", "version", "reason")
    was = dict.fromkeys(tables, ("accepted", 1, 4, "cadence"))
    executor = MigrationExecutor(connection)
    try:
        executor.migrate([("ratings", "0017_added_games")])
        assert {label: tuple(row) for label, *row in told.all()} == was
    finally:
        to_the_newest()
    returned = dict.fromkeys(list(tables)[:2], ("returned", 2, 5, "cadence"))
    assert {label: tuple(row) for label, *row in told.all()} == was | returned
    without_a_draft = HandOver.objects.filter(draft=None).values_list("label", flat=True)
    assert set(without_a_draft) == set(returned)
