"""A program brings a competition into a list: as the officer's page does, or each line is named."""

from __future__ import annotations

import json
from datetime import date

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from clubs.journal.models import JournalEntry
from clubs.members.models import Member
from clubs.upkeep import jobs
from clubs.upkeep.models_jobs import Job
from ratings.competitions.models import CompetitionDraft
from ratings.ledger import settlement
from ratings.ledger.models import LedgerEntry, Period, RatedGame
from ratings.tasks import bring_competition

pytestmark = pytest.mark.django_db
DAY = "2026-09-12"
HEAD = "ronde;joueur 1;joueur 2;résultat"
OFFICIAL = {"minutes": 30, "byoyomi": 30, "arbiter": "A. Olufsen"}


def open_list(club, system="fisf", category=""):
    return club.rating_list(system, name=f"Liste {system}", category=category)


def games(club, names=("Ada Nouvelle", "Bo Nouveau")):
    """A round robin of four: two members by their number, two names that nobody has."""
    four = [str(member.number) for member in club.members[:2]] + [*names]
    pairs = [(a, b) for place, a in enumerate(four) for b in four[place + 1 :]]
    return "\n".join([HEAD, *(f"{n};{a};{b};1" for n, (a, b) in enumerate(pairs, start=1))])


def body_of(content, **more):
    return {"content": content, "sheet": "games", "label": "Open", "held_on": DAY, **more}


@pytest.fixture
def bring(club, send):
    """Bring a file into a list with the committee's key, or that of somebody else."""

    def sent(held, body, *scopes, by=None, once=""):
        path = f"lists/{held.slug}/competition-files"
        return send(path, body, by or club.committee.member, *scopes, once=once)

    return sent


def code_of(answer):
    assert answer["Content-Type"] == "application/problem+json", answer.content
    return answer.status_code, answer.json()["code"]


def nothing_was_brought():
    return not CompetitionDraft.objects.exists() and not Period.objects.exists()


def state_of(held):
    """What the list holds after its competition: games, results and ratings, by name."""
    name = {member.pk: member.full_name for member in Member.objects.all()}
    played = RatedGame.objects.filter(period__rating_list=held).order_by("position")
    moves = LedgerEntry.objects.filter(period__rating_list=held).order_by("pk")
    period = held.periods.get()
    return (
        (period.label, str(period.held_on), period.kind, period.facts),
        [(name[g.first_id], name[g.second_id], g.first_halves, g.facts) for g in played],
        sorted((name[e.member_id], e.shown_before, e.shown_after) for e in moves),
    )


@pytest.mark.parametrize(
    ("system", "facts"), [("fisf", {}), ("fesa", OFFICIAL), ("absp", {"guesses": "{}; 100"})]
)
def test_a_competition_of_the_api_is_that_of_the_page(
    club, other_club, bring, as_user, system, facts
):
    paged, asked = open_list(club, system, "pages"), open_list(club, system, "api")
    facts = {n: v.format(club.members[0].number) if "{" in str(v) else v for n, v in facts.items()}
    content = games(club, [str(member.number) for member in club.members[2:4]])
    desk = as_user(club.committee.user)
    form = {"sheet": "games", "label": "Open", "held_on": DAY, "official": "yes"}
    form |= {f"fact_{name}": value for name, value in facts.items()}
    form["file"] = SimpleUploadedFile("f.csv", content.encode())
    preview = desk.post(f"/c/faizers/gestion/cotes/{paged.slug}/apporter/", form).url
    assert desk.post(preview, {"newcomers": "1"}).status_code == 302
    answer = bring(asked, body_of(content, facts=facts), once="k")
    assert answer.status_code == 201, answer.json()
    for held in (paged, asked):
        settlement.settle(period=held.periods.get(), by=club.committee, at=club.at)
    assert state_of(asked) == state_of(paged)
    assert len(state_of(asked)[1]) == 6 and state_of(asked)[2]


def test_the_answer_says_what_was_brought_and_is_given_once(club, other_club, bring):
    held = open_list(club)
    answers = [bring(held, body_of(games(club), newcomers=True), once="k") for _try in range(2)]
    period = held.periods.get()
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].json() == answers[1].json()
    assert answers[0].json() == {
        "file": CompetitionDraft.objects.get().pk,
        "state": "brought",
        "detail": "",
        "competition": period.pk,
        "late": False,
        "lines": 6,
        "newcomers": 2,
    }
    entry = JournalEntry.objects.get(verb="competition_brought")
    assert entry.origin == "api" and period.settled_at is None


def test_a_json_file_and_one_that_is_not_official_are_brought(club, other_club, bring):
    held = open_list(club)
    one, other = (member.number for member in club.members[:2])
    content = json.dumps({"games": [{"first": one, "second": other, "result": "1", "round": 1}]})
    body = body_of(content, official=False, why_not="amicale")
    answer = bring(held, body)
    assert answer.status_code == 201, answer.json()
    period = held.periods.get()
    assert period.facts["why_not"] == "amicale" and held.periods.shown().get() == period


@pytest.mark.parametrize("once", ["", "k"])
def test_every_wrong_line_is_named_and_nothing_is_kept(club, other_club, bring, once):
    one, other, third = (member.number for member in club.members[:3])
    rows = [HEAD, f"1;{one};{other};1", f"2;{one};{third};gagné", f"3;{one};=1+1;0"]
    answer = bring(open_list(club), body_of("\n".join(rows), newcomers=True), once=once)
    assert code_of(answer) == (422, "bad_file")
    errors = answer.json()["errors"]
    assert {error["field"] for error in errors} == {"body.content"}
    assert {error["line"] for error in errors} == {3, 4} and all(e["message"] for e in errors)
    assert nothing_was_brought()


def test_names_that_nobody_has_are_asked_about_by_their_line(club, other_club, bring):
    answer = bring(open_list(club), body_of(games(club)))
    assert code_of(answer) == (422, "unknown_player")
    assert [error["line"] for error in answer.json()["errors"]] == [3, 4]
    assert "Ada Nouvelle" in answer.json()["errors"][0]["message"]
    assert nothing_was_brought()


@pytest.mark.parametrize(
    ("changes", "expected", "field"),
    [
        ({"content": ""}, "invalid", "body.content"),
        ({"content": "a;b\n1;2"}, "no_column", "body.content"),
        ({"content": "%PDF-1.4"}, "not_a_table", "body.content"),
        ({"sheet": "placings"}, "invalid", "body.sheet"),
        ({"held_on": "1900-01-01"}, "invalid", "body.held_on"),
        ({"label": ""}, "invalid", "body.label"),
        ({"official": False}, "invalid", "body.why_not"),
        ({"facts": {"minutes": "many"}}, "invalid", "body.facts.minutes"),
        ({"facts": {"minutes": 30}}, "invalid", "body.facts.byoyomi"),
        ({"facts": {"weather": "rain"}}, "invalid", "body.facts.weather"),
        ({"split_after": 1}, "invalid", "body.split_after"),
    ],
)
def test_a_wrong_value_is_named(club, other_club, bring, changes, expected, field):
    body = {**body_of(games(club), newcomers=True, facts=OFFICIAL), **changes}
    answer = bring(open_list(club, "fesa"), body)
    assert code_of(answer) == (422, expected)
    assert field in [error["field"] for error in answer.json()["errors"]]
    assert nothing_was_brought()


def test_a_doubtful_start_is_brought_when_the_program_is_sure(club, other_club, bring):
    held = open_list(club, "absp")
    body = body_of(f"joueur;cote;parties\n{club.members[0].number};100;0", sheet="starts")
    answer = bring(held, body)
    assert code_of(answer) == (422, "doubtful") and answer.json()["errors"][0]["line"] == 2
    assert bring(held, {**body, "sure": True}).status_code == 201


def test_a_long_table_is_cut_where_the_program_says(club, other_club, bring):
    held = open_list(club, "fesa")
    one, other = (member.number for member in club.members[:2])
    rows = [HEAD, *(f"{n};{one};{other};{n % 2}" for n in range(1, 19))]
    body = body_of("\n".join(rows), facts=OFFICIAL)
    assert code_of(bring(held, body)) == (409, "undecided")
    assert code_of(bring(held, {**body, "split_after": 18})) == (422, "invalid")
    assert nothing_was_brought()
    assert bring(held, {**body, "split_after": 9}).status_code == 201
    assert held.periods.count() == 2


def test_a_long_file_is_written_by_a_worker_and_the_same_request_says_so(
    club, other_club, bring, monkeypatch
):
    monkeypatch.setattr(jobs, "LONG", 5)
    held, body = open_list(club), body_of(games(club), newcomers=True)
    first = bring(held, body, once="k").json()
    assert (first["state"], first["competition"], first["lines"]) == ("waiting", None, 6)
    bring_competition(Job.objects.get().pk)
    after = bring(held, body, once="k").json()
    assert (after["state"], after["competition"]) == ("brought", held.periods.get().pk)
    assert CompetitionDraft.objects.count() == 1


def test_one_that_comes_late_says_so(club, other_club, bring):
    held = open_list(club)
    bring(held, body_of(games(club), newcomers=True))
    settlement.settle(period=held.periods.get(), by=club.committee, at=club.at)
    earlier = body_of(games(club), held_on=date(2026, 8, 1).isoformat())
    assert bring(held, earlier).json()["late"] is True


def test_only_an_officer_with_that_scope_brings_one_into_their_own_list(
    club, other_club, bring, send
):
    held, body = open_list(club), body_of(games(club), newcomers=True)
    assert code_of(bring(held, body, "results")) == (403, "scope_needed")
    assert code_of(bring(held, body, by=club.members[0])) == (403, "role_needed")
    assert code_of(bring(held, body, by=other_club.committee.member)) == (
        403,
        "token_of_another_club",
    )
    path = f"lists/{held.slug}/competition-files"
    answer = send(path, body, other_club.committee.member, of=other_club)
    assert code_of(answer) == (404, "not_found")
    assert nothing_was_brought()
