"""The organisation that an operator names to a command."""

from __future__ import annotations

from django.core.management.base import CommandError

from clubs.organisations.models import Organisation


def organisation(slug: str) -> Organisation:
    """Return the organisation of that slug. Raises CommandError with the slugs that there are."""
    known = {one.slug: one for one in Organisation.objects.order_by("slug")}
    if slug not in known:
        raise CommandError(f"No organisation named {slug!r}: {', '.join(known)}.")
    return known[slug]
