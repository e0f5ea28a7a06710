"""Messages between the service and the supervisor of a cell: a JSON head, bytes, perhaps an open file.

They travel over a pair of SOCK_SEQPACKET sockets, one packet each: a letter, and then, for

- ``=``: the length of the head (4 bytes, big endian), the head as JSON, the body;
- ``+``: the same, and the packet carries the descriptor of a file that belongs to the message;
- ``@``: nothing, but the packet carries a memory file that holds what would come after ``=``.

So no message is too long, and a result need not be copied through the socket. Both ends are
ours; no job ever holds this socket.
"""

from __future__ import annotations

import json
import os
import socket
import struct
from array import array
from dataclasses import dataclass
from typing import Any

_LENGTH = struct.Struct("!I")
_INLINE_BYTES = 64 * 1024
_PACKET_BYTES = 2 * _INLINE_BYTES
_MOST_BYTES = 1025 * 1024 * 1024  # of one message; the largest request of a service is smaller

Head = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Message:
    """The contents of one packet. Whoever receives it closes ``file``, a descriptor or None."""

    head: Head
    body: bytes = b""
    file: int | None = None


def send(sock: socket.socket, message: Message) -> None:
    """Send one message; its file stays the sender's to close.

    Raises:
        BlockingIOError: The socket does not block and is full; nothing was sent.
        OSError: The other end has gone.
    """
    text = json.dumps(message.head).encode()
    data = _LENGTH.pack(len(text)) + text + message.body
    if message.file is not None:
        socket.send_fds(sock, [b"+" + data], [message.file])
    elif len(data) <= _INLINE_BYTES:
        sock.send(b"=" + data)
    else:
        memory = os.memfd_create("i2s-message", os.MFD_CLOEXEC)
        try:
            with open(memory, "wb", closefd=False) as file:
                file.write(data)
            socket.send_fds(sock, [b"@"], [memory])
        finally:
            os.close(memory)


def receive(sock: socket.socket) -> Message | None:
    """Receive one message; None when the other end has gone.

    Raises:
        BlockingIOError: The socket does not block and nothing has come.
        ValueError: It is not a message, or too long.
    """
    packet, files, whole = receive_packet(sock, _PACKET_BYTES, 1)
    if not whole:
        raise ValueError("a packet that is too long")
    if not packet:
        return None
    if packet[:1] in b"@+" and not files:
        raise ValueError("a packet without its file")
    if packet[:1] == b"@":
        with open(files[0], "rb") as memory:
            size = os.fstat(files[0]).st_size
            if size > _MOST_BYTES:
                raise ValueError(f"a message of {size} bytes")
            return _parse(os.pread(memory.fileno(), size, 0), None)
    return _parse(packet[1:], files[0] if packet[:1] == b"+" else None)


def receive_packet(sock: socket.socket, size: int, max_files: int) -> tuple[bytes, list[int], bool]:
    """Return the next packet, the descriptors that came with it, and whether that is all of it.

    No program inherits the descriptors.

    socket.recv_fds leaves its flags unused, and with them close-on-exec.
    """
    files = array("i")
    room = socket.CMSG_SPACE(max_files * files.itemsize)
    packet, ancillary, flags, _ = sock.recvmsg(size, room, socket.MSG_CMSG_CLOEXEC)
    for level, kind, data in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            files.frombytes(data[: len(data) - len(data) % files.itemsize])
    return packet, list(files), not flags & (socket.MSG_TRUNC | socket.MSG_CTRUNC)


def _parse(data: bytes, file: int | None) -> Message:
    (size,) = _LENGTH.unpack_from(data)
    start = _LENGTH.size + size
    return Message(json.loads(data[_LENGTH.size : start]), data[start:], file)
