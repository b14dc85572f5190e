"""The router of the modules of views: what an address answers, and that it refuses by a problem."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ninja
from ninja.types import TCallable

from api.v1.once import WRITE_ERRORS
from api.v1.problems import ProblemOut
from api.v1.shapes import ERRORS


class Router(ninja.Router):
    """Addresses of one subject."""

    def reads(
        self, path: str, answer: object, summary: str, *, errors: frozenset[int] = ERRORS
    ) -> Callable[[TCallable], TCallable]:
        """Declare an address to read. `errors`: the statuses of its problems."""
        return self.get(path, response={200: answer, errors: ProblemOut}, summary=summary)

    def acts(
        self, path: str, answer: object, summary: str, *, status: int = 200, **more: Any
    ) -> Callable[[TCallable], TCallable]:
        """Declare an address to act at. `status`: of its answer, 201 where it makes something."""
        response = {status: answer, WRITE_ERRORS: ProblemOut}
        return self.post(path, response=response, summary=summary, **more)
