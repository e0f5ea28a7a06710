"""Small changes of libraries: an attribute that is added, an argument that is renamed or left out.

Nothing here imports a library before a change is made, so that the service can read the table of names.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from typing import Any

#: Puts one name back.
Change = Callable[[], None]


def attribute(path: str) -> Any:  # noqa: ANN401 - whatever is there
    """Return what a dotted path leads to: a module, or an attribute of one."""
    module, _, rest = path.partition(".")
    place = importlib.import_module(module)
    done = module
    for name in filter(None, rest.split(".")):
        done += f".{name}"
        try:
            place = getattr(place, name)
        except AttributeError:
            place = importlib.import_module(done)
    return place


def put(path: str, value: object) -> None:
    """Set the attribute that a dotted path names."""
    place, _, name = path.rpartition(".")
    setattr(attribute(place), name, value)


def aliases(paths: Mapping[str, str]) -> dict[str, Change]:
    """Return the changes that make paths mean what others mean."""
    return {old: partial(_alias, old, new) for old, new in paths.items()}


def _alias(old: str, new: str) -> None:
    put(old, attribute(new))


def values(contents: Mapping[str, object]) -> dict[str, Change]:
    """Return the changes that set paths to values."""
    return {path: partial(put, path, content) for path, content in contents.items()}


def modules(names: Mapping[str, str]) -> dict[str, Change]:
    """Return the changes that let modules be imported under other names."""
    return {old: partial(_module, old, new) for old, new in names.items()}


def _module(old: str, new: str) -> None:
    sys.modules[old] = importlib.import_module(new)
    place, _, name = old.rpartition(".")
    if place in sys.modules:
        setattr(sys.modules[place], name, sys.modules[old])


def _wrapped(paths: Sequence[str], around: Callable[..., Any]) -> Change:
    """Return the change that puts a function around others; it gets each of them first."""

    def change() -> None:
        for path in paths:
            inner = attribute(path)

            @wraps(inner)
            def outer(*args: Any, inner: Any = inner, **kwargs: Any) -> Any:  # noqa: ANN401
                return around(inner, *args, **kwargs)

            put(path, outer)

    return change


def renamed(*paths: str, **names: str | None) -> Change:
    """Return the change by which functions take arguments by their old names.

    Args:
        paths: The functions.
        names: New names of arguments by their old ones; None leaves an argument out.
    """

    def around(inner: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        for old, new in names.items():
            if old in kwargs:
                given = kwargs.pop(old)
                if new is not None:
                    kwargs.setdefault(new, given)
        return inner(*args, **kwargs)

    return _wrapped(paths, around)


def positional(*paths: str, order: Sequence[str], kept: int = 0, least: int = 1) -> Change:
    """Return the change by which functions take arguments by position that are named today.

    Args:
        paths: The functions.
        order: Names of the arguments after the first ``kept``, in the order of old.
        kept: Number of arguments that are still given by position, ``self`` among them.
        least: Number of further positional arguments below which a call means what it means today, unless
            it has an argument that is named "data".
    """

    def around(inner: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        more = args[kept:]
        if len(more) < least and not (more and "data" in kwargs):
            return inner(*args, **kwargs)
        return inner(*args[:kept], **dict(zip(order, more, strict=False)), **kwargs)

    return _wrapped(paths, around)


def by_position(*paths: str) -> Change:
    """Return the change by which functions take arguments by position that may only be named today.

    Their order of old is that of today.
    """

    def change() -> None:
        for path in paths:
            parameters = inspect.signature(attribute(path)).parameters.values()
            kept = sum(parameter.kind is parameter.POSITIONAL_OR_KEYWORD for parameter in parameters)
            order = [parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]
            positional(path, order=order, kept=kept)()

    return change
