"""A column that a page names to its reader is found in a file under that name, in every language."""

from __future__ import annotations

import pytest
from django.utils.translation import override

from clubs.exchange.tables import columns_of
from clubs.members import imports
from clubs.persons import licence_words
from tests.our_code import LANGUAGES

FILES = {
    "members": (imports.LABELS, imports.COLUMNS),
    "licences": (licence_words.LABELS, licence_words.COLUMNS),
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("file", FILES)
def test_a_column_named_as_on_the_page_is_found(file: str, language: str) -> None:
    labels, known = FILES[file]
    assert set(labels) == set(known)
    with override(language):
        head = [label() for label in labels.values()]
    assert columns_of(head, known) == {name: place for place, name in enumerate(labels)}, head
