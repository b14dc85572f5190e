"""What holds for every template file."""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.template import engines

LOAD = re.compile(r"{%\s*load\s+([\w ]+?)\s*%}")


def test_a_comment_of_a_template_ends_on_its_line():
    """Django prints one that does not."""
    open_ended = [
        f"{path.relative_to(settings.BASE_DIR)}:{number}"
        for path in sorted((settings.BASE_DIR / "templates").rglob("*.html"))
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if line.count("{#") != line.count("#}")
    ]
    assert not open_ended


def test_no_line_of_a_template_is_longer_than_120_characters():
    long = [
        f"{path.relative_to(settings.BASE_DIR)}:{number}"
        for path in sorted((settings.BASE_DIR / "templates").rglob("*.html"))
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if len(line) > 120
    ]
    assert not long


def test_the_page_about_the_look_names_what_there_is() -> None:
    root = settings.BASE_DIR
    page = (root / "docs" / "design.md").read_text()
    sheets = "".join(path.read_text() for path in (root / "static" / "css").glob("*.css"))
    named = set(re.findall(r"`\.([a-z][\w-]+)`", page))
    named |= {name for some in re.findall(r'class="([^"{]+)"', page) for name in some.split()}
    gone = {name for name in named if name.isascii() and f".{name}" not in sheets}
    assert not gone, f"docs/design.md: no such class in static/css: {gone}"
    components = set(re.findall(r"`(_\w+\.html)`", page))
    gone = components - {path.name for path in (root / "templates" / "components").glob("_*.html")}
    assert not gone, f"docs/design.md: no such component: {gone}"
    scripts = {path.stem for path in (root / "static" / "js").glob("*.js")}
    unsaid = {name for name in scripts if not re.search(rf"\b{name}\b", page)}
    assert not unsaid, f"say what it does in docs/design.md: {unsaid}"


def test_a_name_of_a_list_can_break_on_a_narrow_phone() -> None:
    """Loose words in a row are a box as wide as the longest: 40 letters push the page."""
    loose = re.compile(r'<li class="row[^"]*">(?:<b[^>]*>[^<]*</b>)?[^<]*\{\{')
    found = [
        f"{path.relative_to(settings.BASE_DIR)}:{number}"
        for path in sorted((settings.BASE_DIR / "templates").rglob("*.html"))
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if loose.search(line)
    ]
    assert not found


def test_a_template_loads_the_tags_that_it_uses_and_no_others() -> None:
    engine = engines["django"].engine
    unused = []
    for path in sorted((settings.BASE_DIR / "templates").rglob("*.*")):
        name = path.relative_to(settings.BASE_DIR / "templates")
        engine.get_template(str(name))  # every tag and filter is known
        text = path.read_text()
        for library in " ".join(LOAD.findall(text)).split():
            known = engine.template_libraries[library]
            words = [rf"{{%\s*{tag}\b" for tag in known.tags]
            words += [rf"\|{filter_}\b" for filter_ in known.filters]
            if not re.search("|".join(words), LOAD.sub("", text)):
                unused.append(f"{name}: {library}")
    assert not unused


NOT_READ = re.compile(
    r"{#.*?#}|{%\s*comment\b.*?endcomment\s*%}|<(script|style|svg)\b.*?</\1>"
    r"|{%\s*blocktrans(?:late)?\b.*?endblocktrans(?:late)?\s*%}|{%.*?%}|{{.*?}}|&\w+;",
    re.DOTALL,
)
SAID_BY_AN_ATTRIBUTE = re.compile(r'<[^>]*?\b(?:alt|aria-label|placeholder|title)="([^"]*)"')
NOT_TRANSLATED = (
    *("styleguide", "api/v1/documentation.html"),
    *("components/_live.html", "allauth/layouts/entrance.html"),
)
"""Read by developers, and in English by programmers; words of attributes alone."""
NAMES = {"Pdep"}
"""The same in every language."""


def words_in_one_language(text: str) -> set[str]:
    """Words that a page would show in French to every reader; abbreviations in capitals are none."""
    text = NOT_READ.sub("", text)
    shown = [re.sub(r"<[^>]*>", "\n", text), *SAID_BY_AN_ATTRIBUTE.findall(text)]
    return {
        word
        for part in shown
        for word in re.findall(r"[^\W\d_]{3,}", part)
        if not word.isupper() and word not in NAMES
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<h1>Arrivées</h1>", {"Arrivées"}),
        ('<a title="Retour" href="/">{{ name }}</a>', {"Retour"}),
        ('{% translate "Retour" %} {# retour #} PDF &nbsp; <b class="tag">1 h</b>', set()),
        ("{% blocktranslate trimmed %}\n Retour à {{ name }}\n{% endblocktranslate %}", set()),
    ],
)
def test_a_word_that_is_not_translated_is_found(text: str, words: set[str]) -> None:
    assert words_in_one_language(text) == words


def test_every_word_of_a_template_is_translated() -> None:
    folder = settings.BASE_DIR / "templates"
    left = {}
    for path in sorted(folder.rglob("*.html")):
        name = str(path.relative_to(folder))
        if not name.startswith(NOT_TRANSLATED) and (
            words := words_in_one_language(path.read_text("utf-8"))
        ):
            left[name] = words
    assert left == {}
