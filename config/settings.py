"""Settings from the environment. Production refuses to start with any missing.

How people sign in is in config/auth/sign_in.py.

SITE_ENV=production needs DATABASE_URL, REDIS_URL, SECRET_KEY and ALLOWED_HOSTS. Without it the site
is a development or demo one: SQLite and a generated key in DATA_DIR.
"""

from __future__ import annotations

import os
import tomllib

from csp.constants import NONCE
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _
from environ import Env

from config.auth.sign_in import *  # noqa: F403
from config.environment import (
    BASE_DIR,
    DATA_DIR,
    PRODUCTION,
    address,
    check_outside,
    database,
    folder,
    former_keys,
    host_names,
    hosts_of,
    mail_addresses,
    one_of,
    own_secret_key,
    private_redis,
    required,
    sender,
    site_url,
    strong_key,
    vapid_key,
    whole_number,
    yes_or_no,
)
from config.watch.logs import logging_for

SITE_VERSION: str = tomllib.loads((BASE_DIR / "pyproject.toml").read_text())["project"]["version"]
DEBUG = not PRODUCTION and os.environ.get("DEBUG", "") == "1"

SECRET_KEY = strong_key(required("SECRET_KEY") or own_secret_key())
SECRET_KEY_FALLBACKS = former_keys()
ALLOWED_HOSTS = hosts_of(required("ALLOWED_HOSTS"))
CSRF_TRUSTED_ORIGINS = [
    f"https://{'*' if host.startswith('.') else ''}{host}" for host in ALLOWED_HOSTS if host != "*"
]
# The address written in mails; pages take theirs from the request.
SITE_URL = site_url(
    f"https://{ALLOWED_HOSTS[0].lstrip('.')}" if PRODUCTION else "http://localhost:8000"
)
REDIS_URL = private_redis(required("REDIS_URL"))
DATABASES = {"default": database(required("DATABASE_URL"))}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

INSTALLED_APPS = [
    "config.apps.TechnicalSiteConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.forms",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "django_tables2",
    "csp",
    "clubs",
    "ratings",
    "pairings",
    "api",
]

MIDDLEWARE = [
    # Before the redirect to HTTPS and the check of the host name.
    "config.watch.health.HealthMiddleware",
    "config.watch.metrics.MetricsMiddleware",
    "config.watch.requests.RequestIdMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.middleware.HeadMiddleware",
    "csp.middleware.CSPMiddleware",
    "config.middleware.PermissionsPolicyMiddleware",
    "clubs.accounts.middleware.LateAnswerSessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "config.middleware.RequestSizeMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "config.watch.requests.ActorMiddleware",
    "clubs.accounts.middleware.OrganisationMiddleware",
    "clubs.accounts.middleware.LanguageMiddleware",
    "clubs.ui.pwa.ReaderMiddleware",
    "config.middleware.SecondArrivalMiddleware",
    "config.middleware.FormAddressMiddleware",
    "allauth.account.middleware.AccountMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "clubs.ui.navigation.frame",
            ],
            # The date filter of every template: "1er septembre".
            "builtins": ["clubs.templatetags.french_dates"],
        },
    }
]
DJANGO_TABLES2_TEMPLATE = "django_tables2/club.html"
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"

# People

AUTH_USER_MODEL = "clubs.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
PASSWORD_HASHERS = [
    "config.auth.hashers.ClubArgon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
]
SESSION_COOKIE_AGE = 300 * 86400
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "config.errors.stale_page"

# EMAIL_URL=smtp+tls://name:password@host:587 (smtp, smtp+tls, smtp+ssl, file, console), or each part
# by its own EMAIL_… name. A try times out after ten seconds: workers try again.
Env.EMAIL_SCHEMES |= {name: Env.EMAIL_SCHEMES[f"{name}mail"] for name in ("file", "console")}
mail_url = os.environ.get("EMAIL_URL") or ("smtp://localhost" if PRODUCTION else "file://")
address("EMAIL_URL", mail_url, Env.EMAIL_SCHEMES, "smtp+tls://NAME:PASSWORD@mail.example.org:587")
FROM_MAIL_URL = Env.email_url_config(mail_url)
MAIL = FROM_MAIL_URL | {
    name: value for name, value in os.environ.items() if name.startswith("EMAIL_")
}
EMAIL_BACKEND, EMAIL_HOST = MAIL["EMAIL_BACKEND"], MAIL["EMAIL_HOST"] or "localhost"
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = (
    MAIL["EMAIL_HOST_USER"] or "",
    MAIL["EMAIL_HOST_PASSWORD"] or "",
)
EMAIL_USE_TLS = yes_or_no("EMAIL_USE_TLS", "EMAIL_USE_TLS" in FROM_MAIL_URL)
EMAIL_USE_SSL = yes_or_no("EMAIL_USE_SSL", "EMAIL_USE_SSL" in FROM_MAIL_URL)
if EMAIL_USE_TLS and EMAIL_USE_SSL:
    raise ImproperlyConfigured(
        "EMAIL_USE_TLS and EMAIL_USE_SSL cannot both be 1: smtp+tls (port 587) or smtp+ssl (465)."
    )
EMAIL_PORT = whole_number(
    "EMAIL_PORT",
    MAIL["EMAIL_PORT"] or (465 if EMAIL_USE_SSL else 587 if EMAIL_USE_TLS else 25),
    least=1,
    most=65535,
)
EMAIL_FILE_PATH = DATA_DIR / "mail"
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = sender("DEFAULT_FROM_EMAIL", "club@localhost")
SERVER_EMAIL = DEFAULT_FROM_EMAIL
EMAIL_SUBJECT_PREFIX = f"[{SITE_URL.partition('://')[2]}] "

# Notifications to phones. The key is one for all processes of a site: where they do not share
# DATA_DIR, VAPID_PRIVATE_KEY holds it. Messages go to the push services of browsers and nowhere else.
VAPID_PRIVATE_KEY = vapid_key()
PUSH_HOSTS = host_names(
    "PUSH_HOSTS",
    os.environ.get("PUSH_HOSTS")
    or "fcm.googleapis.com,push.services.mozilla.com,push.apple.com,notify.windows.com",
    "push.apple.com",
)
PUSH_LOOPBACK = False  # tests have a push service of their own on 127.0.0.1
WEBHOOK_LOOPBACK = DEBUG  # a receiver on 127.0.0.1 by plain HTTP: of a developer, of tests

# How many proxies of ours are in front of the site. The client's address is then the entry that the
# outermost of them wrote into X-Forwarded-For, counted from the end (clubs/accounts/client_address.py, and allauth's
# own limits); with 0 that header and X-Forwarded-Proto can be forged and are ignored.
TRUST_PROXY = whole_number("TRUST_PROXY", 1 if PRODUCTION else 0)
ALLAUTH_TRUSTED_PROXY_COUNT = TRUST_PROXY

# Words, days and numbers

LANGUAGE_CODE = "fr"
LANGUAGES = [("fr", _("Français")), ("en", _("Anglais")), ("ro", _("Roumain"))]
LOCALE_PATHS = [BASE_DIR / "locale", BASE_DIR / "locale" / "packages"]
FORMAT_MODULE_PATH = ["config.formats"]
TIME_ZONE = "Europe/Paris"
USE_I18N = True
USE_TZ = True

# Files

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = folder("STATIC_ROOT", DATA_DIR / "static")
if not PRODUCTION:
    STATIC_ROOT.mkdir(parents=True, exist_ok=True)
MEDIA_ROOT = folder("MEDIA_ROOT", DATA_DIR / "media")
# The proxy sends photos, after the site has said that they may be read (deploy/nginx/club.conf.template).
MEDIA_BY_PROXY = yes_or_no("MEDIA_BY_PROXY", False)

# One archive of the whole site a day, this many of them; 0 makes none.
ARCHIVE_DIR = folder("ARCHIVE_DIR", DATA_DIR / "archives")
check_outside(STATIC_ROOT, DATA_DIR=DATA_DIR, MEDIA_ROOT=MEDIA_ROOT, ARCHIVE_DIR=ARCHIVE_DIR)
ARCHIVE_KEEP = whole_number("ARCHIVE_KEEP", 14 if PRODUCTION else 2)
# Days that an account is kept after its last membership ended, and the keys that recognise a repeated
# request. What a club decides for itself is on its page of personal data (docs/personal-data.md).
ACCOUNTS_KEPT_DAYS = whole_number("ACCOUNTS_KEPT_DAYS", 365)
# At least a day: without its key a request that is repeated after a cut is done twice.
OPERATIONS_KEPT_DAYS = whole_number("OPERATIONS_KEPT_DAYS", 30, least=1)
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if PRODUCTION
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = not PRODUCTION
WHITENOISE_AUTOREFRESH = False
DATA_UPLOAD_MAX_MEMORY_SIZE = 3 * 1024 * 1024
FILE_UPLOAD_MAX_MEMORY_SIZE = 3 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2000
# Whole bodies, files included (config/middleware.py).
LARGEST_BODY = 1024 * 1024
LARGEST_BODY_SIGNED_IN = 10 * 1024 * 1024

# Cache and tasks

LOCAL_MEMORY = "django.core.cache.backends.locmem.LocMemCache"
CACHES: dict[str, dict[str, object]] = {
    "default": {"BACKEND": LOCAL_MEMORY},
    # Python objects stay in the memory of the process that made them.
    "process": {"BACKEND": LOCAL_MEMORY, "LOCATION": "process"},
}
if REDIS_URL:
    CACHES |= {
        "default": {"BACKEND": "config.cache.SharedCache"},
        "redis": {
            "BACKEND": "django_redis.cache.RedisCache",
            "LOCATION": REDIS_URL,
            "OPTIONS": {
                "SOCKET_CONNECT_TIMEOUT": 1,
                "SOCKET_TIMEOUT": 2,
                # A writer to Redis must not be able to run code here, as with pickle.
                "SERIALIZER": "django_redis.serializers.json.JSONSerializer",
            },
        },
        "spare": {"BACKEND": LOCAL_MEMORY, "LOCATION": "spare", "OPTIONS": {"MAX_ENTRIES": 5000}},
    }
# A socket is unix:///path to Django's cache and redis+socket:///path to Celery.
CELERY_BROKER_URL = REDIS_URL.replace("unix://", "redis+socket://", 1) or "filesystem://"
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_IGNORE_RESULT = True
CELERY_TIMEZONE = "UTC"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# Mails, and what runs once a day, are acknowledged when done: another worker takes them up where one
# was killed. Longer than the longest wait between two tries of a mail, and than such a task.
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, object] = {"visibility_timeout": 1800}
if not REDIS_URL:
    (DATA_DIR / "queue").mkdir(parents=True, exist_ok=True)
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(DATA_DIR / "queue"),
        "data_folder_out": str(DATA_DIR / "queue"),
        "control_folder": str(DATA_DIR / "queue"),
    }
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA_DIR / "beat-schedule")
# What runs once a day or a week waits for a broker that is away; its turn would be lost.
WAITS_FOR_BROKER = {"retry_policy": {"max_retries": None}}
CELERY_BEAT_SCHEDULE = {
    # A sweep not taken in time is dropped: the next one does its work.
    "sweep-due": {"task": "pairings.tasks.sweep_due", "schedule": 5.0, "options": {"expires": 15}},
    "daily": {
        "task": "pairings.tasks.daily",
        "schedule": 86400.0,
        "options": WAITS_FOR_BROKER,
    },
    "sweep-runs": {
        "task": "ratings.tasks.sweep_runs",
        "schedule": 60.0,
        "options": {"expires": 60},
    },
    "announce-evenings": {
        "task": "pairings.tasks.announce_evenings",
        "schedule": 900.0,
        "options": {"expires": 900},
    },
    "sweep-push": {
        "task": "clubs.notifications.tasks.sweep_push",
        "schedule": 60.0,
        "options": {"expires": 60},
    },
    "sweep-webhooks": {
        "task": "api.tasks.sweep_webhooks",
        "schedule": 20.0,
        "options": {"expires": 60},
    },
    "forget-deliveries": {
        "task": "api.tasks.forget_deliveries",
        "schedule": 86400.0,
        "options": WAITS_FOR_BROKER,
    },
    "archive-site": {
        "task": "clubs.notifications.tasks.archive_site",
        "schedule": 86400.0,
        "options": WAITS_FOR_BROKER,
    },
    "expire-downloads": {
        "task": "clubs.notifications.tasks.expire_downloads",
        "schedule": 3600.0,
        "options": {"expires": 3600},
    },
    "try-archive": {
        "task": "clubs.notifications.tasks.try_archive",
        "schedule": 604800.0,
        "options": WAITS_FOR_BROKER,
    },
    "verify-journals": {
        "task": "clubs.notifications.tasks.verify_journals",
        "schedule": 60.0,
        "options": {"expires": 60},
    },
}

# Safety

SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
# Pages a phone may cache for its reader and show without a network (clubs/ui/pwa.py).
OFFLINE_VIEWS = ("pairings:my_evening", "pairings:my_card", "clubs:player_card")

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "style-src": ["'self'", NONCE],
        "img-src": ["'self'", "data:", "blob:"],
        "object-src": ["'none'"],
        "base-uri": ["'self'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
    }
}
if PRODUCTION:
    SECURE_SSL_REDIRECT = yes_or_no("SSL_REDIRECT", True)
    if TRUST_PROXY:
        SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = 365 * 86400
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True

# Monitoring. `manage.py metrics` serves /metrics here, for Prometheus on the inner network; 0 is off.

METRICS_PORT = whole_number("METRICS_PORT", 0, most=65535)
METRICS_BIND = os.environ.get("METRICS_BIND") or "127.0.0.1"
METRICS_DIR = DATA_DIR / "metrics"

# Errors go to Sentry where SENTRY_DSN is set, else to these addresses, separated by commas.
ADMINS = [("", one) for one in mail_addresses("ADMINS")]
SENTRY_DSN = os.environ.get("SENTRY_DSN", "")
if SENTRY_DSN:
    address("SENTRY_DSN", SENTRY_DSN, ("http", "https"), "https://KEY@sentry.example.org/1")
    from config.watch.reports import start_sentry

    start_sentry(SENTRY_DSN, release=SITE_VERSION)
LOGGING = logging_for(
    one_of("LOG_LEVEL", "INFO", "DEBUG", "WARNING", "ERROR", "CRITICAL"),
    one_of("LOG_FORMAT", *(("json", "text") if PRODUCTION else ("text", "json"))),
    mails=bool(ADMINS) and not SENTRY_DSN,
)
