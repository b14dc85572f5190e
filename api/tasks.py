"""The tasks of this app's packages, where Celery looks for them."""

from api.webhooks.tasks import forget_deliveries, sweep_webhooks
