"""Who the names of a competition's file are: an officer's choices, new players, aliases."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor
from clubs.journal import chain as journal
from clubs.members import actions as members
from clubs.members.actions import Newcomer
from clubs.members.models import Member
from clubs.persons import actions as persons
from clubs.persons.matching import NEW, NameKey, name_parts
from ratings.competitions.models import CompetitionDraft
from ratings.ledger.posting import LedgerRefused

Named = Mapping[str, tuple[str, str]]
"""Key of a name (`matching.name_key`) → the name and the licence as the file writes them."""


@transaction.atomic
def choose_names(
    *,
    draft: CompetitionDraft,
    seen: int,
    choices: Mapping[str, int | None],
    by: Actor,
    at: datetime,
) -> None:
    """Store who names of a draft are: a member's id, NEW for a new player, None to ask again.

    `seen` is the version that the page showed: two officers cannot overwrite each other.
    """
    organisation = draft.rating_list.organisation
    wanted = {pk for pk in choices.values() if pk}
    if Member.objects.of(organisation).active().filter(pk__in=wanted).count() != len(wanted):
        raise LedgerRefused(_("Ce joueur est inconnu."), code="unknown_player")
    chosen_ids = {key: pk for key, pk in {**draft.choices, **choices}.items() if pk is not None}
    moved = CompetitionDraft.objects.filter(pk=draft.pk, version=seen, period=None).update(
        choices=chosen_ids, version=seen + 1
    )
    if not moved:
        raise LedgerRefused(
            _("Quelqu’un d’autre vient de choisir des noms de ce fichier. Relisez la page."),
            code="stale",
        )
    draft.refresh_from_db()
    journal.record(
        organisation=organisation,
        verb="names_chosen",
        subject=f"list:{draft.rating_list_id}",
        by=by,
        at=at,
        after={"draft": draft.pk, "names": len(choices)},
    )


def create_newcomers(
    draft: CompetitionDraft,
    unknown: Named,
    wanted: bool,
    at: datetime,
    known_as: Mapping[str, Newcomer] | None = None,
) -> dict[str, int]:
    """Create outsiders for the unknown names and return {key: member id}.

    `wanted`: names that nobody chose are new players too. `known_as`: what their club says of some.
    """
    undecided = [name for key, (name, _licence) in unknown.items() if key not in draft.choices]
    if undecided and not wanted:
        raise LedgerRefused(
            _("« %(name)s » n’est pas connu : corrigez le nom, ou acceptez les nouveaux joueurs.")
            % {"name": undecided[0][:60]},
            code="unknown_player",
        )
    organisation = draft.rating_list.organisation
    newcomers = known_as or {}
    people = [
        newcomers.get(key) or Newcomer(*name_parts(name))
        for key, (name, _licence) in unknown.items()
    ]
    try:
        rows = members.create_outsiders(organisation=organisation, people=people, at=at)
    except members.MemberRefused as refused:
        raise LedgerRefused(str(refused), code="bad_name") from refused
    licences = [licence for _name, licence in unknown.values()]
    persons.add_licences(
        organisation=organisation,
        licences={
            member.pk: licence for member, licence in zip(rows, licences, strict=True) if licence
        },
    )
    return {key: member.pk for key, member in zip(unknown, rows, strict=True)}


def remember(draft: CompetitionDraft, used: Collection[str], by: Actor, at: datetime) -> None:
    """Keep the choices of a file as aliases, but for a name that somebody else really has.

    `used`: the keys of the names in the file; a name twice in it, with two licences, is no alias.
    """
    organisation = draft.rating_list.organisation
    known = persons.people_of(organisation).by_name
    plain = [NameKey.parse(key).name for key in set(used)]
    chosen = {
        NameKey.parse(key).name: pk
        for key, pk in draft.choices.items()
        if pk != NEW and key in used
    }
    names = {
        name: pk
        for name, pk in chosen.items()
        if plain.count(name) == 1 and name not in known and not name.isdigit()
    }
    persons.remember(organisation=organisation, names=names, by=by, at=at)
