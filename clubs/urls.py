"""Pages about people and decisions."""

from django.urls import path

from clubs.views import public

app_name = "clubs"

urlpatterns = [
    path("", public.home, name="home"),
    path("theme/", public.theme, name="theme"),
    path("regles/", public.rules, name="rules"),
    path("regles/<int:number>/", public.rules_version, name="rules_version"),
]
