"""Settings, all in one file, from the environment. Production refuses to start with any missing.

SITE_ENV=production needs DATABASE_URL, REDIS_URL, SECRET_KEY and ALLOWED_HOSTS. Without it the site
is a development or demo one: SQLite and a generated key in DATA_DIR.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from csp.constants import NONCE
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

from config.logging import logging_for
from config.mail import mail_server

BASE_DIR = Path(__file__).resolve().parent.parent
PRODUCTION = os.environ.get("SITE_ENV") == "production"
DEBUG = not PRODUCTION and os.environ.get("DEBUG", "") == "1"
DATA_DIR = Path(os.environ.get("DATA_DIR", BASE_DIR / "data"))


def required(name: str) -> str:
    """Return an environment variable that production requires."""
    value = os.environ.get(name, "")
    if PRODUCTION and not value:
        raise ImproperlyConfigured(f"{name} is not set: the site refuses to start without it.")
    return value


def whole_number(name: str, default: int) -> int:
    """Return an environment variable that is a whole number from 0 on."""
    value = os.environ.get(name, "") or str(default)
    if not (value.isascii() and value.isdigit()):
        raise ImproperlyConfigured(f"{name} must be a whole number, not {value!r}.")
    return int(value)


def private_folder(path: Path) -> Path:
    """Create the folder if it is missing, for this account only."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def private_file(path: Path) -> Path:
    """Create the file if it is missing, for this account only; SQLite's other files copy its mode."""
    path.touch(mode=0o600)
    if path.stat().st_uid == os.geteuid() and path.stat().st_mode & 0o077:
        path.chmod(0o600)
    return path


def hosts_of(text: str) -> list[str]:
    """Return the names the site answers to; production must name each of them."""
    found = [host.strip() for host in text.split(",") if host.strip()]
    if PRODUCTION and any(host.strip(".*") == "" for host in found):
        raise ImproperlyConfigured(
            "ALLOWED_HOSTS must name the hosts of the site, not all of them."
        )
    return found or ["*"]


def strong_key(key: str) -> str:
    """Return the secret key; production refuses one that can be guessed."""
    weak = len(key) < 50 or len(set(key)) < 10 or key.startswith("django-insecure-")
    if PRODUCTION and weak:
        raise ImproperlyConfigured(
            "SECRET_KEY is weak: give at least 50 random characters, for instance those of "
            "python3 -c 'import secrets; print(secrets.token_urlsafe(50))'."
        )
    return key


def private_redis(url: str) -> str:
    """Return the address of Redis; production refuses one that anybody on the network may write to."""
    parts = urlsplit(url)
    near = parts.scheme == "unix" or parts.hostname in ("localhost", "127.0.0.1", "::1")
    if PRODUCTION and not near and not parts.password:
        raise ImproperlyConfigured(
            "REDIS_URL has no password: tasks and rate limits are in Redis. Give it one "
            "(redis://:password@host:6379/0), or use a unix socket or this machine's own Redis."
        )
    return url


def own_secret_key() -> str:
    """Return a key created once and stored beside the data, for a site without configuration."""
    path = DATA_DIR / "secret_key"
    if path.is_file():
        return path.read_text().strip()
    private_folder(DATA_DIR)
    key = secrets.token_urlsafe(50)
    private_file(path).write_text(key)
    return key


STATEMENT_TIMEOUT_S = int(os.environ.get("DATABASE_STATEMENT_TIMEOUT", "30"))
"""Seconds; 0 is without limit."""
LOCK_TIMEOUT_S = 10


def database(url: str) -> dict[str, Any]:
    """Return DATABASE_URL as Django's dictionary; without it, SQLite."""
    if not url:
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": private_file(private_folder(DATA_DIR) / "club.sqlite3"),
            "OPTIONS": {
                "transaction_mode": "IMMEDIATE",
                "timeout": 20,
                "init_command": (
                    "PRAGMA journal_mode=WAL; "
                    # REPLACE fires the DELETE triggers of append-only tables.
                    "PRAGMA recursive_triggers=ON; "
                    f"PRAGMA synchronous={os.environ.get('SQLITE_SYNCHRONOUS', 'FULL')};"
                ),
            },
            "TEST": {"NAME": os.environ.get("TEST_SQLITE", str(DATA_DIR / "test.sqlite3"))},
        }
    parts = urlsplit(url)
    if parts.scheme not in ("postgres", "postgresql"):
        raise ImproperlyConfigured("DATABASE_URL must begin with postgresql://")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or "") or dict(parse_qsl(parts.query)).get("host", ""),
        "PORT": str(parts.port or ""),
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {
            # Rows read through a cursor are all read: plan for the whole result, not for its
            # start (the latest cotes of a long list: 1.7 s instead of 5.4).
            # A web request never waits longer than this for one statement or one lock; PostgreSQL
            # cancels it, and the page is a 503. Management commands have no limit (manage.py).
            "options": (
                "-c cursor_tuple_fraction=1"
                f" -c statement_timeout={STATEMENT_TIMEOUT_S * 1000}"
                f" -c lock_timeout={min(STATEMENT_TIMEOUT_S, LOCK_TIMEOUT_S) * 1000}"
            ),
            # A server that does not answer is given up: at once when connecting, and within a
            # minute where an open connection was cut without notice (power, cable, firewall).
            "connect_timeout": 5,
            "keepalives": 1,
            "keepalives_idle": 30,
            "keepalives_interval": 10,
            "keepalives_count": 3,
            "tcp_user_timeout": 60_000,
            # Connections of a process, shared by its threads: a request waits up to `timeout`
            # seconds for a free one.
            "pool": {
                "min_size": 0,
                "max_size": int(os.environ.get("DATABASE_POOL", "8")),
                "timeout": 10,
            },
        },
    }


SECRET_KEY = strong_key(required("SECRET_KEY") or own_secret_key())
ALLOWED_HOSTS = hosts_of(required("ALLOWED_HOSTS"))
CSRF_TRUSTED_ORIGINS = [
    f"https://{'*' if host.startswith('.') else ''}{host}" for host in ALLOWED_HOSTS if host != "*"
]
# The address written in mails; pages take theirs from the request.
SITE_URL = os.environ.get(
    "SITE_URL",
    f"https://{ALLOWED_HOSTS[0].lstrip('.')}" if PRODUCTION else "http://localhost:8000",
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
    "django_tables2",
    "csp",
    "clubs",
    "ratings",
    "pairings",
]

MIDDLEWARE = [
    # Before the redirect to HTTPS and the check of the host name.
    "config.health.HealthMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.middleware.HeadMiddleware",
    "csp.middleware.CSPMiddleware",
    "config.middleware.PermissionsPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "config.request_size.RequestSizeMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "clubs.accounts.middleware.LanguageMiddleware",
    "clubs.accounts.middleware.OrganisationMiddleware",
    "clubs.ui.pwa.ReaderMiddleware",
    "allauth.account.middleware.AccountMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
ASGI_APPLICATION = "config.asgi.application"

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
ACCOUNT_ADAPTER = "config.auth.account_adapter.ClubAccountAdapter"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = os.environ.get(
    "EMAIL_VERIFICATION", "mandatory" if PRODUCTION else "none"
)
ACCOUNT_LOGIN_BY_CODE_ENABLED = True
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if PRODUCTION else "http"
LOGIN_REDIRECT_URL = "pairings:my_evening"
ACCOUNT_LOGOUT_REDIRECT_URL = "clubs:home"
LOGIN_URL = "account_login"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes", "webauthn"]
SESSION_COOKIE_AGE = 300 * 86400
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"

# EMAIL_URL=smtp+tls://name:password@host:587 (smtp, smtp+tls, smtp+ssl, file, console), or each part
# by its own EMAIL_… name. A try times out after ten seconds: workers try again.
MAIL = mail_server(
    os.environ.get("EMAIL_URL", "" if PRODUCTION else "file://"),
    os.environ,
)
EMAIL_BACKEND = MAIL["EMAIL_BACKEND"]
EMAIL_HOST, EMAIL_PORT = MAIL["EMAIL_HOST"], int(MAIL["EMAIL_PORT"])
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = MAIL["EMAIL_HOST_USER"], MAIL["EMAIL_HOST_PASSWORD"]
EMAIL_USE_TLS, EMAIL_USE_SSL = MAIL["EMAIL_USE_TLS"] == "1", MAIL["EMAIL_USE_SSL"] == "1"
EMAIL_FILE_PATH = DATA_DIR / "mail"
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = os.environ.get("DEFAULT_FROM_EMAIL", "club@localhost")

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
STATIC_ROOT = Path(os.environ.get("STATIC_ROOT", DATA_DIR / "static"))
if not PRODUCTION:
    STATIC_ROOT.mkdir(parents=True, exist_ok=True)
MEDIA_ROOT = DATA_DIR / "media"
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
# Whole bodies, files included (config/request_size.py).
LARGEST_BODY = 1024 * 1024
LARGEST_BODY_SIGNED_IN = 10 * 1024 * 1024

# Cache and tasks

CACHES = {
    "default": (
        {
            "BACKEND": "config.cache.SharedCache",
            "LOCATION": REDIS_URL,
            "OPTIONS": {
                "socket_connect_timeout": 1,
                "socket_timeout": 2,
                "serializer": "config.cache.JsonSerializer",
            },
        }
        if REDIS_URL
        else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    ),
    # Python objects stay in the memory of the process that made them.
    "process": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "process",
    },
}
# A socket is unix:///path to Django's cache and redis+socket:///path to Celery.
CELERY_BROKER_URL = REDIS_URL.replace("unix://", "redis+socket://", 1) or "filesystem://"
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_TIME_LIMIT = 900
CELERY_TIMEZONE = "UTC"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
if not REDIS_URL:
    (DATA_DIR / "queue").mkdir(parents=True, exist_ok=True)
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(DATA_DIR / "queue"),
        "data_folder_out": str(DATA_DIR / "queue"),
        "control_folder": str(DATA_DIR / "queue"),
    }
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA_DIR / "beat-schedule")
CELERY_BEAT_SCHEDULE = {
    # A sweep not taken in time is dropped: the next one does its work.
    "sweep-due": {
        "task": "pairings.tasks.sweep_due",
        "schedule": 5.0,
        "options": {"expires": 15},
    },
    "daily": {"task": "pairings.tasks.daily", "schedule": 86400.0},
    "sweep-runs": {
        "task": "ratings.tasks.sweep_runs",
        "schedule": 60.0,
        "options": {"expires": 60},
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
    SECURE_SSL_REDIRECT = os.environ.get("SSL_REDIRECT", "1") == "1"
    if TRUST_PROXY:
        SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = 365 * 86400
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True

LOGGING = logging_for(os.environ.get("LOG_LEVEL", "INFO"))
