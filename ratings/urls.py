"""Pages of cotes that need no play: the lists of federations and their editions (later issues)."""

from django.urls import URLPattern

app_name = "ratings"

urlpatterns: list[URLPattern] = []
