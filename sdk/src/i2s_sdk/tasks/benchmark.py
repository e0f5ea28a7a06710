"""A benchmark of several tasks with one number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Tasks whose values are averaged to one headline: the unweighted mean of their main metrics.

    Attributes:
        name: As results and commands call it.
        title: Its name in tables.
        main_metrics: By the name of the task.
    """

    name: str
    title: str
    main_metrics: Mapping[str, str]
