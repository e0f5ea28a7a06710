"""A supervisor that does not answer is a sandbox that was lost to the load, which callers retry."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Iterator

import pytest

from i2s_chassis.jail import Tier, cell, framing
from i2s_chassis.jail.cell import Cell, Link
from i2s_chassis.jail.errors import CellError, CellLostError, StarvedError
from i2s_chassis.jail.framing import Message
from i2s_chassis.jail.plan import CellPlan
from i2s_chassis.limits import Limits

LIMITS = Limits(wall_seconds=0.01)


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """Our end of the socket of a supervisor that never answers."""
    monkeypatch.setattr(cell, "_BACKSTOP_SECONDS", 0.01)
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        yield ours


@pytest.mark.parametrize("method", ["stand", "usage", "run"])
def test_a_supervisor_that_does_not_answer_is_a_starved_cell(silent: socket.socket, method: str) -> None:
    async def ask() -> None:
        link = Link(silent)
        plan = CellPlan(
            name="one",
            tier=Tier.NONE,
            limits=LIMITS,
            uid=None,
            readable=(),
            folder="/none",
            private_mount=False,
            new_user=False,
            poll_seconds=1,
            patience=1,
            groups=None,
            bwrap="",
        )
        one = Cell(plan, link)
        try:
            await {"stand": one.stand, "usage": one.usage, "run": lambda: one.run(["true"])}[method]()
        finally:
            link.close()

    with pytest.raises(StarvedError, match="does not answer"):
        asyncio.run(ask())
    assert issubclass(StarvedError, CellError)  # which ends a call with the status UNAVAILABLE


def _pair() -> tuple[Link, socket.socket]:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    return Link(ours), theirs


def _asked(theirs: socket.socket) -> Message:
    message = framing.receive(theirs)
    assert message is not None
    return message


async def test_answers_find_their_questions_in_any_order() -> None:
    link, theirs = _pair()
    with theirs:
        waiting = [asyncio.create_task(link.ask({"op": name})) for name in "ab"]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        for question in reversed([_asked(theirs), _asked(theirs)]):
            framing.send(theirs, Message({"id": question.head["id"], "of": question.head["op"]}))
        assert [(await one).head["of"] for one in waiting] == ["a", "b"]
        link.close()


async def test_a_late_answer_to_nobody_leaves_no_file_open() -> None:
    link, theirs = _pair()
    with theirs:
        waiting = asyncio.create_task(link.ask({"op": "read"}))
        await asyncio.sleep(0)
        question = _asked(theirs)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        before = len(os.listdir("/proc/self/fd"))
        with open("/dev/null") as file:
            framing.send(theirs, Message({"id": question.head["id"]}, file=file.fileno()))
        again = asyncio.create_task(link.ask({"op": "list"}))
        await asyncio.sleep(0)
        framing.send(theirs, Message({"id": _asked(theirs).head["id"]}))
        await again
        assert len(os.listdir("/proc/self/fd")) == before
        link.close()


async def test_a_lost_supervisor_ends_all_questions() -> None:
    link, theirs = _pair()
    waiting = [asyncio.create_task(link.ask({"op": name})) for name in "ab"]
    await asyncio.sleep(0)
    theirs.close()
    for one in waiting:
        with pytest.raises(CellLostError):
            await one
    with pytest.raises(CellLostError):
        await link.ask({"op": "list"})
    link.close()


async def test_a_full_socket_is_waited_for() -> None:
    link, theirs = _pair()
    with theirs:
        waiting = [asyncio.create_task(link.ask({"op": "write"}, b"x" * 50_000)) for _ in range(40)]
        for _ in waiting:
            question = await asyncio.to_thread(_asked, theirs)
            framing.send(theirs, Message({"id": question.head["id"]}))
        await asyncio.gather(*waiting)
        link.close()
