from django.apps import AppConfig


class RatingsConfig(AppConfig):
    name = "ratings"
    verbose_name = "Cotes"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from clubs import rulebook
        from ratings import systems

        for system in systems.SYSTEMS:
            rulebook.declare(system.code, system.label, "cote", system)
