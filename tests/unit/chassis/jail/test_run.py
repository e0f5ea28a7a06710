"""The head and the tail of an output of any length are kept."""

from __future__ import annotations

import errno
import os
import select
import signal
from collections.abc import Callable

import pytest

from i2s_chassis.jail.run import Ending, Output


def _said(chunks: list[bytes], size: int) -> Output:
    output = Output(size)
    for chunk in chunks:
        read_end, write_end = os.pipe()
        os.write(write_end, chunk)
        os.close(write_end)
        output.drain(read_end)
        os.close(read_end)
    return output


def test_a_short_output_is_kept_whole() -> None:
    excerpt = _said([b"hello ", b"world"], 20).excerpt()
    assert (excerpt.head, excerpt.tail, excerpt.total_bytes) == (b"hello worl" + b"d", b"", 11)


def test_of_a_long_output_head_and_tail_are_kept() -> None:
    excerpt = _said([b"a" * 10, b"b" * 1000, b"c" * 10], 20).excerpt()
    assert (excerpt.head, excerpt.tail, excerpt.total_bytes) == (b"a" * 10, b"c" * 10, 1020)


@pytest.fixture(params=["descriptor", "pipe"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "pipe":

        def missing(_: int) -> int:
            raise OSError(errno.ENOSYS, "pidfd_open")

        monkeypatch.setattr(os, "pidfd_open", missing)
    return str(request.param)


def child(what: Callable[[], object]) -> int:
    pid = os.fork()
    if pid == 0:
        what()
        os._exit(3)
    return pid


def ready(fd: int, milliseconds: int) -> bool:
    poller = select.poll()
    poller.register(fd, select.POLLIN)
    return bool(poller.poll(milliseconds))


def test_an_end_is_told_when_it_comes(way: str) -> None:
    read, write = os.pipe()

    def wait() -> None:
        os.close(write)
        os.read(read, 1)

    pid = child(wait)
    ending = Ending(pid)
    assert not ending.happened()
    os.close(write)
    assert ready(ending.fd, 10_000)
    assert ending.happened()
    ending.close()
    os.close(read)
    assert os.waitpid(pid, 0)[1] == 3 << 8


def test_an_end_before_is_told_too(way: str) -> None:
    pid = child(lambda: None)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    ending = Ending(pid)
    assert ready(ending.fd, 0)
    assert ending.happened()
    ending.close()
    os.waitpid(pid, 0)


def test_the_end_of_another_child_is_not_taken_for_it(way: str) -> None:
    pid, other = child(signal.pause), child(lambda: None)
    ending = Ending(pid)
    os.waitpid(other, 0)
    assert not ending.happened()
    os.kill(pid, signal.SIGKILL)
    assert ready(ending.fd, 10_000)
    ending.close()
    os.waitpid(pid, 0)


def test_nothing_of_it_stays(way: str) -> None:
    before = len(os.listdir("/proc/self/fd"))
    pid = child(lambda: None)
    Ending(pid).close()
    assert len(os.listdir("/proc/self/fd")) == before
    assert signal.getsignal(signal.SIGCHLD) is signal.SIG_DFL
    assert signal.set_wakeup_fd(-1) == -1
    os.waitpid(pid, 0)


def test_another_failure_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> int:
        raise OSError(errno.EMFILE, "pidfd_open")

    monkeypatch.setattr(os, "pidfd_open", full)
    with pytest.raises(OSError, match="pidfd_open"):
        Ending(1)
