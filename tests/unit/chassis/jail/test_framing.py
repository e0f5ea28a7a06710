"""Messages between service and supervisor arrive as they were sent."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator

import pytest

from i2s_chassis.jail import framing
from i2s_chassis.jail.framing import Message


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        yield ours, theirs


@pytest.mark.parametrize("size", [0, 1000, 64 * 1024, 3_000_000])
def test_a_message_of_any_size_arrives(pair: tuple[socket.socket, socket.socket], size: int) -> None:
    sent = Message({"op": "write", "name": "ä"}, b"\0x" * (size // 2))
    framing.send(pair[0], sent)
    assert framing.receive(pair[1]) == sent


def test_a_long_head_arrives(pair: tuple[socket.socket, socket.socket]) -> None:
    sent = Message({"argv": ["x" * 100_000] * 5})
    framing.send(pair[0], sent)
    assert framing.receive(pair[1]) == sent


def test_a_file_arrives_open_and_is_not_inherited(pair: tuple[socket.socket, socket.socket]) -> None:
    memory = os.memfd_create("test")
    os.write(memory, b"content")
    framing.send(pair[0], Message({}, b"beside", memory))
    os.close(memory)
    received = framing.receive(pair[1])
    assert received is not None
    assert received.body == b"beside"
    assert received.file is not None
    assert os.pread(received.file, 100, 0) == b"content"
    assert not os.get_inheritable(received.file)
    os.close(received.file)


def test_a_closed_connection_is_the_end(pair: tuple[socket.socket, socket.socket]) -> None:
    pair[0].close()
    assert framing.receive(pair[1]) is None


def test_nothing_yet_is_not_the_end(pair: tuple[socket.socket, socket.socket]) -> None:
    pair[1].setblocking(False)
    with pytest.raises(BlockingIOError):
        framing.receive(pair[1])
