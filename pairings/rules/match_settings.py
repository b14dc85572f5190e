"""The committee's numbers for a match: its window, its deadlines, the bounds of a score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from clubs.rulebooks.fields import Contradiction, gettext_noop, setting

_LIFE = gettext_noop("Confirmation")


def _rare(default: int, label: str) -> Any:
    """Declare a bound beyond which a score is to be read again; None asks nothing."""
    return setting(
        default,
        label,
        unit=gettext_noop("points"),
        article="002 V.A",
        group=_LIFE,
        effect=gettext_noop("À relire avant l’envoi."),
        empty=gettext_noop("Vide : rien n’est demandé."),
        minimum=-2000,
        maximum=10000,
        nullable=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LifecycleSettings:
    """Committee settings of the match lifecycle."""

    contest_window_s: int = setting(
        300,
        gettext_noop("Délai de contestation"),
        unit=gettext_noop("secondes"),
        article="002 V.B.1",
        group=_LIFE,
        effect=gettext_noop("Temps laissé pour confirmer ou contester après la saisie."),
        minimum=60,
        maximum=3600,
    )
    tacit_acceptance: bool = setting(
        True,
        gettext_noop("Le silence vaut accord"),
        article="002 V.B.1",
        group=_LIFE,
        effect=gettext_noop(
            "Oui : sans réponse, le résultat devient définitif. Non : l’arbitre tranche."
        ),
    )
    final_on_confirm: bool = setting(
        True,
        gettext_noop("Définitif dès la confirmation des deux joueurs"),
        article="002 V.A",
        group=_LIFE,
        effect=gettext_noop(
            "Sinon le résultat compte mais reste contestable jusqu’à la fin du délai."
        ),
    )
    absence_grace_s: int = setting(
        900,
        gettext_noop("Délai avant de signaler une absence"),
        unit=gettext_noop("secondes"),
        article="002 II.A.2",
        group=_LIFE,
        effect=gettext_noop(
            "Compté depuis la proposition du match ; en tournoi, au plus tôt depuis le début de la ronde."
        ),
        minimum=0,
        maximum=86400,
    )
    deadline_s: int = setting(
        7 * 86400,
        gettext_noop("Délai pour jouer le match"),
        unit=gettext_noop("secondes"),
        article="002 II.A.2",
        group=_LIFE,
        effect=gettext_noop("Passé ce délai, un match sans résultat est annulé."),
        minimum=3600,
        maximum=60 * 86400,
    )
    arbiter_may_judge_own_match: bool = setting(
        False,
        gettext_noop("Un arbitre peut trancher son propre match"),
        article="002 V.B.2",
        group=_LIFE,
    )
    min_score: int = setting(
        -200,
        gettext_noop("Score le plus bas accepté"),
        unit=gettext_noop("points"),
        article="002 V.A",
        group=_LIFE,
        minimum=-2000,
        maximum=0,
    )
    max_score: int = setting(
        2000,
        gettext_noop("Score le plus haut accepté"),
        unit=gettext_noop("points"),
        article="002 V.A",
        group=_LIFE,
        minimum=1,
        maximum=10000,
    )
    usual_low: int | None = _rare(100, gettext_noop("Score rare en dessous de"))
    usual_high: int | None = _rare(800, gettext_noop("Score rare au-dessus de"))

    def contradiction(self) -> Contradiction | None:
        """Return which numbers of a new version leave an act no time, or every score rare."""
        low, high = self.usual_low, self.usual_high
        if self.absence_grace_s >= self.deadline_s:
            return Contradiction(
                "absence_grace_s",
                gettext_noop(
                    "Ce délai doit être plus court que celui pour jouer le match : personne ne "
                    "pourrait signaler une absence."
                ),
            )
        if low is not None and high is not None and low > high:
            return Contradiction(
                "usual_high",
                gettext_noop(
                    "Cette limite ne peut pas être au-dessous de l’autre : tous les scores "
                    "seraient rares."
                ),
            )
        if low is not None and low > self.max_score:
            return Contradiction(
                "usual_low",
                gettext_noop(
                    "Le score le plus haut accepté est plus bas : tous les scores seraient rares. "
                    "Laissez la case vide si aucun ne l’est."
                ),
            )
        if high is not None and high < self.min_score:
            return Contradiction(
                "usual_high",
                gettext_noop(
                    "Le score le plus bas accepté est plus haut : tous les scores seraient rares. "
                    "Laissez la case vide si aucun ne l’est."
                ),
            )
        return None

    @property
    def has_rare_scores(self) -> bool:
        """Whether a score can be rare here; in a game of few scores none is, and none is a repetition."""
        return self.usual_low is not None or self.usual_high is not None

    def is_rare(self, score: int) -> bool:
        """Return whether a score is beyond the bounds from which it is to be read again."""
        low, high = self.usual_low, self.usual_high
        return (low is not None and score < low) or (high is not None and score > high)
