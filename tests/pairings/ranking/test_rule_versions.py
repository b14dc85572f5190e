"""A rule adopted during a season does not change the matches before it (002 II, VI.3)."""

from __future__ import annotations

from datetime import date, timedelta
from fractions import Fraction
from importlib import import_module

import pytest
from django.apps import apps

from clubs.organisations.models import Season
from clubs.rulebooks.models import RuleBook
from clubs.setup import club_settings
from pairings.ranking import live as live_ranking
from pairings.ranking import projection, season
from pairings.ranking.simulation import ladder_places

pytestmark = pytest.mark.django_db


def adopted(club, **pairing):
    """Adopt a version in force from now on, for the evenings that open later."""
    return club.rule_book({"pairing": pairing})


def win(club, winner, other, scores=(400, 300)):
    return club.played(winner, other, scores=scores)[0]


def two_evenings(club, **pairing):
    """Play a win by 400 to 300 before and after an adoption."""
    one, other, third = club.members[:3]
    win(club, one, other)
    club.close()
    adopted(club, **pairing)
    club.next_evening()
    win(club, one, third)
    club.close()
    return one


def line_of(club, member, current=None):
    found = season.standing(
        current or club.evening.season, club.evening.rule_book, today=club.evening.held_on
    )
    return next(line for line in found.lines if line.player == member.pk).values


@pytest.mark.parametrize(("pr_win", "total"), [(2, 5), (3, 6), (5, 8)])
def test_a_win_keeps_the_pr_of_its_own_version(club, pr_win, total):
    one = two_evenings(club, pr_win=pr_win)
    assert line_of(club, one)["pr"] == total
    ranking = live_ranking.ranking(club.organisation, at=club.at, live=False)
    assert next(row for row in ranking.rows if row.member.pk == one.pk).values["pr"] == total


@pytest.mark.parametrize("mode", ["sum", "mean"])
def test_a_match_keeps_the_ds_and_the_weight_of_its_own_version(club, mode):
    """Weight 0 from the second evening on: sum and mean only contain the first match."""
    Season.objects.update(ds_mode=mode)
    one = two_evenings(club, ds_weights={"played": 0})
    assert line_of(club, one)["ds"] == Fraction(100, 3)


def test_a_correction_of_an_older_evening_tells_categories_as_pages_show_them(club):
    """1015 after the first evening (30 × ½): Améthyste began at 1010 then, and begins at 1400 since."""
    one, other, third, fourth = club.members[:4]
    cote = {"amethyste_from": 1010, "topaze_from": 1700, "diamant_from": 1900}
    evening = club.evening
    evening.rule_book = club.rule_book({"cote": cote})
    evening.save()
    match = win(club, one, other)
    club.close()
    match.evening.refresh_from_db()
    adopted(club)
    club.next_evening()
    win(club, third, fourth)
    trial = projection.trial_of(match, first_score=300, second_score=400)
    told = projection.effect_of(match, trial)
    pages = live_ranking.ranking(club.organisation, at=club.at, live=True)
    shown = {row.member.pk: row.category for row in pages.rows}
    rows = {row.member.pk: row for row in told.rows}
    assert rows[one.pk].cote == (1015, 1000) and shown[one.pk] == "onyx"
    assert rows[one.pk].category == ("onyx", "onyx") and told.categories_changed == 0


def test_what_orders_the_season_waits_for_the_first_evening_of_the_next(club):
    one = two_evenings(club, ds_mode="mean")
    assert line_of(club, one)["ds"] == Fraction(200, 3)
    Season.objects.update(ends_on=club.evening.held_on)
    club_settings.open_season(
        organisation=club.organisation,
        name="2027",
        starts_on=club.evening.held_on + timedelta(days=1),
        ends_on=date(2028, 12, 31),
        by=club.committee,
        at=club.at,
    )
    days = {"starts_on": date(2029, 1, 1), "ends_on": date(2029, 12, 31)}
    later = Season.objects.create(organisation=club.organisation, name="2029", **days)
    club.next_evening()
    for other in club.members[3:5]:
        club.used = set()
        win(club, one, other)
    assert line_of(club, one)["ds"] == Fraction(100, 3)
    later.refresh_from_db()
    assert not later.rule_fixed


@pytest.mark.parametrize(("chosen", "ds"), [("sum", 200), ("mean", 100), ("", 200)])
def test_the_committee_chooses_sum_or_mean_when_it_makes_the_season(club, chosen, ds):
    Season.objects.update(ds_mode=chosen)
    one = two_evenings(club, pr_win=3)
    assert line_of(club, one)["ds"] == Fraction(ds, 3)
    ranking = live_ranking.ranking(club.organisation, at=club.at, live=False)
    assert ranking.ds_mode == (chosen or "sum")


def test_the_season_page_asks_for_the_choice_and_prefers_none(club, client):
    client.force_login(
        club.committee.user, backend="allauth.account.auth_backends.AuthenticationBackend"
    )
    address = f"/c/{club.organisation.slug}/gestion/saisons/"
    page = client.get(address).content.decode()
    assert 'name="ds_mode"' in page and "checked" not in page
    sent = {"name": "2028", "starts_on": "2028-01-01", "ends_on": "2028-12-31"}
    refused = client.post(address, sent)
    assert refused.status_code == 422 and "Choisissez la somme ou la moyenne" in (
        refused.content.decode()
    )
    assert client.post(address, {**sent, "ds_mode": "mean"}).status_code == 302
    assert Season.objects.get(name="2028").ds_mode == "mean"


def test_the_adoption_page_says_for_each_number_when_it_takes_effect(club, client):
    RuleBook.objects.create(
        organisation=club.organisation,
        scope="faizers",
        number=1,
        created_at=club.at,
        values={
            "pairing": {"ds_mode": "mean", "pr_win": 5, "form_window_days": 30},
            "cote": {"divisor": 500},
        },
    )
    client.force_login(
        club.committee.user, backend="allauth.account.auth_backends.AuthenticationBackend"
    )
    page = client.get(f"/c/{club.organisation.slug}/gestion/regles/adopter/?livre=faizers")
    told = {change["label"]: change["takes_effect"] for change in page.context["changes"]}
    # the committee answers this one for each season that it creates (002 VI.3)
    chosen = "dans les saisons pour lesquelles le comité ne choisit rien d’autre"
    assert told["Cumul de la DS"] == chosen
    # Nor after it: a version adopted today counts from now on. Nor in a room beside one that is open.
    later = (
        "à la première soirée qui ouvre dès la date d’effet, sauf à côté d’une autre déjà ouverte"
    )
    assert told["PR d’une victoire"] == later and len(told) == 4
    assert "à la première soirée de la saison suivante" in told.values()
    assert chosen in page.content.decode()


def test_a_trial_of_a_draft_still_counts_every_match_by_it(club):
    """One win of two and two draws: the order depends on the points of a win."""
    a, b, c, d = club.members[:4]
    win(club, a, b)
    win(club, c, d, (300, 300))
    club.close()
    club.next_evening()
    win(club, b, c)
    win(club, a, d, (300, 301))
    draft = RuleBook.objects.create(
        organisation=club.organisation,
        scope="faizers",
        number=1,
        created_at=club.at,
        values={"pairing": {"pr_win": 3, "pr_draw": 9}},
    )
    _label, held, tried = ladder_places(club.organisation, draft, club.evening.held_on)
    assert held != tried and tried[d.pk] == 1


@pytest.mark.parametrize(("ds_mode", "first"), [("sum", "one"), ("mean", "other")])
def test_a_trial_keeps_the_ds_of_the_season_unless_the_draft_changes_it(club, ds_mode, first):
    """Both have 3 PR: −10 % and 0 % are −10 and −5, three times −4 % are −12 and −4."""
    one, other, *three = club.members[:5]
    win(club, three[0], one, (330, 300))
    win(club, three[1], one, (300, 300))
    for third in three:
        win(club, third, other, (312, 300))
    club.close()
    Season.objects.update(ds_mode=ds_mode)

    def leaders(**pairing):
        draft = RuleBook(
            organisation=club.organisation,
            scope="faizers",
            number=1,
            created_at=club.at,
            values={"pairing": pairing},
        )
        _label, held, tried = ladder_places(club.organisation, draft, club.evening.held_on)
        return ["one" if places[one.pk] < places[other.pk] else "other" for places in (held, tried)]

    assert leaders(repeat_after=9) == [first, first]
    assert leaders(ds_mode="mean") == [first, "other"]


def test_seasons_that_had_begun_are_fixed_by_the_migration(club):
    book = adopted(club, ds_mode="mean")
    club.close()
    club.next_evening()
    Season.objects.update(rule_book=book, rule_fixed=False)
    empty = club.season("vide", date(2030, 1, 1), date(2030, 2, 1))
    migration = import_module("pairings.migrations.0011_season_rule_versions")
    migration.fix_versions(apps, None)
    begun = Season.objects.get(pk=club.evening.season_id)
    empty.refresh_from_db()
    assert (begun.rule_fixed, begun.rule_book) == (True, None)
    assert not empty.rule_fixed
    migration.forget_versions(apps, None)
    assert not Season.objects.filter(rule_fixed=True).exists()
