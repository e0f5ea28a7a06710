"""What a run was going to do: its instances as its folder keeps them, without their pictures."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from i2s_sdk.errors import UsageError
from i2s_sdk.json_text import read_json
from i2s_sdk.plain_fields import plain_fields
from i2s_sdk.run.storage.typed_fields import with_checked_fields

#: File in a run folder: every instance of the whole run, of all its shards, in the order of the data set.
INSTANCES = "instances.jsonl"


class GroupedSample(Protocol):
    """What is asked of an instance to tell which group it belongs to."""

    @property
    def id(self) -> str:
        """Unique within the data set."""
        ...

    @property
    def task(self) -> str:
        """Such as "latex"."""
        ...

    @property
    def subset(self) -> str:
        """Such as "equation"."""
        ...

    @property
    def difficulty(self) -> str:
        """Empty if unknown."""
        ...


@dataclass(frozen=True, slots=True)
class Planned:
    """An instance of a run.

    Attributes:
        id: Unique within the data set.
        task: Task, such as "latex".
        subset: Subset, such as "equation".
        difficulty: Empty if unknown.
        licence: Licence of image and target; empty if unknown.
        source: Where they come from, for people; empty if unknown.
    """

    id: str
    task: str
    subset: str
    difficulty: str = ""
    licence: str = ""
    source: str = ""


def planned_lines(instances: Iterable[GroupedSample]) -> bytes:
    """Return the content of the file."""
    return b"".join(json.dumps(_plain(one)).encode("ascii") + b"\n" for one in instances)


def _plain(one: GroupedSample) -> dict[str, str]:
    """Return an instance as JSON has it; licence and source are left out if they are not known."""
    plain = plain_fields(Planned(one.id, one.task, one.subset, one.difficulty))
    for name in ("licence", "source"):
        plain[name] = getattr(one, name, "")
        if not plain[name]:
            del plain[name]
    return plain


def parse_planned(content: bytes, where: object) -> tuple[Planned, ...]:
    """Return the instances of a file.

    Args:
        content: Content of the file.
        where: Place of the file, for the message.

    Raises:
        UsageError: A line is not an instance; names it.
    """
    found = []
    for number, line in enumerate(content.splitlines(), start=1):
        try:
            found.append(with_checked_fields(Planned(**read_json(line))))
        except (ValueError, TypeError) as error:
            raise UsageError(f"{where}, line {number}: is not an instance of a run: {error!r}") from None
    return tuple(found)
