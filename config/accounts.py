"""Accounts as allauth keeps them; the question each request asks is written once."""

from __future__ import annotations

from typing import Any

from allauth.account import auth_backends
from django.db import models

from clubs.models import User
from clubs.prepared import Question


@Question
def _user(pk: int) -> models.QuerySet[User]:
    return User.objects.filter(pk=pk)


class AuthenticationBackend(auth_backends.AuthenticationBackend):
    def get_user(self, user_id: Any) -> User | None:
        user = _user.first(int(user_id))
        return user if user is not None and self.user_can_authenticate(user) else None
