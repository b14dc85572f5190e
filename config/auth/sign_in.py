"""Settings of accounts: allauth's, and those of the second factor, from the environment."""

from config.environment import PRODUCTION, one_of, whole_number, yes_or_no

ACCOUNT_ADAPTER = "config.auth.account_adapter.ClubAccountAdapter"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = one_of(
    "EMAIL_VERIFICATION",
    *(("mandatory", "none") if PRODUCTION else ("none", "mandatory")),
    "optional",
)
ACCOUNT_LOGIN_BY_CODE_ENABLED = True
ACCOUNT_FORMS = {
    "add_email": "config.auth.forms.NewAddressForm",
    "change_password": "config.auth.forms.NewPasswordForm",
    "confirm_login_code": "config.auth.forms.MailedCodeForm",
    "login": "config.auth.forms.SignInForm",
    "reauthenticate": "config.auth.forms.ProofForm",
    "request_login_code": "config.auth.forms.RequestCodeForm",
    "reset_password": "config.auth.forms.RequestPasswordForm",
    "reset_password_from_key": "config.auth.forms.ForgottenPasswordForm",
    "set_password": "config.auth.forms.FirstPasswordForm",
}
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if PRODUCTION else "http"
LOGIN_REDIRECT_URL = "pairings:my_evening"
ACCOUNT_LOGOUT_REDIRECT_URL = "clubs:home"
LOGIN_URL = "account_login"
ACCOUNT_CHANGE_EMAIL = True  # the new address counts once it is confirmed
ACCOUNT_RATE_LIMITS = {"manage_email": "10/m/user,30/d/user"}  # each new address gets a mail
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_REAUTHENTICATION_TIMEOUT = whole_number("REAUTHENTICATION_MINUTES", 15, least=1) * 60
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes", "webauthn"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_ALLOW_UNVERIFIED_EMAIL = True  # with a factor too, an address may be changed
MFA_FORMS = {
    "activate_totp": "config.auth.forms.FirstCodeForm",
    "add_webauthn": "config.auth.forms.AddPasskeyForm",
    "authenticate": "config.auth.forms.CodeForm",
    "authenticate_webauthn": "config.auth.forms.KeyForm",
    "edit_webauthn": "config.auth.forms.RenamePasskeyForm",
    "login_webauthn": "config.auth.forms.KeySignInForm",
    "reauthenticate": "config.auth.forms.CodeProofForm",
    "reauthenticate_webauthn": "config.auth.forms.KeyProofForm",
}
# Asked of arbiters and of the committee, and a recent proof before decisions of weight.
SECOND_FACTOR = yes_or_no("SECOND_FACTOR", PRODUCTION)
SECOND_FACTOR_GRACE_DAYS = whole_number("SECOND_FACTOR_GRACE_DAYS", 14)
ROLE_IDLE_DAYS = whole_number("ROLE_IDLE_DAYS", 30, least=1)
