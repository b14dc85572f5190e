"""Addresses of the API and of the pages where its tokens and webhooks are set."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from api.tokens import views as tokens
from api.v1 import urls as v1
from api.webhooks import views as webhooks

app_name = "api"
WEBHOOK = "gestion/webhooks/<int:webhook_id>/"
urlpatterns: list[URLPattern | URLResolver] = [
    path("moi/cles/", tokens.tokens, name="tokens"),
    path("gestion/webhooks/", webhooks.webhook_list, name="webhook_list"),
    path(WEBHOOK, webhooks.webhook, name="webhook"),
    path(WEBHOOK + "envois/<int:delivery_id>/", webhooks.webhook_replay, name="webhook_replay"),
    path(WEBHOOK + "<slug:act>/", webhooks.webhook_act, name="webhook_act"),
    path("api/v1/", include(v1.urlpatterns)),
]
