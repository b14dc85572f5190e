"""Inputs of forms that Django does not have."""

from __future__ import annotations

from django import forms


class ScoreInput(forms.TextInput):
    """A score typed on a phone in big figures: the typing player's ("mine") or "theirs".

    `static/js/entry.js` reads the side; the keypad's key goes on to the next field or sends.
    """

    def __init__(self, side: str) -> None:
        attrs = {"class": "score-input", "data-score": side, "inputmode": "numeric"}
        attrs |= {"pattern": r"\s*-?[0-9]{1,4}\s*", "maxlength": "5", "autocomplete": "off"}
        super().__init__({**attrs, "enterkeyhint": "next" if side == "mine" else "send"})
