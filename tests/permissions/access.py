"""Who may open what: one line for each named address. A new address without a line fails.

    name: (who, address arguments)                    a page that is only read
    name: (who, address arguments, body)              a form; a body that changes rows
    name: (who, address arguments, body, POST_ONLY)   the same without a page to read
    name: (who, address arguments, body, ASKS)        a form that changes no row
    name: (who, address arguments, {}, READ)          a form that fewer people may post: see FURTHER

Words of arguments and `{words}` of bodies are objects of tests/permissions/furnished_club.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

PUBLIC, MEMBER, ARBITER, COMMITTEE = "public", "member", "arbiter", "committee"
# A member's own thing: for every other member of the club it does not exist.
OWN = "own"
# The same, but the arbiters and the committee may as well.
PLAYERS = "players"
WRITES, POST_ONLY, ASKS = "writes", "post only", "asks"
# The page is another line's; who may post this body is not who may read it.
POSTED = "posted"
# Only posted, and a visitor's browser remembers it: no row.
COOKIE = "cookie"
# Only posted, by programs that send a key: to everybody else 401, whatever their session.
KEYED = "keyed"
# What a KEYED line's address answers to a GET without a key, where it is read too.
READ_TOO = {
    **dict.fromkeys(("decision_give", "intervention_do", "correction_make"), 401),
    **dict.fromkeys(("pairing_call", "hand_pair", "closing_begin"), 401),
    "evening_announce": 200,
}
# Read by everybody, and posted to with a key.
POSTED_TOO = frozenset({"evenings"})
# Read by more people than may post it: that is a further line.
READ = "read"
# The page's own form that has this field, under what the body says.
FROM_PAGE = "from page"


@dataclass(frozen=True)
class Upload:
    """A file; its content is text, or a word of the furnished club."""

    name: str
    content: str


def whole(line: tuple[Any, ...]) -> tuple[str, dict[str, Any], dict[str, Any] | None, str]:
    """Who, address arguments, body and effect of a line."""
    level, arguments, body, effect = (*line, *(None, WRITES)[len(line) - 2 :])
    return level, arguments, body, effect


GAMES = Upload("parties.csv", "joueur 1;joueur 2;résultat\n1;2;1\n")
MEMBERS = Upload("membres.csv", "prénom,nom\nAda,Neuve\n")
LICENCES = Upload("licences.csv", "licence;prénom;nom\n12;Ada;Neuve\n")
RESULTS = Upload("resultats.csv", "Ronde;Table;Score 1;Score 2\n1;1;410;390\n")
REASON = {"reason": "Motif"}

# A subscription as a browser makes it: the point is the generator of the curve P-256.
PHONE = {
    "endpoint": "https://fcm.googleapis.com/fcm/send/phone",
    "p256dh": "BGsX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU",
    "auth": "AAAAAAAAAAAAAAAAAAAAAA",
}

# name → who may open it, address arguments, body, effect.
PAIRINGS = {
    "live": (PUBLIC, {}),
    "checkin": (PUBLIC, {"code": "code"}, {"first_name": "Inès"}),
    "checkin_code": (PUBLIC, {}, {"code": "ABCD"}, ASKS),
    "screen": (PUBLIC, {"key": "screen"}),
    "my_evening": (PUBLIC, {}),
    "my_card": (PUBLIC, {}),
    "my_act": (MEMBER, {"act": "pause"}, {}, POST_ONLY),
    "my_recap": (MEMBER, {"day": "last_week"}),
    "recap_picture": (PUBLIC, {"slug": "slug", "day": "last_week"}),
    "evening_picture": (PUBLIC, {"day": "last_week"}),
    "club_picture": (PUBLIC, {}),
    "match": (PUBLIC, {"match_id": "match"}),
    "match_why": (PUBLIC, {"match_id": "match"}),
    "sit": (OWN, {"match_id": "called"}, {}, POST_ONLY),
    "result_enter": (OWN, {"match_id": "called"}, {"mine": "400", "theirs": "350"}),
    "result_confirm": (OWN, {"match_id": "to_confirm"}, {"version": "{to_confirm_version}"}),
    "result_pin": (
        OWN,
        {"match_id": "entered"},
        {"version": "{entered_version}", "pin": "{pin}"},
    ),
    "result_dispute": (
        OWN,
        {"match_id": "to_confirm"},
        {
            "version": "{to_confirm_version}",
            "subject": "score",
            "mine": "351",
            "theirs": "400",
            "words": "faux",
        },
    ),
    "card": (PUBLIC, {"number": "number", "seal": "0" * 20}),
    "absence_report": (OWN, {"match_id": "late"}, {"words": ""}),
    "photo": (PLAYERS, {"match_id": "match", "submission_id": 0}),
    "demo_sign_in": (PUBLIC, {}, {"as": "amelie"}, POST_ONLY),
    "ranking": (PUBLIC, {}),
    "ranking_rows": (PUBLIC, {}),
    "played_seasons": (PUBLIC, {}),
    "season_ranking": (PUBLIC, {"season_id": "season"}),
    "player_list": (PUBLIC, {}),
    "player": (PUBLIC, {"slug": "slug"}),
    "projected": (PUBLIC, {"slug": "slug"}),
    "head_to_head": (PUBLIC, {"slug": "slug", "other": "other"}),
    "calendar_feed": (PUBLIC, {}),
    "evening_list": (PUBLIC, {}),
    "evening_new": (COMMITTEE, {}, {"day": "2026-12-18", "hour": "19:30"}),
    "evening_edit": (COMMITTEE, {"day": "next_week"}, {FROM_PAGE: "hour", "place": "Mairie"}),
    "evening": (PUBLIC, {"day": "day"}),
    "evening_live": (PUBLIC, {"day": "day"}),
    "board": (PUBLIC, {"day": "day"}),
    "board_part": (PUBLIC, {"day": "day", "part": "tables"}),
    "control": (ARBITER, {"day": "day"}),
    "control_live": (ARBITER, {"day": "day"}),
    "evening_act": (ARBITER, {"day": "day", "act": "dernieres"}, {}, POST_ONLY),
    "pair_preview": (ARBITER, {"day": "day"}, {"early": "1"}),
    "checkin_desk": (ARBITER, {"day": "day"}, {"member": "{waiting}", "leave": "1"}),
    "guest_requests": (
        ARBITER,
        {"day": "day"},
        {"request": "{guest_request}", "answer": "admit"},
    ),
    "evening_close": (ARBITER, {"day": "day"}, {}),
    "force_closing": (ARBITER, {"day": "day"}, {FROM_PAGE: "seen", **REASON}),
    "evening_federation": (
        COMMITTEE,
        {"day": "last_week"},
        {"official": "yes", "arbiter": "A. Pop"},
    ),
    "evening_lists": (COMMITTEE, {"day": "last_week"}, {"list": "{french}"}),
    "arbiter": (ARBITER, {}),
    "dispute_list": (ARBITER, {}),
    "dispute": (
        ARBITER,
        {"contest_id": "contest"},
        {
            "decide": "1",
            "version": "{match_version}",
            "choice": "keep",
            "seen": "{match_seen}",
            **REASON,
        },
    ),
    "opinion": (ARBITER, {"contest_id": "contest"}, {"words": "Qui a raison ?"}),
    "my_absences": (MEMBER, {}),
    "absence_justify": (OWN, {"absence_id": "absence"}, {"text": "Train supprimé"}),
    "appeal": (OWN, {"sanction_id": "imposed"}, {"text": "J’étais malade"}),
    "sanction_list": (COMMITTEE, {}),
    "sanction": (COMMITTEE, {"sanction_id": "sanction"}, {"dismiss": "1", **REASON}),
    "absence_list": (
        ARBITER,
        {},
        {"absence": "{absence}", "seen": "{absence_version}", "justified": "yes", **REASON},
    ),
    "merge_guest": (COMMITTEE, {"member_id": "guest", "into_id": "member"}, REASON),
    "tie_list": (COMMITTEE, {}, {"restore": "{waiver}", **REASON}),
    "tie": (COMMITTEE, {"key": "tie"}, REASON),
    "undo": (ARBITER, {"match_id": "called"}, {}, POST_ONLY),
    "match_correct": (
        ARBITER,
        {"match_id": "over"},
        {
            "decide": "1",
            "version": "{over_version}",
            "choice": "other",
            "first_score": "311",
            "second_score": "300",
            "seen": "{over_seen}",
            **REASON,
        },
    ),
    "match_judge": (
        ARBITER,
        {"match_id": "called"},
        {"act": "cancel", "seen": "{called_seen}", **REASON},
    ),
    "tournament_list": (PUBLIC, {}),
    "tournament": (PUBLIC, {"slug": "open"}),
    "tournament_entries": (PUBLIC, {"slug": "open"}),
    "tournament_enter": (MEMBER, {"slug": "coming", "act": "inscrire"}, {}, POST_ONLY),
    "round": (PUBLIC, {"slug": "open", "number": 1}),
    "tournament_standings": (PUBLIC, {"slug": "open"}),
    "tournament_ranking": (PUBLIC, {"slug": "closed", "number": 1}),
    "crosstable": (PUBLIC, {"slug": "open"}),
    "tournament_board": (PUBLIC, {"slug": "open"}),
    "tournament_create": (
        COMMITTEE,
        {},
        {
            "name": "Open d’hiver",
            "day": "2026-12-19",
            "hour": "09:30",
            "system": "formule_classique",
            "winning_games": "1",
            "minutes": "25",
            "round_minutes": "75",
        },
    ),
    "tournament_files": (PUBLIC, {"slug": "open"}),
    "tournament_print": (PUBLIC, {"slug": "open", "what": "classement"}),
    "round_print": (PUBLIC, {"slug": "open", "number": 1, "what": "par-table"}),
    "tournament_calendar": (PUBLIC, {"slug": "open"}),
    "round_slips": (ARBITER, {"slug": "open", "number": 1}),
    "tournament_certificates": (ARBITER, {"slug": "closed"}),
    "tournament_export": (ARBITER, {"slug": "open", "kind": "json"}),
    "results_import": (ARBITER, {"slug": "open"}, {"file": RESULTS}),
    "tournament_import": (COMMITTEE, {}, {"file": Upload("open.json", "tournament_json")}),
    "tournament_file": (COMMITTEE, {"file_id": "tournament_file"}, {}),
    "tournament_manage": (ARBITER, {"slug": "open"}),
    "tournament_settings": (
        ARBITER,
        {"slug": "coming"},
        {FROM_PAGE: "round_minutes", "details": "1", "place": "Salle des fêtes"},
    ),
    "tournament_desk": (ARBITER, {"slug": "coming"}, {"enter": "1", "member": "{free}"}),
    "entry_act": (
        ARBITER,
        {"slug": "open", "entry_id": "entry", "act": "paye"},
        {},
        POST_ONLY,
    ),
    "tournament_federation": (COMMITTEE, {"slug": "closed"}, {"official": "yes"}),
    "tournament_act": (ARBITER, {"slug": "coming", "act": "arreter"}, {}),
    "round_control": (ARBITER, {"slug": "open", "number": 1}),
    "round_act": (ARBITER, {"slug": "open", "number": 1, "act": "depublier"}, REASON),
    "round_grid": (
        ARBITER,
        {"slug": "open", "number": 1},
        {"m{board}-version": "{board_version}", "m{board}-a1": "410", "m{board}-b1": "390"},
    ),
}

CLUBS = {
    "home": (PUBLIC, {}),
    "theme": (PUBLIC, {}, {"theme": "dark"}, COOKIE),
    "rules": (PUBLIC, {}),
    "rules_version": (PUBLIC, {"number": "book"}),
    "rules_diff": (PUBLIC, {"old": 0, "new": "book"}),
    "join": (
        PUBLIC,
        {},
        {"first_name": "Ida", "last_name": "Neuve", "email": "ida@example.org"},
    ),
    "help": (PUBLIC, {}),
    "accessibility": (PUBLIC, {}),
    "privacy": (PUBLIC, {}),
    "contact": (PUBLIC, {}),
    "invitation": (
        PUBLIC,
        {"token": "token"},
        {"account": "1", "email": "ada@example.org", "password": "une-phrase-longue"},
    ),
    "number": (PUBLIC, {"number": "number"}),
    "me": (MEMBER, {}),
    "player_card": (MEMBER, {}),
    "settings": (MEMBER, {}, {FROM_PAGE: "visibility", "visibility": "initials"}),
    "notifications": (MEMBER, {}, {"table": "on", "quiet_from": "22:00", "quiet_until": "07:00"}),
    "push_device": (MEMBER, {}, PHONE, POST_ONLY),
    "my_data": (MEMBER, {}, {"leave": "1"}),
    "dashboard": (COMMITTEE, {}),
    "site_state": (COMMITTEE, {}),
    "archive": (COMMITTEE, {}, {}),
    "session_end": (OWN, {"session_id": "session"}, {}, POST_ONLY),
    "setup": (COMMITTEE, {}),
    "season_list": (
        COMMITTEE,
        {},
        {
            FROM_PAGE: "ends_on",
            "name": "2028",
            "starts_on": "2028-01-01",
            "ends_on": "2028-12-31",
            "ds_mode": "mean",
        },
    ),
    "season_edit": (COMMITTEE, {"season_id": "season"}, {FROM_PAGE: "ends_on", "name": "2026-27"}),
    "club_settings": (COMMITTEE, {}, {FROM_PAGE: "place", "place": "Mairie"}),
    "close": (COMMITTEE, {}, REASON),
    "privacy_settings": (COMMITTEE, {}, {FROM_PAGE: "controller", "controller": "Ada"}),
    "rules_edit": (COMMITTEE, {}, {FROM_PAGE: "cote-k_beginner", "cote-k_beginner": "41"}),
    "rules_adopt": (COMMITTEE, {}, {FROM_PAGE: "day", "day": "2027-01-01", **REASON}),
    "journal": (COMMITTEE, {}),
    "posters": (COMMITTEE, {}, {}),
    "poster_door": (COMMITTEE, {}),
    "poster_cards": (COMMITTEE, {}),
    "member_list": (COMMITTEE, {}),
    "member_add": (COMMITTEE, {}, {"first_name": "Ida", "last_name": "Neuve"}),
    "member_edit": (COMMITTEE, {"member_id": "guest"}, {"confirm": "1"}),
    "guardian_withdraws": (COMMITTEE, {"member_id": "child"}, {}, POST_ONLY),
    "account_unlink": (COMMITTEE, {"member_id": "member"}, {FROM_PAGE: "reason", **REASON}),
    "person_list": (COMMITTEE, {}),
    "person": (
        COMMITTEE,
        {"member_id": "member"},
        {"seen": "0", "licence": "77", "status": "current"},
    ),
    "licence_upload": (COMMITTEE, {}, {"file": LICENCES}),
    "licence_columns": (COMMITTEE, {"file_id": "licences"}, {"licence": "1", "first_name": "0"}),
    "licence_preview": (COMMITTEE, {"file_id": "licences"}, {}),
    "requests": (COMMITTEE, {}, {"request": "{request}", "accept": "1"}),
    "invite": (COMMITTEE, {}, {"max_uses": "1", "days": "14"}),
    "roles": (COMMITTEE, {}, {"member": "{member}", "role": "arbiter"}),
    "import_upload": (COMMITTEE, {}, {"file": MEMBERS}),
    "import_map": (COMMITTEE, {"import_id": "import"}, {"first_name": "0"}),
    "import_preview": (COMMITTEE, {"import_id": "import"}, {}),
    "import_done": (COMMITTEE, {"import_id": "imported"}, {}),
}

RATINGS = {
    "edition_list": (PUBLIC, {}),
    "edition_last": (PUBLIC, {}),
    "edition_last_file": (PUBLIC, {"extension": "pdf"}),
    "edition": (PUBLIC, {"number": 1}),
    "edition_file": (PUBLIC, {"number": 1, "extension": "pdf"}),
    "edition_diff": (PUBLIC, {"old": 1, "new": 1}),
    "list_between": (PUBLIC, {"slug": "liste"}),
    "list_edition_list": (PUBLIC, {"liste": "liste"}),
    "list_edition_last": (PUBLIC, {"liste": "liste"}),
    "list_edition_last_file": (PUBLIC, {"liste": "liste", "extension": "csv"}),
    "list_edition": (PUBLIC, {"liste": "liste", "number": 1}),
    "list_edition_file": (PUBLIC, {"liste": "liste", "number": 1, "extension": "xlsx"}),
    "list_edition_diff": (PUBLIC, {"liste": "liste", "old": 1, "new": 1}),
    "publish": (COMMITTEE, {}, {FROM_PAGE: "seen"}),
    "list_publish": (COMMITTEE, {"liste": "liste"}, {FROM_PAGE: "seen"}),
    "list_index": (PUBLIC, {}),
    "general": (PUBLIC, {}),
    "list": (PUBLIC, {"slug": "liste"}),
    "calculator": (PUBLIC, {"slug": "liste"}),
    "list_file": (PUBLIC, {"slug": "liste"}),
    "competition_list": (PUBLIC, {"slug": "liste"}),
    "competition": (PUBLIC, {"slug": "liste", "period_id": "period"}),
    "change": (PUBLIC, {"slug": "rated", "entry_id": "entry_change"}),
    "player_list": (PUBLIC, {"slug": "rated", "rating_list": "liste"}),
    "trial_new": (COMMITTEE, {}, {"rating_list": "{held}", "since": "2026-02-01"}),
    "trial": (MEMBER, {"run_id": "trial"}, {}, READ),
    "desk": (COMMITTEE, {}),
    "list_new": (COMMITTEE, {}, {"system": "absp", "name": "ABSP"}),
    "merge": (
        COMMITTEE,
        {},
        {
            "merged": "{double}",
            "kept": "{kept}",
            "seen": "{lists_read}",
            "act": "appliquer",
            **REASON,
        },
    ),
    "long_correction": (COMMITTEE, {"run_id": "effect"}, {"act": "appliquer", **REASON}),
    "feeders": (COMMITTEE, {}, {FROM_PAGE: "club", "club": "{uninvited}", "lists": "{french}"}),
    "handover_list": (COMMITTEE, {}),
    "handover": (COMMITTEE, {"handover_id": "handover"}, {"act": "accepter", "seen": "0"}),
    "handover_correction": (
        COMMITTEE,
        {"handover_id": "corrected"},
        {"act": "appliquer", **REASON},
    ),
    "desk_list": (COMMITTEE, {"slug": "liste"}),
    "example_file": (COMMITTEE, {"slug": "liste", "kind": "games"}),
    "check": (COMMITTEE, {"slug": "liste"}, {"act": "verifier"}, POST_ONLY),
    "seating": (COMMITTEE, {}, {"players": "{shogi_member}\n{shogi_other}"}, ASKS),
    "grade_list": (
        COMMITTEE,
        {"slug": "shogi"},
        {
            "act": "approval",
            "member": "{shogi_member}",
            "grade": "5 Dan",
            "reference": "NSR",
            "dated_on": "2026-01-31",
        },
    ),
    # Too few players are ranked for any bar: what it writes is asked of a larger list elsewhere.
    "quotas": (COMMITTEE, {"slug": "fisf"}, {}, ASKS),
    "bring": (
        COMMITTEE,
        {"slug": "liste"},
        {"file": GAMES, "sheet": "games", "label": "Tournoi", "held_on": "2026-11-20"},
    ),
    "make_official": (COMMITTEE, {"slug": "liste", "period_id": "friendly"}, REASON),
    "game_add": (
        COMMITTEE,
        {"slug": "liste", "period_id": "period"},
        {
            "first": "{shogi_member}",
            "second": "{shogi_other}",
            "result": "2",
            "act": "appliquer",
            **REASON,
        },
    ),
    "draft_tables": (COMMITTEE, {"slug": "liste", "draft_id": "draft"}, {}, POST_ONLY),
    "draft": (COMMITTEE, {"slug": "liste", "draft_id": "draft"}, {}),
    "draft_columns": (
        COMMITTEE,
        {"slug": "liste", "draft_id": "draft"},
        {"first": "1", "second": "0", "result": "2"},
    ),
    "draft_names": (
        COMMITTEE,
        {"slug": "liste", "draft_id": "draft"},
        {"seen": "0", "key0": "nom inconnu", "who0": "0"},
    ),
    "run": (COMMITTEE, {"slug": "liste", "period_id": "to_run"}, {"act": "calculer"}),
    "newcomers": (
        COMMITTEE,
        {"slug": "shogi", "period_id": "handed"},
        {"accepted": "{handed_member}; 3 Kyu; FESA", "seen": "{shogi_seen}"},
    ),
    "run_state": (COMMITTEE, {"slug": "liste", "period_id": "to_run"}),
    "desk_competition": (COMMITTEE, {"slug": "liste", "period_id": "period"}),
    "game_correct": (
        COMMITTEE,
        {"slug": "liste", "period_id": "period", "game_id": "game"},
        {"result": "0", "act": "appliquer", **REASON},
    ),
    "sheet_correct": (
        COMMITTEE,
        {"slug": "collective", "period_id": "sheet"},
        {"sheet": "1; {places[0]}\n2; {places[1]}", "act": "appliquer", **REASON},
    ),
    "event_correct": (
        COMMITTEE,
        {"slug": "liste", "period_id": "period"},
        {"label": "Tournoi d’automne", "held_on": "2026-11-17", "act": "appliquer", **REASON},
    ),
    "facts_correct": (
        COMMITTEE,
        {"slug": "fisf", "period_id": "declared"},
        {"act": "appliquer", **REASON},
    ),
    "event_remove": (
        COMMITTEE,
        {"slug": "liste", "period_id": "period"},
        {"act": "appliquer", **REASON},
    ),
}

HOOK = {"webhook_id": "webhook"}
THIS_EVENING, NEXT_EVENING = {"day": "day", "nth": 1}, {"day": "next_week", "nth": 1}
# A session counts for nothing under /api/v1/: keys and roles are tested in tests/api.
API: dict[str, tuple[Any, ...]] = {
    "tokens": (MEMBER, {}, {"name": "Mur", "scopes": "read", "days": "30"}),
    "openapi-json": (PUBLIC, {}),
    "openapi-view": (PUBLIC, {}),
    "api-root": (PUBLIC, {}),
    "organisations": (PUBLIC, {}),
    "seasons": (PUBLIC, {}),
    "arrive": (PUBLIC, {}, {"code": "ABCD"}, KEYED),
    "enter_result": (PUBLIC, {"match_id": 1}, {"mine": 400, "theirs": 350}, KEYED),
    "confirm_result": (PUBLIC, {"match_id": 1}, {"version": 1}, KEYED),
    "contest_result": (PUBLIC, {"match_id": 1}, {"version": 1}, KEYED),
    "report_absence": (PUBLIC, {"match_id": 1}, {"version": 1}, KEYED),
    "deny_absence": (PUBLIC, {"match_id": 1}, {"version": 1}, KEYED),
    "withdraw_absence": (PUBLIC, {"match_id": 1}, {"version": 1}, KEYED),
    "decision_read": (PUBLIC, {"match_id": 1}, None, KEYED),
    "decision_give": (PUBLIC, {"match_id": 1}, {"choice": "keep"}, KEYED),
    "intervention_read": (PUBLIC, {"match_id": 1}, None, KEYED),
    "intervention_do": (PUBLIC, {"match_id": 1}, {"act": "start", "version": 0}, KEYED),
    "correction_read": (PUBLIC, {"match_id": 1}, None, KEYED),
    "correction_make": (PUBLIC, {"match_id": 1}, {"choice": "keep"}, KEYED),
    "request_correction": (PUBLIC, {"match_id": 1}, {"version": 1, "words": "faux"}, KEYED),
    "contest_rows": (PUBLIC, {}, None, KEYED),
    "contest_read": (PUBLIC, {"contest_id": 1}, None, KEYED),
    "contest_take": (PUBLIC, {"contest_id": 1}, {"seen": "x"}, KEYED),
    "contest_recuse": (PUBLIC, {"contest_id": 1}, {"seen": "x", **REASON}, KEYED),
    "contest_opinion": (PUBLIC, {"contest_id": 1}, {"seen": "x", "words": "quoi ?"}, KEYED),
    "contest_answer": (PUBLIC, {"contest_id": 1}, {"seen": "x", **REASON}, KEYED),
    "evening_announce": (PUBLIC, {}, {"day": "2026-12-05", "hour": "19:30"}, KEYED),
    "evening_open": (PUBLIC, NEXT_EVENING, {"state": "planned"}, KEYED),
    "evening_cancel": (PUBLIC, NEXT_EVENING, {"state": "planned", **REASON}, KEYED),
    "evening_start": (PUBLIC, THIS_EVENING, {"state": "last_games"}, KEYED),
    "evening_last_games": (PUBLIC, THIS_EVENING, {"state": "running"}, KEYED),
    "evening_desk": (PUBLIC, THIS_EVENING, None, KEYED),
    "evening_arrival": (PUBLIC, THIS_EVENING, {"member": "slug"}, KEYED),
    "evening_departure": (PUBLIC, THIS_EVENING, {"member": "slug"}, KEYED),
    "evening_guest": (PUBLIC, THIS_EVENING, {"first_name": "Gala"}, KEYED),
    "guest_answer": (
        PUBLIC,
        {**THIS_EVENING, "request_id": 1},
        {"admit": True},
        KEYED,
    ),
    "pairing_read": (PUBLIC, THIS_EVENING, None, KEYED),
    "pairing_call": (PUBLIC, THIS_EVENING, {"seen": "x"}, KEYED),
    "hand_read": (PUBLIC, THIS_EVENING, None, KEYED),
    "hand_pair": (PUBLIC, THIS_EVENING, {"first": "slug", "second": "other"}, KEYED),
    "tables_swap": (PUBLIC, THIS_EVENING, REASON, KEYED),
    "last_acts": (PUBLIC, THIS_EVENING, None, KEYED),
    "last_act_undo": (PUBLIC, {"match_id": 1}, {"version": 0}, KEYED),
    "evening_change": (PUBLIC, NEXT_EVENING, {"day": "2026-12-05", "hour": "19:30"}, KEYED),
    "evening_choices": (PUBLIC, THIS_EVENING, {"guests_wait": False}, KEYED),
    "evening_screen": (PUBLIC, THIS_EVENING, {"show": True}, KEYED),
    "match_call": (PUBLIC, {"match_id": 1}, {"version": 0}, KEYED),
    "closing_read": (PUBLIC, THIS_EVENING, None, KEYED),
    "closing_begin": (PUBLIC, THIS_EVENING, {"state": "running"}, KEYED),
    "evening_close": (PUBLIC, THIS_EVENING, {"seen": "x"}, KEYED),
    "evening_force_close": (PUBLIC, THIS_EVENING, {"seen": "x", **REASON}, KEYED),
    "round_results": (
        PUBLIC,
        {"slug": "nothing", "round_number": 1},
        {"results": [{"match": 1, "version": 0}]},
        KEYED,
    ),
    "member_create": (PUBLIC, {}, {"first_name": "Ada"}, KEYED),
    "member_change": (PUBLIC, {"member": "nobody"}, {}, KEYED),
    "tournament_bring": (PUBLIC, {}, {"format": "json", "content": "{}"}, KEYED),
    "tournament_file_now": (PUBLIC, {"file_id": 1}, None, KEYED),
    "competition_bring": (
        PUBLIC,
        {"slug": "liste"},
        {"content": "x", "sheet": "games", "label": "Open", "held_on": "2026-11-01"},
        KEYED,
    ),
    "webhook_list": (
        COMMITTEE,
        {},
        {"address": "https://example.org/new", "events": "ruling"},
    ),
    "webhook": (COMMITTEE, HOOK, {FROM_PAGE: "seen", "events": "ruling"}),
    "webhook_act": (COMMITTEE, {**HOOK, "act": "secret"}, {}),
    "webhook_replay": (COMMITTEE, {**HOOK, "delivery_id": "delivery"}, {}, POST_ONLY),
    "rule_versions": (PUBLIC, {"scope": "absp"}),
    "rule_version": (PUBLIC, {"scope": "absp", "version": 0}),
    "players": (PUBLIC, {}),
    "player": (PUBLIC, {"player": "slug"}),
    "player_matches": (PUBLIC, {"player": "slug"}),
    "changes": (PUBLIC, {"player": "rated"}),
    "change": (PUBLIC, {"player": "rated", "entry_id": "entry_change"}),
    "ranking": (PUBLIC, {"state": "live"}),
    "season_ranking": (PUBLIC, {"season": "season"}),
    "published": (PUBLIC, {}),
    "evenings": (PUBLIC, {}),
    "evening": (PUBLIC, {"day": "day", "nth": 1}),
    "evening_matches": (PUBLIC, {"day": "day", "nth": 1}),
    "match": (PUBLIC, {"match_id": "match"}),
    "match_why": (PUBLIC, {"match_id": "match"}),
    "tournaments": (PUBLIC, {}),
    "tournament": (PUBLIC, {"slug": "open"}),
    "tournament_entries": (PUBLIC, {"slug": "open"}),
    "tournament_round": (PUBLIC, {"slug": "open", "round_number": 1}),
    "tournament_standings": (PUBLIC, {"slug": "open"}),
    "rating_lists": (PUBLIC, {}),
    "rating_list": (PUBLIC, {"slug": "liste"}),
    "competitions": (PUBLIC, {"slug": "liste"}),
    "competition": (PUBLIC, {"slug": "liste", "period_id": "period"}),
    "editions": (PUBLIC, {}),
    "edition": (PUBLIC, {"edition_number": 1}),
}

# Other acts of the same addresses that have other rights: (app, name, line).
FURTHER = [
    (
        "pairings",
        "tournament_act",
        (COMMITTEE, {"slug": "closed", "act": "rouvrir"}, REASON, POSTED),
    ),
    (
        "pairings",
        "tournament_act",
        (COMMITTEE, {"slug": "coming", "act": "annuler"}, REASON, POSTED),
    ),
    (
        "pairings",
        "tournament_act",
        (COMMITTEE, {"slug": "closed", "act": "cotes"}, {"list": "{french}"}, POSTED),
    ),
    ("ratings", "trial", (COMMITTEE, {"run_id": "trial"}, {"act": "annuler"}, POSTED)),
    ("pairings", "tournament_enter", (OWN, {"slug": "open", "act": "absent"}, {}, POST_ONLY)),
]
# Reading these writes: an invitation notes that it was opened.
READING_WRITES = {"invitation"}
# Words that name one object of one club: under another club's address there is nothing.
OF_ONE_CLUB = {
    *("webhook", "delivery"),
    *("match", "called", "late", "entered", "to_confirm", "over", "contest", "absence", "imposed"),
    *(
        "sanction",
        "guest",
        "child",
        "member",
        "season",
        "entry",
        "token",
        "period",
        "to_run",
        "game",
        "sheet",
    ),
    *(
        "handover",
        "corrected",
        "draft",
        "trial",
        "effect",
        "import",
        "imported",
        "entry_change",
        "licences",
    ),
    "tournament_file",
}


def addresses() -> list[tuple[str, str, dict[str, Any]]]:
    """Every named address but the event stream: app, name, words of its arguments."""
    tables = {"pairings": PAIRINGS, "clubs": CLUBS, "ratings": RATINGS, "api": API}
    return [
        (space, name, line[1])
        for space, table in tables.items()
        for name, line in table.items()
        if (space, name) != ("pairings", "live")
    ]
