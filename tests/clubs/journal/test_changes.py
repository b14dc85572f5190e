"""The journal's page says what an act changed, before → after, and offers the acts that there are."""

from __future__ import annotations

import csv
from dataclasses import replace

import pytest
from django.utils import timezone

from clubs.journal import chain as journal
from clubs.journal.changes import ValueChange, changes_in
from clubs.journal.models import JournalEntry
from clubs.members import actions as members
from clubs.members.models import RoleGrant
from clubs.rulebooks import actions as rulebooks
from clubs.rulebooks import season_choices

pytestmark = pytest.mark.django_db
PAGE = "/c/faizers/gestion/journal/"


def entry(club, subject, before, after):
    return journal.record(
        organisation=club.organisation,
        verb="member_edited",
        subject=subject,
        by=club.committee,
        at=club.at,
        before=before,
        after=after,
    )


def changes_of(line):
    return changes_in([line])[line.seq]


def test_the_journal_reads_the_choice_of_a_season_in_the_words_of_its_setting(club, monkeypatch):
    choices = (("sum", "total"), ("mean", "moyenne simple"))
    words = replace(season_choices.ds_mode_setting(), choices=choices)
    monkeypatch.setattr(season_choices, "ds_mode_setting", lambda: words)
    line = entry(club, "season:1", {"ds_mode": "sum"}, {"ds_mode": "mean"})
    assert changes_of(line) == [ValueChange("Cumul de la DS", "total", "moyenne simple")]
    assert [label for _code, label in season_choices.ds_mode_field().choices] == [
        "total",
        "moyenne simple",
    ]


@pytest.mark.parametrize(
    ("subject", "before", "after", "told"),
    [
        (
            "match:1",
            {"status": "playing", "scores": [None, None], "rev": 0},
            {"status": "final", "scores": [412, 388], "rev": 1},
            [ValueChange("État", "en jeu", "définitif"), ValueChange("Score", "–", "412–388")],
        ),
        ("match:1", {"status": "final"}, {"status": "final"}, []),
        ("evening:1", None, {"state": "closed"}, [ValueChange("État", None, "Clôturée")]),
        (
            "evening:1",
            {"starts_at": "2026-11-20T19:00:00+00:00", "auto_pair": True, "place": ""},
            {"starts_at": "2026-12-01T19:30:00+00:00", "auto_pair": False, "place": "Casa"},
            [
                ValueChange("Heure", "20 novembre 2026, 20:00", "1er décembre 2026, 20:30"),
                ValueChange("Lieu", "–", "Casa"),
                ValueChange("Appariement automatique", "oui", "non"),
            ],
        ),
        ("season:1", {"ends_on": "2026-06-01"}, {"ends_on": "2026-07-01"}, ["Dernier jour"]),
        (
            "season:1",
            {"ds_mode": "sum"},
            {"ds_mode": "mean"},
            [ValueChange("Cumul de la DS", "somme", "moyenne pondérée")],
        ),
        ("organisation:1", {"language": "fr"}, {"language": "ro"}, ["Langue"]),
        ("member:1", {"role": "arbiter"}, None, [ValueChange("Rôle", "arbitre", "–")]),
        ("tournament:1", {"fee": "5"}, {"fee": "", "member": 4}, ["Droit d’inscription"]),
        ("webhook:1", {"is_on": True}, {"is_on": False}, [ValueChange("En service", "oui", "non")]),
        ("member:1", None, {"number": 12}, []),
        (
            "edition:club:2",
            None,
            {"number": 2, "covers_until": "2026-11-20", "rows": 24, "erratum_of": None},
            [
                ValueChange("Situation au", None, "20 novembre 2026"),
                ValueChange("Lignes", None, "24"),
            ],
        ),
        (
            "list:1",
            {"12": 1500},
            {"superseded": 31, "cotes": {"12": 1512}},
            [ValueChange("Cotes recalculées", None, "31")],
        ),
        ("comet:1", {"state": "a"}, {"state": "b"}, []),
        ("period:1", [1], None, []),
    ],
)
def test_what_a_line_changed_is_told_in_words(club, subject, before, after, told):
    with timezone.override(club.organisation.zone):
        found = changes_of(entry(club, subject, before, after))
    pairs = zip(found, told, strict=True)
    assert [one.label if isinstance(says, str) else one for one, says in pairs] == told


def test_the_rules_tell_each_number_of_a_draft_and_of_a_version(club, django_assert_num_queries):
    def save(values):
        return rulebooks.save_draft(
            organisation=club.organisation,
            code=rulebooks.LADDER,
            values=values,
            by=club.committee,
            at=club.at,
        )

    draft = save({"match": {"contest_window_s": 600}})
    save({"match": {"contest_window_s": 420}})
    club.adopt(draft, club.at, reason="Vote")
    rulebooks.drop(draft=save({"match": {"contest_window_s": 900}}), by=club.committee, at=club.at)
    about = f"rulebook:{draft.pk}"
    lines = JournalEntry.objects.filter(organisation=club.organisation, subject=about)
    first, second, adopted = lines.order_by("seq")
    with django_assert_num_queries(1):
        assert len(changes_in([first, second, adopted])) == 3
    [begun], [changed], [voted] = changes_of(first), changes_of(second), changes_of(adopted)
    assert (begun.old, begun.new) == (None, "10 minutes")
    assert (changed.old, changed.new) == ("10", "7 minutes")
    assert (voted.label, voted.old, voted.new) == (begun.label, None, "7 minutes")
    dropped = JournalEntry.objects.get(organisation=club.organisation, verb="rule_dropped")
    assert changes_of(dropped) == []
    assert changes_of(entry(club, about, None, {"match": {"number_that_is_no_more": 1}})) == []


def test_the_page_and_the_file_say_what_changed(club, neighbours, as_user):
    desk, member = as_user(club.committee.user), club.members[0]
    members.grant(member=member, role=RoleGrant.ARBITER, by=club.committee, at=club.at)
    entry(club, f"match:{club.match()[0].pk}", {"scores": [1, 2]}, {"scores": [3, 2]})
    page = desk.get(PAGE).content.decode()
    assert '<s class="was">1–2</s>' in page and '<b class="became">3–2</b>' in page
    file = desk.get(PAGE, {"format": "csv"}).content.decode("utf-8-sig")
    rows = list(csv.DictReader(file.splitlines(), delimiter=";"))
    told = [row["Avant → après"] for row in rows]
    assert "Score\u00a0: 1–2 → 3–2" in told and "Rôle\u00a0: arbitre" in told


def test_a_value_that_began_empty_is_said_to_be_nothing(club, neighbours, as_user):
    entry(club, "evening:1", None, {"place": ""})
    page = as_user(club.committee.user).get(PAGE).content.decode()
    assert '<b><span aria-hidden="true">–</span><span class="hidden-text">rien</span></b>' in page


def test_the_filter_offers_the_acts_that_this_journal_has(club, neighbours, as_user):
    offered = [code for code, _words in as_user(club.committee.user).get(PAGE).context["verbs"]]
    written = JournalEntry.objects.filter(organisation=club.organisation)
    assert sorted(offered) == sorted(set(written.values_list("verb", flat=True)))
    assert "sanction_lifted" not in offered
