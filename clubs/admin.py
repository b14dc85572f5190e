"""The technical site shows rows; it changes none. Every act goes through a verb and the journal."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from clubs.models import JournalEntry, Member, Organisation, RuleBook, Sanction, Season, User


class ReadOnly(admin.ModelAdmin):  # type: ignore[type-arg]
    """No add, no change, no delete, no action."""

    actions = None

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class UserAdmin(ReadOnly):
    list_display = ("email", "is_staff", "is_active", "joined_at")
    fields = ("email", "is_staff", "is_active", "joined_at", "language")


for model in (JournalEntry, Member, Organisation, RuleBook, Sanction, Season):
    admin.site.register(model, ReadOnly)
admin.site.register(User, UserAdmin)
