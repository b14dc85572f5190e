"""An account: an e-mail address and its credentials. One person may be several members."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

EMPTIED = "@invalid"
"""How the address of an account that was emptied ends: no mail server takes it (RFC 2606)."""


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **fields: object) -> User:
        if not email:
            raise ValueError("An account needs an e-mail address.")
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: object) -> User:
        fields.setdefault("is_staff", True)
        fields.setdefault("is_superuser", True)
        return self.create_user(email, password, **fields)

    def of_address(self, typed: str) -> models.QuerySet[User]:
        """Select the account with exactly this address, in small letters as all are stored.

        A database that ignores case takes ı for i: what is typed would be another mailbox.
        """
        return self.filter(email=typed.strip().lower())

    def get_by_natural_key(self, username: str | None) -> User:
        return self.get(email__iexact=username)

    def lock(self, pk: int) -> None:
        """Let one act at a time join a club with an account, or make or revoke its keys.

        Before the rows of its members and before the journal (decision 0046).
        """
        self.select_for_update(no_key=True).get(pk=pk)


class User(AbstractBaseUser, PermissionsMixin):
    """`theme` and `language` are stored here, so that they hold on every device of the person."""

    email = models.EmailField(_("adresse e-mail"), unique=True)
    is_staff = models.BooleanField(_("accès technique"), default=False)
    is_active = models.BooleanField(_("actif"), default=True)
    joined_at = models.DateTimeField(default=timezone.now)
    language = models.CharField(_("langue"), max_length=5, default="fr")
    theme = models.CharField(_("thème"), max_length=5, default="auto")
    # The days of grace of their roles are counted from here (clubs/accounts/second_factor.py).
    second_factor_asked_at = models.DateTimeField(null=True)

    objects = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    def __str__(self) -> str:
        return self.email

    def take_back_address_change(self) -> bool:
        """Forget the address that the account would change to, so that its link is void.

        Returns whether one was waiting.
        """
        waiting = self.emailaddress_set.filter(verified=False)  # type: ignore[attr-defined]
        return waiting.exclude(email__iexact=self.email).delete()[0] > 0

    def empty(self) -> None:
        """Replace the address of an account that is closed; its row stays, decisions point to it."""
        self.email = f"compte-retire-{self.pk}{EMPTIED}"
        self.is_active, self.last_login = False, None

    @property
    def is_emptied(self) -> bool:
        return self.email.endswith(EMPTIED)
