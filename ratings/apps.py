from django.apps import AppConfig


class RatingsConfig(AppConfig):
    name = "ratings"
    verbose_name = "Cotes"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from clubs import rulebook
        from ratings import systems
        from ratings.correction_policy import PART, CorrectionPolicy

        for system in systems.SYSTEMS:
            rulebook.declare(system.code, system.label, "cote", system)
            rulebook.declare(system.code, system.label, PART, CorrectionPolicy)

        from ratings.models import RatingList

        rulebook.USED_BY.append(
            lambda organisation: (
                RatingList.objects.filter(organisation=organisation)
                .values_list("system", flat=True)
                .distinct()
            )
        )

        import clubs.views.public as public
        from ratings.views import lists

        public.home_part(lists.home)
