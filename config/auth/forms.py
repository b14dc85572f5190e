"""allauth's forms with this site's defaults."""

from __future__ import annotations

import json
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.forms import (
    AddEmailForm,
    ChangePasswordForm,
    ConfirmLoginCodeForm,
    LoginForm,
    ReauthenticateForm,
    RequestLoginCodeForm,
    ResetPasswordForm,
    ResetPasswordKeyForm,
    SetPasswordForm,
)
from allauth.account.models import EmailAddress
from allauth.mfa.base.forms import AuthenticateForm
from allauth.mfa.base.forms import ReauthenticateForm as ReauthenticateCodeForm
from allauth.mfa.totp.forms import ActivateTOTPForm
from allauth.mfa.webauthn.forms import (
    AddWebAuthnForm,
    AuthenticateWebAuthnForm,
    EditWebAuthnForm,
    LoginWebAuthnForm,
    ReauthenticateWebAuthnForm,
)
from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from fido2.webauthn import AuthenticationResponse

from clubs.accounts.models import User


def accounts_of(email: str) -> list[User]:
    """Return the account that has exactly this address, not one that waits to change to it."""
    return list(User.objects.of_address(email).filter(is_active=True))


class _Labelled:
    """Leaves out the grey words inside a field that repeat its label above it.

    And the link to a new password beside the present one: the page shows it after the button.
    """

    fields: dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)
            if field.widget.attrs.get("autocomplete") == "current-password":
                field.help_text = ""


class SignInForm(_Labelled, LoginForm):
    """Signs in by a password."""


class ProofForm(_Labelled, ReauthenticateForm):
    """Asks for the password alone: the page offers the other ways below."""


class _NewPassword(_Labelled):
    """Says the rules of a password in one line; Django has three."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password1"].help_text = _(
            "10 caractères au moins ; ni un mot de passe courant, ni votre adresse e-mail."
        )


class NewPasswordForm(_NewPassword, ChangePasswordForm):
    """Asks for the present password too."""


class FirstPasswordForm(_NewPassword, SetPasswordForm):
    """The first password of an account that signs in by a code."""


class ForgottenPasswordForm(_NewPassword, ResetPasswordKeyForm):
    """The new password behind a mailed link."""


class NewAddressForm(_Labelled, AddEmailForm):
    """The address that an account changes to."""

    def save(self, request: HttpRequest) -> EmailAddress:
        """Write to the present address first: who asks may not be its owner.

        allauth would put the new address in the place of the newest that is not confirmed, and that
        may be the account's own, which then has none.
        """
        email: str = self.cleaned_data["email"]
        domain = email.partition("@")[2]
        get_adapter(request).send_notification_mail(
            "account/email/email_change_asked", self.user, {"domain": domain}
        )
        self.user.take_back_address_change()
        return EmailAddress.objects.add_email(request, self.user, email, confirm=True)


class RequestCodeForm(_Labelled, RequestLoginCodeForm):
    """Sends a code to an account's own address alone."""

    def clean_email(self) -> str:
        email: str = super().clean_email()
        self._user = next(iter(accounts_of(email)), None)
        return email


class MailedCodeForm(_Labelled, ConfirmLoginCodeForm):
    """Takes the code that was mailed."""


class FirstCodeForm(_Labelled, ActivateTOTPForm):
    """Takes the first code of an authenticator app."""


class CodeForm(_Labelled, AuthenticateForm):
    """Takes a code of the app, or a recovery code, after the password."""


class CodeProofForm(_Labelled, ReauthenticateCodeForm):
    """Takes such a code before a decision of weight."""


class RequestPasswordForm(_Labelled, ResetPasswordForm):
    """Sends the link to a new password to an account's own address alone."""

    def clean_email(self) -> str:
        email: str = super().clean_email()
        self.users = accounts_of(email)
        return email


NOT_ACCEPTED = _("Cette clé n’est pas acceptée. Réessayez, ou choisissez une autre façon.")


class ShallowDecoder(json.JSONDecoder):
    """Reads what a browser says for a key; JSON nested deeper than Python reads is none."""

    def decode(self, s: str, *args: Any) -> Any:
        """Return what was read. Raises JSONDecodeError."""
        try:
            return super().decode(s, *args)
        except RecursionError as deep:
            raise json.JSONDecodeError("nested too deep", s, 0) from deep


def _credential(refusal: Any) -> forms.JSONField:
    """Return the hidden field of what a browser says for a key; `refusal` where that is none."""
    return forms.JSONField(
        label=_("Clé d’accès"),
        widget=forms.HiddenInput,
        decoder=ShallowDecoder,
        error_messages={"required": refusal, "invalid": refusal},
    )


class AddPasskeyForm(AddWebAuthnForm):
    """A key signs in by itself unless the person unticks it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].label = _("Nom de la clé")
        self.fields["name"].help_text = _("Pour la reconnaître : « mon téléphone », « clé USB »…")
        self.fields["passwordless"].initial = True
        self.fields["passwordless"].label = _(
            "Se connecter avec cette clé seule, sans mot de passe"
        )
        self.fields["passwordless"].help_text = _(
            "L’appareil demande alors votre empreinte, votre visage ou son code."
        )
        # A name confirmed by Enter is sent without a key.
        without_key = _("Appuyez sur « Ajouter » : cet appareil fait alors la clé.")
        self.fields["credential"] = _credential(without_key)

    def clean(self) -> dict[str, Any]:
        """Refuse what is no key; allauth says that a code is wrong, or fails."""
        try:
            return super().clean()
        except (AttributeError, LookupError, ValueError, ValidationError) as refused:
            raise ValidationError(NOT_ACCEPTED, code="incorrect_code") from refused


class RenamePasskeyForm(EditWebAuthnForm):
    """Names the field as the page that adds a key does."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].label = _("Nom de la clé")


class _KeyAnswer:
    """What a browser says for a passkey: refused where it is of no key, or of no shape.

    allauth says then that a code is wrong, to somebody who typed none.
    """

    fields: dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["credential"] = _credential(NOT_ACCEPTED)

    def clean_credential(self) -> object:
        try:
            return super().clean_credential()  # type: ignore[misc]
        except (AttributeError, LookupError, ValidationError) as refused:
            if getattr(refused, "code", "incorrect_code") != "incorrect_code":
                raise  # too many tries
            raise ValidationError(NOT_ACCEPTED, code="incorrect_code") from refused


class KeyForm(_KeyAnswer, AuthenticateWebAuthnForm):
    """The second factor of a sign-in."""


class KeySignInForm(_KeyAnswer, LoginWebAuthnForm):
    """A sign-in by a passkey alone: the key itself has made sure of its owner.

    allauth asks for that, but takes the answer to any question of the session: after a password it asks
    for a touch alone, which anybody who holds a stolen key can give.
    """

    def clean_credential(self) -> object:
        answer = self.cleaned_data["credential"]
        authenticator = super().clean_credential()
        data = AuthenticationResponse.from_dict(answer).response.authenticator_data
        if not data.is_user_verified():
            raise ValidationError(NOT_ACCEPTED, code="incorrect_code")
        return authenticator


class KeyProofForm(_KeyAnswer, ReauthenticateWebAuthnForm):
    """A renewed proof."""
