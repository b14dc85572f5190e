"""The technical site: read-only. Every change goes through an action and the journal.

No row is changed here and no secret is shown: a field whose name says that it holds one is left out
of every page, also in the rows of the packages we use.
"""

from __future__ import annotations

from allauth.account.models import EmailAddress, EmailConfirmation
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib import admin
from django.contrib.auth.models import Group
from django.http import HttpRequest

from clubs.accounts.models import User
from clubs.journal.models import JournalEntry
from clubs.members.models import Member
from clubs.organisations.models import Organisation, Season
from clubs.rulebooks.models import RuleBook
from clubs.sanctions.models import Sanction

SECRETS = {"password", "pin_hash", "token", "token_hash", "key", "secret", "session_data"}


class ReadOnly(admin.ModelAdmin):  # type: ignore[type-arg]
    """No add, no change, no delete, no action, no secret."""

    actions = None

    def get_exclude(self, request: HttpRequest, obj: object = None) -> list[str]:
        names = {field.name for field in self.model._meta.get_fields()}
        return sorted(names & SECRETS)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


class UserAdmin(ReadOnly):
    list_display = ("email", "is_staff", "is_active", "joined_at")
    fields = ("email", "is_staff", "is_active", "joined_at", "language")


class EmailAddressAdmin(ReadOnly):
    list_display = ("email", "user", "primary", "verified")


class AuthenticatorAdmin(ReadOnly):
    """Who has which second factor. `data` holds its secret and the recovery codes."""

    list_display = ("user", "type", "created_at", "last_used_at")
    fields = ("user", "type", "created_at", "last_used_at")


# Packages register pages of their own that write and that show keys.
for model in (Authenticator, EmailAddress, EmailConfirmation, Group, UserSession):
    if admin.site.is_registered(model):
        admin.site.unregister(model)
for model in (JournalEntry, Member, Organisation, RuleBook, Sanction, Season):
    admin.site.register(model, ReadOnly)
admin.site.register(User, UserAdmin)
admin.site.register(EmailAddress, EmailAddressAdmin)
admin.site.register(Authenticator, AuthenticatorAdmin)
