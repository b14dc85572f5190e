"""French is the source. Finds every sentence, updates locale/*.po, compiles the .mo files.

`python run.py translate` runs this. It needs no gettext binary: Babel reads Python, Django's own
templatize reads templates, polib writes. Existing translations stay as they are; a new sentence is
added empty, a removed one is deleted. There is no fuzzy matching.
"""

from __future__ import annotations

import calendar
import io
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import polib
from babel.messages.extract import extract

from config.devtools.english import DJANGO_WORDS as DJANGO_ENGLISH
from config.devtools.english import account_english
from config.devtools.passwords import PASSWORDS
from config.devtools.romanian import ACCOUNT_WORDS, DJANGO_PLURALS, DJANGO_WORDS
from config.devtools.two_steps import TWO_STEPS

ROOT = Path(__file__).resolve().parents[2]
LOCALE = ROOT / "locale"
SOURCE = "fr"
APPS = ("clubs", "ratings", "pairings", "api", "config")
NOT_OURS_TO_TRANSLATE = ("migrations", "conformance.py")
PLURALS = {
    "fr": "nplurals=2; plural=(n > 1);",
    "en": "nplurals=2; plural=(n != 1);",
    "ro": ("nplurals=3; plural=(n==1 ? 0 : (n==0 || (n%100 > 0 && n%100 < 20)) ? 1 : 2);"),
}
FORMS = {language: int(rule[len("nplurals=")]) for language, rule in PLURALS.items()}
# Sentences of ours that Django's or allauth's French catalogue would translate by another word.
SAID_ELSEWHERE = ("Note", "PM")
# Package texts that we write otherwise: allauth's French in our typography, with one word for
# one thing; Django's Romanian days and months, without a capital in a sentence,
# and November as "nov.": "noi" means new. allauth's Romanian is in romanian.py.
PACKAGES = LOCALE / "packages"
PACKAGE_WORDS = {
    "fr": {
        "Email": "Adresse e-mail",
        "Are you sure?": "Confirmez-vous\N{NO-BREAK SPACE}?",
        "Signed out of all other sessions.": "Vos autres appareils sont déconnectés.",
    },
    "ro": {"nov": "nov", "Nov.": "nov."},
}
ACCOUNT_TEXTS = PASSWORDS | TWO_STEPS
DJANGO_FRENCH = {
    "Enter a valid email address.": "Donnez une adresse e-mail, comme nom@exemple.fr.",
    "Enter a whole number.": "Donnez un nombre entier.",
    "Ensure this value is less than or equal to %(limit_value)s.": "Au plus %(limit_value)s.",
    "Ensure this value is greater than or equal to %(limit_value)s.": "Au moins %(limit_value)s.",
}
KEYWORDS = {
    "_": None,
    "gettext": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext": (1, 2),
    "ngettext_lazy": (1, 2),
    "pgettext": ((1, "c"), 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext": ((1, "c"), 2, 3),
    "npgettext_lazy": ((1, "c"), 2, 3),
}

Key = tuple[str | None, str]


@dataclass(slots=True)
class Message:
    """One French sentence, its places, and its plural if it has one.

    `alone`: somewhere it is asked for without a number. gettext does not find a counted one so.
    """

    text: str
    context: str | None = None
    plural: str = ""
    alone: bool = False
    places: list[tuple[str, str]] = field(default_factory=list)


def collect() -> dict[Key, Message]:
    """Return every sentence of the code and the templates, by context and singular."""
    messages: dict[Key, Message] = {}
    for path, source in _sources():
        place = path.relative_to(ROOT).as_posix()
        extracted = extract("python", io.BytesIO(source.encode()), keywords=KEYWORDS)
        for line, texts, _comments, context in extracted:
            singular, plural = (texts[0], texts[1]) if isinstance(texts, tuple) else (texts, "")
            if not singular:
                continue
            message = messages.setdefault((context, singular), Message(singular, context))
            message.plural = message.plural or plural
            message.alone = message.alone or not plural
            message.places.append((place, str(line)))
    return messages


def _sources() -> Iterator[tuple[Path, str]]:
    from django.utils.translation.template import templatize

    for app in APPS:
        for path in sorted((ROOT / app).rglob("*.py")):
            if not set(path.parts) & set(NOT_OURS_TO_TRANSLATE):
                yield path, path.read_text()
    for path in sorted((ROOT / "templates").rglob("*")):
        if path.suffix in (".html", ".txt"):
            text = templatize(path.read_text(), origin=str(path))
            # The text around the tags becomes rows of X: no Python, so without its indents.
            yield path, "\n".join(line.strip() for line in text.splitlines())


def catalogue(language: str) -> Path:
    return LOCALE / language / "LC_MESSAGES" / "django.po"


def package_catalogue(language: str) -> Path:
    return PACKAGES / language / "LC_MESSAGES" / "django.po"


def wanted(language: str, messages: Iterable[Message]) -> list[Message]:
    """Return the sentences of a language; French needs plurals only, its singular is the source."""
    return [
        message
        for message in messages
        if language != SOURCE or message.plural or message.text in SAID_ELSEWHERE
    ]


def missing(language: str, messages: dict[Key, Message]) -> list[str]:
    """Return what is still to be translated, as `place: sentence`."""
    path = catalogue(language)
    entries = {(e.msgctxt, e.msgid): e for e in polib.pofile(str(path))} if path.exists() else {}
    lacking = []
    for message in wanted(language, messages.values()):
        entry = entries.get((message.context, message.text))
        if entry is None or not _complete(entry, message, FORMS[language]):
            place = ":".join(message.places[0])
            lacking.append(f"{place}: {message.text!r}")
    return lacking


def _complete(entry: polib.POEntry, message: Message, forms: int) -> bool:
    if entry.fuzzy or entry.obsolete:
        return False
    if message.plural:
        texts = [entry.msgstr_plural.get(form, "") for form in range(forms)]
        return entry.msgid_plural == message.plural and all(texts)
    return bool(entry.msgstr)


def empty(language: str) -> polib.POFile:
    """Return a catalogue of a language without a sentence."""
    after = polib.POFile(wrapwidth=100)
    after.metadata = {
        "Language": language,
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
        "Plural-Forms": PLURALS[language],
    }
    return after


def update(language: str, messages: dict[Key, Message]) -> polib.POFile:
    """Return the catalogue with every sentence of today, and its existing translations."""
    path = catalogue(language)
    before = {(e.msgctxt, e.msgid): e for e in polib.pofile(str(path))} if path.exists() else {}
    after = empty(language)
    for message in wanted(language, messages.values()):
        entry = polib.POEntry(
            msgid=message.text,
            msgctxt=message.context,
            msgid_plural=message.plural,
            occurrences=[(place, "") for place in dict.fromkeys(p for p, _ in message.places)],
        )
        old = before.get((message.context, message.text))
        if message.plural:
            plural_forms = old.msgstr_plural if old is not None else {}
            source_forms = (message.text, message.plural)
            entry.msgstr_plural = {
                form: source_forms[form] if language == SOURCE else plural_forms.get(form, "")
                for form in range(FORMS[language])
            }
        elif language == SOURCE:
            entry.msgstr = message.text
        elif old is not None:
            entry.msgstr = old.msgstr
        if old is not None:
            entry.tcomment = old.tcomment
            entry.flags = [flag for flag in old.flags if flag == "fuzzy"]
        after.append(entry)
    return after


def typographic(text: str) -> str:
    """Return French with the typography of our pages."""
    text = re.sub(r"(?<=\w)'(?=\w)", "’", text)
    return re.sub(r" (?=[:;!?»]|%(?![(a-z]))|(?<=«) ", "\N{NO-BREAK SPACE}", text)


def allauth_sentences() -> Iterator[polib.POEntry]:
    """Yield each sentence of allauth without a plural: its English, and its own French."""
    import allauth

    source = Path(allauth.__file__).parent / "locale/fr/LC_MESSAGES/django.po"
    for entry in polib.pofile(str(source)):
        if not entry.obsolete and not entry.msgid_plural:
            yield entry


def package_french() -> polib.POFile:
    """Return the French texts of allauth and of Django's fields that we write otherwise."""
    after = empty(SOURCE)
    words = PACKAGE_WORDS["fr"] | {english: said[0] for english, said in ACCOUNT_TEXTS.items()}
    for entry in allauth_sentences():
        said = words.get(entry.msgid, typographic(entry.msgstr))
        if said != entry.msgstr:
            after.append(polib.POEntry(msgid=entry.msgid, msgctxt=entry.msgctxt, msgstr=said))
    for english, french in DJANGO_FRENCH.items():
        after.append(polib.POEntry(msgid=english, msgstr=french))
    return after


def package_english() -> polib.POFile:
    """Return the English texts of allauth and of Django's fields that we write otherwise."""
    after = empty("en")
    words = {entry.msgid: account_english(entry.msgid) for entry in allauth_sentences()}
    words |= {english: said[1] for english, said in ACCOUNT_TEXTS.items()} | DJANGO_ENGLISH
    for english, said in words.items():
        if said != english:
            after.append(polib.POEntry(msgid=english, msgstr=said))
    return after


def package_romanian() -> polib.POFile:
    """Return days and months as Romanian writes them, Django's letters mended, and allauth's texts."""
    import django

    names = {*calendar.day_name, *calendar.day_abbr, *calendar.month_name}
    names |= {name.lower() for name in calendar.month_abbr}
    after = empty("ro")
    for part in ("conf", "contrib/auth"):
        source = Path(django.__file__).parent / part / "locale/ro/LC_MESSAGES/django.po"
        for entry in polib.pofile(str(source)):
            if entry.msgid in names or entry.msgctxt in ("abbrev. month", "alt. month"):
                text = PACKAGE_WORDS["ro"].get(entry.msgid, entry.msgstr.lower())
                after.append(polib.POEntry(msgid=entry.msgid, msgctxt=entry.msgctxt, msgstr=text))
            elif entry.msgid in DJANGO_WORDS:
                continue
            elif not entry.msgid_plural and with_commas(entry.msgstr) != entry.msgstr:
                text = with_commas(entry.msgstr)
                after.append(polib.POEntry(msgid=entry.msgid, msgctxt=entry.msgctxt, msgstr=text))
    second = {english: said[2] for english, said in ACCOUNT_TEXTS.items()}
    for english, romanian in {**ACCOUNT_WORDS, **DJANGO_WORDS, **second}.items():
        after.append(polib.POEntry(msgid=english, msgstr=romanian))
    for (one, many), forms in DJANGO_PLURALS.items():
        texts = dict(enumerate(forms))
        after.append(polib.POEntry(msgid=one, msgid_plural=many, msgstr_plural=texts))
    return after


def with_commas(text: str) -> str:
    """Return Romanian with ș and ț, which Django writes with a cedilla, and no space before a sign."""
    return re.sub(r" +(?=[.,)])", "", text.translate(str.maketrans("şţŞŢ", "șțȘȚ")))


def save(entries: polib.POFile, path: Path) -> None:
    """Write a catalogue and its compiled form."""
    path.parent.mkdir(parents=True, exist_ok=True)
    entries.save(str(path))
    path.with_suffix(".mo").write_bytes(entries.to_binary())


def main() -> int:
    messages = collect()
    for language in PLURALS:
        entries = update(language, messages)
        save(entries, catalogue(language))
        lacking = missing(language, messages)
        print(f"{language}: {len(entries)} sentences, {len(lacking)} to translate")
    packages = {"fr": package_french(), "en": package_english(), "ro": package_romanian()}
    for language, ours in packages.items():
        save(ours, package_catalogue(language))
    return 0


if __name__ == "__main__":
    sys.exit(main())
