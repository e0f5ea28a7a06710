from __future__ import annotations

import asyncio

import pytest


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def settle():
    """Let every task run until it waits for something that only the test can bring."""

    async def settled() -> None:
        for _ in range(20):
            await asyncio.sleep(0)

    return settled
