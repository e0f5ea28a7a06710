"""Ground truths that an evaluation keeps in memory."""

from i2s_sdk.run.truths import Truth, Truths


def test_those_that_were_not_used_for_longest_make_room() -> None:
    truths = Truths(10)
    for key in "abc":
        truths.keep(key, Truth(key * 2, key * 2))
        truths.known("a")
    assert [key for key in "abc" if truths.known(key)] == ["a", "c"]


def test_what_has_no_room_is_not_kept_and_removes_nothing() -> None:
    truths = Truths(4)
    truths.keep("a", Truth("aaaa"))
    truths.keep("b", Truth("bbbbb"))
    assert truths.known("a") == Truth("aaaa")
    assert truths.known("b") is None
    truths.keep("a", Truth("a"))
    truths.keep("c", Truth("ccc"))
    assert truths.known("a") == Truth("a")


def test_none_is_kept_without_room() -> None:
    truths = Truths(0)
    truths.keep("a", Truth("a"))
    assert truths.known("a") is None
