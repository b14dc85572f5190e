"""The words our glossary avoids are in no sentence of the site."""

from __future__ import annotations

import re

import polib
import pytest

from config.devtools import translations

# Only what is wrong wherever it stands; a word with a right and a wrong use is for a reader.
# Each is a pattern of whole words, without regard to capitals, and the word to write instead.
FORBIDDEN: dict[str, dict[str, str]] = {
    "fr": {
        r"byes?": "exempt, exemption",
        r"répétitions?": "revanche",
        r"confrontations?": "match",
        r"sessions?|séances?": "soirée",
        r"épreuves?": "compétition",
        r"close|clore|clôt": "clôturée, clôturer",
        r"vers(?:er|é|és|ée|ées)": "transmettre à une liste",
        r"apport(?:er|ée|ées)": "importer",
        r"réunir|réuni|réunis|réunissez": "fusionner",
        r"bureaux?": "accueil ; gestion ; comité",
        r"condui(?:re|te)": "gérer, gestion",
        r"défai(?:t|re)": "annuler",
        r"excuses?": "justification",
        r"badges?|gemmes?": "catégorie",
        r"ouvriers?": "la simulation va commencer",
        r"abîmée?s?": "illisible",
        r"erratum": "rectificatif",
        r"on attend (?:un|une|oui|vrai)": "il faut, écrivez",
        r"passez par": "utilisez",
        r"rien n’est écrit": "rien n’est enregistré",
        r"mineure?s?": "moins de 18 ans",
        r"(?:du|le|aucun|un) DS": "la DS",
        r"celui qui": "la personne qui",
        r"n°": "nº",
        r"lui-même": "une tournure sans genre",
    },
    "en": {
        r"fictive": "dummy player",
        r"journals?": "log",
        r"placing sheets?": "results sheet",
        r"diplomas?": "certificate",
        r"mend": "fix",
        r"dispute window": "time to dispute",
        r"parted by|parts them": "separated by",
        r"foretells?": "predicts",
    },
    "ro": {
        r"cotă|cota|cotei|cotele|cotelor": "rating",
        r"bară|bara|barele": "prag",
        r"corectur[ăaiei]+": "corectare",
        r"socot\w+": "a lua în calcul",
        r"tranș\w+": "a decide",
        r"recitiți\S*": "verificați",
        r"\w*[şţ]\w*": "ș, ț with a comma below",
    },
}


def sentences(language: str) -> list[str]:
    if language == translations.SOURCE:
        found = translations.collect().values()
        return [text for one in found for text in (one.text, one.plural) if text]
    entries = polib.pofile(str(translations.catalogue(language)))
    return [text for e in entries for text in (e.msgstr, *e.msgstr_plural.values()) if text]


def wrong(text: str, words: dict[str, str]) -> list[str]:
    return [
        f"{pattern} in {text!r}: write {better}"
        for pattern, better in words.items()
        if re.search(rf"(?<!\w)(?:{pattern})(?!\w)", text, re.IGNORECASE)
    ]


@pytest.mark.parametrize("language", FORBIDDEN)
def test_no_sentence_has_a_word_that_the_glossary_avoids(language: str) -> None:
    words = FORBIDDEN[language]
    assert [line for text in sentences(language) for line in wrong(text, words)] == []


def test_a_word_is_found_as_a_whole_and_in_any_case() -> None:
    words = FORBIDDEN["fr"]
    assert wrong("Clore la soirée", words) and wrong("Joueur n° 3", words)
    assert not wrong("Clôturer la soirée", words) and not wrong("Fin de l’enclos", words)
