"""The head and the tail of an output of any length are kept."""

from __future__ import annotations

import os

from i2s_chassis.jail.output import Output


def _said(chunks: list[bytes], size: int) -> Output:
    output = Output(size)
    for chunk in chunks:
        read_end, write_end = os.pipe()
        os.write(write_end, chunk)
        os.close(write_end)
        output.drain(read_end)
        os.close(read_end)
    return output


def test_a_short_output_is_kept_whole() -> None:
    excerpt = _said([b"hello ", b"world"], 20).excerpt()
    assert (excerpt.head, excerpt.tail, excerpt.total_bytes) == (b"hello worl" + b"d", b"", 11)


def test_of_a_long_output_head_and_tail_are_kept() -> None:
    excerpt = _said([b"a" * 10, b"b" * 1000, b"c" * 10], 20).excerpt()
    assert (excerpt.head, excerpt.tail, excerpt.total_bytes) == (b"a" * 10, b"c" * 10, 1020)
