"""Refuses requests that web pages of others send through the browser of somebody who may reach the gateway.

Two ways are known. A page sends requests to another address (its origin is in the header ``Origin``), or
the name of its own site leads to the address of the gateway (the name is in ``Host``, which no browser lets
a page choose).
"""

from __future__ import annotations

import ipaddress
from collections.abc import Collection

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from i2s_gateway.errors import GatewayError


class Guard:
    """An ASGI application that passes on what it does not refuse.

    Args:
        app: The application behind.
        hosts: Names that the header ``Host`` may have, beside localhost and IP addresses.
        origins: Values that the header ``Origin`` may have.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str], origins: Collection[str]) -> None:
        self._app, self._origins = app, frozenset(origins)
        self._hosts = frozenset(one.lower().rstrip(".") for one in hosts) | {"localhost"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request or pass it on."""
        if scope["type"] == "http" and (refused := self._refusal(Headers(scope=scope))):
            await GatewayError(403, "PERMISSION_DENIED", refused).response()(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _refusal(self, headers: Headers) -> str:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_ours(hosts[0]):
            return "the gateway is not called by this name; --allow-host NAME adds one"
        if any(one not in self._origins for one in headers.getlist("origin")):
            return "pages of this origin may send no requests; --allow-origin ORIGIN lets them"
        return ""

    def _is_ours(self, host: str) -> bool:
        """Return whether a host is a name that is ours, or an address: nobody owns the name of an address."""
        name = host if host.endswith("]") else host.rpartition(":")[0] if ":" in host else host
        try:
            ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return name.lower().rstrip(".") in self._hosts
        return True
