"""References are kept by caller and digest, the latest used of them."""

from __future__ import annotations

import pytest

from i2s_gateway.references import References, digest_of


def test_nobody_has_what_another_caller_has_uploaded() -> None:
    kept = References(100)
    (digest,) = kept.add("a", [b"x"])
    assert digest == digest_of(b"x")
    assert kept.get("a", digest) == b"x"
    assert kept.get("b", digest) is None


def test_what_was_not_used_for_longest_goes_first() -> None:
    kept = References(100)
    first, second = kept.add("a", [b"1" * 20, b"2" * 20])
    kept.get("a", first)
    (third,) = kept.add("a", [b"3" * 20])
    assert [kept.get("a", one) is not None for one in (first, second, third)] == [True, False, True]


def test_the_caller_that_has_most_makes_room() -> None:
    kept = References(100)
    (mine,) = kept.add("a", [b"1" * 40])
    (theirs,) = kept.add("b", [b"2" * 50])
    (others,) = kept.add("c", [b"3" * 30])
    assert kept.get("a", mine) is not None
    assert kept.get("b", theirs) is None
    assert kept.get("c", others) is not None


def test_more_than_a_caller_may_have_is_refused_and_equal_files_count_once() -> None:
    kept = References(100)
    assert len(set(kept.add("a", [b"1" * 40] * 3))) == 1
    with pytest.raises(ValueError, match="50 bytes"):
        kept.add("a", [b"1" * 40, b"2" * 40])
