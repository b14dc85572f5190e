"""The numbers of a match's life in a tournament: what the organiser typed is what is applied."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from clubs.journal.models import JournalEntry
from pairings.matches import actions as match_actions
from pairings.matches.refusals import ResultRefused
from pairings.tournaments import actions as tournaments
from pairings.tournaments.rules import TournamentRefused
from tests.printed_fields import Printed
from tests.tournament_day import frozen, make_tournament, play_round, publish

pytestmark = pytest.mark.django_db


def first_match(house, **match_rules):
    """Table 1 of a round that is published one hour before it begins."""
    made = frozen(house, 8, match_rules=match_rules)
    match = publish(house, made, 1).matches.get(table_number=1)
    assert match.round.starts_at == house.at + timedelta(hours=1)
    return match


@pytest.mark.parametrize(("seconds", "accepted"), [(899, False), (900, True), (901, True)])
def test_an_absence_is_reported_after_the_grace_time_from_the_start_of_the_round(
    house, seconds, accepted
):
    match = first_match(house)
    at = match.round.starts_at + timedelta(seconds=seconds)
    claim = {"match": match, "by": house.player(match.first), "at": at}
    if accepted:
        assert match_actions.claim_absence(**claim).status == "absence_claimed"
    else:
        with pytest.raises(ResultRefused, match="à 21:15"):
            match_actions.claim_absence(**claim)


def test_a_round_that_is_published_late_counts_from_then(house):
    match = first_match(house)
    match.round.starts_at = house.at - timedelta(hours=1)
    match.round.save()
    by = house.player(match.first)
    late = house.at + timedelta(seconds=900)
    with pytest.raises(ResultRefused):
        match_actions.claim_absence(match=match, by=by, at=late - timedelta(seconds=1))
    assert match_actions.claim_absence(match=match, by=by, at=late).status == "absence_claimed"


@pytest.mark.parametrize(
    ("first", "hours"),
    [
        (datetime(2027, 3, 26, 19, tzinfo=UTC), [19, 19, 18, 18]),
        (datetime(2027, 10, 29, 18, tzinfo=UTC), [18, 18, 19, 19]),
    ],
)
def test_one_round_a_day_begins_at_the_same_hour_of_the_club_over_summer_time(house, first, hours):
    """20:00 in Paris, where the clocks change on 28 March and on 31 October."""
    made = frozen(house, 8, round_count=4)
    changes = {"starts_at": first, "round_minutes": 24 * 60}
    made = tournaments.edit(tournament=made, changes=changes, by=house.committee, at=house.at)
    starts = made.rounds.order_by("number").values_list("starts_at", flat=True)
    assert [start.hour for start in starts] == hours
    assert {start.astimezone(house.organisation.zone).hour for start in starts} == {20}


@pytest.mark.parametrize(
    ("per_day", "hours"),
    [
        (None, ["27 09:30", "27 17:30", "28 01:30", "28 09:30", "28 17:30"]),
        (1, ["27 09:30", "28 09:30", "29 09:30", "30 09:30", "31 09:30"]),
        (2, ["27 09:30", "27 17:30", "28 09:30", "28 17:30", "29 09:30"]),
        (5, ["27 09:30", "27 17:30", "28 01:30", "28 09:30", "28 17:30"]),
    ],
)
def test_each_day_of_a_tournament_begins_at_the_hour_of_the_first(house, per_day, hours):
    """With so many rounds a day, also on 28 March, when the clocks change in Paris."""
    made = frozen(house, 8, round_count=5)
    first = datetime(2027, 3, 27, 9, 30, tzinfo=house.organisation.zone)
    changes = {"starts_at": first, "round_minutes": 480, "rounds_a_day": per_day}
    made = tournaments.edit(tournament=made, changes=changes, by=house.committee, at=house.at)
    starts = [each.starts_at for each in made.rounds.order_by("number")]
    if per_day in (None, 5):  # eight hours that pass, one of which the clock leaves out
        hours = [*hours[:3], "28 10:30", "28 18:30"]
    assert [f"{start.astimezone(house.organisation.zone):%d %H:%M}" for start in starts] == hours


def test_rounds_follow_another_schedule_and_nothing_else(house):
    """Those not yet public: the third is drawn, and is put off with the others."""
    made = frozen(house, 8, system="swiss", round_count=4)
    by = {"by": house.arbiter, "at": house.at}
    play_round(house, made, 1)
    publish(house, made, 2)
    own = house.at + timedelta(days=20)
    made.rounds.filter(number__gt=2).update(starts_at=own, state="draft")
    made = tournaments.edit(tournament=made, changes={"place": "Salle 2"}, **by)
    assert {each.starts_at for each in made.rounds.filter(number__gt=2)} == {own}
    before = [each.starts_at for each in made.rounds.filter(number__lte=2).order_by("number")]
    later = made.starts_at + timedelta(days=7)
    made = tournaments.edit(tournament=made, changes={"starts_at": later}, **by)
    starts = [each.starts_at for each in made.rounds.order_by("number")]
    assert starts[:2] == before
    assert starts[2:] == [later + n * timedelta(minutes=75) for n in (2, 3)]


@pytest.mark.parametrize(("seconds", "over"), [(-1, False), (0, False), (1, True)])
def test_the_time_to_play_runs_from_the_start_of_the_round(house, seconds, over):
    match = first_match(house)
    ends = match.round.starts_at + timedelta(days=7)
    assert match.deadline_until == ends
    at = ends + timedelta(seconds=seconds)
    assert match_actions.lapse_due(at=at, grace=timedelta()) == (4 if over else 0)
    match.refresh_from_db()
    assert match.status == ("void" if over else "proposed")


def test_the_form_of_an_absence_says_from_when_it_may_be_sent(house, as_user):
    match = first_match(house)
    page = as_user(match.first.user).get(f"/c/tournoi/matchs/{match.pk}/absence/")
    assert page.context["absence_from"] == match.round.starts_at + timedelta(minutes=15)
    assert not page.context["absence_possible"]


TYPED = {
    "m_contest_window_s": ("2", "contest_window_s", 120),
    "m_tacit_acceptance": (None, "tacit_acceptance", False),
    "m_final_on_confirm": (None, "final_on_confirm", False),
    "m_absence_grace_s": ("20", "absence_grace_s", 1200),
    "m_deadline_s": ("0,5", "deadline_s", 43200),
    "m_min_score": ("-50", "min_score", -50),
    "m_max_score": ("900", "max_score", 900),
    "m_usual_low": ("", "usual_low", None),
    "m_usual_high": ("700", "usual_high", 700),
}


def settings_of(made):
    return f"/c/tournoi/gestion/tournois/{made.slug}/reglages/"


def sent(page, changes):
    """What a browser would send of the form of the rules: an unticked box is left out."""
    form = page.context["rules"]
    values = {name: form[name].value() for name in form.fields} | changes
    return {"rules": "1", **{name: v for name, v in values.items() if v not in (None, False)}}


@pytest.mark.parametrize("name", TYPED)
def test_each_number_typed_in_the_settings_is_that_of_its_matches(house, as_user, name):
    made = make_tournament(house, 8)
    director = as_user(house.arbiter.user)
    text, field, value = TYPED[name]
    page = director.get(settings_of(made))
    assert director.post(settings_of(made), sent(page, {name: text})).status_code == 302
    made.refresh_from_db()
    assert made.match_rules == {field: value}
    made = tournaments.freeze(tournament=made, by=house.committee, at=house.at)
    match = publish(house, made, 1).matches.get(table_number=1)
    assert getattr(match.competition.match_rules(), field) == value
    entry = JournalEntry.objects.get(verb="tournament_edited")
    assert entry.after["match_rules"] == {field: value}
    again = director.get(settings_of(made))
    assert str(again.context["rules"][name].value()) == str(False if text is None else text)


def test_the_settings_of_a_tournament_are_asked_in_minutes_and_days(house, as_user):
    page = as_user(house.arbiter.user).get(settings_of(make_tournament(house, 8)))
    for name, value, label in (
        ("m_contest_window_s", "5", "Délai de contestation (minutes)"),
        ("m_absence_grace_s", "15", "Délai avant de signaler une absence (minutes)"),
        ("m_deadline_s", "7", "Délai pour jouer le match (jours)"),
    ):
        assert page.context["rules"][name].value() == value
        assert label in page.content.decode()
    refused = as_user(house.arbiter.user).post(
        settings_of(make_tournament(house, 8, name="Autre")), sent(page, {"m_deadline_s": "0"})
    )
    assert refused.status_code == 422 and Printed(refused, "id_m_deadline_s").is_refused


def test_numbers_that_cannot_go_together_are_refused_beside_one_of_them(house, as_user):
    """Also where the tournament began with them: the club's version may be older than the refusal."""
    house.rule_book({"match": {"absence_grace_s": 7200, "deadline_s": 3600}})
    made = make_tournament(house, 8)
    assert made.match_rules == {"absence_grace_s": 7200, "deadline_s": 3600}
    director = as_user(house.arbiter.user)
    page = director.get(settings_of(made))
    refused = director.post(settings_of(made), sent(page, {"m_max_score": "900"}))
    assert refused.status_code == 422
    assert "plus court" in Printed(refused, "id_m_absence_grace_s").error
    assert director.post(settings_of(made), sent(page, {"m_deadline_s": "7"})).status_code == 302


@pytest.mark.parametrize(("seconds", "accepted"), [(1199, False), (1200, True), (1201, True)])
def test_the_grace_time_typed_is_the_one_applied(house, seconds, accepted):
    match = first_match(house, absence_grace_s=1200)
    at = match.round.starts_at + timedelta(seconds=seconds)
    claim = {"match": match, "by": house.player(match.first), "at": at}
    if accepted:
        assert match_actions.claim_absence(**claim).status == "absence_claimed"
    else:
        with pytest.raises(ResultRefused, match="à 21:20"):
            match_actions.claim_absence(**claim)


@pytest.mark.parametrize(("seconds", "over"), [(-1, False), (0, False), (1, True)])
def test_the_time_to_play_typed_is_the_one_applied(house, seconds, over):
    match = first_match(house, deadline_s=7200)
    at = match.round.starts_at + timedelta(seconds=7200 + seconds)
    match_actions.lapse_due(at=at)
    match.refresh_from_db()
    assert (match.status, match.absent) == (("void", "both") if over else ("proposed", ""))


def test_a_result_that_both_confirm_may_stay_contestable_until_its_window_ends(house):
    match = first_match(house, final_on_confirm=False)
    one, other = house.player(match.first), house.player(match.second)
    at = match.round.starts_at
    match_actions.enter_score(match=match, by=one, mine=401, theirs=399, at=at)
    match_actions.confirm(match=match, by=other, at=at)
    match.refresh_from_db()
    assert (match.status, match.confirmed, match.counts) == ("submitted", True, True)
    match_actions.lapse_due(at=at + timedelta(seconds=301))
    match.refresh_from_db()
    assert (match.status, match.why) == ("final", "confirmed")


def test_a_new_tournament_begins_with_the_club_s_numbers_and_keeps_them(house):
    def adopt(day, **values):
        draft = house.draft_rules({"match": values})
        house.adopt(draft, day)

    before = make_tournament(house, 8, name="Avant")
    club = {"absence_grace_s": 600, "arbiter_may_judge_own_match": True}
    adopt(house.at + timedelta(minutes=30), **club)
    made = make_tournament(house, 8, name="Après")
    assert (before.match_rules, made.match_rules) == ({}, club)
    created = JournalEntry.objects.filter(verb="tournament_created").order_by("pk").last()
    assert created.after["match_rules"] == club
    adopt(house.at + timedelta(minutes=40), absence_grace_s=1800)
    made.refresh_from_db()
    assert made.match_rules == club
    own = make_tournament(house, 8, name="Importé", match_rules={})
    assert own.match_rules == {}


def test_an_arbiter_cannot_let_themself_judge_their_own_match(house, as_user):
    """002 V.B.2: the club's rules decide it, not the settings of a tournament."""
    made = make_tournament(house, 8)
    director = as_user(house.arbiter.user)
    page = director.get(settings_of(made))
    assert "m_arbiter_may_judge_own_match" not in page.context["rules"].fields
    data = sent(page, {"m_arbiter_may_judge_own_match": "on", "m_max_score": "900"})
    director.post(settings_of(made), data)
    made.refresh_from_db()
    assert made.match_rules == {"max_score": 900}
    kept = make_tournament(
        house, 8, name="Petit club", match_rules={"arbiter_may_judge_own_match": True}
    )
    page = director.get(settings_of(kept))
    director.post(settings_of(kept), sent(page, {"m_max_score": "900"}))
    kept.refresh_from_db()
    assert kept.match_rules == {"arbiter_may_judge_own_match": True, "max_score": 900}


@pytest.mark.parametrize(
    ("changes", "refused"),
    [
        ({"contest_window_s": 60}, True),
        ({"tacit_acceptance": False}, True),
        ({"final_on_confirm": False}, True),
        ({"max_score": 900}, False),
        ({"deadline_s": 86400}, False),
    ],
)
def test_a_window_keeps_the_length_and_the_silence_that_its_players_were_told(
    house, changes, refused
):
    match = first_match(house)
    made = match.round.tournament
    match_actions.enter_score(
        match=match, by=house.player(match.first), mine=401, theirs=399, at=house.at
    )
    edit = {"tournament": made, "changes": {"match_rules": changes}, "by": house.arbiter}
    if refused:
        with pytest.raises(TournamentRefused, match="attend sa confirmation"):
            tournaments.edit(**edit, at=house.at)
        match_actions.lapse_due(at=house.at + timedelta(seconds=301))
    edited = tournaments.edit(**edit, at=house.at + timedelta(seconds=302))
    assert edited.match_rules == changes
