"""Addresses of the rating lists: lists, competitions, calculators, the officer's desk, editions."""

from django.urls import URLPattern, path

from ratings.competitions import views as desk
from ratings.competitions import views_newcomers
from ratings.competitions import views_runs as runs
from ratings.competitions.corrections import views as corrections
from ratings.competitions.corrections import views_long
from ratings.editions import urls as publication_urls
from ratings.grades import views as grades
from ratings.handovers import views as handovers
from ratings.lists import views as lists
from ratings.lists import views_calculators as calculators
from ratings.lists import views_competitions as competitions
from ratings.lists import views_players as players
from ratings.lists import views_seating as seating
from ratings.names import views as names
from ratings.trials import views as trials

app_name = "ratings"

DESK = "gestion/cotes/<slug:slug>/"
HANDED = "gestion/cotes/transmissions/<int:handover_id>/"
COMPETITION = DESK + "competitions/<int:period_id>/"

urlpatterns: list[URLPattern] = [
    *publication_urls.urlpatterns,
    path("cotes/", lists.list_index, name="list_index"),
    path("cotes/general/", calculators.general_rating, name="general"),
    path("cotes/<slug:slug>/", lists.rating_list, name="list"),
    path("cotes/<slug:slug>/liste.csv", lists.list_file, name="list_file"),
    path("cotes/<slug:slug>/calculateur/", calculators.calculate, name="calculator"),
    path("cotes/<slug:slug>/competitions/", competitions.competition_list, name="competition_list"),
    path(
        "cotes/<slug:slug>/competitions/<int:period_id>/",
        competitions.competition,
        name="competition",
    ),
    path("joueurs/<slug:slug>/cote/<int:entry_id>/", players.change, name="change"),
    path("joueurs/<slug:slug>/cotes/<slug:rating_list>/", players.player_list, name="player_list"),
    path("gestion/regles/simulation/", trials.trial_new, name="trial_new"),
    path("regles/simulation/<int:run_id>/", trials.trial, name="trial"),
    path("gestion/cotes/places/", seating.seating, name="seating"),
    path("gestion/cotes/", desk.desk, name="desk"),
    path("gestion/cotes/nouvelle/", desk.list_new, name="list_new"),
    path("gestion/cotes/fusion/", corrections.merge, name="merge"),
    path(
        "gestion/cotes/correction/<int:run_id>/", views_long.long_correction, name="long_correction"
    ),
    path("gestion/cotes/clubs/", handovers.feeders, name="feeders"),
    path("gestion/cotes/transmissions/", handovers.handover_list, name="handover_list"),
    path(HANDED, handovers.handover, name="handover"),
    path(HANDED + "correction/", handovers.handover_correction, name="handover_correction"),
    path(DESK, desk.desk_list, name="desk_list"),
    path(DESK + "verifier/", desk.check, name="check"),
    path(DESK + "grades/", grades.grade_list, name="grade_list"),
    path(DESK + "barres/", desk.quotas, name="quotas"),
    path(DESK + "apporter/", desk.bring, name="bring"),
    path(DESK + "apporter/exemple-<slug:kind>.csv", desk.example_file, name="example_file"),
    path(DESK + "apporter/<int:draft_id>/", desk.draft, name="draft"),
    path(
        DESK + "apporter/<int:draft_id>/colonnes/",
        desk.draft_columns,
        name="draft_columns",
    ),
    path(DESK + "apporter/<int:draft_id>/tableaux/", desk.draft_tables, name="draft_tables"),
    path(DESK + "apporter/<int:draft_id>/noms/", names.draft_names, name="draft_names"),
    path(DESK + "calcul/<int:period_id>/", runs.run, name="run"),
    path(DESK + "calcul/<int:period_id>/joueurs/", views_newcomers.newcomers, name="newcomers"),
    path(DESK + "calcul/<int:period_id>/etat/", runs.run_state, name="run_state"),
    path(COMPETITION + "officielle/", runs.make_official, name="make_official"),
    path(COMPETITION + "partie/nouvelle/", corrections.game_add, name="game_add"),
    path(COMPETITION, corrections.desk_competition, name="desk_competition"),
    path(COMPETITION + "partie/<int:game_id>/", corrections.game_correct, name="game_correct"),
    path(COMPETITION + "places/", corrections.sheet_correct, name="sheet_correct"),
    path(COMPETITION + "date/", corrections.event_correct, name="event_correct"),
    path(COMPETITION + "declare/", corrections.facts_correct, name="facts_correct"),
    path(COMPETITION + "retirer/", corrections.event_remove, name="event_remove"),
]
