"""Forgetting a person: their rows as the register says, and the account with its last membership."""

from __future__ import annotations

from datetime import datetime

from django.apps import apps
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Lower

from clubs.accounts.models import User
from clubs.journal import chain as journal
from clubs.members.models import FORGOTTEN, Member, new_public_id
from clubs.organisations.models import Organisation
from clubs.personal_data import erasures
from clubs.personal_data.models import PrivacySettings, settings_of
from clubs.personal_data.register import Fate, PersonalTable, Someone, rows_of
from clubs.registries import LEAVING_LOCKS, PERSONAL_DATA
from clubs.search import search_keys
from clubs.upkeep import sweeps

KEYED = ("clubs.User", "clubs.Member")
"""Tables of which forgetting changes a unique column: PostgreSQL locks such a row against every
commit that refers to it, which may hold the journal. So the journal comes first (decision 0046)."""
ANSWERED = ("clubs.Invitation", "clubs.JoinRequest", "clubs.Alias")
"""With the files (`lines`), what somebody else may be answering while a person in it is forgotten."""


def lock(member: Member) -> None:
    """Lock the account and the club's public rows that `forget` may change, before any journal entry.

    A change of the club's details or of its privacy page holds these rows when it comes to the journal
    (decision 0046).
    """
    if member.user_id is not None:
        User.objects.lock(member.user_id)
    for public in (Organisation, PrivacySettings):
        rows = public._default_manager.filter(pk=member.organisation_id)
        list(rows.select_for_update(no_key=True).values_list("pk"))


def hold(member: Member, *, at: datetime, forget: bool) -> None:
    """Lock what a departure changes, before its first journal entry, and read the member again."""
    if forget:
        lock(member)
    # As it is now: a file that was written meanwhile may have renamed them, and names them so.
    member.refresh_from_db(from_queryset=Member.objects.select_for_update(no_key=True))
    for lock_more in LEAVING_LOCKS:
        lock_more(member, at)
    if forget:
        forget_named(member)


def forget_named(member: Member) -> None:
    """Take somebody out of what others answer, who hold it when they come to the journal."""
    someone = Someone.of(member)
    for label, entry in PERSONAL_DATA.items():
        if entry.forget_mentions is not None:
            entry.forget_mentions(someone)
        if label in ANSWERED or entry.lines is not None:
            _apply(label, entry, someone)


@transaction.atomic
def forget(member: Member, *, at: datetime) -> list[dict[str, object]]:
    """Apply the register to a member who has left: all of it, or nothing.

    Return the lines for `erasures.note`.
    """
    erased = erasures.lines_of(member, at=at)
    someone = Someone.of(member)
    if someone.user is not None:  # of two last memberships that end at once, one sees the other
        User.objects.select_for_update(no_key=True).get(pk=someone.user.pk)
    account_goes = someone.user is not None and is_last(someone.user)
    for label, entry in PERSONAL_DATA.items():
        if entry.forget_mentions is not None:
            entry.forget_mentions(someone)
        if label not in KEYED and (account_goes or not entry.of_account):
            _apply(label, entry, someone)
    journal.lock([member.organisation_id])
    for label in KEYED:
        if account_goes or not PERSONAL_DATA[label].of_account:
            _apply(label, PERSONAL_DATA[label], someone)
    return erased


def is_last(user: User) -> bool:
    """Return whether the account has no membership left, and no technical access."""
    left = Member.objects.filter(user=user).active()
    return not (user.is_staff or user.is_superuser or left.exists())


def close_account(user: User) -> None:
    """Forget an account that no membership is left of: what is of the account alone."""
    stand_in = Member(first_name="", pk=0, user=user)
    someone = Someone(stand_in, frozenset(), user, frozenset({user.email.lower()}), frozenset())
    for label, entry in PERSONAL_DATA.items():
        if entry.of_account:
            _apply(label, entry, someone)


def _apply(label: str, table: PersonalTable, someone: Someone) -> None:
    if table.forget is not None:
        table.forget(someone)
        return
    if table.fate is Fate.ERASED:
        rows_of(apps.get_model(label), table, someone).delete()
    elif table.empties:
        rows_of(apps.get_model(label), table, someone).update(**table.empties)


def pseudonymise(someone: Someone) -> None:
    """Rename to "Joueur retiré 117": no name, no address, no account; number and results stay."""
    for row in Member.objects.filter(pk__in=someone.members).order_by("pk"):
        first, last = "Joueur", f"retiré {row.number}"
        Member.objects.filter(pk=row.pk).update(
            first_name=first,
            last_name=last,
            **search_keys(first, last),
            public_id=new_public_id(),  # an old address, with its name, leads nowhere
            slug=f"{FORGOTTEN}{row.number}",
            email="",
            guardian_email="",
            guardian_name="",
            guardian_agreed_on=None,
            is_child=False,
            user=None,
            visitor=None,
            pin_hash="",
            visibility=Member.EVERYBODY,
        )


def forget_contact(someone: Someone) -> None:
    """Empty the club's public addresses that are this person's, as its founder's are at first."""
    for public in (Organisation, PrivacySettings):
        rows = public._default_manager.annotate(address=Lower("contact_email"))
        rows.filter(
            pk=someone.organisation.pk, address__in=someone.addresses - someone.shared
        ).update(contact_email="")


def empty_account(someone: Someone) -> None:
    """Empty the account's row: decisions keep pointing to it, and nobody can sign in with it."""
    if someone.user is None:
        return
    user = User.objects.get(pk=someone.user.pk)
    Member.objects.filter(user=user).update(user=None)  # those that were left with their name
    user.visits.update(visitor=None)
    user.empty()
    user.language, user.theme = "fr", "auto"
    user.set_unusable_password()
    user.save()


def sessions_of(someone: Someone) -> Q:
    """Select the stored sessions in which this person's account is signed in."""
    if someone.user is None:
        return Q(pk__in=[])
    wanted = str(someone.user.pk)
    return Q(
        pk__in=[
            session.pk
            for session in Session.objects.iterator(chunk_size=500)
            if str(session.get_decoded().get(SESSION_KEY)) == wanted
        ]
    )


def expire_all(*, at: datetime) -> dict[str, int]:
    """Remove what was kept long enough, of the site and in every organisation.

    Return how much of which table.
    """
    gone: dict[str, int] = {}
    for label, entry in PERSONAL_DATA.items():
        if entry.expire_once is not None:
            with sweeps.apart("daily", label, at=at), transaction.atomic():
                gone[label] = entry.expire_once(at)
    for organisation in Organisation.objects.order_by("pk"):
        chosen = settings_of(organisation)
        for label, entry in PERSONAL_DATA.items():
            if entry.expire is not None:
                part = f"{organisation.slug}, {label}"
                with sweeps.apart("daily", part, at=at), transaction.atomic():
                    gone[label] = gone.get(label, 0) + entry.expire(chosen, at)
    return {label: number for label, number in gone.items() if number}
