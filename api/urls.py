"""Addresses of the API and of the pages where its tokens and webhooks are set."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from api.tokens import views as tokens
from api.v1 import urls as v1

app_name = "api"
urlpatterns: list[URLPattern | URLResolver] = [
    path("moi/cles/", tokens.tokens, name="tokens"),
    path("api/v1/", include(v1.urlpatterns)),
]
