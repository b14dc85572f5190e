"""allauth's Romanian, written as ours: polite, with its diacritics. By allauth's English."""

ACCOUNT_WORDS = {
    # Messages
    "Successfully signed in as %(name)s.": "V-ați conectat ca %(name)s.",
    "Confirmation email sent to %(email)s.": ("Am trimis un e-mail de confirmare la %(email)s."),
    "You have confirmed %(email)s.": "Ați confirmat adresa %(email)s.",
    "You cannot remove your primary email address (%(email)s).": (
        "Nu puteți elimina adresa dumneavoastră principală (%(email)s)."
    ),
    "Primary email address set.": "Adresa principală a fost stabilită.",
    "Your primary email address must be verified.": (
        "Adresa dumneavoastră principală trebuie confirmată."
    ),
    "Signed out of all other sessions.": "Celelalte dispozitive sunt deconectate.",
    # Errors
    "This account is currently inactive.": "Acest cont este inactiv.",
    "Be patient, you are sending too many requests.": (
        "Aveți răbdare: trimiteți prea multe cereri."
    ),
    "This email address is already associated with this account.": (
        "Această adresă de e-mail este deja a acestui cont."
    ),
    "A user is already registered with this email address.": (
        "Există deja un cont cu această adresă de e-mail."
    ),
    "You must type the same password each time.": "Introduceți de două ori aceeași parolă.",
    # Fields and buttons
    "Email": "Adresă de e-mail",
    "Password": "Parolă",
    "Current Password": "Parola actuală",
    "New Password": "Parola nouă",
    "New Password (again)": "Parola nouă, încă o dată",
    "Forgot your password?": "Ați uitat parola?",
    "Confirm": "Confirmă",
    "Sign Out": "Deconectare",
    # Pages
    "Enter your password:": "Introduceți parola:",
    "You cannot add an email address to an account protected by two-factor authentication.": (
        "Nu puteți adăuga o adresă de e-mail la un cont protejat prin verificarea în doi pași."
    ),
    "You cannot deactivate two-factor authentication.": (
        "Nu puteți dezactiva verificarea în doi pași."
    ),
    "You cannot generate recovery codes without having two-factor authentication enabled.": (
        "Codurile de rezervă cer mai întâi o verificare în doi pași."
    ),
    "You cannot activate two-factor authentication until you have verified your email address.": (
        "Confirmați mai întâi adresa de e-mail; apoi puteți activa verificarea în doi pași."
    ),
    # Mails
    "Please Confirm Your Email Address": "Confirmați adresa de e-mail",
    "Your email has been confirmed.": "Adresa dumneavoastră de e-mail a fost confirmată.",
    "Your password has been changed.": "Parola dumneavoastră a fost schimbată.",
    "Your password has been reset.": "Parola dumneavoastră a fost resetată.",
    "Your password has been set.": "Parola dumneavoastră a fost stabilită.",
}

# What Django's Romanian has no text for: it would be said in French, the site's first language. Also
# three sentences that we write otherwise in every language.
DJANGO_WORDS = {
    "Enter a valid email address.": "Introduceți o adresă de e-mail, ca nume@exemplu.ro.",
    "Ensure this value is less than or equal to %(limit_value)s.": "Cel mult %(limit_value)s.",
    "Ensure this value is greater than or equal to %(limit_value)s.": "Cel puțin %(limit_value)s.",
    "Enter a valid “slug” consisting of Unicode letters, numbers, underscores, or hyphens.": (
        "Introduceți numai litere, cifre, liniuțe sau liniuțe de subliniere."
    ),
    "Your password can’t be too similar to your other personal information.": (
        "Parola nu poate semăna prea mult cu celelalte date personale."
    ),
    "Your password can’t be a commonly used password.": "Parola nu poate fi una dintre cele mai folosite.",
    "Enter a valid domain name.": "Introduceți un nume de domeniu valid.",
    "Enter a valid %(protocol)s address.": "Introduceți o adresă %(protocol)s validă.",
    "IPv4": "IPv4",
    "IPv6": "IPv6",
    "IPv4 or IPv6": "IPv4 sau IPv6",
    "Ensure this value is a multiple of step size %(limit_value)s.": (
        "Introduceți un multiplu de %(limit_value)s."
    ),
    (
        "Ensure this value is a multiple of step size %(limit_value)s, starting from %(offset)s, "
        "e.g. %(offset)s, %(valid_value1)s, %(valid_value2)s, and so on."
    ): (
        "Introduceți una dintre valorile %(offset)s, %(valid_value1)s, %(valid_value2)s și așa mai "
        "departe, cu pasul %(limit_value)s."
    ),
    (
        "File extension “%(extension)s” is not allowed. Allowed extensions are: "
        "%(allowed_extensions)s."
    ): "Extensia „%(extension)s” nu este permisă. Sunt permise: %(allowed_extensions)s.",
    "Enter a valid JSON.": "Introduceți un text JSON valid.",
    "“%(pk)s” is not a valid value.": "„%(pk)s” nu este o valoare corectă.",
    (
        "%(datetime)s couldn’t be interpreted in time zone %(current_timezone)s; it may be "
        "ambiguous or it may not exist."
    ): (
        "%(datetime)s nu poate fi înțeles în fusul orar %(current_timezone)s: poate fi ambiguu sau "
        "poate nu există."
    ),
    (
        "ManagementForm data is missing or has been tampered with. Missing fields: "
        "%(field_names)s. You may need to file a bug report if the issue persists."
    ): "Lipsesc câmpuri ale formularului: %(field_names)s. Reîncărcați pagina.",
}
DJANGO_PLURALS = {
    (
        "This password is too short. It must contain at least %d character.",
        "This password is too short. It must contain at least %d characters.",
    ): (
        "Parola este prea scurtă. Trebuie să aibă cel puțin %d caracter.",
        "Parola este prea scurtă. Trebuie să aibă cel puțin %d caractere.",
        "Parola este prea scurtă. Trebuie să aibă cel puțin %d de caractere.",
    ),
    ("Please submit at most %(num)d form.", "Please submit at most %(num)d forms."): (
        "Trimiteți cel mult %(num)d formular.",
        "Trimiteți cel mult %(num)d formulare.",
        "Trimiteți cel mult %(num)d de formulare.",
    ),
    ("Please submit at least %(num)d form.", "Please submit at least %(num)d forms."): (
        "Trimiteți cel puțin %(num)d formular.",
        "Trimiteți cel puțin %(num)d formulare.",
        "Trimiteți cel puțin %(num)d de formulare.",
    ),
}
