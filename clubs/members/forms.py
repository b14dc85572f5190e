"""Forms of members and the committee: shape only. The actions check the rules."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.password_validation import validate_password
from django.db.models import QuerySet
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from clubs.accounts.older_pages import SeenField
from clubs.members.models import NAME_LENGTH, Member, RoleGrant
from clubs.organisations.models import Organisation
from clubs.ui.widgets import (
    CHOOSE,
    OWN_FIRST_NAME,
    OWN_LAST_NAME,
    DayField,
    DigitsInput,
    PinField,
    WholeField,
    set_rows,
)

if TYPE_CHECKING:
    from clubs.persons.models import MemberLink


WHO_READS_A_NAME = _(
    "Si vous choisissez vos initiales, les membres lisent votre prénom et l’initiale de votre nom. "
    "Avant 18 ans, le public n’en lit jamais plus."
)


class ChildForm(forms.Form):
    """A person who may be below the age at which they decide alone (`age`, a setting)."""

    child_label = _("Moins de %(n)s ans")

    def __init__(self, *args: Any, age: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields = {}
        for name, field in self.fields.items():
            fields[name] = field
            if name == "is_minor":
                label = self.child_label % {"n": age}
                fields["is_child"] = forms.BooleanField(label=label, required=False)
        self.fields = fields

    def clean(self) -> dict[str, object]:
        answers = super().clean() or {}
        return {**answers, "is_minor": answers.get("is_minor") or answers.get("is_child", False)}


class MemberForm(ChildForm):
    """A new member, entered by the committee."""

    first_name = forms.CharField(label=_("Prénom"), max_length=NAME_LENGTH)
    last_name = forms.CharField(label=_("Nom"), max_length=NAME_LENGTH, required=False)
    email = forms.EmailField(label=_("Adresse e-mail"), required=False)
    number = WholeField(
        label=_("Numéro de joueur"),
        least=1,
        most=999_999,
        required=False,
        help_text=_("Vide : le premier numéro libre."),
    )
    is_minor = forms.BooleanField(label=_("Moins de 18 ans"), required=False)


class MemberDetailsForm(ChildForm):
    """Details that the committee may correct."""

    first_name = forms.CharField(label=_("Prénom"), max_length=NAME_LENGTH)
    last_name = forms.CharField(label=_("Nom"), max_length=NAME_LENGTH, required=False)
    email = forms.EmailField(label=_("Adresse e-mail"), required=False)
    is_minor = forms.BooleanField(label=_("Moins de 18 ans"), required=False)
    guardian_name = forms.CharField(
        label=_("Parent qui a donné son accord"),
        max_length=120,
        required=False,
        help_text=_("Sans cet accord : ni compte, ni nom entier."),
    )
    guardian_email = forms.EmailField(label=_("Adresse e-mail d’un parent"), required=False)
    guardian_agreed_on = DayField(label=_("Date de cet accord"), required=False)

    def clean(self) -> dict[str, object]:
        answers = super().clean()
        name, day = answers.get("guardian_name"), answers.get("guardian_agreed_on")
        if bool(name) != bool(day) and not self.has_error("guardian_agreed_on"):
            self.add_error("guardian_agreed_on", _("Notez qui a donné l’accord, et quand."))
        elif isinstance(day, date) and day > timezone.localdate():
            self.add_error("guardian_agreed_on", _("Cette date est dans l’avenir."))
        return answers


class EditMemberForm(MemberDetailsForm):
    """The same, on a page that shows what is stored."""

    seen = SeenField()


class SameAsForm(forms.Form):
    """The member that a guest is."""

    into = forms.ModelChoiceField(
        label=_("C’est en fait ce membre"), queryset=Member.objects.none(), empty_label=None
    )

    def __init__(self, *args: Any, others: QuerySet[Member], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_rows(self, "into", others)


class SayLicenceForm(forms.Form):
    """The licence that the club gives of a member, in one federation; `link` is what it said."""

    federation = forms.IntegerField(widget=forms.HiddenInput)
    licence = forms.CharField(
        max_length=20, required=False, widget=forms.TextInput(attrs={"autocomplete": "off"})
    )

    def __init__(
        self, data: QueryDict | None, *, of: Organisation, link: MemberLink | None
    ) -> None:
        said = link.licence if link else ""
        initial = {"federation": of.pk, "licence": said}
        super().__init__(data, initial=initial, auto_id=f"%s{of.pk}")
        self.of, field = of, self.fields["licence"]
        field.label = of.name
        field.needed = True  # type: ignore[attr-defined]
        if link and link.person_id:
            field.help_text = _("Reliée à sa fiche de la fédération.")
        elif said:
            field.help_text = _("La fédération dira à qui est cette licence.")


class LeaveForm(forms.Form):
    """The departure of a member, noted by the committee."""

    forget = forms.BooleanField(
        label=_("Effacer le nom et l’adresse e-mail (les résultats restent)"), required=False
    )


class UnlinkForm(forms.Form):
    """Why the account that the page showed is taken off a member's row."""

    seen = SeenField()
    reason = forms.CharField(
        label=_("Motif"), max_length=500, widget=forms.Textarea(attrs={"rows": 2})
    )


class LeaveMyselfForm(forms.Form):
    """A member's own departure."""

    forget = forms.BooleanField(
        label=_("Effacer aussi mon nom et mon adresse e-mail"), required=False
    )


class OfMembersForm(forms.Form):
    """A form whose `member` is one of those given."""

    def __init__(self, *args: Any, members: QuerySet[Member], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_rows(self, "member", members)


class InviteForm(OfMembersForm):
    """An invitation by link and QR."""

    member = forms.ModelChoiceField(
        label=_("Pour ce membre"),
        queryset=Member.objects.none(),
        required=False,
        empty_label=_("un nouveau membre"),
    )
    max_uses = WholeField(label=_("Nombre d’utilisations"), least=1, most=200, initial=1)
    days = WholeField(label=_("Valable"), least=1, most=60, initial=14)


class MailInvitationForm(forms.Form):
    """Addresses pasted one per line, and the language of the mail they get."""

    addresses = forms.CharField(
        label=_("Adresses e-mail"),
        max_length=20_000,
        help_text=_("Une par ligne, ou séparées par des virgules."),
        widget=forms.Textarea(attrs={"rows": 5, "spellcheck": "false", "autocomplete": "off"}),
    )
    language = forms.ChoiceField(label=_("Langue du message"), choices=settings.LANGUAGES)
    days = WholeField(label=_("Valable"), least=1, most=60, initial=14)


ADDRESS = _("Donnez une adresse e-mail.")


class AccountForm(forms.Form):
    """An account for somebody who was invited."""

    TAKEN = _("Cette adresse a déjà un compte : connectez-vous.")
    email = forms.EmailField(
        label=_("Adresse e-mail"),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
        error_messages={"required": ADDRESS, "invalid": ADDRESS, "max_length": ADDRESS},
    )
    password = forms.CharField(
        label=_("Mot de passe (10 caractères au moins)"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def clean_email(self) -> str:
        email: str = self.cleaned_data["email"].lower()
        if get_user_model().objects.filter(email__iexact=email).exists():
            raise forms.ValidationError(self.TAKEN)
        return email

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        account = get_user_model()(email=self.cleaned_data.get("email", ""))
        validate_password(password, account)
        return password


class AcceptForm(ChildForm):
    """The invited person: a name, who may see it, a code."""

    child_label = _("J’ai moins de %(n)s ans")
    first_name = forms.CharField(
        label=_("Prénom"), max_length=NAME_LENGTH, widget=forms.TextInput(OWN_FIRST_NAME)
    )
    last_name = forms.CharField(
        label=_("Nom"),
        max_length=NAME_LENGTH,
        required=False,
        widget=forms.TextInput(OWN_LAST_NAME),
    )
    visibility = forms.ChoiceField(
        label=_("Qui voit votre nom ?"),
        choices=Member.VISIBILITIES,
        widget=forms.RadioSelect,
        help_text=WHO_READS_A_NAME,
    )
    is_minor = forms.BooleanField(label=_("J’ai moins de 18 ans"), required=False)
    pin = PinField(
        label=_("Code à 4 chiffres, pour confirmer sur le téléphone de l’adversaire"),
        required=False,
        widget=DigitsInput(),
    )


class JoinForm(ChildForm):
    """A newcomer's request to join."""

    child_label = _("J’ai moins de %(n)s ans")
    first_name = forms.CharField(
        label=_("Prénom"), max_length=NAME_LENGTH, widget=forms.TextInput(OWN_FIRST_NAME)
    )
    last_name = forms.CharField(
        label=_("Nom"), max_length=NAME_LENGTH, widget=forms.TextInput(OWN_LAST_NAME)
    )
    email = forms.EmailField(
        label=_("Adresse e-mail"), widget=forms.EmailInput({"autocomplete": "email"})
    )
    is_minor = forms.BooleanField(label=_("J’ai moins de 18 ans"), required=False)
    guardian_email = forms.EmailField(
        label=_("Adresse e-mail d’un parent"),
        required=False,
        help_text=_("Demandée avant 18 ans."),
    )
    guardian_email.needed = True  # type: ignore[attr-defined]

    def clean(self) -> dict[str, object]:
        answers = super().clean() or {}
        if answers.get("is_minor") and answers.get("guardian_email") == "":  # a wrong one is named
            self.add_error("guardian_email", _("Indiquez l’adresse e-mail d’un parent."))
        return answers


class SettingsForm(forms.Form):
    """A member's own choices."""

    seen = SeenField()
    language = forms.ChoiceField(
        label=_("Langue"),
        choices=settings.LANGUAGES,
        help_text=_(
            "Celle des pages, des e-mails et des notifications. Le menu des langues ne change que les "
            "pages, sur cet appareil."
        ),
    )
    visibility = forms.ChoiceField(
        label=_("Qui voit mon nom"),
        choices=Member.VISIBILITIES,
        widget=forms.RadioSelect,
        help_text=WHO_READS_A_NAME,
    )


class PinForm(forms.Form):
    """Four digits, typed twice."""

    pin = PinField(label=_("Nouveau code à 4 chiffres"))
    again = PinField(label=_("Encore une fois"))

    def clean(self) -> dict[str, object]:
        answers = super().clean() or {}
        if {"pin", "again"} <= answers.keys() and answers["pin"] != answers["again"]:
            self.add_error("again", _("Les deux codes diffèrent."))
        return answers


class RoleForm(OfMembersForm):
    """A role to grant."""

    member = forms.ModelChoiceField(
        label=_("Membre"), queryset=Member.objects.none(), empty_label=CHOOSE
    )
    role = forms.ChoiceField(label=_("Rôle"), choices=RoleGrant.ROLES)


class ImportForm(forms.Form):
    """A file of members."""

    file = forms.FileField(label=_("Fichier CSV ou XLSX"))
