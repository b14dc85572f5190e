"""The ASGI application: the whole site in development, the event streams (`…/flux/`) in production."""

import os

from django.conf import settings
from django.core.asgi import get_asgi_application

from config.environment import check_collected

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_asgi_application()
check_collected(settings.STATIC_ROOT)
