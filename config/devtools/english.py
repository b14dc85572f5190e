"""English of allauth and Django, written as ours: e-mail, no contractions, no capital on each word."""

from __future__ import annotations

import re

ACCOUNT_WORDS = {
    # Fields, buttons and titles
    "Bad Token": "Invalid link",
    "Change Password": "Change my password",
    "Current Password": "Current password",
    "Email": "E-mail address",
    "Forgot Password?": "Forgotten your password?",
    "New Password": "New password",
    "New Password (again)": "New password, once more",
    "Password Reset": "Reset my password",
    "Reset My Password": "Send the e-mail",
    "Set Password": "Set a password",
    "Sign Out": "Sign out",
    # Sentences
    "Too many failed login attempts. Try again later.": (
        "Too many failed attempts to sign in. Try again later."
    ),
    (
        "Forgotten your password? Enter your email address below, and we'll send you an email "
        "allowing you to reset it."
    ): (
        "Forgotten your password? Enter your e-mail address: we send you an e-mail by which you "
        "choose another one."
    ),
    "Your email has been changed from %(from_email)s to %(to_email)s.": (
        "Your e-mail address is no longer %(from_email)s but %(to_email)s."
    ),
    # Subjects of mails
    "Authenticator App Activated": "Authenticator app activated",
    "Authenticator App Deactivated": "Authenticator app deactivated",
    "Email Changed": "E-mail address changed",
    "Email Confirmation": "E-mail address confirmed",
    "Email Removed": "E-mail address removed",
    "Password Changed": "Password changed",
    "Password Reset Email": "Reset your password",
    "Password Set": "Password set",
    "Please Confirm Your Email Address": "Please confirm your e-mail address",
    "Sign-In Code": "Sign-in code",
    "Unknown Account": "Unknown account",
}

DJANGO_WORDS = {
    "Enter a valid email address.": "Enter an e-mail address, like name@example.org.",
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
