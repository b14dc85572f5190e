"""The project: settings, addresses, servers."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
