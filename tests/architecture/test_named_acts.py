"""What a screen reader hears of the templates: names of acts in lists, states, headers of tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

TEMPLATES = settings.BASE_DIR / "templates"
PATHS = sorted(TEMPLATES.rglob("*.html"))
PIECES = re.compile(
    r"{%\s*(?P<tag>for|empty|endfor)\b.*?%}"
    r"|<(?P<name>button|a|summary)\b(?P<attributes>[^>]*)>(?P<words>.*?)</(?P=name)>",
    re.DOTALL,
)
# Each stands under a heading of its own that names the club, the evening or the tournament.
UNDER_A_HEADING = {
    "pairings/evenings/_my_card.html",
    "pairings/evenings/cards/arrive.html",
    "pairings/home/_home_evening.html",
    "pairings/home/_portal_clubs.html",
    "pairings/tournaments/_tournament.html",
    "clubs/organisations/rules.html",
}


def read(path: Path) -> str:
    return without_brackets(path.read_text())


def without_brackets(html: str) -> str:
    """Return the template with no "<" or ">" but those of HTML."""
    return re.sub(r"{[{%].*?[%}]}", lambda tag: re.sub("[<>]", "~", tag[0]), html)


def named_alike(html: str) -> Iterator[str]:
    """Yield the words of buttons, links and folds that are the same in every turn of a loop."""
    repeated: list[bool] = []
    for found in PIECES.finditer(html):
        if found["tag"] == "for":
            repeated.append(True)
        elif found["tag"] == "empty":
            repeated[-1] = False
        elif found["tag"]:
            repeated.pop()
        elif any(repeated) and "aria-label" not in found["attributes"]:
            words = re.sub(r"{%\s*icon\b.*?%}", "", found["words"])
            if "{{" not in words and re.search(r"{%\s*(?:block)?translate\b", words):
                yield " ".join(words.split())


def test_an_act_of_a_row_says_of_which_row() -> None:
    """Ten buttons "Annuler" in a list of buttons tell nothing: each has the row's name in its own."""
    found = {str(path.relative_to(TEMPLATES)): list(named_alike(read(path))) for path in PATHS}
    alike = {
        name: [words for words in acts if "firstof" not in words] for name, acts in found.items()
    }
    assert {name for name, acts in alike.items() if acts} == UNDER_A_HEADING, alike


def test_names_that_are_alike_are_found() -> None:
    loop = "{{% for a in b %}}<button>{{% icon 'x' %}}{{% translate 'Annuler' %}}{}</button>{{% endfor %}}"
    assert list(named_alike(loop.format(""))) and not list(named_alike(loop.format("{{ a }}")))


def test_what_is_only_heard_begins_with_no_comma() -> None:
    """Browsers put a space before an element that is out of sight: "Vérifié , table 1"."""
    begun = re.compile(r"class=\"hidden-text\">\s*[,;:.]")
    assert not [str(path) for path in PATHS if begun.search(path.read_text())]


def test_a_button_says_its_state_by_its_words_or_by_being_pressed_not_by_both() -> None:
    """ "à payer, not pressed": a name that changes with the state says it already."""
    pressed = re.compile(r"<button[^>]*aria-pressed=\"{% if (?P<state>[^%]+)%}")
    both = []
    for path in PATHS:
        html = read(path)
        for found in pressed.finditer(html):
            name = html[found.end() : html.index("</button>", found.end())].partition(">")[2]
            if f"{{% if {found['state'].strip()} %}}" in name:
                both.append(f"{path.relative_to(TEMPLATES)}: {found['state']}")
    assert not both


def test_each_row_of_a_table_has_a_header_and_each_table_a_name() -> None:
    wrong = []
    for path in PATHS:
        html = read(path)
        if "<table" not in html or "styleguide" in path.parts or "allauth" in path.parts:
            continue
        if not re.search(r"<caption|aria-label", html):
            wrong.append(f"{path}: no name")
        for body in re.findall(r"<tbody.*?</tbody>", html, re.DOTALL):
            for row in re.findall(r"<tr\b.*?</tr>", body, re.DOTALL):
                if "<td" in row and not re.search("<th|{% include|{% for cell in|colspan", row):
                    wrong.append(f"{path}: {row[:80]}")
        wrong += [f"{path}: {cell}" for cell in re.findall(r"<th\b(?![^>]*scope)[^>]*>", html)]
    assert not wrong
