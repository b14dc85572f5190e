"""The tasks of this app's packages, where Celery looks for them."""

from ratings.competitions.tasks import bring_competition, correct_list, work
from ratings.editions.tasks import write_edition_file
