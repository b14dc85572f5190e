"""English and Romanian are complete; what the site loads is what the translator wrote."""

from __future__ import annotations

import ast
import re
from datetime import date
from functools import cache
from pathlib import Path

import allauth
import django
import polib
import pytest
from babel.messages.extract import extract
from django.core.exceptions import ValidationError
from django.forms import IntegerField
from django.utils import translation
from django.utils.formats import date_format

from clubs.templatetags.ui import absence_strip
from config.devtools import translations
from config.devtools.english import ACCOUNT_WORDS as ENGLISH_WORDS
from config.devtools.english import account_english
from config.devtools.romanian import ACCOUNT_WORDS
from tests.our_code import LANGUAGES, tree_of

found = cache(translations.collect)
PLACEHOLDER = re.compile(r"%\([a-z_]+\)[sd]|%%|\{[a-z_]*\}")
TAG = re.compile(r"</?[a-z]+")


def test_the_sentences_of_code_and_templates_are_found() -> None:
    kinds = {place.rpartition(".")[2] for m in found().values() for place, _line in m.places}
    assert {"py", "html"} <= kinds
    assert any(message.plural for message in found().values())


def test_a_module_imports_gettext_under_a_name_that_is_extracted() -> None:
    """A sentence inside any other call stays French for English and Romanian readers."""
    unknown = [
        f"{path.relative_to(translations.ROOT)}: {alias.name} as {alias.asname}"
        for app in translations.APPS
        for path in sorted((translations.ROOT / app).rglob("*.py"))
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ImportFrom) and node.module == "django.utils.translation"
        for alias in node.names
        if "gettext" in alias.name and (alias.asname or alias.name) not in translations.KEYWORDS
    ]
    assert unknown == []


def test_each_language_of_the_site_has_its_catalogue() -> None:
    """`LANGUAGES` of the settings offers it, `PLURALS` of `translations.py` writes its catalogue."""
    assert set(translations.PLURALS) == set(LANGUAGES)


@pytest.mark.parametrize("language", translations.PLURALS)
def test_no_sentence_lacks_its_translation(language: str) -> None:
    lacking = translations.missing(language, found())
    place = translations.catalogue(language).relative_to(translations.ROOT)
    assert not lacking, "\n".join(
        [
            f"{len(lacking)} to translate: run `python3 run.py translate`, fill what is empty",
            f"in {place}, run it again:",
            *lacking[:40],
        ]
    )


def test_a_counted_word_is_asked_for_with_its_number() -> None:
    """gettext does not find the singular of a counted one: it would stay French for everybody."""
    assert [m.text for m in found().values() if m.plural and m.alone] == []


@pytest.mark.parametrize("language", translations.PLURALS)
def test_the_compiled_catalogue_is_that_of_the_written_one(language: str) -> None:
    path = translations.catalogue(language)
    assert path.with_suffix(".mo").read_bytes() == polib.pofile(str(path)).to_binary()


@pytest.mark.parametrize("language", translations.PLURALS)
def test_no_sentence_is_left_of_a_page_that_is_gone(language: str) -> None:
    known = {(m.context, m.text) for m in translations.wanted(language, found().values())}
    entries = polib.pofile(str(translations.catalogue(language)))
    assert [e.msgid for e in entries if (e.msgctxt, e.msgid) not in known] == []


@pytest.mark.parametrize("language", translations.PLURALS)
def test_plural_forms_are_those_of_the_language(language: str) -> None:
    entries = polib.pofile(str(translations.catalogue(language)))
    assert entries.metadata["Plural-Forms"] == translations.PLURALS[language]


@pytest.mark.parametrize("language", [code for code in translations.PLURALS if code != "fr"])
def test_a_translation_keeps_every_value_and_every_tag(language: str) -> None:
    broken = []
    for entry in polib.pofile(str(translations.catalogue(language))):
        texts = entry.msgstr_plural.values() if entry.msgid_plural else [entry.msgstr]
        source = entry.msgid_plural or entry.msgid
        for text in filter(None, texts):
            optional = {"%(n)s", "%(count)s"} if entry.msgid_plural else set()
            values, expected = set(PLACEHOLDER.findall(text)), set(PLACEHOLDER.findall(source))
            lost = (expected - values - optional) | (values - expected)
            if lost or sorted(TAG.findall(text)) != sorted(TAG.findall(source)):
                broken.append(f"{entry.msgid!r} -> {text!r} ({lost or 'tags'})")
    assert broken == []


@pytest.mark.parametrize(
    ("language", "numbers"),
    [
        ("fr", {0: 0, 1: 0, 2: 1, 100: 1}),
        ("en", {0: 1, 1: 0, 2: 1, 100: 1}),
        ("ro", {0: 1, 1: 0, 2: 1, 19: 1, 20: 2, 100: 2, 101: 1, 120: 2}),
    ],
)
def test_a_number_takes_the_form_its_language_wants(language: str, numbers: dict[int, int]) -> None:
    from gettext import GNUTranslations

    with translations.catalogue(language).with_suffix(".mo").open("rb") as file:
        forms = GNUTranslations(file).plural
    assert {n: forms(n) for n in numbers} == numbers


def test_a_french_reader_reads_the_sentence_itself() -> None:
    """Django and allauth know some of our words too, and would answer "Note" with "Remarque"."""
    with translation.override("fr"):
        other = {
            message.text: said
            for message in found().values()
            if not message.plural
            and message.context is None
            and (said := translation.gettext(message.text)) != message.text
        }
    assert other == {}


def test_a_french_sentence_has_no_break_spaces_inside_its_punctuation() -> None:
    """The space before : ; ! ? » and after « does not break, so a line never starts with them."""
    entries = polib.pofile(str(translations.catalogue("fr")))
    said = {text for message in found().values() for text in (message.text, message.plural)}
    said |= {text for e in entries for text in (e.msgstr, *e.msgstr_plural.values())}
    breaks = re.compile(r"[ \t\n][:;!?»]|«[ \t\n]")
    assert len(said) > 1000 and sorted(filter(breaks.search, said)) == []


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("fr", "0 joueur, 1 joueur, 2 joueurs, 21 joueurs, 1000000 joueurs"),
        ("en", "0 players, 1 player, 2 players, 21 players, 1000000 players"),
        ("ro", "0 jucători, 1 jucător, 2 jucători, 21 de jucători, 1000000 de jucători"),
    ],
)
def test_a_counted_word_is_said_in_its_form(language: str, words: str) -> None:
    with translation.override(language):
        counted = [
            translation.ngettext("%(n)s joueur", "%(n)s joueurs", n) % {"n": n}
            for n in (0, 1, 2, 21, 1_000_000)
        ]
    assert ", ".join(counted) == words


VALUE = r"(?:%\(\w+\)[sd]|\{\w*\})(?:</\w+>)?[ \u00a0]"
# Words after a number that are no nouns, and texts whose number stays under 20.
WITHOUT_DE = {"la", "min", "așteaptă", "găsiți"}
UNDER_20 = (
    "Le délai d’appel est passé",
    "Le tableau pour %(size)s joueurs",
    "%(why)s, %(own)s fois",
)


def test_a_romanian_number_of_20_and_more_has_de_before_its_noun() -> None:
    """The third form has it; a noun that has such a form follows no number in a text without forms."""
    entries = polib.pofile(str(translations.catalogue("ro")))
    many = [entry.msgstr_plural[2] for entry in entries if entry.msgid_plural]
    nouns = {noun for text in many for noun in re.findall(VALUE + r"de (\w+)", text)} - WITHOUT_DE
    assert {"meciuri", "partide", "puncte", "jucători"} <= nouns
    counted = re.compile(r"%\((?:n|count)\)[sd](?:</\w+>)?[ \u00a0]([a-zăâîșț]+)")
    wrong = [
        text for text in many if (set(counted.findall(text)) - {"de", "din", "la"} - WITHOUT_DE)
    ]
    wrong += [
        text
        for entry in entries
        if not entry.msgid.startswith(UNDER_20)
        for text in [entry.msgstr_plural[2] if entry.msgid_plural else entry.msgstr]
        if nouns & set(re.findall(VALUE + r"(\w+)", text))
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("window", "words"),
    [
        (10, "în ultimele 10 meciuri"),
        (19, "în ultimele 19 meciuri"),
        (20, "în ultimele 20 de meciuri"),
        (110, "în ultimele 110 meciuri"),
    ],
)
def test_a_romanian_reads_de_in_a_long_window_of_absences(window: int, words: str) -> None:
    with translation.override("ro"):
        assert words in absence_strip(["present"] * window)


def test_the_french_of_packages_is_written_as_ours() -> None:
    said = [entry.msgstr for entry in polib.pofile(str(translations.package_catalogue("fr")))]
    assert said and not [text for text in said if re.search(r"\w'\w| [;!?»]| :", text)]
    with translation.override("fr"):
        assert translation.gettext("Authenticator App") == "Application d’authentification"
        for english, french in translations.DJANGO_FRENCH.items():
            assert translation.gettext(english) == french


@pytest.mark.parametrize(
    ("language", "least", "most"),
    [("fr", "Au moins 1.", "Au plus 30."), ("en", "At least 1.", "At most 30."), ("ro", "Cel puțin 1.", "Cel mult 30.")],
)  # fmt: skip
def test_a_number_out_of_bounds_is_refused_in_few_words(language, least, most) -> None:
    field = IntegerField(min_value=1, max_value=30)
    said = []
    with translation.override(language):
        for value in ("0", "31"):
            with pytest.raises(ValidationError) as refused:
                field.clean(value)
            said += refused.value.messages
    assert said == [least, most]


def test_the_romanian_of_accounts_is_polite_and_belongs_to_a_text() -> None:
    source = Path(allauth.__file__).parent / "locale/ro/LC_MESSAGES/django.po"
    known = {entry.msgid: entry.msgstr for entry in polib.pofile(str(source))}
    for english, romanian in ACCOUNT_WORDS.items():
        assert english in known, english
        assert romanian != known[english], english
        places = [sorted(PLACEHOLDER.findall(text)) for text in (english, romanian)]
        assert places[0] == places[1], english
    with translation.override("ro"):
        signed_in = translation.gettext("Successfully signed in as %(name)s.")
    assert signed_in == "V-ați conectat ca %(name)s."


def test_the_english_of_accounts_is_written_as_ours() -> None:
    """One spelling of e-mail, no contractions, and no capital on each word of a button."""
    known = {entry.msgid for entry in translations.allauth_sentences()}
    assert set(ENGLISH_WORDS) <= known
    for english in known:
        said = account_english(english)
        assert not re.search(r"(?<![\w({:])email\b(?!\w*[()}])|we'll|We've|You're", said), said
        assert sorted(PLACEHOLDER.findall(english)) == sorted(PLACEHOLDER.findall(said))
    assert account_english("Sign Out") == "Sign out"
    with translation.override("en"):
        assert translation.gettext("Change Password") == "Change my password"
        assert "e-mail" in translation.gettext("Enter a valid email address.")
    with translation.override("ro"):
        assert "e-mail" in translation.gettext("Enter a valid email address.")
        assert translation.gettext("Enter your password:") == "Introduceți parola:"


def test_allauths_words_of_accounts_are_ours_in_each_language() -> None:
    """They belong to a text of allauth, keep its places, and say "passkey" and "recovery code"."""
    source = Path(allauth.__file__).parent / "locale/fr/LC_MESSAGES/django.po"
    known = {entry.msgid for entry in polib.pofile(str(source)) if not entry.obsolete}
    for english, said in translations.ACCOUNT_TEXTS.items():
        assert english in known, english
        for words in said:
            assert sorted(PLACEHOLDER.findall(words)) == sorted(PLACEHOLDER.findall(english)), words
    for language, words in (
        ("fr", "Clé d’accès ajoutée."),
        ("en", "Passkey added."),
        ("ro", "Cheia de acces este adăugată."),
    ):
        with translation.override(language):
            assert translation.gettext("Security key added.") == words


FORM_MODULES = ("forms/fields", "forms/models", "forms/formsets", "core/validators")
FORM_MODULES += ("contrib/auth/password_validation",)


def test_what_django_says_of_a_field_is_romanian_with_its_letters() -> None:
    """Where Django's Romanian lacks a text, the reader would get the French one."""
    top, wrong = Path(django.__file__).parent, []
    for module in FORM_MODULES:
        with (top / f"{module}.py").open("rb") as source:
            said = list(extract("python", source, keywords=translations.KEYWORDS))
        for _line, texts, _comments, _context in said:
            one, many = (texts, "") if isinstance(texts, str) else (texts[0], texts[1])
            for n in (1, 2, 20):
                words = {}
                for language in ("fr", "ro"):
                    with translation.override(language):
                        words[language] = (
                            translation.ngettext(one, many, n) if many else translation.gettext(one)
                        )
                same = words["ro"] == words["fr"] and " " in one
                if same or re.search(r"[şţŞŢ]| [.,)]", words["ro"]):
                    wrong.append(f"{module}: {one!r} -> {words['ro']!r}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("language", ["en", "ro"])
def test_a_percent_stands_beside_its_number_as_the_site_writes_it(language: str) -> None:
    """`percent_fr` puts a space before the sign in French alone."""
    for entry in polib.pofile(str(translations.catalogue(language))):
        for said in (entry.msgstr, *entry.msgstr_plural.values()):
            assert not re.search(r"[\d)}s][ \u00a0](%%|%(?![(\w]))", said), said


def test_romanian_days_and_months_take_no_capital() -> None:
    with translation.override("ro"):
        assert (
            date_format(date(2026, 11, 20), "l j F Y, D j N")
            == "vineri 20 noiembrie 2026, vin 20 nov."
        )


# A sign with the no-break space of French: a sentence has it translated, anything else has not.
SPACED_SIGN = re.compile("[ \u00a0\u202f][:;!?»](?:[ \u00a0]|$)|«[ \u00a0]")
LOOSE = "(?:[\u00a0\u202f]|&nbsp;)[:;!?»]|«"  # of a template, without its sentences
INVENTED = ("config/devtools", "config/styleguide", "pairings/demo", "ratings/demo")  # French data


def test_code_and_templates_write_no_french_sign_outside_a_sentence() -> None:
    """`clubs.ui.punctuation` writes those between values, in the reader's language."""
    loose = []
    for app in translations.APPS:
        for path in sorted((translations.ROOT / app).rglob("*.py")):
            place = str(path.relative_to(translations.ROOT))
            if "/migrations/" not in place and not place.startswith(INVENTED):
                loose += [f"{place}: {text!r}" for text in _untranslated(tree_of(path))]
    for path in sorted((translations.ROOT / "templates").rglob("*")):
        if path.is_file() and "styleguide" not in str(path):
            text = re.sub(
                r"(?s){%\s*blocktranslate.*?endblocktranslate\s*%}|{%.*?%}|{{.*?}}|{#.*?#}",
                "…",
                path.read_text(),
            )
            loose += [f"{path.name}: {sign!r}" for sign in re.findall(LOOSE, text)]
    assert not loose, "\n".join(loose)


def _untranslated(tree: ast.Module) -> list[str]:
    """Return the strings with such a sign that are in no call of gettext and no docstring."""
    known: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name in {*translations.KEYWORDS, "setting"}:
                known.update(ast.walk(node))
        elif isinstance(node, ast.Expr):
            known.update(ast.walk(node))
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node not in known
        and SPACED_SIGN.search(node.value)
    ]


@pytest.mark.parametrize("language", [code for code in translations.PLURALS if code != "fr"])
def test_no_sentence_names_a_document_by_its_working_number(language: str) -> None:
    """A reader knows FESA §7, not 003 §7; titles of the rule book alone pass through `cited`."""
    entries = polib.pofile(str(translations.catalogue(language)))
    numbered = re.compile(r"\b00[0-4] §|\(00[0-4]\)")
    texts = [text for entry in entries for text in (entry.msgid, entry.msgstr)]
    assert [text for text in texts if numbered.search(text)] == []
