"""Problems of an imported file, each with its place and a message. No file is read in part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.forms import BaseForm
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from clubs.accounts.actor import Refused, refused_in

MOST_PROBLEMS = 20
"""The most that a page or an answer names."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem. `line` counts from 1 as an editor does, 0 where the file has no lines."""

    text: str
    line: int = 0
    field: str = ""

    def __str__(self) -> str:
        if self.line and self.field:
            return _("Ligne %(line)s, %(field)s : %(text)s") % {
                "line": self.line,
                "field": self.field,
                "text": self.text,
            }
        if self.line:
            return _("Ligne %(line)s : %(text)s") % {"line": self.line, "text": self.text}
        if self.field:
            return _("%(field)s : %(text)s") % {"field": self.field, "text": self.text}
        return self.text


class FileRefused(Refused):
    """Refusal of a whole file. Its text is a sentence; `problems` holds every problem found."""

    def __init__(self, problems: Iterable[Problem] | str, *, code: str = "content") -> None:
        problem_list = [Problem(problems)] if isinstance(problems, str) else list(problems)
        self.problems = tuple(problem_list)
        more = len(problem_list) - 1
        sentence = (
            str(problem_list[0])
            if problem_list
            else _("Ce fichier ne peut pas être lu : choisissez un fichier JSON ou tsh (.t).")
        )
        if more > 0:
            sentence += " " + ngettext(
                "(et %(count)s autre erreur)", "(et %(count)s autres erreurs)", more
            ) % {"count": more}
        super().__init__(sentence, code=code)


@contextmanager
def refused_file_in(form: BaseForm, problems: list[str]) -> Iterator[None]:
    """Show at the form's file why it is refused, as `refused_in`; `problems` gets each in words."""
    with refused_in(form, field="file"):
        try:
            yield
        except FileRefused as refused:
            problems += [str(problem) for problem in refused.problems[:MOST_PROBLEMS]]
            raise
