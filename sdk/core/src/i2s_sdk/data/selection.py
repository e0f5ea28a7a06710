"""The selection of instances for a run: filters, a stable choice, a shard; and counts of a data set."""

from __future__ import annotations

import difflib
import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from i2s_sdk.errors import UnknownNameError, UsageError
from i2s_sdk.instances.instance import Instance

_SHARD = re.compile(r"([0-9]{1,9})/([0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class Shard:
    """One of ``count`` parts of a run that share no instance and together have all.

    Raises:
        UsageError: There is no such part.
    """

    #: Number of the shard, counted from 1.
    index: int
    #: Number of shards.
    count: int

    def __post_init__(self) -> None:
        if not 1 <= self.index <= self.count:
            raise UsageError(f"--shard {self}: the first number must be from 1 to the second")

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Return the shard that a text names, such as "1/3" to "3/3".

        Raises:
            UsageError: It names none.
        """
        match = _SHARD.fullmatch(text.strip())
        if match is None:
            raise UsageError(f"--shard {text}: must be I/N, such as 1/3 for the first of three")
        return cls(int(match[1]), int(match[2]))

    def has(self, identity: str) -> bool:
        """Return whether the instance of this id belongs to the shard."""
        return _number(identity) % self.count == self.index - 1


@dataclass(frozen=True, slots=True)
class Selection:
    """The instances of a data set that are taken; without any argument all of them.

    Raises:
        UsageError: The limit is below 1.
    """

    #: Names; none means all.
    subsets: tuple[str, ...] = ()
    #: Names; none means all.
    difficulties: tuple[str, ...] = ()
    #: Ids of single instances; none means all.
    ids: tuple[str, ...] = ()
    #: The most instances, over everything that the filters leave and all shards together.
    limit: int | None = None
    #: Which ``limit`` instances: a choice that is the same for the same seed. None takes the first.
    seed: int | None = None
    #: The part of that which is taken.
    shard: Shard | None = None

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 1:
            raise UsageError(f"--limit {self.limit}: must be at least 1")

    def apply(self, instances: Iterable[Instance]) -> list[Instance]:
        """Return the instances that are taken, in the order given.

        Returns:
            They may be none if a shard has none of few instances.

        Raises:
            UnknownNameError: No instance has a subset or difficulty that is asked for.
            UsageError: No instance has an id that is asked for, or none fits all filters.
        """
        chosen = self._limited(self._filtered(list(instances)))
        return [instance for instance in chosen if self.shard is None or self.shard.has(instance.id)]

    def _filtered(self, instances: Sequence[Instance]) -> list[Instance]:
        _require_known("subset", self.subsets, (instance.subset for instance in instances))
        _require_known("difficulty", self.difficulties, (instance.difficulty for instance in instances))
        require_ids(self.ids, {instance.id for instance in instances})
        chosen = [
            instance
            for instance in instances
            if (not self.subsets or instance.subset in self.subsets)
            and (not self.difficulties or instance.difficulty in self.difficulties)
            and (not self.ids or instance.id in self.ids)
        ]
        if instances and not chosen:
            raise UsageError(f"no instance has {self._filters()}; leave one of these out")
        return chosen

    def _filters(self) -> str:
        given = {"subset": self.subsets, "difficulty": self.difficulties, "id": self.ids}
        return " and ".join(f"{name} {' or '.join(names)}" for name, names in given.items() if names)

    def _limited(self, instances: list[Instance]) -> list[Instance]:
        if self.limit is None or self.limit >= len(instances):
            return instances
        if self.seed is None:
            return instances[: self.limit]
        taken = set(sorted((instance.id for instance in instances), key=_order(self.seed))[: self.limit])
        return [instance for instance in instances if instance.id in taken]


def _order(seed: int) -> Callable[[str], bytes]:
    return lambda identity: hashlib.sha256(f"{seed}:{identity}".encode("utf-8", "surrogatepass")).digest()


def _number(identity: str) -> int:
    return int.from_bytes(hashlib.sha256(identity.encode("utf-8", "surrogatepass")).digest())


def _require_known(kind: str, wanted: Sequence[str], there: Iterable[str]) -> None:
    if wanted:
        known = {name for name in there if name}
        for name in wanted:
            if name not in known:
                raise UnknownNameError(kind, name, known)


def require_ids(wanted: Sequence[str], known: set[str]) -> None:
    """Return if all ids are known.

    Raises:
        UsageError: One is not; names it, and the most similar one that is.
    """
    for identity in wanted:
        if identity not in known:
            close = difflib.get_close_matches(identity, known, n=1)
            meant = f"; did you mean {close[0]!r}?" if close else ""
            raise UsageError(f"no instance has the id {identity!r}{meant}")


@dataclass(frozen=True, slots=True)
class Subset:
    """The instances of one subset."""

    #: Task of all of them.
    task: str
    #: Name of the subset.
    name: str
    #: How many there are.
    instances: int
    #: How many of each; those of unknown difficulty are under "".
    difficulties: Mapping[str, int]
    #: How many have ground truth.
    with_structure: int
    #: How many have files that an answer may use.
    with_assets: int


def summarize(instances: Iterable[Instance]) -> list[Subset]:
    """Return the subsets of a data set, in the order in which they begin."""
    groups: dict[tuple[str, str], list[Instance]] = {}
    for instance in instances:
        groups.setdefault((instance.task, instance.subset), []).append(instance)
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
