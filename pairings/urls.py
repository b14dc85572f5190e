"""Addresses of evenings, matches and tournaments.

French paths in every language, so that printed QR codes and links stay valid.
"""

from datetime import date

from django.urls import path, register_converter

from pairings.absences import views as absences
from pairings.arbitration.views import closing, disputes, judge, opinions, queue, undo
from pairings.demo import views as demo
from pairings.evenings.views import desk, director, guests, player, screen
from pairings.evenings.views import handing as evening_handing
from pairings.evenings.views import pairing as proposal
from pairings.evenings.views import public as evening
from pairings.evenings.views import settings as evening_settings
from pairings.exchange import views_calendar as dates
from pairings.matches.views import match as match_pages
from pairings.matches.views import one_phone, results
from pairings.players import views as people
from pairings.players import views_merging as merging
from pairings.players import views_recap as recaps
from pairings.ranking import views as ranking
from pairings.ranking import views_pdi_waivers as ties
from pairings.tournaments.views import display as tournament_wall
from pairings.tournaments.views import files as tournament_files
from pairings.tournaments.views import final_ranking as tournament_ranking
from pairings.tournaments.views import handing as tournament_handing
from pairings.tournaments.views import imports as tournament_imports
from pairings.tournaments.views import manage as tournament_manage
from pairings.tournaments.views import public as tournament
from pairings.tournaments.views import registration as tournament_desk
from pairings.tournaments.views import rounds as round_control
from pairings.tournaments.views import score_grid, standings


class DayConverter:
    """An evening in a path: 2026-11-20, and 2026-11-20/2 for the second of that day."""

    regex = r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:/(?:[2-9]|[1-9][0-9]))?"

    def to_python(self, value: str) -> str:
        date.fromisoformat(value.partition("/")[0])
        return value

    def to_url(self, value: object) -> str:
        return str(value)


register_converter(DayConverter, "day")
app_name = "pairings"

TOURNAMENT = "tournois/<slug:slug>/"
DESK = f"gestion/{TOURNAMENT}"
ROUND = DESK + "ronde/<int:number>/"

urlpatterns = [
    path("flux/", evening.live, name="live"),
    path("s/<str:code>/", player.checkin, name="checkin"),
    path("s/", player.checkin_code, name="checkin_code"),
    path("ecran/<str:key>/", screen.screen, name="screen"),
    path("ma-soiree/", player.my_evening, name="my_evening"),
    path("ma-soiree/carte/", player.my_card, name="my_card"),
    path("ma-soiree/bilan/<day:day>/", recaps.my_recap, name="my_recap"),
    path("ma-soiree/<str:act>/", player.my_act, name="my_act"),
    path("matchs/<int:match_id>/", match_pages.match, name="match"),
    path("matchs/<int:match_id>/pourquoi/", match_pages.match_why, name="match_why"),
    path("matchs/<int:match_id>/a-table/", match_pages.sit, name="sit"),
    path("matchs/<int:match_id>/saisir/", results.result_enter, name="result_enter"),
    path("matchs/<int:match_id>/confirmer/", results.result_confirm, name="result_confirm"),
    path("matchs/<int:match_id>/accord/", one_phone.result_pin, name="result_pin"),
    path("j/<int:number>/<slug:seal>/", one_phone.card, name="card"),
    path("matchs/<int:match_id>/contester/", results.result_dispute, name="result_dispute"),
    path("matchs/<int:match_id>/absence/", results.absence_report, name="absence_report"),
    path("matchs/<int:match_id>/photo/<int:submission_id>/", match_pages.photo, name="photo"),
    path("demo/", demo.sign_in, name="demo_sign_in"),
    path("classement/", ranking.ranking, name="ranking"),
    path("classement/lignes/", ranking.ranking_rows, name="ranking_rows"),
    path("classement/saisons/", ranking.season_list, name="played_seasons"),
    path("classement/saisons/<int:season_id>/", ranking.season_ranking, name="season_ranking"),
    path("joueurs/", people.player_list, name="player_list"),
    path("joueurs/<slug:slug>/", people.player, name="player"),
    path("joueurs/<slug:slug>/ce-soir/", people.projected, name="projected"),
    path("joueurs/<slug:slug>/contre/<slug:other>/", people.head_to_head, name="head_to_head"),
    path("joueurs/<slug:slug>/soiree-<day:day>.png", recaps.recap_picture, name="recap_picture"),
    path("partage.png", recaps.club_picture, name="club_picture"),
    path("soirees/", evening.evening_list, name="evening_list"),
    path("soirees/nouvelle/", evening.evening_new, name="evening_new"),
    path("agenda.ics", dates.calendar_feed, name="calendar_feed"),
    path("soirees/<day:day>/", evening.evening, name="evening"),
    path("soirees/<day:day>/image.png", recaps.evening_picture, name="evening_picture"),
    path("soirees/<day:day>/modifier/", evening_settings.evening_edit, name="evening_edit"),
    path("soirees/<day:day>/direct/", evening.evening_live, name="evening_live"),
    path("soirees/<day:day>/ecran/", evening.board, name="board"),
    path("soirees/<day:day>/ecran/<str:part>/", evening.board_part, name="board_part"),
    path("soirees/<day:day>/conduite/", director.control, name="control"),
    path("soirees/<day:day>/conduite/tableau/", director.control_live, name="control_live"),
    path("soirees/<day:day>/conduite/<str:act>/", director.evening_act, name="evening_act"),
    path("soirees/<day:day>/appariement/", proposal.pair_preview, name="pair_preview"),
    path("soirees/<day:day>/accueil/", desk.checkin_desk, name="checkin_desk"),
    path("soirees/<day:day>/accueil/invites/", guests.guest_requests, name="guest_requests"),
    path(
        "soirees/<day:day>/federation/",
        evening_handing.evening_federation,
        name="evening_federation",
    ),
    path("soirees/<day:day>/listes/", evening_handing.evening_lists, name="evening_lists"),
    path("soirees/<day:day>/cloture/", director.evening_close, name="evening_close"),
    path("soirees/<day:day>/cloture/forcer/", closing.force_closing, name="force_closing"),
    path("tournois/", tournament.tournament_list, name="tournament_list"),
    path(TOURNAMENT, tournament.tournament, name="tournament"),
    path(TOURNAMENT + "inscrits/", tournament.entry_list, name="tournament_entries"),
    path(
        TOURNAMENT + "inscription/<slug:act>/", tournament.tournament_enter, name="tournament_enter"
    ),
    path(TOURNAMENT + "ronde/<int:number>/", tournament.round_page, name="round"),
    path(TOURNAMENT + "classement/", standings.tournament_standings, name="tournament_standings"),
    path(
        TOURNAMENT + "classement/publications/<int:number>/",
        tournament_ranking.tournament_ranking,
        name="tournament_ranking",
    ),
    path(TOURNAMENT + "grille/", standings.crosstable, name="crosstable"),
    path(TOURNAMENT + "ecran/", tournament_wall.tournament_wall, name="tournament_board"),
    path(
        "gestion/tournois/nouveau/", tournament_manage.tournament_create, name="tournament_create"
    ),
    path(DESK, tournament_manage.tournament_manage, name="tournament_manage"),
    path(
        TOURNAMENT + "federation/",
        tournament_handing.tournament_federation,
        name="tournament_federation",
    ),
    path(DESK + "reglages/", tournament_manage.tournament_settings, name="tournament_settings"),
    path(DESK + "inscrits/", tournament_desk.tournament_desk, name="tournament_desk"),
    path(DESK + "inscrits/<int:entry_id>/<slug:act>/", tournament_desk.entry_act, name="entry_act"),
    path(DESK + "acte/<slug:act>/", tournament_manage.tournament_act, name="tournament_act"),
    path(ROUND + "conduite/", round_control.round_control, name="round_control"),
    path(ROUND + "acte/<slug:act>/", round_control.round_act, name="round_act"),
    path(ROUND + "saisie/", score_grid.round_grid, name="round_grid"),
    path(TOURNAMENT + "fichiers/", tournament_files.tournament_files, name="tournament_files"),
    path(
        TOURNAMENT + "imprimer/<slug:what>.pdf",
        tournament_files.tournament_print,
        name="tournament_print",
    ),
    path(
        TOURNAMENT + "ronde/<int:number>/<slug:what>.pdf",
        tournament_files.round_print,
        name="round_print",
    ),
    path(
        TOURNAMENT + "horaires.ics",
        tournament_files.tournament_calendar,
        name="tournament_calendar",
    ),
    path(ROUND + "feuilles.pdf", tournament_files.round_slips, name="round_slips"),
    path(
        DESK + "diplomes.pdf",
        tournament_files.tournament_certificates,
        name="tournament_certificates",
    ),
    path(
        DESK + "export/<slug:kind>/", tournament_files.tournament_export, name="tournament_export"
    ),
    path(DESK + "resultats/", tournament_imports.results_import, name="results_import"),
    path(
        "gestion/reprendre-un-tournoi/",
        tournament_imports.tournament_import,
        name="tournament_import",
    ),
    path(
        "gestion/reprendre-un-tournoi/<int:file_id>/",
        tournament_imports.tournament_file,
        name="tournament_file",
    ),
    path("arbitrage/", queue.arbiter_home, name="arbiter"),
    path("arbitrage/litiges/", disputes.dispute_list, name="dispute_list"),
    path("arbitrage/litiges/<int:contest_id>/", disputes.dispute, name="dispute"),
    path("arbitrage/litiges/<int:contest_id>/avis/", opinions.opinion, name="opinion"),
    path("moi/absences/", absences.my_absences, name="my_absences"),
    path("moi/absences/<int:absence_id>/", absences.absence_justify, name="absence_justify"),
    path("moi/sanctions/<int:sanction_id>/appel/", absences.appeal, name="appeal"),
    path("arbitrage/sanctions/", absences.sanction_list, name="sanction_list"),
    path("arbitrage/sanctions/<int:sanction_id>/", absences.sanction, name="sanction"),
    path("arbitrage/absences/", absences.absence_list, name="absence_list"),
    path(
        "gestion/membres/<int:member_id>/reunir/<int:into_id>/",
        merging.merge_guest,
        name="merge_guest",
    ),
    path("gestion/egalites/", ties.tie_list, name="tie_list"),
    path("gestion/egalites/<str:key>/", ties.tie, name="tie"),
    path("matchs/<int:match_id>/defaire/", undo.undo, name="undo"),
    path("matchs/<int:match_id>/corriger/", disputes.match_correct, name="match_correct"),
    path("matchs/<int:match_id>/arbitrer/", judge.match_judge, name="match_judge"),
]
