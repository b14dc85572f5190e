"""The client address of a request: the only module that knows about proxies.

Behind proxies of ours the address is read from `X-Forwarded-For`, as many entries from its end as
`TRUST_PROXY` counts; without them it is the peer of the connection, and the header is ignored.
"""

from __future__ import annotations

import ipaddress

from allauth.account.adapter import get_adapter
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

IPV6_PREFIX = 64
"""The prefix that one subscriber gets: they can change the host part of an IPv6 address freely."""


def address_of(request: HttpRequest) -> str:
    """Return the client's address, an IPv6 one as its network; empty where it is unknown."""
    try:
        client_address = ipaddress.ip_address(get_adapter(request).get_client_ip(request))
    except (PermissionDenied, ValueError):
        return ""  # a socket file has no peer: such clients share one counter
    if isinstance(client_address, ipaddress.IPv6Address):
        return str(
            ipaddress.IPv6Network((client_address, IPV6_PREFIX), strict=False).network_address
        )
    return str(client_address)
