"""Pages about people and decisions."""

from django.urls import URLPattern

app_name = "clubs"

urlpatterns: list[URLPattern] = []
