"""All tasks. A new one is a folder and a line here."""

from __future__ import annotations

from i2s_sdk.errors import UnknownNameError
from i2s_sdk.profile import Profile
from i2s_sdk.tasks.benchmark import Benchmark
from i2s_sdk.tasks.latex.spec import LATEX
from i2s_sdk.tasks.music.spec import MUSIC
from i2s_sdk.tasks.spec import TaskSpec
from i2s_sdk.tasks.task import Task
from i2s_sdk.tasks.webpage.spec import WEBPAGE

#: By name, in the order of tables.
SPECS: dict[str, TaskSpec] = {
    one.name: one
    for one in (
        LATEX,
        WEBPAGE,
        MUSIC,
    )
}

#: Names of all tasks.
TASKS = tuple(SPECS)

#: Benchmarks that have one number for several tasks.
BENCHMARKS: tuple[Benchmark, ...] = ()


def task_spec(name: str) -> TaskSpec:
    """Return what is said of a task.

    Raises:
        UnknownNameError: There is no such task.
    """
    if name not in SPECS:
        raise UnknownNameError("task", name, TASKS)
    return SPECS[name]


def open_task(name: str, profile: Profile = Profile.PAPER) -> Task:
    """Return a task with the rules of a profile.

    Raises:
        UnknownNameError: There is no such task.
    """
    return task_spec(name).open(profile)
