"""axe on every page, in light and dark; fingers' room; no sideways scroll on the narrowest phone."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT

pytestmark = [pytest.mark.browser, pytest.mark.real_clock]

# A name in braces in PAGES: the page that leads there and what its link says.
LINKS = {
    "tonight": ("/soirees/", "Voir en direct"),
    "amelie": ("/joueurs/?q=Dufour", "Dufour"),
    "karim": ("/joueurs/?q=Benali", "Benali"),
    "marie_christine": ("/joueurs/?q=Vandenbroucke", "Vandenbroucke"),
    "antonin": ("/c/federation/joueurs/?q=Antonin", "Michel"),
}
NOT_FOUND = "/nulle-part/"
PAGES = {
    "": [
        "/",
        "/classement/",
        "/classement/?etat=publie",
        "/classement/publications/",
        "/classement/publications/3/",
        "/classement/publications/4/",
        "/classement/publications/3..4/",
        "/joueurs/",
        "{amelie}",
        "{amelie}contre/{karim_key}/",
        "/soirees/",
        "{tonight}",
        "/regles/",
        "/regles/1/",
        "/regles/0..1/",
        "/rejoindre/",
        "/aide/",
        "/accessibilite/",
        "/confidentialite/",
        "/contact/",
        "/s/",
        "/matchs/1/",
        "/matchs/1/pourquoi/",
        "/compte/login/",
        NOT_FOUND,
        "/c/faizers/",
        "/c/federation/",
        "/tournois/",
        "/tournois/coupe-des-quatre-villes/",
        "/tournois/coupe-des-quatre-villes/inscrits/",
        "/tournois/coupe-des-quatre-villes/ronde/3/",
        "/tournois/coupe-des-quatre-villes/ronde/3/?par=nom",
        "/tournois/coupe-des-quatre-villes/classement/",
        "/tournois/open-dautomne/",
        "/tournois/open-dautomne/classement/",
        "/tournois/open-dautomne/classement/publications/1/",
        "/tournois/open-dautomne/grille/",
        "/tournois/open-dautomne/fichiers/",
        "/c/federation/cotes/",
        "/c/federation/cotes/fisf/",
        "/c/federation/cotes/fisf/publications/",
        "/c/federation/cotes/fisf/publications/1/",
        "/c/federation/cotes/fesa/?partie=unrated",
        "/c/federation/cotes/romania-compunere-seniors/",
        "/c/federation/cotes/general/",
        "/c/federation/cotes/absp/calculateur/?first_rating=90&first_games=9&second_rating=120&second_games=50&result=2",
        "/c/federation/cotes/fisf-exemple/competitions/",
        "{antonin}cotes/fisf/",
        "/c/federation/regles/?livre=romania",
    ],
    "marie-christine": [
        "/ma-soiree/",
        "/moi/",
        "/moi/carte/",
        "/moi/reglages/",
        "/moi/donnees/",
        "/moi/absences/",
        "/compte/2fa/",
        "/compte/sessions/",
        "/compte/email/",
        "{marie_christine}ce-soir/",
    ],
    "odile": [
        "/arbitrage/",
        "/arbitrage/litiges/",
        "/arbitrage/absences/",
        "{tonight}conduite/",
        "{tonight}accueil/",
        "{tonight}appariement/",
        "{tonight}cloture/",
        "{tonight}cloture/forcer/",
        "/matchs/1/corriger/",
        "/gestion/tournois/coupe-des-quatre-villes/ronde/3/conduite/",
        "/gestion/tournois/coupe-des-quatre-villes/ronde/3/saisie/",
    ],
    "helene": [
        "/gestion/",
        "/gestion/demarrer/",
        "/gestion/saisons/",
        "/gestion/regles/brouillon/",
        "/gestion/classement/publier/",
        "/gestion/classement/publier/?rectifie=2",
        "/gestion/journal/",
        "/gestion/affiches/",
        "/gestion/membres/",
        "/gestion/membres/nouveau/",
        "/gestion/membres/1/",
        "/gestion/demandes/",
        "/gestion/inviter/",
        "/gestion/roles/",
        "/gestion/import/",
        "/arbitrage/sanctions/",
        "/soirees/nouvelle/",
        "/gestion/tournois/nouveau/",
        "/gestion/tournois/open-dautomne/",
        "/gestion/tournois/coupe-des-quatre-villes/",
        "/gestion/tournois/coupe-des-quatre-villes/inscrits/",
        "/gestion/tournois/coupe-des-quatre-villes/reglages/",
        "/gestion/tournois/coupe-des-quatre-villes/ronde/4/conduite/",
        "/c/faizers/gestion/regles/simulation/?livre=faizers",
        "/c/faizers/regles/simulation/1/",
        "/c/federation/gestion/cotes/",
        "/c/federation/gestion/cotes/nouvelle/",
        "/c/federation/gestion/cotes/fusion/",
        "/c/federation/gestion/cotes/fisf/",
        "/c/federation/gestion/cotes/fisf/barres/",
        "/c/federation/gestion/cotes/fesa/apporter/",
        "/c/federation/gestion/cotes/fisf/publier/",
        "/c/federation/gestion/regles/brouillon/?livre=fesa",
    ],
}


_known: dict[str, str] = {}


@pytest.fixture
def known(window: Any) -> dict[str, str]:
    """Where the pages themselves lead: an evening by its day, people by their own address.

    Every test begins with the same demo club: a worker looks once.
    """
    if not _known:
        page = window()
        for name, (path, words) in LINKS.items():
            assert page.goto(path).status == 200, path
            link = page.locator("main a", has_text=words).first
            _known[name] = link.evaluate("link => new URL(link.href).pathname")
        _known["karim_key"] = _known["karim"].rstrip("/").rpartition("/")[2]
    return _known


# What a finger cannot hit: links in a sentence and what only a screen reader sees are left out; the
# words of a tick are part of it.
SMALL_TARGETS = """() => {
  const shown = (e) => e.checkVisibility({ visibilityProperty: true }) && !e.matches(".hidden-text, .skip-link");
  const tall = (e) => e && e.getBoundingClientRect().height > 43.5;
  const found = [];
  for (const e of document.querySelectorAll("a[href], button, select, textarea, summary, input:not([type=hidden])")) {
    const box = e.getBoundingClientRect();
    if (!shown(e) || box.width < 2 || (e.matches("a") && getComputedStyle(e).display === "inline")) continue;
    if (e.matches("input") && [...(e.labels ?? [])].some((label) => label.contains(e) || e.type === "checkbox" ? tall(label) : false)) continue;
    if (!tall(e) || (box.width < 43.5 && !e.matches("input"))) {
      found.push(`${e.outerHTML.slice(0, 100)} ${Math.round(box.width)} × ${Math.round(box.height)}`);
    }
  }
  return found;
}"""
BROKEN = {"resultTypes": ["violations"]}  # axe then describes no element that passes
COLOURS = {**BROKEN, "runOnly": ["color-contrast"]}  # what another theme can change


def findings(page: Any, options: dict[str, Any] = BROKEN) -> list[str]:
    """What axe complains of. It is read into a page once."""
    if page.evaluate("typeof axe === 'undefined'"):
        page.evaluate(AXE_SCRIPT)
    violations = page.evaluate(
        "async (options) => (await axe.run(document, options)).violations", options
    )
    return [
        f"{violation['id']}: {[node['html'][:120] for node in violation['nodes'][:3]]}"
        for violation in violations
    ]


@pytest.mark.parametrize("account", PAGES, ids=[name or "visitor" for name in PAGES])
def test_axe_finds_nothing_and_nothing_scrolls_sideways(window, known, account):
    page = window(account, color_scheme="light")
    page.add_init_script(AXE_SCRIPT)  # sent once, not with each page
    found = []
    for path in (template.format(**known) for template in PAGES[account]):
        page.set_viewport_size({"width": 390, "height": 844})
        status = page.goto(path).status
        if status != (404 if path == NOT_FOUND else 200):
            found.append(f"{path}: answered {status}")
        found += [f"{path}: {words}" for words in findings(page, BROKEN)]
        found += [f"{path}: too small: {words}" for words in page.evaluate(SMALL_TARGETS)]
        page.emulate_media(color_scheme="dark")
        found += [f"{path} in the dark: {words}" for words in findings(page, COLOURS)]
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": 320, "height": 700})
        width = page.evaluate("document.documentElement.scrollWidth")
        if width > 320:
            found.append(f"{path}: {width} px wide at 320")
    assert not found, "\n".join(found)


# The element that has the focus: what draws its ring, and what a sighted reader finds at its middle.
FOCUSED = """() => {
  const e = document.activeElement;
  if (!e || e === document.body) return null;
  const ringed = e.matches("input[type=radio]") ? e.closest("label") ?? e : e;
  const ring = getComputedStyle(ringed);
  const box = e.getBoundingClientRect();
  const x = Math.min(Math.max(box.left + box.width / 2, 0), innerWidth - 1);
  const y = Math.min(Math.max(box.top + box.height / 2, 0), innerHeight - 1);
  const top = document.elementFromPoint(x, y);
  const seen = !!top && (e.contains(top) || top.contains(e) || top.closest("label")?.control === e);
  return { html: e.outerHTML.slice(0, 90), ring: ring.outlineStyle !== "none" && parseFloat(ring.outlineWidth) >= 2,
    seen, inside: box.bottom > 0 && box.top < innerHeight };
}"""
# In forced colours: words of the page or choice in use that lost the colour of the highlight.
LOST = """() => {
  const probe = document.body.appendChild(document.createElement("i"));
  probe.style.color = "HighlightText";
  const wanted = getComputedStyle(probe).color;
  probe.remove();
  return [...document.querySelectorAll("a[aria-current], button[aria-pressed=true]")]
    .flatMap((e) => [e, ...e.querySelectorAll(":not(svg *)")])
    .filter((e) => getComputedStyle(e).color !== wanted).map((e) => e.outerHTML.slice(0, 90));
}"""
BY_KEYBOARD = {
    "": ["/c/faizers/", "/c/faizers/classement/", "/compte/login/"],
    "marie-christine": ["/c/faizers/ma-soiree/", "/c/faizers/moi/reglages/"],
    "odile": ["{tonight}conduite/", "/c/faizers/arbitrage/litiges/"],
}


@pytest.mark.parametrize("colours", ["none", "active"], ids=["usual colours", "forced colours"])
def test_the_focus_is_always_seen(window, known, colours):
    found = []
    for account, paths in BY_KEYBOARD.items():
        page = window(account, forced_colors=colours)
        for path in paths:
            assert page.goto(path.format(**known)).status == 200
            page.evaluate("document.fonts.ready.then(() => true)")
            lost = page.evaluate(LOST) if colours == "active" else []
            found += [f"{path}: lost on the highlight: {html}" for html in lost]
            told = set()
            for _key in range(60):
                page.keyboard.press("Tab")
                focus = page.evaluate(FOCUSED)
                if focus is None or focus["html"] in told:
                    break
                told.add(focus["html"])
                if not (focus["seen"] and focus["inside"]):
                    # A font or a live part that comes late moves the page: one step back, and again.
                    page.wait_for_timeout(1000)
                    page.keyboard.press("Shift+Tab")
                    page.keyboard.press("Tab")
                    focus = page.evaluate(FOCUSED) or focus
                if not (focus["ring"] and focus["seen"] and focus["inside"]):
                    found.append(f"{path}: {focus}")
            assert told, path
    assert not found, "\n".join(found)
