from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "api"
    verbose_name = "API"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from api import journal_verbs, personal_data
        from api.tokens import actions as tokens
        from api.webhooks import journal_subject
        from clubs import registries as clubs

        clubs.JOURNAL_SUBJECTS["webhook"] = journal_subject.webhooks
        clubs.JOURNAL_VALUES["webhook"] = journal_verbs.VALUES
        clubs.JOURNAL_VERBS.update(journal_verbs.VERBS)
        clubs.KEYS_OF_A_LOST_DEVICE.append(tokens.revoke_of_lost_device)
        clubs.KEYS_OF_A_MEMBER.append(tokens.revoke_of_departed)
        clubs.LEAVING_LOCKS.append(tokens.lock_of_departed)
        clubs.LEAVING_CHECKS.append(tokens.revoke_of_departed)
        clubs.PERSONAL_DATA.update(personal_data.TABLES)
