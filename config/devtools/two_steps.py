"""allauth's words of codes and keys, in ours: passkey, recovery code. By allauth's English."""

TWO_STEPS = {
    "Send me a sign-in code": (
        "Recevoir un code par e-mail",
        "Receive a code by e-mail",
        "Primiți un cod prin e-mail",
    ),
    "You will receive a special code for a password-free sign-in.": (
        "Un code arrive à cette adresse\N{NO-BREAK SPACE}: il vous connecte sans mot de passe.",
        "A code arrives at this address: it signs you in without a password.",
        "La această adresă sosește un cod: el vă conectează fără parolă.",
    ),
    "Request Code": (
        "Envoyer le code",
        "Send the code",
        "Trimite codul",
    ),
    "Other sign-in options": (
        "Me connecter autrement",
        "Sign in another way",
        "Mă conectez altfel",
    ),
    "Two-Factor Authentication": (
        "Double vérification",
        "Two-step verification",
        "Verificare în doi pași",
    ),
    "Alternative options": (
        "Autrement",
        "Another way",
        "Altfel",
    ),
    "Use a security key": (
        "Utiliser ma clé d’accès",
        "Use my passkey",
        "Folosesc cheia de acces",
    ),
    "Use authenticator app or code": (
        "Taper un code d’application ou de secours",
        "Type an app or recovery code",
        "Introduc un cod de aplicație sau de rezervă",
    ),
    "Use your password": (
        "Taper mon mot de passe",
        "Type my password",
        "Introduc parola",
    ),
    "Sign In": (
        "Se connecter",
        "Sign in",
        "Conectare",
    ),
    "Confirm Access": (
        "Confirmez que c’est vous",
        "Confirm that it is you",
        "Confirmați că sunteți dumneavoastră",
    ),
    "Please reauthenticate to safeguard your account.": (
        "Ce que vous allez faire est important\N{NO-BREAK SPACE}: on vérifie d’abord que personne n’a pris votre place.",
        "What you are about to do matters: first make sure that nobody has taken your place.",
        "Ce urmează să faceți este important: verificăm întâi că nimeni nu v-a luat locul.",
    ),
    "Enter an authenticator code:": (
        "Tapez le code de votre application, ou un code de secours\N{NO-BREAK SPACE}:",
        "Type the code of your app, or a recovery code:",
        "Introduceți codul aplicației sau un cod de rezervă:",
    ),
    "Authenticator code": (
        "Code de l’application",
        "Code of the app",
        "Codul aplicației",
    ),
    "Deactivate Authenticator App": (
        "Retirer l’application d’authentification",
        "Remove the authenticator app",
        "Eliminați aplicația de autentificare",
    ),
    "You are about to deactivate authenticator app based authentication. Are you sure?": (
        "Ses codes ne vous connecteront plus. Sans clé d’accès, vos codes de secours disparaissent aussi.",
        "Its codes will no longer sign you in. Without a passkey your recovery codes go too.",
        "Codurile ei nu vă vor mai conecta. Fără cheie de acces dispar și codurile de rezervă.",
    ),
    "Deactivate": (
        "Retirer",
        "Remove",
        "Elimină",
    ),
    "Edit Security Key": (
        "Renommer une clé d’accès",
        "Rename a passkey",
        "Redenumiți o cheie de acces",
    ),
    "Security key added.": (
        "Clé d’accès ajoutée.",
        "Passkey added.",
        "Cheia de acces este adăugată.",
    ),
    "Security key removed.": (
        "Clé d’accès retirée.",
        "Passkey removed.",
        "Cheia de acces este eliminată.",
    ),
    "Recovery Codes": (
        "Codes de secours",
        "Recovery codes",
        "Coduri de rezervă",
    ),
    "A new set of recovery codes has been generated.": (
        "Vos codes de secours sont prêts. S’il y en avait avant, ils ne servent plus.",
        "Your recovery codes are ready. If there were others before, they no longer work.",
        "Codurile de rezervă sunt gata. Dacă existau altele, nu mai sunt valabile.",
    ),
    "You are about to generate a new set of recovery codes for your account.": (
        "De nouveaux codes de secours remplacent ceux que vous avez.",
        "New recovery codes replace those you have.",
        "Noile coduri de rezervă le înlocuiesc pe cele de acum.",
    ),
    "Generate": ("Créer de nouveaux codes", "Create new codes", "Creează coduri noi"),
    "This action will invalidate your existing codes.": (
        "Ceux d’avant ne serviront plus.",
        "Earlier ones will no longer work.",
        "Cele dinainte nu vor mai fi valabile.",
    ),
    "Verify Your Email Address": (
        "Confirmez votre adresse e-mail",
        "Confirm your e-mail address",
        "Confirmați adresa de e-mail",
    ),
    "We have sent an email to you for verification. Follow the link provided to finalize the signup process. If you do not see the verification email in your main inbox, check your spam folder. Please contact us if you do not receive the verification email within a few minutes.": (
        "Nous venons de vous envoyer un e-mail. Ouvrez le lien qu’il contient, puis connectez-vous. Rien n’arrive\N{NO-BREAK SPACE}? Regardez dans les indésirables, ou prévenez votre comité.",
        "We have just sent you an e-mail. Open the link in it, then sign in. Nothing arrives? Look into the spam folder, or tell your committee.",
        "Tocmai v-am trimis un e-mail. Deschideți linkul din el, apoi conectați-vă. Nu sosește nimic? Căutați în mesajele nedorite sau anunțați comitetul.",
    ),
    "Security Key Added": (
        "Clé d’accès ajoutée",
        "Passkey added",
        "Cheie de acces adăugată",
    ),
    "A new security key has been added.": (
        "Une clé d’accès a été ajoutée.",
        "A passkey was added.",
        "A fost adăugată o cheie de acces.",
    ),
    "Security Key Removed": (
        "Clé d’accès retirée",
        "Passkey removed",
        "Cheie de acces eliminată",
    ),
    "A security key has been removed.": (
        "Une clé d’accès a été retirée.",
        "A passkey was removed.",
        "A fost eliminată o cheie de acces.",
    ),
    "New Recovery Codes Generated": (
        "Nouveaux codes de secours",
        "New recovery codes",
        "Noi coduri de rezervă",
    ),
    "A new set of Two-Factor Authentication recovery codes has been generated.": (
        "De nouveaux codes de secours ont été créés.",
        "New recovery codes were made.",
        "Au fost create coduri de rezervă noi.",
    ),
}
"""English of allauth → (French, English, Romanian)."""
