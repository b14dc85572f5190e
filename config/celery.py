"""Celery, configured by Django's settings."""

import os
import threading

from celery import Celery
from celery.beat import Service
from celery.signals import beat_init, worker_shutting_down

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


@beat_init.connect
def forget_the_future(sender: Service, **_options: object) -> None:
    """Take up again what last ran in the future, where the machine's clock was ahead.

    Celery keeps those times in a file, and would send no task before the clock reaches them again.
    """
    at = app.now()
    for entry in sender.scheduler.schedule.values():
        entry.last_run_at = min(entry.last_run_at, at)
