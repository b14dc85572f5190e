"""What is peculiar to a match of an evening: the club's rules, its cote, its absences."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from functools import partial

from django.urls import reverse
from django.utils.translation import gettext as _

from clubs.accounts.actor import Actor
from clubs.members.models import Member
from clubs.rulebooks import actions as rulebooks
from clubs.templatetags.french_dates import session
from clubs.templatetags.ui import percent_fr, points
from clubs.ui.french import written
from pairings.absences import actions as absences
from pairings.evenings import rating as evening_rating
from pairings.evenings.models import CheckIn, Evening
from pairings.evenings.player_page.matches import ruling_for
from pairings.evenings.wording import pairing_sentences
from pairings.matches import rating
from pairings.matches.competition import Competition, EffectTable, evening_of
from pairings.matches.explanations import Why
from pairings.matches.messages import emails
from pairings.matches.models import Match
from pairings.ranking import projection, season
from pairings.rules.match_lifecycle import Lifecycle
from pairings.rules.match_state import CLOSED, Act, Kind, Status
from pairings.rules.scoring import MatchRecord, Points, points_of
from ratings.editions import actions as editions
from ratings.handovers import actions as handovers
from ratings.handovers.queries import was_sent
from ratings.ledger import origins
from ratings.ledger.models import Edition, Period
from ratings.ledger.origins import Origin

RUNS_GAMES = (Evening.State.RUNNING, Evening.State.LAST_GAMES)


class MatchOfEvening(Competition):
    calls_players = True
    unplayed_template = "pairings/evenings/_unplayed_match.html"
    silence_template = "pairings/evenings/_absence_silence.html"

    @property
    def evening(self) -> Evening:
        return evening_of(self.match)

    def is_of_tonight(self) -> bool:
        return self.evening.is_live

    @property
    def origin(self) -> Origin:
        return origins.evening(self.evening.pk)

    def match_rules(self) -> Lifecycle:
        rules: Lifecycle = rulebooks.rules(self.match.rule_book, rulebooks.LADDER, "match")
        return rules

    def post(self, *, at: datetime, is_first: bool) -> Period | None:
        return rating.post(self.match, at=at, is_first=is_first)

    def follow_result(self, *, at: datetime, is_first: bool) -> None:
        if is_first:
            self._free_players(at)
        rating.note_absences(self.match, at=at, is_first=is_first)

    def send_correction(self, *, by: Actor, at: datetime) -> None:
        if was_sent(self.origin):  # only a closed evening is
            handovers.follow(competition=evening_rating.document_of(self.evening), by=by, at=at)

    def _free_players(self, at: datetime) -> None:
        """Make the players available again; one noted absent is taken off the waiting list."""
        gone = set(self.match.absentee_ids())
        free = {pk for pk in (self.match.first_id, self.match.second_id) if pk is not None} - gone
        here = CheckIn.objects.filter(evening=self.evening, state=CheckIn.State.PLAYING)
        if gone:
            here.filter(member_id__in=gone).update(state=CheckIn.State.LEFT)
        here.filter(member_id__in=free).update(state=CheckIn.State.WAITING, waiting_since=at)

    def review_absences(self, before: Mapping[str, object], *, by: Actor, at: datetime) -> None:
        corrected = before["status"] in CLOSED
        if corrected and self.match.justified != before["justified"]:
            absences.set_justified(self.match)
        absences.apply_policy(self.evening.season, by=by, at=at)

    def notify(self, before: Mapping[str, object], act: Act | None, by: Actor) -> None:
        emails.tell(self.match, before, act, by, partial(ruling_for, self.match))

    @property
    def held_on(self) -> date:
        return self.evening.held_on

    @property
    def season_name(self) -> str:
        return self.evening.season.name

    def heading(self) -> str:
        return written(self.held_on, "j N Y")

    @property
    def page_title(self) -> str:
        return session(self.evening)

    @property
    def page_url(self) -> str:
        return self.evening.get_absolute_url()

    def named(self, *, always_numbered: bool = False) -> dict[str, object]:
        evening = self.evening
        number = f"{evening.held_on}/{evening.number}"
        return {"evening": number if always_numbered else evening.address}

    def explain(self, *, viewer_is_member: bool) -> Why:
        return pairing_sentences(self.match, viewer_is_member=viewer_is_member)

    def effect_of(self, trial: Match, entered: Match | None = None) -> EffectTable:
        return projection.effect_of(self.match, trial, entered=entered)

    @property
    def cote_label(self) -> str:
        closed = self.evening.state == Evening.State.CLOSED
        return _("Cote") if closed else _("Cote projetée")

    def points_label(self) -> str:
        return "PR"

    def points_scale(self) -> dict[str, object]:
        scale = season.pairing_rules(self.match.rule_book).scale()
        won, lost = points_of(MatchRecord(1, 2, "played", 2, 1), scale)
        tied, _other = points_of(MatchRecord(1, 2, "played", 1, 1), scale)
        return {
            "win": won.pr,
            "loss": lost.pr if lost else 0,
            "draw": tied.pr,
            "forfeit": scale.forfeit_win,
            "absent": scale.absent,
            "bye": scale.bye,
            "bye_ds": scale.bye_ds,
            "forfeits_rated": rating.rates_forfeits(self.match),
        }

    def points(self, *, viewer_is_member: bool) -> dict[str, object]:
        """Return PR and DS of each player."""
        lines = [
            {
                "name": member.name_for(viewer_is_member=viewer_is_member),
                "values": [points(won.pr), percent_fr(won.ds)],
            }
            for member, won in _points_of(self.match)
        ]
        return {"points": lines, "points_columns": ["PR", "DS"]}

    def points_if_final(self, member: Member) -> dict[str, object]:
        """Return PR and DS of each player, and the member's own cote tonight."""
        if self.match.kind != Kind.PLAYED:
            return {}
        trial = projection.trial_of(self.match, status=Status.FINAL.value, counts=True)
        games = {self.match.pk: rating.posting_of(trial)}
        change = projection.project(self.evening, games).get(member.pk)
        return {
            "points": _points_of(trial),
            "projected": projection.cote_after(change, self.evening.rule_book),
        }

    def club_rankings(self) -> list[Edition]:
        if self.evening.state != Evening.State.CLOSED:
            return []
        return list(editions.reaching(self.match.organisation, None, self.evening.held_on))

    def can_pair_again(self) -> bool:
        return self.evening.state in RUNS_GAMES

    def control_url(self) -> str:
        return reverse("pairings:control", kwargs={"day": self.evening.address})


def _points_of(match: Match) -> list[tuple[Member, Points]]:
    """Return PR and DS of each player for the result in force."""
    record = season.record_of(match, evening_of(match).held_on) if match.counts else None
    if record is None:
        return []
    first, second = points_of(record, season.pairing_rules(match.rule_book).scale())
    points = [(match.first, first)]
    if match.second is not None and second is not None:
        points.append((match.second, second))
    return points
