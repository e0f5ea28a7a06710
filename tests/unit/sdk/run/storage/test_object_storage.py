"""One process at a time, without locks."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from i2s_sdk.errors import DataError, InUseError, StoreError
from i2s_sdk.run.storage import object_storage
from i2s_sdk.run.storage.object_access import Access
from i2s_sdk.run.storage.object_storage import (
    LEASE,
    AppendedSegments,
    Lease,
    Segment,
    Segments,
    current_segments,
)

_HELD = """
import sys
from i2s_sdk.run.storage.object_access import Access
from i2s_sdk.run.storage.object_storage import Lease
with Lease(Access(sys.argv[1], 5.0), "b2", 600.0).held():
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def access() -> Access:
    return Access(f"memory://{uuid.uuid4().hex}", 1.0)


@contextmanager
def _left(access: Access, **changes: object) -> Iterator[None]:
    """Have a lease of another machine that nobody renews."""
    plain = {
        "writer": "b2",
        "host": "far",
        "pid": 7,
        "process": "other boot 1",
        "began": "then",
        "seconds": 0.3,
    }
    access.write(LEASE, json.dumps(plain | changes).encode())
    yield


def test_it_says_who_has_it_and_is_gone_afterwards(access: Access) -> None:
    with Lease(access, "a1", 60.0).held():
        plain = json.loads(access.read(LEASE))
        assert (plain["writer"], plain["pid"], plain["seconds"]) == ("a1", os.getpid(), 60.0)
        assert {"host", "began", "renewed"} <= plain.keys()
    assert not access.exists(LEASE)


def test_a_lease_that_is_renewed_is_refused_with_what_to_do(access: Access) -> None:
    with (
        Lease(access, "a1", 2.0).held(),
        pytest.raises(InUseError) as raised,
        Lease(access, "b2", 600.0).held(),
    ):
        pass
    assert raised.value.exit_code == 4
    assert f"process {os.getpid()} on " in raised.value.message
    assert f"remove {access.url}/{LEASE}" in raised.value.message


class _EndsTheOwner(Access):
    """Ends the process that has the lease as soon as a renewal is seen."""

    def __init__(self, url: str, owner: subprocess.Popen[str]) -> None:
        super().__init__(url, 5.0)
        self._owner, self._seen = owner, set[bytes]()

    def read(self, name: str) -> bytes:
        content = super().read(name)
        self._seen.add(content)
        if len(self._seen) == 2 and self._owner.returncode is None:
            self._owner.communicate("")
        return content


def test_a_lease_that_is_renewed_is_waited_for_until_its_owner_ends(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _HELD.replace("600.0", "2.0"), tmp_path.as_uri()],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with Lease(_EndsTheOwner(tmp_path.as_uri(), other), "a1", 600.0, lock_seconds=600.0).held():
            assert other.returncode == 0
            assert json.loads((tmp_path / LEASE).read_text())["writer"] == "a1"


def test_a_lease_that_nobody_renews_is_taken_over_after_the_time_that_it_says(access: Access) -> None:
    began = time.monotonic()
    with _left(access), Lease(access, "a1", 600.0).held():
        assert time.monotonic() - began >= 0.3
        assert json.loads(access.read(LEASE))["writer"] == "a1"


def test_a_lease_that_is_no_json_is_watched_too(access: Access) -> None:
    access.write(LEASE, b"{")
    with Lease(access, "a1", 0.2).held():
        assert json.loads(access.read(LEASE))["writer"] == "a1"


def test_a_process_of_this_machine_that_was_killed_is_known_at_once(tmp_path: Path) -> None:
    url = tmp_path.as_uri()
    with subprocess.Popen(
        [sys.executable, "-c", _HELD, url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        other.kill()
    with Lease(Access(url, 1.0), "a1", 600.0).held():  # would wait for ten minutes
        assert json.loads((tmp_path / LEASE).read_text())["writer"] == "a1"


def test_who_lost_the_lease_is_told_and_leaves_that_of_the_other(access: Access) -> None:
    lease = Lease(access, "a1", 0.2)
    with lease.held():
        lease.require()
        with _left(access):
            until = time.monotonic() + 60
            while not lease._lost and time.monotonic() < until:
                time.sleep(0.01)  # a look, not a wait for something
        with pytest.raises(StoreError, match="process 7 on far has taken over this run"):
            lease.require()
    assert json.loads(access.read(LEASE))["writer"] == "b2"


def test_a_lease_that_a_person_removed_is_written_again(access: Access) -> None:
    with Lease(access, "a1", 0.2).held():
        access.remove([LEASE])
        until = time.monotonic() + 60
        while not access.exists(LEASE) and time.monotonic() < until:
            time.sleep(0.01)  # a look, not a wait for something
        assert json.loads(access.read(LEASE))["writer"] == "a1"


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


def _opened(access: Access, writer: str = "a1", lines: int = 1000) -> AppendedSegments:
    found = AppendedSegments(access, "records", writer, lines, Alone())
    assert all(raw.endswith(b"\n") for _, raw in found)  # as an index reads it first
    return found


def _read(access: Access) -> list[bytes]:
    return [raw for _, raw in Segments(access, "records")]


@contextmanager
def _rolling(monkeypatch: pytest.MonkeyPatch, small: int) -> Iterator[None]:
    with monkeypatch.context() as patched:
        patched.setattr(object_storage, "SMALL", small)
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
    assert current_segments([*names, "notes.txt", "00000001-00000001-a1.jsonl.part"]) == [
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
    lines = AppendedSegments(access, "records", "a1", 3, owner)
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
