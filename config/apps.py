"""Django's own apps as this project configures them."""

from django.contrib.admin.apps import AdminConfig


class TechnicalSiteConfig(AdminConfig):
    default_site = "config.auth.technical_site.TechnicalSite"
