"""Lines in a store that cannot append."""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from i2s_sdk.errors import DataError
from i2s_sdk.run.storage import segments
from i2s_sdk.run.storage.object_access import Access
from i2s_sdk.run.storage.segments import Appended, Segment, Segments, current


class Alone:
    """An owner of one file of lines who writes only when asked."""

    def __init__(self) -> None:
        self.nudged = 0

    def require(self) -> None:
        pass

    def nudge(self) -> None:
        self.nudged += 1

    def flush(self) -> None:
        pass


@pytest.fixture
def access() -> Access:
    return Access(f"memory://{uuid.uuid4().hex}", 1.0)


def _opened(access: Access, writer: str = "a1", lines: int = 1000) -> Appended:
    found = Appended(access, "records", writer, lines, Alone())
    assert all(raw.endswith(b"\n") for _, raw in found)  # as an index reads it first
    return found


def _read(access: Access) -> list[bytes]:
    return [raw for _, raw in Segments(access, "records")]


@contextmanager
def _rolling(monkeypatch: pytest.MonkeyPatch, small: int) -> Iterator[None]:
    with monkeypatch.context() as patched:
        patched.setattr(segments, "SMALL", small)
        yield


def test_a_line_is_in_the_store_once_it_is_flushed_and_readable_at_once(access: Access) -> None:
    lines = _opened(access)
    offset = lines.append(b"one\n")
    assert _read(access) == []
    assert lines.read(offset, 4) == b"one\n"
    lines.flush()
    assert _read(access) == [b"one\n"]
    assert access.listing("records") == {"00000001-00000001-a1.jsonl"}


def test_offsets_are_those_of_one_long_file_whatever_is_written_again(
    access: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(1)
    told: dict[int, bytes] = {}
    with _rolling(monkeypatch, 5):
        for writer in ("a1", "b2", "c3"):
            lines = _opened(access, writer)
            for number in range(60):
                line = f"{writer} {number} {'x' * chance.randrange(40)}\n".encode()
                told[lines.append(line)] = line
                if chance.random() < 0.5:
                    lines.flush()
                assert all(lines.read(at, len(one)) == one for at, one in told.items())
            if writer != "b2":  # which was killed
                lines.finish()
            else:
                lines.flush()
    whole = b"".join(told.values())
    assert list(told) == [at for at, _ in Segments(access, "records")]
    assert b"".join(_read(access)) == whole
    later = Segments(access, "records")
    assert all(later.read(at, len(one)) == one for at, one in reversed(told.items()))


def test_what_is_finished_is_one_object_for_each_start(access: Access) -> None:
    for writer in ("a1", "b2"):
        lines = _opened(access, writer)
        for number in range(10):
            lines.append(f"{writer} {number}\n".encode())
            lines.flush()
        lines.finish()
    assert access.listing("records") == {"00000001-00000010-a1.jsonl", "00000011-00000020-b2.jsonl"}


def test_a_start_that_wrote_nothing_leaves_nothing(access: Access) -> None:
    lines = _opened(access)
    lines.flush()
    lines.finish()
    assert access.listing("records") == set()


def test_a_kill_before_small_segments_are_removed_changes_nothing(access: Access) -> None:
    """The larger one is there, and all or some of those that it covers."""
    for number in range(1, 6):
        access.write(f"records/{Segment(number, number, 'a1')}", f"{number}\n".encode())
    whole = _read(access)
    access.write(f"records/{Segment(1, 4, 'a1')}", b"1\n2\n3\n4\n")
    assert _read(access) == whole
    access.remove([f"records/{Segment(2, 2, 'a1')}"])
    assert _read(access) == whole
    lines = _opened(access, "b2")
    lines.append(b"6\n")
    lines.flush()
    assert _read(access) == [*whole, b"6\n"]


def test_segments_of_two_writers_at_once_are_all_read() -> None:
    """There are two after a lease was taken from a process that lives."""
    names = [str(one) for one in (Segment(1, 9, "a1"), Segment(3, 3, "b2"), Segment(3, 3, "a1"))]
    assert current([*names, "notes.txt", "00000001-00000001-a1.jsonl.part"]) == [
        Segment(1, 9, "a1"),
        Segment(3, 3, "b2"),
    ]


def test_a_reader_goes_on_where_segments_are_written_again_meanwhile(access: Access) -> None:
    for number in range(1, 41):
        access.write(f"records/{Segment(number, number, 'a1')}", f"{number}\n".encode())
    seen, reading = [], iter(Segments(access, "records"))
    for _ in range(20):
        seen.append(next(reading)[1])
    access.write(f"records/{Segment(1, 40, 'a1')}", b"".join(f"{n}\n".encode() for n in range(1, 41)))
    access.remove(f"records/{Segment(number, number, 'a1')}" for number in range(1, 41))
    seen += [raw for _, raw in reading]
    assert seen == [f"{number}\n".encode() for number in range(1, 41)]


def test_lines_are_found_again_after_they_were_written_again(access: Access) -> None:
    for number in (1, 2):
        access.write(f"records/{Segment(number, number, 'a1')}", f"{number}\n".encode())
    found = Segments(access, "records")
    offsets = [at for at, _ in found]
    found._cache.clear()
    access.write(f"records/{Segment(1, 2, 'a1')}", b"1\n2\n")
    access.remove(f"records/{Segment(number, number, 'a1')}" for number in (1, 2))
    assert [found.read(at, 2) for at in offsets] == [b"1\n", b"2\n"]


def test_a_segment_that_lost_its_end_is_told(access: Access) -> None:
    access.write(f"records/{Segment(1, 1, 'a1')}", b"1\n2")
    with pytest.raises(DataError, match=r"00000001-00000001-a1\.jsonl: is not whole"):
        _read(access)


def test_the_owner_is_nudged_when_as_many_lines_wait_as_were_asked_for(access: Access) -> None:
    owner = Alone()
    lines = Appended(access, "records", "a1", 3, owner)
    assert list(lines) == []
    for number in range(5):
        lines.append(b"x\n")
        assert owner.nudged == (number >= 2)
    assert lines.waiting == 5
    lines.flush(until=4)
    assert (lines.waiting, _read(access)) == (3, [b"x\n", b"x\n"])


async def test_those_that_wait_at_the_same_time_share_an_object(access: Access) -> None:
    import asyncio

    lines = _opened(access)

    async def one(number: int) -> None:
        lines.append(f"{number}\n".encode())
        await lines.wait_durable()
        assert f"{number}\n".encode() in _read(access)

    await asyncio.gather(*(one(number) for number in range(50)))
    assert sorted(_read(access)) == sorted(f"{number}\n".encode() for number in range(50))
    assert len(access.listing("records")) <= 3
