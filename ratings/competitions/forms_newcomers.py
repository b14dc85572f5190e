"""What an officer says of the new players of a competition that waits: start, grade, estimate.

A file says it when it is brought in. What a club hands over, and what a refused dry run asks for,
is said here (000 5, 003 8); once the competition is rated, a correction says it with its other facts.
"""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext as _

from clubs.members.models import Member
from ratings import systems
from ratings.competitions import drafts
from ratings.competitions.forms import lines_of_players, person_named
from ratings.handovers.forms import fact_field
from ratings.ledger.models import Period


class DeclaredForm(forms.Form):
    """One line a player: their number, licence or name; then what is asked."""

    def __init__(self, *args: Any, period: Period, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.period, self.asked = period, drafts.lines_asked(period.rating_list)
        players = period.facts.get("players", {})
        known = Member.objects.in_bulk([int(pk) for pk in players])
        for asked in self.asked:
            self.fields[asked.name] = fact_field(asked)
            self.initial[asked.name] = "\n".join(
                "; ".join([str(known[int(pk)].number), *(str(facts[part]) for part in asked.parts)])
                for pk, facts in players.items()
                if int(pk) in known and all(part in facts for part in asked.parts)
            )

    def clean(self) -> dict[str, object]:
        answers = super().clean() or {}
        games = self.period.games.in_force().values_list("first_id", "second_id")
        here = {pk for pair in games for pk in pair}
        parts = {part for asked in self.asked for part in asked.parts}
        self.players: dict[str, dict[str, object]] = {}
        for player, known in self.period.facts.get("players", {}).items():
            if kept := {part: value for part, value in known.items() if part not in parts}:
                self.players[player] = kept
        for asked in self.asked:
            rows, problem = lines_of_players(answers.get(asked.name, ""), asked)
            if problem:
                self.add_error(asked.name, problem)
            for number, (name, *told) in enumerate(rows, start=1):
                try:
                    pk = person_named(self.period.rating_list.organisation, name)
                    if pk not in here:
                        raise forms.ValidationError(_("Ce joueur est inconnu."))
                except forms.ValidationError as unknown:
                    details = {"n": number, "why": unknown.messages[0]}
                    self.add_error(asked.name, _("Ligne %(n)s : %(why)s") % details)
                    continue
                self.players.setdefault(str(pk), {}).update(zip(asked.parts, told, strict=True))
        return answers


class FactsForm(DeclaredForm):
    """Every fact that the list's document asks of a competition, as it is stored and corrected."""

    def __init__(self, *args: Any, period: Period, **kwargs: Any) -> None:
        super().__init__(*args, period=period, **kwargs)
        every = systems.system(period.rating_list.system).asks
        self.of_event = [asked for asked in every if asked.kind != "lines"]
        for asked in self.of_event:
            field = fact_field(asked)
            field.required = asked.required
            self.fields[asked.name] = field
            self.initial[asked.name] = period.facts.get(asked.name)
        self.order_fields([asked.name for asked in every])

    def facts(self) -> dict[str, Any]:
        """Return all facts of the competition, with what was typed."""
        typed = {asked.name: self.cleaned_data[asked.name] for asked in self.of_event}
        facts = {**self.period.facts, **typed, "players": self.players}
        left_out = {name for name in (*typed, "players") if facts[name] in (None, "", False, {})}
        return {name: fact for name, fact in facts.items() if name not in left_out}
