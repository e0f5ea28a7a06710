"""Benchmarks: tasks that were published together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from i2s_sdk.tasks.published import PublishedTable


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Tasks that were published together, and are ranked together.

    Attributes:
        name: Name as results and commands call it.
        title: Its name in tables.
        main_metrics: Main metrics by the name of the task.
        has_mean: Whether it has one number, the unweighted mean of the main metrics of its tasks.
        published_table: Name of the published table over all tasks; empty if there is none.
        published: Published tables of more than one task, by name.
    """

    name: str
    title: str
    main_metrics: Mapping[str, str]
    has_mean: bool = True
    published_table: str = ""
    published: Mapping[str, PublishedTable] = field(default_factory=dict)
