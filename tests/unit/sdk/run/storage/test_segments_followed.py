"""Lines that are read while they are appended, in a store and in a folder."""

from __future__ import annotations

import random
import uuid
from collections import Counter
from pathlib import Path

import pytest

from i2s_sdk.errors import DataError, StoreError
from i2s_sdk.run.storage import object_storage
from i2s_sdk.run.storage.local import LocalStorage
from i2s_sdk.run.storage.object_access import Access
from i2s_sdk.run.storage.object_storage import AppendedSegments, FollowedSegments, Segment


class Alone:
    """An owner of one file of lines who writes only when asked."""

    def require(self) -> None:
        pass

    def nudge(self) -> None:
        pass

    def flush(self) -> None:
        pass


class Counting(Access):
    """Counts how often each object is read."""

    def __init__(self) -> None:
        super().__init__(f"memory://{uuid.uuid4().hex}", 1.0)
        self.reads: Counter[str] = Counter()

    def read(self, name: str) -> bytes:
        self.reads[name] += 1
        return super().read(name)


@pytest.fixture
def access() -> Counting:
    return Counting()


@pytest.mark.parametrize("seed", range(5))
def test_each_line_is_seen_once_and_no_object_is_read_twice(
    access: Counting, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(object_storage, "SMALL", 5)
    chance = random.Random(seed)
    follower, seen, written = FollowedSegments(access, "records"), list[bytes](), list[bytes]()
    writing = Access(access.url, 1.0)  # what the writer reads is not counted
    for writer in ("a1", "b2", "c3"):
        lines = AppendedSegments(writing, "records", writer, 1000, Alone())
        assert all(raw.endswith(b"\n") for _, raw in lines)
        for number in range(60):
            line = f"{writer} {number} {'x' * chance.randrange(40)}\n".encode()
            lines.append(line)
            written.append(line)
            if chance.random() < 0.5:
                lines.flush()
            if chance.random() < 0.3:
                seen += follower.new()
                assert seen == written[: len(seen)]
        if writer != "b2":  # which was killed
            lines.finish()
        else:
            lines.flush()
    seen += follower.new()
    assert seen == written
    assert set(access.reads.values()) == {1}
    before = access.reads.total()
    assert follower.new() == []
    assert access.reads.total() == before


def test_a_large_segment_of_what_was_read_is_not_read(access: Counting) -> None:
    for number in (1, 2, 3):
        access.write(f"records/{Segment(number, number, 'a1')}", f"{number}\n".encode())
    follower = FollowedSegments(access, "records")
    assert follower.new() == [b"1\n", b"2\n", b"3\n"]
    access.write(f"records/{Segment(1, 3, 'a1')}", b"1\n2\n3\n")
    access.remove(f"records/{Segment(number, number, 'a1')}" for number in (1, 2, 3))
    access.write(f"records/{Segment(4, 4, 'a1')}", b"4\n")
    assert follower.new() == [b"4\n"]
    assert f"records/{Segment(1, 3, 'a1')}" not in access.reads


def test_a_large_segment_with_new_lines_adds_these(access: Counting) -> None:
    access.write(f"records/{Segment(1, 1, 'a1')}", b"1\n")
    follower = FollowedSegments(access, "records")
    assert follower.new() == [b"1\n"]
    access.remove([f"records/{Segment(1, 1, 'a1')}"])
    access.write(f"records/{Segment(1, 3, 'a1')}", b"1\n2\n3\n")
    assert follower.new() == [b"2\n", b"3\n"]
    assert follower.new() == []


def test_lines_that_were_read_before_the_store_failed_are_not_lost(
    access: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in (1, 2):
        access.write(f"records/{Segment(number, number, 'a1')}", f"{number}\n".encode())
    read = access.read

    def failing(name: str) -> bytes:
        if name == f"records/{Segment(2, 2, 'a1')}":
            raise StoreError("not now")
        return read(name)

    follower = FollowedSegments(access, "records")
    with monkeypatch.context() as patch:
        patch.setattr(access, "read", failing)
        with pytest.raises(StoreError, match="not now"):
            follower.new()
    assert follower.new() == [b"1\n", b"2\n"]


def test_segments_that_are_written_again_while_one_looks_are_found(
    access: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in (1, 2):
        access.write(f"records/{Segment(number, number, 'a1')}", f"{number}\n".encode())
    read = access.read

    def vanishing(name: str) -> bytes:
        if name == f"records/{Segment(2, 2, 'a1')}":
            access.write(f"records/{Segment(1, 2, 'a1')}", b"1\n2\n")
            access.remove(f"records/{Segment(number, number, 'a1')}" for number in (1, 2))
        return read(name)

    monkeypatch.setattr(access, "read", vanishing)
    follower = FollowedSegments(access, "records")
    assert follower.new() == [b"1\n", b"2\n"]
    assert follower.new() == []


def test_a_segment_that_lost_its_end_is_reported(access: Counting) -> None:
    access.write(f"records/{Segment(1, 1, 'a1')}", b"1\n2")
    with pytest.raises(DataError, match=r"00000001-00000001-a1\.jsonl: is not whole"):
        FollowedSegments(access, "records").new()


def test_a_folder_that_is_not_there_has_no_lines(access: Counting, tmp_path: Path) -> None:
    assert FollowedSegments(access, "records").new() == []
    assert LocalStorage(tmp_path / "none").follow("records.jsonl").new() == []


def test_a_file_is_read_from_where_it_ended_and_a_torn_line_waits(tmp_path: Path) -> None:
    file, follower = tmp_path / "records.jsonl", LocalStorage(tmp_path).follow("records.jsonl")
    file.write_bytes(b"1\n2")
    assert follower.new() == [b"1\n"]
    file.write_bytes(b"?\n2\n3\n")  # what was read is not looked at again
    assert follower.new() == [b"2\n", b"3\n"]
    assert follower.new() == []
