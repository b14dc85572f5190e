"""axe on every page, in light and dark; fingers' room and what does not fit, at six sizes of screen."""

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
    "contest": ("/arbitrage/litiges/", "Litige · table"),
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
        "/joueurs/?q=zzz",
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
        "/moi/notifications/",
        "/moi/cles/",
        "/compte/2fa/",
        "/compte/sessions/",
        "/compte/email/",
        "{marie_christine}ce-soir/",
    ],
    "odile": [
        "/arbitrage/",
        "/arbitrage/litiges/",
        "/arbitrage/absences/",
        "{contest}",
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
        "/gestion/club/",
        "/gestion/donnees/",
        "/gestion/etat/",
        "/gestion/webhooks/",
        "/gestion/egalites/",
        "/gestion/personnes/",
        "/gestion/reprendre-un-tournoi/",
        "/gestion/saisons/",
        "/gestion/saisons/1/",
        "/gestion/regles/adopter/",
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
        "/c/federation/gestion/cotes/places/",
        "/c/federation/gestion/cotes/clubs/",
        "/c/federation/gestion/cotes/transmissions/",
        "/c/federation/gestion/cotes/fesa/grades/",
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
        page = window("odile")
        for name, (path, words) in LINKS.items():
            assert page.goto(path).status == 200, path
            link = page.locator("main a", has_text=words).first
            _known[name] = link.evaluate("link => new URL(link.href).pathname")
        _known["karim_key"] = _known["karim"].rstrip("/").rpartition("/")[2]
    return _known


# What a finger cannot hit: links among other words of their line and what only a screen reader sees
# are left out; the words of a tick are part of it.
SMALL_TARGETS = """() => {
  const boxOf = (node) => {
    let around = node.parentElement;
    while (getComputedStyle(around).display === "inline") around = around.parentElement;
    return around;
  };
  const inSentence = (link) => {
    if (getComputedStyle(link).display !== "inline") return false;
    if (innerWidth >= 768) return true; // there a line of a table is for a mouse
    const box = boxOf(link);
    const texts = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode;
      if (/[\\p{L}\\d]/u.test(text.data) && !text.parentElement.closest("a, .hidden-text") && boxOf(text) === box) return true;
    }
    return false;
  };
  const shown = (e) => e.checkVisibility({ visibilityProperty: true }) && !e.matches(".hidden-text, .skip-link");
  const tall = (e) => e && e.getBoundingClientRect().height > 43.5;
  const found = [];
  for (const e of document.querySelectorAll("a[href], button, select, textarea, summary, input:not([type=hidden])")) {
    const box = e.getBoundingClientRect();
    if (!shown(e) || box.width < 2 || (e.matches("a") && inSentence(e))) continue;
    if (e.matches("input") && [...(e.labels ?? [])].some((label) => label.contains(e) || e.type === "checkbox" ? tall(label) : false)) continue;
    const inLine = getComputedStyle(e).display === "inline"; // as wide as its words
    if (!tall(e) || (box.width < 43.5 && !inLine && !e.matches("input"))) {
      found.push(`${e.outerHTML.slice(0, 100)} ${Math.round(box.width)} × ${Math.round(box.height)}`);
    }
  }
  return found;
}"""
SIZES = [(320, 568), (375, 667), (390, 844), (768, 1024), (1280, 800), (1920, 1080)]
# What does not fit: a page that scrolls sideways, navigation on a second line, words that a box cuts.
MISFITS = """() => {
  const found = [];
  const width = document.documentElement.scrollWidth;
  if (width > innerWidth) found.push(`${width} px wide`);
  const shown = (e) => e.checkVisibility({ visibilityProperty: true }) && !e.closest(".hidden-text, .skip-link");
  const entries = [...document.querySelectorAll(".site-nav li")].filter(shown);
  const header = document.querySelector(".site-header");
  const lines = (entry) => Math.round(entry.getBoundingClientRect().top);
  if (new Set(entries.map(lines)).size > 1) found.push("its navigation takes two lines");
  if (header && header.offsetHeight > 6 * parseFloat(getComputedStyle(document.documentElement).fontSize)) {
    found.push("its header takes two lines");
  }
  for (const word of document.querySelectorAll(".bottom-bar__link > span:not(.count)")) {
    if (shown(word) && word.getClientRects().length && word.offsetHeight > 24) found.push(`broken: ${word.textContent}`);
  }
  for (const e of document.querySelectorAll("main *, .phone-bar *")) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !shown(e) || e.matches("option, textarea, svg *")) continue;
    const box = e.getBoundingClientRect();
    for (let around = e; around && around.tagName !== "BODY"; around = around.parentElement) {
      const style = getComputedStyle(around);
      if (style.display === "inline") continue;
      if (style.overflowX === "auto" || style.clipPath !== "none") break;
      const edge = around.getBoundingClientRect();
      const over = box.right > edge.right + 1.5;
      if (over && (style.overflowX === "hidden" || around.matches(".card, .btn, .tag, .badge, .notice"))) {
        found.push(`out of its box: ${e.textContent.trim().slice(0, 60)}`);
        break;
      }
    }
  }
  return found;
}"""
# With the room between letters, words and lines that WCAG 1.4.12 lets a reader ask for: a page too wide.
SPACED = """() => {
  const room = new CSSStyleSheet();
  room.replaceSync("* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }");
  document.adoptedStyleSheets = [room];
  const width = document.documentElement.scrollWidth;
  document.adoptedStyleSheets = [];
  return width > innerWidth ? [`${width} px wide where letters have room`] : [];
}"""
# What has no ring when it has the focus, or a ring that a card around it cuts on more than one side.
RINGLESS = """() => {
  const found = [];
  const isRinged = (e) => { const style = e && getComputedStyle(e); return style && style.outlineStyle === "solid" && parseFloat(style.outlineWidth) >= 2; };
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  for (const e of document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex]")) {
    if (e.tabIndex < 0 || e.disabled || !e.checkVisibility({ visibilityProperty: true })) continue;
    e.focus({ focusVisible: true, preventScroll: true });
    if (document.activeElement !== e) continue;
    const ringed = [e, e.closest(".choice"), e.labels?.[0]].find(isRinged);
    const cut = new Set(ringed ? [] : ["no ring", "at all"]);
    const more = ringed ? parseFloat(getComputedStyle(ringed).outlineOffset) + 2 : 0;
    const box = (ringed ?? e).getBoundingClientRect();
    for (let around = (ringed ?? e).parentElement; around !== document.body; around = around.parentElement) {
      if (getComputedStyle(around).overflowX === "visible") continue;
      const edge = around.getBoundingClientRect();
      const left = edge.left + around.clientLeft - around.scrollLeft;
      const top = edge.top + around.clientTop - around.scrollTop;
      if (box.left - more < left - 1) cut.add("left");
      if (box.top - more < top - 1) cut.add("top");
      if (box.right + more > left + around.scrollWidth + 1) cut.add("right");
      if (box.bottom + more > top + around.scrollHeight + 1) cut.add("bottom");
    }
    if (cut.size > 1) found.push(`${[...cut]}: ${e.outerHTML.slice(0, 100)}`);
  }
  document.activeElement.blur();
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
        page.emulate_media(color_scheme="dark")
        found += [f"{path} in the dark: {words}" for words in findings(page, COLOURS)]
        page.emulate_media(color_scheme="light")
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            where = f"{path} at {width}"
            found += [f"{where}: too small: {words}" for words in page.evaluate(SMALL_TARGETS)]
            found += [f"{where}: {words}" for words in page.evaluate(MISFITS)]
            if width < 390:
                found += [f"{where}: {words}" for words in page.evaluate(SPACED)]
        for width in (390, 1280):  # last: it opens what is folded
            page.set_viewport_size({"width": width, "height": 844})
            found += [f"{path} at {width}: {words}" for words in page.evaluate(RINGLESS)]
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


def test_forced_colours_draw_no_tick_that_nobody_made(window):
    page = window(forced_colors="active")
    assert page.goto("/c/faizers/rejoindre/").status == 200
    mark = "e => getComputedStyle(e, '::before').content"
    assert page.locator("input[type=checkbox]").first.evaluate(mark) == "none"


def test_names_stay_over_the_rounds_that_pass_under_them(window):
    """A crosstable on a phone: what is read at the middle of a name is that name."""
    page = window()
    assert page.goto("/c/faizers/tournois/open-dautomne/grille/").status == 200
    read = """() => {
      document.querySelector(".table-card").scrollLeft = 80;
      return [...document.querySelectorAll("tbody th")].map((name) => {
        name.scrollIntoView({ block: "center" });
        const box = name.getBoundingClientRect();
        return name.contains(document.elementFromPoint(box.right - 12, box.top + box.height / 2));
      });
    }"""
    assert all(page.evaluate(read))
