"""Creation of a club or a federation: its row, and the first member of its committee."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor, Refused
from clubs.accounts.models import User
from clubs.journal import chain as journal
from clubs.members import actions as members
from clubs.members.models import Member, RoleGrant
from clubs.organisations.models import Organisation, Season
from clubs.rulebooks import actions as rulebooks
from clubs.ui.punctuation import labelled


class OrganisationRefused(Refused):
    """An organisation that may not be created so."""


@transaction.atomic
def create_organisation(
    *,
    slug: str,
    name: str,
    email: str,
    first_name: str,
    last_name: str,
    kind: str,
    game: str,
    language: str,
    time_zone: str,
    by: Actor,
    at: datetime,
) -> Member:
    """Create an organisation; the account of `email` is the first of its committee.

    Everything else (season, rules, members, roles) is then done from its set-up page.
    """
    user = User.objects.of_address(email).first()
    if user is None:
        raise OrganisationRefused(
            _("Aucun compte n’a l’adresse %(email)s : créez-le d’abord.") % {"email": email},
            code="no_account",
        )
    organisation = Organisation(
        slug=slug,
        name=members.clean_name(name),
        kind=kind,
        game=members.clean_name(game),
        language=language,
        time_zone=time_zone,
        contact_email=user.email,
        created_at=at,
    )
    _check(organisation)
    _insert(organisation)
    journal.record(
        organisation=organisation,
        verb="organisation_founded",
        subject=f"organisation:{organisation.pk}",
        by=by,
        at=at,
        after={"slug": slug, "kind": kind},
    )
    first = members.create(
        organisation=organisation,
        first_name=first_name,
        last_name=last_name,
        email=user.email,
        by=by,
        at=at,
    )
    if not user.memberships.exists():  # `createsuperuser` asks for no language
        User.objects.filter(pk=user.pk).update(language=language)
    members.link_account(member=first, user=user, by=by, at=at)
    members.grant(member=first, role=RoleGrant.COMMITTEE, by=by, at=at)
    if kind == Organisation.CLUB and "scrabble" not in organisation.game.casefold():
        _find_no_score_rare(organisation, by, at)
    return first


def _find_no_score_rare(organisation: Organisation, by: Actor, at: datetime) -> None:
    """Draft rules that ask about no score: which ones are rare is known of Scrabble alone."""
    values = {"match": {"usual_low": None, "usual_high": None}}
    rulebooks.save_draft(
        organisation=organisation, code=rulebooks.LADDER, values=values, by=by, at=at
    )


def _insert(organisation: Organisation) -> None:
    taken = OrganisationRefused(
        _("Le nom de page « %(slug)s » est déjà pris.") % {"slug": organisation.slug},
        code="slug_taken",
    )
    # One that differs by a capital letter alone is read and typed as the other.
    if Organisation.objects.filter(slug__iexact=organisation.slug).exists():
        raise taken
    try:
        with transaction.atomic():
            organisation.save(force_insert=True)
    except IntegrityError as clash:
        raise taken from clash


def _check(organisation: Organisation) -> None:
    """Refuse what the columns would refuse, in one sentence."""
    try:
        organisation.clean_fields()
        ZoneInfo(organisation.time_zone)
    except ValidationError as wrong:
        name, problems = next(iter(wrong.message_dict.items()))
        label = getattr(Organisation._meta.get_field(name), "verbose_name", name)
        raise OrganisationRefused(labelled(label, problems[0]), code="bad_value") from wrong
    except (ZoneInfoNotFoundError, ValueError, OSError) as unknown:
        raise OrganisationRefused(
            _("Le fuseau horaire « %(zone)s » n’existe pas.") % {"zone": organisation.time_zone},
            code="bad_value",
        ) from unknown


def is_begun(organisation: Organisation) -> bool:
    """Return whether it has what its set-up begins with: a season, or a federation's rating list."""
    if organisation.is_club:
        return Season.objects.filter(organisation=organisation).exists()
    return bool(rulebooks.scopes_in_lists(organisation))
