"""Listening on an address that somebody chose."""

from __future__ import annotations

import os
import socket

from i2s_sdk.errors import SettingsError


def listen_on(address: str, option: str = "--listen") -> socket.socket:
    """Return a socket that listens on an address.

    Args:
        address: "host:port", the host of IPv6 in brackets; port 0 is any that is free.
        option: Names the address in messages.

    Raises:
        SettingsError: The address is taken, or is none of this machine.
    """
    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, int(port)), family=family, backlog=1024)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
        raise SettingsError(
            f"{option} {address}: cannot be listened on: {reason}; give another address"
        ) from None


def check_free(address: str, option: str = "--listen") -> None:
    """Check that an address can be listened on, before there is work for which it is wanted.

    Raises:
        SettingsError: The address is taken, or is none of this machine.
    """
    listen_on(address, option).close()
