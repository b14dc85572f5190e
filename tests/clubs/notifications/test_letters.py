"""What a mail says: a greeting, a sign-off, the language of whoever reads it, names as they are."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from types import SimpleNamespace as Words
from typing import Any

import pytest
from django.utils import translation
from django.utils.translation import gettext

from clubs.notifications import outbox
from tests.our_code import LANGUAGES

PUBLIC_NAME = "Amélie D."
LATER = datetime(2026, 12, 1, 19, 5, tzinfo=UTC)
READER = Words(first_name="Ștefan")
MATCH = Words(status="final", absent="b", first_score=412, second_score=387)
BOTH: dict[str, Any] = {
    "club": "Club FAIZERS",
    "member": READER,
    "evening": Words(held_on=date(2026, 12, 1)),
    "other": PUBLIC_NAME,
    "link": "https://club.example.org/page/",
}
LETTERS: list[tuple[str, dict[str, Any]]] = [
    ("absence", BOTH),
    ("absence", {**BOTH, "both": True, "justified": True}),
    ("decision", {**BOTH, "match": MATCH, "second": PUBLIC_NAME, "reason": "Feuille relue."}),
    *(
        ("sanction", {**BOTH, "reader": READER, "member": PUBLIC_NAME, "own": own, "imposed": held})
        for own in (True, False)
        for held in (True, False)
    ),
    ("invitation", {**BOTH, "name": "Ștefan", "by": PUBLIC_NAME, "until": LATER}),
    ("invitation", {**BOTH, "until": LATER}),
    (
        "journal_head",
        {
            **BOTH,
            "head": Words(seq=1, hash="ab" * 32),
            "journal": BOTH["link"],
            "choices": BOTH["link"],
        },
    ),
    ("push", {**BOTH, "notice": Words(title="Table 3", body="."), "choices": BOTH["link"]}),
    ("account_off", BOTH),
    ("second_factor", {"link": BOTH["link"], "host": "Club FAIZERS"}),
    (
        "hand_over",
        {
            "held": Words(label="Soirée", rating_list=Words(name="FISF"), words="retournée"),
            "federation": Words(name="Club FAIZERS"),
            "link": BOTH["link"],
        },
    ),
]
NOTICES: list[tuple[str, dict[str, Any]]] = [
    ("push_call", {"table": 3, "other": PUBLIC_NAME}),
    ("push_table", {"table": 3, "other": PUBLIC_NAME}),
    ("push_table", {"other": PUBLIC_NAME, "until": LATER}),
    ("push_table", {"table": 3, "other": PUBLIC_NAME, "until": LATER, "later_day": LATER}),
]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_mail_greets_signs_and_says_a_shortened_name_without_a_second_stop(language):
    with translation.override(language):
        greeting = gettext("Bonjour,").removesuffix(",")
    for name, context in LETTERS:
        subject, text = outbox.write(name, language, context)
        assert subject and text.startswith(greeting), name
        assert text.endswith("\nClub FAIZERS\n"), (name, text)
        assert not re.search(r"\.\.|\n{3}| (?:de|d’|lui) ?A", subject + text), (name, text)
    for name, context in NOTICES:
        assert ".." not in "".join(outbox.write(name, language, context)), name


def test_one_line_of_the_journal_is_one_line():
    context = {**BOTH, "choices": BOTH["link"]}
    for seq, words in ((1, "1 ligne."), (2, "2 lignes.")):
        _subject, text = outbox.write(
            "journal_head", "fr", {**context, "head": Words(seq=seq, hash="")}
        )
        assert words in text
