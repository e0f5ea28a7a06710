"""Addresses to listen on: ``host:port`` or ``[v6]:port``."""

from __future__ import annotations

import errno
import ipaddress
import re
import socket
from dataclasses import dataclass

_FORM = re.compile(r"(?:\[(?P<v6>[^\[\]]+)\]|(?P<host>[^:\[\]]+)):(?P<port>\d{1,5})")


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen; port 0 lets the system choose."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> Address:
        """Read an address.

        Raises:
            ValueError: It has another form; the message says which forms there are.
        """
        found = _FORM.fullmatch(text)
        if found is None or int(found["port"]) > 65535:
            raise ValueError(f'"{text}" is no address; write host:port or [v6]:port, port 0 for a free one')
        return cls(found["v6"] or found["host"], int(found["port"]))

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def is_taken(self) -> bool:
        """Whether somebody listens there already, at everything that the host stands for.

        False if the host is not known or may not be bound: whoever binds it for good says why.
        """
        try:
            found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            return False
        return bool(found) and all(_is_taken(family, where) for family, _, _, _, where in found)

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def _is_taken(family: int, where: tuple[object, ...]) -> bool:
    try:
        with socket.socket(family, socket.SOCK_STREAM) as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as a server does; it never listens
            tried.bind(where)
    except OSError as error:
        return error.errno == errno.EADDRINUSE
    return False
