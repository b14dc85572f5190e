"""The site's own settings with a push service on loopback, for the site that the browser tests run."""

from config.settings import *  # noqa: F403

PUSH_LOOPBACK = True
