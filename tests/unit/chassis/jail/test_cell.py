"""A supervisor that does not answer is a sandbox that was lost to the load, which callers retry."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator

import pytest

from i2s_chassis.jail import Tier, cell
from i2s_chassis.jail.cell import Cell
from i2s_chassis.jail.errors import CellError, StarvedError
from i2s_chassis.jail.link import Link
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
