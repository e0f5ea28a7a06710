"""Coroutines for callers that are none."""

from __future__ import annotations

import asyncio
import threading

import pytest

from i2s_sdk.stack.blocking import run_blocking


async def _where(log: list[int]) -> str:
    await asyncio.sleep(0)
    log.append(threading.get_ident())
    return "done"


def test_plain_code_gets_the_result_in_its_own_thread() -> None:
    log: list[int] = []
    assert run_blocking(_where(log)) == "done"
    assert log == [threading.get_ident()]


async def test_code_inside_a_running_loop_gets_it_too() -> None:
    log: list[int] = []
    assert run_blocking(_where(log)) == "done"
    assert log != [threading.get_ident()]


@pytest.mark.parametrize("inside", [False, True])
def test_what_is_raised_is_raised(inside: bool) -> None:
    async def fail() -> None:
        raise LookupError("lost")

    async def outer() -> None:
        run_blocking(fail())

    with pytest.raises(LookupError, match="lost"):
        asyncio.run(outer()) if inside else run_blocking(fail())
