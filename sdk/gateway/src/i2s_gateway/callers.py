"""Callers: who shares uploads, and whose requests are taken in turn."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from starlette.requests import Request

from i2s_gateway.answers import authorization_of


@dataclass(frozen=True, slots=True)
class Caller:
    """A caller of the gateway."""

    #: Tells callers apart: the digest of the credentials, or the address of one that brings none.
    key: str
    #: Where it calls from: whoever invents credentials has many keys, and one address.
    address: str = ""
    #: Value of the header ``Authorization``, which services are shown; empty if there is none.
    authorization: str = field(default="", repr=False)


def caller_of(request: Request) -> Caller:
    """Return who sends a request: credentials name the same caller wherever it calls from.

    Raises:
        GatewayError: The credentials have characters that no token has.
    """
    authorization = authorization_of(request)
    address = request.client.host if request.client is not None else ""
    if not authorization:
        return Caller(f"address {address}", address)
    scheme, _, token = authorization.partition(" ")  # services read it so: "bearer  T" is "Bearer T"
    key = hashlib.sha256(f"{scheme.lower()} {token.strip()}".encode()).hexdigest()
    return Caller(key, address, authorization)
