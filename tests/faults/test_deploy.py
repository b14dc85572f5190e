"""The files of `deploy/` agree; its processes are restarted in use, and an evening passes through."""

from __future__ import annotations

import ipaddress
import re
import threading
from datetime import timedelta
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest
import yaml
from allauth.account.models import EmailAddress
from django.db import transaction
from django.utils import timezone
from playwright.sync_api import expect

from clubs.accounts.actor import Actor
from clubs.members import actions as members
from clubs.organisations.models import Organisation, Season
from config.auth.hashers import ClubArgon2PasswordHasher
from pairings.live import stream as live
from pairings.matches.models import Decision, Match, MatchLine
from ratings.ledger.models import RatedGame
from tests.browser.conftest import DESK, chromium, window
from tests.browser.test_evening import card, enter
from tests.clubhouse import PASSWORD, Clubhouse, account, make_club
from tests.deployed import DEPLOY, PROCESSES, Deployed, deployed, needs_a_proxy, session_of

__all__ = ["chromium", "deployed", "window"]

ROOT = Path(__file__).resolve().parents[2]
KNOWN = set(re.findall(r"^(\w+)\)$", (DEPLOY / "process").read_text(), re.MULTILINE))
PER_MOMENT, MOMENTS = 2, 3
"""Results that are played as a process is told to go, while it is away, and when it is back."""
READ_EVERY_S = 0.2
"""What each phone waits between two readings of the ranking: no person reads as fast as a loop."""


def test_units_and_compose_start_the_processes_that_there_are():
    units = [
        re.search(r"^ExecStart=/opt/club/deploy/process (\w+)", unit.read_text(), re.MULTILINE)[1]
        for unit in (DEPLOY / "systemd").glob("*.service")
    ]
    assert set(units) == KNOWN - {"prepare", "manage"}
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    own = [one["command"][0] for one in services.values() if one.get("image") == "club"]
    assert set(own) == KNOWN - {"manage"}
    wanted = (DEPLOY / "systemd/club.target").read_text()
    for unit in (DEPLOY / "systemd").glob("*.service"):
        assert unit.stem in wanted, unit.name
    assert {words[0] for words in PROCESSES.values()} == set(units)


@pytest.mark.parametrize("page", ["compose.md", "systemd.md"])
def test_a_night_s_copy_is_written_over_no_other(page):
    """One that is cut while it travels would be the only one."""
    copies = re.search(r"^## Copies$.+?^## ", (DEPLOY / page).read_text(), re.MULTILINE | re.DOTALL)
    assert "| ssh COPIES@OTHER.EXAMPLE.ORG 'umask 077 && cat > club-$(date +%F).tar" in copies[0]


def test_the_image_holds_what_runs_and_no_password(settings):
    first, *lines = [
        line for line in (ROOT / ".dockerignore").read_text().splitlines() if line[:1] != "#"
    ]
    assert first == "*"
    own = {name.partition(".")[0] for name in settings.INSTALLED_APPS}
    packages = {name for name in own if (ROOT / name).is_dir()}
    files = {"deploy/process", "manage.py", "pyproject.toml", "requirements.txt"}
    held = {line[1:] for line in lines if line[:1] == "!"}
    assert held == packages | files | {"config", "locale", "static", "templates"}


def test_containers_of_the_site_write_to_their_volumes_alone():
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    for name, service in services.items():
        if service["image"] == "club":
            assert service["read_only"] and service["cap_drop"] == ["ALL"], name
            assert service["init"], name  # or `manage.py metrics` would not hear SIGTERM
            assert ("healthcheck" in service) == (name in ("web", "web-too", "streams")), name
            # Or `up --wait` gives up on one that starts on a busy machine.
            assert "start_period" in service.get("healthcheck", {"start_period"}), name
        else:
            assert re.search(r":\d", service["image"]), name


def test_compose_builds_the_image_once():
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    assert [name for name, service in services.items() if "build" in service] == ["prepare"]
    assert {service["image"] for service in services.values() if "build" in service} == {"club"}


def commands(section: str) -> list[str]:
    """Return the lines that a section of compose.md gives to a shell."""
    page = (DEPLOY / "compose.md").read_text()
    shell = rf"^## {section}$.+?^```sh\n(.+?)^```$"
    return re.search(shell, page, re.MULTILINE | re.DOTALL)[1].splitlines()


def test_a_rolling_restart_makes_no_container_again():
    """Compose 2.26 makes one again with `--no-deps` that was made without, though nothing changed."""
    waits = [line for line in commands("Rolling restart") if "docker compose up" in line]
    assert len(waits) == 2 and all(" --no-recreate " in line for line in waits)


def test_the_proxy_is_told_of_each_page_s_process_that_starts_again():
    """Its address may be another container's then: the proxy reads them when it is told to."""
    for section in ("Rolling restart", "Upgrade", "Move a site, or a club, to here"):
        waiting = False
        for line in commands(section):
            waiting |= bool(re.search(r"docker compose (restart|up) .*\b(web|streams)", line))
            waiting &= not re.search(r"&& reread|exec proxy nginx -s reload", line)
        assert not waiting, section


def test_an_upgrade_makes_each_container_again_in_its_own_step():
    """`run` makes the database again before it, where `pull` has brought another image."""
    made = [line for line in commands("Upgrade") if re.search(r"docker compose (up|run) ", line)]
    assert len(made) == 7 and all(" --no-deps " in line for line in made)


def test_the_proxy_of_compose_sees_each_visitor_s_address():
    """By IPv6 too, which its site answers: the limits count addresses."""
    site = (DEPLOY / "nginx/club.conf.template").read_text()
    assert "listen [::]:" in site and "X-Forwarded-For $remote_addr;" in site
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    assert sorted(compose["services"]["proxy"]["networks"]) == ["clients", "default"]
    network = compose["networks"]["clients"]
    assert network["enable_ipv6"] is True
    subnets = [ipaddress.ip_network(one["subnet"]) for one in network["ipam"]["config"]]
    assert [one.version for one in subnets] == [6] and subnets[0].is_private
    assert '{"experimental": true, "ip6tables": true}' in (DEPLOY / "compose.md").read_text()


def test_the_proxy_of_compose_waits_for_no_stream_to_end():
    """It lets nobody in meanwhile: with one viewer, the engine's ten seconds are ten without a site."""
    proxy = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]["proxy"]
    assert int(proxy["stop_grace_period"].removesuffix("s")) <= 3


def test_the_example_names_every_setting_that_production_requires():
    example = (DEPLOY / "club.env.example").read_text()
    text = (ROOT / "config/settings.py").read_text()
    for name in {*re.findall(r'required\("(\w+)"', text), "SITE_URL", "DATA_DIR", "STATIC_ROOT"}:
        assert re.search(rf"^{name}=", example, re.MULTILINE), name


PARTS = {"EMAIL_PORT", "EMAIL_USE_TLS", "EMAIL_USE_SSL"}
ELSEWHERE = {"DEBUG", "SQLITE_SYNCHRONOUS", "TEST_SQLITE"} | PARTS
"""Of developers; the parts are in EMAIL_URL."""


def test_the_example_names_every_variable_that_settings_and_processes_read():
    files = ("config/settings.py", "config/environment.py", "config/auth/sign_in.py")
    text = "".join((ROOT / file).read_text() for file in files)
    reads = r"(?:environ\.get|required|whole_number|yes_or_no|one_of|mail_addresses|sender|folder)"
    read = set(re.findall(rf'\b{reads}\(\s*"(\w+)"', text)) - ELSEWHERE
    assert len(read) > 25
    example = (DEPLOY / "club.env.example").read_text()
    named = set(re.findall(r"^(?:# )?([A-Z_]+)=", example, re.MULTILINE))
    assert read | {"WEB_WORKERS"} == named


def test_logs_of_every_process_have_a_limit():
    for unit in (DEPLOY / "systemd").glob("*.service"):  # to the journal, as systemd does by itself
        assert not re.search(r"^Standard(Output|Error)=", unit.read_text(), re.MULTILINE), unit.name
    limits = (DEPLOY / "journald.conf").read_text()
    size, days = re.search(
        r"^SystemMaxUse=(\d+)M\nMaxRetentionSec=(\d+)day$", limits, re.MULTILINE
    ).groups()
    page = (DEPLOY / "systemd.md").read_text()
    assert f"`journald.conf` keeps within {size} MB and {days} days" in page
    assert "install -D -m 644 /opt/club/deploy/journald.conf /etc/systemd/journald.conf.d/" in page
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    for name, service in services.items():
        options = service["logging"]["options"]
        assert options == {"max-size": "20m", "max-file": "5"}, name


def test_celery_writes_lines_of_the_log_and_no_banner():
    starts = re.findall(r"bin/celery\" (.+?) (worker|beat)", (DEPLOY / "process").read_text())
    assert starts == [("--quiet -A config", "worker"), ("--quiet -A config", "beat")]


def test_a_command_that_fails_leaves_the_machine_in_order():
    """Without --collect systemd keeps its unit as failed, and the machine as degraded."""
    assert re.search(r"^exec systemd-run .*--collect ", (DEPLOY / "club").read_text(), re.MULTILINE)
    page = (DEPLOY / "systemd.md").read_text()
    assert "ln -s /opt/club/deploy/club /usr/local/bin/club" in page and "systemd-run" not in page


def test_what_people_see_is_quoted_as_they_see_it():
    """Whoever is woken at night looks for the words that they were told."""
    page = (DEPLOY / "systemd.md").read_text()
    seen = re.findall(r'^\| "([^"]+)"', page, re.MULTILINE)
    shown = ("static/proxy/away.html", "templates/503.html", "templates/500.html")
    titles = [
        re.search(r"<h1>(?:{% translate \")?([^<\"]+)", (ROOT / one).read_text())[1]
        for one in shown
    ]
    assert set(seen) == set(titles)


def test_whoever_stops_the_target_waits_until_its_processes_are_gone():
    """What is stopped goes in the reverse order of `After`: a database is emptied behind it."""
    for unit in (DEPLOY / "systemd").glob("*.service"):
        text = unit.read_text()
        after = re.search(r"^After=(.+)$", text, re.MULTILINE)[1].split()
        assert "club.target" in after and "PartOf=club.target" in text, unit.name


class Tables:
    """People at tables who read the ranking, and play a result through the proxy when told."""

    def __init__(self, site: Deployed, club: Clubhouse, played: int) -> None:
        self.site, self.club = site, club
        self.open = [club.match() for _table in range(played)]
        self.sessions = {
            who.user.pk: session_of(who.user) for _m, both in self.open for who in both
        }
        self.wanted = threading.Semaphore(0)
        self.acknowledged: list[int] = []
        self.answers: list[object] = []
        self.over = threading.Event()
        self.changed = threading.Condition()

    def look(self) -> None:
        try:
            while not self.over.is_set():
                answer = self.site.status("/c/faizers/classement/")
                self.said(answer, answer == 200)
                if self.wanted.acquire(timeout=READ_EVERY_S):
                    self.play(*self.open.pop())
        except (OSError, HTTPException) as lost:
            self.said(repr(lost), False)

    def play(self, match: Match, both: tuple[Actor, Actor]) -> None:
        """One enters, the other confirms, each on their own phone."""
        first, second = (self.sessions[who.user.pk] for who in both)
        scores = {"mine": 400 + match.pk % 90, "theirs": 350, "key": f"table-{match.pk}"}
        for act, session, given in (
            ("saisir", first, scores),
            ("confirmer", second, {"version": 1}),
        ):
            answer = self.site.status(
                f"/c/faizers/matchs/{match.pk}/{act}/", session=session, given=given
            )
            if answer != 302:
                return self.said((act, answer), False)
        with self.changed:
            self.acknowledged.append(match.pk)
            self.changed.notify_all()
        return None

    def said(self, answer: object, good: bool) -> None:
        with self.changed:
            self.answers.append(answer if good else ("failed", answer))
            self.changed.notify_all()

    def failed(self) -> list[object]:
        return [answer for answer in self.answers if answer != 200]

    def want(self, results: int) -> None:
        self.wanted.release(results)

    def wait_for(self, results: int) -> None:
        """Return when so many are acknowledged in all, or something went wrong."""
        with self.changed:
            done = self.changed.wait_for(
                lambda: self.failed() or len(self.acknowledged) >= results, timeout=60
            )
        assert done and not self.failed(), (self.failed(), self.acknowledged)


class Viewer:
    """One who listens, and listens again from the last event heard whenever the stream ends."""

    def __init__(self, site: Deployed) -> None:
        self.site = site
        self.heard: list[str] = []
        self.streams = 0
        self.over = threading.Event()
        self.changed = threading.Condition()

    def listen(self) -> None:
        last = ""
        while not self.over.is_set():
            try:
                with self.site.asked("/c/faizers/flux/", after=last) as stream:
                    if stream.status == 200:
                        last = self.follow(stream, last)
            except (OSError, HTTPException):  # cut, or refused while it restarts
                continue

    def follow(self, stream: Any, last: str) -> str:
        with self.changed:
            self.streams += 1
            self.changed.notify_all()
        while (line := stream.readline().decode()) and not self.over.is_set():
            name, _colon, value = line.strip().partition(": ")
            if name == "id":
                last = value
            elif name == "data":
                with self.changed:
                    self.heard.append(value)
                    self.changed.notify_all()
        return last

    def wait_until(self, true: Any, what: str) -> None:
        with self.changed:
            assert self.changed.wait_for(true, timeout=60), (what, self.streams, self.heard[-3:])


def evening_of_now(club: Clubhouse) -> None:
    """Close the evening of the frozen clock and begin one at this moment: the real beat sweeps it."""
    now, month = timezone.now(), timedelta(days=30)
    club.close()
    season = Season.objects.filter(organisation=club.organisation)
    season.update(starts_on=(min(now, club.at) - month).date(), ends_on=(now + month).date())
    club.next_evening(days=(now - club.at) / timedelta(days=1))


@pytest.mark.real_clock
@pytest.mark.only_on("postgres")
@needs_a_proxy
def test_a_site_is_restarted_process_by_process_and_nobody_notices(deployed: Deployed) -> None:
    each = PER_MOMENT * MOMENTS
    club = make_club("faizers", size=2 * each * len(PROCESSES))
    evening_of_now(club)
    with deployed.asked("/c/faizers/classement/") as answer:
        assert answer.status == 200 and "Classement" in answer.read().decode()
        assert "max-age=" in answer.headers["Strict-Transport-Security"]
    counted = deployed.metrics()
    assert re.search(r'process="web-\d+",status="2xx",view="pairings:ranking"', counted)
    assert "club_database_up 1.0" in counted and "club_queue_tasks" in counted
    assert deployed.status("/metrics") == 404

    tables, viewer = Tables(deployed, club, each * len(PROCESSES)), Viewer(deployed)
    matches = [match.pk for match, _both in tables.open]
    threads = [threading.Thread(target=tables.look) for _phone in range(4)]
    threads.append(threading.Thread(target=viewer.listen))
    for thread in threads:
        thread.start()
    stops = {}
    try:
        viewer.wait_until(lambda: viewer.streams == 1, "the first stream")
        for number, name in enumerate(PROCESSES):
            tables.want(PER_MOMENT)
            stops[name] = deployed.stop(name)
            tables.want(PER_MOMENT)
            if name == "streams":  # what is decided while nobody can listen is heard afterwards
                tables.wait_for(number * each + 2 * PER_MOMENT)
            deployed.start(name)
            tables.want(PER_MOMENT)
            tables.wait_for((number + 1) * each)
        viewer.wait_until(lambda: viewer.streams >= 2, "a stream after the restart")
        viewer.wait_until(
            lambda: sum('"final"' in event for event in viewer.heard) >= len(matches),
            "every result",
        )
    finally:
        tables.over.set()
        viewer.over.set()
        with transaction.atomic():  # wakes the viewer
            live.announce(club.organisation, "moved", at=timezone.now())
        for thread in threads:
            thread.join(60)

    assert set(tables.answers) == {200}, tables.failed()
    assert sorted(tables.acknowledged) == sorted(matches)
    assert_counted_once(matches)
    # Five seconds where a process starts within three; a busy machine takes as many times longer.
    assert max(stops.values()) <= 5 * max(1, deployed.slowest_start_s / 3), stops


def assert_counted_once(matches: list[int]) -> None:
    """Each of these matches has one result in force, one line of each kind and one rated game."""
    assert Match.objects.filter(pk__in=matches, status="final", version=2).count() == len(matches)
    for rows in (
        MatchLine.objects.filter(match__in=matches, event="submit"),
        MatchLine.objects.filter(match__in=matches, event="confirm"),
        Decision.objects.filter(match__in=matches),
        RatedGame.objects.filter(source__in=[f"match:{pk}" for pk in matches]),
    ):
        assert rows.count() == len(matches), rows.model.__name__


@pytest.fixture
def site(deployed: Deployed) -> str:
    """The address that `window` opens."""
    return deployed.address


def signed_in(window: Any, user: Any, **options: Any) -> Any:
    """A window whose reader has typed their password."""
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    hasher = ClubArgon2PasswordHasher()
    type(user).objects.filter(pk=user.pk).update(password=hasher.encode(PASSWORD, hasher.salt()))
    page = window(ignore_https_errors=True, **options)
    page.goto("/compte/login/")
    page.fill("input[name=login]", user.email)
    page.fill("input[name=password]", PASSWORD)
    page.press("input[name=password]", "Enter")
    page.wait_for_url("**/ma-soiree/")
    return page


def press(page: Any, name: str) -> None:
    page.get_by_role("button", name=name).click()


@pytest.mark.browser
@pytest.mark.real_clock
@pytest.mark.only_on("postgres")
@needs_a_proxy
def test_an_evening_is_played_through_the_proxy(deployed: Deployed, window: Any) -> None:
    now, system = timezone.now(), Actor.system("test")
    founder, first, second = (account(name) for name in ("ana", "bea", "zoe"))
    deployed.manage(
        "manage",
        "create_club",
        "lyon",
        "Club de Lyon",
        "--committee",
        founder.email,
        "--first-name",
        "Ana",
    )
    club = Organisation.objects.get()
    month = timedelta(days=30)
    around = {"starts_on": (now - month).date(), "ends_on": (now + month).date()}
    Season.objects.create(organisation=club, name="1", **around)
    for user, name in ((first, "Béa"), (second, "Zoé")):
        member = members.create(
            organisation=club,
            first_name=name,
            last_name="Martin",
            by=system,
            at=now,
            joined_on=now.date(),
        )
        members.link_account(member=member, user=user, by=system, at=now)
    chair = signed_in(window, founder, size=DESK)
    bea, zoe = signed_in(window, first), signed_in(window, second)

    chair.goto("/soirees/nouvelle/")
    start = now.astimezone(club.zone)
    chair.get_by_label("Date").fill(start.strftime("%Y-%m-%d"))
    chair.get_by_label("Heure").fill(start.strftime("%H:%M"))
    chair.get_by_label("Apparier dès que deux joueurs").uncheck()
    press(chair, "Annoncer")
    chair.wait_for_url("**/soirees/")
    chair.goto("/arbitrage/")
    chair.get_by_role("link", name="Préparer la soirée").click()
    press(chair, "Ouvrir les arrivées")
    for phone in (bea, zoe):
        phone.goto("/ma-soiree/")
        press(phone, "Je suis là")
        expect(phone.get_by_text("Votre arrivée est enregistrée")).to_be_visible()
    press(chair, "Commencer les matchs")
    chair.get_by_role("link", name="Apparier maintenant").click()
    press(chair, "Appeler ces tables")
    chair.wait_for_url("**/conduite/")
    chair.goto("/classement/")
    first_row = chair.locator("tbody tr").first
    before = first_row.inner_text()

    for phone in (bea, zoe):
        card(phone, "called")
    enter(bea, 350, 412)
    press(bea, "Envoyer le résultat à Zoé")
    card(zoe, "to_confirm")
    zoe.get_by_role("link", name="Lire et répondre").click()
    press(zoe, "Oui, je confirme")
    for phone in (bea, zoe):
        card(phone, "result")
        expect(phone.get_by_text("Votre place en direct")).to_be_visible()
    expect(first_row).to_contain_text("Zoé")  # by itself
    expect(first_row).not_to_have_text(before)
    assert_counted_once([Match.objects.get().pk])
