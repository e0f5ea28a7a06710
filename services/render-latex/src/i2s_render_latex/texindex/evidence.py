"""What the source of the trees says about who defines what."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from i2s_wire.render.source_error import Provider, ProviderKind

from .definitions import Category, How, definitions
from .keys import keys
from .loadable import demands_other_engine
from .loads import loads
from .rank import Candidate
from .source import clean
from .trees import TreeFile
from .units import Scanned, Unit, loaded_file, provider_of

Name = tuple[Category, str]
Evidence = Mapping[Name, How]
Candidates = dict[Name, list[Candidate]]

_WORD = re.compile(r"[A-Za-z]{2,40}")
_LIBRARIES = (ProviderKind.TIKZ_LIBRARY, ProviderKind.PGFPLOTS_LIBRARY)
#: Their keys are there as soon as they are loaded, and an error about a key says that they are.
_KEYED_PACKAGES = (Provider(ProviderKind.PACKAGE, "tikz"), Provider(ProviderKind.PACKAGE, "pgfplots"))


@dataclass(slots=True)
class Scans:
    """What was read in the files of the trees, by base name.

    Attributes:
        files: How the files hang together.
        evidence: The surest way in which each file defines each of its names.
        installed: All files, read or not.
        demanding: Files that demand another engine.
        sources: Where the source files are.
    """

    files: dict[str, Scanned] = field(default_factory=dict)
    evidence: dict[str, Evidence] = field(default_factory=dict)
    installed: set[str] = field(default_factory=set)
    demanding: set[str] = field(default_factory=set)
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
                        candidates[name].append(Candidate(unit.provider, how, own))
        if unit.provider.kind in _LIBRARIES:
            candidates[Category.KEY, unit.provider.name].append(Candidate(unit.provider, How.DEFINED, True))
    return candidates
