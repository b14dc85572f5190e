"""Who must agree to a correction of published results: one person, or two."""

from __future__ import annotations

from dataclasses import dataclass

from clubs.rulebooks.fields import gettext_noop as _
from clubs.rulebooks.fields import setting


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionPolicy:
    """No document fixes it: the committee decides, and one person is the default."""

    second_person: bool = setting(
        False,
        _("Une seconde personne pour corriger ce qui est publié"),
        article="",
        group=_("Corrections"),
        effect=_(
            "Un autre membre du comité donne son accord par son code quand la correction touche "
            "un classement publié."
        ),
    )
