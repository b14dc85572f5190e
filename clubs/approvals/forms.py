"""The form in which a second committee member agrees."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from clubs.accounts.actor import Actor, Refused
from clubs.approvals import actions as approvals
from clubs.members.models import Member
from clubs.organisations.models import Organisation
from clubs.ui.widgets import PinField, set_choices


class ApprovalForm(forms.Form):
    """The approving person and their code."""

    approver = forms.ChoiceField(label=_("Second membre du comité"))
    approver_pin = PinField(label=_("Son code à quatre chiffres"))

    def __init__(self, *args: Any, organisation: Organisation, by: Actor, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.organisation, self.by = organisation, by
        self.people = {str(member.pk): member for member in approvals.others(organisation, by)}
        people = ((pk, str(person)) for pk, person in self.people.items())
        set_choices(self, "approver", [("", "–"), *people])

    def ask(self, *, at: datetime) -> Member | None:
        """Return who approved; None, with the reason beside its field, when nobody did."""
        if not self.is_valid():
            return None
        answers = self.cleaned_data
        try:
            return approvals.agreed(
                organisation=self.organisation,
                approver=self.people[answers["approver"]],
                pin=answers["approver_pin"],
                by=self.by,
                at=at,
            )
        except Refused as refused:
            self.add_error("approver_pin", str(refused))
            return None
