"""The page of the rules says what the season of today keeps otherwise than the version in force."""

from __future__ import annotations

import pytest

from clubs.organisations.models import Season

pytestmark = pytest.mark.django_db

RULES = "regles/"


def kept(client, root, address=RULES):
    """Each setting that differs this season: its name → (in the version, this season)."""
    page = client.get(f"{root}/{address}")
    lines = [line for _part, _title, lines in page.context["parts"] for line in lines]
    return {
        line["label"]: (line["value"], line["this_season"]) for line in lines if line["this_season"]
    }


def test_the_ds_chosen_for_the_season_stands_beside_what_the_rules_say(club, as_user, root):
    reader = as_user(None)
    assert kept(reader, root) == {}
    Season.objects.update(ds_mode="mean")
    assert kept(reader, root) == {"Cumul de la DS": ("somme", "moyenne pondérée")}
    assert (
        "saison en cours\u00a0: moyenne pondérée" in reader.get(f"{root}/{RULES}").content.decode()
    )


def test_what_orders_the_season_waits_for_the_next_one(club, as_user, root):
    """The club's first evening has fixed the season's rules: the document's."""
    club.rule_book({"pairing": {"form_window_days": 90, "pr_win": 5}})
    assert list(kept(as_user(None), root).values()) == [("90", "183")]


def test_a_season_without_an_evening_takes_the_version_in_force(club, as_user, root):
    Season.objects.update(rule_fixed=False, rule_book=None)
    club.rule_book({"pairing": {"form_window_days": 90}})
    assert kept(as_user(None), root) == {}


def test_one_version_is_shown_as_it_was_adopted(club, as_user, root):
    club.rule_book({"pairing": {"form_window_days": 90}})
    assert kept(as_user(None), root, "regles/1/") == {}
