"""The work folder from outside: nothing irregular is followed, read or written through."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from i2s_chassis.jail import OutputError, OutputReason, syscalls
from i2s_chassis.jail.workspace import Workspace
from i2s_chassis.limits import DEFAULT_LIMITS


@pytest.fixture(params=["openat2", "by parts"])
def workspace(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    if request.param == "by parts":

        def missing(*_: object) -> int:
            raise OSError(38, "Function not implemented")

        monkeypatch.setattr(syscalls, "openat2", missing)
    limits = replace(DEFAULT_LIMITS, inodes=20, file_bytes=1000, disk_bytes=100_000)
    return Workspace(str(tmp_path / "work"), os.geteuid(), limits, mounted=False)


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret").write_text("secret")
    return folder


def content(workspace: Workspace, name: str) -> bytes:
    with open(workspace.open(name), "rb") as file:
        return file.read()


def test_what_is_written_is_read(workspace: Workspace) -> None:
    workspace.write("a/b/c.txt", b"content")
    assert content(workspace, "a/b/c.txt") == b"content"
    assert workspace.files() == {"a/b/c.txt": 7}


def test_a_second_write_replaces_the_first(workspace: Workspace) -> None:
    workspace.write("a", b"long content")
    workspace.write("a", b"short")
    assert content(workspace, "a") == b"short"


@pytest.mark.parametrize("name", ["soft", "hard", "folder", "pipe", "linked/secret"])
def test_irregular_files_are_refused(workspace: Workspace, outside: Path, name: str) -> None:
    work = Path(workspace.path)
    (work / "soft").symlink_to(outside / "secret")
    os.link(outside / "secret", work / "hard")
    (work / "folder").mkdir()
    os.mkfifo(work / "pipe")
    (work / "linked").symlink_to(outside)
    with pytest.raises(OutputError) as caught:
        content(workspace, name)
    assert caught.value.reason in (OutputReason.IRREGULAR, OutputReason.MISSING)


@pytest.mark.parametrize("name", ["../outside/secret", "/etc/hostname", "missing", "a/../../outside/secret"])
def test_no_name_leads_out(workspace: Workspace, outside: Path, name: str) -> None:
    workspace.write("a/x", b"")
    with pytest.raises(OutputError):
        content(workspace, name)


def test_a_write_goes_through_no_link(workspace: Workspace, outside: Path) -> None:
    (Path(workspace.path) / "linked").symlink_to(outside)
    with pytest.raises(OSError, match=r"linked|link|directory"):
        workspace.write("linked/new", b"ours")
    assert [path.name for path in outside.iterdir()] == ["secret"]


def test_a_write_replaces_a_link_itself(workspace: Workspace, outside: Path) -> None:
    (Path(workspace.path) / "file").symlink_to(outside / "secret")
    workspace.write("file", b"ours")
    assert (outside / "secret").read_text() == "secret"
    assert content(workspace, "file") == b"ours"


def test_an_excerpt_has_head_and_tail(workspace: Workspace) -> None:
    workspace.write("log", b"".join(b"%03d\n" % number for number in range(100)))
    excerpt = workspace.excerpt("log", 8, 4)
    assert (excerpt.head, excerpt.tail, excerpt.total_bytes) == (b"000\n001\n", b"099\n", 400)
    assert b"[... 388 bytes left out ...]" in excerpt.whole


def test_an_excerpt_of_a_short_file_is_all_of_it(workspace: Workspace) -> None:
    workspace.write("log", b"short")
    assert workspace.excerpt("log", 3, 2).whole == b"short"


def test_too_many_files_fill_it(workspace: Workspace) -> None:
    for number in range(20):
        workspace.write(f"f{number}", b"")
    assert not workspace.full()
    workspace.write("one more", b"")
    assert workspace.full()


def test_a_folder_too_deep_to_look_into_counts_as_full(tmp_path: Path) -> None:
    limits = replace(DEFAULT_LIMITS, inodes=20_000)
    workspace = Workspace(str(tmp_path / "work"), os.geteuid(), limits, mounted=False)
    here = os.open(workspace.path, os.O_RDONLY)
    for _ in range(2100):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    assert workspace.full()
    workspace.remove()
    assert not (tmp_path / "work").exists()


def test_a_file_of_the_greatest_size_is_at_a_bound(workspace: Workspace) -> None:
    workspace.write("f", b"x" * 999)
    assert not workspace.at_a_bound()
    workspace.write("f", b"x" * 1000)
    assert workspace.at_a_bound()


def test_links_and_pipes_are_listed_as_irregular(workspace: Workspace, outside: Path) -> None:
    (Path(workspace.path) / "soft").symlink_to(outside)
    os.mkfifo(Path(workspace.path) / "pipe")
    workspace.write("plain", b"")
    assert sorted(workspace.irregular()) == ["pipe", "soft"]
    assert list(workspace.files()) == ["plain"]


def test_a_hostile_tree_is_removed_and_nothing_outside_is_touched(
    workspace: Workspace, outside: Path
) -> None:
    (outside / "secret").chmod(0o644)
    work = Path(workspace.path)
    (work / "link").symlink_to(outside)
    (work / "closed").mkdir()
    (work / "closed" / "link").symlink_to(outside / "secret")
    (work / "closed" / "file").write_text("x")
    (work / "closed").chmod(0)
    here = os.open(work, os.O_RDONLY)
    for _ in range(1500):  # deeper than a path can be long, and than Python can recurse
        os.mkdir("deep", dir_fd=here)
        below = os.open("deep", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    workspace.remove()
    assert not work.exists()
    assert (outside / "secret").read_text() == "secret"
    assert (outside / "secret").stat().st_mode & 0o777 == 0o644


def test_a_renewed_folder_is_empty_and_has_its_new_bounds(workspace: Workspace, outside: Path) -> None:
    work = Path(workspace.path)
    workspace.write("a/b/c", b"x" * 900)
    (work / "link").symlink_to(outside)
    (work / "a").chmod(0)
    work.chmod(0)
    workspace.renew(replace(DEFAULT_LIMITS, inodes=1, file_bytes=10))
    assert workspace.files() == {}
    assert work.stat().st_mode & 0o777 == 0o700
    workspace.write("new", b"x" * 10)
    assert workspace.at_a_bound()
    assert (outside / "secret").read_text() == "secret"


def test_a_path_that_is_opened_by_parts_has_few_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: object) -> int:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(syscalls, "openat2", missing)
    limits = replace(DEFAULT_LIMITS, inodes=20_000)
    workspace = Workspace(str(tmp_path / "work"), os.geteuid(), limits, mounted=False)
    deepest = Path(workspace.path, *["d"] * 60)
    deepest.mkdir(parents=True)
    assert not workspace.full()
    Path(deepest, *["d"] * 10).mkdir(parents=True)
    assert workspace.full()
    workspace.remove()
    assert not (tmp_path / "work").exists()
