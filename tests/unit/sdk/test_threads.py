"""Work in a thread is over when its caller goes on, also when that is cancelled."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from i2s_sdk.threads import to_thread_until_done


async def test_it_returns_and_raises_what_the_function_does() -> None:
    assert await to_thread_until_done(divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        await to_thread_until_done(divmod, 7, 0)


async def test_a_cancelled_caller_goes_on_once_the_function_has_ended(tmp_path: Path) -> None:
    begun, may_end = threading.Event(), threading.Event()

    def write() -> None:
        begun.set()
        may_end.wait()
        (tmp_path / "written").touch()

    task = asyncio.create_task(to_thread_until_done(write))
    await asyncio.to_thread(begun.wait)
    for _ in range(3):  # however often
        task.cancel()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    assert not task.done()
    may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (tmp_path / "written").exists()


async def test_an_error_of_cancelled_work_is_not_reported_as_lost(caplog: pytest.LogCaptureFixture) -> None:
    begun, may_end = threading.Event(), threading.Event()

    def fail() -> None:
        begun.set()
        may_end.wait()
        raise ValueError("nobody waits for it")

    task = asyncio.create_task(to_thread_until_done(fail))
    await asyncio.to_thread(begun.wait)
    task.cancel()
    await asyncio.sleep(0)
    may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert caplog.text == ""
