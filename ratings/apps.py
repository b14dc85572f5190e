from django.apps import AppConfig


class RatingsConfig(AppConfig):
    name = "ratings"
    verbose_name = "Cotes"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from clubs.rulebooks import actions as rulebook
        from ratings import systems
        from ratings.ledger.correction_policy import PART, CorrectionPolicy

        for system in systems.SYSTEMS:
            rulebook.declare(system.code, system.label, "cote", system)
            rulebook.declare(system.code, system.label, PART, CorrectionPolicy)

        from ratings.ledger.models import RatingList

        rulebook.USED_BY.append(
            lambda organisation: (
                RatingList.objects.filter(organisation=organisation)
                .values_list("system", flat=True)
                .distinct()
            )
        )

        from clubs.organisations import views as public
        from ratings.lists import views as lists

        public.home_part(lists.home)
