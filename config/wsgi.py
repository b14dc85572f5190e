"""The WSGI application: the pages, for gunicorn or any other WSGI server."""

import os
from importlib import import_module

from django.conf import settings
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_wsgi_application()
# Every page's code is read now, once for the workers that are forked from here, not at the first visit.
import_module(settings.ROOT_URLCONF)
