from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from i2s_metrics.bounded_cache import BoundedCache


@dataclass
class Thing:
    nbytes: int


def test_what_was_made_is_kept():
    memory = BoundedCache(100)
    thing = memory.get("a", lambda: Thing(10))
    assert memory.get("a", lambda: Thing(10)) is thing


def test_what_was_unused_for_longest_goes_first():
    memory = BoundedCache(30)
    first, second = memory.get("a", lambda: Thing(10)), memory.get("b", lambda: Thing(10))
    memory.get("a", lambda: Thing(10))
    memory.get("c", lambda: Thing(20))
    assert memory.get("a", lambda: Thing(10)) is first
    assert memory.get("b", lambda: Thing(10)) is not second


def test_what_is_too_large_is_made_but_not_kept():
    memory = BoundedCache(10)
    small = memory.get("small", lambda: Thing(10))
    assert memory.get("large", lambda: Thing(11)).nbytes == 11
    assert memory.get("small", lambda: Thing(10)) is small


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 60)), max_size=60))
def test_no_more_is_held_than_allowed(uses):
    memory = BoundedCache(100)
    for key, size in uses:
        memory.get(key, lambda size=size: Thing(size))
        assert 0 <= memory.nbytes <= 100
