"""Pages about people and decisions."""

from django.urls import path

from clubs.accounts import views as accounts
from clubs.archive import views as archive
from clubs.journal import views as journal_views
from clubs.members import views as people
from clubs.members import views_account as me
from clubs.members import views_member
from clubs.members.invitations import views as invitations
from clubs.notifications import views as notices
from clubs.organisations import views as public
from clubs.personal_data import views as privacy_views
from clubs.persons import views as persons
from clubs.rulebooks import views as rulebook_views
from clubs.setup import views as committee
from clubs.setup import views_posters
from clubs.setup import views_settings as club_settings

app_name = "clubs"
LICENCES = "gestion/personnes/licences/<int:file_id>/"

urlpatterns = [
    path("", public.home, name="home"),
    path("theme/", public.theme, name="theme"),
    path("regles/", public.rules, name="rules"),
    path("regles/<int:number>/", public.rules_version, name="rules_version"),
    path("regles/<int:old>..<int:new>/", public.rules_diff, name="rules_diff"),
    path("rejoindre/", me.join, name="join"),
    path("aide/", public.help_page, name="help"),
    path("accessibilite/", public.accessibility, name="accessibility"),
    path("confidentialite/", privacy_views.privacy, name="privacy"),
    path("contact/", public.contact, name="contact"),
    path("i/<str:token>/", me.invitation, name="invitation"),
    path("j/<int:number>/", me.number, name="number"),
    path("moi/", me.me, name="me"),
    path("moi/carte/", me.player_card, name="player_card"),
    path("moi/reglages/", me.own_settings, name="settings"),
    path("moi/notifications/", notices.notifications, name="notifications"),
    path("moi/notifications/appareil/", notices.push_device, name="push_device"),
    path("moi/donnees/", me.my_data, name="my_data"),
    path("compte/sessions/<int:session_id>/", accounts.end_session, name="session_end"),
    path("gestion/", committee.dashboard, name="dashboard"),
    path("gestion/demarrer/", committee.setup, name="setup"),
    path("gestion/club/", club_settings.club, name="club_settings"),
    path("gestion/fermer/", club_settings.close, name="close"),
    path("gestion/donnees/", club_settings.privacy_settings, name="privacy_settings"),
    path("gestion/saisons/", committee.season_list, name="season_list"),
    path("gestion/saisons/<int:season_id>/", club_settings.season, name="season_edit"),
    path("gestion/regles/brouillon/", rulebook_views.rules_edit, name="rules_edit"),
    path("gestion/regles/adopter/", rulebook_views.rules_adopt, name="rules_adopt"),
    path("gestion/journal/", journal_views.journal_page, name="journal"),
    path("gestion/etat/", archive.state, name="site_state"),
    path("gestion/etat/archive/", archive.archive, name="archive"),
    path("gestion/affiches/", club_settings.posters, name="posters"),
    path("gestion/affiches/porte.pdf", views_posters.poster_door, name="poster_door"),
    path("gestion/affiches/cartes.pdf", views_posters.poster_cards, name="poster_cards"),
    path("gestion/membres/", people.member_list, name="member_list"),
    path("gestion/membres/nouveau/", people.member_add, name="member_add"),
    path("gestion/membres/<int:member_id>/", views_member.member_edit, name="member_edit"),
    path(
        "gestion/membres/<int:member_id>/accord/",
        views_member.guardian_withdraws,
        name="guardian_withdraws",
    ),
    path(
        "gestion/membres/<int:member_id>/compte/",
        views_member.account_unlink,
        name="account_unlink",
    ),
    path("gestion/personnes/", persons.person_list, name="person_list"),
    path("gestion/personnes/<int:member_id>/", persons.person, name="person"),
    path("gestion/personnes/licences/", persons.licence_upload, name="licence_upload"),
    path(LICENCES + "colonnes/", persons.licence_columns, name="licence_columns"),
    path(LICENCES, persons.licence_preview, name="licence_preview"),
    path("gestion/demandes/", invitations.requests, name="requests"),
    path("gestion/inviter/", invitations.invite, name="invite"),
    path("gestion/roles/", people.roles, name="roles"),
    path("gestion/import/", people.import_upload, name="import_upload"),
    path("gestion/import/<int:import_id>/colonnes/", people.import_map, name="import_map"),
    path("gestion/import/<int:import_id>/apercu/", people.import_preview, name="import_preview"),
    path("gestion/import/<int:import_id>/bilan/", people.import_done, name="import_done"),
]
