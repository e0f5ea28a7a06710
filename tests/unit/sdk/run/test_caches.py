"""Bytes by name in folders and stores: whole or not there, bounded, shared by processes."""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from i2s_sdk.run.caches import CacheSize, FolderEntries, ObjectEntries, on_disk

MUCH = 1 << 30


def key(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()


def only_file(folder: Path) -> Path:
    (found,) = (one for one in folder.glob("*/*") if not one.name.startswith("."))
    return found


@pytest.fixture(params=["folder", "memory", "file"])
def entries(request: pytest.FixtureRequest, tmp_path: Path) -> FolderEntries | ObjectEntries:
    if request.param == "folder":
        return FolderEntries(tmp_path / "cache", MUCH)
    if request.param == "file":
        return ObjectEntries((tmp_path / "cache").as_uri())
    return ObjectEntries(f"memory://caches/{tmp_path.name}")


def test_what_was_written_is_read_by_its_name_alone(entries: FolderEntries | ObjectEntries) -> None:
    assert entries.read(key(1)) is None
    assert entries.size() == CacheSize(0, 0)
    entries.write(key(1), b"one")
    entries.write(key(2), b"")
    assert (entries.read(key(1)), entries.read(key(2)), entries.read(key(3))) == (b"one", b"", None)
    entries.write(key(1), b"another")
    assert entries.read(key(1)) == b"another"
    assert entries.size().entries == 2
    entries.clear()
    assert entries.read(key(1)) is None
    assert entries.size() == CacheSize(0, 0)
    entries.clear()


@pytest.mark.parametrize("damage", ["truncated", "empty", "changed", "longer", "of another name"])
def test_a_damaged_entry_is_none_and_is_removed(tmp_path: Path, damage: str) -> None:
    entries = FolderEntries(tmp_path, MUCH)
    entries.write(key(1), b"content" * 100)
    path = only_file(tmp_path)
    whole = path.read_bytes()
    if damage == "of another name":
        entries.write(key(2), b"content" * 100)
        other = tmp_path / key(2)[:2] / key(2)
        path.write_bytes(other.read_bytes())
    else:
        middle = len(whole) // 2
        changed = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
        kinds = {"truncated": whole[:-1], "empty": b"", "changed": changed, "longer": whole + b"x"}
        path.write_bytes(kinds[damage])
    assert entries.read(key(1)) is None
    assert not path.exists()


def test_a_damaged_object_is_none_and_is_removed(tmp_path: Path) -> None:
    entries = ObjectEntries(tmp_path.as_uri())
    entries.write(key(1), b"content")
    path = tmp_path / key(1)[:2] / key(1)
    path.write_bytes(path.read_bytes()[:-1])
    assert entries.read(key(1)) is None
    assert not path.exists()


def test_a_folder_stays_within_its_bound_and_loses_what_was_not_used_for_longest(tmp_path: Path) -> None:
    size = on_disk(10_000)
    entries = FolderEntries(tmp_path, 8 * size)
    for number in range(8):
        entries.write(key(number), b"x" * 9_000)
        old = 1_000_000 + number
        os.utime(tmp_path / key(number)[:2] / key(number), (old, old))
    assert entries.read(key(0)) is not None, "a read makes an entry young"
    entries.write(key(8), b"x" * 9_000)
    found = entries.size()
    assert (found.entries, found.bytes) == (7, 7 * size)
    assert found.oldest <= found.newest
    left = [number for number in range(9) if entries.read(key(number)) is not None]
    assert left == [0, 3, 4, 5, 6, 7, 8]


def test_an_entry_larger_than_the_bound_is_not_kept_and_a_bound_of_0_keeps_nothing(tmp_path: Path) -> None:
    entries = FolderEntries(tmp_path, 8192)
    entries.write(key(1), b"x" * 8192)
    FolderEntries(tmp_path, 0).write(key(2), b"")
    assert entries.size() == CacheSize(0, 0)


def test_half_of_a_small_disk_is_left_to_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = FolderEntries(tmp_path, MUCH)
    disk = 10 * 4096

    def usage(path: object) -> SimpleNamespace:
        return SimpleNamespace(free=disk - entries.size().bytes)

    monkeypatch.setattr("shutil.disk_usage", usage)
    for number in range(9):
        entries.write(key(number), b"x")
        assert entries.size().bytes <= disk // 2
    assert entries.size().entries > 2


def test_while_another_process_removes_entries_a_write_removes_none(tmp_path: Path) -> None:
    entries = FolderEntries(tmp_path, 2 * 4096)
    entries.write(key(1), b"1")
    with (tmp_path / ".lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for number in (2, 3, 4):
            entries.write(key(number), b"x")
        assert entries.size().entries == 4
    entries.write(key(5), b"x")
    assert entries.size().bytes <= 2 * 4096


def test_what_a_killed_process_left_unfinished_is_removed_when_it_is_old(tmp_path: Path) -> None:
    entries = FolderEntries(tmp_path, MUCH)
    entries.write(key(1), b"1")
    old, new = (only_file(tmp_path).parent / name for name in (".new-old", ".new-new"))
    for one in (old, new):
        one.write_bytes(b"half")
    os.utime(old, (1_000_000, 1_000_000))
    entries.trim()
    assert (old.exists(), new.exists()) == (False, True)
    assert entries.size().entries == 1


def test_a_file_in_place_of_the_folder_costs_nothing_but_the_cache(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    entries = FolderEntries(tmp_path / "cache", MUCH)
    entries.write(key(1), b"1")
    assert entries.read(key(1)) is None


WRITE = """
import hashlib, sys
from pathlib import Path
from i2s_sdk.run.caches import FolderEntries
entries = FolderEntries(Path(sys.argv[1]), 40 * 4096)
for turn in range(3):
    for number in range(60):
        key = hashlib.sha256(str(number).encode()).hexdigest()
        kept = entries.read(key)
        assert kept in (None, key.encode() * 20), kept
        entries.write(key, key.encode() * 20)
"""


def test_processes_that_share_a_folder_read_only_whole_entries_and_stay_within_the_bound(
    tmp_path: Path,
) -> None:
    several = [subprocess.Popen([sys.executable, "-c", WRITE, str(tmp_path)]) for _ in range(3)]
    assert [one.wait() for one in several] == [0, 0, 0]
    entries = FolderEntries(tmp_path, 40 * 4096)
    entries.trim()
    assert 0 < entries.size().bytes <= 40 * 4096


def test_a_store_that_does_not_answer_is_asked_once_and_costs_nothing_but_the_cache(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("no folder")
    entries = ObjectEntries((tmp_path / "file").as_uri())
    entries.write(key(1), b"1")
    entries.write(key(2), b"2")
    assert entries.read(key(1)) is None
    assert caplog.text.count("the cache is not used from here on") == 1
