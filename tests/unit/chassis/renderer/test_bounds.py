"""What is left of limits, what fits into them, and how much of a log is returned."""

import pytest

from i2s_chassis.jail import Excerpt, Usage
from i2s_chassis.limits import Limits
from i2s_chassis.renderer.bounds import (
    LEAST_SECONDS,
    bounded_log,
    disk_complaint,
    limits_left,
    text_complaint,
)


def test_a_step_has_the_time_that_earlier_ones_have_left():
    left = limits_left(Limits(cpu_seconds=5, wall_seconds=15, pages=7), Usage(2.0, 1.0, waited_seconds=0.5))
    assert (left.cpu_seconds, left.wall_seconds, left.pages) == (4.0, 13.5, 7)


def test_spent_time_leaves_enough_to_say_so():
    left = limits_left(Limits(), Usage(1e9, 1e9))
    assert left.cpu_seconds == left.wall_seconds == LEAST_SECONDS


@pytest.mark.parametrize("size", [0, 1, 9, 10])
def test_a_long_log_has_as_much_as_asked_for(size):
    bounded = bounded_log(Excerpt(b"x" * 50, b"y" * 50, 1000), size)
    assert len(bounded.head) + len(bounded.tail) == size
    assert bounded.total_bytes == 1000


def test_a_short_log_stays_and_none_is_empty():
    short = Excerpt(b"words", b"", 5)
    assert bounded_log(short, 5) is short
    assert bounded_log(None, 5) == Excerpt(b"", b"", 0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b" \n", "is empty"),
        (b"x" * 11, "has 11 bytes"),
        (b"abc\xff", "is not UTF-8: invalid start byte at byte 3"),
    ],
)
def test_a_text_that_no_engine_gets_is_named_by_its_field(text, words):
    assert text_complaint(text, "latex.document", 10).startswith(f"latex.document: {words}")


def test_a_good_text_is_no_complaint():
    assert text_complaint("ä".encode(), "latex.document", 10) is None


def test_files_count_by_blocks_and_folders_once():
    assert disk_complaint([b"x"], Limits(disk_bytes=4096), by_products=3).startswith("The source alone takes")
    paths = ["a/b", "a/c"]  # with "." and "a" four, and three by-products
    assert disk_complaint([b"", b""], Limits(inodes=7), by_products=3, paths=paths) is None
    assert "needs 7 files" in disk_complaint([b"", b""], Limits(inodes=6), by_products=3, paths=paths)
