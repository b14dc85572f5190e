"""Pages of cotes that need no play: the lists of federations and their editions (later issues)."""

from django.urls import URLPattern

from ratings import publication_urls

app_name = "ratings"

urlpatterns: list[URLPattern] = [*publication_urls.urlpatterns]
