"""Tasks, scorers, models, commands and renderers of other packages, found by their entry points.

A package names what it provides in its ``pyproject.toml``::

    [project.entry-points."i2s_sdk.tasks"]
    colour = "colour_package.spec:COLOUR"

Names are read from the metadata of the installed packages; a package is imported when one of its names is
used. A name that this package has itself, or that two packages provide, is left out with a warning.
"""

from __future__ import annotations

import enum
import logging
import re
from collections.abc import Collection, Mapping
from functools import cache
from importlib.metadata import EntryPoint, PackageNotFoundError, distribution, entry_points

from i2s_client.errors import PluginError

_log = logging.getLogger(__name__)

_NAME = re.compile(r"[\w.-]+")


class PluginGroup(enum.StrEnum):
    """Groups of entry points."""

    TASKS = "i2s_sdk.tasks"  #: a ``TaskSpec``; the name is that of the task
    SCORERS = "i2s_sdk.scorers"  #: a callable from a profile to a ``Scorer``; the name is TASK.NAME
    MODELS = "i2s_sdk.models"  #: a callable from (name, options) to a ``Model`` or ``Provider``
    COMMANDS = (
        "i2s_sdk.commands"  #: a ``click.Command``; the name is that of the command, such as "dataset push"
    )
    RENDERERS = "i2s.renderers"  #: a ``RendererSpec``; the name is that of the service


@cache
def plugins(group: PluginGroup) -> Mapping[str, EntryPoint]:
    """Return the entry points of a group by name, sorted by name; nothing is imported.

    A name that several packages provide is left out with a warning.
    """
    by_name: dict[str, list[EntryPoint]] = {}
    for entry_point in entry_points(group=group):
        by_name.setdefault(entry_point.name, []).append(entry_point)
    unique: dict[str, EntryPoint] = {}
    for name, several in sorted(by_name.items()):
        if len({one.value for one in several}) == 1:
            unique[name] = several[0]
        else:
            packages = " and ".join(sorted(package_of(one) for one in several))
            _log.warning("%s %r is provided by %s; it is left out", group, name, packages)
    return unique


@cache
def plugins_beside(group: PluginGroup, own: Collection[str]) -> Mapping[str, EntryPoint]:
    """Return the entry points of a group whose names are not among those of this package.

    Args:
        group: Which group.
        own: Names that this package has; hashable. An entry point of such a name is left out with a warning.
    """
    provided = plugins(group)
    for name in (one for one in provided if one in own):
        package = package_of(provided[name])
        _log.warning("%s %r of %s is left out: i2s-sdk has this name", group, name, package)
    return {name: entry_point for name, entry_point in provided.items() if name not in own}


def package_of(plugin: EntryPoint) -> str:
    """Return the name of the package that provides an entry point."""
    return plugin.dist.name if plugin.dist is not None else plugin.value.partition(":")[0]


def missing_requirements(plugin: EntryPoint) -> list[str]:
    """Return the packages that the package of an entry point requires and that are not installed, by name.

    Requirements with a marker, such as those of extras, are left out.
    """
    requirements = (plugin.dist.requires if plugin.dist is not None else None) or []
    names = [_NAME.match(requirement) for requirement in requirements if ";" not in requirement]
    return [name[0] for name in names if name is not None and not _is_installed(name[0])]


def _is_installed(package: str) -> bool:
    try:
        distribution(package)
    except PackageNotFoundError:
        return False
    return True


def load_plugin(plugin: EntryPoint) -> object:
    """Import what an entry point names.

    Raises:
        PluginError: It cannot be imported; names the package and the reason.
    """
    try:
        return plugin.load()
    except (Exception, SystemExit) as error:  # the code of another package may raise anything
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise PluginError(plugin.group, plugin.name, package_of(plugin), reason) from error


def warn_of(error: PluginError) -> None:
    """Log that something of another package is left out, once for each message."""
    _warn_once(error.message)


@cache
def _warn_once(message: str) -> None:
    _log.warning("%s; it is left out", message)


def forget_plugins() -> None:
    """Read the metadata of packages again at the next use, for programs that install packages."""
    plugins.cache_clear()
    plugins_beside.cache_clear()
    _warn_once.cache_clear()
