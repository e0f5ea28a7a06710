"""Addresses to listen on: ``host:port`` or ``[v6]:port``."""

from __future__ import annotations

import ipaddress
import re
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

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"
