"""Whether the gateway of this container serves: python live.py HOST:PORT [SECONDS].

Asks /v1/live at the address of its metrics, once or until it answers. The exit code is 0 or 1. A container
engine asks every few seconds, so the request is written here: importing a client costs several times as much.
"""

from __future__ import annotations

import socket
import sys
import time

_ATTEMPT_SECONDS = 4.0
_PAUSE_SECONDS = 0.5
_STATUS_BYTES = 12  # HTTP/1.1 200


def is_live(address: str) -> bool:
    """Return whether the answer has the status 200."""
    host, _, port = address.rpartition(":")
    status, deadline = b"", time.monotonic() + _ATTEMPT_SECONDS
    try:
        with socket.create_connection((host.strip("[]"), int(port)), _ATTEMPT_SECONDS) as connection:
            connection.sendall(b"GET /v1/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            while len(status) < _STATUS_BYTES:
                connection.settimeout(max(0.001, deadline - time.monotonic()))
                more = connection.recv(_STATUS_BYTES - len(status))
                if not more:
                    return False
                status += more
    except OSError:
        return False
    return status.split(b" ")[1:] == [b"200"]


def main(address: str, seconds: float) -> int:
    """Ask until it serves or the time is over."""
    deadline = time.monotonic() + seconds
    while not (live := is_live(address)) and time.monotonic() < deadline:
        time.sleep(_PAUSE_SECONDS)
    print("SERVING" if live else "UNAVAILABLE")
    return 0 if live else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1], float(sys.argv[2]) if sys.argv[2:] else 0.0))
