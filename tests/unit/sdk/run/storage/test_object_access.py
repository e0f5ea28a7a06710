"""Calls of a store: which are made again, and what is said of those that fail."""

from __future__ import annotations

import errno
import sys
from pathlib import Path

import pytest

from i2s_sdk.errors import StoreError, StoreRefusedError, UsageError
from i2s_sdk.run.storage.object_access import Access, may_end_better
from i2s_wire.installation import install_command
from troubled_store import PASSING, sometimes, troubled


def test_what_passes_is_tried_again() -> None:
    with troubled(sometimes(0.3)):
        access = Access("troubled://run", 60.0)
        for number in range(8):
            access.write(f"a/{number}", b"x" * number)
        assert access.listing("a") == {str(number) for number in range(8)}
        assert [len(access.read(f"a/{number}")) for number in range(8)] == list(range(8))


@pytest.mark.parametrize(
    ("error", "better"),
    [
        *((one, True) for one in PASSING),
        (PermissionError("Access Denied"), False),
        (OSError(errno.EINVAL, "Bad Request"), False),
        (OSError(errno.ENOSPC, "No space left on device"), False),
        (ValueError("a fault of the program"), False),
    ],
)
def test_which_failures_may_end_better(error: Exception, better: bool) -> None:
    assert may_end_better(error) is better


def test_failures_as_the_vendors_raise_them() -> None:
    exceptions = pytest.importorskip("botocore.exceptions")
    assert may_end_better(exceptions.EndpointConnectionError(endpoint_url="http://store"))
    assert not may_end_better(exceptions.NoCredentialsError())
    assert not may_end_better(exceptions.ParamValidationError(report="Invalid bucket name"))


def test_a_store_that_does_not_answer_is_one_line_and_the_next_call_is_tried_once() -> None:
    def trouble(operation: str, path: str) -> None:
        raise OSError(errno.EBUSY, "Service\nUnavailable")

    with troubled(trouble) as store:
        access = Access("troubled://run", 0.5)
        with pytest.raises(StoreError) as raised:
            access.write("a", b"")
        assert raised.value.message == (
            "troubled://run: writing a failed: [Errno 16] Service Unavailable; tried for 0.5 s; "
            "the same command goes on once it answers"
        )
        before = store.calls["put"]
        with pytest.raises(StoreError):
            access.write("a", b"")
        assert store.calls["put"] == before + 1


def test_refusals_are_told_at_once() -> None:
    def trouble(operation: str, path: str) -> None:
        raise PermissionError("Access Denied")

    with troubled(trouble) as store:
        with pytest.raises(StoreRefusedError, match="Access Denied; check that the bucket exists") as raised:
            Access("troubled://run", 300.0).read("a")
        assert store.calls["get"] == 1
    assert raised.value.exit_code == 2


def test_a_missing_bucket_is_refused_at_the_first_attempt() -> None:
    def trouble(operation: str, path: str) -> None:
        if operation == "put":
            raise FileNotFoundError("The specified bucket does not exist")

    with troubled(trouble) as store:
        with pytest.raises(StoreRefusedError, match="check that the bucket exists") as raised:
            Access("troubled://run", 300.0).write("a", b"")
        assert store.calls["put"] == 1
    assert raised.value.exit_code == 2


def test_a_fault_of_the_program_is_no_refusal() -> None:
    def trouble(operation: str, path: str) -> None:
        raise ValueError("a fault of the program")

    with troubled(trouble), pytest.raises(StoreError) as raised:
        Access("troubled://run", 300.0).read("a")
    assert not isinstance(raised.value, StoreRefusedError)
    assert raised.value.exit_code == 1


def test_what_is_absent_is_no_failure() -> None:
    access = Access("memory://nothing-here", 1.0)
    with pytest.raises(FileNotFoundError):
        access.read("a")
    assert not access.exists("a")
    assert access.listing() == access.listing("records") == set()
    access.remove(["a"])
    access.clear("records")


@pytest.mark.parametrize("scheme", ["memory", "file"])
def test_an_object_is_created_once(tmp_path: Path, scheme: str) -> None:
    access = Access(f"{scheme}://{tmp_path}/run", 1.0)
    assert access.create("lock.json", b"mine")
    assert not access.create("lock.json", b"theirs")
    assert access.read("lock.json") == b"mine"


def test_files_are_written_aside_and_then_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    access = Access(tmp_path.as_uri(), 1.0)
    assert not access.whole
    access.write("a/b", b"old")
    seen: list[str] = []
    write = type(access._fs).pipe_file

    def cut_off(self: object, path: str, value: bytes, **more: object) -> None:
        seen.append(path)
        write(self, path, value[:1], **more)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(type(access._fs), "pipe_file", cut_off)
    with pytest.raises(StoreError, match="No space left"):
        access.write("a/b", b"new")
    assert (tmp_path / "a" / "b").read_bytes() == b"old"
    assert Path(seen[0]).parent == tmp_path / ".drafts"


@pytest.mark.parametrize(
    ("url", "said"),
    [("nonsense://x", "Protocol not known: nonsense"), ("s3://", "names no folder"), ("s3:///", "names no")],
)
def test_a_url_of_nothing_is_told(url: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Access(url, 0.1)


def test_a_missing_package_is_one_line_with_the_command_that_mends_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(
        sys.modules["fsspec.registry"].known_implementations,
        "gone",
        {"class": "nowhere_at_all.GoneFileSystem", "err": "Install gonefs to access Gone"},
    )
    with pytest.raises(UsageError) as raised:
        Access("gone://bucket/run", 1.0)
    assert raised.value.message == (
        "gone:// needs a package (Install gonefs to access Gone): " + install_command("i2s-sdk[object-store]")
    )
