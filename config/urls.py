"""Addresses. French paths in every language; the organisation's prefix is the middleware's."""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path, re_path

from clubs.accounts.views import (
    ChangeAddress,
    ConfirmAddress,
    Devices,
    ReauthenticateByCode,
    ReauthenticateByKey,
    SignInByKey,
    SignOut,
)
from clubs.organisations.views import manifest
from clubs.ui import pwa
from config.styleguide import styleguide

urlpatterns = [
    path("manifest.webmanifest", manifest, name="manifest"),
    path("sw.js", pwa.service_worker, name="service_worker"),
    path("hors-ligne/", pwa.offline_page, name="offline"),
    path("compte/2fa/webauthn/login/", SignInByKey.as_view(), name="mfa_login_webauthn"),
    path(
        "compte/2fa/webauthn/reauthenticate/",
        ReauthenticateByKey.as_view(),
        name="mfa_reauthenticate_webauthn",
    ),
    path("compte/logout/", SignOut.as_view(), name="account_logout"),
    path("compte/email/", ChangeAddress.as_view(), name="account_email"),
    path("compte/sessions/", Devices.as_view(), name="usersessions_list"),
    re_path(
        r"^compte/confirm-email/(?P<key>[-:\w]+)/$",
        ConfirmAddress.as_view(),
        name="account_confirm_email",
    ),
    path("compte/", include("allauth.urls")),
    path("compte/code/", ReauthenticateByCode.as_view(), name="reauthenticate_by_code"),
    path("langue/", include("django.conf.urls.i18n")),
    path("gestion/technique/", admin.site.urls),
    path("", include("api.urls")),
    path("", include("pairings.urls")),
    path("", include("ratings.urls")),
    path("", include("clubs.urls")),
]
handler400 = "config.errors.bad_request"
handler404 = "config.errors.not_found"
handler429 = "config.errors.too_many"  # of allauth
handler500 = "config.errors.failed"
if settings.DEBUG:
    urlpatterns += [
        path("styleguide/", styleguide, name="styleguide"),
        path("styleguide/<str:screen>/", styleguide, name="styleguide_screen"),
    ]
