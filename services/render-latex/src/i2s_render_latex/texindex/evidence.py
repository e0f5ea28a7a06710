"""The definitions of each name, as the source of the trees and trials of packages show them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from i2s_wire.render.source_error import Provider, ProviderKind

from .definitions import Category, How, clean, definitions, keys
from .rank import ProviderCandidate
from .trees import TreeFile
from .trial import TrialEngine
from .units import (
    Scanned,
    Unit,
    demands_other_engine,
    loaded_file,
    loads,
    provider_of,
)

Name = tuple[Category, str]
Evidence = Mapping[Name, How]
Candidates = dict[Name, list[ProviderCandidate]]

_WORD = re.compile(r"[A-Za-z]{2,40}")
_LIBRARIES = (ProviderKind.TIKZ_LIBRARY, ProviderKind.PGFPLOTS_LIBRARY)
#: Their keys are there as soon as they are loaded, and an error about a key says that they are.
_KEYED_PACKAGES = (Provider(ProviderKind.PACKAGE, "tikz"), Provider(ProviderKind.PACKAGE, "pgfplots"))


@dataclass(slots=True)
class Scans:
    """What was read in the files of the trees, by base name."""

    #: How the files hang together.
    files: dict[str, Scanned] = field(default_factory=dict)
    #: The surest way in which each file defines each of its names.
    evidence: dict[str, Evidence] = field(default_factory=dict)
    #: All files, read or not.
    installed: set[str] = field(default_factory=set)
    #: Files that demand another engine.
    demanding: set[str] = field(default_factory=set)
    #: Where the source files are.
    sources: dict[str, TreeFile] = field(default_factory=dict)

    def words(self, unit: Unit) -> set[str]:
        """Return every word in the files of a unit."""
        found: set[str] = set()
        for file in unit.own:
            found.update(_WORD.findall(clean(self.sources[file].path.read_text("latin-1"))))
        return found

    def names(self, unit: Unit) -> set[str]:
        """Return the commands and environments that a unit and what it borrows from define."""
        files = unit.own | unit.lent
        return {
            name for file in files for category, name in self.evidence[file] if category is not Category.KEY
        }


def scan(files: Sequence[TreeFile]) -> Scans:
    """Read every source file once."""
    scans = Scans(installed={file.name for file in files})
    for file in files:
        if file.is_source:
            text = clean(file.path.read_text("latin-1"))
            scans.files[file.name] = Scanned(file.bundle, tuple(loads(text)))
            scans.evidence[file.name] = evidence_of(text)
            scans.sources[file.name] = file
            if demands_other_engine(text):
                scans.demanding.add(file.name)
    return scans


def evidence_of(text: str) -> Evidence:
    """Return the surest way in which a text defines each of its names.

    Args:
        text: Cleaned text of a file.
    """
    surest: dict[Name, How] = {}
    for found in (*definitions(text), *keys(text)):
        key = found.category, found.name
        surest[key] = max(found.how, surest.get(key, found.how))
    return surest


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
                for name, how in scans.evidence[file].items():
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


def try_out(units: Sequence[Unit], scans: Scans, engine: TrialEngine) -> Trials:
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
