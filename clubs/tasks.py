"""The tasks of this app's packages, where Celery looks for them."""

from clubs.archive.tasks import archive_club, archive_site, expire_downloads, try_archive
from clubs.journal.tasks import verify_journals
from clubs.members.tasks import undo_import, write_import
from clubs.notifications.tasks import send_letter, send_push, sweep_push
from clubs.persons.tasks import write_licences
from clubs.upkeep.tasks import sweep_runs
