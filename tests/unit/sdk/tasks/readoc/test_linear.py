"""Standardising and cutting take time proportional to the length of a text, whatever stands in it."""

from __future__ import annotations

import time

import pytest

from i2s_sdk.tasks.readoc.markdown import after_tables, before_tables, segments
from i2s_sdk.tasks.readoc.tables import pipe_tables, with_latex_for_html
from i2s_wire.metrics.profile import Profile

_PIECES = (
    "$", "$$ ", "[", "](", "![", "[a](", "\\begin{figure}", "\\begin{figure*}\n", "|\n", "=", "a\n=\n", "-\n",
    "`", "```\n", "\\(", "\\\\)", "\\[", "\n\\begin{table}", "#", "# ", "# a\n", "\n ", " ", "<table>",
    "<table",
)  # fmt: skip
_LENGTH, _TIMES = 20_000, 16


def _cpu_seconds(text: str) -> float:
    began = time.process_time()
    for profile in Profile:
        standard = with_latex_for_html(before_tables(text, profile))
        pipe_tables(standard)
        segments(after_tables(standard), profile)
    return time.process_time() - began


@pytest.mark.slow
@pytest.mark.parametrize("piece", _PIECES)
def test_time_grows_with_the_length(piece: str) -> None:
    short, long = (piece * (length // len(piece)) for length in (_LENGTH, _LENGTH * _TIMES))
    least = min(_cpu_seconds(short) for _ in range(3))
    # A method of quadratic time would need 256 times as much.
    assert _cpu_seconds(long) < 80 * max(least, 0.001)
