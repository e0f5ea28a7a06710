"""One process at a time, without locks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from i2s_sdk.errors import InUseError, StoreError
from i2s_sdk.run.storage.object_access import Access
from i2s_sdk.run.storage.object_storage import LEASE, Lease

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
