"""Which tables an archive has, in what order, and which of their rows belong to one organisation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from django.apps import apps
from django.db import models

from clubs.accounts.models import User
from clubs.members.models import Member
from clubs.organisations.models import Organisation
from clubs.registries import ARCHIVED_FILES
from clubs.upkeep.jobs import Progress, no_progress

# Made anew by every site, or of one machine and one evening alone.
LEFT_OUT = {
    "admin.LogEntry",
    "auth.Permission",
    "contenttypes.ContentType",
    "sessions.Session",
    "usersessions.UserSession",
    "auth.Group",
    "auth.Group_permissions",
    "clubs.User_groups",
    "clubs.User_user_permissions",
    "clubs.SweepRun",
    "clubs.UnsentMail",
    "clubs.PinTries",
}
# A club that leaves takes no key along, and nothing that a message would still reach.
LEFT_OUT_OF_A_CLUB = {
    "api.Token",
    "account.EmailConfirmation",
    "mfa.Authenticator",
    "clubs.Invitation",
    "clubs.PushSubscription",
    "clubs.PushNotice",
    "pairings.Operation",
    "api.Webhook",
    "api.Delivery",
}

VISITOR = "visitor"
"""The column of the account with which a guest plays: it belongs to another club, and stays there."""


def tables(*, of_a_club: bool = False) -> list[type[models.Model]]:
    """Return the models of an archive, each after those that its required columns refer to."""
    left_out = LEFT_OUT | (LEFT_OUT_OF_A_CLUB if of_a_club else set())
    waiting = [
        model
        for model in apps.get_models(include_auto_created=True)
        if model._meta.managed and model._meta.label not in left_out
    ]
    ordered: list[type[models.Model]] = []
    while waiting:
        ready = [m for m in waiting if not any(c in waiting for c in _needs(m) if c is not m)]
        assert ready, f"tables that need each other: {waiting}"
        ordered += ready
        waiting = [model for model in waiting if model not in ready]
    return ordered


def references(model: type[models.Model]) -> Iterator[models.ForeignKey[Any, Any]]:
    for column in model._meta.concrete_fields:
        if isinstance(column, models.ForeignKey):
            yield column


def _needs(model: type[models.Model]) -> list[object]:
    return [column.related_model for column in references(model) if not column.null]


def count_rows(organisation: Organisation, *, most: int) -> int:
    """Return how many rows the organisation's archive has, about; counting ends above `most`."""
    total = 0
    for model in tables(of_a_club=True):
        if model is not User and _path_to_organisation(model):
            total += _of(organisation, model)[: most + 1 - total].count()
        if total > most:
            break
    return total


def has_many_files(organisation: Organisation, *, most: int) -> bool:
    """Return whether the organisation's rows name more than so many files."""
    files = (
        path
        for model in tables(of_a_club=True)
        if (path_of := ARCHIVED_FILES.get(model._meta.label)) is not None
        for row in _of(organisation, model).iterator(chunk_size=1000)
        if (path := path_of(row)) is not None
    )
    return len(set(islice(files, most + 1))) > most


def _of(organisation: Organisation, model: type[models.Model]) -> models.QuerySet[Any]:
    path = _path_to_organisation(model)
    return model._base_manager.filter(**{path: organisation.pk}).order_by()


def _path_to_organisation(model: type[models.Model]) -> str:
    """Return the lookup from a row to its organisation; "" where there is none (of an account)."""
    if model is Organisation:
        return "pk"
    scoped = _scoped(model)
    if not scoped:
        return ""
    first = _first(scoped)
    return f"{first.name}__{_path_to_organisation(first.related_model)}"


def _scoped(model: type[models.Model]) -> list[Any]:
    """Return the required columns that say whose a row is."""
    return [c for c in references(model) if not c.null and c.related_model is not User]


def _first(scoped: list[Any]) -> Any:
    return next((c for c in scoped if c.related_model is Organisation), scoped[0])


class Rows:
    """The primary keys of each table that one organisation's archive has.

    A row belongs to it when everything it requires does; accounts are those of its members, and
    those that its rows require. What refers elsewhere, if it may be empty, is emptied.
    """

    def __init__(self, organisation: Organisation, progress: Progress = no_progress) -> None:
        self.keys: dict[type[models.Model], set[Any]] = {Organisation: {organisation.pk}}
        self.members_accounts: set[Any] = set()
        self.accounts: set[Any] = set()
        later = []
        for model in tables(of_a_club=True):
            if model in (Organisation, User):
                continue
            scoped = _scoped(model)
            progress(0, self.count())
            if not scoped:
                later.append(model)  # of an account, as its e-mail addresses
                continue
            self.keys[model] = set(self._belonging(model, scoped))
        self.keys[User] = self.accounts
        for model in later:
            of_account = next(c for c in references(model) if c.related_model is User)
            self.keys[model] = set(
                model._base_manager.filter(
                    **{f"{of_account.name}__in": self.members_accounts}
                ).values_list("pk", flat=True)
            )

    def _belonging(self, model: type[models.Model], scoped: list[Any]) -> Iterator[Any]:
        first = _first(scoped)
        of_users = [c for c in references(model) if c.related_model is User and c.name != VISITOR]
        columns = [c.attname for c in (*scoped, *of_users)]
        for within in slices(self.keys[first.related_model]):
            rows = model._base_manager.filter(**{f"{first.attname}__in": within})
            for key, *values in rows.values_list("pk", *columns).iterator(chunk_size=2000):
                required = zip(scoped, values, strict=False)
                if not all(value in self.keys[c.related_model] for c, value in required):
                    continue
                yield key
                people = {value for value in values[len(scoped) :] if value is not None}
                self.accounts |= people
                if model is Member:
                    self.members_accounts |= people

    def count(self) -> int:
        return sum(len(keys) for keys in self.keys.values())

    def has(self, column: models.ForeignKey[Any, Any], value: object) -> bool:
        target: Any = column.related_model
        return value in self.keys.get(target, ())


def slices(keys: Iterable[Any]) -> Iterator[list[Any]]:
    """Yield keys in their order, as many at once as a query may name."""
    ordered_keys = sorted(keys)
    for start in range(0, len(ordered_keys), 500):
        yield ordered_keys[start : start + 500]
