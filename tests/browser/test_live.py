"""A live fragment by htmx, its sse extension and live.js, with a stream that the test speaks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings
from playwright.sync_api import expect

from tests.browser.waiting import until

pytestmark = [pytest.mark.browser, pytest.mark.real_clock]

TEMPLATES = Path(settings.BASE_DIR) / "templates/components"
STREAM = """
  window.streams = [];
  window.EventSource = class extends EventTarget {
    static OPEN = 1;
    static CLOSED = 2;
    constructor(url) { super(); this.url = String(url); this.readyState = 1; window.streams.push(this);
      setTimeout(() => window.mute || this.onopen?.(new Event("open"))); }
    close() { this.readyState = 2; }
  };
  window.say = (id) => window.streams.at(-1).dispatchEvent(
    new MessageEvent("message", { data: "{}", lastEventId: id }));
"""

ALIVE = "window.streams.at(-1).dispatchEvent(new MessageEvent('alive', { data: '{}' }))"
OPEN = "window.streams.filter(({ readyState }) => readyState === EventSource.OPEN).length"
HIDE = """state => {
  Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


class Fragment:
    """What the site answers: the fragment says how often it was asked for."""

    around = ""

    def __init__(self, page) -> None:
        self.asked, self.on_its_way, self.inside, self.card = 0, None, "", ""
        self.away = self.hangs = False
        self.page = page
        page.add_init_script(STREAM)
        page.route("**/*", self.answer)
        page.goto("http://club.test/")

    def body(self) -> str:
        trigger = re.sub(r"{#.*?#}", "", (TEMPLATES / "_live.html").read_text())
        card = f'data-card="{self.card}"' if self.card else ""
        part = f'<div id="part" hx-get="/part/" {trigger} {card}><b>{self.asked}</b>{self.inside}</div>'
        return part

    def answer(self, route) -> None:
        path = route.request.url.removeprefix("http://club.test")
        if path.startswith("/static/"):
            route.fulfill(path=settings.BASE_DIR / path[1:])
        elif path == "/part/":
            assert route.request.headers["hx-request"] == "true"
            if self.away:
                route.abort()
                return
            if self.hangs:
                self.hangs = False
                return
            self.asked += 1
            if self.on_its_way:
                self.on_its_way, say = None, self.on_its_way
                say()
            route.fulfill(content_type="text/html", body=self.body())
        else:
            head = re.sub(
                r"{%.*?\"(.*?)\" %}", r"/static/\1", (TEMPLATES / "_htmx.html").read_text()
            )
            head = re.sub(r"{%.*?%}", "", head)
            live = '<script type="module" src="/static/js/live.js"></script>'
            lost = '<div data-live-lost data-text="Connexion perdue depuis {time}" hidden></div>'
            said = '<p role="status" data-say></p><ul class="messages"><li>Merci !</li></ul>'
            body = f'<body hx-ext="sse" sse-connect="/flux/">{lost}{said}{self.body()}{self.around}</body>'
            route.fulfill(content_type="text/html", body=f"<head>{head}{live}</head>{body}")

    def say(self, number: int) -> None:
        self.page.evaluate("id => window.say(id)", str(number))

    def shows(self, times: int) -> None:
        expect(self.page.locator("#part b")).to_have_text(str(times))


@pytest.fixture
def fragment(chromium):
    context = chromium.new_context()
    yield Fragment(context.new_page())
    context.close()


def test_each_event_shows_the_fragment_as_it_is_now(fragment):
    for number in (1, 2, 3):
        fragment.say(number)
        fragment.shows(number)


class OnAWall(Fragment):
    around = (
        '<button data-board="pause"></button>'
        '<script type="module" src="/static/js/board.js"></script>'
    )


def test_a_wall_asks_each_minute_for_a_name_that_is_hidden_without_an_event(chromium):
    context = chromium.new_context()
    page = context.new_page()
    page.clock.install()
    wall = OnAWall(page)
    wall.shows(0)
    page.clock.run_for(31_000)  # without a gap in which a computer slept
    page.evaluate(ALIVE)
    page.clock.run_for(30_000)
    wall.shows(1)
    context.close()


def test_an_event_that_comes_while_the_fragment_is_on_its_way_is_not_lost(fragment):
    fragment.on_its_way = lambda: fragment.say(2)
    fragment.say(1)
    fragment.shows(2)


def test_a_stream_that_is_back_before_the_fragment_has_settled_is_not_lost(fragment):
    """For 20 ms after a swap the new fragment does not listen yet."""
    page = fragment.page
    page.evaluate("window.streams.at(-1).onerror(new Event('error'))")
    page.evaluate("""document.body.addEventListener("htmx:afterSwap", () => {
      window.streams.at(-1).onopen(new Event("open"));
    }, { once: true })""")
    fragment.say(1)
    fragment.shows(2)


def test_a_field_being_filled_is_not_replaced(fragment):
    fragment.inside = "<input>"
    fragment.say(1)
    fragment.shows(1)
    fragment.page.locator("input").fill("12")
    fragment.say(2)
    fragment.page.wait_for_timeout(1000)
    fragment.shows(1)
    assert fragment.page.locator("input").input_value() == "12"


def test_a_link_that_is_pressed_while_the_fragment_comes_is_followed(fragment):
    page = fragment.page
    fragment.inside = '<a href="#read">Lire et répondre</a>'
    fragment.say(1)
    fragment.shows(1)
    page.evaluate("performance.now = () => 0")  # a press is short, however slow the machine
    page.get_by_role("link").hover()
    page.mouse.down()
    with page.expect_response("**/part/"):
        fragment.say(2)
    page.wait_for_timeout(200)
    page.mouse.up()
    expect(page).to_have_url(re.compile("#read$"))
    fragment.shows(3)  # what waited for the click is asked for again


def test_a_button_of_the_mouse_that_is_never_released_does_not_stop_the_page(fragment):
    fragment.page.mouse.move(5, 5)
    fragment.page.mouse.down()
    fragment.page.wait_for_timeout(2100)
    fragment.say(1)
    fragment.shows(1)


def test_a_page_that_was_hidden_takes_the_stream_up_where_it_left_it(fragment):
    fragment.say(7)
    fragment.shows(1)
    fragment.page.evaluate(HIDE, "hidden")
    assert fragment.page.evaluate("window.streams.at(-1).readyState") == 2
    fragment.page.evaluate(HIDE, "visible")
    until(fragment.page, "window.streams.length === 2")
    assert fragment.page.evaluate("window.streams.at(-1).url").endswith("/flux/?last=7")


def test_a_page_that_is_hidden_and_shown_twice_in_a_second_has_one_stream(fragment):
    """A browser without HTTP/2 opens six connections to a site, for all its pages."""
    page = fragment.page
    page.clock.install()
    for state in ("hidden", "visible", "hidden", "visible"):
        page.evaluate(HIDE, state)
    page.clock.run_for(5000)
    assert page.evaluate(OPEN) == 1
    page.evaluate(HIDE, "hidden")
    page.evaluate(HIDE, "visible")
    page.evaluate(HIDE, "hidden")  # before it has connected
    page.clock.run_for(5000)
    assert page.evaluate(OPEN) == 0
    page.evaluate(HIDE, "visible")
    page.clock.run_for(5000)
    assert page.evaluate(OPEN) == 1


def test_a_page_that_is_opened_in_the_background_has_no_stream_until_it_is_shown(fragment):
    page = fragment.page
    page.add_init_script(
        "Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })"
    )
    page.reload()
    assert page.evaluate(OPEN) == 0
    page.evaluate(HIDE, "visible")
    until(page, f"{OPEN} === 1")
    fragment.shows(1)


def test_a_cut_stream_is_said_with_its_hour_and_its_page_recovers(fragment):
    strip = fragment.page.locator("[data-live-lost]")
    fragment.say(1)
    fragment.shows(1)
    fragment.page.evaluate("document.body.dataset.zone = 'Pacific/Kiritimati'")  # 14 h ahead of UTC
    fragment.page.clock.install(time="2026-03-13T09:00:00Z")
    fragment.page.evaluate("window.streams.at(-1).onerror(new Event('error'))")
    expect(strip).to_be_hidden()  # a short gap says nothing
    fragment.page.clock.fast_forward(10_500)
    expect(strip).to_have_text(re.compile(r"Connexion perdue depuis 23:00"))
    fragment.shows(2)  # asked for meanwhile
    fragment.page.evaluate("window.streams.at(-1).onopen(new Event('open'))")
    expect(strip).to_be_hidden()
    fragment.shows(3)


def test_a_page_that_was_hidden_for_an_hour_says_how_old_it_is(fragment):
    page = fragment.page
    page.clock.install(time="2026-03-13T09:00:00Z")
    page.reload()
    page.evaluate("document.body.dataset.zone = 'UTC'")
    page.evaluate(HIDE, "hidden")
    fragment.away = True
    page.clock.fast_forward(3_600_000)
    page.evaluate(HIDE, "visible")
    page.evaluate("window.streams.at(-1).onopen(new Event('open'))")  # and nothing else is answered
    expect(page.locator("body")).not_to_have_class(re.compile("is-cut"))
    page.clock.fast_forward(10_500)
    strip = page.locator("[data-live-lost]")
    expect(strip).to_have_text("Connexion perdue depuis 09:00")


def test_a_stream_that_outlived_a_gap_is_taken_up_anew(fragment):
    """It never ended, so it opens no more, and the strip would stay."""
    page, strip = fragment.page, fragment.page.locator("[data-live-lost]")
    page.clock.install()
    page.evaluate("dispatchEvent(new Event('offline'))")
    page.clock.fast_forward(10_500)
    expect(strip).to_be_visible()
    page.evaluate("dispatchEvent(new Event('online'))")
    page.clock.fast_forward(1000)
    until(page, "window.streams.length === 2")
    page.clock.fast_forward(100)
    expect(strip).to_be_hidden()


def test_a_request_that_is_never_answered_is_given_up_and_made_again(fragment):
    fragment.page.evaluate("""() => {
      const limit = document.getElementById("part").getAttributeNode("hx-request");
      limit.value = limit.value.replace("30000", "300");
    }""")
    fragment.hangs = True
    fragment.say(1)
    fragment.shows(1)
    assert not fragment.hangs


def test_a_stream_that_is_silent_is_cut(fragment):
    """Where a router is switched off, or a process hangs, no connection ends: it looks open."""
    page, strip = fragment.page, fragment.page.locator("[data-live-lost]")
    page.clock.install(time="2026-03-13T09:00:00Z")
    page.reload()
    page.evaluate("document.body.dataset.zone = 'UTC'")
    for _half_minute in range(4):
        page.clock.run_for(30_000)
        page.evaluate(ALIVE)
    assert page.evaluate("window.streams.length") == 1
    page.evaluate("window.mute = true")
    page.clock.run_for(60_500)
    until(page, "window.streams.length === 2")
    page.clock.run_for(10_500)
    expect(strip).to_have_text("Connexion perdue depuis 09:02")
    for _try in range(4):  # the browser itself tries again where it is refused
        page.clock.run_for(20_000)
        page.evaluate("window.streams[1].readyState = 0")
        page.evaluate("window.streams[1].onerror(new Event('error'))")
    assert page.evaluate("window.streams.length") == 2
    page.clock.run_for(70_000)  # it hangs too
    until(page, "window.streams.length === 3")
    page.evaluate("window.streams[2].onopen(new Event('open'))")
    expect(strip).to_be_hidden()


IN_VIEW = """() => {
  const box = document.activeElement.getBoundingClientRect();
  return document.activeElement.id === "held" && box.bottom > 0 && box.top < innerHeight;
}"""


def test_the_focus_stays_on_the_screen_where_it_was(fragment):
    """More rows above push it down; who scrolled away from it is not pulled back."""
    button = '<p style="height: {}px">…</p><button id="held">Oui</button>'
    fragment.inside = button.format(10)
    fragment.say(1)
    fragment.shows(1)
    fragment.page.locator("#held").focus()
    fragment.inside = button.format(3000)
    fragment.say(2)
    fragment.shows(2)
    assert fragment.page.evaluate(IN_VIEW)
    fragment.page.evaluate("scrollTo(0, 0)")
    fragment.inside = button.format(3100)
    fragment.say(3)
    fragment.shows(3)
    assert fragment.page.evaluate("scrollY") == 0


def rows(*keys):
    return "".join(f'<p data-key="{key}">{key}</p>' for key in keys)


def test_a_row_that_moves_slides_only_where_motion_is_wanted(fragment):
    fragment.page.evaluate("""() => {
      const animate = Element.prototype.animate;
      window.slid = 0;
      Element.prototype.animate = function (...how) { window.slid += 1; return animate.apply(this, how); };
    }""")
    fragment.inside = rows("a", "b")
    fragment.say(1)
    fragment.shows(1)
    fragment.page.emulate_media(reduced_motion="reduce")
    fragment.inside = rows("b", "a")
    fragment.say(2)
    expect(fragment.page.locator("[data-key=a]")).to_have_class(re.compile("is-moved"))
    assert fragment.page.evaluate("slid") == 0
    fragment.page.emulate_media(reduced_motion="no-preference")
    fragment.inside = rows("a", "b")
    fragment.say(3)
    fragment.shows(3)
    assert fragment.page.evaluate("slid") == 2


def test_the_focus_goes_to_the_title_when_what_had_it_is_gone(fragment):
    fragment.inside = '<h2>Vous attendez</h2><a href="/pause/">Pause</a>'
    fragment.say(1)
    fragment.page.locator("a").focus()
    fragment.say(2)
    fragment.shows(2)
    expect(fragment.page.locator("a")).to_be_focused()
    fragment.inside = "<h2>À table</h2>"
    fragment.say(3)
    fragment.shows(3)
    expect(fragment.page.locator("h2")).to_be_focused()


def test_a_card_in_a_new_state_is_said_once_to_who_cannot_see_it(fragment):
    said = fragment.page.get_by_role("status")
    fragment.card, fragment.inside = "waiting", "<h2>Vous attendez</h2>"
    fragment.say(1)
    expect(said).to_have_text("Vous attendez")
    fragment.inside = "<h2>Vous attendez encore</h2>"
    fragment.say(2)
    fragment.shows(2)
    expect(said).to_have_text("Vous attendez")
    fragment.card, fragment.inside = "called", '<p class="empty__title">À table !</p>'
    fragment.say(3)
    expect(said).to_have_text("À table !")


def test_what_was_answered_to_an_act_leaves_with_the_card_that_it_was_about(fragment):
    fragment.card = "contested"
    fragment.page.reload()
    answered = fragment.page.get_by_text("Merci !")
    fragment.say(1)
    fragment.shows(1)
    expect(answered).to_be_visible()
    fragment.card = "result"
    fragment.say(2)
    fragment.shows(2)
    expect(answered).to_have_count(0)


def test_a_fold_that_is_open_stays_open_and_its_button_keeps_the_focus(fragment):
    fragment.inside = "<details><summary>Abandon</summary><form><button>J’abandonne</button></form></details><button>Pause</button>"
    fragment.say(1)
    fragment.shows(1)
    fragment.page.locator("summary").click()
    fragment.page.get_by_role("button", name="J’abandonne").focus()
    fragment.inside = fragment.inside.replace("<details>", "<button>Revenir</button><details>")
    fragment.say(2)
    fragment.shows(2)
    expect(fragment.page.get_by_role("button", name="J’abandonne")).to_be_focused()
    fragment.page.locator("summary").focus()
    fragment.say(3)
    fragment.shows(3)
    expect(fragment.page.locator("summary")).to_be_focused()
    expect(fragment.page.locator("details")).to_have_attribute("open", "")


def test_a_table_that_was_pushed_aside_stays_there_with_the_focus(fragment):
    fragment.inside = (
        '<h2>Classement</h2><div role="region" tabindex="0" aria-label="Classement" '
        'style="overflow-x: auto; width: 100px"><p style="width: 900px">1</p></div>'
    )
    fragment.say(1)
    fragment.shows(1)
    region = fragment.page.get_by_role("region")
    region.focus()
    region.evaluate("region => { region.scrollLeft = 300; }")
    fragment.say(2)
    fragment.shows(2)
    expect(region).to_be_focused()
    assert region.evaluate("region => region.scrollLeft") == 300
