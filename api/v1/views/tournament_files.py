"""A tournament played elsewhere comes into the club, by the steps of the committee's page."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from django.db import transaction
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from ninja import Schema, Status
from pydantic import Field

from api.tokens.models import Scope
from api.v1.bearer import Bearer, acting, club_of
from api.v1.bodies import Day, uploaded
from api.v1.once import WRITE_ERRORS, Answer, RequestBody, once, wrong_values
from api.v1.problems import Problem, ProblemOut
from api.v1.router import Router
from clubs.accounts.actor import COMMITTEE, Actor
from clubs.members.models import Member
from clubs.organisations.models import Organisation
from clubs.upkeep import jobs
from clubs.upkeep.models_jobs import Job
from pairings.exchange.problems import MOST_PROBLEMS, FileRefused
from pairings.tournaments.files import kept, restore
from pairings.tournaments.files.forms import TournamentFileForm
from pairings.tournaments.models import TournamentFile
from pairings.tournaments.views.imports import bring_later, read_file

router = Router(tags=["writing"], auth=Bearer(Scope.OFFICE, COMMITTEE))


class TournamentIn(RequestBody):
    """A file as the page "Import a tournament" takes it."""

    format: Literal["json", "tsh"] = Field(description="the file of this site, or a tsh division")
    content: str = Field(description="the file, as text", max_length=2_000_000)
    name: str = Field("", description="of a tsh division, which does not say it")
    day: Day | None = Field(None, description="of a tsh division")
    ranking: str = Field("", description="of a tsh division: `wins_and_spread` or `pm`")
    accept_altered: bool = Field(False, description="a JSON file changed since its export")
    again: bool = Field(False, description="a second tournament of a file that made one already")


class TournamentNow(Schema):
    slug: str
    guests: int = Field(description="unknown names, now guests of the club")
    differences: list[str] = Field(description="players whose place is not that of the file")


class TournamentFileNow(Schema):
    """A long file of a tournament, and what became of it. The last three are known once `brought`."""

    address: str = Field(description="a GET there says what has become of it")
    state: str = Field(description="`waiting`, `running`, `brought`, `failed`, `cancelled`")
    detail: str = Field(description="why it failed, for a person")
    slug: str | None
    guests: int = Field(description="unknown names, now guests of the club")
    differences: list[str] = Field(description="players whose place is not that of the file")


@router.post(
    "tournament-files",
    response={201: TournamentNow, 202: TournamentFileNow, WRITE_ERRORS: ProblemOut},
    summary="Bring in a tournament",
)
def tournament_bring(request: HttpRequest, body: TournamentIn) -> Status[Answer]:
    """A new tournament with its players, rounds and results, or nothing. Scope `office`.

    A file with more than 200 players and boards is imported by a worker: 202, and the answer holds
    the address that says what becomes of it.
    """
    by, at, club = acting(request), timezone.now(), club_of(request)
    name = "file.json" if body.format == "json" else "file.t"
    values = body.dict(exclude={"format", "content"})
    form = TournamentFileForm(values, uploaded(name, body.content))
    if not form.is_valid():
        raise wrong_values(form)
    try:
        done = once(request, by, at, lambda: _bring(form, name, club, by, at))
    except FileRefused as refused:
        if refused.code == "altered":
            message = _(
                "Ce fichier a été modifié depuis son export : envoyez « accept_altered » pour "
                "l’accepter."
            )
            place = [{"field": "body.content", "message": message}]
            raise Problem(422, "altered", message, place) from refused
        problems = refused.problems[:MOST_PROBLEMS]
        detail = " ".join(map(str, problems))
        errors = [
            {"field": "body.content", "line": one.line or None, "message": str(one)}
            for one in problems
        ]
        raise Problem(422, "bad_file", detail, errors) from refused
    if "file" in done:
        return Status(202, _now(request, done["file"], at))
    return Status(201, done)


@router.reads(
    "tournament-files/{int:file_id}",
    TournamentFileNow,
    "What became of a long file of a tournament",
)
def tournament_file_now(request: HttpRequest, file_id: int) -> Answer:
    """The address is in the answer to the file. Scope `office`."""
    return _now(request, file_id, timezone.now())


@transaction.atomic  # the same file sent at the same moment waits
def _bring(
    form: TournamentFileForm, name: str, club: Organisation, by: Actor, at: datetime
) -> Answer:
    """Import the file, or keep a long one for a worker. Refused with what its preview would show."""
    sheet, digest = read_file(form)
    made = restore.made_of(digest, club)
    if made is not None and not form.cleaned_data["again"]:
        message = _(
            "Ce fichier est déjà importé, comme « %(slug)s » : envoyez « again » pour en faire un "
            "second tournoi."
        )
        message %= {"slug": made.slug}
        place = [{"field": "body.content", "message": message}]
        raise Problem(422, "already_imported", message, place)
    arguments: dict[str, Any] = {"sheet": sheet, "organisation": club, "digest": digest}
    if not kept.is_long(sheet):
        done = restore.restore(**arguments, by=by, at=at)
        report = {"guests": done.guests, "differences": list(done.differences)}
        return {"slug": done.tournament.slug, **report}
    problems = restore.people_of(sheet, club)[2]
    if problems:
        raise FileRefused(problems)
    kept_file = kept.keep(**arguments, file_name=name, by=by, at=at)
    bring_later(kept_file, by=by, at=at)
    return {"file": kept_file.pk}


def _now(request: HttpRequest, file_id: int, at: datetime) -> Answer:
    """Return what has become of a long file; 404 for one whose import nobody has requested yet."""
    files = TournamentFile.objects.filter(organisation=club_of(request))
    kept_file = get_object_or_404(files.select_related("tournament"), pk=file_id)
    job, brought = jobs.latest(Job.Kind.TOURNAMENT, kept_file.pk, at=at), kept_file.tournament
    if job is None and brought is None:
        raise Http404
    moved = Member.objects.of(kept_file.organisation).filter(pk__in=kept_file.moved).order_by("pk")
    path = reverse("api:tournament_file_now", kwargs={"file_id": kept_file.pk})
    return {
        "address": request.build_absolute_uri(path),
        "state": "brought" if brought or job is None else job.state,
        "detail": "" if brought or job is None else job.words,
        "slug": brought.slug if brought else None,
        "guests": kept_file.guests,
        "differences": [member.full_name for member in moved],
    }
