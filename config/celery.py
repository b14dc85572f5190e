"""Celery, configured by Django's settings."""

import os
import threading

from celery import Celery
from celery.signals import worker_shutting_down

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("club")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

STOP_S = 4
"""A worker that receives SIGTERM ends after so long, in the middle of a task too."""


@worker_shutting_down.connect
def stop_in_time(**_options: object) -> None:
    """End the process although a task runs: its threads cannot be stopped, and Celery waits for them.

    A task in hand is taken up again as after a worker that was killed.
    """
    timer = threading.Timer(STOP_S, os._exit, [0])
    timer.daemon = True
    timer.start()
