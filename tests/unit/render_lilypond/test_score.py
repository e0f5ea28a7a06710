"""Scores that are refused before anything reads them."""

import pytest

from i2s_chassis.limits import Limits
from i2s_render_lilypond.score import complaint, disk_complaint


@pytest.mark.parametrize(
    ("score", "words"),
    [
        (b"", "is empty"),
        (b" \n\t", "is empty"),
        (b"{ c4 } \xff", "is not UTF-8"),
        (b"{ c4 \0 }", "NUL at byte 5"),
        (b"x" * 101, "has 101 bytes, at most 100"),
    ],
)
def test_the_field_and_the_fault_are_named(score, words):
    said = complaint(score, max_bytes=100)
    assert said.startswith("lilypond.score: ")
    assert words in said


def test_a_score_of_any_language_is_taken():
    assert complaint('{ c4^"Übung 練習" }'.encode(), max_bytes=100) is None


def test_a_score_that_fills_the_disk_is_told():
    assert "on disk" in disk_complaint(b"x" * 5000, Limits(disk_bytes=8192))
    assert disk_complaint(b"x" * 5000, Limits(disk_bytes=65536)) is None


def test_too_few_files_are_told():
    assert "files" in disk_complaint(b"x", Limits(inodes=2))
