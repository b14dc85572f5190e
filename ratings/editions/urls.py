"""Addresses of published editions: the club's own ranking, and the same for each rating list."""

from django.urls import URLPattern, path

from ratings.editions import views as editions
from ratings.editions import views_between as between
from ratings.editions import views_publish as publish

PAGES = (
    ("", editions.edition_list, "edition_list"),
    ("derniere/", editions.edition_last, "edition_last"),
    ("derniere.<slug:extension>", editions.edition_last, "edition_last_file"),
    ("<int:number>/", editions.edition, "edition"),
    ("<int:number>.<slug:extension>", editions.edition_file, "edition_file"),
    ("<int:old>..<int:new>/", editions.edition_diff, "edition_diff"),
)

urlpatterns: list[URLPattern] = [
    path("cotes/<slug:slug>/comparer/", between.list_between, name="list_between"),
    *(path(f"classement/publications/{tail}", view, name=name) for tail, view, name in PAGES),
    *(
        path(f"cotes/<slug:liste>/publications/{tail}", view, name=f"list_{name}")
        for tail, view, name in PAGES
    ),
    path("gestion/classement/publier/", publish.publish, name="publish"),
    path("gestion/cotes/<slug:liste>/publier/", publish.publish, name="list_publish"),
]
