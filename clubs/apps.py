from django.apps import AppConfig


class ClubsConfig(AppConfig):
    name = "clubs"
    verbose_name = "Clubs"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from allauth.mfa.signals import authenticator_added
        from django.contrib.auth.signals import user_logged_in

        from clubs import registries
        from clubs.accounts import second_factor, sessions
        from clubs.journal import changes, subjects, wording
        from clubs.personal_data import own_tables, words
        from clubs.persons import choices
        from clubs.rulebooks import journal_changes, season_choices
        from clubs.sanctions.actions import GROUNDS_CHANGED
        from clubs.setup.awaiting import awaiting

        user_logged_in.connect(sessions.begin)
        authenticator_added.connect(second_factor.note_set_up)
        registries.AWAITING_COMMITTEE.append(awaiting)
        registries.JOURNAL_CHANGES["rulebook"] = journal_changes.changes_in
        registries.JOURNAL_SUBJECTS.update(subjects.SUBJECTS)
        registries.JOURNAL_VALUES.update(changes.VALUES)
        registries.JOURNAL_VALUES.update(season_choices.JOURNAL_VALUES)
        registries.JOURNAL_VERBS.update(wording.VERBS)
        registries.SITE_REASONS.add(GROUNDS_CHANGED)
        registries.NAME_CHOICES.append(choices.follow)
        registries.PERSONAL_CODES.append(words.CODES)
        registries.PERSONAL_DATA.update(own_tables.TABLES)
