"""The journal in sentences: one for each action that the site records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from clubs.journal.models import parts_of
from clubs.organisations.models import Organisation
from clubs.registries import JOURNAL_SUBJECTS, NAMED_SUBJECTS

VERBS = {
    "organisation_founded": _("fonde le club"),
    "member_created": _("ajoute un membre"),
    "member_guest": _("accueille un joueur invité"),
    "member_edited": _("modifie la fiche d’un membre"),
    "member_merged": _("fusionne un invité et un membre"),
    "data_exported": _("télécharge ses données"),
    "member_left": _("enregistre un départ"),
    "contact_expired": _("efface les adresses d’un membre parti depuis longtemps"),
    "guest_confirmed": _("confirme un joueur invité"),
    "account_linked": _("relie un compte à un membre"),
    "invited": _("crée une invitation"),
    "invitation_revoked": _("annule une invitation"),
    "invitation_resent": _("renvoie une invitation"),
    "request_answered": _("répond à une demande d’adhésion"),
    "person_edited": _("modifie la licence d’une personne"),
    "alias_forgotten": _("retire un autre nom d’une personne"),
    "licence_said": _("note la licence d’un membre"),
    "member_linked": _("relie un membre d’un club à une personne"),
    "licences_imported": _("importe des licences"),
    "names_chosen": _("dit qui sont les noms d’un fichier"),
    "members_imported": _("importe des membres"),
    "import_undone": _("annule un import"),
    "role_granted": _("donne un rôle"),
    "role_withdrawn": _("retire un rôle"),
    "pin_set": _("choisit un code"),
    "pin_locked": _("cinq codes faux : essais suspendus là d’où ils viennent"),
    "devices_forgotten": _("retire ses appareils reconnus"),
    "token_created": _("fait une clé pour un programme"),
    "token_revoked": _("retire une clé de programme"),
    "second_factor_removed": _("retire le second facteur d’un compte, à sa demande"),
    "season_opened": _("crée une saison"),
    "season_edited": _("modifie une saison"),
    "club_edited": _("modifie les réglages du club"),
    "privacy_edited": _("modifie les réglages des données personnelles"),
    "archive_asked": _("demande l’archive du club"),
    "archive_taken": _("prend l’archive du club"),
    "webhook_created": _("prévient un autre programme"),
    "webhook_edited": _("modifie un envoi à un autre programme"),
    "webhook_secret_renewed": _("change le secret d’un envoi à un autre programme"),
    "webhook_removed": _("supprime un envoi à un autre programme"),
    "webhook_replayed": _("renvoie un événement à un autre programme"),
    "posters_hung": _("met les affiches en place"),
    "rule_draft": _("modifie le brouillon des règles"),
    "rule_adopted": _("adopte une version des règles"),
    "rule_dropped": _("abandonne un brouillon des règles"),
    "pdi_ignored": _("ignore le PDI d’un groupe à égalité"),
    "pdi_restored": _("rétablit le PDI d’un groupe"),
    "evening_announced": _("annonce une soirée"),
    "evening_edited": _("modifie une soirée annoncée"),
    "evening_opened": _("ouvre les arrivées"),
    "evening_started": _("lance les matchs"),
    "evening_last_games": _("annonce les derniers matchs"),
    "evening_closing": _("commence la clôture"),
    "evening_closed": _("clôture la soirée"),
    "evening_cancelled": _("annule une soirée"),
    "evening_auto_pair": _("règle l’appariement automatique"),
    "evening_guests_wait": _("règle l’admission des invités"),
    "guest_refused": _("refuse un joueur invité"),
    "evening_screen_given": _("donne le lien de l’écran"),
    "evening_screen_withdrawn": _("retire le lien de l’écran"),
    "checked_in": _("enregistre une arrivée"),
    "checked_out": _("enregistre un départ de la soirée"),
    "checked_pause": _("prend une pause"),
    "checked_ready": _("peut rejouer"),
    "list_opened": _("ouvre une liste de cotes"),
    "competition_brought": _("importe une compétition"),
    "competition_dropped": _("abandonne une compétition"),
    "competition_made_official": _("dit une compétition officielle"),
    "competition_not_official": _("dit une compétition non officielle"),
    "club_invited": _("ouvre des listes à un club"),
    "handed_over": _("transmet une compétition à une fédération"),
    "hand_over_corrected": _("transmet une correction à une fédération"),
    "hand_over_withdrawn": _("retire une transmission"),
    "hand_over_accepted": _("accepte une transmission"),
    "hand_over_returned": _("retourne une transmission"),
    "evening_handed_over": _("transmet une soirée à une liste"),
    "paired": _("lance un appariement"),
    "paired_by_hand": _("apparie à la main"),
    "paired_swap": _("échange deux tables"),
    "match_start": _("lance un match"),
    "match_called": _("rappelle deux joueurs à leur table"),
    "match_submit": _("saisit un résultat"),
    "match_edit": _("corrige sa saisie"),
    "match_record": _("saisit une feuille de match"),
    "match_confirm": _("confirme un résultat"),
    "match_contest": _("conteste un résultat"),
    "match_claim_absence": _("signale une absence"),
    "match_deny": _("conteste une absence"),
    "match_expire": _("fin du délai de contestation"),
    "match_timeout": _("délai de jeu passé"),
    "match_mark_absent": _("constate une absence"),
    "match_decide": _("tranche un litige"),
    "match_correct": _("corrige un résultat"),
    "match_cancel": _("annule un match"),
    "match_checked": _("relit une feuille de match"),
    "tournament_created": _("annonce un tournoi"),
    "tournament_edited": _("modifie un tournoi"),
    "tournament_entered": _("inscrit à un tournoi"),
    "tournament_entry_edited": _("modifie une inscription"),
    "tournament_entry_removed": _("retire une inscription"),
    "tournament_presence": _("note une présence à un tournoi"),
    "tournament_withdrawn": _("enregistre un abandon"),
    "tournament_returned": _("enregistre un retour"),
    "tournament_late": _("inscrit un joueur en retard"),
    "tournament_frozen": _("fige le classement initial"),
    "tournament_unfrozen": _("rouvre les inscriptions d’un tournoi"),
    "tournament_closed": _("clôture un tournoi"),
    "tournament_reopened": _("rouvre un tournoi"),
    "tournament_cancelled": _("annule un tournoi"),
    "tournament_posted": _("transmet un tournoi aux listes de cotes"),
    "tournament_restored": _("importe un tournoi d’un fichier"),
    "tournament_followed": _("importe les nouvelles rondes d’un tournoi joué ailleurs"),
    "round_drawn": _("apparie une ronde"),
    "round_draft_changed": _("modifie le brouillon d’une ronde"),
    "round_published": _("publie une ronde"),
    "round_unpublished": _("annule la publication d’une ronde"),
    "round_paired_by_hand": _("apparie à la main dans une ronde"),
    "round_clock": _("règle l’horloge d’une ronde"),
    "round_closed": _("termine une ronde"),
    "round_reopened": _("rouvre une ronde"),
    "late_request": _("demande une correction au comité"),
    "late_request_answered": _("répond à une demande de correction"),
    "contest_taken": _("prend un litige"),
    "opinion_asked": _("demande un second avis"),
    "opinion_given": _("donne son avis sur un litige"),
    "contest_passed_on": _("se récuse"),
    "absence_excused": _("justifie une absence"),
    "absence_reviewed": _("examine une absence"),
    "sanction_proposed": _("propose une sanction"),
    "sanction_imposed": _("prononce une sanction"),
    "sanction_dismissed": _("classe une proposition sans suite"),
    "sanction_appealed": _("fait appel"),
    "sanction_lifted": _("lève une sanction"),
    "sanction_withdrawn": _("retire une proposition de sanction"),
    "sanction_unfounded": _("constate que le motif d’une sanction a disparu"),
    "sanction_founded": _("constate que le motif d’une sanction est rétabli"),
    "appeal_refused": _("maintient une sanction"),
    "period_settled": _("calcule les cotes"),
    "correction_seconded": _("donne son accord à une correction"),
    "list_replayed": _("recalcule les cotes après une correction"),
    "edition_published": _("publie un classement"),
    "edition_mended": _("publie un rectificatif"),
}


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
        known: Mapping[Any, Subject]
        if kind in NAMED_SUBJECTS:
            known = NAMED_SUBJECTS[kind](organisation, of_kind)
        else:
            known = JOURNAL_SUBJECTS[kind]({int(key) for key in of_kind})
        subject_words |= {f"{kind}:{key}": words for key, words in known.items()}
    return subject_words


def sentence(verb: str) -> str:
    """Return the sentence of an action; an unknown one is printed as it is, never hidden."""
    return str(VERBS.get(verb, verb))
