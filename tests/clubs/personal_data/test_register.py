"""No table refers to a person without saying what it holds, why, and what forgetting does."""

from __future__ import annotations

import re

import pytest
from django.apps import apps
from django.conf import settings
from django.db import models
from django.test.utils import isolate_apps
from django.utils import translation

from clubs.accounts.models import User
from clubs.members.models import Member
from clubs.personal_data.export import sayer
from clubs.personal_data.register import Fate, column_of, leads_to
from clubs.personal_data.words import WORDS, codes_of
from clubs.registries import PERSONAL_DATA
from pairings.matches.explanations import EVENTS
from pairings.rules.match_lifecycle import Absent, Ending, Kind, Status

PEOPLE = ("Member", "User", "Person")
FREE = (
    models.JSONField,
    models.TextField,
    models.FileField,
    models.EmailField,
    models.GenericIPAddressField,
)
WORDY = (models.CharField, models.IntegerField)
PERSONAL = re.compile(
    r"(^|_)(e?mail|name|ip|ip_address|phone|birth|birth_year|address|photo|licence|country|guardian|user_agent"
    r"|endpoint|password|director|voted_by|member_id_of_actor)(_|$)"
)
# Looks personal and is not: the column, and what it holds.
NOT_PERSONAL = {
    "auth.Permission.name": "of a right",
    "auth.Group.name": "of a group of rights",
    "auth.Permission.codename": "of a right",
    "clubs.Season.name": "of a season",
    "clubs.SweepRun.name": "of a task",
}
ENTRIES = sorted(PERSONAL_DATA.items())


def undeclared(found: list[type[models.Model]]) -> list[str]:
    """Columns that refer to or may describe a person, and that no entry of the register names."""
    missing = []
    for model in found:
        held = PERSONAL_DATA.get(model._meta.label)
        named = {*held.shown, *held.hidden, *held.of, *held.empties} if held else set()
        for column in model._meta.concrete_fields:
            label = f"{model._meta.label}.{column.name}"
            related = getattr(column.related_model, "__name__", "")
            suspect = (
                related in PEOPLE
                or isinstance(column, FREE)
                or (isinstance(column, WORDY) and PERSONAL.search(column.name))
            )
            if suspect and column.name not in named and label not in NOT_PERSONAL:
                missing.append(label)
    return missing


def test_each_table_that_refers_to_a_person_is_in_the_register():
    managed = [m for m in apps.get_models(include_auto_created=True) if m._meta.managed]
    missing = undeclared(managed)
    assert not missing, f"docs/personal-data.md, A new table, says what to do: {missing}"


@isolate_apps("clubs")
def test_a_new_table_with_a_person_in_it_is_found():
    class Trophy(models.Model):
        winner = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="+")
        given_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
        phone = models.CharField(max_length=20)
        ip = models.GenericIPAddressField()
        speech = models.TextField()
        colour = models.CharField(max_length=20)

        class Meta:
            app_label = "clubs"

    assert undeclared([Trophy]) == [
        f"clubs.Trophy.{name}" for name in ("winner", "given_by", "phone", "ip", "speech")
    ]


@pytest.mark.parametrize(("label", "held"), ENTRIES, ids=[label for label, _held in ENTRIES])
def test_an_entry_names_columns_that_exist_and_has_their_words(label, held):
    model = apps.get_model(label)
    for name in (*held.of, *held.shown, *held.hidden, *held.empties):
        leads_to(model, name)  # FieldDoesNotExist where it is none
    assert {name for name in held.shown if name not in WORDS} == set()
    assert all(leads_to(model, name) in (Member, User) for name in held.of)
    if held.fate is Fate.ERASED:
        assert held.of or held.find or held.forget, "whose rows are they?"
    if held.fate is Fate.EMPTIED:
        assert held.empties or held.forget, "what is emptied?"


def test_each_secret_stays_out_of_the_export():
    secrets = re.compile(
        r"password|pin_hash|token|key$|key_hash|secret|auth$|p256dh|endpoint|session"
    )
    shown = {f"{label}.{name}" for label, held in ENTRIES for name in held.shown}
    assert {name for name in shown if secrets.search(name.rsplit(".", 1)[1])} == set()


# What a column holds that is no datum of a person: keys, versions, numbers of other rows.
TECHNICAL = {
    *("id", "organisation", "version", "rev", "revision", "position", "seq", "supersedes", "key"),
    *("content_type", "action_flag", "session_key", "is_superuser", "is_staff", "is_active"),
    *("max_uses", "used_count", "mail_failed_at", "trigger_key", "origin", "target_id", "asked_as"),
    *("rule_book_id_in_force", "previous_hash", "hash", "device_version", "is_outsider", "until"),
    *("initial_rank", "period", "rule_book", "last_entry", "source", "posted_at", "rating_list"),
    *("done", "total", "beat_at", "ended_at", "taken_at", "pairing_run", "first_seated_at"),
    *("second_seated_at", "contest_until", "deadline_until", "confirmed", "checked_at", "role"),
    *("checked_version", "number", "from_status", "contest", "match", "evening", "waiting_since"),
    *("cote_origin", "first_round", "kind", "wrong", "added", "called_again_at"),
}


def test_each_column_of_an_exported_table_is_shown_hidden_or_technical():
    left = [
        f"{label}.{column.name}"
        for label, held in PERSONAL_DATA.items()
        if held.shown
        for column in apps.get_model(label)._meta.concrete_fields
        if column.name
        not in {*TECHNICAL, *held.hidden, *held.of, *held.empties}
        | {name.partition("__")[0] for name in held.shown}
    ]
    assert not left, (
        "put each in `shown` or `hidden` of its entry (`shown`: with its words in words.py), or in "
        f"TECHNICAL here if it is no datum of a person: {left}"
    )


def test_what_is_stored_as_a_code_is_read_in_words():
    unsaid = [
        f"{label}.{name}: {code}"
        for label, held in ENTRIES
        for name in held.shown
        for code, _words in column_of(apps.get_model(label), name).flatchoices or ()
        if code and str(sayer(label, name)(code)) == code
    ]
    assert unsaid == []


def test_steps_and_ends_of_a_match_are_read_in_words():
    for column, codes in (
        ("event", EVENTS),
        ("kind", [kind.value for kind in Kind]),
        ("why", [why.value for why in Ending]),
        ("absent", [who.value for who in Absent]),
        ("to_status", [status.value for status in Status]),
    ):
        assert set(codes) <= set(codes_of(column)), column


def test_no_two_columns_of_an_export_have_the_same_heading():
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            for label, held in ENTRIES:
                heads = [str({**WORDS, **held.heads}[name]) for name in held.shown]
                assert len(set(heads)) == len(heads), (language, label, heads)
                assert set(held.heads) <= set(held.shown), label


def test_an_export_calls_the_short_games_of_a_match_as_its_page_does():
    for label in ("pairings.Match", "pairings.Submission"):
        assert PERSONAL_DATA[label].heads["games"] == "manches"
    assert "games" not in PERSONAL_DATA["ratings.StandingCote"].heads
