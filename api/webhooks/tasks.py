"""Celery tasks: send webhooks, forget their logs."""

from __future__ import annotations

from celery import shared_task

from api.webhooks import deliveries
from clubs.upkeep import database_clock, sweeps


@shared_task(name="api.tasks.sweep_webhooks")
def sweep_webhooks() -> int:
    """Find the events since the last sweep and send what is due."""
    deliveries.gather(at=database_clock.now())
    sent = deliveries.send_due(clock=database_clock.now)
    sweeps.note("webhooks", at=database_clock.now())
    return sent


@shared_task(name="api.tasks.forget_deliveries", acks_late=True)
def forget_deliveries() -> None:
    """Delete what is old in the logs of webhooks."""
    at = database_clock.now()
    with sweeps.apart(sweeps.DELIVERIES, "logs of webhooks", at=at):
        deliveries.forget_old(at=at)
        sweeps.note(sweeps.DELIVERIES, at=at)
