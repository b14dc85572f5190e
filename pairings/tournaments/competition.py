"""What is peculiar to a match of a tournament's round: the tournament's rules and points."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime

from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext as _

from clubs.members.models import Member
from pairings.matches.competition import Competition, EffectTable, round_of
from pairings.matches.explanations import Why
from pairings.matches.models import Match
from pairings.ranking import projection
from pairings.rules.match_lifecycle import Lifecycle
from pairings.rules.match_state import Kind, Status
from pairings.systems.points.match_points import DRAW, LOSS, WIN
from pairings.tournaments import records, standings
from pairings.tournaments import rules as tournament_rules
from pairings.tournaments.models import Round, Tournament
from pairings.tournaments.wording import pairing_sentences, points_words, value_words
from ratings.ledger import origins
from ratings.ledger.origins import Origin


class MatchOfRound(Competition):
    unplayed_template = "pairings/tournaments/_unplayed_match.html"
    silence_template = "pairings/tournaments/_absence_silence.html"

    @property
    def round(self) -> Round:
        return round_of(self.match)

    @property
    def tournament(self) -> Tournament:
        return self.round.tournament

    @property
    def origin(self) -> Origin:
        return origins.tournament(self.tournament.pk)

    def match_rules(self) -> Lifecycle:
        return tournament_rules.lifecycle_of(self.tournament)

    def winning_games(self) -> int:
        return tournament_rules.rules_of(self.tournament).winning_games

    def accepts_results(self) -> bool:
        """Lock the tournament: no result is entered while the final ranking is published."""
        locked_rows = Tournament.objects.select_for_update(no_key=True, of=("self",)).filter(
            rounds=self.match.round_id
        )
        return locked_rows.values_list("state", flat=True).get() == Tournament.State.RUNNING

    def is_closed(self) -> bool:
        return self.tournament.state != Tournament.State.RUNNING

    def is_replaced(self) -> bool:
        """Return whether the round was taken back, or has another board of these players or table."""
        match = self.match
        others = Match.objects.filter(round=match.round_id).exclude(pk=match.pk)
        players = [match.first_id, match.second_id]
        same = Q(first__in=players) | Q(second__in=players)
        if match.table_number is not None:
            same |= Q(table_number=match.table_number)
        public = Round.objects.filter(matches=match.pk, published_at__isnull=False)
        return not public.exists() or others.exclude(status=Status.CANCELLED).filter(same).exists()

    def plays_from(self) -> datetime:
        """Return when the match is proposed, not before its round begins: a round may be published early."""
        return max(self.match.proposed_at, self.round.starts_at)

    @property
    def held_on(self) -> date:
        """Return the day of the round: a tournament may have one a week."""
        return self.round.starts_at.astimezone(self.match.organisation.zone).date()

    def heading(self) -> str:
        return f"{self.tournament}, {_('ronde %(number)s') % {'number': self.round.number}}"

    @property
    def page_title(self) -> str:
        return self.heading()

    @property
    def page_url(self) -> str:
        return reverse("pairings:round", args=[self.tournament.slug, self.round.number])

    def named(self, *, always_numbered: bool = False) -> dict[str, object]:
        return {"tournament": self.tournament.slug, "round": self.round.number}

    def explain(self, *, viewer_is_member: bool) -> Why:
        return pairing_sentences(self.match, viewer_is_member=viewer_is_member)

    def effect_of(self, trial: Match, entered: Match | None = None) -> EffectTable:
        return standings.effect_of(self.match, trial, entered=entered)

    def points_label(self) -> str:
        rules = tournament_rules.rules_of(self.tournament)
        return rules.unit if rules.wins_and_spread is None else _("Vict.")

    def points_scale(self) -> dict[str, object]:
        rules = tournament_rules.rules_of(self.tournament)
        values = (WIN, DRAW, LOSS) if rules.wins_and_spread is None else (1, 0.5, 0)
        win, draw, loss = (points_words(self.tournament, value) for value in values)
        return {"words": {"win": win, "draw": draw, "loss": loss}}

    def points(self, *, viewer_is_member: bool) -> dict[str, object]:
        """Return what each player has from the match by the tournament's ranking."""
        sides = _points_of(self.match)
        lines = [
            {
                "name": member.name_for(viewer_is_member=viewer_is_member),
                "values": [value_words(name, value) for name, value in points.items()],
            }
            for member, points in sides
        ]
        columns = [standings.COLUMNS[name][0] for _member, points in sides[:1] for name in points]
        return {"points": lines, "points_columns": columns}

    def points_if_final(self, member: Member) -> dict[str, object]:
        """Return the member's points by the tournament's ranking, and the games, own score first."""
        context: dict[str, object] = {"my_games": games_of(self.match, member)}
        if self.match.kind == Kind.PLAYED:
            trial = projection.trial_of(self.match, status=Status.FINAL.value, counts=True)
            member_points = [
                points for player, points in _points_of(trial) if player.pk == member.pk
            ]
            context["tournament_points"] = {
                name: value_words(name, value)
                for name, value in (member_points[0] if member_points else {}).items()
            }
        return context


def games_of(match: Match, member: Member) -> list[tuple[int, int]]:
    """Return the entered games, this player's score first."""
    first = match.first_id == member.pk
    return [(a, b) if first else (b, a) for a, b in match.games]


def _points_of(match: Match) -> list[tuple[Member, Mapping[str, object]]]:
    """Return PM and Pdep, or wins and spread, of each player for the result in force."""
    record = records.record_of(match, records.round_number(match))
    if record is None:
        return []
    shown = tournament_rules.rules_of(round_of(match).tournament).shown_points(record)
    return [
        (member, points)
        for member, points in zip(match.players(), shown, strict=False)
        if points is not None
    ]
