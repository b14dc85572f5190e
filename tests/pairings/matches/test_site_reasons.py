"""A reason that the site itself stores is shown in each reader's language."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.utils import translation

from clubs.journal.models import JournalEntry
from clubs.journal.wording import reason_words
from pairings.matches import reasons
from pairings.matches.models import Decision
from pairings.rules.match_state import Absent
from tests.our_code import modules

pytestmark = pytest.mark.django_db
ENGLISH = "Absence recorded by the arbiter."  # as it was stored before


@pytest.fixture
def noted(club):
    """A match whose absence an arbiter noted on an English page."""
    match, (first, _second) = club.match()
    match.first.user.language = "en"
    match.first.user.save()
    at = club.at + timedelta(minutes=11)
    with translation.override("en"):
        club.mark_absent(match, Absent.FIRST, at=at)
    return match, first


def test_it_is_stored_in_no_language_of_who_acts(club, noted):
    match, _first = noted
    assert Decision.objects.get(match=match).reason == reasons.NOTED_ABSENT
    assert JournalEntry.objects.get(verb="match_mark_absent").reason == reasons.NOTED_ABSENT


def test_each_reader_reads_it_in_their_language(club, noted, as_user):
    match, _first = noted
    arbiter = as_user(club.arbiter.user)
    officer = as_user(club.committee.user)
    for language in ("fr", "en", "ro"):
        arbiter.cookies["django_language"] = officer.cookies["django_language"] = language
        with translation.override(language):
            expected = translation.gettext(reasons.NOTED_ABSENT)
        assert expected in arbiter.get(f"/matchs/{match.pk}/").content.decode(), language
        for page in ("/gestion/journal/", "/gestion/journal/?format=csv"):
            answer = officer.get(f"/c/faizers{page}")
            text = b"".join(answer).decode()
            assert expected in text, (language, page)
    assert expected != ENGLISH


def test_what_a_person_typed_or_what_was_stored_before_stays_as_it_is():
    with translation.override("ro"):
        for typed in (ENGLISH, "Absence", "Décision", ""):
            assert reason_words(typed) == typed


def test_no_act_stores_a_translated_reason():
    translated = re.compile(r"\breason\s*=\s*(?:[\w.()\s]+ or )?_\(")
    found = [
        f"{path.name}: {line.strip()}"
        for path in modules(["clubs", "ratings", "pairings", "api"])
        for line in path.read_text(encoding="utf-8").splitlines()
        if translated.search(line)
    ]
    assert not found
