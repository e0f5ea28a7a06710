"""Tasks by name: those of this package, then those that other packages provide by entry points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from importlib.metadata import EntryPoint

from i2s_client.plugins import PluginGroup, load_plugin, package_of, plugins_beside, warn_of
from i2s_sdk.errors import PluginError
from i2s_sdk.tasks.spec import TaskSpec


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
        found: dict[str, TaskSpec] = {}
        for name in list(self):
            try:
                found[name] = self[name]
            except PluginError as error:
                warn_of(error)
        return found

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
