"""Celery task: write the files of a long edition."""

from __future__ import annotations

from celery import shared_task
from django.utils import translation

from ratings.editions import file_cache
from ratings.ledger.models import Edition


@shared_task(name="ratings.tasks.write_edition_file")
def write_edition_file(edition_id: int, extension: str, language: str) -> None:
    """Write the PDF or XLSX of a long edition."""
    with translation.override(language):
        file_cache.write(Edition.objects.get(pk=edition_id), extension)
