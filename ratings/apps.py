from django.apps import AppConfig


class RatingsConfig(AppConfig):
    name = "ratings"
    verbose_name = "Cotes"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from clubs import registries as clubs
        from clubs.rulebooks import actions as rulebooks
        from ratings import home_blocks, journal_subjects, journal_verbs, personal_data, systems
        from ratings.ledger.correction_policy import CorrectionPolicy
        from ratings.ledger.models import RatingList
        from ratings.ledger.posting import outdate_previews

        for system in systems.SYSTEMS:
            rulebooks.declare(system.code, system.label, "cote", system)
            rulebooks.declare(system.code, system.label, rulebooks.CORRECTION, CorrectionPolicy)
        clubs.SCOPES_USED.append(
            lambda organisation: (
                RatingList.objects.filter(organisation=organisation)
                .values_list("system", flat=True)
                .distinct()
            )
        )
        clubs.RULES_ADOPTED.append(outdate_previews)
        clubs.AWAITING_COMMITTEE.append(home_blocks.awaiting_officer)
        clubs.HOME_PARTS += [home_blocks.news, home_blocks.lists]
        clubs.JOURNAL_SUBJECTS.update(journal_subjects.SUBJECTS)
        clubs.NAMED_SUBJECTS["edition"] = journal_subjects.editions
        clubs.JOURNAL_VALUES.update(journal_verbs.VALUES)
        clubs.JOURNAL_VERBS.update(journal_verbs.VERBS)
        clubs.PERSONAL_CODES.append(personal_data.CODES)
        clubs.PERSONAL_DATA.update(personal_data.TABLES)
