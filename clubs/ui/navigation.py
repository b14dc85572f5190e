"""Context of every page: the club, the reader, and the navigation, the committee's included."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import get_script_prefix, reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from clubs.organisations.models import Organisation
from clubs.registries import MENU_COUNTS
from clubs.ui.pwa import reader_of

Entry = dict[str, object]
Item = Callable[..., Entry]
"""Makes an entry of a menu, on the page that is shown."""
Pages = tuple[str, list[tuple[str, ...]]]
"""A subject, and its pages: what each is called, the name of its address, and of those it leads to."""


def frame(request: HttpRequest) -> dict[str, object]:
    """Return base.html's context: `club`, `access`, `member_name`, `theme`, `live_url`, `nav`."""
    organisation = getattr(request, "organisation", None)
    if organisation is None:
        nav: dict[str, list[object]] = {"main": [], "roles": [], "account": [], "footer": []}
        return {
            "club": None,
            "nav": nav,
            "reader": reader_of(request),
            "here": in_language(request),
        }
    access = request.access  # type: ignore[attr-defined]
    user = getattr(request, "user", None)
    signed_in = bool(user and user.is_authenticated)
    return {
        "club": organisation,
        "access": access,
        "own_member": access.member,
        "member_name": access.member.full_name if access.member else "",
        "theme": _theme(request, signed_in),
        "live_url": _url("pairings:live"),
        "reader": reader_of(request),
        "here": in_language(request),
        "nav": _nav(request, access, signed_in),
        "breadcrumb": parents_of(request, access),
        "share": share_of(request, organisation.name, "pairings:club_picture"),
    }


LANGUAGE_QUERY = "lang"
"""In an address: the language in which a visitor reads it."""


def in_language(request: HttpRequest, language: str = "") -> str:
    """Return the path and query of this page in a language; without one, in the reader's own."""
    query = request.GET.copy()
    query.pop(LANGUAGE_QUERY, None)
    if language:
        query[LANGUAGE_QUERY] = language
    return f"{request.path}?{query.urlencode()}" if query else request.path


def _languages(request: HttpRequest) -> list[tuple[str, str]]:
    """Return this page's address in each language, and as browsers ask for one; none of a filtered page."""
    if request.GET.keys() - {LANGUAGE_QUERY}:
        return []
    return [
        (code or "x-default", request.build_absolute_uri(in_language(request, code)))
        for code in (*dict(settings.LANGUAGES), "")
    ]


def share_of(
    request: HttpRequest, title: str, picture: str, **kwargs: Any
) -> dict[str, Any] | None:
    """Return what a shared link shows (`components/_share.html`), as a visitor may see it.

    None for who has signed in: a service that draws a link never has.
    """
    user = getattr(request, "user", None)
    if user is not None and user.is_authenticated:
        return None
    return {
        "title": title,
        "url": request.build_absolute_uri(request.path),
        "image": request.build_absolute_uri(reverse(picture, kwargs=kwargs)),
        "languages": _languages(request),
    }


SETTING_UP = "setting_up"
"""In the session: the addresses to which the set-up that was left unfinished last leads."""


def parents_of(request: HttpRequest, access: Any) -> list[tuple[str, str]]:
    """Return the breadcrumbs from the second level on; a page may pass its own.

    Until the set-up is finished, the pages it opens lead back to it too.
    """
    path = request.path
    is_club = access.organisation.is_club
    steps = [
        (_("Classement"), "pairings:ranking", is_club),
        (_("Saisons"), "pairings:played_seasons", is_club),
        (_("Soirées"), "pairings:evening_list", is_club),
        (_("Cotes"), "ratings:list_index", not is_club),
        (_("Tournois"), "pairings:tournament_list", True),
        (_("Joueurs"), "pairings:player_list", True),
        (_("Règles"), "clubs:rules", True),
        (_("Mon espace"), "clubs:me", access.is_member),
        (_("Arbitrage"), "pairings:arbiter", access.is_arbiter),
        (_("Gestion"), "clubs:dashboard", access.is_committee),
        (_("Membres"), "clubs:member_list", access.is_committee),
        (_("Saisons"), "clubs:season_list", access.is_committee),
        (_("Égalités et PDI"), "pairings:tie_list", access.is_committee),
        (_("Gestion des cotes"), "ratings:desk", access.is_committee),
        (_("Personnes et licences"), "clubs:person_list", access.is_committee),
    ]
    crumbs = []
    for label, name, allowed in steps:
        url = _url(name)
        if allowed and path.startswith(url) and path != url:
            crumbs.append((label, url))
            if name == "clubs:dashboard" and path.startswith(
                tuple(request.session.get(SETTING_UP, ()))
            ):
                crumbs.append((_("Mise en route"), _url("clubs:setup")))
    return crumbs


def _theme(request: HttpRequest, signed_in: bool) -> str:
    chosen = request.COOKIES.get("theme") or (request.user.theme if signed_in else "")  # type: ignore[union-attr]
    return chosen if chosen in ("light", "dark") else "auto"


def _item(
    path: str, label: str, name: str, icon: str = "", count: int = 0, **kwargs: object
) -> Entry:
    """Return an entry of a menu on the page at `path`."""
    url = _url(name, **kwargs)
    return {
        "label": label,
        "url": url,
        "icon": icon,
        "count": count,
        "current": path.startswith(url),
    }


def _nav(request: HttpRequest, access: Any, signed_in: bool) -> dict[str, object]:
    item = partial(_item, request.path)
    is_club = access.organisation.is_club
    played = [
        item(_("Classement"), "pairings:ranking", "list-ordered"),
        item(_("Soirées"), "pairings:evening_list", "calendar"),
    ]
    main = [
        *(played if is_club else [item(_("Cotes"), "ratings:list_index", "list-ordered")]),
        item(_("Tournois"), "pairings:tournament_list", "trophy"),
        item(_("Joueurs"), "pairings:player_list", "users"),
        item(_("Règles"), "clubs:rules", "book-open"),
    ]
    roles = []
    contests = 0
    if access.is_arbiter:
        contests = MENU_COUNTS["contests"](access)
        roles.append(item(_("Arbitrage"), "pairings:arbiter", "gavel", contests))
    if access.is_committee:
        roles.append(item(_("Gestion"), "clubs:dashboard", "settings"))
    account = []
    if access.is_member:
        account = [
            item(_("Mon espace"), "clubs:me", "user"),
            item(_("Ma carte"), "clubs:player_card", "qr-code"),
            item(_("Réglages"), "clubs:settings", "sliders-horizontal"),
        ]
    elif signed_in and access.organisation.closed_at is None:
        said = _("Rejoindre le club") if is_club else _("Rejoindre la fédération")
        account = [item(said, "clubs:join", "user-plus")]
    elsewhere = []
    if portal := _portal(access.organisation):
        elsewhere = [
            {
                "label": _("Changer de club"),
                "url": portal,
                "icon": "arrow-left-right",
                "count": 0,
                "current": False,
            }
        ]
    if signed_in:
        account += elsewhere
    phone = _phone(item, access, main, is_club)
    plays_alone = is_club and (access.has_evening or access.guest is not None)
    if is_club and access.has_evening:
        phone.insert(0, _evening_of_phone(item))
    if plays_alone:  # a member finds it on their own page
        main.insert(0, item(_("Ma soirée"), "pairings:my_evening", "swords"))
    return {
        "main": main,
        "roles": roles,
        "account": account,
        "phone": phone,
        "footer": [*_footer(item, is_club), *elsewhere],
        "more_count": contests,
        "committee": _committee(request.path, access, is_club=is_club),
    }


def _committee(path: str, access: Any, *, is_club: bool) -> list[Any]:
    """Return the committee's subjects on its own pages; a tournament's pages have their own menu."""
    desk = _url("clubs:dashboard")
    here = path.startswith(desk) and not path.startswith(f"{desk}tournois/")
    return subjects_of(path, is_club=is_club) if here and access.is_committee else []


def _footer(item: Item, is_club: bool) -> list[Entry]:
    return [
        item(_("Aide"), "clubs:help"),
        item(_("Accessibilité"), "clubs:accessibility"),
        item(_("Confidentialité"), "clubs:privacy"),
        item(
            _("Contacter l’arbitre") if is_club else _("Contacter la fédération"), "clubs:contact"
        ),
    ]


def _phone(item: Item, access: Any, main: list[Entry], is_club: bool) -> list[Entry]:
    """Return the bar at the foot of a phone."""
    if access.player is None or not (access.is_member or is_club):
        second = main[1] if is_club else item(_("Tournois"), "pairings:tournament_list", "trophy")
        return [main[0], second]
    address = access.player.address
    profile = item(_("Mon profil"), "pairings:player", "chart-line", slug=address)
    if not is_club:
        return [main[0], profile]
    return [_evening_of_phone(item), main[0], profile]


def _evening_of_phone(item: Item) -> Entry:
    return item(pgettext("bar of a phone", "Ma soirée"), "pairings:my_evening", "swords")


def _portal(organisation: Organisation) -> str:
    """Return the page that lists clubs; nothing where the site has a single one."""
    prefix, tail = get_script_prefix(), f"/c/{organisation.slug}/"
    return prefix.removesuffix(tail) + "/" if prefix.endswith(tail) else ""


def _url(name: str, **kwargs: object) -> str:
    if kwargs:
        return reverse(name, kwargs=kwargs)
    return _fixed_url(get_script_prefix(), name)


@lru_cache(maxsize=4096)
def _fixed_url(prefix: str, name: str) -> str:
    """Return an address of the menus: the same on every page below that prefix, which it has."""
    return reverse(name)


# The committee's pages by subject: at the left of a wide screen, and on the page "Gestion".


def subjects_of(path: str, *, is_club: bool) -> list[tuple[str, list[Entry]]]:
    """Return each subject with its pages: `label`, `url`, and `current` for the page at `path`.

    The current page is the one whose address, or that of a page it leads to, begins `path` and is
    the longest.
    """
    subjects = [
        (subject, [(label, [_url(name) for name in names]) for label, *names in pages])
        for subject, pages in (_of_a_club() if is_club else _of_a_federation())
    ]
    urls = [url for _subject, pages in subjects for _label, urls in pages for url in urls]
    current = max((url for url in urls if path.startswith(url)), key=len, default="")
    return [
        (
            subject,
            [{"label": label, "url": urls[0], "current": current in urls} for label, urls in pages],
        )
        for subject, pages in subjects
    ]


def _of_a_club() -> list[Pages]:
    return [
        _members(),
        (
            _("Règles et saisons"),
            [
                *_rules(),
                (_("Égalités et PDI"), "pairings:tie_list"),
                (_("Saisons"), "clubs:season_list"),
            ],
        ),
        (
            _("Classement et cotes"),
            [
                (_("Gestion des cotes"), "ratings:desk", "clubs:person_list"),
                (_("Publier le classement"), "ratings:publish"),
                (_("Classements publiés"), "ratings:edition_list"),
            ],
        ),
        (
            _("Soirées et tournois"),
            [
                (_("Soirées annoncées"), "pairings:evening_list"),
                (_("Affiches à imprimer"), "clubs:posters"),
                (_("Tournois"), "pairings:tournament_list", "pairings:tournament_import"),
            ],
        ),
        _site(),
    ]


def _of_a_federation() -> list[Pages]:
    return [
        (
            _("Classement et cotes"),
            [
                (_("Gestion des cotes"), "ratings:desk"),
                (_("Listes et publications"), "ratings:list_index"),
                (_("Transmissions des clubs"), "ratings:handover_list"),
                (_("Clubs invités"), "ratings:feeders"),
                (_("Personnes et licences"), "clubs:person_list"),
                (_("Tournois"), "pairings:tournament_list", "pairings:tournament_import"),
            ],
        ),
        _members(),
        (_("Règles"), _rules()),
        _site(),
    ]


def _members() -> Pages:
    return _("Membres"), [
        (_("Liste des membres"), "clubs:member_list", "clubs:invite", "clubs:import_upload"),
        (_("Demandes d’adhésion"), "clubs:requests"),
        (_("Rôles"), "clubs:roles"),
    ]


def _rules() -> list[tuple[str, ...]]:
    return [
        (_("Règles en vigueur"), "clubs:rules"),
        (_("Préparer un changement"), "clubs:rules_edit", "clubs:rules_adopt"),
        (_("Simuler le brouillon sur le passé"), "ratings:trial_new"),
    ]


def _site() -> Pages:
    return _("Réglages et journal"), [
        (_("Mise en route"), "clubs:setup"),
        (_("Réglages"), "clubs:club_settings", "clubs:close"),
        (_("Données personnelles"), "clubs:privacy_settings"),
        (_("Lire le journal"), "clubs:journal"),
        (_("État du site et archive"), "clubs:site_state"),
        (_("Prévenir d’autres programmes"), "api:webhook_list"),
    ]
