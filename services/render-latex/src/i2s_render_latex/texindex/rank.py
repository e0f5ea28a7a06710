"""The best provider of a name: its rank, the order that is made by hand, the command that loads it."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from i2s_wire.render.source_error import Provider, ProviderKind

from .definitions import Category, How

_COMMANDS = {
    ProviderKind.PACKAGE: "usepackage",
    ProviderKind.CLASS: "documentclass",
    ProviderKind.TIKZ_LIBRARY: "usetikzlibrary",
    ProviderKind.PGFPLOTS_LIBRARY: "usepgfplotslibrary",
}


def load_command(provider: Provider) -> str:
    r"""Return the line that loads a provider, such as ``\usepackage{booktabs}``.

    A library needs its package (tikz or pgfplots) to be loaded before.
    """
    return f"\\{_COMMANDS[provider.kind]}{{{provider.name}}}"


_SECTIONS = {"commands": Category.COMMAND, "environments": Category.ENVIRONMENT, "keys": Category.KEY}
_PREFIXES = {
    "class": ProviderKind.CLASS,
    "tikz": ProviderKind.TIKZ_LIBRARY,
    "pgfplots": ProviderKind.PGFPLOTS_LIBRARY,
}


def preferences_text() -> bytes:
    """Return the table as it stands in its file."""
    return (resources.files(__package__) / "preferences.toml").read_bytes()


def _table() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads(preferences_text().decode())


@lru_cache(maxsize=1)
def last() -> frozenset[Provider]:
    """Return the providers that come last for every name."""
    return frozenset(_provider(text) for text in _table()["last"]["packages"])


@lru_cache(maxsize=1)
def preferences() -> dict[tuple[Category, str], tuple[Provider, ...]]:
    """Return the preferred providers by category and name, best first."""
    table = _table()
    preferred: dict[tuple[Category, str], tuple[Provider, ...]] = {}
    for section, category in _SECTIONS.items():
        for providers, names in table.get(section, {}).items():
            for name in names:
                preferred[category, name] = tuple(_provider(text) for text in providers.split())
    return preferred


def _provider(text: str) -> Provider:
    prefix, colon, name = text.partition(":")
    return Provider(_PREFIXES[prefix], name) if colon else Provider(ProviderKind.PACKAGE, text)


#: How much each way of defining is worth.
_WEIGHT = {
    How.DEFINED: 1.0,
    How.CUSTOM: 0.8,
    How.ALIASED: 0.6,
    How.SEEN: 0.8,
    How.OFFERED: 0.5,
    How.NESTED: 0.35,
    How.UNSEEN: 0.06,
    How.PATCHED: 0.02,
}
#: What remains of it where a provider loads the defining file from its bundle. A library that
#: loads others is the coarser choice; a package that does is usually the one to use.
_LENT = {
    ProviderKind.PACKAGE: 0.75,
    ProviderKind.CLASS: 0.75,
    ProviderKind.TIKZ_LIBRARY: 0.2,
    ProviderKind.PGFPLOTS_LIBRARY: 0.2,
}
#: Classes cannot be added to a document that has one, and a library needs its package.
_KIND = {
    ProviderKind.PACKAGE: 1.0,
    ProviderKind.CLASS: 0.25,
    ProviderKind.TIKZ_LIBRARY: 0.5,
    ProviderKind.PGFPLOTS_LIBRARY: 0.5,
}
_SAME_NAME = 6.0
_SIMILAR_NAME = 2.0
_NOT_LETTERS = re.compile(r"[^a-z0-9]")


@dataclass(frozen=True, slots=True)
class ProviderCandidate:
    """One provider of a name, with the evidence for it."""

    #: What would be loaded.
    provider: Provider
    #: The surest way in which it defines the name.
    how: How
    #: Whether it does so itself, rather than by a file of its bundle that it loads.
    own: bool


@lru_cache(maxsize=100_000)
def folded(name: str) -> str:
    """Return a name as people misremember it: lower case, letters and digits only."""
    return _NOT_LETTERS.sub("", name.lower())


def ranked(
    category: Category,
    name: str,
    candidates: list[ProviderCandidate],
    popularity: Mapping[Provider, int],
    preferred: tuple[Provider, ...] = (),
    last: Collection[Provider] = (),
) -> tuple[Provider, ...]:
    """Return the providers of a name, best first.

    Args:
        category: What kind of thing the name is.
        name: Name without backslash or braces.
        candidates: Candidates, at least one; a provider may come more than once.
        popularity: Number of bundles that load each provider.
        preferred: Providers that go first, if they are candidates.
        last: Providers that go last unless preferred.
    """
    best: dict[Provider, float] = {}
    for candidate in candidates:
        value = _score(category, name, candidate, popularity.get(candidate.provider, 0))
        best[candidate.provider] = max(value, best.get(candidate.provider, 0.0))

    def order(provider: Provider) -> tuple[int, float, int, Provider]:
        unpreferred = len(preferred) + (provider in last)
        place = preferred.index(provider) if provider in preferred else unpreferred
        return place, -best[provider], len(provider.name), provider

    return tuple(sorted(best, key=order))


def _score(category: Category, name: str, candidate: ProviderCandidate, popularity: int) -> float:
    value = _WEIGHT[candidate.how] * (1.0 + math.log2(1 + popularity))
    if not candidate.own:
        value *= _LENT[candidate.provider.kind]
    if category is not Category.KEY:
        value *= _KIND[candidate.provider.kind]
    called, wanted = folded(candidate.provider.name), folded(name)
    if called == wanted:
        return value * _SAME_NAME
    if len(called) > 2 and len(wanted) > 2 and (called.startswith(wanted) or wanted.startswith(called)):
        return value * _SIMILAR_NAME
    return value
