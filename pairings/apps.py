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

        from clubs import context, members
        from pairings.models import Contest, Seat

        context.count_with(
            "contests", lambda access: Contest.objects.of(access.organisation).open().count()
        )
        members.PLAYED_CHECKS.append(lambda member: Seat.objects.filter(member=member).exists())

        import clubs.views.public as public
        from pairings.views import home_parts, ties

        public.home_part(home_parts.evening)
        public.home_part(home_parts.tournaments)
        public.home_part(home_parts.top)
        public.EXAMPLES.append(home_parts.example)
        public.RULE_NOTES.append(ties.rules_note)

        from clubs import sentences
        from pairings import subjects

        sentences.SUBJECTS.update(
            {
                "match": subjects.matches,
                "evening": subjects.evenings,
                "tournament": subjects.tournaments,
                "pdi_waiver": subjects.waivers,
            }
        )

        from pairings.publication import ClubRanking
        from ratings import editions

        editions.SOURCES[editions.CLUB] = ClubRanking()

        from pairings.simulation import ladder_places
        from ratings import simulation

        simulation.STANDINGS["faizers"] = ladder_places
