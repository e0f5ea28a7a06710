"""What trials of packages add to what their source says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from i2s_wire.render.source_error import Provider

from .definitions import Category, How
from .evidence import Candidates, Scans
from .rank import Candidate
from .trial import Engine
from .units import Unit, loaded_file, provider_of

#: The names that each package brings that was tried; None if it does not load.
Trials = Mapping[Provider, frozenset[str] | None]


def try_out(units: Sequence[Unit], scans: Scans, engine: Engine) -> Trials:
    """Load packages and return which of the names that they may define exist then.

    Asked for are the names that the source defines, and every word of it: macros put names
    together out of words.

    Args:
        units: Packages to try.
        scans: What their source says.
        engine: The engine that loads them.

    Returns:
        The names without those that every document knows; None for a package that does not load.
    """
    words = {unit.provider.name: scans.words(unit) | scans.names(unit) for unit in units}
    common = engine.known(sorted(set[str]().union(*words.values())))
    asked = {
        package: sorted(form for word in found - common for form in (word, f"end{word}", f"{word}*"))
        for package, found in words.items()
    }
    seen = engine.load(asked)
    return {unit.provider: seen[unit.provider.name] for unit in units}


def apply_trials(candidates: Candidates, seen: Trials, units: Sequence[Unit], scans: Scans) -> None:
    r"""Correct what the source says by what trials have shown, in place.

    If trials saw some package define a name, those that were tried and did not count for little.
    A name that no trial saw may still appear inside of something, as ``\draw`` does inside of a
    picture: there the source is believed. What a package was seen to define and no source explains
    was put together by its macros, unless something that it loads has it too.

    Args:
        candidates: The result of `read_candidates`.
        seen: The result of `try_out`.
        units: Units that were tried.
        scans: What their source says.
    """
    for (category, name), found in candidates.items():
        if category is not Category.KEY and any(name in (seen.get(one.provider) or ()) for one in found):
            candidates[category, name] = [_corrected(candidate, name, seen) for candidate in found]
    reach = {unit.provider: _reachable(unit, scans) for unit in units}
    for provider, names in seen.items():
        if names is None:
            continue
        inherited = set[str]().union(*(seen.get(other) or () for other in reach[provider] - {provider}))
        for name in names - inherited:
            forms = [Category.COMMAND, Category.ENVIRONMENT] if f"end{name}" in names else [Category.COMMAND]
            for category in forms:
                known = candidates.get((category, name), ())
                if not any(candidate.provider in reach[provider] for candidate in known):
                    candidates[category, name].append(Candidate(provider, How.SEEN, own=True))


def _corrected(candidate: Candidate, name: str, seen: Trials) -> Candidate:
    names = seen.get(candidate.provider)
    if names is None:
        return candidate
    how = max(candidate.how, How.CUSTOM) if name in names else How.UNSEEN
    return Candidate(candidate.provider, how, candidate.own)


def _reachable(unit: Unit, scans: Scans) -> set[Provider]:
    """Return every provider that a unit may load, itself included."""
    reached: set[str] = set()
    queue = list(unit.own)
    while queue:
        file = queue.pop()
        if file not in reached and file in scans.files:
            reached.add(file)
            queue.extend(
                target
                for load in scans.files[file].loads
                if (target := loaded_file(load, scans.files)) is not None
            )
    return {provider for file in reached if (provider := provider_of(file)) is not None}
