"""All tasks. A new one is a folder and a line here, or an entry point of another package."""

from __future__ import annotations

from i2s_sdk.errors import UnknownNameError
from i2s_sdk.settings import Settings
from i2s_sdk.tasks.benchmark import Benchmark
from i2s_sdk.tasks.chart.spec import CHART
from i2s_sdk.tasks.latex.spec import LATEX
from i2s_sdk.tasks.music.spec import MUSIC
from i2s_sdk.tasks.published import published_tables
from i2s_sdk.tasks.readoc.spec import READOC
from i2s_sdk.tasks.registered import RegisteredTasks
from i2s_sdk.tasks.scimage.spec import SCIMAGE
from i2s_sdk.tasks.sobench.spec import SOBENCH
from i2s_sdk.tasks.spec import TaskSpec
from i2s_sdk.tasks.task import ConfiguredTask, Task
from i2s_sdk.tasks.visualwebbench.spec import VISUALWEBBENCH, VISUALWEBBENCH_MEAN
from i2s_sdk.tasks.webpage.spec import WEBPAGE
from i2s_wire.metrics.profile import Profile

#: Tasks of this package by name, in the order of tables.
BUILT_IN: dict[str, TaskSpec] = {
    one.name: one
    for one in (
        LATEX,
        WEBPAGE,
        MUSIC,
        *VISUALWEBBENCH,
        SOBENCH,
        READOC,
        SCIMAGE,
        CHART,
    )
}

#: Names of the tasks of this package.
TASKS = tuple(BUILT_IN)

#: The task of images and completions for which a caller names none.
DEFAULT_TASK = TASKS[0]

#: All tasks by name: those of this package, then those of other packages.
SPECS = RegisteredTasks(BUILT_IN)

#: Image2Struct, whose tasks are ranked by mean win rate.
IMAGE2STRUCT = Benchmark(
    "image2struct",
    "Results",
    {one.name: one.main_metric for one in (LATEX, WEBPAGE, MUSIC)},
    has_mean=False,
    published_table="2",
    published=published_tables("i2s_sdk.tasks"),
)

#: Tasks that were published together. Every other task stands alone.
BENCHMARKS = (IMAGE2STRUCT, VISUALWEBBENCH_MEAN)


def task_spec(name: str) -> TaskSpec:
    """Return what is said of a task.

    Raises:
        UnknownNameError: There is no such task.
        PluginError: It is of another package and cannot be used.
    """
    if name not in SPECS:
        raise UnknownNameError("task", name, SPECS)
    return SPECS[name]


def open_task(name: str, profile: Profile = Profile.PAPER, settings: Settings | None = None) -> Task:
    """Return a task with the rules of a profile.

    Args:
        name: Name of the task.
        profile: Profile whose rules are followed.
        settings: Settings that change what some tasks ask; None takes their defaults.

    Raises:
        UnknownNameError: There is no such task.
        SettingsError: A setting of the task has no meaning; names it.
    """
    task = task_spec(name).open(profile)
    if settings is not None and isinstance(task, ConfiguredTask):
        return task.configured(settings)
    return task
