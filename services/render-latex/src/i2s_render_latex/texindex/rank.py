"""Which provider of a name is the best: how it defines it, how known it is, what it is called."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from i2s_wire.render.source_error import Provider, ProviderKind

from .definitions import Category, How

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
class Candidate:
    """One provider of a name, with the evidence for it.

    Attributes:
        provider: What would be loaded.
        how: The surest way in which it defines the name.
        own: Whether it does so itself, rather than by a file of its bundle that it loads.
    """

    provider: Provider
    how: How
    own: bool


def folded(name: str) -> str:
    """Return a name as people misremember it: lower case, letters and digits only."""
    return _NOT_LETTERS.sub("", name.lower())


def ranked(
    category: Category,
    name: str,
    candidates: list[Candidate],
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


def _score(category: Category, name: str, candidate: Candidate, popularity: int) -> float:
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
