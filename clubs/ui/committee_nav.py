"""The committee's pages by subject: at the left of a wide screen, and on the page "Gestion"."""

from __future__ import annotations

from collections.abc import Callable

from django.utils.translation import gettext as _

Pages = tuple[str, list[tuple[str, str]]]
"""A subject, and its pages: what each is called, and the name of its address."""


def subjects_of(
    path: str, url_of: Callable[[str], str], *, is_club: bool
) -> list[tuple[str, list[dict[str, str | bool]]]]:
    """Return each subject with its pages: `label`, `url`, and `current` for the page at `path`.

    The current page is the one whose address begins `path` and is the longest. `url_of` gives the
    address of a named page, empty where this site does not have it.
    """
    subjects = [
        (subject, [(label, url_of(name)) for label, name in pages])
        for subject, pages in (_of_a_club() if is_club else _of_a_federation())
    ]
    urls = [url for _subject, pages in subjects for _label, url in pages if url]
    current = max((url for url in urls if path.startswith(url)), key=len, default="")
    return [
        (
            subject,
            [{"label": name, "url": url, "current": url == current} for name, url in pages if url],
        )
        for subject, pages in subjects
    ]


def _of_a_club() -> list[Pages]:
    return [
        _members(),
        (
            _("Règles et saisons"),
            [
                *_rules(),
                (_("Égalités et PDI"), "pairings:tie_list"),
                (_("Saisons"), "clubs:season_list"),
            ],
        ),
        (
            _("Classement et cotes"),
            [
                (_("Gestion des cotes"), "ratings:desk"),
                (_("Publier le classement"), "ratings:publish"),
                (_("Classements publiés"), "ratings:edition_list"),
            ],
        ),
        (
            _("Soirées et tournois"),
            [
                (_("Soirées annoncées"), "pairings:evening_list"),
                (_("Affiches à imprimer"), "clubs:posters"),
                (_("Tournois"), "pairings:tournament_list"),
            ],
        ),
        _site(),
    ]


def _of_a_federation() -> list[Pages]:
    return [
        (
            _("Classement et cotes"),
            [
                (_("Gestion des cotes"), "ratings:desk"),
                (_("Listes et publications"), "ratings:list_index"),
                (_("Transmissions des clubs"), "ratings:handover_list"),
                (_("Clubs invités"), "ratings:feeders"),
                (_("Personnes et licences"), "clubs:person_list"),
                (_("Tournois"), "pairings:tournament_list"),
            ],
        ),
        _members(),
        (_("Règles"), _rules()),
        _site(),
    ]


def _members() -> Pages:
    return _("Membres"), [
        (_("Liste des membres"), "clubs:member_list"),
        (_("Demandes d’adhésion"), "clubs:requests"),
        (_("Rôles"), "clubs:roles"),
    ]


def _rules() -> list[tuple[str, str]]:
    return [
        (_("Règles en vigueur"), "clubs:rules"),
        (_("Préparer un changement"), "clubs:rules_edit"),
        (_("Simuler le brouillon sur le passé"), "ratings:trial_new"),
    ]


def _site() -> Pages:
    return _("Réglages et journal"), [
        (_("Mise en route"), "clubs:setup"),
        (_("Réglages"), "clubs:club_settings"),
        (_("Données personnelles"), "clubs:privacy_settings"),
        (_("Lire le journal"), "clubs:journal"),
        (_("État du site et archive"), "clubs:site_state"),
        (_("Prévenir d’autres programmes"), "api:webhook_list"),
    ]
