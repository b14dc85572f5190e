"""The journal in sentences: one for each action that the site records, and its subject in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.utils.translation import gettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from clubs.journal.models import parts_of
from clubs.organisations.models import Organisation
from clubs.registries import JOURNAL_SUBJECTS, JOURNAL_VERBS, NAMED_SUBJECTS, SITE_REASONS

VERBS = {
    "organisation_founded": _("fonde le club"),
    "member_created": _("ajoute un membre"),
    "member_guest": _("accueille un joueur invité"),
    "member_edited": _("modifie la fiche d’un membre"),
    "choice_followed": _("applique le choix fait dans un club : qui lit le nom"),
    "member_merged": _("fusionne deux fiches d’une même personne"),
    "data_exported": _("télécharge ses données"),
    "member_left": _("enregistre un départ"),
    "member_returned": _("revient dans le club"),
    "member_readmitted": _("enregistre un retour dans le club"),
    "contact_expired": _("efface les adresses d’un membre parti depuis longtemps"),
    "guest_confirmed": _("confirme un joueur invité"),
    "account_linked": _("relie un compte à un membre"),
    "account_unlinked": _("retire un compte de la fiche d’un membre"),
    "guardian_withdrew": _("note qu’un parent retire son accord"),
    "invited": _("crée une invitation"),
    "invitation_revoked": _("annule une invitation"),
    "invitation_resent": _("renvoie une invitation"),
    "request_answered": _("répond à une demande d’adhésion"),
    "person_edited": _("modifie la licence d’une personne"),
    "alias_forgotten": _("retire un autre nom d’une personne"),
    "licence_said": _("note la licence d’un membre"),
    "member_linked": _("relie un membre d’un club à une personne"),
    "licences_imported": _("importe des licences"),
    "members_imported": _("importe des membres"),
    "import_undone": _("annule un import"),
    "role_granted": _("donne un rôle"),
    "role_withdrawn": _("retire un rôle"),
    "pin_set": _("choisit un code"),
    "pin_locked": _("cinq codes faux : essais suspendus là d’où ils viennent"),
    "devices_forgotten": _("retire ses appareils reconnus"),
    "second_factor_removed": _(
        "retire la double vérification d’un compte, à la demande de son titulaire"
    ),
    "season_opened": _("crée une saison"),
    "season_edited": _("modifie une saison"),
    "club_edited": _("modifie les réglages"),
    "club_closed": _("ferme le club ou la fédération"),
    "club_reopened": _("rouvre le club ou la fédération"),
    "privacy_edited": _("modifie les réglages des données personnelles"),
    "archive_asked": _("demande l’archive du club"),
    "archive_taken": _("télécharge l’archive du club"),
    "posters_hung": _("met les affiches en place"),
    "rule_draft": _("modifie le brouillon des règles"),
    "rule_adopted": _("adopte une version des règles"),
    "rule_dropped": _("abandonne un brouillon des règles"),
    "sanction_proposed": _("propose une sanction"),
    "sanction_imposed": _("prononce une sanction"),
    "sanction_dismissed": _("classe une proposition sans suite"),
    "sanction_appealed": _("fait appel"),
    "sanction_lifted": _("lève une sanction"),
    "sanction_withdrawn": _("retire une proposition de sanction"),
    "sanction_unfounded": _("constate que le motif d’une sanction a disparu"),
    "sanction_founded": _("constate que le motif d’une sanction est rétabli"),
    "appeal_refused": _("maintient une sanction"),
    "correction_seconded": _("donne son accord à une correction"),
}
"""What clubs writes itself; the apps above register theirs beside it (`JOURNAL_VERBS`)."""

OF_A_FEDERATION = {
    "organisation_founded": _("fonde la fédération"),
    "archive_asked": _("demande l’archive de la fédération"),
    "archive_taken": _("télécharge l’archive de la fédération"),
}

ROLES = {
    "player": ngettext_lazy("joueur", "joueurs", 1),
    "arbiter": _("arbitre"),
    "committee": _("comité"),
    "system": _("le site"),
}
"""The right that somebody used, in words."""

Subject = tuple[str, str]
"""A subject in words, and its page (empty where there is none)."""


def subjects(stored: Iterable[str], organisation: Organisation) -> dict[str, Subject]:
    """Return each subject ("match:42" in the journal) in words. One query a kind.

    A subject without words, or deleted, is printed as it is stored, never hidden.
    """
    subject_words = {subject: (subject, "") for subject in stored}
    keys: dict[str, set[str]] = {}
    for subject in subject_words:
        kind, key = parts_of(subject)
        if kind in NAMED_SUBJECTS or (kind in JOURNAL_SUBJECTS and key.isdecimal()):
            keys.setdefault(kind, set()).add(key)
    for kind, of_kind in keys.items():
        known: Mapping[str, Subject] | Mapping[int, Subject]
        if kind in NAMED_SUBJECTS:
            known = NAMED_SUBJECTS[kind](organisation, of_kind)
        else:
            known = JOURNAL_SUBJECTS[kind]({int(key) for key in of_kind})
        subject_words |= {f"{kind}:{key}": words for key, words in known.items()}
    return subject_words


def sentence(verb: str, organisation: Organisation | None = None) -> str:
    """Return the sentence of an action; an unknown one is printed as it is, never hidden."""
    if organisation is not None and not organisation.is_club:
        return str(OF_A_FEDERATION.get(verb) or sentence(verb))
    return str(JOURNAL_VERBS.get(verb, verb))


def reason_words(reason: str) -> str:
    """Return a stored reason as its reader reads it: what the site wrote in their language."""
    return gettext(reason) if reason in SITE_REASONS else reason
