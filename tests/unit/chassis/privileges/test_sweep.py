"""What root removes for the user that a service became: stale work folders of this user, as this user."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest

from i2s_chassis.privileges.child import ChildError, in_a_child
from i2s_chassis.privileges.sweep import remove_stale_of_service, remove_stale_of_this_user
from i2s_chassis.renderer import RendererSettings
from i2s_chassis.work_folder import WorkFolder

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="root alone becomes another user")
USER, OTHER = 51_998, 51_997


class SomeSettings(RendererSettings):
    service: ClassVar[str] = "some"
    port: ClassVar[int] = USER - 44_000


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A temporary folder that all users may write to."""
    command = ["mktemp", "-d", "--tmpdir=/tmp", "sweep-XXXXXX"]
    folder = Path(subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip())
    folder.chmod(0o1777)
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    yield folder
    subprocess.run(["rm", "-r", str(folder)], check=True)


def stale_folder(parent: Path, user: int) -> Path:
    """Return a work folder whose mark nobody holds, with a file in it."""
    folder = WorkFolder("test", parent)
    path = folder.path
    os.close(folder._mark)
    (path / "file").touch()
    for one in (path / ".i2s-owner", path / "file", path):
        os.chown(one, user, user)
    return path


@as_root
def test_stale_folders_of_the_user_go_and_those_of_others_stay(temporary: Path) -> None:
    mine, foreign, of_root = (stale_folder(temporary, user) for user in (USER, OTHER, 0))
    assert remove_stale_of_service(SomeSettings()) == [mine]
    assert set(temporary.iterdir()) == {foreign, of_root}
    assert os.geteuid() == 0


@as_root
def test_a_folder_that_a_process_of_the_user_holds_stays(temporary: Path) -> None:
    script = (
        f"import os; from i2s_chassis.work_folder import WorkFolder; os.setuid({USER}); "
        "folder = WorkFolder('test'); input()"
    )
    environment = {**os.environ, "TMPDIR": str(temporary)}
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=environment) as process:
        while not list(temporary.glob("*/.i2s-owner")):
            assert process.poll() is None
            time.sleep(0.01)
        (held,) = temporary.iterdir()
        assert remove_stale_of_service(SomeSettings()) == []
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert remove_stale_of_service(SomeSettings()) == [held]


@as_root
def test_nothing_is_removed_that_the_user_may_not_remove(temporary: Path) -> None:
    kept = temporary / "of-root"
    kept.mkdir(mode=0o755)
    (kept / "file").touch()
    path = stale_folder(temporary, USER)
    (path / "link").symlink_to(kept)
    inner = path / "inner"
    inner.mkdir()
    (inner / "file").touch()
    remove_stale_of_service(SomeSettings())
    assert (kept / "file").exists()
    assert (inner / "file").exists()


@as_root
@pytest.mark.parametrize("user", ["0", str(OTHER)])
def test_the_user_is_that_of_the_settings(temporary: Path, user: str) -> None:
    of_root, foreign, usual = (stale_folder(temporary, one) for one in (0, OTHER, USER))
    removed = {"0": [], str(OTHER): [foreign]}[user]
    assert remove_stale_of_service(SomeSettings(user=user)) == removed
    assert set(temporary.iterdir()) == {of_root, foreign, usual}.difference(removed)


#: A service that became a user who may write to none of the usual folders; it has a folder of its own.
_WITHOUT_A_USUAL_FOLDER = f"""
import sys, tempfile
from i2s_chassis.privileges import drop
from i2s_chassis.privileges.account import UserAccount

tempfile.tempdir, drop.TEMPORARY = sys.argv[1], (sys.argv[1],)
account = UserAccount({USER}, {USER})
folder = drop._temporary_folder(account)
account.become()
(folder / "file").touch()
print(folder, flush=True)
input()
"""


@as_root
def test_the_folder_of_a_killed_service_that_may_write_to_none_of_the_usual_ones_goes(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary.chmod(0o755)
    monkeypatch.setattr("i2s_chassis.privileges.sweep.TEMPORARY", (str(temporary),))
    monkeypatch.setattr("tempfile.tempdir", "/")  # root's own may be another one
    command = [sys.executable, "-c", _WITHOUT_A_USUAL_FOLDER, str(temporary)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        made = Path(process.stdout.readline().strip())
        assert (made / "file").exists()
        assert made.stat().st_uid == USER
        assert remove_stale_of_this_user() == []
        process.send_signal(signal.SIGKILL)
        process.wait()
        (left,) = temporary.iterdir()
        assert remove_stale_of_this_user() == [left]
    assert list(temporary.iterdir()) == []


def test_work_in_a_child_is_returned_whole_or_fails_in_words() -> None:
    assert in_a_child(lambda: b"x" * 1_000_000) == b"x" * 1_000_000
    with pytest.raises(ChildError, match="ZeroDivisionError"):
        in_a_child(lambda: bytes(1 // 0))
    with pytest.raises(ChildError, match="has ended"):
        in_a_child(_killed)


def _killed() -> bytes:
    os.kill(os.getpid(), signal.SIGKILL)
    return b"never"
