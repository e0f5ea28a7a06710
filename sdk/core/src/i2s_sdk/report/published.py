"""Published tables by name, whichever task or benchmark has them."""

from __future__ import annotations

from i2s_sdk.tasks.published import PublishedTable
from i2s_sdk.tasks.registry import BENCHMARKS, SPECS


def published_table(name: str) -> PublishedTable:
    """Return a table of the paper of Image2Struct by its number there, or one of another task by its name.

    Args:
        name: Name, such as "2", "A2", "visualwebbench grounding" or "readoc arxiv".

    Raises:
        KeyError: There is no such table.
    """
    for benchmark in BENCHMARKS:
        if name in benchmark.published:
            return benchmark.published[name]
    for spec in SPECS.values():
        if name in spec.published:
            return spec.published[name]
    raise KeyError(name)
