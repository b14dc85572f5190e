"""The WSGI application: the pages, for gunicorn or any other WSGI server."""

import gc
import os
from importlib import import_module

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from config.environment import check_collected

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_wsgi_application()
check_collected(settings.STATIC_ROOT)
# Every page's code is read now, once for the workers that are forked from here, not at the first visit.
import_module(settings.ROOT_URLCONF)
# What was read so far stays: a worker's collector need not walk it, which would copy its memory.
gc.collect()
gc.freeze()
