"""Work folders are removed once their process is gone, and nothing else is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from i2s_chassis.jail import syscalls
from i2s_chassis.jail.work_folder import WorkFolder, remove_stale

_HOLD = """
import sys
from pathlib import Path
from i2s_chassis.jail.work_folder import WorkFolder
folder = WorkFolder("test", Path(sys.argv[1]))
(folder.path / "deep" / "deeper").mkdir(parents=True)
(folder.path / "deep" / "deeper" / "file").write_text("left")
(folder.path / "deep").chmod(0)
(folder.path / "link").symlink_to(sys.argv[2])
print(folder.path, flush=True)
sys.stdin.read()
"""


@contextmanager
def holder(parent: Path, target: Path | str = "/") -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """Yield a process that holds a work folder with a tree and a link in it, and the folder."""
    command = [sys.executable, "-c", _HOLD, str(parent), str(target)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process, Path(process.stdout.readline().strip())


def kill(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait()


def stale_folder(parent: Path, target: Path | str = "/") -> Path:
    with holder(parent, target) as (process, path):
        kill(process)
    return path


def test_a_folder_goes_with_its_block(tmp_path: Path) -> None:
    with WorkFolder("test", tmp_path) as folder:
        assert folder.path.stat().st_mode & 0o077 == 0
        (folder.path / "file").touch()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_stays_while_its_process_lives_and_goes_after_a_kill(tmp_path: Path) -> None:
    with holder(tmp_path) as (process, path):
        assert remove_stale(tmp_path) == []
        assert path.is_dir()
        kill(process)
        assert remove_stale(tmp_path) == [path]
    assert list(tmp_path.iterdir()) == []


def test_where_a_link_leads_nothing_is_removed(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").touch()
    path = stale_folder(tmp_path, kept)
    link = tmp_path / "i2s-link"
    link.symlink_to(path)
    assert remove_stale(tmp_path) == [path]
    assert link.is_symlink()
    assert (kept / "file").exists()


def test_a_folder_that_is_found_through_a_link_only_stays(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    path = stale_folder(elsewhere)
    (tmp_path / "i2s-link").symlink_to(path)
    assert remove_stale(tmp_path) == []
    assert path.is_dir()


@pytest.mark.parametrize("content", [(), ("results.json",), (".i2s-owner.new",)])
def test_a_folder_of_somebody_else_with_such_a_name_stays(tmp_path: Path, content: tuple[str, ...]) -> None:
    folder = tmp_path / "i2s-results"
    folder.mkdir()
    for name in content:
        (folder / name).touch()
    (tmp_path / "i2s-file").touch()
    assert remove_stale(tmp_path) == []
    assert sorted(path.name for path in folder.iterdir()) == sorted(content)
    assert (tmp_path / "i2s-file").exists()


def test_a_pipe_or_link_in_place_of_the_locked_file_is_no_mark(tmp_path: Path) -> None:
    for name, make in (("i2s-pipe", os.mkfifo), ("i2s-link", lambda path: path.symlink_to("/etc/hostname"))):
        folder = tmp_path / name
        folder.mkdir()
        make(folder / ".i2s-owner")
        (folder / "file").touch()
    assert remove_stale(tmp_path) == []
    assert (tmp_path / "i2s-pipe" / "file").exists()
    assert (tmp_path / "i2s-link" / "file").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="gives folders to another user, which root alone may")
@pytest.mark.parametrize("inner", [False, True])
def test_what_belongs_to_another_user_stays(tmp_path: Path, inner: bool) -> None:
    path = stale_folder(tmp_path)
    os.chown(path / ".i2s-owner" if inner else path, 65534, 65534)
    assert remove_stale(tmp_path) == []
    assert path.is_dir()


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a file system, which root alone may")
def test_what_is_mounted_below_stays(tmp_path: Path) -> None:
    """Tried in a process with mounts of its own."""
    path = stale_folder(tmp_path)
    (path / "mounted" / "inner").mkdir(parents=True)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            syscalls.unshare(syscalls.CLONE_NEWNS)
            syscalls.mount("none", "/", None, syscalls.MS_REC | syscalls.MS_PRIVATE)
            mounted = path / "mounted" / "inner"
            syscalls.mount("test", str(mounted), "tmpfs", 0, "size=65536")
            (mounted / "file").touch()
            remove_stale(tmp_path)
            status = 0 if (mounted / "file").exists() and (path / ".i2s-owner").exists() else 2
        except OSError as error:
            status = 77 if isinstance(error, PermissionError) else 1
        finally:
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status == 77:
        pytest.skip("this machine lets nobody mount")
    assert status == 0
    remove_stale(tmp_path)
    assert not path.exists()


def test_several_may_remove_and_make_folders_at_the_same_time(tmp_path: Path) -> None:
    stale = {stale_folder(tmp_path) for _ in range(5)}
    removed: list[Path] = []
    start = threading.Barrier(4)

    def remove() -> None:
        start.wait()
        removed.extend(remove_stale(tmp_path))

    removers = [threading.Thread(target=remove) for _ in range(3)]
    for one in removers:
        one.start()
    start.wait()
    made = [WorkFolder("test", tmp_path) for _ in range(20)]
    for one in removers:
        one.join()
    remove_stale(tmp_path)
    assert sorted(removed) == sorted(stale)
    assert {folder.path for folder in made} == set(tmp_path.iterdir())
    for folder in made:
        folder.remove()
