"""What a service does once it has given up root."""

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

from i2s_chassis.jail.work_folder import WorkFolder
from i2s_chassis.renderer import RendererSettings
from i2s_chassis.server import privileges
from i2s_chassis.server.privileges import prepare_folder, remove_stale_of_service, remove_stale_of_this_user
from i2s_chassis.server.service_user import ChildError, UserAccount, in_a_child


@pytest.fixture(autouse=True)
def back(monkeypatch, tmp_path):
    """Return to the folder of the tests afterwards."""
    monkeypatch.chdir(tmp_path)


def test_a_working_folder_that_can_be_entered_stays(tmp_path):
    privileges._leave_closed_folder()
    assert os.getcwd() == str(tmp_path)


def test_a_closed_working_folder_is_left(tmp_path, monkeypatch):
    change = os.chdir

    def refuse(path):
        if str(path) == str(tmp_path):
            raise PermissionError(13, "Permission denied", path)
        change(path)

    monkeypatch.setattr(os, "chdir", refuse)
    privileges._leave_closed_folder()
    assert os.getcwd() == "/"


def test_a_working_folder_that_was_removed_is_left(tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    privileges._leave_closed_folder()
    assert os.getcwd() == "/"


pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives folders to somebody else")
ACCOUNT = UserAccount(51_999, 51_999)


def test_a_missing_one_is_made_and_given(tmp_path: Path) -> None:
    prepare_folder(tmp_path / "a" / "b", ACCOUNT, is_ours=False)
    status = (tmp_path / "a" / "b").stat()
    assert (status.st_uid, status.st_gid, status.st_mode & 0o777) == (51_999, 51_999, 0o755)
    assert (tmp_path / "a").stat().st_uid == 0


def test_somebody_elses_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    prepare_folder(tmp_path, ACCOUNT, is_ours=False)
    assert {tmp_path.stat().st_uid, (tmp_path / "file").stat().st_uid} == {0}


def test_what_root_has_made_in_ours_is_given_and_nothing_else(tmp_path: Path) -> None:
    ours, outside = tmp_path / "ours", tmp_path / "outside"
    (ours / "formats").mkdir(parents=True)
    (ours / "formats" / "one.fmt").touch()
    outside.touch()
    (ours / "link").symlink_to(outside)
    os.link(outside, ours / "twin")
    (ours / "others").touch()
    os.chown(ours / "others", 1234, 1234)
    prepare_folder(ours, ACCOUNT, is_ours=True)
    given = [ours, ours / "formats", ours / "formats" / "one.fmt"]
    assert {path.stat().st_uid for path in given} == {51_999}
    assert (outside.stat().st_uid, (ours / "link").lstat().st_uid) == (0, 0)
    assert (ours / "others").stat().st_uid == 1234


def test_ours_that_others_can_change_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours").chmod(0o777)
    prepare_folder(tmp_path / "ours", ACCOUNT, is_ours=True)
    assert (tmp_path / "ours").stat().st_uid == 0


def test_a_service_that_stays_root_has_its_folder_back(tmp_path: Path) -> None:
    (tmp_path / "ours" / "formats").mkdir(parents=True)
    prepare_folder(tmp_path / "ours", ACCOUNT, is_ours=True)
    prepare_folder(tmp_path / "ours", UserAccount(0, 0), is_ours=True)
    assert {path.stat().st_uid for path in (tmp_path / "ours", tmp_path / "ours" / "formats")} == {0}


def test_no_other_user_is_given_what_a_user_has_made(tmp_path: Path) -> None:
    (tmp_path / "ours").mkdir()
    prepare_folder(tmp_path / "ours", ACCOUNT, is_ours=True)
    prepare_folder(tmp_path / "ours", UserAccount(51_998, 51_998), is_ours=True)
    assert (tmp_path / "ours").stat().st_uid == 51_999


def test_one_that_cannot_be_made_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    prepare_folder(tmp_path / "file" / "folder", ACCOUNT, is_ours=False)


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
        f"import os; from i2s_chassis.jail.work_folder import WorkFolder; os.setuid({USER}); "
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
from i2s_chassis.server import privileges
from i2s_chassis.server.service_user import UserAccount

tempfile.tempdir, privileges.TEMPORARY = sys.argv[1], (sys.argv[1],)
account = UserAccount({USER}, {USER})
folder = privileges._temporary_folder(account)
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
    monkeypatch.setattr("i2s_chassis.server.privileges.TEMPORARY", (str(temporary),))
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
