"""The ASGI application: the whole site in development, the event streams (`…/flux/`) in production."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_asgi_application()
