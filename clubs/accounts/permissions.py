"""Who may do what: player, arbiter, committee, per organisation, read afresh each request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, wraps
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from clubs.accounts import second_factor
from clubs.accounts.actor import ARBITER, COMMITTEE, PLAYER, Actor, Refused
from clubs.accounts.models import User
from clubs.accounts.reauthentication import fields_of, interrupt, resumed, sentences_of, sign_in
from clubs.members.models import Member, RoleGrant
from clubs.organisations.models import Organisation
from clubs.ui.french import written

View = Callable[..., HttpResponseBase]


@dataclass(frozen=True)
class Access:
    """One person's rights in one organisation. A committee member may do what an arbiter may.

    Roles are `withheld` while an `obstacle` stands (`clubs.accounts.second_factor`): they do
    nothing on any page. During the days of grace `grace_until` says when they end. Who is no player
    here `has_evening` where a page is about them tonight, which is no right.
    """

    organisation: Organisation | None
    user: User | None
    member: Member | None
    roles: frozenset[str] = frozenset()
    guest: Member | None = None
    withheld: frozenset[str] = frozenset()
    obstacle: str = ""
    grace_until: datetime | None = None
    has_evening: bool = False

    @classmethod
    def of(cls, user: User | None, organisation: Organisation | None) -> Access:
        if user is None or not user.is_authenticated:
            return cls(organisation, None, None)
        if organisation is None:
            return cls(None, user, None)
        member = _with_roles().filter(organisation=organisation, user=user).first()
        roles = {role for role in (ARBITER, COMMITTEE) if member and vars(member)[role]}
        return cls(organisation, user, member, frozenset(roles))

    def in_session(self, request: HttpRequest, *, at: datetime) -> Access:
        """Return these rights as this session may use them, where a second factor is asked."""
        obstacle, until = second_factor.obstacle_of(request, at=at)
        if not obstacle:
            return replace(self, grace_until=until)
        return replace(self, roles=frozenset(), withheld=self.roles, obstacle=obstacle)

    def restored(self) -> Access:
        """Return these rights as they are once the obstacle is removed."""
        return replace(self, roles=self.withheld)

    @property
    def closed(self) -> str:
        """Return why nothing is written here; empty where the organisation is open."""
        return closed_sentence(self.organisation) if self.organisation is not None else ""

    @property
    def is_member(self) -> bool:
        return self.member is not None

    @property
    def player(self) -> Member | None:
        """Return the member, or the guest who plays with this phone."""
        return self.member or self.guest

    @property
    def is_committee(self) -> bool:
        return COMMITTEE in self.roles

    @property
    def is_arbiter(self) -> bool:
        return ARBITER in self.roles or self.is_committee

    def actor(self, role: str = PLAYER) -> Actor:
        """Return this person acting in that role. Raises PermissionDenied for a role not held."""
        checks = {
            PLAYER: lambda: self.player is not None,
            ARBITER: lambda: self.is_arbiter,
            COMMITTEE: lambda: self.is_committee,
        }
        if not checks[role]():
            raise PermissionDenied
        return Actor(user=self.user, member=self.player, role=role)


@cache
def _with_roles() -> QuerySet[Member]:
    """Return the members with the roles they hold: a query that every request begins with."""
    role_grants = RoleGrant.objects.filter(member=OuterRef("pk"), revoked_at__isnull=True)
    roles = {role: Exists(role_grants.filter(role=role)) for role in (ARBITER, COMMITTEE)}
    return Member.objects.active().annotate(**roles)


def access_of(request: HttpRequest) -> Access:
    """Return the rights read by the middleware for this request."""
    access: Access = request.access  # type: ignore[attr-defined]
    return access


def organisation_of(request: HttpRequest) -> Organisation:
    """Return the organisation of the address. 404 on the portal, where there is none."""
    organisation: Organisation | None = request.organisation  # type: ignore[attr-defined]
    if organisation is None:
        raise Http404
    return organisation


def committee_of(request: HttpRequest) -> Actor:
    """Return the reader, acting as a member of the committee."""
    return access_of(request).actor(COMMITTEE)


def actor_of(request: HttpRequest) -> Actor:
    """Return the reader as an arbiter if they are one, else as the committee."""
    access = access_of(request)
    return access.actor(ARBITER if ARBITER in access.roles else COMMITTEE)


def received_at(request: HttpRequest) -> datetime:
    """Return when the request reached the site, before any wait for a worker.

    A deadline is compared with this time, so that a request sent in time counts.
    """
    at: datetime = request.received_at  # type: ignore[attr-defined]
    return at


# What a reader may see of a person: the name by `Member.name_for`, the pages by `may_open`.


def may_open(access: Access, member: Member) -> bool:
    """Return whether this reader may open the pages about that member.

    Those of a forgotten person are closed to visitors, whatever they had chosen.
    """
    open_to_visitors = member.visibility == Member.EVERYBODY and not member.is_forgotten
    return access.is_member or open_to_visitors


def player_url(
    access: Access, member: Member, name: str = "pairings:player", **more: object
) -> str:
    """Return the page about that member; empty for a reader who may not open it."""
    if not may_open(access, member):
        return ""
    return reverse(name, kwargs={"slug": member.address, **more})


def visible_member(request: HttpRequest, address: str) -> Member:
    """Return the member of that address, if this reader may see them (404 otherwise).

    The public id alone finds them, whatever follows it. An address from before public ids holds the
    whole name: it works only for readers who may see that name, and is a 404 for everybody else.
    The address of a guest merged with a member finds that member.
    """
    access = access_of(request)
    people = Member.objects.of(organisation_of(request)).select_related("merged_into")
    row = people.filter(public_id=address.partition("-")[0]).first()
    by_name = row is None
    if by_name:
        row = people.filter(slug=address).first()
    if row is None:
        raise Http404
    member = row.merged_into or row
    if by_name and not all(
        one.shows_whole_name(viewer_is_member=access.is_member) for one in (row, member)
    ):
        raise Http404
    if not may_open(access, member):
        raise Http404(_("Ce membre a choisi de ne pas être public."))
    return member


def player_page(view: View) -> View:
    """Wrap a page about one member (`slug`), or two (`other`): the view gets the members.

    Another spelling of an address than the current one is redirected, not permanently: members may
    change what they show. Where the reader sees less than the whole name, as a visitor of a minor's
    page does, search engines are asked to leave the page out.
    """

    @wraps(view)
    def guarded(request: HttpRequest, **kwargs: Any) -> HttpResponseBase:
        people = {key: visible_member(request, kwargs[key]) for key in PEOPLE_KEYS & kwargs.keys()}
        addresses = {key: member.address for key, member in people.items()}
        if any(kwargs[key] != address for key, address in addresses.items()):
            assert request.resolver_match is not None
            target = reverse(request.resolver_match.view_name, kwargs={**kwargs, **addresses})
            query = request.META.get("QUERY_STRING", "")
            return redirect(f"{target}?{query}" if query else target)
        arguments = {**kwargs, **people}
        page = view(request, arguments.pop("slug"), **arguments)
        is_member = access_of(request).is_member
        if not all(one.shows_whole_name(viewer_is_member=is_member) for one in people.values()):
            page["X-Robots-Tag"] = "noindex"
        return page

    return guarded


PEOPLE_KEYS = frozenset({"slug", "other"})


def after_closing(view: View) -> View:
    """Mark a page of a closed organisation where its people may still write: their data, its settings.

    Stands inside the decorator that checks the rights.
    """
    view.after_closing = True  # type: ignore[attr-defined]
    return view


def closed_sentence(organisation: Organisation) -> str:
    """Return why nothing is written in an organisation; empty where it is open."""
    if organisation.closed_at is None:
        return ""
    day = written(timezone.localtime(organisation.closed_at, organisation.zone), "j F Y")
    return _(
        "Fermé depuis le %(day)s : les pages se lisent encore, mais plus rien ne s’y inscrit."
    ) % {"day": day}


def lock_open(organisation: Organisation, refused: type[Refused]) -> None:
    """Lock an organisation in which something begins; its closing, and others that begin, wait.

    Raises `refused` where it was closed meanwhile.
    """
    row = Organisation.objects.select_for_update(no_key=True).get(pk=organisation.pk)
    if row.closed_at is not None:
        raise refused(closed_sentence(row), code="club_closed")


def closed_page(request: HttpRequest) -> HttpResponse | None:
    """Return the 403 of a form of a closed organisation, with what was typed; None where it is open."""
    if request.method in ("GET", "HEAD", "OPTIONS") or not access_of(request).closed:
        return None
    context = {"sentences": sentences_of(fields_of(request))}
    return render(request, "clubs/setup/closed_form.html", context, status=403)


def _refused(request: HttpRequest, view: View) -> HttpResponse | None:
    return None if hasattr(view, "after_closing") else closed_page(request)


def _gate(test: Callable[[Access], bool], sentence: Callable[[], str]) -> Callable[[View], View]:
    """Return the decorator of pages for those who pass the test; no cache keeps such a page."""

    def decorate(view: View) -> View:
        uncached = never_cache(view)

        @wraps(view)
        def guarded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
            organisation_of(request)
            access = access_of(request)
            if test(access):
                if not access.obstacle:
                    request.session.pop(second_factor.WANTED, None)
                other_page = _refused(request, view) or resumed(request)
                return other_page or uncached(request, *args, **kwargs)
            if access.user is None:
                return sign_in(request)
            if access.obstacle and test(access.restored()):
                return interrupt(request, second_factor.way_past(request, access.obstacle))
            raise PermissionDenied(sentence())

        guarded.needs = test  # type: ignore[attr-defined]
        return guarded

    return decorate


member_required = _gate(
    lambda access: access.is_member,
    lambda: _("Cette page est réservée aux membres du club. Demandez une invitation au comité."),
)
player_required = _gate(
    lambda access: access.player is not None,
    lambda: _("Cette page est réservée aux membres du club. Demandez une invitation au comité."),
)
arbiter_required = _gate(
    lambda access: access.is_arbiter,
    lambda: _("Cette page est réservée aux arbitres. Le comité donne ce rôle."),
)
committee_required = _gate(
    lambda access: access.is_committee,
    lambda: _("Cette page est réservée au comité. Un membre du comité peut vous donner ce rôle."),
)


def public(view: View) -> View:
    """Mark a page of an organisation that anybody may read."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        organisation_of(request)
        return _refused(request, view) or view(request, *args, **kwargs)

    return guarded
