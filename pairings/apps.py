from django.apps import AppConfig


class PairingsConfig(AppConfig):
    name = "pairings"
    verbose_name = "Rencontres"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from clubs import registries as clubs
        from clubs.rulebooks import actions as rulebooks
        from pairings import home_blocks, journal_subjects, journal_verbs, personal_data, registries
        from pairings.arbitration.models import Contest
        from pairings.demo import views as demo_views
        from pairings.evenings import queries as evening_queries
        from pairings.evenings import rating as evening_rating
        from pairings.evenings.competition import MatchOfEvening
        from pairings.matches import photos, reasons
        from pairings.matches.models import Seat
        from pairings.players import views_own
        from pairings.ranking import views_pdi_waivers
        from pairings.ranking.publication import ClubRanking
        from pairings.ranking.simulation import ladder_places
        from pairings.rules.match_lifecycle import Lifecycle
        from pairings.systems.faizers.system import FaizersPairing
        from pairings.tournaments import rating as tournament_rating
        from pairings.tournaments import registration
        from pairings.tournaments.competition import MatchOfRound
        from ratings import registries as ratings
        from ratings.editions.sources import CLUB

        rulebooks.declare(
            rulebooks.LADDER, "Échelle FAIZERS", "pairing", FaizersPairing, by_evening=True
        )
        rulebooks.declare(rulebooks.LADDER, "Échelle FAIZERS", "match", Lifecycle)
        clubs.MENU_COUNTS["contests"] = lambda access: (
            Contest.objects.of(access.organisation).open().count()
        )
        clubs.AWAITING_COMMITTEE += [home_blocks.live_evenings, home_blocks.requests_to_correct]
        clubs.GOING_ON += [home_blocks.evenings_to_end, home_blocks.tournaments_to_end]
        for label in ("pairings.Submission", "pairings.Contest"):
            clubs.ARCHIVED_FILES[label] = lambda row: photos.path_of(row.photo)
        clubs.PERSONAL_CODES.append(personal_data.CODES)
        clubs.PERSONAL_DATA.update(personal_data.TABLES)
        clubs.LEAVING_LOCKS.append(registration.lock_current)
        clubs.LEAVING_CHECKS.append(personal_data.before_leaving)
        clubs.PLAYED_CHECKS.append(lambda member: Seat.objects.filter(member=member).exists())
        clubs.PLAYED_AFTER.append(evening_queries.has_opened_after)
        clubs.GUESTS_ASKED.append(evening_queries.has_asked)
        clubs.SEASON_DAYS.append(evening_queries.days_outside)
        clubs.PORTAL_PARTS += [demo_views.portal_strip, home_blocks.clubs]
        clubs.HOME_PARTS += [demo_views.strip, home_blocks.club, home_blocks.coming]
        clubs.OWN_PARTS += [views_own.to_do, views_own.place, views_own.evenings]
        clubs.RULE_EXAMPLES[rulebooks.LADDER] = home_blocks.example
        clubs.RULES_TONIGHT[rulebooks.LADDER] = evening_queries.rules_tonight
        clubs.RULE_NOTES[rulebooks.LADDER] = views_pdi_waivers.rules_note
        clubs.PRINTED_PAGES.append("pairings:checkin_code")
        clubs.JOURNAL_SUBJECTS.update(journal_subjects.SUBJECTS)
        clubs.JOURNAL_VALUES.update(journal_verbs.VALUES)
        clubs.JOURNAL_VERBS.update(journal_verbs.VERBS)
        clubs.SITE_REASONS.update(reasons.REASONS)
        for kind, rating in (("evening", evening_rating), ("tournament", tournament_rating)):
            ratings.HANDING_PAGES[kind] = rating.handing_page
        ratings.EDITION_SOURCES[CLUB] = ClubRanking()
        ratings.SIMULATED_STANDINGS[rulebooks.LADDER] = ladder_places
        registries.COMPETITIONS.update({"evening": MatchOfEvening, "round": MatchOfRound})
