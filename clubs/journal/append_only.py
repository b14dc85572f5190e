"""Rows that are only ever added: the journal, results in force, the ledger, editions."""

from __future__ import annotations

from typing import Any, NoReturn

from django.db import models


class AppendOnlyError(RuntimeError):
    """Code tried to edit or delete a row that is only ever added. Always a bug."""


class AppendOnlyQuerySet(models.QuerySet[Any]):
    def update(self, **kwargs: Any) -> NoReturn:
        raise AppendOnlyError(f"{self.model.__name__} rows are never edited.")

    def delete(self) -> NoReturn:
        raise AppendOnlyError(f"{self.model.__name__} rows are never deleted.")

    def bulk_update(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise AppendOnlyError(f"{self.model.__name__} rows are never edited.")


class AppendOnly(models.Model):
    """Refuses edits and deletes in Python; `clubs.journal.triggers` adds the database's own refusal."""

    append_only = True

    objects = AppendOnlyQuerySet.as_manager()

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise AppendOnlyError(f"{type(self).__name__} rows are never edited.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise AppendOnlyError(f"{type(self).__name__} rows are never deleted.")
