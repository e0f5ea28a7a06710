"""References are kept by caller and digest, the latest used of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from i2s_gateway.callers import Caller
from i2s_gateway.references import References, digest_of, open_store


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
        one for one in tmp_path.rglob("*") if one.is_file() and one.suffix == "" and one.name[0] != "."
    )
    file.write_bytes(file.read_bytes()[:-1] + b"y")
    assert kept.get(Caller("a", "a"), digest) == b"x"  # in memory
    assert References(100, open_store(str(tmp_path), 1 << 20)).get(Caller("a", "a"), digest) is None


def test_a_store_that_cannot_be_written_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    kept = References(100, open_store(str(tmp_path / "file"), 1 << 20))
    (digest,) = kept.add(Caller("a", "a"), [b"x"])
    assert kept.get(Caller("a", "a"), digest) == b"x"
