"""The words our glossary avoids are in no sentence of the site."""

from __future__ import annotations

import re

import polib
import pytest

from config.devtools import translations

# Only what is wrong wherever it stands; a word with a right and a wrong use is for a reader.
# Each is a pattern of whole words, without regard to capitals, and the word to write instead.
# Words alone cannot check these rows of the glossaries, for the avoided word is right elsewhere:
# French: match, manche and partie (TestMatch holds the translations); ronde and tour; table and
#   tableau; adversaire and l’autre, lui; forfait, absence and abandon; constater and noter; motif
#   and raison; saisir and taper, entrer; confirmer and valider, accord; litige and contestation;
#   trancher and retenir; annuler, retirer and effacer; terminer and fini, clos; rectificatif and
#   correction; classement, liste and cote; cote and rating; cote projetée and provisoire;
#   importer and lire, reprendre; calcul à blanc, simulation and essai; règles and règlement,
#   document, texte; invité and joueur invité; s’inscrire and arriver; joueur and membre;
#   enregistrer and garder, écrire; journal, archive and historique; appareil and téléphone.
# English: match and game (TestMatch); ranking and standings; rank and place; draw and tie; record
#   and note; venue and place; entry, record and result; gap and difference; act and action;
#   threshold, band and step; change and move; Empty as a hint and as a state.
# Romanian: meci and partidă (TestMatch); seară (TestClubNight); rundă and tur; loc and locație; bye
#   and liber; tablou and tabel; contestație and apel; a afecta and atins; a salva and a păstra;
#   ediție and a publica; rând and linie; dumneavoastră and the imperative of a button.
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
        r"rencontres? déjà faites?": "revanche",
        r"binômes?": "table, appariement",
        r"échiquiers?": "table",
        r"fantômes?": "joueur fictif X",
        r"l’autre joueur|le second joueur": "adversaire",
        r"(?:entrer|entrez|noter|notez|taper|tapez) (?:le|les|un|deux|votre|vos) "
        r"(?:deux )?(?:scores?|résultats?)": "saisir",
        r"signale[rz] une erreur": "contester ; demander une correction",
        r"réclamations?": "contestation",
        r"conflits?": "litige",
        r"demandes? tardives?": "demande de correction",
        r"remettre|remettez|remise?s?": "transmettre à une liste",
        r"parutions?|éditions?": "publication",
        r"errata": "rectificatif",
        r"proj\.": "cote projetée",
        r"essais? à blanc|simulations? à blanc": "calcul à blanc",
        r"règlement version": "règles, version",
        r"demandes? d’inscription": "demande d’adhésion",
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
        r"mends|mended|mending": "fix",
        r"referees?": "arbiter",
        r"sessions?": "club night; sign-in",
        r"(?<!all )(?<!that )(?<!good )(?<!one )evenings?": "club night",
        r"(?<!%\()windows?": "time to dispute",
        r"contest(?:s|ed|ing|ation)?": "dispute",
        r"settle[sd]? (?:an? |the )?disputes?": "decide",
        r"judges? (?:a|the|their|your) \w+": "decide",
        r"arbitration": "arbiter’s desk",
        r"repeat(?:s|ed)? (?:too soon|before)|(?:this|unavoidable|a) repeat": "rematch",
        r"winning games?": "best of three",
        r"particular": "head-to-head",
        r"duels?": "head-to-head",
        r"knockout tables?": "knockout bracket",
        r"fixed tables?|tableaux?": "fixed pairing schedule",
        r"phantoms?": "dummy player",
        r"odd number(?! of)": "odd number of players",
        r"unranked": "unrated",
        r"errat(?:um|a)|publish a correction(?! notice)": "correction notice",
        r"badges?": "category",
        r"journalled": "logged",
        r"br(?:ing|ings|inging|ought) in": "add",
        r"hand(?:s|ed|ing)?[ -]overs?": "send, submission",
        r"publication no\.": "edition no.",
        r"touch(?:es|ed)": "affects, affected",
        r"open(?:s|ed)? the arrivals": "open check-in",
        r"notes? an? (?:absence|forfeit|withdrawal)|absence noted": "record",
        r"(?<!left )(?<!is )(?<!stay )empty:": "leave empty for",
        r"timeline": "history",
        r"course of": "history; schedule",
        r"draft kept": "draft saved",
        r"(?:am|are|is) told": "notified",
        r"changed state": "has just changed",
        r"read it again": "check it",
        r"nothing is written": "nothing has been saved",
        r"it remains to": "still to be done",
        r"forgotten you|forget all": "signed out",
        r"enter me": "sign me up",
        r"workers?": "a sentence about what happens",
        r"third party is called": "these pages load nothing from third parties",
        r"for ever": "permanently",
    },
    "ro": {
        r"cotă|cota|cotei|cotele|cotelor": "rating",
        r"bară|bara|barele": "prag",
        r"corectur[ăaiei]+": "corectare",
        r"socot\w+": "a lua în calcul",
        r"tranș\w+": "a decide",
        r"recitiți\S*": "verificați",
        r"introducer\w*": "rezultat introdus",
        r"împerech\w*": "pereche, a forma perechile",
        r"hotăr\w*": "a decide",
        r"contestar\w*": "contestație",
        r"acte?|actul\w*|actele": "acțiune",
        r"desfac\w*|desfăcut\w*": "a anula",
        r"sos\w+": "prezență; primirea jucătorilor",
        r"conducer\w*|condu\w*": "administrare",
        r"gestiun\w*": "administrare",
        r"neclasat\w*": "fără rating",
        r"rating-\w+": "ratinguri, fără cratimă",
        r"rang\w*": "loc",
        r"predă|predau|predat\w*|predare\w*": "a trimite la o listă",
        r"adu|aduceți|aduse?": "a adăuga",
        r"publicați(?:a|ei|ile|ilor)": "ediție",
        r"insign\w*": "categorie",
        r"repetăr\w*|repetare": "revanșă",
        r"revanș\w+ înainte de termen": "revanșă prea devreme",
        r"duel\w*": "întâlniri directe",
        r"particular\w*": "din meciurile directe",
        r"foaie de locuri|foaia de locuri": "clasamentul partidei",
        r"partid\w+ câștigătoare": "partide de câștigat",
        r"formul\w+ clasic\w*": "Formule Classique",
        r"regele dealului": "King of the Hill",
        r"tratat\w*|tratează": "a rezolva",
        r"scuz\w*": "justificare",
        r"fără urmări": "clasată",
        r"îngheț\w*": "a bloca",
        r"pleacă": "se trimite",
        r"mișc\w*": "a se schimba",
        r"înlătur\w*|sărit\w*": "omis",
        r"obicei\w*": "uzanță",
        r"fără oprire": "toată seara",
        r"atinse": "afectate",
        r"partidele lui": "partidele adversarului, fără genul lui",
        r"(?<!este )(?<!rămâne )gol:": "dacă rămâne gol",
        r"jucătorul\w* forfait": "care pierde prin forfait",
        r"lui %\(\w+\)s": "jucătorului, fără genul numelui",
        r"din (?:%\(hour\)s|\{time\})": "de la ora",
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


# One narrow bar, where only the short form fits, and a length of time.
SHORT_EVENINGS = {
    ("bar of a phone", "Ma soirée"),
    (None, "%(name)s : %(game)s toute la soirée"),
    (None, "%(game)s toute la soirée"),
}


class TestClubNight:
    """Romanian titles, buttons and menus say "seară de club"; a sentence may say "seara"."""

    ALONE = re.compile(
        r"\b(?:sear[ăa]|seri|serii|serile|serilor)\b(?! (?:\w+ )?(?:de club|clubului))"
    )

    def test_no_title_or_button_says_evening_alone(self) -> None:
        alone = [
            text
            for entry in polib.pofile(str(translations.catalogue("ro")))
            if (entry.msgctxt, entry.msgid.replace("\u00a0", " ")) not in SHORT_EVENINGS
            and re.search(r"\bsoirées?\b", entry.msgid, re.IGNORECASE)
            for text in (entry.msgstr, *entry.msgstr_plural.values())
            if not text.endswith(".") and self.ALONE.search(text.lower())
        ]
        assert alone == []

    def test_the_pattern_knows_an_evening_alone(self) -> None:
        assert self.ALONE.search("următoarea seară") and self.ALONE.search("seara din luni")
        assert not self.ALONE.search("seara de club din luni")
        assert not self.ALONE.search("seara dumneavoastră de club")


class TestMatch:
    """A match of two players is never called a game: that is one part of it, or an entry of a list."""

    GAME = {"en": r"\bgames?\b", "ro": r"\bpartid\w*"}

    def as_games(self, language: str, entries: list[polib.POEntry]) -> list[str]:
        return [
            f"{entry.msgid!r}: {text!r}"
            for entry in entries
            if re.search(r"\bmatchs?\b", entry.msgid, re.IGNORECASE)
            and not re.search(r"\b(?:parties?|manches?|jeux?)\b", entry.msgid, re.IGNORECASE)
            for text in (entry.msgstr, *entry.msgstr_plural.values())
            if re.search(self.GAME[language], re.sub(r"%\(\w+\)s", "", text), re.IGNORECASE)
        ]

    @pytest.mark.parametrize("language", GAME)
    def test_no_match_is_called_a_game(self, language: str) -> None:
        entries = list(polib.pofile(str(translations.catalogue(language))))
        assert self.as_games(language, entries) == []

    def test_a_match_called_a_game_is_found(self) -> None:
        def found(french: str, english: str) -> list[str]:
            return self.as_games("en", [polib.POEntry(msgid=french, msgstr=english)])

        assert found("Derniers matchs", "Last games")
        assert not found("Derniers matchs", "Last matches")
        assert not found("une manche par match", "one game per match")


def test_a_word_is_found_as_a_whole_and_in_any_case() -> None:
    words = FORBIDDEN["fr"]
    assert wrong("Clore la soirée", words) and wrong("Joueur n° 3", words)
    assert not wrong("Clôturer la soirée", words) and not wrong("Fin de l’enclos", words)
