"""All tasks by name. A new one is a folder and a line here, or an entry point of another package."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from importlib.metadata import EntryPoint

from i2s_client.plugins import PluginGroup, load_plugin, package_of, plugins_beside, warn_of
from i2s_sdk.errors import PluginError, UnknownNameError
from i2s_sdk.settings import Settings
from i2s_sdk.tasks.benchmark import Benchmark, published_tables
from i2s_sdk.tasks.chart.spec import CHART
from i2s_sdk.tasks.design2code.spec import DESIGN2CODE_TASKS
from i2s_sdk.tasks.latex.spec import LATEX
from i2s_sdk.tasks.music.spec import MUSIC
from i2s_sdk.tasks.olmocrbench.spec import OLMOCRBENCH
from i2s_sdk.tasks.omnidocbench.spec import OMNIDOCBENCH
from i2s_sdk.tasks.omr.spec import OMR
from i2s_sdk.tasks.readoc.spec import READOC
from i2s_sdk.tasks.scimage.spec import SCIMAGE
from i2s_sdk.tasks.shapecode.spec import SHAPECODE
from i2s_sdk.tasks.sobench.spec import SOBENCH
from i2s_sdk.tasks.spec import TaskSpec
from i2s_sdk.tasks.svg.spec import SVG
from i2s_sdk.tasks.task import ConfiguredTask, Task
from i2s_sdk.tasks.visualwebbench.spec import VISUALWEBBENCH, VISUALWEBBENCH_MEAN
from i2s_sdk.tasks.webpage.spec import WEBPAGE
from i2s_wire.metrics.profile import Profile


class RegisteredTasks(MutableMapping[str, TaskSpec]):
    """Task specs by name; looking up one of another package imports it.

    Args:
        own: Specs of this package, in the order of tables.

    Raises:
        PluginError: At a look-up: the spec is of another package and cannot be used.
    """

    def __init__(self, own: Mapping[str, TaskSpec]) -> None:
        self._own = frozenset(own)
        self._specs = dict(own)
        self._loaded: dict[str, TaskSpec] = {}

    def __getitem__(self, name: str) -> TaskSpec:
        if name in self._specs:
            return self._specs[name]
        if name not in self._loaded:
            self._loaded[name] = _load(self._others()[name])
        return self._loaded[name]

    def __setitem__(self, name: str, spec: TaskSpec) -> None:
        self._specs[name] = spec

    def __delitem__(self, name: str) -> None:
        del self._specs[name]

    def __contains__(self, name: object) -> bool:
        return name in self._specs or name in self._others()

    def __iter__(self) -> Iterator[str]:
        yield from self._specs
        yield from (name for name in self._others() if name not in self._specs)

    def __len__(self) -> int:
        return len({*self._specs, *self._others()})

    def usable(self) -> dict[str, TaskSpec]:
        """Return all specs that can be used, by name; each of the others is a warning."""
        specs: dict[str, TaskSpec] = {}
        for name in list(self):
            try:
                specs[name] = self[name]
            except PluginError as error:
                warn_of(error)
        return specs

    def _others(self) -> Mapping[str, EntryPoint]:
        return plugins_beside(PluginGroup.TASKS, self._own)


def _load(plugin: EntryPoint) -> TaskSpec:
    spec = load_plugin(plugin)
    package = package_of(plugin)
    if not isinstance(spec, TaskSpec):
        reason = f"{plugin.value} is no TaskSpec but a {type(spec).__name__}"
        raise PluginError(plugin.group, plugin.name, package, reason)
    if spec.name != plugin.name:
        raise PluginError(plugin.group, plugin.name, package, f"its TaskSpec has the name {spec.name!r}")
    return spec


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
        OLMOCRBENCH,
        OMNIDOCBENCH,
        SCIMAGE,
        CHART,
        SHAPECODE,
        SVG,
        *DESIGN2CODE_TASKS,
        OMR,
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
