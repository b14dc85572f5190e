"""What an officer does with members."""

from __future__ import annotations

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _
from ninja import Schema, Status
from pydantic import Field

from api.tokens.models import Scope
from api.v1.bearer import Bearer, acting, club_of
from api.v1.once import WRITE_ERRORS, Answer, RequestBody, once, wrong_values
from api.v1.problems import ProblemOut
from api.v1.router import Router
from clubs.accounts.actor import COMMITTEE
from clubs.members import actions as members
from clubs.members.forms import MemberDetailsForm, MemberForm
from clubs.members.invitations import actions as invitations
from clubs.members.models import Member
from clubs.personal_data.models import settings_of
from clubs.search import without_accents

router = Router(tags=["writing"], auth=Bearer(Scope.OFFICE, COMMITTEE))
EDITED = ("first_name", "last_name", "email", "is_minor", *members.CHILD)


class MemberChange(RequestBody):
    """What is to change; what is not named, or null, stays. An empty text takes one out."""

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
    is_child: bool = Field(description="below the age at which they decide alone")


def _shown(member: Member) -> Answer:
    names = ("number", "first_name", "last_name", "is_minor", "is_child")
    return {"id": member.public_id, **{name: getattr(member, name) for name in names}}


@router.acts("members", MemberNow, "Add a member", status=201)
def member_create(request: HttpRequest, body: MemberIn) -> Status[Answer]:
    """A name that a member has already is refused as `double`, unless `sure`. Scope `office`."""
    by, at, club = acting(request), timezone.now(), club_of(request)
    form = MemberForm(body.dict(exclude={"sure"}), age=settings_of(club).consent_age)
    if not form.is_valid():
        raise wrong_values(form)
    fields = form.cleaned_data

    def act() -> Answer:
        name = without_accents(f"{fields['first_name']} {fields['last_name']}")
        known = Member.objects.of(club).active().filter(search_name=name)
        if not body.sure and known.exists():
            message = _(
                "Un membre porte déjà ce nom : envoyez « sure » s’il s’agit d’une autre personne."
            )
            raise members.MemberRefused(message, code="double")
        return _shown(members.create(organisation=club, by=by, at=at, **fields))

    return Status(201, once(request, by, at, act))


@router.patch(
    "members/{slug:member}",
    response={200: MemberNow, WRITE_ERRORS: ProblemOut},
    summary="Correct a member",
)
def member_change(request: HttpRequest, member: str, body: MemberChange) -> Answer:
    """Another address cancels the invitation mailed to the former one. Scope `office`."""
    by, at, club = acting(request), timezone.now(), club_of(request)

    def act() -> Answer:
        row = get_object_or_404(Member.objects.of(club).active(), public_id=member)
        changes = body.dict(exclude_none=True)
        current_values = {name: getattr(row, name) for name in EDITED}
        form = MemberDetailsForm({**current_values, **changes}, age=settings_of(club).consent_age)
        if not form.is_valid():
            raise wrong_values(form)
        named = {*changes, "is_minor"} if "is_child" in changes else changes
        asked = {name: form.cleaned_data[name] for name in named}
        invitations.correct(member=row, changes=asked, by=by, at=at)
        return _shown(row)

    return once(request, by, at, act)
