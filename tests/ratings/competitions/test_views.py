"""The officer's desk through its pages (J9): bring in, compute blind, control, validate, correct."""

from __future__ import annotations

import json
import re
from datetime import date, timedelta
from html.parser import HTMLParser
from io import BytesIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.formats import date_format
from openpyxl import Workbook

from clubs.accounts.reauthentication import sentences_of
from clubs.journal.models import JournalEntry
from clubs.members.models import Member
from clubs.organisations.models import Organisation
from clubs.persons.models import Person
from clubs.rulebooks.models import RuleBook
from clubs.upkeep import jobs
from clubs.upkeep.models_jobs import Job
from ratings.competitions import actions as competitions
from ratings.competitions import drafts, views_runs
from ratings.competitions.corrections import views_decision
from ratings.competitions.forms import CompetitionForm
from ratings.competitions.models import CompetitionDraft
from ratings.competitions.views_runs import label_words, oddity_words
from ratings.handovers.forms import HandOverForm
from ratings.ledger import replay, settlement
from ratings.ledger.corrections import withdraw_game
from ratings.ledger.models import LedgerEntry, Period, RatedGame, RatingList
from ratings.ledger.origins import UNOFFICIAL
from ratings.lists.explanations import WORDS
from tests.our_code import LANGUAGES
from tests.pages import words
from tests.pairings.evenings.test_sessions import first_of_two_closed
from tests.printed_fields import Printed
from tests.refusals import refused

pytestmark = pytest.mark.django_db

DAY = date(2026, 9, 12)
NEXT_DAY = DAY + timedelta(days=1)
SYSTEMS = [
    ("fisf", "", "games"),
    ("fesa", "", "games"),
    ("absp", "", "games"),
    ("romania", "duplicat_clasic", "placings"),
]
OFFICIAL = {"fact_minutes": "30", "fact_byoyomi": "30", "fact_arbiter": "A. Olufsen"}


def open_list(desk, root, system="fisf", kind="", category=""):
    answer = desk.post(
        f"{root}/gestion/cotes/nouvelle/",
        {"system": system, "kind": kind, "category": category, "name": f"Liste {system}"},
    )
    assert answer.status_code == 302
    return RatingList.objects.get(system=system)


def sheet(club, rows, head):
    return "\n".join([head, *rows]).encode()


def numbers(club):
    return [member.number for member in club.members]


def games_file(club, winners_first=True):
    """A round robin of four members: the first wins everything, and so on."""
    people = numbers(club)[:4]
    rows = [
        f"{n};{a};{b};{'1' if winners_first else '0'}"
        for n, (a, b) in enumerate(
            ((a, b) for i, a in enumerate(people) for b in people[i + 1 :]), start=1
        )
    ]
    return sheet(club, rows, "ronde;joueur 1;joueur 2;résultat")


def starts_file(club, lowest=1500):
    rows = [f"{n};{lowest + 40 * place};40" for place, n in enumerate(numbers(club)[:4])]
    return sheet(club, rows, "joueur;cote;parties")


def places_file(club):
    rows = [f"{place};{n}" for place, n in enumerate(numbers(club)[:4], start=1)]
    return sheet(club, rows, "place;joueur")


def upload(desk, root, held, content, *, kind="games", name="f.csv", day=DAY, **more):
    return desk.post(
        f"{root}/gestion/cotes/{held.slug}/apporter/",
        {
            "file": SimpleUploadedFile(name, content),
            "sheet": kind,
            "label": f"Tournoi du {day}",
            "held_on": day.isoformat(),
            **more,
        },
    )


def brought(desk, root, held, content, **more):
    """Upload and bring in; the waiting period."""
    answer = upload(desk, root, held, content, **more)
    assert answer.status_code == 302, answer.content.decode()
    draft = CompetitionDraft.objects.latest("pk")
    assert desk.get(answer.url).status_code == 200
    answer = desk.post(answer.url, {"newcomers": "1", "sure": "1"})
    assert answer.status_code == 302, answer.content.decode()
    draft.refresh_from_db()
    assert draft.period is not None
    return draft.period


def computed(desk, root, period):
    """The dry run, done here as no worker runs in the tests."""
    page = f"{root}/gestion/cotes/{period.rating_list.slug}/calcul/{period.pk}/"
    desk.post(page, {"act": "calculer"})
    desk.post(page, {"act": "maintenant"})
    run = Job.objects.filter(kind=Job.Kind.DRY, target_id=period.pk).latest("pk")
    assert run.state == Job.State.DONE, run.words
    return page, run


def rated(desk, root, held, content, **more):
    period = brought(desk, root, held, content, **more)
    page, run = computed(desk, root, period)
    answer = desk.post(
        page, {"act": "valider", "seen": run.result["version"], "reason": "tournoi reçu tard"}
    )
    assert answer.status_code == 302, answer.content.decode()
    period.refresh_from_db()
    assert period.settled_at is not None
    return period


def test_a_file_with_a_wrong_line_leads_to_the_corrected_file(club, desk, root):
    held, one = open_list(desk, root, "glicko2"), numbers(club)[0]
    wrong = sheet(club, [f"1;{one};{one};1"], "ronde;joueur 1;joueur 2;résultat")
    shown = desk.get(upload(desk, root, held, wrong).url).content.decode()
    assert "Choisir le fichier corrigé" in shown
    assert "Importer 1 ligne" not in shown and "Lire un autre fichier" not in shown


def form_of_the_corrected_file(desk, draft_page):
    """The address of the form that the page of a draft leads to."""
    (link,) = re.findall(r'href="([^"]*\?brouillon=\d+)"', desk.get(draft_page).content.decode())
    return link


def test_the_corrected_file_is_asked_for_with_what_was_typed_the_first_time(club, desk, root):
    held, one = open_list(desk, root, "glicko2"), club.members[0].number
    games = sheet(club, [f"1;{one};{one};1"], "ronde;joueur 1;joueur 2;résultat")
    starts = sheet(club, [f"{one};mille;40"], "joueur;cote;parties")
    typed = {"label": "Open de Quimper", "fact_starts": f"{one}; 1700; 50"}
    for content, answers in (
        (games, {"sheet": "games", "official": "yes"}),
        (games, {"official": "no", "why_not": "amicale"}),
        (starts, {"sheet": "starts"}),
    ):
        draft_page = upload(desk, root, held, content, **typed, **answers).url
        link = form_of_the_corrected_file(desk, draft_page)
        form = desk.get(link).context["form"]
        shown = {name: form[name].value() for name in (*typed, "held_on", *answers)}
        assert shown == {**typed, "held_on": DAY, **answers}
    other = open_list(desk, root, "fisf")
    elsewhere = desk.get(link.replace(held.slug, other.slug)).context["form"]
    assert elsewhere["label"].value() is None
    CompetitionDraft.objects.update(handed={"hand_over": 1})  # what a club sent was no file
    assert desk.get(link).context["form"]["label"].value() is None


def test_a_draft_that_nobody_imports_is_removed_by_its_page(club, desk, root):
    held = open_list(desk, root)
    period = brought(desk, root, held, games_file(club))
    imported = CompetitionDraft.objects.get(period=period)
    CompetitionDraft.objects.filter(pk=imported.pk).update(period=None)
    page = f"{root}/gestion/cotes/{held.slug}/apporter/{imported.pk}/"
    shown = desk.get(page).content.decode()
    assert shown.count(f"?brouillon={imported.pk}") == shown.count("Lire un autre fichier")
    CompetitionDraft.objects.filter(pk=imported.pk).update(period=period)
    desk.post(page, {"drop": "1"})
    assert CompetitionDraft.objects.filter(pk=imported.pk).exists()
    CompetitionDraft.objects.filter(pk=imported.pk).update(period=None)
    answer = desk.post(page, {"drop": "1"}, follow=True).content.decode()
    assert "Le fichier est retiré" in answer and "pas encore importés" not in answer
    assert not CompetitionDraft.objects.filter(pk=imported.pk).exists()
    assert JournalEntry.objects.filter(verb="draft_dropped").count() == 1


def test_a_draft_imported_while_it_is_removed_is_not_said_to_be_removed(
    club, desk, root, monkeypatch
):
    held = open_list(desk, root)
    period = brought(desk, root, held, games_file(club))
    imported = CompetitionDraft.objects.get(period=period)
    CompetitionDraft.objects.filter(pk=imported.pk).update(period=None)
    drop = drafts.drop

    def drop_once_imported(**how):
        CompetitionDraft.objects.filter(pk=imported.pk).update(period=period)
        return drop(**how)

    monkeypatch.setattr(drafts, "drop", drop_once_imported)
    page = f"{root}/gestion/cotes/{held.slug}/apporter/{imported.pk}/"
    answer = desk.post(page, {"drop": "1"}, follow=True).content.decode()
    assert "Le fichier est retiré" not in answer
    assert CompetitionDraft.objects.filter(pk=imported.pk, period=period).exists()


def test_a_draft_goes_when_its_corrected_file_is_read(club, desk, root):
    held, one = open_list(desk, root, "glicko2"), club.members[0].number
    wrong = sheet(club, [f"1;{one};{one};1"], "ronde;joueur 1;joueur 2;résultat")
    upload(desk, root, held, wrong)
    former = CompetitionDraft.objects.get()
    page = f"{root}/gestion/cotes/{held.slug}/"
    bring = f"{page}apporter/?brouillon={former.pk}"
    data = {"sheet": "games", "label": "Open", "held_on": DAY.isoformat()}
    unread = desk.post(bring, {**data, "file": SimpleUploadedFile("g.csv", b"")})
    assert unread.status_code == 422 and CompetitionDraft.objects.filter(pk=former.pk).exists()
    desk.post(bring, {**data, "file": SimpleUploadedFile("g.csv", games_file(club))})
    (waiting,) = desk.get(page).context["drafts"]
    assert waiting.file_name == "g.csv"
    entry = JournalEntry.objects.get(verb="draft_dropped")
    assert entry.before == {"draft": former.pk, "file": "f.csv"}

    # One that was imported meanwhile stays.
    desk.post(f"{page}apporter/{waiting.pk}/", {"newcomers": "1", "sure": "1"})
    waiting.refresh_from_db()
    assert waiting.period is not None
    bring = f"{page}apporter/?brouillon={waiting.pk}"
    desk.post(bring, {**data, "file": SimpleUploadedFile("h.csv", games_file(club))})
    assert CompetitionDraft.objects.count() == 2
    assert JournalEntry.objects.filter(verb="draft_dropped").count() == 1


def test_a_draft_that_went_meanwhile_is_not_imported(club, desk, root, monkeypatch):
    """By a worker who had not begun, and in another window."""
    held = open_list(desk, root, "glicko2")
    monkeypatch.setattr(jobs, "is_long", lambda _lines: True)
    desk.post(upload(desk, root, held, games_file(club)).url, {"newcomers": "1"})
    draft, job = CompetitionDraft.objects.get(), Job.objects.get(kind=Job.Kind.COMPETITION)
    drafts.drop(draft=draft, by=club.committee, at=club.at)
    assert jobs.work(job.pk, clock=lambda: club.at) == Job.State.FAILED
    job.refresh_from_db()
    assert job.words == "Cette compétition vient de changer."
    with refused("replaced"):
        competitions.bring(draft=draft, with_newcomers=True, by=club.committee, at=club.at)
    assert not Period.objects.exists()


def test_a_file_with_a_wrong_line_asks_for_no_consent_that_it_could_not_use(club, desk, root):
    held, one = open_list(desk, root, "glicko2"), numbers(club)[0]
    lines, columns = [f"1;{one};Personne Connue;1"], "ronde;joueur 1;joueur 2;résultat"
    right = desk.get(upload(desk, root, held, sheet(club, lines, columns)).url).content.decode()
    wrong_lines = sheet(club, [*lines, f"1;{one};{one};1"], columns)
    wrong = desk.get(upload(desk, root, held, wrong_lines).url).content.decode()
    assert "Personne Connue" in right and "Personne Connue" in wrong
    assert 'name="newcomers"' in right and 'name="newcomers"' not in wrong


def test_the_page_that_asks_where_new_players_start_names_them(club, desk, root):
    held = open_list(desk, root, "glicko2")
    first = brought(desk, root, held, games_file(club))
    page = f"{root}/gestion/cotes/{held.slug}/calcul/{first.pk}/joueurs/"
    shown = desk.get(page).content.decode()
    assert all(f"{one.full_name} ({one.number})" in shown for one in club.members[:4])
    page, run = computed(desk, root, first)
    desk.post(page, {"act": "valider", "seen": run.result["version"], "reason": "Reçu"})
    later = brought(desk, root, held, games_file(club, winners_first=False), day=date(2026, 10, 3))
    page = f"{root}/gestion/cotes/{held.slug}/calcul/{later.pk}/joueurs/"
    assert list(desk.get(page).context["players"]) == []


def test_players_who_start_at_a_number_are_counted_as_new_once(club, desk, root):
    """Glicko-2 starts everybody at 1500, and moves a newcomer far."""
    held = open_list(desk, root, "glicko2")
    period = brought(desk, root, held, games_file(club))
    page, run = computed(desk, root, period)
    assert len(run.result["newcomers"]) == 4
    assert "big_move" not in {odd["kind"] for odd in run.result["oddities"]}
    assert "<dt>Nouveaux joueurs</dt><dd>4</dd>" in desk.get(page).content.decode()
    desk.post(page, {"act": "valider", "seen": run.result["version"], "reason": "Reçu"})
    later = brought(desk, root, held, games_file(club, winners_first=False), day=date(2026, 10, 3))
    result = computed(desk, root, later)[1].result
    assert result["newcomers"] == [] and "big_move" in {odd["kind"] for odd in result["oddities"]}


def test_new_players_are_asked_about_only_where_there_are_some(club, desk, root):
    held, asked = open_list(desk, root, "glicko2"), "Renseigner les nouveaux joueurs"
    period = brought(desk, root, held, games_file(club))
    page, run = computed(desk, root, period)
    assert asked in desk.get(page).content.decode()
    desk.post(page, {"act": "valider", "seen": run.result["version"], "reason": "Reçu"})
    for day, new in ((DAY - timedelta(days=20), True), (DAY + timedelta(days=20), False)):
        other = brought(desk, root, held, games_file(club, winners_first=False), day=day)
        shown = desk.get(f"{root}/gestion/cotes/{held.slug}/calcul/{other.pk}/").content.decode()
        assert (asked in shown) is new


@pytest.mark.parametrize(("system", "kind", "takes"), SYSTEMS)
def test_a_competition_goes_all_the_way_into_each_kind_of_list(
    club, desk, root, system, kind, takes
):
    held = open_list(desk, root, system, kind)
    if takes == "games":
        starts = starts_file(club, 90 if system == "absp" else 1500)
        rated(desk, root, held, starts, kind="starts", day=DAY - timedelta(days=30))
        period = rated(desk, root, held, games_file(club), **OFFICIAL)
    else:
        period = rated(desk, root, held, places_file(club), kind="placings")
    entries = LedgerEntry.objects.filter(period=period)
    assert entries.count() == 4
    winner = club.members[0]
    own = entries.get(member=winner)
    assert own.shown_before is None or own.shown_after > own.shown_before
    public = desk.get(f"{root}/cotes/{held.slug}/competitions/{period.pk}/")
    assert winner.full_name in public.content.decode()
    why = desk.get(f"{root}/joueurs/{winner.address}/cote/{own.pk}/").content.decode()
    assert "Lignes du calcul" in why
    listed = desk.get(f"{root}/cotes/{held.slug}/?q={winner.first_name}")
    assert listed.status_code == 200
    assert desk.get(f"{root}/joueurs/{winner.address}/cotes/{held.slug}/").status_code == 200
    verbs = set(JournalEntry.objects.values_list("verb", flat=True))
    assert {"list_opened", "competition_brought", "period_settled"} <= verbs


def test_an_error_two_competitions_back_is_previewed_then_mended(club, desk, root):
    held = open_list(desk, root)
    rated(desk, root, held, starts_file(club), kind="starts", day=DAY - timedelta(days=90))
    first = rated(desk, root, held, games_file(club), day=DAY - timedelta(days=60))
    for days in (40, 20):
        rated(desk, root, held, games_file(club, days == 20), day=DAY - timedelta(days=days))
    game = first.games.order_by("position")[0]
    before = dict(held.cotes.values_list("member_id", "shown"))
    page = f"{root}/gestion/cotes/{held.slug}/competitions/{first.pk}/partie/{game.pk}/"
    assert desk.get(page).status_code == 200
    shown = desk.post(page, {"act": "voir", "result": "0"})
    assert shown.status_code == 200
    assert "Ce que cela change" in shown.content.decode()
    assert dict(held.cotes.values_list("member_id", "shown")) == before
    seen = shown.context["told"]["version"]
    told = {row["name"]: row["after"] for row in shown.context["page"]}
    assert len(shown.context["told"]["periods"]) >= 2

    without = desk.post(page, {"act": "appliquer", "result": "0", "seen": seen, "reason": " "})
    assert without.status_code == 422
    made = desk.post(
        page, {"act": "appliquer", "result": "0", "seen": seen, "reason": "feuille relue"}
    )
    assert made.status_code == 302
    after = {
        Member.objects.get(pk=pk).full_name: shown
        for pk, shown in held.cotes.values_list("member_id", "shown")
    }
    assert all(after[name] == number for name, number in told.items())
    assert dict(held.cotes.values_list("member_id", "shown")) != before
    assert RatedGame.objects.filter(period=first, source=game.source).count() == 2
    old = LedgerEntry.objects.filter(period=first, member=club.members[0]).earliest("pk")
    reread = desk.get(f"{root}/joueurs/{club.members[0].address}/cote/{old.pk}/").content.decode()
    assert "Ce calcul a été refait après une correction." in reread

    stale = desk.post(
        page, {"act": "appliquer", "result": "2", "seen": seen, "reason": "trop tard"}
    )
    words = stale.content.decode()
    assert stale.status_code == 422 and "ont changé" in words
    # What it changes by now is read, above the reason as it was typed.
    assert stale.context["told"]["version"] != seen and ">\ntrop tard</textarea>" in words


def test_a_late_competition_asks_for_a_reason_and_is_inserted(club, desk, root):
    held = open_list(desk, root)
    rated(desk, root, held, starts_file(club), kind="starts", day=DAY - timedelta(days=90))
    rated(desk, root, held, games_file(club), day=DAY)
    period = brought(desk, root, held, games_file(club, False), day=DAY - timedelta(days=10))
    page, run = computed(desk, root, period)
    assert "en retard" in desk.get(page).content.decode()
    refused = desk.post(page, {"act": "valider", "seen": run.result["version"], "reason": ""})
    assert refused.status_code == 422
    assert (
        desk.post(
            page, {"act": "valider", "seen": run.result["version"], "reason": "reçu en retard"}
        ).status_code
        == 302
    )
    period.refresh_from_db()
    assert period.settled_at is not None
    assert LedgerEntry.objects.filter(supersedes__isnull=False).exists()


def test_a_competition_that_is_brought_last_is_the_last_of_its_day(club, desk, root):
    held = open_list(desk, root)
    other = rated(desk, root, held, starts_file(club), kind="starts")
    Period.objects.filter(pk=other.pk).update(position=1)  # as of an evening that closed later
    assert not competitions.is_late(brought(desk, root, held, games_file(club)))


def test_a_competition_that_waits_is_rated_after_the_newer_one_is_taken_out(club, desk, root):
    held = open_list(desk, root)
    rated(desk, root, held, starts_file(club), kind="starts", day=DAY - timedelta(days=90))
    newer = rated(desk, root, held, games_file(club))
    waiting = brought(desk, root, held, games_file(club, False), day=DAY - timedelta(days=10))
    removing = f"{root}/gestion/cotes/{held.slug}/competitions/{newer.pk}/retirer/"
    corrected(desk, removing, {})
    page, run = computed(desk, root, waiting)
    assert desk.post(page, {"act": "valider", "seen": run.result["version"]}).status_code == 302
    corrected(desk, removing, {})  # the newer one again, after it
    assert list(replay.check(held)) == []
    order = LedgerEntry.objects.in_force().filter(member=club.members[0]).in_order()
    assert [entry.period for entry in order][1:] == [waiting, newer]


def corrected(desk, page, wish):
    """Read what a correction changes, and apply it."""
    seen = desk.post(page, {"act": "voir", **wish}).context["told"]["version"]
    answer = desk.post(page, {"act": "appliquer", "seen": seen, "reason": "vérifié", **wish})
    assert answer.status_code == 302, answer.content.decode()


def test_a_removed_competition_comes_back(club, desk, root):
    held = open_list(desk, root)
    rated(desk, root, held, starts_file(club), kind="starts", day=DAY - timedelta(days=90))
    period = rated(desk, root, held, games_file(club))
    before = dict(held.cotes.values_list("member_id", "shown"))
    page = f"{root}/gestion/cotes/{held.slug}/competitions/{period.pk}/retirer/"
    for gone in (True, False):
        shown = desk.get(page)
        assert shown.context["button"] == f"{'Retirer' if gone else 'Rétablir'} la compétition"
        seen = shown.context["told"]["version"]
        answer = desk.post(page, {"act": "appliquer", "seen": seen, "reason": "non homologué"})
        assert answer.status_code == 302
        period.refresh_from_db()
        assert (period.removed_at is not None) is gone
        assert (dict(held.cotes.values_list("member_id", "shown")) == before) is not gone


def test_a_placing_sheet_is_corrected_whole(club, desk, root):
    held = open_list(desk, root, "romania", "compunere")
    period = rated(desk, root, held, places_file(club), kind="placings")
    page = f"{root}/gestion/cotes/{held.slug}/competitions/{period.pk}/places/"
    a, b, c, d = numbers(club)[:4]
    holed = desk.post(page, {"act": "voir", "sheet": f"1; {a}\n2; {b}\n4; {c}\n5; {d}"})
    assert holed.status_code == 422 and "Ligne 3" in holed.content.decode()
    wish = f"1; {b}\n2; {a}\n3; {c}\n4; {d}"
    shown = desk.post(page, {"act": "voir", "sheet": wish})
    seen = shown.context["told"]["version"]
    answer = desk.post(
        page, {"act": "appliquer", "sheet": wish, "seen": seen, "reason": "inversion"}
    )
    assert answer.status_code == 302
    best = held.cotes.order_by("-shown").first()
    assert best.member.number == b


def test_those_who_move_are_read_a_page_at_a_time_biggest_moves_first(
    club, desk, root, monkeypatch
):
    for module in (views_runs, views_decision):
        monkeypatch.setattr(module, "LINES", 1)
    held = open_list(desk, root)
    rated(desk, root, held, starts_file(club), kind="starts", day=DAY - timedelta(days=90))
    period = brought(desk, root, held, games_file(club))
    control, run = computed(desk, root, period)
    first, second = (desk.get(control, {"page": n}) for n in (1, 2))
    assert [len(answer.context["page"]) for answer in (first, second)] == [1, 1]
    assert "<dt>Cotes qui bougent</dt><dd>4</dd>" in second.content.decode()
    desk.post(control, {"act": "valider", "seen": run.result["version"], "reason": "Reçu"})

    game = period.games.order_by("position")[0]
    correction = f"{root}/gestion/cotes/{held.slug}/competitions/{period.pk}/partie/{game.pk}/"
    merged, kept = club.members[6], club.members[5]
    rows = [f"{n};{merged.number};{club.members[n].number};1" for n in range(1, 5)]
    head = "ronde;joueur 1;joueur 2;résultat"
    rated(desk, root, held, sheet(club, rows, head), day=DAY + timedelta(days=5))
    merge = {"merged": str(merged.number), "kept": str(kept.number)}
    for page, wish in ((correction, {"result": "0"}), (f"{root}/gestion/cotes/fusion/", merge)):
        shown = desk.post(page, {"act": "voir", **wish})
        sent = Forms(shown).holding("page", "2")
        assert sent == {"act": "voir", "page": "2"} | sent and wish.items() <= sent.items()
        pages = [page_of(shown), page_of(desk.post(page, sent))]
        assert [one.number for one in pages] == [1, 2] and len(pages[0]) == 1
        moves = [row["delta"] for one in pages for row in one]
        assert moves == sorted(moves, reverse=True)


def page_of(answer):
    """The page of those who move, of a correction or of the first list of a merge."""
    context = answer.context
    return context["page"] if "page" in context else context["parts"][0]["page"]


class Forms(HTMLParser):
    """What each form of a page sends, by the button that is pressed."""

    def __init__(self, answer):
        super().__init__()
        self.forms = []
        self.feed(answer.content.decode())

    def handle_starttag(self, tag, pairs):
        attributes = dict(pairs)
        if tag == "form":
            self.forms.append([])
        elif tag in ("input", "button") and self.forms and "name" in attributes:
            self.forms[-1].append((tag, attributes["name"], attributes.get("value", "")))

    def holding(self, name, value):
        """The fields of the form with that button, and the button."""
        (form,) = (form for form in self.forms if ("button", name, value) in form)
        return {key: text for tag, key, text in form if tag == "input"} | {name: value}


def test_two_players_who_are_one_are_merged_with_a_preview(club, desk, root):
    held = open_list(desk, root)
    rated(desk, root, held, starts_file(club), kind="starts", day=DAY - timedelta(days=90))
    rated(desk, root, held, games_file(club))
    kept, merged = club.members[0], club.members[6]
    other = club.members[1]
    rows = [f"1;{merged.number};{other.number};1"]
    rated(
        desk,
        root,
        held,
        sheet(club, rows, "ronde;joueur 1;joueur 2;résultat"),
        day=DAY + timedelta(days=5),
    )
    other_list = club.rating_list("glicko2", name="Autre liste")
    page = f"{root}/gestion/cotes/fusion/"
    assert desk.get(page).status_code == 200
    shown = desk.post(page, {"act": "voir", "merged": merged.number, "kept": kept.number})
    assert [part["list"] for part in shown.context["parts"]] == [held]
    assert (
        shown.context["unchanged"] == [other_list]
        and "compétition recalculée" in shown.content.decode()
    )
    assert f"{merged} ({merged.number}) → {kept} ({kept.number})" in shown.content.decode()
    read = Forms(shown).holding("act", "appliquer") | {"reason": "même personne"}
    for forged in ("[" * 3000, "9" * 5000, "[1]", ""):
        refused = desk.post(page, read | {"seen": forged})
        assert refused.status_code == 422 and "ont changé depuis" in refused.content.decode()
    done = desk.post(page, read)
    assert done.status_code == 302, done.content.decode()
    assert not held.cotes.filter(member=merged).exists()
    met = desk.post(page, {"act": "voir", "merged": other.number, "kept": kept.number})
    assert met.status_code == 422 and "l’un contre l’autre" in met.content.decode()


def test_a_competition_is_removed_and_brought_back_in_words(club, desk, root):
    """The preview names days and competitions as pages do; a removed one says that it is."""
    held = open_list(desk, root)
    first, second = (
        rated(desk, root, held, games_file(club), day=DAY + timedelta(d)) for d in (0, 5)
    )
    competition = f"{root}/gestion/cotes/{held.slug}/competitions/{first.pk}/"
    before = dict(held.cotes.values_list("member_id", "shown"))
    for is_removed in (True, False):
        shown = desk.get(f"{competition}retirer/")
        assert date_format(second.held_on, "j F Y") in words(shown)
        sent = Forms(shown).holding("act", "appliquer") | {"reason": "décision du comité"}
        assert desk.post(f"{competition}retirer/", sent).status_code == 302
        told = "Cette compétition a été retirée" in desk.get(competition).content.decode()
        assert told is is_removed
    assert dict(held.cotes.values_list("member_id", "shown")) == before


def test_an_evening_has_its_title_in_a_preview(club):
    match = first_of_two_closed(club)
    rating_list = club.organisation.rating_lists.get()
    game = RatedGame.objects.get(source=f"match:{match.pk}")
    told = views_decision.effect_of(rating_list, withdraw_game(game.period, game.source), on=DAY)
    assert told["periods"][0][0] == "Soirée du 20 novembre"


@pytest.mark.parametrize(
    ("minutes", "byoyomi", "counts"),
    [(29, 30, False), (30, 30, True), (30, 29, False), (20, 40, True), (20, 39, False)],
)
def test_what_the_document_would_not_rate_is_not_taken_as_official(club, minutes, byoyomi, counts):
    """Of a file and of a club's evening, before anybody computes it; kept as not official it is."""
    rating_list = club.rating_list("fesa")
    said = {"minutes": minutes, "byoyomi": byoyomi, "arbiter": "A. Olufsen"}
    event = {"sheet": "games", "label": "Open", "held_on": "2026-09-12", "why_not": "cadence"}
    facts = {f"fact_{name}": value for name, value in said.items()}
    for official, taken in (("yes", counts), ("no", True)):
        file = {"file": SimpleUploadedFile("a.csv", b"x")}
        form = CompetitionForm(
            {**event, **facts, "official": official}, file, rating_list=rating_list
        )
        sent = HandOverForm(
            {**said, "official": official, "why_not": "cadence"}, rating_list=rating_list
        )
        for one in (form, sent):
            assert one.is_valid() is taken
            assert taken or "30 minutes et 30 secondes" in str(one.errors["official"])


def test_a_merge_is_read_again_where_a_list_has_changed_or_nothing_was_read(club, desk, root):
    held = open_list(desk, root)
    rated(desk, root, held, games_file(club))
    kept, merged = club.members[0], club.members[6]
    page = f"{root}/gestion/cotes/fusion/"
    shown = desk.post(page, {"act": "voir", "merged": merged.full_name, "kept": kept.full_name})
    read = Forms(shown).holding("act", "appliquer")
    assert sentences_of([[*pair] for pair in read.items()]) == []  # a form kept meanwhile
    read |= {"reason": "même personne"}
    rated(desk, root, held, games_file(club), day=DAY + timedelta(days=5))
    for sent in (read, read | {"seen": ""}, read | {"seen": "4"}):
        refused = desk.post(page, sent)
        assert refused.status_code == 422
        assert "Une liste ou ses règles ont changé depuis l’aperçu" in refused.content.decode()
        assert "même personne</textarea>" in refused.content.decode()  # kept as typed
    again = Forms(refused).holding("act", "appliquer") | {"reason": "même personne"}
    assert desk.post(page, again).status_code == 302
    merged.refresh_from_db()
    assert merged.merged_into == kept


class TestBadFiles:
    """Each answer is a sentence with its line number, and nothing is written."""

    @pytest.fixture
    def held(self, desk, root):
        return open_list(desk, root)

    def draft_errors(self, desk, root, held, rows, head="ronde;joueur 1;joueur 2;résultat", **more):
        answer = upload(desk, root, held, sheet(None, rows, head), **more)
        assert answer.status_code == 302, answer.content.decode()
        page = desk.get(answer.url)
        refused = desk.post(answer.url, {"newcomers": "1"})
        assert not Period.objects.filter(rating_list=held).exists()
        assert refused.status_code == 422
        return page.content.decode()

    def test_a_game_against_oneself(self, club, desk, root, held):
        n = club.members[0].number
        words = self.draft_errors(desk, root, held, [f"1;{n};{n};1"])
        assert "Ligne 2" in words and "sont la même personne" in words

    def test_an_unknown_number(self, club, desk, root, held):
        words = self.draft_errors(desk, root, held, [f"1;{club.members[0].number};98765;1"])
        assert "98765" in words

    def test_two_results_for_one_game(self, club, desk, root, held):
        a, b, c, *_rest = numbers(club)
        words = self.draft_errors(desk, root, held, [f"1;{a};{b};1", f"1;{a};{c};0"])
        assert "Ligne 3" in words and "ligne 2" in words

    def test_a_result_that_is_none(self, club, desk, root, held):
        a, b, *_rest = numbers(club)
        words = self.draft_errors(desk, root, held, [f"1;{a};{b};gagné-perdu"])
        assert "n’est pas un résultat" in words

    def test_scores_that_contradict_the_result(self, club, desk, root, held):
        a, b, *_rest = numbers(club)
        words = self.draft_errors(
            desk,
            root,
            held,
            [f"1;{a};{b};1;300;400"],
            head="ronde;joueur 1;joueur 2;résultat;score 1;score 2",
        )
        assert "ne correspond pas aux scores" in words

    def test_a_missing_column_is_named(self, club, desk, root, held):
        answer = upload(desk, root, held, b"joueur 1;resultat\n1;1\n")
        assert answer.status_code == 422 and "joueur 2" in answer.content.decode()

    def test_a_million_rows(self, club, desk, root, held):
        content = b"joueur 1;joueur 2;resultat\n" + b"1;2;1\n" * 300_000
        answer = upload(desk, root, held, content)
        assert answer.status_code == 422
        assert "lignes" in answer.content.decode() or "2 Mo" in answer.content.decode()

    def test_a_broken_json_names_its_line(self, club, desk, root, held):
        answer = upload(desk, root, held, b'{"games": [\n{"first": 1,\n', name="x.json")
        assert answer.status_code == 422 and "Ligne 3" in answer.content.decode()

    def test_a_workbook_with_a_formula_without_value(self, club, desk, root, held):
        book = Workbook()
        book.active.append(["joueur 1", "joueur 2", "resultat"])
        book.active.append([club.members[0].number, "=1+1", "1"])
        stream = BytesIO()
        book.save(stream)
        answer = upload(desk, root, held, stream.getvalue(), name="x.xlsx")
        assert answer.status_code == 302
        assert desk.post(answer.url, {"newcomers": ""}).status_code == 422
        assert not Period.objects.filter(rating_list=held).exists()

    def test_an_unknown_name_is_only_inscribed_when_accepted(self, club, desk, root, held):
        a, *_rest = numbers(club)
        content = sheet(club, [f"1;{a};Zoé NOUVELLE;1"], "ronde;joueur 1;joueur 2;résultat")
        answer = upload(desk, root, held, content)
        assert desk.post(answer.url, {}).status_code == 422
        assert not Member.objects.filter(first_name="Zoé").exists()
        assert desk.post(answer.url, {"newcomers": "1"}).status_code == 302
        newcomer = Member.objects.get(first_name="Zoé")
        assert newcomer.last_name == "Nouvelle"

    def test_names_without_accents_and_in_any_order_are_found(self, club, desk, root, held):
        member = club.members[0]
        Member.objects.filter(pk=member.pk).update(first_name="Ștefan", last_name="Œuvrard")
        b = club.members[1].number
        content = sheet(club, [f"1;OEUVRARD Stefan;{b};1"], "ronde;joueur 1;joueur 2;résultat")
        answer = upload(desk, root, held, content)
        assert desk.post(answer.url, {}).status_code == 302
        assert RatedGame.objects.get(period__rating_list=held).first_id == member.pk

    def test_json_games_come_in(self, club, desk, root, held):
        a, b, *_rest = numbers(club)
        told = {"name": "X", "games": [{"first": a, "second": b, "scores": [400, 380]}]}
        answer = upload(desk, root, held, json.dumps(told).encode(), name="x.json")
        assert desk.post(answer.url, {}).status_code == 302
        game = RatedGame.objects.get(period__rating_list=held)
        assert (game.first_halves, game.first_score) == (2, 400)

    def test_an_unofficial_shogi_table_is_refused_by_its_own_sentence(self, club, desk, root):
        """On the form; and at the calculation, of one that was brought in before the form knew."""
        held = open_list(desk, root, "fesa")
        short = upload(desk, root, held, games_file(club), **{**OFFICIAL, "fact_minutes": "10"})
        assert short.status_code == 422 and "ne suffit pas" in short.content.decode()
        period = brought(desk, root, held, games_file(club), **OFFICIAL)
        Period.objects.filter(pk=period.pk).update(facts={**period.facts, "minutes": 10})
        page = f"{root}/gestion/cotes/{held.slug}/calcul/{period.pk}/"
        desk.post(page, {"act": "calculer"})
        desk.post(page, {"act": "maintenant"})
        assert "non officielles" in desk.get(page).content.decode()
        assert not LedgerEntry.objects.filter(period=period).exists()

    def test_what_fesa_must_know_is_asked_beside_the_field(self, club, desk, root):
        held = open_list(desk, root, "fesa")
        answer = upload(desk, root, held, games_file(club), fact_minutes="30")
        assert answer.status_code == 422
        assert "obligatoire pour coter" in answer.content.decode()


class TestRuns:
    def test_a_run_can_be_cancelled_and_asked_again(self, club, desk, root):
        held = open_list(desk, root)
        rated(desk, root, held, starts_file(club), kind="starts", day=DAY - timedelta(days=90))
        period = brought(desk, root, held, games_file(club))
        page = f"{root}/gestion/cotes/{held.slug}/calcul/{period.pk}/"
        desk.post(page, {"act": "calculer"})
        desk.post(page, {"act": "annuler"})
        cancelled = Job.objects.get(kind=Job.Kind.DRY, target_id=period.pk)
        assert cancelled.state == Job.State.CANCELLED
        assert jobs.work(cancelled.pk, clock=lambda: club.at) == Job.State.CANCELLED
        _page, run = computed(desk, root, period)
        assert run.result["moves"]

    def test_a_run_whose_worker_died_is_taken_up_again(self, club, desk, root):
        held = open_list(desk, root)
        rated(desk, root, held, starts_file(club), kind="starts", day=DAY - timedelta(days=90))
        period = brought(desk, root, held, games_file(club))
        run = club.ask(Job.Kind.DRY, period.pk)
        Job.objects.filter(pk=run.pk).update(state=Job.State.RUNNING, taken_at=club.at)
        assert jobs.work(run.pk, clock=lambda: club.at) == Job.State.RUNNING
        assert jobs.take_up_again(at=club.at + timedelta(seconds=59)) == 0
        assert jobs.take_up_again(at=club.at + timedelta(seconds=61)) == 1
        assert jobs.work(run.pk, clock=lambda: club.at) == Job.State.DONE

    def test_validation_after_the_list_moved_is_refused(self, club, desk, root):
        held = open_list(desk, root)
        rated(desk, root, held, starts_file(club), kind="starts", day=DAY - timedelta(days=90))
        first = brought(desk, root, held, games_file(club))
        page, run = computed(desk, root, first)
        rated(desk, root, held, games_file(club), day=DAY - timedelta(days=1))
        answer = desk.post(page, {"act": "valider", "seen": run.result["version"]})
        assert answer.status_code == 422 and "ont changé" in answer.content.decode()

    def test_every_number_of_a_list_is_checked(self, club, desk, root):
        held = open_list(desk, root)
        rated(desk, root, held, starts_file(club), kind="starts", day=DAY - timedelta(days=90))
        rated(desk, root, held, games_file(club))
        desk.post(f"{root}/gestion/cotes/{held.slug}/verifier/", {"act": "verifier"})
        desk.post(f"{root}/gestion/cotes/{held.slug}/verifier/", {"act": "maintenant"})
        run = Job.objects.get(kind=Job.Kind.CHECK, target_id=held.pk)
        assert (run.state, run.result) == (Job.State.DONE, {"mismatches": []})
        held.cotes.filter(member=club.members[0]).update(state={"rating": 1})
        desk.post(f"{root}/gestion/cotes/{held.slug}/verifier/", {"act": "verifier"})
        desk.post(f"{root}/gestion/cotes/{held.slug}/verifier/", {"act": "maintenant"})
        again = Job.objects.filter(kind=Job.Kind.CHECK).latest("pk")
        assert again.result["mismatches"][0]["member"] == club.members[0].pk


def test_an_abandoned_competition_needs_a_reason_and_stays_readable(club, desk, root):
    held = open_list(desk, root)
    period = brought(desk, root, held, games_file(club))
    page = f"{root}/gestion/cotes/{held.slug}/calcul/{period.pk}/"
    answer = desk.post(page, {"act": "abandonner", "reason": " "})
    assert answer.status_code == 422
    assert Printed(answer, "abandonner_reason").is_refused
    assert not Printed(answer, "amicale_reason").error
    assert desk.post(page, {"act": "abandonner", "reason": "doublon"}).status_code == 302
    period.refresh_from_db()
    assert period.removed_at is not None and period.games.exists()


@pytest.mark.parametrize("late", [False, True])
def test_a_competition_that_a_colleague_gave_up_meanwhile_is_not_rated(club, desk, root, late):
    held = open_list(desk, root)
    rated(
        desk, root, held, starts_file(club), kind="starts", day=DAY - timedelta(days=30 - 60 * late)
    )
    period = brought(desk, root, held, games_file(club))
    page, run = computed(desk, root, period)
    desk.post(page, {"act": "abandonner", "reason": "doublon"})
    older = {"act": "valider", "seen": run.result["version"], "reason": "reçue tard"}
    refused = desk.post(page, older)
    assert refused.status_code == 422
    assert "Cette compétition vient de changer." in refused.content.decode()
    period.refresh_from_db()
    assert period.settled_at is None


def test_a_competition_kept_as_not_official_keeps_a_fact_noted_meanwhile(club, desk, root):
    period = brought(desk, root, open_list(desk, root), games_file(club))
    noted = period.facts | {"rounds_planned": 7}
    Period.objects.filter(pk=period.pk).update(facts=noted)
    drafts.say_official(
        period=period, official=False, reason="amical", by=club.committee, at=club.at
    )
    period.refresh_from_db()
    assert period.facts == noted | {"official": False, "why_not": "amical"}


@pytest.mark.parametrize("meanwhile", ["settled_at", "removed_at", "kind"])
def test_a_competition_that_waits_no_more_keeps_what_was_said_of_it(club, desk, root, meanwhile):
    held = open_list(desk, root)
    period = brought(desk, root, held, games_file(club))
    now = UNOFFICIAL if meanwhile == "kind" else club.at
    Period.objects.filter(pk=period.pk).update(**{meanwhile: now})
    by, why = {"by": club.committee, "at": club.at}, {"reason": "lu trop tard"}
    with refused("stale"):
        drafts.say_official(period=period, official=False, **why, **by)
    if meanwhile != "kind":
        with refused("stale"):
            competitions.drop(period=period, **why, **by)
        seen = RatingList.objects.get(pk=held.pk).version
        with refused("stale"):
            competitions.declare_newcomers(period=period, players={}, seen=seen, **by)
    kept = Period.objects.get(pk=period.pk)
    assert (getattr(kept, meanwhile), kept.facts) == (now, period.facts)
    assert not JournalEntry.objects.filter(reason="lu trop tard").exists()


def test_an_abandoned_competition_is_restored_and_waits_again(club, desk, root):
    held = open_list(desk, root)
    period = brought(desk, root, held, games_file(club))
    page = f"{root}/gestion/cotes/{held.slug}/calcul/{period.pk}/"
    desk.post(page, {"act": "abandonner", "reason": "doublon"})
    restore = f"{root}/gestion/cotes/{held.slug}/competitions/{period.pk}/retirer/"
    assert f'href="{restore}"' in desk.get(page).content.decode()
    seen = desk.get(restore).context["told"]["version"]
    answer = desk.post(restore, {"act": "appliquer", "seen": seen, "reason": "pas un doublon"})
    assert answer.status_code == 302
    assert competitions.waiting(held) == [period]
    assert "abandonnée" not in desk.get(page).content.decode()


def test_a_list_of_each_kind_and_category_is_separate(club, desk, root):
    for category in ("seniors", "tineret"):
        answer = desk.post(
            f"{root}/gestion/cotes/nouvelle/",
            {
                "system": "romania",
                "kind": "compunere",
                "category": category,
                "name": category,
            },
        )
        assert answer.status_code == 302
    slugs = set(RatingList.objects.filter(system="romania").values_list("slug", flat=True))
    assert slugs == {"romania-compunere-seniors", "romania-compunere-tineret"}
    twice = desk.post(
        f"{root}/gestion/cotes/nouvelle/",
        {"system": "romania", "kind": "compunere", "category": "seniors", "name": "encore"},
    )
    assert twice.status_code == 422
    without = desk.post(f"{root}/gestion/cotes/nouvelle/", {"system": "romania", "name": "x"})
    assert without.status_code == 422


def test_a_category_that_no_address_can_hold_is_refused_in_plain_words(desk, root):
    page = desk.post(f"{root}/gestion/cotes/nouvelle/", {"system": "fisf", "category": "équipes A"})
    (words,) = page.context["form"].errors["category"]
    assert words == "Des lettres sans accent, des chiffres et des traits d’union seulement."


def test_the_quota_tool_proposes_bars_and_writes_a_draft(club, desk, root):
    held = open_list(desk, root)
    page = f"{root}/gestion/cotes/{held.slug}/barres/"
    assert "Rien à proposer" in desk.get(page).content.decode()
    assert desk.post(page).status_code == 200 and not RuleBook.objects.exists()
    rows = [f"{n};{1500 + 40 * place};60;9;2026-05-01" for place, n in enumerate(numbers(club))]
    starts = sheet(club, rows, "joueur;cote;parties;tournois;derniere")
    rated(desk, root, held, starts, kind="starts", day=DAY - timedelta(days=90))
    shown = desk.get(page)
    assert "des cotes du 20\u00a0novembre 2026" in shown.content.decode()
    rows = shown.context["rows"]
    proposed = sorted(value for _bar, _in_force, value in rows if value is not None)
    assert proposed
    answer = desk.post(page)
    assert (answer.status_code, answer["Location"]) == (
        302,
        f"{root}/gestion/regles/adopter/?livre=fisf",
    )
    draft = RuleBook.objects.of(club.organisation, "fisf").drafts().get()
    assert sorted(draft.values["cote"].values()) == proposed
    other = open_list(desk, root, "absp")
    assert desk.get(f"{root}/gestion/cotes/{other.slug}/barres/").status_code == 404


def test_an_address_without_its_organisation_still_leads_somewhere(club, neighbours, client):
    """Codes printed when the first organisation was alone on the site."""
    first = Organisation.objects.order_by("pk")[0]
    answer = client.get("/cotes/?x=1")
    assert (answer.status_code, answer.url) == (302, f"/c/{first.slug}/cotes/?x=1")
    assert client.post("/cotes/").status_code == 307
    client.force_login(neighbours.members[0].user)
    own = client.get("/cotes/")
    assert own.url == f"/c/{neighbours.organisation.slug}/cotes/"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("system", "kind", "sheet"), [*SYSTEMS, ("fisf", "", "starts")])
def test_the_example_file_can_be_brought_in_as_it_is(
    club, desk, root, system, kind, sheet, language
):
    desk.cookies["django_language"] = language
    held = open_list(desk, root, system, kind)
    page = desk.get(f"{root}/gestion/cotes/{held.slug}/apporter/")
    address = f"{root}/gestion/cotes/{held.slug}/apporter/exemple-{sheet}.csv"
    assert address in page.content.decode()
    content = desk.get(address).content
    head = content.decode("utf-8-sig").splitlines()[0]
    assert f"<code>{head}</code>" in page.content.decode(), "the page names the file's own columns"
    answer = upload(desk, root, held, content, kind=sheet, **OFFICIAL)
    assert answer.status_code == 302, answer.content.decode()
    preview = desk.get(answer["Location"])
    assert preview.context["error_count"] == 0
    assert preview.context["total"] == (1 if sheet == "starts" else 4)


def test_a_file_is_asked_for_again_where_another_field_is_refused(club, desk, root):
    held = open_list(desk, root)
    sentence = "Choisissez ce fichier encore une fois"
    answer = upload(desk, root, held, games_file(club), label="")
    assert answer.context["form"].errors.keys() == {"label"}
    assert sentence in answer.content.decode()
    answer = upload(desk, root, held, b"", label="")  # what is wrong with the file itself is said
    assert answer.context["form"].errors.keys() == {"label", "file"}
    assert sentence not in answer.content.decode()


def test_what_a_system_needs_of_an_event_is_not_called_optional(club, desk, root):
    held = open_list(desk, root, "fesa")
    page = desk.get(f"{root}/gestion/cotes/{held.slug}/apporter/").content.decode()
    for asked in ("Minutes par joueur", "Secondes de byoyomi", "Arbitre reconnu par la FESA"):
        label = page.split(asked)[1].split("</label>")[0]
        assert "facultatif" not in label
    assert "facultatif" in page.split("Nouveaux joueurs gradés")[1].split("</label>")[0]


def test_the_desk_leads_from_a_counted_competition_to_its_publication_and_its_erratum(
    club, desk, root
):
    held = open_list(desk, root)
    base = f"{root}/gestion/cotes/{held.slug}"
    rated(desk, root, held, starts_file(club), kind="starts", day=DAY - timedelta(days=30))
    first = rated(desk, root, held, games_file(club), day=DAY - timedelta(days=9))
    second = rated(desk, root, held, games_file(club))
    public = f"{root}/cotes/{held.slug}/competitions"
    assert f"{base}/publier/" in desk.get(f"{public}/{second.pk}/").content.decode()
    page = desk.get(f"{base}/")
    assert (page.context["published"], page.context["unpublished"]) == (None, 3)
    waiting = brought(desk, root, held, games_file(club))
    awaiting = desk.get(f"{root}/gestion/").context["awaiting"]
    assert ("1 compétition à calculer", f"{root}/gestion/cotes/") in awaiting
    [task] = desk.get(f"{base}/publier/").context["tasks"]
    assert (task["state"], task["url"]) == ("todo", f"{base}/")
    desk.post(f"{base}/calcul/{waiting.pk}/", {"act": "abandonner", "reason": "en double"})
    seen = desk.get(f"{base}/publier/").context["proposal"].seen
    assert desk.post(f"{base}/publier/", {"title": "T", "seen": seen}).status_code == 302
    page = desk.get(f"{base}/")
    assert (page.context["published"].number, page.context["unpublished"]) == (1, 0)
    assert page.context["to_mend"] == []
    assert f"{base}/publier/" not in desk.get(f"{public}/{second.pk}/").content.decode()

    game = RatedGame.objects.filter(period=first).in_force().first()
    wrong = f"{base}/competitions/{first.pk}/partie/{game.pk}/"
    wish = {"result": "0", "first_score": "", "second_score": ""}
    told = desk.post(wrong, {**wish, "act": "voir"}).context["told"]
    more = {"act": "appliquer", "reason": "scores inversés", "seen": told["version"]}
    done = desk.post(wrong, {**wish, **more}, follow=True)
    assert f"{base}/publier/?rectifie=1" in done.content.decode()
    assert [edition.number for edition, _lines in done.context["to_mend"]] == [1]
    erratum = f"{base}/publier/?rectifie=1"
    seen = desk.get(erratum).context["proposal"].seen
    mended = desk.post(erratum, {"title": "T", "note": "scores", "seen": seen})
    assert mended.status_code == 302
    assert desk.get(f"{base}/").context["to_mend"] == []


def test_the_desk_says_of_each_list_what_came_last(club, desk, root):
    held = open_list(desk, root)
    rated(desk, root, held, games_file(club))
    row = next(one for one in desk.get(f"{root}/gestion/cotes/").context["rows"])
    assert (row["last"].held_on, row["players"], row["waiting"]) == (DAY, 4, 0)


def test_who_belongs_to_several_clubs_finds_the_way_between_them(club, neighbours, desk, root):
    page = desk.get(f"{root}/gestion/")
    assert [item["url"] for item in page.context["nav"]["account"]][-1] == "/"
    assert f"{root}/gestion/classement/publier/" in page.content.decode()
    Organisation.objects.filter(pk=club.organisation.pk).update(kind=Organisation.FEDERATION)
    page = desk.get(f"{root}/gestion/").content.decode()
    assert f"{root}/gestion/classement/publier/" not in page
    assert f"{root}/gestion/cotes/" in page
    visitor = desk.__class__()
    labels = [i["label"] for i in visitor.get(f"{root}/").context["nav"]["phone"]]
    assert labels == ["Cotes", "Tournois"]


@pytest.mark.parametrize(("by", "said"), [(247, "+247"), (-247, "\u2212247")])
def test_a_big_move_is_written_with_its_sign_as_elsewhere(by, said):
    odd = {"kind": "big_move", "member": 7, "by": by}
    assert f" {said} " in oddity_words(RatingList(system="fisf"), odd, {7: "Zoé"})


def test_newcomers_who_lift_each_other_are_named_to_the_officer():
    """003 §7: the reason, and the line among what to look at before closing."""
    words = oddity_words(RatingList(system="fesa"), {"kind": "lifted", "member": 7}, {7: "Zoé"})
    assert words.startswith("Zoé")
    assert "tout gagné" in words
    head, formula = WORDS["lifted", "003"]({"n": 2}, "")
    assert "tout gagné" in head
    assert "monter l’un l’autre" in formula


def test_after_signing_in_a_federation_shows_its_lists_not_an_evening_it_never_holds(
    club, desk, root
):
    assert desk.get(f"{root}/ma-soiree/").status_code == 200
    Organisation.objects.filter(pk=club.organisation.pk).update(kind=Organisation.FEDERATION)
    assert desk.get(f"{root}/ma-soiree/").status_code == 200  # its evening is going on
    club.close()
    assert desk.get(f"{root}/ma-soiree/")["Location"] == f"{root}/"


@pytest.mark.parametrize("labels", [[], [("C", "B")]])
def test_the_difference_has_a_column_for_labels_only_where_one_changes(labels):
    row = {"name": "Ana", "before": 1500, "after": 1510, "rank": (2, 1), "labels": labels}
    html = render_to_string("ratings/competitions/_moves.html", {"rows": [row], "caption": "x"})
    assert ("Autre changement" in html) is bool(labels)
    assert html.count("<td") == (3 if labels else 2)


def test_a_category_that_changes_is_named_in_words():
    with translation.override("fr"):
        labels = [["diamant", "topaze"], ["provisional", None], ["3 Dan", ""]]
        assert label_words(labels) == [
            ("Diamant", "Topaze"),
            ("provisoire", "–"),
            ("3 Dan", "–"),
        ]
    with translation.override("en"):
        assert label_words([[None, "amethyste"]]) == [("–", "Amethyst")]


def test_a_second_competition_of_a_published_day_leads_to_an_erratum(club, desk, root):
    held = open_list(desk, root)
    base = f"{root}/gestion/cotes/{held.slug}/publier/"
    first = rated(desk, root, held, games_file(club))
    seen = desk.get(base).context["proposal"].seen
    assert desk.post(base, {"title": "T", "seen": seen}).status_code == 302
    second = rated(desk, root, held, games_file(club, winners_first=False))
    page = desk.get(f"{root}/cotes/{held.slug}/competitions/{second.pk}/").content.decode()
    assert f"{base}?rectifie=1" in page
    visitor = desk.__class__()
    for period in (first, second):
        page = visitor.get(f"{root}/cotes/{held.slug}/competitions/{period.pk}/").content.decode()
        assert base not in page


def test_a_forfeit_and_a_bye_are_shown_and_rated_nowhere(club, desk, root):
    held = open_list(desk, root)
    one, other, third = numbers(club)[:3]
    rows = [f"1;{one};{other};1", f"1;{third};;F", f"2;{one};{third};+"]
    file = sheet(club, rows, "ronde;joueur 1;joueur 2;résultat")
    preview = desk.get(upload(desk, root, held, file)["Location"]).content.decode()
    assert preview.count(">exempt<") == preview.count(">pas jouée<") == 1
    period = brought(desk, root, held, file)
    settlement.settle(period=period, by=club.committee, at=club.at)
    moved = LedgerEntry.objects.filter(period=period).values_list("member__number", flat=True)
    assert sorted(moved) == sorted([one, other])
    public = f"{root}/cotes/{held.slug}/competitions/{period.pk}/?vue=rondes"
    page = desk.get(f"{public}&ronde=1")
    assert [name for name, halves, _round in page.context["byes"]] == [club.members[2].full_name]
    assert desk.get(f"{public}&ronde=2").content.decode().count("forfait, pas cotée") == 1

    # What was read as played may be corrected: it is then rated no more.
    game = period.games.get(facts__round="1")
    address = f"{root}/gestion/cotes/{held.slug}/competitions/{period.pk}/partie/{game.pk}/"
    correction = {"result": "+", "act": "appliquer", "reason": "Adversaire absent"}
    scored = desk.post(address, {**correction, "first_score": "400", "second_score": "300"})
    assert scored.status_code == 422
    assert desk.post(address, correction).status_code == 302
    assert not LedgerEntry.objects.filter(period=period).in_force().exists()
    assert desk.get(address).context["form"]["result"].value() == "+"


def test_a_competition_that_is_not_official_is_kept_and_shown_and_not_rated(club, desk, root):
    held = open_list(desk, root)
    assert (
        "cahier des charges"
        in desk.get(f"{root}/gestion/cotes/{held.slug}/apporter/").content.decode()
    )
    said = {"official": "no", "why_not": ""}
    assert upload(desk, root, held, games_file(club), **said).status_code == 422
    said["why_not"] = "Tournoi amical"
    period = brought(desk, root, held, games_file(club), **said)
    public = f"{root}/cotes/{held.slug}/competitions/"
    assert desk.get(f"{root}/gestion/cotes/{held.slug}/").context["waiting"] == []
    assert settlement.settle(period=period, by=club.committee, at=club.at) == []
    assert "pas officielle, pas cotée" in desk.get(public).content.decode()
    shown = desk.get(f"{public}{period.pk}/")
    assert "Tournoi amical" in shown.content.decode()
    assert sum(row["points"] for row in shown.context["rows"]) == 6

    address = f"{root}/gestion/cotes/{held.slug}/competitions/{period.pk}/officielle/"
    refused = desk.post(address, {"reason": ""})
    assert refused.status_code == 422 and Printed(refused, "id_reason").is_refused
    assert "Tournoi amical" in refused.content.decode()
    assert desk.get(address)["Location"] == f"{public}{period.pk}/"
    period.refresh_from_db()
    assert period.kind == "unofficial"
    desk.post(address, {"reason": "Homologué depuis"})
    run = f"{root}/gestion/cotes/{held.slug}/calcul/{period.pk}/"
    refused = desk.post(run, {"act": "amicale", "reason": "p" * 201})
    assert refused.status_code == 422
    why = Printed(refused, "amicale_reason")
    assert why.is_refused and why.attributes["value"] == "p" * 201
    assert not Printed(refused, "abandonner_reason").error
    desk.post(run, {"act": "amicale", "reason": "Pas d’arbitre"})  # and back
    period.refresh_from_db()
    assert (period.kind, period.facts["why_not"]) == ("unofficial", "Pas d’arbitre")
    desk.post(address, {"reason": "Arbitre trouvé"})
    period.refresh_from_db()
    assert settlement.settle(period=period, by=club.committee, at=club.at)
    assert "pas officielle" not in desk.get(public).content.decode()


def test_a_forgotten_game_is_added_to_a_rated_competition_after_a_preview(club, desk, root):
    held = open_list(desk, root)
    period = brought(desk, root, held, games_file(club))
    settlement.settle(period=period, by=club.committee, at=club.at)
    before = {cote.member_id: cote.shown for cote in held.cotes.all()}
    one, other = club.members[3], club.members[0]
    address = f"{root}/gestion/cotes/{held.slug}/competitions/{period.pk}/partie/nouvelle/"
    game = {"first": str(one.number), "second": other.full_name, "result": "2", "round": "7"}
    assert desk.post(address, {**game, "second": "Personne"}).status_code == 422
    seen = desk.post(address, {**game, "act": "voir"})
    assert {row["name"] for row in seen.context["page"]} == {one.full_name, other.full_name}
    assert period.games.count() == 6 and {c.member_id: c.shown for c in held.cotes.all()} == before

    version = {"seen": seen.context["told"]["version"]}
    assert (
        desk.post(address, {**game, **version, "act": "appliquer"}).status_code == 422
    )  # no reason
    apply = {**game, **version, "act": "appliquer", "reason": "Barrage"}
    assert desk.post(address, apply).status_code == 302
    added = period.games.get(added=True)
    assert (added.first_id, added.second_id, added.facts) == (one.pk, other.pk, {"round": "7"})
    assert held.cotes.get(member=one).shown > before[one.pk]
    assert LedgerEntry.objects.filter(period=period, reason="Barrage").count() == 2


def test_the_control_and_the_page_of_a_correction_name_a_grade_that_changes(club, desk, root):
    held = open_list(desk, root, "fesa")
    one, other = numbers(club)[:2]
    starts = [f"{one};1555;40;3 Kyu", f"{other};1555;40;3 Kyu"]
    rated(desk, root, held, sheet(club, starts, "joueur;cote;parties;grade"), kind="starts")
    content = sheet(club, [f"1;{one};{other};1"], "ronde;joueur 1;joueur 2;résultat")
    later = {"day": DAY + timedelta(days=5), **OFFICIAL}
    page, run = computed(desk, root, brought(desk, root, held, content, **later))
    assert [row["labels"] for row in desk.get(page).context["control"]["labels"]] == [
        [("3 Kyu", "2 Kyu")]
    ]
    desk.post(page, {"act": "valider", "seen": run.result["version"], "reason": "r"})
    period = Period.objects.get(rating_list=held, kind="", held_on=later["day"])
    removal = f"{root}/gestion/cotes/{held.slug}/competitions/{period.pk}/retirer/"
    assert "2 Kyu" in desk.get(removal).content.decode()


def test_the_preview_says_that_the_list_has_this_competition_already(club, desk, root):
    fisf = open_list(desk, root)
    shown = upload(desk, root, fisf, games_file(club))
    assert not desk.get(shown.url).context["already_there"]
    period = brought(desk, root, fisf, games_file(club))
    other = games_file(club, winners_first=False)
    for content, label in ((games_file(club), "Open"), (other, f"TOURNOI du {DAY}")):
        page = desk.get(upload(desk, root, fisf, content, label=label).url)
        assert page.context["already_there"] == [period]
        assert "compteraient deux fois" in page.content.decode()
        assert f"/calcul/{period.pk}/" in page.content.decode()
    for content, more in ((other, {"label": "Open"}), (games_file(club), {"day": NEXT_DAY})):
        assert not desk.get(upload(desk, root, fisf, content, **more).url).context["already_there"]
    competitions.drop(period=period, reason="doublon", by=club.committee, at=club.at)
    assert JournalEntry.objects.get(verb="competition_dropped").reason == "doublon"
    assert not desk.get(shown.url).context["already_there"]


@pytest.mark.parametrize(("lines", "said"), [(100, ""), (101, "Et 1 autre ligne.")])
def test_a_long_list_of_wrong_lines_says_how_many_follow(club, desk, root, lines, said):
    wrong = [f"1;{9000 + n};{numbers(club)[0]};1" for n in range(lines)]
    content = sheet(club, wrong, "ronde;joueur 1;joueur 2;résultat")
    page = desk.get(upload(desk, root, open_list(desk, root), content).url).content.decode()
    assert page.count("aucun joueur n’a le numéro") == 100
    assert ("autre ligne" in page) is bool(said) and said in page


def test_a_dry_run_by_other_rules_than_those_that_would_rate_is_made_again(club, desk, root):
    """Adopted between the dry run and the validation, rules would give numbers nobody has read."""
    held = open_list(desk, root, "glicko2")
    day = club.at.date()
    period = brought(desk, root, held, games_file(club), day=day)
    page, run = computed(desk, root, period)
    held.refresh_from_db()
    read = {"act": "valider", "seen": run.result["version"]}
    book = adopted(club, {"cote": {"initial": 1400}}, "glicko2")
    shown = desk.get(page)
    assert shown.context["stale"]
    refused = desk.post(page, read)
    period.refresh_from_db()
    assert refused.status_code == 422 and "ses règles ont changé" in refused.content.decode()
    assert period.settled_at is None

    run = computed(desk, root, period)[1]
    assert not desk.get(page).context["stale"]
    # A page that was opened before the new dry run does not validate it either.
    assert desk.post(page, read).status_code == 422
    assert desk.post(page, {**read, "seen": run.result["version"]}).status_code == 302
    period.refresh_from_db()
    assert period.rule_book == book


def test_a_correction_read_by_other_rules_than_those_that_would_rate_is_read_again(
    club, desk, root
):
    """A competition put on today is rated by what is in force today: nobody has read that yet."""
    held = open_list(desk, root, "glicko2")
    period = rated(desk, root, held, games_file(club))
    page = f"{root}/gestion/cotes/{held.slug}/competitions/{period.pk}/date/"
    typed = {"label": "Open", "held_on": club.at.date().isoformat()}
    read = Forms(desk.post(page, {"act": "voir", **typed})).holding("act", "appliquer")
    book = adopted(club, {"cote": {"initial": 1400}}, "glicko2")
    refused = desk.post(page, read | {"reason": "reportée"})
    assert refused.status_code == 422
    assert "ses règles ont changé depuis l’aperçu" in refused.content.decode()
    again = Forms(refused).holding("act", "appliquer") | {"reason": "reportée"}
    assert desk.post(page, again).status_code == 302
    period.refresh_from_db()
    assert (period.rule_book, period.held_on) == (book, club.at.date())


def adopted(club, values, scope):
    """Rules that the committee adopts now."""
    return club.adopt(
        club.draft_rules(values, code=scope), club.at, reason="assemblée", voted_by="comité"
    )


@pytest.mark.parametrize(
    ("system", "kind", "file", "sheet_kind"),
    [
        ("fisf", "", games_file, "games"),
        ("romania", "duplicat_clasic", places_file, "placings"),
    ],
)
def test_a_dry_run_names_who_played_with_a_suspended_licence(
    club, desk, root, system, kind, file, sheet_kind
):
    held = open_list(desk, root, system, kind)
    for member, status in zip(club.members[2:5], ["lapsed", "suspended", "suspended"], strict=True):
        Person.objects.create(organisation=club.organisation, member=member, status=status)
    period = brought(desk, root, held, file(club), kind=sheet_kind)
    page, run = computed(desk, root, period)
    named = [odd["member"] for odd in run.result["oddities"] if odd["kind"] == "suspended"]
    assert named == [club.members[3].pk]  # not who was not there
    assert f"Licence suspendue\u00a0: {club.members[3]}." in desk.get(page).content.decode()
