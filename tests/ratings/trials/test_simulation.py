"""A draft of the rules tried on what was played: the same numbers as a real replay, nothing written."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
import time_machine
from django.conf import settings

from clubs.journal.models import JournalEntry
from clubs.rulebooks import actions as rulebooks
from clubs.rulebooks.models import RuleBook
from clubs.upkeep import jobs
from clubs.upkeep.models_jobs import Job
from ratings.ledger import replay, settlement
from ratings.ledger.models import LedgerEntry, StandingCote
from ratings.lists import queries
from ratings.systems.protocol import Game
from ratings.trials import paper as trial_paper
from ratings.trials import simulation
from ratings.trials import views as trial_views

pytestmark = pytest.mark.django_db

LONG_AGO = date(2020, 1, 1)
YEAR = timedelta(days=365)


def evenings(club, count=2):
    """Some closed evenings with one match each; the weaker number wins."""
    for evening in range(count):
        if evening:
            club.next_evening()
        club.played(club.members[0], club.members[1 + evening], scores=(410, 300))
        club.close()
    return settlement.list_of(club.organisation, "faizers")


def draft_of(club, **values):
    return club.draft_rules(values)


def test_the_rules_in_force_tried_again_change_nothing(club):
    held = evenings(club)
    report = simulation.simulate(held, draft_of(club), since=LONG_AGO, at=club.at)
    assert report["periods"] == 2 and report["games"] == 2
    assert all(row["cote"][0] == row["cote"][1] for row in report["rows"])
    told = report["prediction"]
    assert told["present"] == told["draft"] and told["present"]["loss"] > 0
    assert told["gain"] == (0, 0)


def test_a_greater_k_moves_whom_a_replay_under_it_would_move(club):
    held = evenings(club)
    draft = draft_of(club, cote={"k_beginner": 60})
    report = simulation.simulate(held, draft, since=LONG_AGO, at=club.at)
    rules = rulebooks.rules(draft, "faizers", "cote")
    states: dict = {}
    for _period, event, _changes in replay.run(held):
        for change in rules.settle(states, event):
            states[change.player] = change.after
    told = {row["member"]: row["cote"][1] for row in report["rows"]}
    assert told == {pk: rules.shown(state) for pk, state in states.items()}
    winner = next(row for row in report["rows"] if row["member"] == club.members[0].pk)
    assert winner["cote"][1] > winner["cote"][0]


def test_before_is_as_the_games_were_rated_whatever_was_adopted_since(club):
    held = evenings(club)
    club.rule_book({"cote": {"k_beginner": 60}})
    draft = draft_of(club, cote={"k_beginner": 60})
    report = simulation.simulate(held, draft, since=LONG_AGO, at=club.at + YEAR)
    rows = {row["member"]: row["cote"] for row in report["rows"]}
    shown = dict(StandingCote.objects.filter(rating_list=held).values_list("member", "shown"))
    assert {pk: before for pk, (before, _after) in rows.items()} == shown
    assert rows[club.members[0].pk][1] > rows[club.members[0].pk][0]


@pytest.mark.parametrize(("since", "told"), [(date(2026, 9, 1), 1500), (date(2026, 9, 2), 1430)])
def test_a_start_from_the_chosen_day_is_that_of_the_draft(club, since, told):
    """A version adopted before that day would give it: the list and the report then agree."""
    held = club.rating_list("fisf")
    newcomer = club.members[0]
    start = settlement.open_period(
        rating_list=held,
        key="table",
        label="Table",
        held_on=date(2026, 9, 1),
        kind=settlement.START,
        facts={"players": {str(newcomer.pk): {"classique": "A"}}},
    )
    settlement.settle(period=start, by=club.committee, at=club.at)
    draft = club.draft_rules({"cote": {"start_a": 1500}}, code="fisf")
    report = simulation.simulate(held, draft, since=since, at=club.at)
    assert [row["cote"] for row in report["rows"]] == [[1430, told]]
    assert report["periods"] == report["games"] == 0


def fisf_list(club, *starts, games=(20, 20)):
    """A list whose members start with these cotes, after so many games, on 1 July 2026."""
    held = club.rating_list("fisf")
    told = {"tournaments": 3, "last": "2026-06-01"}
    players = {
        str(member.pk): {**told, "rating": cote, "games": count}
        for member, cote, count in zip(club.members, starts, games, strict=False)
    }
    start = settlement.open_period(
        rating_list=held,
        key="table",
        label="Table",
        held_on=date(2026, 7, 1),
        kind=settlement.START,
        facts={"players": players},
    )
    settlement.settle(period=start, by=club.committee, at=club.at)
    return held


def test_before_is_what_the_list_shows_today_whatever_was_adopted_since_its_last_competition(club):
    held = fisf_list(club, 1700, 1600)
    club.rule_book({"cote": {"bar_b": 1650, "listed_games": 25}}, scope="fisf")
    same = club.draft_rules({"cote": {"bar_b": 1650, "listed_games": 25}}, code="fisf")
    report = simulation.simulate(held, same, since=LONG_AGO, at=club.at)
    assert [row["label"] for row in report["rows"]] == [["B", "B"], ["C", "C"]]
    shown = queries.page(held, on=club.at.date(), section="provisional")
    ranks = {row.member: row.rank for row in shown.rows}
    assert {row["member"]: row["rank"] for row in report["rows"]} == {
        pk: [rank, rank] for pk, rank in ranks.items()
    }


def test_a_rank_by_the_draft_is_among_those_that_the_draft_lists(club):
    """It asks 25 games of a ranked player: the first has 20, and leaves their place to the second."""
    held = fisf_list(club, 1700, 1600, games=(20, 30))
    draft = club.draft_rules({"cote": {"listed_games": 25}}, code="fisf")
    report = simulation.simulate(held, draft, since=LONG_AGO, at=club.at)
    assert [row["rank"] for row in report["rows"]] == [[1, 1], [2, 1]]


def test_who_changes_status_alone_is_among_those_who_move(club, as_user):
    """They keep cote and series, and leave the ranking for the provisional cotes."""
    held = fisf_list(club, 1700)
    draft = club.draft_rules({"cote": {"listed_games": 21}}, code="fisf")
    run = finished(club, held, draft)
    page = as_user(club.members[1].user).get(f"/c/faizers/regles/simulation/{run.pk}/")
    (row,) = page.context["report"]["rows"]
    assert (row["delta"], row["labels"]) == (0, [("classé", "provisoire")])
    assert page.context["report"]["still"] == 0


def test_what_a_draft_cannot_rate_is_named(club, as_user):
    """Two players without a rating met: the draft asks for an estimate, the rules then did not."""
    club.rule_book({"cote": {"without_anchor": "keep"}}, scope="absp", at=club.at - YEAR)
    held = club.rating_list("absp")
    event = settlement.open_period(
        rating_list=held, key="open", label="Open de Lyon", held_on=date(2026, 9, 20)
    )
    game = Game("g1", club.members[0].pk, club.members[1].pk, 2)
    settlement.record_game(period=event, posting=game, at=club.at)
    settlement.settle(period=event, by=club.committee, at=club.at)
    draft = club.draft_rules({"cote": {"win": 60}}, code="absp")
    given = {"draft": draft.pk, "since": LONG_AGO.isoformat()}
    run = asked_run(club, held, Job.Kind.TRIAL, given=given)
    assert jobs.work(run.pk, clock=lambda: club.at) == Job.State.FAILED
    page = as_user(club.committee.user).get(f"/c/faizers/regles/simulation/{run.pk}/")
    assert (
        "Open de Lyon (20 septembre 2026)\u00a0: Joueurs sans cote qui n’ont rencontré personne"
        in page.content.decode()
    )


def finished(club, held, draft):
    """A trial of that draft whose report is there."""
    run = asked_run(
        club, held, Job.Kind.TRIAL, given={"draft": draft.pk, "since": LONG_AGO.isoformat()}
    )
    assert jobs.work(run.pk, clock=lambda: club.at) == Job.State.DONE
    return run


def test_the_report_keeps_saying_what_was_tried_and_what_became_of_it(club, as_user):
    held = evenings(club)
    run = finished(club, held, draft_of(club, cote={"k_beginner": 50}))
    page = f"/c/faizers/regles/simulation/{run.pk}/"
    desk = as_user(club.committee.user)
    changed, adopt = "Le brouillon a changé depuis cette simulation.", "Adopter à partir d’une date"

    def read():
        shown = desk.get(page)
        (line,) = shown.context["tried"]["changes"]
        assert (line["label"], line["old"], line["new"]) == ("K des débutants", "30", "50")
        assert shown.context["tried"]["since"] == LONG_AGO
        return shown.content.decode()

    words = read()
    assert adopt in words and changed not in words
    edited = draft_of(club, cote={"k_beginner": 45})
    words = read()
    assert changed in words and adopt not in words and "Revoir le brouillon" in words
    later = club.at + timedelta(minutes=1)
    club.adopt(edited, later, reason="r", at=later)
    words = read()
    assert changed in words and "version 1" in words and "Revoir le brouillon" not in words
    dropped = draft_of(club, cote={"k_beginner": 60})
    other = finished(club, held, dropped)
    rulebooks.drop(draft=dropped, by=club.committee, at=club.at)
    assert (
        "Ce brouillon a été abandonné."
        in desk.get(f"/c/faizers/regles/simulation/{other.pk}/").content.decode()
    )


def test_only_the_evenings_from_the_chosen_day_are_counted_again(club):
    held = evenings(club)
    report = simulation.simulate(
        held, draft_of(club, cote={"k_beginner": 60}), since=club.at.date(), at=club.at
    )
    assert report["periods"] == report["prediction"]["periods"] == 1
    first_loser = next(row for row in report["rows"] if row["member"] == club.members[1].pk)
    assert first_loser["cote"][0] == first_loser["cote"][1]


def test_nothing_is_written(club):
    held = evenings(club)
    draft = draft_of(club, cote={"floor": 900}, pairing={"pr_win": 5})

    def everything():
        return (
            list(LedgerEntry.objects.order_by("pk").values_list("pk", "after")),
            list(StandingCote.objects.order_by("pk").values_list("pk", "state")),
            RuleBook.objects.filter(adopted_at__isnull=False).count(),
            JournalEntry.objects.count(),
        )

    before = everything()
    simulation.simulate(held, draft, since=LONG_AGO, at=club.at)
    simulation.standings(club.organisation, draft, club.at.date())
    assert everything() == before


def test_the_ranking_of_the_season_is_tried_too(club):
    evenings(club)
    club.next_evening()
    club.played(club.members[4], club.members[5], scores=(400, 400))
    club.close()
    draft = draft_of(club, pairing={"pr_draw": 9})
    told = simulation.standings(club.organisation, draft, club.at.date())
    leaders = {line[0] for line in told["moved"] if line[2] <= 2}
    assert leaders == {club.members[4].pk, club.members[5].pk}


def test_the_menu_leads_to_the_rule_book_that_has_a_draft(club, as_user):
    """A federation has one for each system, and the first may have no draft."""
    for system in ("absp", "fisf", "glicko2"):
        club.rating_list(system, name=f"Liste {system}")
    desk, page = as_user(club.committee.user), "/c/faizers/gestion/regles/simulation/"
    club.draft_rules({"cote": {"k_new": 30}}, code="fisf")
    shown = desk.get(page)
    assert shown.context["code"] == "fisf" and not shown.context["tabs"]
    club.draft_rules({"cote": {"tau": 0.4}}, code="glicko2")
    tabs = desk.get(f"{page}?livre=glicko2").context["tabs"]
    assert [(tab["url"], tab["current"]) for tab in tabs] == [
        ("?livre=fisf", False),
        ("?livre=glicko2", True),
    ]


def test_the_committee_starts_it_and_members_read_it(club, client, as_user):
    held = evenings(club)
    desk = as_user(club.committee.user)
    page = "/c/faizers/gestion/regles/simulation/?livre=faizers"
    led = desk.get(page, follow=True)
    assert led.redirect_chain and "enregistrez d’abord un brouillon" in led.content.decode()
    draft_of(club, cote={"k_beginner": 50})
    assert desk.get(page).status_code == 200
    started = desk.post(page, {"rating_list": held.pk, "since": "2026-01-01"})
    run = Job.objects.get(kind=Job.Kind.TRIAL)
    assert started.url.endswith(f"/regles/simulation/{run.pk}/")
    member = as_user(club.members[0].user)
    assert member.post(started.url, {"act": "maintenant"}).status_code == 403
    assert jobs.work(run.pk, clock=lambda: club.at) == Job.State.DONE
    words = member.get(started.url).content.decode()
    assert "Simulation, rien n’est changé." in words
    assert club.members[0].full_name in words
    assert client.get(started.url).status_code == 302
    desk.cookies[settings.LANGUAGE_COOKIE_NAME] = "ro"
    assert '<span class="list__name">Scara FAIZERS</span>' in desk.get(page).content.decode()


def test_the_report_is_taken_on_paper_with_the_names_that_its_reader_may_read(
    club, client, as_user, monkeypatch
):
    written: list[str] = []
    draw = trial_paper.TableRow

    def row(cells):
        written.extend(cells)
        return draw(cells)

    monkeypatch.setattr(trial_paper, "TableRow", row)
    held = evenings(club)
    draft = draft_of(club, cote={"k_beginner": 60})
    given = {"draft": draft.pk, "since": "2026-01-01"}
    run = asked_run(club, held, Job.Kind.TRIAL, given=given)
    address = f"/c/faizers/regles/simulation/{run.pk}/?format=pdf"
    member = as_user(club.members[0].user)
    assert member.get(address)["Content-Type"].startswith("text/html")  # not done yet
    assert jobs.work(run.pk, clock=lambda: club.at) == Job.State.DONE
    run.refresh_from_db()
    best = next(row for row in run.result["rows"] if row["member"] == club.members[0].pk)
    answer = member.get(address)
    assert answer["Content-Type"] == "application/pdf" and answer.content.startswith(b"%PDF")
    before, after = best["cote"]
    assert written[:2] == ["K des débutants", "30 → 60"]
    at = written.index(club.members[0].full_name)
    assert written[at + 1 : at + 3] == [f"{before} → {after}", f"+{after - before}"]
    assert "format=pdf" in member.get(address.partition("?")[0]).content.decode()
    assert client.get(address).status_code == 302


def test_a_trial_of_a_draft_given_up_meanwhile_still_reads(club):
    held = evenings(club)
    draft = draft_of(club, cote={"k_beginner": 50})
    given = {"draft": draft.pk, "since": "2026-01-01"}
    run = asked_run(club, held, Job.Kind.TRIAL, given=given)
    rulebooks.drop(draft=draft, by=club.committee, at=club.at)
    assert jobs.work(run.pk, clock=lambda: club.at) == Job.State.DONE
    run.refresh_from_db()
    assert run.result["draft"]["values"]["cote"]["k_beginner"] == 50


def asked_run(club, held, kind, **more):
    return club.ask(kind, held.pk, **more)


@pytest.mark.parametrize("kind", [Job.Kind.TRIAL, Job.Kind.CHECK])
def test_each_long_act_shows_its_progress_and_a_way_to_stop_it(club, as_user, monkeypatch, kind):
    """The same component everywhere: a bar that a script moves, and a link where there is none."""
    monkeypatch.setattr(jobs, "send_to_worker", lambda *_arguments: None)
    held = evenings(club)
    given = {"draft": draft_of(club).pk, "since": LONG_AGO.isoformat()}
    run = asked_run(club, held, kind, given=given)
    root = f"/c/{club.organisation.slug}"
    desk = as_user(club.committee.user)
    pages = {
        Job.Kind.TRIAL: f"{root}/regles/simulation/{run.pk}/",
        Job.Kind.CHECK: f"{root}/gestion/cotes/{held.slug}/",
    }
    page = desk.get(pages[kind])
    assert page.status_code == 200
    text = page.content.decode()
    assert 'hx-get="?etat=1" hx-trigger="every 1s"' in text
    assert '<a class="btn" href="">' in text
    assert 'name="act" value="annuler"' in text
    Job.objects.filter(pk=run.pk).update(state=Job.State.RUNNING, taken_at=club.at)
    begun = desk.get(f"{pages[kind]}?etat=1").content.decode()
    assert "en cours" in begun and "sur 0" not in begun  # how much there is, is not known yet
    jobs.progress_of(run)(1, 4)
    answer = desk.get(f"{pages[kind]}?etat=1")
    part = answer.content.decode()
    assert "<html" not in part and "HX-Refresh" not in answer
    assert '<progress max="100" value="25"' in part
    assert "Période 1 sur 4" in part
    jobs.cancel(job=Job.objects.get(), at=club.at)
    assert desk.get(f"{pages[kind]}?etat=1")["HX-Refresh"] == "true"
    assert 'hx-get="?etat=1"' not in desk.get(pages[kind]).content.decode()


def test_a_member_follows_a_trial_without_the_buttons_of_the_committee(club, as_user, monkeypatch):
    monkeypatch.setattr(jobs, "send_to_worker", lambda *_arguments: None)
    held = evenings(club)
    given = {"draft": draft_of(club).pk, "since": LONG_AGO.isoformat()}
    run = asked_run(club, held, Job.Kind.TRIAL, given=given)
    reader = as_user(club.members[0].user)
    text = reader.get(f"/c/{club.organisation.slug}/regles/simulation/{run.pk}/").content.decode()
    assert 'hx-trigger="every 1s"' in text and 'value="annuler"' not in text


def test_a_trial_that_nobody_moves_says_so_to_those_who_may_act(club, as_user, monkeypatch):
    monkeypatch.setattr(jobs, "send_to_worker", lambda *_arguments: None)
    run = asked_run(club, evenings(club), Job.Kind.TRIAL)
    page = f"/c/{club.organisation.slug}/regles/simulation/{run.pk}/"
    with time_machine.travel(run.asked_at + timedelta(seconds=61), tick=False):
        desk, reader = as_user(club.committee.user), as_user(club.members[0].user)
        assert desk.get(f"{page}?etat=1")["HX-Refresh"] == "true"
        assert "Rien n’avance depuis une minute." in desk.get(page).content.decode()
        assert "HX-Refresh" not in reader.get(f"{page}?etat=1")
        assert "Rien n’avance" not in reader.get(page).content.decode()
        desk.post(page, {"act": "recommencer"})
        assert 'hx-trigger="every 1s"' in desk.get(page).content.decode()


def trial_page(club, as_user, told, rows=(), query=""):
    """The page of a finished trial of which the worker stored this prediction, and who moves."""
    run = asked_run(club, settlement.list_of(club.organisation, "faizers"), Job.Kind.TRIAL)
    result = {
        "periods": 0,
        "games": 0,
        "rows": list(rows),
        "labels": [],
        "standings": None,
        "prediction": told,
    }
    Job.objects.filter(pk=run.pk).update(state=Job.State.DONE, result=result, ended_at=club.at)
    address = f"/c/{club.organisation.slug}/regles/simulation/{run.pk}/{query}"
    return as_user(club.members[0].user).get(address).content.decode()


@pytest.mark.parametrize(("query", "shown"), [("", (3, 2)), ("?page=2", (1,))])
def test_who_moves_is_read_a_page_at_a_time_the_biggest_first(
    club, as_user, monkeypatch, query, shown
):
    monkeypatch.setattr(trial_views, "LINES", 2)
    rows = [
        {
            "member": club.members[n].pk,
            "cote": [1000, 1000 + n],
            "rank": [1, 1],
            "label": ["", ""],
        }
        for n in (1, 2, 3)
    ]
    page = trial_page(club, as_user, {}, rows, query)
    assert "<dt>Joueurs qui bougent</dt><dd>3</dd>" in page and "Page" in page
    names = {n: f"Prénom{n} Nom{n}" for n in (1, 2, 3)}
    table = page[page.index("Qui bouge") :]
    assert tuple(n for n in (3, 2, 1) if names[n] in table) == shown


def predicted(gain, *, short=False):
    bins = [[50.0 + 5 * n, 0, None, None] for n in range(10)]
    bins[4] = [70.0, 200, 0.72, 0.68]
    side = {"loss": 0.61234, "interval": [0.58, 0.64], "bins": bins}
    number = {
        "label": "Diviseur de la probabilité",
        "own": 2,
        "best": 1,
        "low": 0,
        "high": 1,
        "rows": [[[300.0], 0.6], [[350.0], 0.59], [[400.0], 0.61]],
    }
    return {
        "games": 200,
        "periods": 20,
        "short": short,
        "present": side,
        "draft": side,
        "gain": gain,
        "numbers": [] if short else [number],
    }


@pytest.mark.parametrize(
    ("gain", "words"),
    [
        ([0.001, 0.02], "Le brouillon prédit mieux que les règles en vigueur."),
        ([-0.02, -0.001], "Le brouillon prédit moins bien que les règles en vigueur."),
        ([-0.01, 0.01], "Les parties jouées ne disent pas"),
        ([0.0, 0.0], "Le brouillon prédit exactement comme les règles en vigueur."),
    ],
)
def test_the_page_says_which_rules_predict_better(club, as_user, gain, words):
    assert words in trial_page(club, as_user, predicted(gain))


def test_the_page_draws_the_curve_and_writes_its_numbers(club, as_user):
    page = trial_page(club, as_user, predicted([0.001, 0.02]))
    assert 'class="chart chart--curve"' in page and page.count('<polyline class="chart__line') == 2
    assert "0,6123" in page and "0,5800 – 0,6400" in page
    assert "de 70 à 75\u00a0%" in page and '<td class="num">200</td>' in page
    assert "<b>350</b> (de 300 à 350 dans 95 tirages sur 100)" in page
    assert "La valeur du brouillon, 400, aurait moins bien prédit." in page


def test_a_short_past_gives_its_figures_and_no_verdict(club, as_user):
    page = trial_page(club, as_user, predicted([0.001, 0.02], short=True))
    assert "Le passé est trop court pour juger" in page and "0,6123" in page
    assert "Le brouillon prédit mieux" not in page and "Quelle valeur" not in page


def test_one_game_or_period_is_written_as_one(club, as_user):
    told = predicted([0.001, 0.02], short=True) | {"games": 1, "periods": 1}
    told["present"]["bins"][4][1] = 1
    page = trial_page(club, as_user, told).replace("\xa0", " ")
    assert "Parties : 1, il en faut au moins" in page and "périodes : 1, il en faut" in page
    assert "Parties comptées : 1 ; périodes : 1." in page
    assert "68 % marqués, 1 partie" in page.replace("&nbsp;", " ")
    assert "1 parties" not in page and "1 périodes" not in page


def test_a_trial_of_before_the_curve_still_reads(club, as_user):
    assert "Qualité de prédiction" not in trial_page(club, as_user, {})
