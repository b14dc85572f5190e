"""Problems of an imported file, each with its place and a message. No file is read in part."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext


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


class FileRefused(ValueError):
    """Refusal of a whole file. Its text is a sentence; `problems` holds every problem found."""

    def __init__(self, problems: Iterable[Problem] | str, *, code: str = "content") -> None:
        problem_list = [Problem(problems)] if isinstance(problems, str) else list(problems)
        self.problems = tuple(problem_list)
        self.code = code
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
        super().__init__(sentence)
