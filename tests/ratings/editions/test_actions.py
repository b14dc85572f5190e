"""Publishing: the checklist, numbers, frozen rows, errata both ways, what cannot be undone."""

from __future__ import annotations

import io
import json
from datetime import date, datetime, timedelta

import pytest
from django.core.management import call_command
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.utils import translation

from clubs.journal import chain as journal
from clubs.journal import triggers
from clubs.journal.append_only import AppendOnlyError
from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members.models import Member
from pairings.absences.models import Absence
from pairings.arbitration import actions as arbitration
from pairings.evenings.models import Evening
from pairings.matches import actions as match_actions
from pairings.rules.match_state import Result
from ratings.editions import actions as editions
from ratings.editions import freezing, sources
from ratings.editions.sources import EditionRefused
from ratings.ledger import corrections, replay, settlement
from ratings.ledger.models import Edition
from ratings.lists import queries as list_queries
from ratings.systems.protocol import Game
from tests import tournament_day
from tests.clubhouse import Clubhouse, make_club
from tests.kept import once_a_worker
from tests.refusals import refused

pytestmark = pytest.mark.django_db


def play(club, *scores):
    """A match for each pair of scores, confirmed; the matches."""
    return [club.played(scores=score)[0] for score in scores]


def publish(club, **changes):
    given = {"title": "Classement", "by": club.committee, "at": club.at} | changes
    return editions.publish(organisation=club.organisation, **given)


def difference(old, new):
    return freezing.difference(freezing.table_of(old), freezing.table_of(new))


def mend(club, edition, **changes):
    given = {"title": "Classement", "note": "score faux", "by": club.committee, "at": club.at}
    return editions.publish_erratum(of=edition, **(given | changes))


@once_a_worker
def three_matches() -> tuple[Clubhouse]:
    """A club whose evening is closed."""
    club = make_club("faizers")
    club.matches = play(club, (400, 300), (350, 340), (380, 380))
    club.close()
    return (club,)


@pytest.fixture
def begun(db):
    return three_matches()


@pytest.fixture
def evening(begun):
    return begun[0]


def correct(club, match, scores):
    club.correct(match, Result("played", *scores), "feuille relue")


# Freezing


def test_an_edition_freezes_the_ladder_of_the_closed_evening(evening):
    edition = publish(evening)
    assert (edition.number, edition.covers_until) == (1, evening.evening.held_on)
    first = edition.rows[0]
    winner = evening.members[0]
    assert (first["member"], first["name"], first["rank"]) == (winner.pk, winner.full_name, 1)
    assert first["cells"] == {
        "category": "onyx",
        "cote": 1015,
        "pr": 3,
        "pdi": None,
        "ds": "33.33",
        "played": 1,
        "tie": None,
    }
    codes = [column["code"] for column in edition.columns["columns"]]
    assert codes == ["rank", "name", "category", "cote", "pr", "pdi", "ds", "played", "tie"]
    assert [row["rank"] for row in edition.rows] == [1, 2, 3, 4, 5, 6]
    parted = [row["cells"]["tie"] for row in edition.rows]
    assert parted[0] is None and parted[-1] == "par la DS"


def test_the_journal_says_what_was_published_and_the_edition_names_its_line(evening):
    edition = publish(evening)
    line = JournalEntry.objects.get(organisation=evening.organisation, seq=edition.journal_seq)
    assert (line.verb, line.hash) == ("edition_published", edition.journal_hash)
    assert line.after["sha256"] == edition.sha256 == freezing.digest(edition)
    assert list(journal.verify(evening.organisation)) == []


def test_the_digest_sees_every_digit_and_no_name(evening):
    edition = publish(evening)
    edition.rows[2]["name"] = "Autre"
    assert freezing.digest(edition) == edition.sha256
    edition.rows[2]["cells"]["ds"] = "2.95"
    assert freezing.digest(edition) != edition.sha256


def test_movements_are_counted_from_the_edition_before(evening):
    first = publish(evening)
    evening.next_evening()
    people = evening.members
    evening.played(people[5], people[4], scores=(500, 200))
    evening.close()
    second = publish(evening)
    assert second.columns["since"] == 1 == first.number
    moves = {row["member"]: row["move"] for row in second.rows}
    ranks = {edition.number: {r["member"]: r["rank"] for r in edition.rows} for edition in (first, second)}  # fmt: skip
    assert moves == {pk: ranks[1][pk] - rank for pk, rank in ranks[2].items()}
    assert moves[people[5].pk] > 0
    changed = difference(first, second)
    by_member = {line.member: line for line in changed.moved}
    assert by_member[people[5].pk].places == moves[people[5].pk]
    assert {c.code for c, _old, _new in by_member[people[5].pk].cells} >= {"cote", "pr", "played"}
    assert not changed.entered and not changed.left


def test_a_newcomer_enters_and_is_marked_as_new(evening):
    first = publish(evening)
    evening.next_evening()
    people = evening.members
    evening.played(people[6], people[7], scores=(500, 200))
    evening.close()
    second = publish(evening)
    entered = difference(first, second).entered
    assert {row.member for row in entered} == {people[6].pk, people[7].pk}
    assert {row.move for row in entered} == {None}
    assert {row.member for row in difference(second, first).left} == {people[6].pk, people[7].pk}  # fmt: skip


# The checklist


def states(club):
    found = editions.propose(club.organisation, None, today=club.at.date())
    return {check.code: check.state for check in found.checks}


def test_nothing_is_published_before_the_first_closed_evening(club):
    assert editions.propose(club.organisation, None, today=club.at.date()) is None
    with refused("empty"):
        publish(club)


def test_an_open_evening_and_a_waiting_result_block(evening):
    evening.next_evening()
    evening.entered(scores=(400, 300))
    assert states(evening)["evening_closed"] == "todo"
    assert states(evening)["results"] == "todo"
    with refused("blocked"):
        publish(evening)
    assert not Edition.objects.exists()


def test_an_open_contest_blocks(evening):
    evening.next_evening()
    evening.contested(scores=(400, 300))
    assert states(evening)["contests"] == "todo"


def test_an_unanswered_excuse_only_warns(evening):
    match = evening.matches[0]
    Absence.objects.create(
        match=match, member_id=match.first_id, noted_at=evening.at, excuse="x", excuse_at=evening.at
    )
    assert states(evening)["absences"] == "warn"
    edition = publish(evening)
    erratum = editions.propose_erratum(edition)
    assert {check.code: check.state for check in erratum.checks}["absences"] == "warn"


def test_a_request_for_a_correction_only_warns(evening):
    match = evening.matches[0]
    arbitration.ask_committee(
        match=match, by=evening.player(match.first), words="390, pas 380.", at=evening.at
    )
    assert states(evening)["requests"] == "warn"
    assert states(evening)["contests"] == "done"
    assert publish(evening).number == 1


def test_what_waits_in_another_club_or_in_a_tournament_is_in_nobodys_way(evening):
    neighbours = make_club("voisins")
    match, (player, _other) = neighbours.played(scores=(400, 300))
    arbitration.ask_committee(match=match, by=player, words="390", at=evening.at)
    noted = {"match": match, "member": match.first, "noted_at": evening.at}
    Absence.objects.create(**noted, excuse="x", excuse_at=evening.at)
    neighbours.contested(scores=(400, 300))
    neighbours.entered(scores=(400, 300))
    table = tournament_day.publish(evening, tournament_day.frozen(evening, 8), 1).matches.first()
    player = evening.player(table.first)
    match_actions.submit(match=table, by=player, scores=(400, 300), at=evening.at)
    assert set(states(evening).values()) == {"done"}
    assert publish(evening).number == 1


def test_a_day_is_published_once_and_then_mended(evening):
    publish(evening)

    def told():
        found = editions.propose(evening.organisation, None, today=evening.at.date())
        return next(check for check in found.checks if check.code == "new_day")

    assert (told().state, told().hint) == ("todo", "Rien n’a changé depuis.")
    correct(evening, evening.matches[1], (340, 350))
    assert told().state == "todo" and "rectificatif" in told().hint
    with refused("blocked"):
        publish(evening)


def test_what_was_read_is_what_is_published(evening):
    seen = editions.propose(evening.organisation, None, today=evening.at.date()).seen
    correct(evening, evening.matches[1], (340, 350))
    with refused("stale"):
        publish(evening, seen=seen)
    assert (
        publish(
            evening, seen=editions.propose(evening.organisation, None, today=evening.at.date()).seen
        ).number
        == 1
    )


@pytest.mark.parametrize(
    ("language", "title"), [("fr", "Classement après"), ("ro", "Clasament după")]
)
def test_a_title_is_proposed_in_the_clubs_language_whoever_publishes(evening, language, title):
    evening.organisation.language = language
    with translation.override("en"):
        proposal = editions.propose(evening.organisation, None)
    assert proposal.title.startswith(title)


def test_a_list_is_titled_in_the_clubs_language_whoever_publishes(evening):
    held = evening.rating_list("fesa")
    source = sources.ListSource(held)
    with translation.override("en"):
        proposal = source.proposal(
            evening.organisation, on=date(2026, 11, 20), today=date(2026, 11, 20), since=None
        )
    assert proposal.title.endswith(" au 20 novembre 2026")


def test_a_title_is_asked_for(evening):
    with refused("title_required"):
        publish(evening, title="  ")


# Errata


def test_an_erratum_links_both_ways_and_the_old_one_stays(evening):
    old = publish(evening)
    rows = old.rows
    correct(evening, evening.matches[1], (340, 350))
    new = mend(evening, old)
    old = Edition.objects.get(pk=old.pk)
    assert (new.number, new.erratum_of, old.errata.get()) == (2, old, new)
    assert old.rows == rows and freezing.digest(old) == old.sha256
    assert new.covers_until == old.covers_until and new.note == "score faux"
    day = old.covers_until
    for later, reached in ((-1, [new]), (0, [new]), (1, [])):  # what a correction contradicts
        days = day + timedelta(days=later)
        assert list(editions.reaching(evening.organisation, None, days)) == reached
    line = JournalEntry.objects.get(organisation=evening.organisation, seq=new.journal_seq)
    assert (line.verb, line.after["erratum_of"], line.reason) == ("edition_mended", 1, "score faux")
    moved = {line.member: line.places for line in difference(old, new).moved}
    assert moved[evening.matches[1].second_id] > 0 > moved[evening.matches[1].first_id]
    assert list_queries.last_edition(evening.organisation, None) == new


def test_an_erratum_counts_movements_from_the_edition_that_what_it_mends_counted_from(evening):
    publish(evening)
    people = evening.members
    for winner, loser in ((4, 5), (5, 4)):
        evening.next_evening()
        match, _players = evening.played(people[winner], people[loser], scores=(500, 200))
        evening.close()
        edition = publish(evening)
    correct(evening, match, (200, 500))
    mended = mend(evening, edition)
    second = Edition.objects.get(number=2)
    ranks = {row["member"]: row["rank"] for row in second.rows}
    assert mended.columns["since"] == second.number
    assert {row["member"]: row["move"] for row in mended.rows} == {
        row["member"]: ranks[row["member"]] - row["rank"] for row in mended.rows
    }


def test_an_erratum_of_an_old_day_knows_nothing_of_the_evenings_after(evening):
    old = publish(evening)
    evening.next_evening()
    play(evening, (500, 200), (420, 410))
    evening.close()
    publish(evening)
    correct(evening, evening.matches[1], (340, 350))
    evening.next_evening()
    later, _players = evening.contested(scores=(400, 300))
    evening.entered(scores=(400, 300))
    noted = {"match": later, "member": later.first, "noted_at": evening.at}
    Absence.objects.create(**noted, excuse="x", excuse_at=evening.at)
    later_rules = evening.rule_book()
    Evening.objects.filter(held_on__gt=old.covers_until).update(rule_book=later_rules)
    found = editions.propose_erratum(old)
    assert {check.state for check in found.checks} == {"done"} and found.title == old.title
    assert not any(check.hint for check in found.checks)
    new = mend(evening, old)
    assert new.rule_book == old.rule_book
    assert new.covers_until == old.covers_until and new.number == 3
    assert {row["member"] for row in new.rows} == {row["member"] for row in old.rows}
    assert {row["cells"]["played"] for row in new.rows} == {1}
    assert {row["cells"]["cote"] for row in new.rows} == {row["cells"]["cote"] for row in old.rows}


def test_an_erratum_needs_a_reason_a_difference_and_the_last_link(evening):
    old = publish(evening)
    with refused("reason_required"):
        mend(evening, old, note=" ")
    with refused("same"):
        mend(evening, old)
    correct(evening, evening.matches[1], (340, 350))
    new = mend(evening, old)
    correct(evening, evening.matches[1], (350, 340))
    with refused("already_mended"):
        mend(evening, old)
    assert mend(evening, new).erratum_of == new


def test_a_published_day_knows_that_it_was_corrected_since(evening):
    edition = publish(evening)
    assert editions.corrected_since(edition) == 0
    correct(evening, evening.matches[1], (340, 350))
    assert editions.corrected_since(edition) == 2
    assert {line.member for line in editions.again(edition).moved} == {
        evening.matches[1].first_id,
        evening.matches[1].second_id,
    }


def test_a_later_evening_corrects_nothing(evening):
    edition = publish(evening)
    evening.next_evening()
    play(evening, (500, 200))
    evening.close()
    assert editions.corrected_since(edition) == 0


# Names


def test_public_names_are_frozen_and_never_show_more_than_today(evening):
    shy, gone, minor, plain, known_later = evening.members[:5]
    Member.objects.filter(pk=minor.pk).update(is_minor=True)
    Member.objects.filter(pk=shy.pk).update(visibility=Member.INITIALS)
    edition = publish(evening)
    frozen = {row["member"]: row["name"] for row in edition.rows}
    assert frozen[shy.pk] == "P.N."
    assert frozen[minor.pk] == minor.short_name
    assert frozen[plain.pk] == plain.full_name
    Member.objects.filter(pk=shy.pk).update(visibility=Member.EVERYBODY)
    Member.objects.filter(pk=plain.pk).update(visibility=Member.MEMBERS)
    Member.objects.filter(pk=known_later.pk).update(is_minor=True)
    members.leave(member=gone, by=evening.committee, at=evening.at, forget=True)
    shown = {row.member: row.name for row in freezing.table_of(edition).rows}
    assert shown[shy.pk] == "P.N."
    assert shown[plain.pk] == "P.N."
    assert frozen[known_later.pk] != shown[known_later.pk] == known_later.short_name
    assert shown[gone.pk] == f"Joueur retiré {gone.number}"


# Rating lists


@pytest.fixture
def rating_list(club):
    found = settlement.list_of(club.organisation, "faizers", kind="blitz")
    post(club, found, 0, 0, 1)
    return found


def post(club, rating_list, week, winner, loser):
    period = settlement.open_period(
        rating_list=rating_list,
        key=f"p{week}",
        label=f"Tournoi {week}",
        held_on=club.at.date() + timedelta(weeks=week),
    )
    people = club.members
    settlement.record_game(
        period=period,
        posting=Game(f"g{week}", people[winner].pk, people[loser].pk, 2, 400, 300),
        at=club.at,
    )
    settlement.settle(period=period, by=club.committee, at=club.at)
    return period


def test_a_rating_list_has_its_own_numbers(evening, rating_list):
    publish(evening)
    edition = publish(evening, rating_list=rating_list)
    assert (edition.number, edition.rating_list) == (1, rating_list)
    assert [row["cells"]["cote"] for row in edition.rows] == [1015, 1000]
    with refused("blocked"):
        publish(evening, rating_list=rating_list)
    post(evening, rating_list, 1, 2, 3)
    assert publish(evening, rating_list=rating_list).number == 2
    assert editions.corrected_since(edition) == 0


def test_a_competition_not_yet_rated_blocks_the_list(club, rating_list):
    settlement.open_period(
        rating_list=rating_list, key="late", label="Tournoi oublié", held_on=club.at.date()
    )
    found = editions.propose(club.organisation, rating_list, today=club.at.date())
    assert [(c.code, c.state, c.hint) for c in found.checks] == [("settled", "todo", "Tournoi oublié")]  # fmt: skip
    assert "ne sont pas encore calculées" in found.checks[0].label
    with refused("blocked"):
        publish(club, rating_list=rating_list)


def test_a_later_competition_only_warns(club, rating_list):
    later = club.at.date() + timedelta(days=1)
    settlement.open_period(
        rating_list=rating_list, key="new", label="Tournoi de demain", held_on=later
    )
    found = editions.propose(club.organisation, rating_list, today=later)
    assert [(c.code, c.state) for c in found.checks] == [("settled", "done"), ("later", "warn")]
    edition = publish(club, rating_list=rating_list)
    assert edition.covers_until == club.at.date()
    assert [check.code for check in editions.propose_erratum(edition).checks] == ["settled"]


def test_a_corrected_game_makes_an_erratum_of_the_list(club, rating_list):
    edition = publish(club, rating_list=rating_list)
    period = rating_list.periods.get()
    settlement.record_game(
        period=period,
        posting=Game("g0", club.members[0].pk, club.members[1].pk, 0, 300, 400),
        at=club.at,
    )
    settlement.correct(period=period, by=club.committee, at=club.at, reason="inversé")
    assert editions.corrected_since(edition) == 2
    new = mend(club, edition)
    assert [row["member"] for row in new.rows] == [club.members[1].pk, club.members[0].pk]


def test_a_correction_names_the_editions_that_an_erratum_can_still_mend(club, rating_list):
    edition = publish(club, rating_list=rating_list)
    period = rating_list.periods.get()
    wish = corrections.withdraw_game(period, "g0")
    first = replay.preview(rating_list, wish, on=club.at.date())
    assert [touched.number for touched in first.editions] == [edition.number]
    turned = Game("g0", club.members[0].pk, club.members[1].pk, 0, 300, 400)
    settlement.record_game(period=period, posting=turned, at=club.at)
    settlement.correct(period=period, by=club.committee, at=club.at, reason="inversé")
    new = mend(club, edition)
    again = replay.preview(rating_list, wish, on=club.at.date())
    assert [touched.number for touched in again.editions] == [new.number]


def test_a_competition_moved_to_a_later_day_contradicts_the_edition_that_had_it(club, rating_list):
    second = post(club, rating_list, 1, 0, 1)
    edition = publish(club, rating_list=rating_list)
    wish = corrections.change_event(second, held_on=second.held_on + timedelta(days=9))
    by = {"by": club.committee, "at": club.at + timedelta(days=1)}
    settlement.apply(rating_list=rating_list, correction=wish, reason="reportée", **by)
    assert editions.corrected_since(edition) == 2
    assert editions.to_mend(club.organisation, rating_list) == [(edition, 2)]


def test_a_player_not_seen_for_a_year_leaves_the_list_though_nothing_was_played(club):
    held = settlement.list_of(club.organisation, "fisf")
    one, other = club.members[:2]
    start = club.at.date()
    for week in range(2):
        period = settlement.open_period(
            rating_list=held, key=f"p{week}", label=f"{week}", held_on=start + timedelta(weeks=week)
        )
        for game in range(8):
            settlement.record_game(
                period=period,
                posting=Game(f"g{game}", one.pk, other.pk, game % 3, position=game),
                at=club.at,
            )
        settlement.settle(period=period, by=club.committee, at=club.at)
    last = start + timedelta(weeks=1)
    seen = publish(club, rating_list=held, at=club.at + timedelta(weeks=1))
    assert {row["section"] for row in seen.rows} == {"ranked"} and len(seen.rows) == 2
    assert seen.covers_until == last
    a_year = (last.replace(year=last.year + 1) - start).days
    on_the_day = publish_again(club, held, days=a_year)
    assert len(on_the_day.rows) == 2, "the year is inclusive; a new season gave them a series"
    assert (
        publish_again(club, held, days=a_year + 1)
        == "Personne ne figure aujourd’hui dans ce classement."
    )


def test_an_edition_of_a_new_season_has_the_bars_of_that_season(club):
    """Bars are set before a season begins (000 2): nothing needs to be played for them to hold."""
    held = settlement.list_of(club.organisation, "fisf")
    one, other = club.members[:2]
    start = date(2026, 8, 20)
    for week in range(2):
        period = settlement.open_period(
            rating_list=held, key=f"p{week}", label=f"{week}", held_on=start - timedelta(weeks=week)
        )
        for game in range(8):
            settlement.record_game(
                period=period,
                posting=Game(f"g{game}", one.pk, other.pk, 2, position=game),
                at=club.at,
            )
    for period in held.periods.in_order():
        settlement.settle(period=period, by=club.committee, at=club.at)
    season = datetime(2026, 9, 1, tzinfo=club.organisation.zone)
    book = club.rule_book({"cote": {"bar_b": 1401}}, scope="fisf", at=season)
    edition = publish(club, rating_list=held)
    assert (edition.covers_until, edition.rule_book) == (start, book)
    series = [row["cells"]["serie"] for row in edition.rows]
    assert series == ["B", "C"]
    listed = list_queries.page(held, on=club.at.date())
    assert [row.cells["serie"] for row in listed.rows] == series
    assert not editions.again(edition).changed


def publish_again(club, rating_list, days):
    try:
        return publish(club, rating_list=rating_list, at=club.at + timedelta(days=days))
    except EditionRefused as refusal:
        return str(refusal)


# What cannot be undone


def test_no_edition_is_edited_or_deleted_by_any_way(evening):
    edition = publish(evening)
    edition.title = "Autre"
    with pytest.raises(AppendOnlyError):
        edition.save()
    with pytest.raises(AppendOnlyError):
        edition.delete()
    with pytest.raises(AppendOnlyError):
        Edition.objects.filter(pk=edition.pk).update(title="Autre")
    with pytest.raises(AppendOnlyError):
        Edition.objects.all().delete()
    for sql in (
        "UPDATE ratings_edition SET title = 'Autre' WHERE id = %s",
        "DELETE FROM ratings_edition WHERE id = %s",
    ):
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(sql, [edition.pk])
    assert Edition.objects.get(pk=edition.pk).title == "Classement"


@pytest.mark.parametrize("changes", [{}, {"erratum": True}])
def test_the_database_refuses_a_second_edition_of_a_number_or_a_second_erratum(evening, changes):
    edition = publish(evening)
    correct(evening, evening.matches[1], (340, 350))
    new = mend(evening, edition)
    double = Edition.objects.get(pk=new.pk)
    double.pk = None
    double._state.adding = True
    if changes:
        double.number = 9
    with pytest.raises(IntegrityError), transaction.atomic():
        double.save()


def verify(club) -> tuple[int, str]:
    out = io.StringIO()
    try:
        call_command("verify_editions", organisation=club.organisation.slug, stdout=out)
    except SystemExit as stop:
        return int(stop.code or 0), out.getvalue()
    return 0, out.getvalue()


@pytest.mark.parametrize(
    ("column", "value", "what"),
    [
        ("title", "Autre", "changed"),
        ("number", 7, "changed"),
        ("covers_until", "2020-01-01", "changed"),
        ("sha256", "0" * 64, "journal"),
        ("journal_hash", "0" * 64, "journal"),
    ],
)
def test_an_edition_changed_by_force_is_named(evening, column, value, what):
    edition = publish(evening)
    assert verify(evening) == (0, "1 editions, 0 breaches\n")
    triggers.remove(connection, "ratings_edition")
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE ratings_edition SET {column} = %s WHERE id = %s", [value, edition.pk]
        )
    triggers.install(connection, "ratings_edition")
    code, words = verify(evening)
    assert code == 1 and what in words and f"{evening.organisation.slug}/club nº " in words


def test_a_row_changed_by_force_is_named(evening):
    edition = publish(evening)
    rows = edition.rows
    rows[0]["cells"]["cote"] += 1
    triggers.remove(connection, "ratings_edition")
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE ratings_edition SET rows = %s WHERE id = %s", [json.dumps(rows), edition.pk]
        )
    triggers.install(connection, "ratings_edition")
    assert verify(evening)[0] == 1
