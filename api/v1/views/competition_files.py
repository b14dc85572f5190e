"""A competition played elsewhere comes into a list, by the steps of the officer's desk."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Literal

from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from ninja import Schema, Status
from pydantic import Field

from api.tokens.models import Scope
from api.v1.bearer import Bearer, acting
from api.v1.bodies import Day, uploaded
from api.v1.once import CONTENT, Answer, RequestBody, once, wrong_values
from api.v1.problems import Problem
from api.v1.router import Router
from clubs.accounts.actor import COMMITTEE, Actor
from clubs.exchange.tables import ImportRefused
from clubs.upkeep import jobs
from clubs.upkeep.models_jobs import Job
from ratings.competitions import actions as competitions
from ratings.competitions import drafts
from ratings.competitions.files.lines import CompetitionLine
from ratings.competitions.forms import NO, YES, CompetitionForm
from ratings.competitions.models import CompetitionDraft
from ratings.competitions.views import bring_later, drafted
from ratings.ledger.models import RatingList
from ratings.lists.views import list_of_address
from ratings.names.views import undecided

router = Router(tags=["writing"])
MOST_ERRORS = 100
LATEST_ROUND = 999


class CompetitionIn(RequestBody):
    """A file as the page "Add a competition" takes it, which gives an example of each sheet."""

    content: str = Field(
        max_length=2_000_000,
        description="the file, CSV or JSON, as text; players by number, licence or name",
    )
    sheet: Literal["games", "placings", "starts"] = Field(
        description="what it holds; a list takes `games` or `placings`, and `starts`"
    )
    label: str = Field(description="name of the competition")
    held_on: Day
    official: bool = Field(True, description="false: kept and shown, not rated")
    why_not: str = Field("", description="where it is not official")
    facts: dict[str, bool | int | str] = Field(
        {}, description="what the list's system asks of an event, by name (`minutes`, `arbiter` …)"
    )
    newcomers: bool = Field(False, description="unknown names become new players")
    sure: bool = Field(False, description="also with starting ratings that are hardly right")
    split_after: int | None = Field(
        None,
        ge=0,
        le=LATEST_ROUND,
        description="where a table is too long: the round after which it is cut in two; 0: one table",
    )


class CompetitionFileNow(Schema):
    """A file of a competition, and what became of it."""

    file: int
    state: str = Field(
        description="`brought`; a file of more than 200 lines is written by a worker: `waiting`, "
        "`running`, `failed`, `cancelled`"
    )
    detail: str = Field(description="why it failed, for a person")
    competition: int | None = Field(
        description="once brought; `lists/<slug>/competitions/<id>` shows it when it counts"
    )
    late: bool = Field(description="a later competition counts already: this one goes before it")
    lines: int
    newcomers: int = Field(description="unknown names that become new players")


@router.acts(
    "lists/{slug:slug}/competition-files",
    CompetitionFileNow,
    "Bring in a competition",
    status=201,
    auth=Bearer(Scope.OFFICE, COMMITTEE),
)
def competition_bring(request: HttpRequest, slug: str, body: CompetitionIn) -> Status[Answer]:
    """The whole file or nothing; an officer then computes and validates it on its page.

    The same request with the same `Idempotency-Key` says what became of a long file. Scope `office`.
    """
    by, at = acting(request), timezone.now()
    form = _form(body, list_of_address(request, slug))
    if not form.is_valid():
        facts = {f"fact_{one.name}": f"facts.{one.name}" for one in form.asked}
        raise wrong_values(form, CONTENT | facts)

    def act() -> Answer:
        with transaction.atomic():  # a refusal leaves no draft
            return _bring(form, body, by, at)

    return Status(201, _now(once(request, by, at, act), at))


def _form(body: CompetitionIn, rating_list: RatingList) -> CompetitionForm:
    """Return the form of the page, filled with this body."""
    files = uploaded("api.csv", body.content)
    values = body.dict(include={"sheet", "label", "held_on", "why_not"})
    values |= {"official": YES if body.official else NO}
    values |= {f"fact_{name}": value for name, value in body.facts.items()}
    form = CompetitionForm(values, files, rating_list=rating_list)
    strange = sorted({*body.facts} - {one.name for one in form.asked})
    if strange:
        fields = [(f"facts.{name}", None, _("Ce nom est inconnu.")) for name in strange]
        raise _wrong("invalid", _("Des valeurs sont à corriger."), fields)
    return form


def _bring(form: CompetitionForm, body: CompetitionIn, by: Actor, at: datetime) -> Answer:
    """Read the file into a draft, refuse what its preview would show, and bring it in."""
    try:
        draft = drafted(form, by=by, at=at)
        lines = competitions.preview(draft)
    except ImportRefused as refused:
        raise _wrong(refused.code, str(refused), [("content", None, str(refused))]) from refused
    _check(draft, lines, body)
    if body.split_after is not None:
        _split(draft, lines, body.split_after)
    drafts.check_decided(draft, lines)
    newcomers = len(competitions.unknown_names(lines))
    if jobs.is_long(len(draft.rows) - 1):
        bring_later(draft, with_newcomers=body.newcomers, by=by, at=at)
    else:
        competitions.bring(draft=draft, with_newcomers=body.newcomers, by=by, at=at)
    return {"file": draft.pk, "lines": len(lines), "newcomers": newcomers}


def _check(draft: CompetitionDraft, lines: list[CompetitionLine], body: CompetitionIn) -> None:
    """Refuse lines that are wrong, names that nobody has, and doubtful starts; each by its line."""
    wrong = [("content", line.number, text) for line in lines for text in line.problems]
    if wrong:
        raise _wrong("bad_file", _("Ce fichier a des erreurs : rien n’a été importé."), wrong)
    strangers = undecided(lines, draft).values()
    if strangers and not body.newcomers:
        message = _(
            "Des joueurs ne sont pas connus : corrigez leurs noms, ou envoyez « newcomers »."
        )
        known = _("« %(name)s » n’est pas connu.")
        errors = [
            ("content", line, known % {"name": name[:60]}) for name, _licence, line in strangers
        ]
        raise _wrong("unknown_player", message, errors)
    doubts = [("content", line.number, text) for line in lines for text in line.doubts]
    if doubts and not body.sure:
        message = _("Des cotes de départ sont douteuses : regardez-les, puis envoyez « sure ».")
        raise _wrong("doubtful", message, doubts)


def _split(draft: CompetitionDraft, lines: list[CompetitionLine], last: int) -> None:
    """Rate a long table as two, cut after this round; 0: as one."""
    question = drafts.question(draft, lines)
    if question is None or (last and last not in question["rounds"]):
        message = _("Ce tableau ne se coupe pas après cette ronde.")
        raise _wrong("invalid", message, [("split_after", None, message)])
    drafts.choose(draft=draft, last=last or None)
    draft.refresh_from_db()


def _wrong(code: str, detail: str, problems: Iterable[tuple[str, int | None, str]]) -> Problem:
    errors = [
        {"field": f"body.{field}", "line": line, "message": text} for field, line, text in problems
    ]
    return Problem(422, code, detail, errors[:MOST_ERRORS])


def _now(done: Answer, at: datetime) -> Answer:
    """Return the answer to a file with what has become of it since."""
    draft = CompetitionDraft.objects.select_related("period__rating_list").get(pk=done["file"])
    period, job = draft.period, jobs.latest(Job.Kind.COMPETITION, draft.pk, at=at)
    return {
        **done,
        "state": "brought" if period is not None or job is None else job.state,
        "detail": job.words if job is not None and period is None else "",
        "competition": draft.period_id,
        "late": period is not None and not period.settled_at and competitions.is_late(period),
    }
