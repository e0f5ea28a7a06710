"""Who calls: the identity to which shares, quotas and log lines of a call belong."""

from __future__ import annotations

import contextvars
import ipaddress
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol
from urllib.parse import unquote

#: An IPv6 host usually owns all addresses of its network, and may use another for each connection.
_IPV6_PREFIX = 64
# Names of grpc's authentication context, the most specific first.
_CERTIFICATE_NAMES = ("x509_subject", "x509_common_name", "x509_subject_alternative_name")

_LISTED, _CERTIFIED = "caller:", "cert:"

_listed_name: contextvars.ContextVar[str | None] = contextvars.ContextVar("listed_name", default=None)


class CallContext(Protocol):
    """The parts of grpc's context of a call that are read."""

    def peer(self) -> str:
        """Return the address of the other end, such as "ipv4:10.0.0.7:41234"."""

    def auth_context(self) -> Mapping[str, Iterable[bytes]]:
        """Return what the TLS handshake established, by name."""


def caller_of(context: CallContext) -> str:
    """Return the identity of the caller of the current call.

    The strongest that is known: its name in the access file, under which its token or certificate is
    listed ("caller:lab"), the subject of its verified certificate ("cert:CN=lab"), else the address of
    the peer without its port ("peer:10.0.0.7", for IPv6 the network "peer:2001:db8::/64"). Nothing that
    a caller merely claims is used.
    """
    if name := _listed_name.get():
        return listed_identity(name)
    if names := certificate_names(context):
        return f"{_CERTIFIED}{names[0]}"
    return f"peer:{peer_host(context.peer())}"


def listed_identity(name: str) -> str:
    """Return the identity of a caller that the access file lists under a name."""
    return f"{_LISTED}{name}"


def is_identified(caller: str) -> bool:
    """Return whether an identity is that of a name or certificate, not of an address or of nobody."""
    return caller.startswith((_LISTED, _CERTIFIED))


def certificate_names(context: CallContext) -> list[str]:
    """Return the names of the client certificate that TLS verified, the subject first; none without one."""
    established = context.auth_context()
    return [
        value.decode(errors="replace")
        for name in _CERTIFICATE_NAMES
        for value in established.get(name, ())
        if value
    ]


def peer_host(peer: str) -> str:
    """Return the host of a peer as grpc writes it, such as "ipv6:%5B::1%5D:123"; as it came if unknown."""
    kind, _, rest = unquote(peer).partition(":")
    if kind not in {"ipv4", "ipv6"}:
        return peer
    host = rest.rpartition(":")[0].strip("[]").partition("%")[0]
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host or peer
    if isinstance(address, ipaddress.IPv4Address) or address.is_loopback:
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, _IPV6_PREFIX), strict=False))


@contextmanager
def listed_as(name: str) -> Iterator[None]:
    """Let the calls of this task, and of the tasks it starts, belong to a caller of the access file."""
    token = _listed_name.set(name)
    try:
        yield
    finally:
        _listed_name.reset(token)
