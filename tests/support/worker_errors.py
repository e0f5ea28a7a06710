"""Programs of worker processes that write to standard error."""

from __future__ import annotations

import ctypes
import os
import socket

from i2s_metrics.frames import framed


def writes(connection: socket.socket, words: bytes) -> None:
    """Be a worker whose libraries complain."""
    os.write(2, words)
    connection.sendall(framed(b"done"))
    connection.recv(1)


def crashes(connection: socket.socket, _: bytes) -> None:
    """Be a worker with a fault in machine code."""
    connection.recv(1)
    ctypes.string_at(0)
