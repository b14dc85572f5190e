from django.apps import AppConfig


class ClubsConfig(AppConfig):
    name = "clubs"
    verbose_name = "Clubs"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from clubs import registries
        from clubs.journal import subjects

        registries.JOURNAL_SUBJECTS.update(subjects.SUBJECTS)
