"""allauth's words of passwords and e-mail addresses, in ours. By allauth's English."""

PASSWORDS = {
    "Password Reset": (
        "Mot de passe oublié",
        "Forgotten password",
        "Parolă uitată",
    ),
    "Forgotten your password? Enter your email address below, and we'll send you an email allowing you to reset it.": (
        "Donnez votre adresse e-mail\N{NO-BREAK SPACE}: un lien y part, qui ouvre le choix d’un nouveau mot de passe.",
        "Enter your e-mail address: we send a link there, by which you choose a new password.",
        "Introduceți adresa de e-mail: vă trimitem un link cu care alegeți o parolă nouă.",
    ),
    "Reset My Password": ("Envoyer le lien", "Send the link", "Trimite linkul"),
    "Please contact us if you have any trouble resetting your password.": (
        "Vous n’y arrivez pas\N{NO-BREAK SPACE}? Prévenez votre comité.",
        "If this does not work, tell your committee.",
        "Nu reușiți? Anunțați comitetul.",
    ),
    "We have sent you an email. If you have not received it please check your spam folder. Otherwise contact us if you do not receive it in a few minutes.": (
        "Nous venons de vous envoyer un e-mail. Ouvrez le lien qu’il contient. Rien n’arrive\N{NO-BREAK SPACE}? Regardez dans les indésirables, ou prévenez votre comité.",
        "We have just sent you an e-mail. Open the link in it. Nothing arrives? Look into the spam folder, or tell your committee.",
        "Tocmai v-am trimis un e-mail. Deschideți linkul din el. Nu sosește nimic? Căutați în mesajele nedorite sau anunțați comitetul.",
    ),
    "Bad Token": (
        "Ce lien n’est plus valable",
        "This link no longer works",
        "Acest link nu mai este valabil",
    ),
    'The password reset link was invalid, possibly because it has already been used.  Please request a <a href="%(passwd_reset_url)s">new password reset</a>.': (
        'Il a déjà servi, ou il est trop ancien. <a href="%(passwd_reset_url)s">Demandez un nouveau lien</a>.',
        'It was already used, or it is too old. <a href="%(passwd_reset_url)s">Ask for a new link</a>.',
        'A fost deja folosit sau este prea vechi. <a href="%(passwd_reset_url)s">Cereți un link nou</a>.',
    ),
    "Change Password": ("Changer mon mot de passe", "Change my password", "Schimbă parola"),
    "Please type your current password.": (
        "Ce n’est pas votre mot de passe actuel.",
        "This is not your current password.",
        "Aceasta nu este parola actuală.",
    ),
    "Password successfully changed.": (
        "Mot de passe changé.",
        "Password changed.",
        "Parola a fost schimbată.",
    ),
    "Set Password": ("Choisir un mot de passe", "Choose a password", "Alege o parolă"),
    "Password successfully set.": (
        "Mot de passe enregistré.",
        "Password saved.",
        "Parola este salvată.",
    ),
    "You have signed out.": (
        "Déconnexion réussie.",
        "You have signed out.",
        "V-ați deconectat.",
    ),
    "Account Inactive": ("Compte inactif", "Inactive account", "Cont inactiv"),
    "This account is inactive.": (
        "Ce compte est inactif. Adressez-vous à votre comité.",
        "This account is inactive. Ask your committee.",
        "Acest cont este inactiv. Adresați-vă comitetului.",
    ),
    "The email address and/or password you specified are not correct.": (
        "L’adresse e-mail ou le mot de passe sont incorrects.",
        "The e-mail address or the password is not correct.",
        "Adresa de e-mail sau parola nu este corectă.",
    ),
    "Too many failed login attempts. Try again later.": (
        "Trop d’essais. Attendez quelques minutes avant de recommencer.",
        "Too many tries. Wait a few minutes before you try again.",
        "Prea multe încercări. Așteptați câteva minute înainte de a încerca din nou.",
    ),
    # Mails
    "Password Reset Email": (
        "Choisir un nouveau mot de passe",
        "Choose a new password",
        "Alegeți o parolă nouă",
    ),
    "Password Set": ("Mot de passe défini", "Password set", "Parolă stabilită"),
    "Email Changed": (
        "Adresse e-mail modifiée",
        "E-mail address changed",
        "Adresă de e-mail schimbată",
    ),
    "Email Removed": (
        "Changement d’adresse annulé",
        "Change of address cancelled",
        "Schimbare de adresă anulată",
    ),
    "Your email has been changed from %(from_email)s to %(to_email)s.": (
        "Votre adresse e-mail n’est plus %(from_email)s, mais %(to_email)s.",
        "Your e-mail address is no longer %(from_email)s but %(to_email)s.",
        "Adresa dumneavoastră de e-mail nu mai este %(from_email)s, ci %(to_email)s.",
    ),
}
"""English of allauth → (French, English, Romanian)."""
