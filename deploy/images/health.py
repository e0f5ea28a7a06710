"""Whether the service of this container serves: python health.py HOST:PORT [SECONDS].

Asks grpc.health.v1 at the plaintext health port, once or until it says SERVING. The exit code is 0 or 1.

The one call is written here in frames of HTTP/2 (RFC 9113), because a container engine asks every few
seconds, and importing grpc costs several times the CPU time of the rest.
"""

from __future__ import annotations

import socket
import sys
import time

_ATTEMPT_SECONDS = 4.0
_PAUSE_SECONDS = 0.5

_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_DATA, _HEADERS, _RST_STREAM, _SETTINGS, _GOAWAY = 0, 1, 3, 4, 7
_END_STREAM, _ACK, _END_HEADERS = 1, 1, 4
_STREAM = 1
_REQUEST = (
    (b":method", b"POST"),
    (b":scheme", b"http"),
    (b":path", b"/grpc.health.v1.Health/Check"),
    (b":authority", b"localhost"),
    (b"te", b"trailers"),
    (b"content-type", b"application/grpc"),
)
_NO_MESSAGE = bytes(5)  # not compressed, and no bytes: all services
_FIELD_STATUS = 0x08
_STATUSES = ("UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN")


def ask(address: str) -> str:
    """Return the name of the status, or UNAVAILABLE if there is none."""
    host, _, port = address.rpartition(":")
    deadline = time.monotonic() + _ATTEMPT_SECONDS
    try:
        with socket.create_connection((host.strip("[]"), int(port)), _ATTEMPT_SECONDS) as connection:
            connection.sendall(
                _PREFACE
                + _frame(_SETTINGS, 0, 0, b"")
                + _frame(_HEADERS, _END_HEADERS, _STREAM, b"".join(_header(*one) for one in _REQUEST))
                + _frame(_DATA, _END_STREAM, _STREAM, _NO_MESSAGE)
            )
            return _status(_message(connection, deadline))
    except OSError:
        return "UNAVAILABLE"


def _message(connection: socket.socket, deadline: float) -> bytes:
    """Return the data of the response; what was received of it if the server ends the call."""
    status = b""
    while True:
        header = _received(connection, 9, deadline)
        kind, flags = header[3], header[4]
        stream = int.from_bytes(header[5:], "big")
        payload = _received(connection, int.from_bytes(header[:3], "big"), deadline)
        if kind == _SETTINGS and not flags & _ACK:
            connection.sendall(_frame(_SETTINGS, _ACK, 0, b""))
        if kind == _DATA and stream == _STREAM:
            status += payload
        ended = kind in (_DATA, _HEADERS) and stream == _STREAM and flags & _END_STREAM
        if ended or kind in (_RST_STREAM, _GOAWAY):
            return status


def _received(connection: socket.socket, size: int, deadline: float) -> bytes:
    """Return so many bytes.

    Raises:
        OSError: The connection ended before, or the time is over.
    """
    name = b""
    while len(name) < size:
        connection.settimeout(max(0.001, deadline - time.monotonic()))
        more = connection.recv(size - len(name))
        if not more:
            raise ConnectionError
        name += more
    return name


def _status(message: bytes) -> str:
    """Return the name of the status in a HealthCheckResponse with the prefix of gRPC; it may leave out 0."""
    if len(message) < len(_NO_MESSAGE):
        return "UNAVAILABLE"
    response = message[len(_NO_MESSAGE) :]
    number = response[1] if len(response) == 2 and response[0] == _FIELD_STATUS else 0
    return _STATUSES[number] if number < len(_STATUSES) else "UNKNOWN"


def _frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + payload


def _header(name: bytes, value: bytes) -> bytes:
    """Return a literal field without indexing and without Huffman coding (RFC 7541, 6.2.2)."""
    return b"\x00" + bytes((len(name),)) + name + bytes((len(value),)) + value


def main(address: str, seconds: float) -> int:
    """Ask until it serves or the time is over."""
    deadline = time.monotonic() + seconds
    while (status := ask(address)) != "SERVING" and time.monotonic() < deadline:
        time.sleep(_PAUSE_SECONDS)
    print(status)
    return 0 if status == "SERVING" else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1], float(sys.argv[2]) if sys.argv[2:] else 0.0))
