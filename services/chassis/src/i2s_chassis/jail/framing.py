"""Messages between the service and the keeper of a cell: a JSON head and bytes.

A frame is the length of the head (4 bytes), the length of the body (8 bytes), both big
endian, the head as JSON and the body. Both ends are ours; no job ever holds this socket.
"""

from __future__ import annotations

import json
import socket
import struct
from typing import Any

_LENGTHS = struct.Struct("!IQ")
LENGTHS_SIZE = _LENGTHS.size

Head = dict[str, Any]


def encode(head: Head, body_size: int) -> bytes:
    """Return the beginning of a frame; the body follows it."""
    text = json.dumps(head).encode()
    return _LENGTHS.pack(len(text), body_size) + text


def decode_lengths(data: bytes) -> tuple[int, int]:
    """Return the sizes of head and body from the first bytes of a frame."""
    head, body = _LENGTHS.unpack(data)
    return head, body


def send(sock: socket.socket, head: Head, body: bytes = b"") -> None:
    """Send one frame, blocking."""
    sock.sendall(encode(head, len(body)))
    if body:
        sock.sendall(body)


def receive(sock: socket.socket) -> tuple[Head, bytes] | None:
    """Receive one frame, blocking; None when the other end has gone."""
    lengths = _receive_exactly(sock, LENGTHS_SIZE)
    if lengths is None:
        return None
    head_size, body_size = decode_lengths(lengths)
    head = _receive_exactly(sock, head_size)
    body = _receive_exactly(sock, body_size)
    if head is None or body is None:
        return None
    return json.loads(head), body


def _receive_exactly(sock: socket.socket, size: int) -> bytes | None:
    data = bytearray(size)
    view = memoryview(data)
    done = 0
    while done < size:
        count = sock.recv_into(view[done:])
        if count == 0:
            return None
        done += count
    return bytes(data)
