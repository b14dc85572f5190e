"""English of allauth and Django, written as ours: e-mail, no contractions, no capital on each word."""

from __future__ import annotations

import re

ACCOUNT_WORDS = {
    # Fields, buttons and titles
    "Current Password": "Current password",
    "Email": "E-mail address",
    "New Password": "New password",
    "New Password (again)": "New password, once more",
    "Sign Out": "Sign out",
    # Sentences
    "Signed out of all other sessions.": "Your other devices are signed out.",
    # Subjects of mails
    "Authenticator App Activated": "Authenticator app activated",
    "Authenticator App Deactivated": "Authenticator app deactivated",
    "Email Confirmation": "E-mail address confirmed",
    "Password Changed": "Password changed",
    "Please Confirm Your Email Address": "Please confirm your e-mail address",
    "Sign-In Code": "Sign-in code",
    "Unknown Account": "Unknown account",
}

DJANGO_WORDS = {
    "Enter a valid email address.": "Enter an e-mail address, like name@example.org.",
    "Ensure this value is less than or equal to %(limit_value)s.": "At most %(limit_value)s.",
    "Ensure this value is greater than or equal to %(limit_value)s.": "At least %(limit_value)s.",
}
CONTRACTIONS = {
    "We've": "We have",
    "we'll": "we will",
    "You're": "You are",
    "won't": "will not",
}


def account_english(text: str) -> str:
    """Return a text of allauth in our words; names of placeholders stay as they are."""
    if text in ACCOUNT_WORDS:
        return ACCOUNT_WORDS[text]
    for short, whole in CONTRACTIONS.items():
        text = text.replace(short, whole)
    return re.sub(r"(?<![\w({:])([Ee])mail(?!\w*[()}])", r"\1-mail", text)
