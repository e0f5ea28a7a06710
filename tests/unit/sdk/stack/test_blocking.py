"""Coroutines for callers that are none."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Iterator

import pytest

from i2s_sdk.cli.main import interrupt
from i2s_sdk.stack.blocking import at_interrupt, run_blocking


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


@pytest.fixture
def interrupt_ignored() -> Iterator[None]:
    """Signals as a process has them that a shell has started in the background."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN), signal.signal(signal.SIGTERM, interrupt)
    yield
    signal.signal(signal.SIGINT, before[0])
    signal.signal(signal.SIGTERM, before[1])


@pytest.mark.usefixtures("interrupt_ignored")
def test_sigterm_cancels_the_work_wherever_it_comes() -> None:
    """An exception out of the handler would be lost in code that survives exceptions, as callbacks do."""
    notices, ended = [], []

    async def work() -> None:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            for _ in range(1000):  # the handler runs within this block
                pass
        except BaseException:
            pytest.fail("the handler has raised")
        try:
            await asyncio.sleep(3600)
        finally:
            ended.append("orderly")

    with at_interrupt(lambda: notices.append("now")), pytest.raises(KeyboardInterrupt):
        run_blocking(work())
    assert (notices, ended) == (["now"], ["orderly"])


@pytest.mark.usefixtures("interrupt_ignored")
def test_sigterm_without_work_ends_the_process() -> None:
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGTERM)
