"""What an officer does: members, and a tournament that was played elsewhere."""

from __future__ import annotations

from datetime import date
from typing import Any, Literal

from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from ninja import Router, Schema, Status
from pydantic import Field

from api.tokens.models import Scope
from api.v1.bearer import actor, club_of
from api.v1.once import WRITE_ERRORS, Given, once, wrong_values
from api.v1.problems import Problem, ProblemOut
from clubs.accounts.actor import COMMITTEE
from clubs.members import actions as members
from clubs.members.forms import EditMemberForm, MemberForm
from clubs.members.models import Member, without_accents
from clubs.personal_data.models import settings_of
from pairings.exchange.problems import FileRefused
from pairings.tournaments.files.forms import TournamentFileForm
from pairings.tournaments.views.files import MOST_PROBLEMS, restored

router = Router(tags=["writing"])
EDITED = ("first_name", "last_name", "email", "is_minor", *members.CHILD)


class MemberChange(Given):
    """What is to change; what is not named stays."""

    first_name: str | None = None
    last_name: str | None = None
    email: str | None = None
    is_minor: bool | None = None
    is_child: bool | None = Field(None, description="below the age at which they decide alone")


class MemberIn(MemberChange):
    number: int | None = Field(None, description="none: the first free one")
    sure: bool = Field(False, description="also where a member has this name already")


class MemberNow(Schema):
    id: str = Field(description="for `players/<id>` and `members/<id>`")
    number: int
    first_name: str
    last_name: str
    is_minor: bool


class TournamentIn(Given):
    """A file as the page "Importer un tournoi" takes it."""

    format: Literal["json", "tsh"] = Field(description="the file of this site, or a tsh division")
    content: str = Field(description="the file, as text", max_length=2_000_000)
    name: str = Field("", description="of a tsh division, which does not say it")
    day: date | None = Field(None, description="of a tsh division")
    ranking: str = Field("", description="of a tsh division: `wins_and_spread` or `pm`")
    accept_altered: bool = Field(False, description="a JSON file changed since its export")


class TournamentNow(Schema):
    slug: str
    guests: int = Field(description="unknown names, now guests of the club")
    differences: list[str] = Field(description="players whose place is not that of the file")


def _shown(member: Member) -> dict[str, Any]:
    names = ("number", "first_name", "last_name", "is_minor")
    return {"id": member.public_id, **{name: getattr(member, name) for name in names}}


@router.post("members", response={201: MemberNow, WRITE_ERRORS: ProblemOut}, summary="Add a member")
def member_create(request: HttpRequest, body: MemberIn) -> Any:
    """A name that a member has already is refused as `double`, unless `sure`. Scope `office`."""
    by, at, club = actor(request, Scope.OFFICE, COMMITTEE), timezone.now(), club_of(request)
    form = MemberForm(body.dict(exclude={"sure"}), age=settings_of(club).consent_age)
    if not form.is_valid():
        return wrong_values(request, form)
    given = form.cleaned_data

    def act() -> dict[str, Any]:
        name = without_accents(f"{given['first_name']} {given['last_name']}")
        known = Member.objects.of(club).active().filter(search_name=name)
        if not body.sure and known.exists():
            told = _(
                "Un membre porte déjà ce nom : envoyez « sure » s’il s’agit d’une autre personne."
            )
            raise members.MemberRefused(told, code="double")
        return _shown(members.create(organisation=club, by=by, at=at, **given))

    return Status(201, once(request, by, at, act))


@router.patch(
    "members/{slug:member}",
    response={200: MemberNow, WRITE_ERRORS: ProblemOut},
    summary="Correct a member",
)
def member_change(request: HttpRequest, member: str, body: MemberChange) -> Any:
    """Scope `office`, of the committee."""
    by, at = actor(request, Scope.OFFICE, COMMITTEE), timezone.now()
    club = club_of(request)
    found = get_object_or_404(Member.objects.of(club).active(), public_id=member)
    changes = body.dict(exclude_unset=True)
    held = {name: getattr(found, name) for name in EDITED}
    form = EditMemberForm({**held, **changes}, age=settings_of(club).consent_age)
    if not form.is_valid():
        return wrong_values(request, form)
    named = {*changes, "is_minor"} if "is_child" in changes else changes
    asked = {name: form.cleaned_data[name] for name in named}

    def act() -> dict[str, Any]:
        return _shown(members.edit(member=found, changes=asked, by=by, at=at))

    return once(request, by, at, act)


@router.post(
    "tournament-files",
    response={201: TournamentNow, WRITE_ERRORS: ProblemOut},
    summary="Bring in a tournament",
)
def tournament_bring(request: HttpRequest, body: TournamentIn) -> Any:
    """A new tournament with its players, rounds and results, or nothing. Scope `office`."""
    by, at, club = actor(request, Scope.OFFICE, COMMITTEE), timezone.now(), club_of(request)
    name = "file.json" if body.format == "json" else "file.t"
    file = SimpleUploadedFile(name, body.content.encode(errors="replace"))
    files: MultiValueDict[str, UploadedFile[Any]] = MultiValueDict({"file": [file]})
    form = TournamentFileForm(body.dict(exclude={"format", "content"}), files)
    if not form.is_valid():
        return wrong_values(request, form)

    def act() -> dict[str, Any]:
        done = restored(form, organisation=club, by=by, at=at)
        found = {"guests": done.guests, "differences": list(done.differences)}
        return {"slug": done.tournament.slug, **found}

    try:
        return Status(201, once(request, by, at, act))
    except FileRefused as refused:
        problems = refused.problems[:MOST_PROBLEMS]
        told = " ".join(map(str, problems))
        errors = [
            {"field": "body.content", "line": one.line or None, "message": str(one)}
            for one in problems
        ]
        raise Problem(422, "bad_file", told, errors) from refused
