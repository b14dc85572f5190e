"""Addresses of the API and of the pages where its tokens and webhooks are set."""

from __future__ import annotations

from django.urls import URLPattern

app_name = "api"
urlpatterns: list[URLPattern] = []
