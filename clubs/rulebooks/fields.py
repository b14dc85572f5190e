"""How a number that a committee may change is declared: once, beside its default.

A rule system is a frozen dataclass. Each field made by `setting` carries what the committee's form
and the public rules page print: label, unit, effect and article. Plain Python, no Django.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable


def gettext_noop(message: str) -> str:
    """Mark a French sentence for translation; the page translates it when it prints it."""
    return message


LARGEST_DENOMINATOR = 1000


def as_typed(value: float) -> Fraction:
    """Return the number that a stored decimal was typed as: 1/3 for 0.3333333333333333."""
    decimal = Fraction(str(value))
    fraction = decimal.limit_denominator(LARGEST_DENOMINATOR)
    return fraction if float(fraction) == value else decimal


class Contradiction(ValueError):
    """Numbers that cannot go together. The sentence is shown beside `field`."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(sentence)
        self.field = field


@runtime_checkable
class Compared(Protocol):
    """A system that compares the numbers of a new version with each other.

    Not in `__post_init__`, which also reads versions that were adopted before it refused them.
    """

    def contradiction(self) -> Contradiction | None: ...


@dataclass(frozen=True, slots=True)
class Setting:
    """What a page says about one field. `choices` pairs are (stored value, French label).

    `per_season`: it orders the whole season, and a new value waits for the next one. `nullable`: a
    committee may leave it empty (no floor, no value for a bye); `empty` says what that means.
    """

    label: str
    article: str
    effect: str = ""
    unit: str = ""
    group: str = ""
    minimum: float | None = None
    maximum: float | None = None
    choices: Sequence[tuple[Any, str]] = ()
    per_season: bool = False
    nullable: bool = False
    empty: str = ""

    def sentences(self, *, empty: bool) -> list[str]:
        """Return what explains the number: with what no number means in a form, or where none is."""
        return [text for text in (self.effect, self.empty if empty else "") if text]


def setting(
    default: object,
    label: str,
    *,
    article: str,
    effect: str = "",
    unit: str = "",
    group: str = "",
    minimum: float | None = None,
    maximum: float | None = None,
    choices: Sequence[tuple[object, str]] = (),
    per_season: bool = False,
    nullable: bool = False,
    empty: str = "",
) -> Any:
    """Declare a dataclass field with the document's default and the words that explain it.

    Mutable defaults (dict, list) are refused by dataclasses: pass tuples, or a frozen mapping as a
    tuple of pairs.
    """
    words = Setting(
        label=label,
        article=article,
        effect=effect,
        unit=unit,
        group=group,
        minimum=minimum,
        maximum=maximum,
        choices=choices,
        per_season=per_season,
        nullable=nullable,
        empty=empty,
    )
    return dataclasses.field(default=default, metadata={"setting": words})


def settings_of(system: type[Any] | Any) -> dict[str, Setting]:
    """Return the declared settings of a dataclass, by field name, in the order of the file."""
    return {
        field.name: field.metadata["setting"]
        for field in dataclasses.fields(system)
        if "setting" in field.metadata
    }


def with_values(system: type[Any], values: Mapping[str, object]) -> Any:
    """Return the system with a rule book's values over the document's defaults.

    Raises KeyError naming the first value that is no field of the system: a rule book never holds a
    number that nothing reads. Raises ValueError for a value that is none of the setting's choices,
    as it would be read as one of them.
    """
    known = {field.name: field for field in dataclasses.fields(system)}
    for name in values:
        if name not in known:
            raise KeyError(f"{system.__name__} has no setting {name!r}")
        words = known[name].metadata.get("setting")
        choices = [choice for choice, _label in words.choices] if words else []
        if choices and values[name] not in choices:
            refusal = ValueError(gettext_noop("choisissez une des réponses proposées."))
            refusal.add_note(f"{name} is one of {choices}, not {values[name]!r}")
            raise refusal
    return system(**{name: _frozen(value) for name, value in values.items()})


def _frozen(value: object) -> object:
    """Convert lists, as JSON gives them, to tuples, as a frozen rule holds them."""
    if isinstance(value, list):
        return tuple(_frozen(item) for item in value)
    return value
