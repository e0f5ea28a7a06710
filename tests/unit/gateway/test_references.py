"""References are kept by caller and digest, the latest used of them."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from i2s_gateway.callers import Caller
from i2s_gateway.references import References, TimedStore, digest_of, open_store


def test_nobody_has_what_another_caller_has_uploaded() -> None:
    kept = References(100)
    (digest,) = kept.add(Caller("a", "a"), [b"x"])
    assert digest == digest_of(b"x")
    assert kept.get(Caller("a", "a"), digest) == b"x"
    assert kept.get(Caller("b", "b"), digest) is None


def test_what_was_not_used_for_longest_goes_first() -> None:
    kept = References(100)
    first, second = kept.add(Caller("a", "a"), [b"1" * 20, b"2" * 20])
    kept.get(Caller("a", "a"), first)
    (third,) = kept.add(Caller("a", "a"), [b"3" * 20])
    assert [kept.get(Caller("a", "a"), one) is not None for one in (first, second, third)] == [
        True,
        False,
        True,
    ]


def test_the_caller_that_has_most_makes_room() -> None:
    kept = References(100)
    (mine,) = kept.add(Caller("a", "a"), [b"1" * 40])
    (theirs,) = kept.add(Caller("b", "b"), [b"2" * 50])
    (others,) = kept.add(Caller("c", "c"), [b"3" * 30])
    assert kept.get(Caller("a", "a"), mine) is not None
    assert kept.get(Caller("b", "b"), theirs) is None
    assert kept.get(Caller("c", "c"), others) is not None


def test_more_than_a_caller_may_have_is_refused_and_equal_files_count_once() -> None:
    kept = References(100)
    assert len(set(kept.add(Caller("a", "a"), [b"1" * 40] * 3))) == 1
    with pytest.raises(ValueError, match="50 bytes"):
        kept.add(Caller("a", "a"), [b"1" * 40, b"2" * 40])


def test_replicas_find_uploads_in_the_store_and_only_those_of_the_caller(tmp_path: Path) -> None:
    first, second = (References(100, open_store(str(tmp_path), 1 << 20)) for _ in range(2))
    (digest,) = first.add(Caller("a", "a"), [b"x"])
    assert second.get(Caller("a", "a"), digest) == b"x"
    assert second.get(Caller("b", "b"), digest) is None


def test_a_file_of_the_store_that_is_not_what_its_name_says_is_not_there(tmp_path: Path) -> None:
    kept = References(100, open_store(str(tmp_path), 1 << 20))
    (digest,) = kept.add(Caller("a", "a"), [b"x"])
    (file,) = (
        path for path in tmp_path.rglob("*") if path.is_file() and path.suffix == "" and path.name[0] != "."
    )
    file.write_bytes(file.read_bytes()[:-1] + b"y")
    assert kept.get(Caller("a", "a"), digest) == b"x"  # in memory
    assert References(100, open_store(str(tmp_path), 1 << 20)).get(Caller("a", "a"), digest) is None


def test_a_store_that_cannot_be_written_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    kept = References(100, open_store(str(tmp_path / "file"), 1 << 20))
    (digest,) = kept.add(Caller("a", "a"), [b"x"])
    assert kept.get(Caller("a", "a"), digest) == b"x"


class Hanging:
    """A store that hangs until a test lets it go on."""

    def __init__(self) -> None:
        self.hangs: threading.Event | None = threading.Event()
        self.files: dict[str, bytes] = {}
        self.calls = 0

    def read(self, key: str) -> bytes | None:
        self._wait()
        return self.files.get(key)

    def write(self, key: str, content: bytes) -> None:
        self._wait()
        self.files[key] = content

    def _wait(self) -> None:
        self.calls += 1
        if self.hangs is not None:
            assert self.hangs.wait(30)


def test_a_store_that_hangs_is_none_for_a_time_and_then_asked_again() -> None:
    now, hanging = 0.0, Hanging()
    kept = References(100, TimedStore(hanging, seconds=0.1, pause_seconds=30, clock=lambda: now))
    first, second = kept.add(Caller("a", "a"), [b"x", b"y"])
    assert (kept.get(Caller("a", "a"), first), kept.get(Caller("a", "a"), second)) == (b"x", b"y")
    assert kept.get(Caller("b", "b"), first) is None
    assert hanging.calls == 1
    assert hanging.hangs is not None
    hanging.hangs.set()
    hanging.hangs = None
    now = 30.0
    kept.add(Caller("a", "a"), [b"z"])
    assert References(100, hanging).get(Caller("a", "a"), digest_of(b"z")) == b"z"


def test_a_url_that_did_not_answer_is_asked_again_after_the_pause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("i2s_gateway.references.PAUSE_SECONDS", 0.0)
    (tmp_path / "file").write_text("no folder")
    kept = References(100, open_store((tmp_path / "file").as_uri(), 1 << 20))
    (digest,) = kept.add(Caller("a", "a"), [b"x"])
    (tmp_path / "file").unlink()
    kept.add(Caller("a", "a"), [b"x"])
    assert (
        References(100, open_store((tmp_path / "file").as_uri(), 1 << 20)).get(Caller("a", "a"), digest)
        == b"x"
    )
