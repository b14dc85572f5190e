"""The tables of the app, gathered from its packages for Django."""

from api.tokens.models import Token
from api.webhooks.models import Delivery, Webhook
