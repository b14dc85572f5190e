"""French elision before a name."""

from __future__ import annotations

from django.utils.translation import gettext as _

from clubs.members.models import without_accents


def is_elided(name: str) -> bool:
    """Return whether "de" is elided before this name: Amélie, Hélène, Yves, not Yasmine."""
    plain = without_accents(name)
    if plain[:1] == "y":
        return plain[1:2] not in ("", *"aeiouy")
    return plain[:1] in ("a", "e", "i", "o", "u", "h")


def victory_of(name: str) -> str:
    """Return who won, in words."""
    words = _("Victoire d’%(name)s") if is_elided(name) else _("Victoire de %(name)s")
    return words % {"name": name}
