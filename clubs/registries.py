"""What the apps above (and packages above their own app's) fill at start, from `AppConfig.ready`.

Each entry says by whom and what for; tests/architecture/test_registries.py holds that each is filled.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.http import HttpRequest

if TYPE_CHECKING:
    from django.utils.functional import Promise

    from clubs.accounts.actor import Actor
    from clubs.accounts.models import User
    from clubs.journal.changes import Named, ValueChange
    from clubs.journal.models import JournalEntry
    from clubs.journal.wording import Subject
    from clubs.members.models import Member
    from clubs.organisations.models import Organisation, Season
    from clubs.personal_data.register import PersonalTable
    from clubs.rulebooks.actions import Scope
    from clubs.rulebooks.models import RuleBook

SCOPES: dict[str, Scope] = {}
"""Rule books by code, with the dataclasses whose fields they set: ratings declares each rating
system, pairings the pairing and the match lifecycle of the ladder (`rulebooks.actions.declare`)."""

SCOPES_USED: list[Callable[[Organisation], Iterable[str]]] = []
"""Which rule books an organisation uses beside the ladder of a club: ratings, by its lists."""

RULES_ADOPTED: list[Callable[[Organisation, str], object]] = []
"""What follows the adoption of a rule book, before its entry: ratings, whose previews of a correction
were made by the rules before."""

JOURNAL_SUBJECTS: dict[str, Callable[[Collection[int]], Mapping[int, Subject]]] = {}
"""Kind of subject ("match") → the words of those with these ids: clubs for its own tables,
ratings for lists and competitions, pairings for matches, evenings, tournaments and waivers, the API
for webhooks."""

JOURNAL_VERBS: dict[str, Promise] = {}
"""Verb of a journal entry ("match_confirm") → its sentence: clubs, ratings, pairings and api, each what
it writes."""

SITE_REASONS: set[str] = set()
"""Reasons that the site itself stores, as sentences of the source language: clubs and pairings."""

JOURNAL_VALUES: dict[str, Mapping[str, Named]] = {}
"""Kind of subject → {value that its entries store: its name}: clubs for its own tables, ratings for
competitions, lists and editions, pairings for matches, evenings and tournaments, the API for webhooks."""

JOURNAL_CHANGES: dict[str, Callable[[list[JournalEntry]], dict[int, list[ValueChange]]]] = {}
"""Kind of subject → what each of these lines of it changed, by its number, where they store more than
values with a name: clubs for rule books."""

NAMED_SUBJECTS: dict[str, Callable[[Organisation, Collection[str]], Mapping[str, Subject]]] = {}
"""The same for subjects that are named in their organisation instead of numbered: ratings' editions
("edition:fisf:3")."""

MENU_COUNTS: dict[str, Callable[[Any], int]] = {}
"""The count beside a menu entry, of the reader's access: pairings, open contests."""

AWAITING_COMMITTEE: list[Callable[[Organisation], Iterable[tuple[str, str]]]] = []
"""What waits for the committee, each as a sentence with its page: clubs, requests, guests and drafts
of rules; pairings, live evenings and requests for a correction; ratings, competitions to rate and what
clubs hand over."""

GOING_ON: list[Callable[[Organisation], Iterable[tuple[str, str]]]] = []
"""What has to end before an organisation is closed, each in words with its page: pairings, evenings
and tournaments to come or in progress."""

ARCHIVED_FILES: dict[str, Callable[[Any], Path | None]] = {}
"""Model ("app.Model") → the file under MEDIA_ROOT that a row names: pairings, photos of sheets."""

PLAYED_CHECKS: list[Callable[[Member], bool]] = []
"""Whether a guest has played: pairings. Such a guest is merged by the app that owns the games."""

PLAYED_AFTER: list[Callable[[Organisation, date], bool]] = []
"""Whether a club has met again after that day: pairings, an evening that opened. It ends what the
phone of a guest who became a member may do."""

GUESTS_ASKED: list[Callable[[User, Organisation], bool]] = []
"""Whether an account's request to play as a guest of a club is open or was refused tonight: pairings."""

HOME_PARTS: list[Callable[[HttpRequest], dict[str, object] | None]] = []
"""Blocks of the home page, {"template": …, and what it prints}, in the order of the page: ratings'
lists; pairings' demo accounts, a club's evening and ranking, a federation's coming tournaments."""

OWN_PARTS: list[Callable[[HttpRequest], dict[str, object] | None]] = []
"""Blocks of a member's own page before its links, as above: pairings' tasks, place and evenings."""

PORTAL_PARTS: list[Callable[[HttpRequest, Sequence[Organisation]], dict[str, object] | None]] = []
"""Blocks of the page that lists the organisations of a site, as above: pairings' demo accounts and
what is on in each club."""

RULE_EXAMPLES: dict[str, Callable[[RuleBook | None], dict[str, object]]] = {}
"""Rule book by code → the worked example on its page: pairings for the ladder, whose formula it knows."""

RULE_NOTES: dict[str, Callable[[HttpRequest], dict[str, object] | None]] = {}
"""Rule book by code → decisions that no number of it says, on its page: pairings' waivers."""

RULES_TONIGHT: dict[str, Callable[[Organisation, RuleBook | None], dict[str, object] | None]] = {}
"""Rule book by code → the note that what is played now keeps another version, on its page: pairings."""

PERSONAL_DATA: dict[str, PersonalTable] = {}
"""Model ("app.Model") → what it holds about people: clubs, ratings, pairings and api, each its own."""

PERSONAL_CODES: list[Mapping[str, Mapping[str, str | Promise]]] = []
"""Name of a column → code → its words, for exports: clubs, ratings and pairings, each its own tables'."""

LEAVING_LOCKS: list[Callable[[Member, datetime], object]] = []
"""What a departure locks before its first journal entry: pairings' tournaments, the API's keys."""

LEAVING_CHECKS: list[Callable[[Member, Actor, datetime], object]] = []
"""What a departure ends first, or its refusal: the API's keys; pairings' waiting line, running matches,
tournaments."""

NAME_CHOICES: list[
    Callable[[Member, Collection[int], Collection[str], Actor, datetime], object]
] = []
"""What follows a member's choice of who reads their name (the rows of that person, what changed):
clubs, the copies that federations have of them."""

KEYS_OF_A_LOST_DEVICE: list[Callable[[User, Actor, datetime, bool], object]] = []
"""What revokes the keys that an account made for programs, or only those of a role (the last
argument), once a device is lost: api."""

KEYS_OF_A_MEMBER: list[Callable[[Member, Actor, datetime], object]] = []
"""What revokes the keys for programs of a member whose account is taken off their row: api."""

SEASON_DAYS: list[Callable[[Season, date, date], list[date]]] = []
"""Days of evenings counted in a season that others as its first and last would leave out: pairings."""

PRINTED_PAGES: list[str] = []
"""Names of pages whose bare address is on a club's posters: the door, pairings."""
