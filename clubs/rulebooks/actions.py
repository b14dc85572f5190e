"""Rule books: which numbers are in force on a date, and how a committee changes them.

The apps above declare their systems here when they start (`declare`); this module knows the names
of fields and nothing of any game. Several dataclasses may be parts of one scope: the FAIZERS book
has the parts "cote", "pairing" and "match".
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor, Refused
from clubs.accounts.older_pages import STALE, changed_meanwhile, row_version
from clubs.journal import chain as journal
from clubs.organisations.models import Organisation
from clubs.registries import RULES_ADOPTED, SCOPES, SCOPES_USED
from clubs.rulebooks.fields import Compared, Contradiction, Setting, settings_of, with_values
from clubs.rulebooks.models import RuleBook
from clubs.rulebooks.units import scale_of
from clubs.rulebooks.values import problem_of


class RuleRefused(Refused):
    """A rule book that cannot be saved or adopted.

    Where one number is wrong, `field` is its "part-name" and `beside` what is said beside it,
    without its name.
    """

    def __init__(
        self, sentence: str, *, code: str = "refused", field: str = "", beside: str = ""
    ) -> None:
        super().__init__(sentence, code=code)
        self.field, self.beside = field, beside


@dataclass(frozen=True, slots=True)
class Scope:
    """One rule book of the site: its parts are the frozen dataclasses whose fields it sets."""

    code: str
    label: str
    parts: Mapping[str, type[Any]]
    by_evening: bool = False
    """Whether evenings are played by it: a version begins to count with one that opens after it."""


LADDER = "faizers"
"""Code of a club's own ladder: its rule book, its rating list and the pairing of its evenings."""

CORRECTION = "correction"
"""The part that every rating system's book has beside its numbers: who must agree to a correction."""


def declare(
    scope: str, label: str, part: str, system: type[Any], *, by_evening: bool = False
) -> None:
    """Declare a system. Called once for each when the site starts; `by_evening` of any counts."""
    known = SCOPES.get(scope) or Scope(scope, label, {})
    parts = {**known.parts, part: system}
    SCOPES[scope] = Scope(scope, known.label, parts, known.by_evening or by_evening)


def scope(code: str) -> Scope:
    """Return the declared scope. Raises KeyError for one not declared."""
    return SCOPES[code]


def scopes_of(organisation: Organisation) -> list[Scope]:
    """Return the rule books that an organisation uses, the ladder's first."""
    used = scopes_in_lists(organisation)
    if organisation.is_club or not used:
        used.add(LADDER)
    used_scopes = [known for known in scopes() if known.code in used]
    return sorted(used_scopes, key=lambda known: (known.code != LADDER, known.label))


def scopes_in_lists(organisation: Organisation) -> set[str]:
    """Return the codes of the rule books that its rating lists use."""
    return {code for source in SCOPES_USED for code in source(organisation)}


def scopes() -> list[Scope]:
    return [SCOPES[code] for code in sorted(SCOPES)]


def in_force(organisation: Organisation, code: str, at: datetime) -> RuleBook | None:
    """Return the adopted version in force then; None means the document's defaults."""
    return RuleBook.objects.of(organisation, code).at(at).first()


def rules(rule_book: RuleBook | None, code: str, part: str) -> Any:
    """Return the frozen dataclass with a version's values over the defaults. Cached by the values."""
    if rule_book is None:
        return _default(code, part)
    return _with(code, part, json.dumps(rule_book.values.get(part, {}), sort_keys=True))


@lru_cache(maxsize=256)
def _default(code: str, part: str) -> object:
    return scope(code).parts[part]()


@lru_cache(maxsize=1024)
def _with(code: str, part: str, values: str) -> Any:
    return with_values(scope(code).parts[part], json.loads(values))


def rules_at(organisation: Organisation, code: str, part: str, at: datetime) -> Any:
    return rules(in_force(organisation, code, at), code, part)


@dataclass(frozen=True, slots=True)
class RuleLine:
    """One number of the book as a page prints it."""

    part: str
    name: str
    words: Setting
    value: Any
    default: Any

    @property
    def changed(self) -> bool:
        return bool(self.value != self.default)

    @property
    def scale(self) -> int:
        """Return by what pages divide the stored number: 60 where seconds are read as minutes."""
        return scale_of(self.default, self.words.unit)[0]

    @property
    def unit(self) -> str:
        """Return the unit of the number that pages print, not yet translated."""
        return scale_of(self.default, self.words.unit)[1]


def lines(rule_book: RuleBook | None, code: str) -> list[RuleLine]:
    """Return every setting of a scope with its value in this version and the document's default."""
    rule_lines = []
    for part, system in scope(code).parts.items():
        current, default = rules(rule_book, code, part), _default(code, part)
        for name, words in settings_of(system).items():
            rule_lines.append(
                RuleLine(part, name, words, getattr(current, name), getattr(default, name))
            )
    return rule_lines


def differences(
    a: RuleBook | None, b: RuleBook | None, code: str
) -> list[tuple[RuleLine, RuleLine]]:
    """Return the settings whose value differs between two versions."""
    return [
        (x, y) for x, y in zip(lines(a, code), lines(b, code), strict=True) if x.value != y.value
    ]


@transaction.atomic
def save_draft(
    *,
    organisation: Organisation,
    code: str,
    values: Mapping[str, Mapping[str, object]],
    seen: str | None = None,
    by: Actor,
    at: datetime,
) -> RuleBook:
    """Write the committee's draft (one at a time), storing only what differs from the document.

    `seen`: the `draft_version` that a page showed; an older one is refused.
    Raises RuleRefused, naming the field, for a value out of its bounds or of another kind, and when
    a system refuses the values together (thresholds out of order …).
    """
    kept = own_values(code, values)
    drafts = RuleBook.objects.of(organisation, code).drafts()
    draft = drafts.select_for_update(no_key=True).first()
    _check_read(draft, seen)
    if draft is None:
        number = _next_number(organisation, code)
        try:
            with transaction.atomic():
                draft = RuleBook.objects.create(
                    organisation=organisation,
                    scope=code,
                    number=number,
                    values=kept,
                    created_at=at,
                    created_by=by.user,
                )
        except IntegrityError as clash:
            raise RuleRefused(
                _("Un autre membre du comité vient d’ouvrir un brouillon. Rechargez la page."),
                code="draft_exists",
            ) from clash
        before: object = None
    else:
        before = draft.values
        draft.values = kept
        draft.save(update_fields=["values"])
    journal.note(draft, "rule_draft", by=by, at=at, before=before, after=kept)
    return draft


def own_values(
    code: str, values: Mapping[str, Mapping[str, object]]
) -> dict[str, dict[str, object]]:
    """Return the values that differ from the document, by part, once its system accepts them all."""
    kept: dict[str, dict[str, object]] = {}
    for part, system in scope(code).parts.items():
        part_values = dict(values.get(part, {}))
        default = _default(code, part)
        _check_each(part, system, part_values)
        try:
            candidate = with_values(system, part_values)
        except Contradiction as refusal:
            raise _beside(part, refusal) from refusal
        except ValueError as refusal:
            raise RuleRefused(_(str(refusal)), code="rule_value") from refusal
        if isinstance(candidate, Compared) and (problem := candidate.contradiction()):
            raise _beside(part, problem)
        changed_values = {
            field.name: part_values[field.name]
            for field in fields(candidate)
            if field.name in part_values
            and getattr(candidate, field.name) != getattr(default, field.name)
        }
        if changed_values:
            kept[part] = changed_values
    return kept


def _beside(part: str, problem: Contradiction) -> RuleRefused:
    sentence = _(str(problem))
    field = f"{part}-{problem.field}"
    return RuleRefused(sentence, code="rule_value", field=field, beside=sentence)


def _check_each(part: str, system: type[Any], values: Mapping[str, object]) -> None:
    """Refuse the first value that its own field cannot hold: values also arrive without the form."""
    known = {field.name: field for field in fields(system)}
    words = settings_of(system)
    for name, value in values.items():
        if name not in known:
            raise RuleRefused(
                _("Les règles n’ont pas de nombre nommé « %(name)s ».") % {"name": name},
                code="rule_value",
            )
        if name in words and (problem := problem_of(words[name], str(known[name].type), value)):
            raise RuleRefused(
                _("« %(label)s » : %(problem)s")
                % {"label": _(words[name].label), "problem": problem},
                code="rule_value",
                field=f"{part}-{name}",
                beside=capfirst(problem),
            )


def _next_number(organisation: Organisation, code: str) -> int:
    last = RuleBook.objects.of(organisation, code).aggregate(last=Max("number"))["last"]
    return (last or 0) + 1


def draft_version(draft: RuleBook | None) -> str:
    """Return the version of a draft's values; empty where there is no draft."""
    return "" if draft is None else row_version(draft, ("pk", "values"))


def _check_read(draft: RuleBook | None, seen: str | None) -> None:
    if seen is not None and seen != draft_version(draft):
        raise RuleRefused(changed_meanwhile(), code=STALE)


def _end(draft: RuleBook, seen: str | None, **columns: object) -> None:
    """Adopt or drop a draft. Refused where it has ended, or is not the one that was read."""
    stored = RuleBook.objects.filter(pk=draft.pk).drafts().select_for_update(no_key=True).first()
    if stored is None:
        raise RuleRefused(
            _("Ce brouillon vient d’être adopté ou abandonné. Rechargez la page."), code=STALE
        )
    _check_read(stored, seen)
    RuleBook.objects.filter(pk=stored.pk).update(**columns)
    draft.refresh_from_db()


@transaction.atomic
def adopt(
    *,
    draft: RuleBook,
    effective_from: datetime,
    reason: str,
    voted_by: str,
    seen: str | None = None,
    by: Actor,
    at: datetime,
) -> RuleBook:
    """Freeze a draft from a date. A past date is refused: a version never rewrites the past.

    `seen`: the `draft_version` that was read before; other values are not adopted unread.
    """
    if not reason.strip():
        raise RuleRefused(_("Donnez le motif de l’adoption."), code="reason_required")
    if effective_from < at:
        raise RuleRefused(
            _("La date d’effet est passée : choisissez aujourd’hui ou une date à venir."),
            code="past_date",
        )
    own_values(draft.scope, draft.values)  # it may be older than what refuses its numbers
    _end(
        draft,
        seen,
        effective_from=effective_from,
        reason=reason.strip(),
        voted_by=voted_by.strip(),
        adopted_at=at,
        adopted_by=by.user,
    )
    for follow in RULES_ADOPTED:
        follow(draft.organisation, draft.scope)
    journal.note(
        draft,
        "rule_adopted",
        by=by,
        at=at,
        after={"values": draft.values, "effective_from": effective_from.isoformat()},
        reason=reason.strip(),
    )
    return draft


@transaction.atomic
def drop(*, draft: RuleBook, seen: str | None = None, by: Actor, at: datetime) -> None:
    """Drop a draft, as last read by `seen`. It stays readable in the journal."""
    _end(draft, seen, dropped_at=at)
    journal.note(draft, "rule_dropped", by=by, at=at, before=draft.values)
