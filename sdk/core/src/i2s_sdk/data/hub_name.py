"""Names of data sets of Hugging Face: which repository, which subsets, which task."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from i2s_sdk.errors import UnknownNameError, UsageError
from i2s_sdk.tasks.registry import BUILT_IN

PREFIX = "hf:"

#: The repositories of the benchmark: the living ones, and the copies that never change.
_HUB_NAMES = {one.hub_name: one.name for one in BUILT_IN.values() if one.hub_name}
LIVING = {f"stanford-crfm/i2s-{hub_name}": task for hub_name, task in _HUB_NAMES.items()}
FROZEN = {f"stanford-crfm/image2struct-{hub_name}-v1": task for hub_name, task in _HUB_NAMES.items()}

_ALIASES = {"i2s": tuple(LIVING), "image2struct": tuple(FROZEN)}
_FORM = re.compile(r"(?P<path>[^@?]+?)(?:@(?P<revision>[^@?]+))?(?:\?task=(?P<task>[a-z_]+))?")
_REPOSITORY = re.compile(r"(?P<repository>[\w.-]+/[\w.-]+)(?:/(?P<subset>[\w.-]+))?")


@dataclass(frozen=True, slots=True)
class HubName:
    """One repository as it was named.

    Attributes:
        where: OWNER/NAME of the hub, or a folder.
        task: Task of its instances.
        local: Whether ``where`` is a folder.
        subsets: Subsets that are taken; none means those of the task without the wild ones.
        revision: Branch, tag or commit; empty is the newest.
    """

    where: str
    task: str
    local: bool = False
    subsets: tuple[str, ...] = ()
    revision: str = ""

    def __str__(self) -> str:
        revision = f"@{self.revision}" if self.revision else ""
        return f"{PREFIX}{self.where}{revision}"

    def wanted(self, subsets: Sequence[str]) -> HubName:
        """Return the name with the subsets that a run asks for, if it has none of its own."""
        return self if self.subsets or not subsets else replace(self, subsets=tuple(subsets))


def parse_hub_name(name: str) -> tuple[HubName, ...]:
    """Return the repositories that a name stands for.

    Args:
        name: ``hf:OWNER/NAME[/SUBSET][@REVISION][?task=TASK]``; ``hf:FOLDER[?task=TASK]`` with files of
            such a repository; ``hf:i2s`` or ``hf:image2struct`` for the living or frozen benchmark.

    Raises:
        UsageError: It is of no such form, or does not say which task it is.
    """
    rest = name.removeprefix(PREFIX)
    if rest in _ALIASES:
        return tuple(HubName(one, _task_of(one, "")) for one in _ALIASES[rest])
    found = _FORM.fullmatch(rest)
    if found is None:
        raise UsageError(f"data set {name!r}: must be hf:OWNER/NAME, such as hf:{next(iter(LIVING))}")
    path, revision, task = found["path"], found["revision"] or "", found["task"] or ""
    if task and task not in _HUB_NAMES.values():
        raise UnknownNameError("task", task, _HUB_NAMES.values())
    folder = Path(path).expanduser()
    if path.startswith((".", "/", "~")) or folder.is_dir():
        return (HubName(str(folder), _task_of(folder.resolve().name, task, name), local=True),)
    repository = _REPOSITORY.fullmatch(path)
    if repository is None:
        raise UsageError(
            f"data set {name!r}: is neither a folder nor of the form hf:OWNER/NAME, such as "
            f"hf:{next(iter(LIVING))}; hf:i2s is the whole benchmark"
        )
    subsets = (repository["subset"],) if repository["subset"] else ()
    where = repository["repository"]
    return (HubName(where, _task_of(where, task, name), subsets=subsets, revision=revision),)


def _task_of(repository: str, task: str, name: str = "") -> str:
    if task:
        return task
    for one in _HUB_NAMES.values():
        if one in repository.lower():
            return one
    options = [f"?task={one}" for one in _HUB_NAMES.values()]
    raise UsageError(f"data set {name!r}: add {', '.join(options[:-1])} or {options[-1]}")
