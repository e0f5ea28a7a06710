"""The definitions of each name, as the source of the trees and trials of packages show them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from i2s_wire.render.source_error import Provider, ProviderKind

from .definitions import Category, How
from .rank import ProviderCandidate
from .reading import Name, Progress, Scans, processors
from .records import TrialRecords
from .trial import Trial, TrialEngine
from .units import Scanned, Unit, loaded_file, provider_of

Candidates = dict[Name, list[ProviderCandidate]]

_LIBRARIES = (ProviderKind.TIKZ_LIBRARY, ProviderKind.PGFPLOTS_LIBRARY)
#: Their keys are there as soon as they are loaded, and an error about a key says that they are.
_KEYED_PACKAGES = (Provider(ProviderKind.PACKAGE, "tikz"), Provider(ProviderKind.PACKAGE, "pgfplots"))


def popularity(files: Mapping[str, Scanned]) -> dict[Provider, int]:
    """Return how many bundles other than its own load each provider."""
    bundles: dict[Provider, set[str]] = defaultdict(set)
    for scanned in files.values():
        for load in scanned.loads:
            target = loaded_file(load, files)
            provider = provider_of(target) if target else None
            if provider and target and files[target].bundle != scanned.bundle:
                bundles[provider].add(scanned.bundle)
    return {provider: len(loaders) for provider, loaders in bundles.items()}


def read_candidates(units: Iterable[Unit], scans: Scans) -> Candidates:
    """Return the providers of every name as the source says."""
    candidates: Candidates = defaultdict(list)
    for unit in units:
        for own, names in ((True, unit.own), (False, unit.lent)):
            for file in names:
                for name, how in scans.names[file].evidence.items():
                    if how is not How.PATCHED and not (
                        name[0] is Category.KEY and unit.provider in _KEYED_PACKAGES
                    ):
                        candidates[name].append(ProviderCandidate(unit.provider, how, own))
        if unit.provider.kind in _LIBRARIES:
            candidates[Category.KEY, unit.provider.name].append(
                ProviderCandidate(unit.provider, How.DEFINED, True)
            )
    return candidates


#: The names that each package brings that was tried; None if it does not load.
Trials = Mapping[Provider, frozenset[str] | None]


def try_out(
    units: Sequence[Unit], scans: Scans, engine: TrialEngine, records: TrialRecords, progress: Progress
) -> Trials:
    """Load packages and return which of the names that they may define exist then.

    Asked for are the names that the source defines, and every word of it: macros put names
    together out of words.

    Args:
        units: Packages to try.
        scans: What their source says.
        engine: The engine that loads them.
        records: What earlier trials have shown; those are not made again.
        progress: Is told how many trials have been made.

    Returns:
        The names without those that every document knows; None for a package that does not load.
    """
    words = {unit.provider: scans.words(unit) for unit in units}
    common = engine.known(sorted(set[str]().union(*words.values())))

    def trial(provider: Provider) -> Trial:
        found = words[provider] - common
        asked = sorted(form for word in found for form in (word, f"end{word}", f"{word}*"))
        known = records.find(provider.name, asked)
        if known is None:
            known = engine.load(provider.name, asked)
            records.keep(provider.name, asked, known)
        return known

    seen: dict[Provider, frozenset[str] | None] = {}
    with ThreadPoolExecutor(processors()) as pool:
        for number, (provider, shown) in enumerate(zip(words, pool.map(trial, words), strict=True), 1):
            seen[provider] = shown.names
            progress("packages tried out", number, len(units))
    return seen


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
        if category is not Category.KEY and any(
            name in (seen.get(provider_candidate.provider) or ()) for provider_candidate in found
        ):
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
                    candidates[category, name].append(ProviderCandidate(provider, How.SEEN, own=True))


def _corrected(candidate: ProviderCandidate, name: str, seen: Trials) -> ProviderCandidate:
    names = seen.get(candidate.provider)
    if names is None:
        return candidate
    how = max(candidate.how, How.CUSTOM) if name in names else How.UNSEEN
    return ProviderCandidate(candidate.provider, how, candidate.own)


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
