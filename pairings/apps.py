from django.apps import AppConfig


class PairingsConfig(AppConfig):
    name = "pairings"
    verbose_name = "Rencontres"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from clubs import rulebook
        from pairings.match_flow import Lifecycle
        from pairings.systems.faizers import FaizersPairing

        rulebook.declare("faizers", "Échelle FAIZERS", "pairing", FaizersPairing)
        rulebook.declare("faizers", "Échelle FAIZERS", "match", Lifecycle)

        from clubs import context
        from pairings.models import Contest

        context.count_with(
            "contests", lambda access: Contest.objects.of(access.organisation).open().count()
        )
