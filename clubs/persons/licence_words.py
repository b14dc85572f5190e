"""Words of a file of licences: its columns, statuses in each language, what a line changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from django.utils.translation import gettext as _

from clubs.exchange.tables import Known
from clubs.persons.models import Person
from clubs.search import without_accents
from clubs.ui.punctuation import labelled, listed

LABELS: Mapping[str, Callable[[], str]] = {
    "licence": lambda: _("numéro de licence"),
    "first_name": lambda: _("prénom"),
    "last_name": lambda: _("nom"),
    "country": lambda: _("pays"),
    "club": lambda: _("club"),
    "birth_year": lambda: _("année de naissance"),
    "status": lambda: _("statut"),
}
COLUMNS: Known = {
    "licence": (
        *("licence", "no licence", "numero de licence", "licence no", "licence number"),
        *("licenta", "numar de licenta", "id"),
    ),
    "first_name": ("prenom", "first name", "firstname", "prenume"),
    "last_name": ("nom", "last name", "lastname", "surname", "nume", "nom de famille"),
    "country": ("pays", "country", "tara", "nation", "federation"),
    "club": ("club", "clubul"),
    "birth_year": (
        "annee de naissance",
        "naissance",
        "date de naissance",
        "date naissance",
        "ne",
        "ne le",
        "nee le",
        "ne e le",
        "birth year",
        "year of birth",
        "born",
        "date of birth",
        "birth date",
        "anul nasterii",
        "data nasterii",
        "nascut",
        "nascuta",
    ),
    "status": ("statut", "status", "etat", "stare"),
}
WORDS: Mapping[str, tuple[str, ...]] = {
    Person.Status.CURRENT.value: (
        *("licence a jour", "a jour", "actif", "active", "valide", "valable", "en cours", "oui"),
        *("current licence", "current", "up to date", "valid", "yes", "ok"),
        *("licenta la zi", "la zi", "activ", "activa", "valabila", "valida", "da"),
    ),
    Person.Status.LAPSED.value: (
        *("licence echue", "echu", "echue", "expire", "expiree", "non"),
        *("lapsed licence", "lapsed", "expired", "no"),
        *("licenta expirata", "expirat", "expirata", "nu"),
    ),
    Person.Status.SUSPENDED.value: (
        *("licence suspendue", "suspendu", "suspendue"),
        *("suspended licence", "suspended"),
        *("licenta suspendata", "suspendat", "suspendata"),
    ),
    Person.Status.NONE.value: (
        *("sans licence", "sans", "aucune"),
        *("no licence", "none"),
        *("fara licenta", "fara"),
    ),
}
"""Without accents and case. Those of the register itself, in three languages, are among them."""
MEANINGS = {word: status for status, words in WORDS.items() for word in words}


def status_of(text: str) -> str | None:
    """Return the status that a word says, "" for no word, None for a word that says none."""
    plain = without_accents(text)
    return MEANINGS.get(plain) if plain else ""


def changes_in_words(person: Person, changes: Mapping[str, object]) -> str:
    """Return what is written over what, as "club : Lyon → Paris"; `changes` may hold a name."""
    words = []
    for name, value in changes.items():
        held = person.member.full_name if name == "name" else getattr(person, name)
        label = LABELS["last_name" if name == "name" else name]()
        if name == "status":
            held, value = person.get_status_display(), Person.Status(str(value)).label
        words.append(labelled(label, f"{held or '—'} → {value}"))
    return listed(words)
