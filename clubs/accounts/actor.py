"""The person behind an action, their role and address: passed to every action beside `at`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from django.contrib import messages
from django.forms import BaseForm
from django.http import HttpRequest
from django.utils.translation import gettext as _

from clubs.accounts.models import User
from clubs.accounts.older_pages import STALE, SeenField, show_stored
from clubs.members.models import Member

PLAYER = "player"
ARBITER = "arbiter"
COMMITTEE = "committee"
SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class Actor:
    """`role` is the right used for this action, not the highest one held."""

    user: User | None
    member: Member | None
    role: str
    origin: str = "web"

    @classmethod
    def system(cls, origin: str = "task") -> Actor:
        """Return the actor of periodic tasks and commands, who is no person."""
        return cls(user=None, member=None, role=SYSTEM, origin=origin)


class Refused(Exception):
    """A foreseen refusal. Its text is a sentence the reader may see; `code` is for tests."""

    def __init__(self, sentence: str, *, code: str = "refused") -> None:
        super().__init__(sentence)
        self.code = code


def reason_of(reason: str, refused: type[Refused]) -> str:
    """Return the reason of an act, which is refused without one."""
    if not reason.strip():
        raise refused(_("Le motif est obligatoire."), code="reason_required")
    return reason.strip()


@contextmanager
def refused_in(
    form: BaseForm, fields: Mapping[str, str] | None = None, *, field: str | None = None
) -> Iterator[None]:
    """Show in a form what an action refuses; what comes after the block shows the form again.

    Beside the field that `fields` names for the code, else beside `field`, else above the form.
    """
    try:
        yield
    except Refused as refused:
        show_refusal(form, refused, (fields or {}).get(refused.code, field))


@contextmanager
def refused_as_message(request: HttpRequest) -> Iterator[None]:
    """Say on the page that comes next what an action refuses."""
    try:
        yield
    except Refused as refused:
        messages.error(request, str(refused))


def show_refusal(form: BaseForm, refused: Refused, field: str | None = None) -> None:
    """Show a refusal beside a field, else above the form.

    A form whose page was older than what is stored says what is stored.
    """
    form.add_error(field, str(refused))
    if refused.code == STALE and isinstance(form.fields.get("seen"), SeenField):
        show_stored(form)
