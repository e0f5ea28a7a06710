"""One start of services at a time, and an end that comes during it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from i2s_sdk.stack import state
from i2s_sdk.stack.lifecycle import StoppedServices, down, up
from i2s_sdk.stack.state import StackKind, Up, UpService, end_requested, ending, starting


def _never() -> None:
    raise AssertionError("nothing is to be waited for")


def test_a_second_start_waits_for_the_first(tmp_path: Path) -> None:
    order: list[str] = []
    waits = threading.Event()

    def second() -> None:
        with starting(tmp_path, waits.set):
            order.append("second")

    thread = threading.Thread(target=second)
    with starting(tmp_path, _never):
        thread.start()
        assert waits.wait(60)
        order.append("first")
    thread.join(60)
    assert order == ["first", "second"]


def test_who_waited_while_the_folder_was_removed_starts_in_the_new_one(tmp_path: Path) -> None:
    folder = tmp_path / "i2s"
    waits, started = threading.Event(), threading.Event()

    def second() -> None:
        with starting(folder, waits.set):
            assert folder.is_dir()
            started.set()

    thread = threading.Thread(target=second)
    with starting(folder, _never):
        thread.start()
        assert waits.wait(60)
        shutil.rmtree(folder)
    assert started.wait(60)
    thread.join(60)


def test_the_lock_is_kept_by_a_process_that_inherits_it(tmp_path: Path) -> None:
    with starting(tmp_path, _never) as lock:
        holder = subprocess.Popen(
            [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, pass_fds=(lock,), text=True
        )
    waits = threading.Event()
    got = threading.Event()

    def second() -> None:
        with starting(tmp_path, waits.set):
            got.set()

    thread = threading.Thread(target=second)
    thread.start()
    assert waits.wait(60)
    assert not got.is_set()
    holder.communicate("\n", timeout=60)
    assert got.wait(60)
    thread.join(60)


def test_an_end_during_a_start_is_requested_and_waits(tmp_path: Path) -> None:
    found: list[bool] = []

    def end() -> None:
        with ending(tmp_path) as interrupted:
            found.append(interrupted)

    thread = threading.Thread(target=end)
    with starting(tmp_path, _never):
        thread.start()
        while not end_requested(tmp_path):
            assert thread.is_alive()
        assert found == []
    thread.join(60)
    assert found == [True]


def test_an_end_without_a_start_interrupts_nothing(tmp_path: Path) -> None:
    with ending(tmp_path) as interrupted:
        assert not interrupted
    assert not end_requested(tmp_path)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return state.stack_folder()


def _record(folder: Path, kind: StackKind) -> None:
    state.write_record(Up(kind, (UpService("render-latex", "127.0.0.1:1"),)), folder)


def test_what_a_killed_supervisor_has_recorded_is_forgotten_before_another_starts(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it would be read as that of the new one as soon as this has the lock."""
    _record(folder, StackKind.PROCESSES)
    (folder / "stack.lock").write_text("4194304")
    seen: list[object] = []

    def start(*arguments: object, **more: object) -> object:
        seen.extend(sorted(path.name for path in folder.iterdir()))
        with state.supervising(folder):
            assert state.read_record() is None
        raise InterruptedError

    monkeypatch.setattr("i2s_sdk.stack.lifecycle.subprocess.Popen", start)
    with pytest.raises(InterruptedError):
        up(["render-latex"])
    assert "stack.json" not in seen
    assert "stack.lock" not in seen


def test_a_record_of_containers_at_which_nothing_listens_is_not_what_is_up(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _record(folder, StackKind.DOCKER)
    new = Up(StackKind.DOCKER, (UpService("render-latex", "127.0.0.1:2"),))
    monkeypatch.setattr("i2s_sdk.stack.containers.start_containers", lambda *rest: new)
    assert up(["render-latex"], docker=True) == new


@pytest.mark.slow
def test_down_where_a_supervisor_was_killed_removes_what_it_left(folder: Path) -> None:
    _record(folder, StackKind.PROCESSES)
    assert down() is StoppedServices.NOTHING
    assert not folder.exists()
