"""The tasks of this app's packages, where Celery looks for them."""

from ratings.competitions.tasks import bring_competition, work
from ratings.editions.tasks import write_edition_file

__all__ = [
    "bring_competition",
    "work",
    "write_edition_file",
]
