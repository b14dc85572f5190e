"""What pairings writes in the journal, in words: a sentence for each action, a name for its values."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext_lazy as _

from clubs.journal.changes import NOTHING, Named, fields_of, words_of
from clubs.ui.statuses import STATUS_TAGS
from pairings.evenings.models import Evening
from pairings.rules.match_state import Event
from pairings.tournaments.models import Tournament

VERBS = {
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
    "evening_handed_over": _("transmet une soirée à une liste"),
    "paired": _("lance un appariement"),
    "paired_by_hand": _("apparie à la main"),
    "paired_swap": _("échange deux tables"),
    Event.START.verb: _("lance un match"),
    "match_called": _("rappelle deux joueurs à leur table"),
    Event.SUBMIT.verb: _("saisit un résultat"),
    Event.EDIT.verb: _("corrige sa saisie"),
    Event.RECORD.verb: _("saisit une feuille de match"),
    Event.CONFIRM.verb: _("confirme un résultat"),
    Event.CONTEST.verb: _("conteste un résultat"),
    Event.CLAIM_ABSENCE.verb: _("signale une absence"),
    Event.DENY.verb: _("conteste une absence"),
    Event.WITHDRAW.verb: _("retire une absence signalée"),
    Event.EXPIRE.verb: _("fin du délai de contestation"),
    Event.TIMEOUT.verb: _("délai de jeu passé"),
    Event.MARK_ABSENT.verb: _("constate une absence"),
    Event.DECIDE.verb: _("tranche un litige"),
    Event.CORRECT.verb: _("corrige un résultat"),
    Event.CANCEL.verb: _("annule un match"),
    "match_checked": _("relit une feuille de match"),
    "tournament_created": _("annonce un tournoi"),
    "tournament_edited": _("modifie un tournoi"),
    "tournament_entered": _("enregistre une inscription à un tournoi"),
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
    "round_moved": _("déplace une ronde"),
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
}


def _score(scores: Sequence[int | None]) -> str:
    return NOTHING if None in scores else "–".join(map(str, scores))


VALUES = {
    "match": {
        "status": Named(_("état"), words_of((code, tag[0]) for code, tag in STATUS_TAGS.items())),
        "scores": Named(_("score"), _score),
    },
    "evening": {
        **fields_of(Evening),
        "state": Named(_("état"), words_of(Evening.State.choices)),
    },
    "tournament": {
        **fields_of(Tournament),
        "cote": Named(_("cote")),
        "state": Named(_("état"), words_of(Tournament.State.choices)),
    },
}
