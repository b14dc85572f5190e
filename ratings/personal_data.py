"""What the tables of ratings hold about people, for the register of personal data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from clubs.personal_data.files import without_names
from clubs.personal_data.register import Fate, PersonalTable, Purpose, Someone, columns
from ratings.competitions.models import CompetitionDraft
from ratings.ledger.models import LedgerEntry
from ratings.lists.explanations import lines_of

JSON = ("rows", "choices", "handed")


def forget_in_competitions(someone: Someone) -> None:
    """Replace the name in competitions that were brought in; one that waits still needs it."""
    drafts = CompetitionDraft.objects.filter(
        rating_list__organisation=someone.organisation, brought_at__isnull=False
    )
    pseudonym = f"Joueur retiré {someone.member.number}"
    for draft in drafts.order_by("pk").iterator():
        before = {name: getattr(draft, name) for name in JSON}
        after = without_names(before, someone, pseudonym)
        if after != before:
            CompetitionDraft.objects.filter(pk=draft.pk).update(**after)


def reasons_in_words(because: list[dict[str, Any]]) -> str:
    """Return why a rating moved, as its page says it, without the opponents' names."""
    lines = lines_of(because, names={})
    said = (" ".join([line.head, line.sentence or line.formula]).strip() for line in lines)
    return " ; ".join(text.rstrip(".") for text in said)


TABLES = {
    "ratings.LedgerEntry": PersonalTable(
        title=_("Cotes, avec leurs raisons"),
        purpose=Purpose.PLAY,
        fate=Fate.PSEUDONYM,
        of=("member",),
        shown=columns(
            "rating_list__name held_on kind shown_before shown_after because reason written_at voided"
        ),
        hidden=("written_by", "before", "after"),
        say={"because": reasons_in_words},
        written=("reason",),
        within="rating_list__organisation",
    ),
    "ratings.StandingCote": PersonalTable(
        title=_("Cotes d’aujourd’hui"),
        purpose=Purpose.PLAY,
        fate=Fate.PSEUDONYM,
        of=("member",),
        shown=("rating_list__name", "shown", "games", "status", "last_on", "state"),
    ),
    "ratings.RatedGame": PersonalTable(
        title=_("Parties comptées pour la cote"),
        purpose=Purpose.PLAY,
        fate=Fate.PSEUDONYM,
        of=("first", "second"),
        shown=columns(
            "period__rating_list__name period__held_on first second first_score second_score "
            "first_halves withdrawn"
        ),
        hidden=("facts",),
    ),
    "ratings.RatedPlacing": PersonalTable(
        title=_("Places comptées pour la cote"),
        purpose=Purpose.PLAY,
        fate=Fate.PSEUDONYM,
        of=("member",),
        shown=("period__rating_list__name", "period__held_on", "place", "withdrawn"),
        hidden=("facts",),
    ),
    "ratings.CompetitionDraft": PersonalTable(
        title=_("Noms dans les compétitions importées"),
        purpose=Purpose.PLAY,
        fate=Fate.EMPTIED,
        hidden=(*JSON, "created_by", "file_name", "label", "facts"),
        forget=forget_in_competitions,
    ),
    "ratings.Edition": PersonalTable(
        title=_("Classements publiés : le nom du jour n’est plus affiché"),
        purpose=Purpose.PLAY,
        fate=Fate.RECORD,
        hidden=("rows", "columns", "note", "published_by"),
        written=("rows", "note"),
    ),
    "ratings.Delivery": PersonalTable(
        title=_("Compétitions transmises à une fédération"),
        purpose=Purpose.PLAY,
        fate=Fate.RECORD,
        hidden=("content", "sent_by"),
    ),
    "ratings.HandOver": PersonalTable(
        title=_("Réponses aux compétitions transmises"),
        purpose=Purpose.PLAY,
        fate=Fate.RECORD,
        hidden=("facts", "reason"),
        written=("reason",),
        within="club",
    ),
    "ratings.FeedRight": PersonalTable(
        title=_("Auteur d’une ouverture de liste"),
        purpose=Purpose.SAFETY,
        fate=Fate.RECORD,
        hidden=("granted_by",),
    ),
    "ratings.Period": PersonalTable(
        title=_("Compétitions comptées pour la cote"),
        purpose=Purpose.PLAY,
        fate=Fate.RECORD,
        hidden=("facts",),
    ),
    "ratings.RatingList": PersonalTable(
        title=_("Listes de cotes"),
        purpose=Purpose.PLAY,
        fate=Fate.RECORD,
        hidden=("name", "facts"),
    ),
}

CODES: dict[str, Mapping[str, Any]] = {
    "kind": {
        LedgerEntry.START: _("cote de départ"),
        LedgerEntry.SETTLED: _("calculée"),
        LedgerEntry.ADJUSTED: _("corrigée"),
    },
}
"""Words of what ratings stores as a code, by the name of the column."""
