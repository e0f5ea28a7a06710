"""What a data set holds, counted by task and subset."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from i2s_sdk.instances.instance import Instance


@dataclass(frozen=True, slots=True)
class Subset:
    """The instances of one subset.

    Attributes:
        task: Task of all of them.
        name: Name of the subset.
        instances: How many there are.
        difficulties: How many of each; those of unknown difficulty are under "".
        with_structure: How many have ground truth.
        with_assets: How many have files that an answer may use.
    """

    task: str
    name: str
    instances: int
    difficulties: Mapping[str, int]
    with_structure: int
    with_assets: int


def summarize(instances: Iterable[Instance]) -> list[Subset]:
    """Return the subsets of a data set, in the order in which they begin."""
    groups: dict[tuple[str, str], list[Instance]] = {}
    for one in instances:
        groups.setdefault((one.task, one.subset), []).append(one)
    return [
        Subset(
            task=task,
            name=name,
            instances=len(group),
            difficulties=dict(Counter(one.difficulty for one in group)),
            with_structure=sum(one.structure is not None or one.target is not None for one in group),
            with_assets=sum(bool(one.assets) for one in group),
        )
        for (task, name), group in groups.items()
    ]
