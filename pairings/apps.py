from django.apps import AppConfig


class PairingsConfig(AppConfig):
    name = "pairings"
    verbose_name = "Rencontres"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from clubs.rulebooks import actions as rulebook
        from pairings.rules.match_lifecycle import Lifecycle
        from pairings.systems.faizers.system import FaizersPairing

        rulebook.declare("faizers", "Échelle FAIZERS", "pairing", FaizersPairing)
        rulebook.declare("faizers", "Échelle FAIZERS", "match", Lifecycle)

        from clubs.members import actions as members
        from clubs.ui import navigation as context
        from pairings.arbitration.models import Contest
        from pairings.matches.models import Seat

        context.count_with(
            "contests", lambda access: Contest.objects.of(access.organisation).open().count()
        )
        members.PLAYED_CHECKS.append(lambda member: Seat.objects.filter(member=member).exists())

        from clubs.organisations import views as public
        from pairings import home_blocks as home_parts
        from pairings.ranking import views_pdi_waivers as ties

        public.home_part(home_parts.evening)
        public.home_part(home_parts.tournaments)
        public.home_part(home_parts.top)
        public.EXAMPLES.append(home_parts.example)
        public.RULE_NOTES.append(ties.rules_note)

        from clubs.journal import wording as sentences
        from pairings import journal_subjects as subjects

        sentences.SUBJECTS.update(
            {
                "match": subjects.matches,
                "evening": subjects.evenings,
                "tournament": subjects.tournaments,
                "pdi_waiver": subjects.waivers,
            }
        )

        from pairings.ranking.publication import ClubRanking
        from ratings.editions import actions as editions

        editions.SOURCES[editions.CLUB] = ClubRanking()

        from pairings.ranking.simulation import ladder_places
        from ratings.competitions import simulation

        simulation.STANDINGS["faizers"] = ladder_places

        from pairings.evenings.competition import MatchOfEvening
        from pairings.registries import COMPETITIONS
        from pairings.tournaments.competition import MatchOfRound

        COMPETITIONS.update({"evening": MatchOfEvening, "round": MatchOfRound})
