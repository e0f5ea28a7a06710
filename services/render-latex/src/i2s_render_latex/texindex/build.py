"""Building the index: read every file, put files together to units, try packages out, rank."""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from i2s_wire.render.source_error import Provider, ProviderKind

from .definitions import Category, How
from .evidence import Candidates, apply_trials, popularity, read_candidates, try_out
from .index import Row, read_trials, write
from .rank import ProviderCandidate, folded, last, preferences, ranked
from .reading import Progress, Readers, Scans, digest_of, read_names, read_structure
from .records import Records, TrialRecords, shipped_records
from .trees import TreeError, TreeFile, tree_digest, tree_files, tree_roots
from .trial import PdfLatex, TrialEngine
from .units import Unit, loadable_units, units

#: The most providers that are kept for a name.
MOST_PROVIDERS = 5
#: A package is tried out where at least so many bundles load it. The rest are seldom meant, and
#: trying all would take several minutes.
_WORTH_TRYING = 1
#: Bundles that TeX's own format of LaTeX is made of.
_OF_FORMATS = frozenset({"base", "l3kernel", "l3backend"})


@dataclass(frozen=True, slots=True)
class IndexSummary:
    """What a build did."""

    #: The index file.
    path: Path
    #: Digest of the trees.
    digest: str
    #: Source files that were read.
    files: int
    #: Packages that the engine tried to load; what earlier trials have shown of others was remembered.
    tried: int
    #: Packages, classes and libraries in the index.
    units: int
    #: Commands, environments, keys and files that it knows.
    names: int
    #: Wall time.
    seconds: float


def current_digest(roots: Sequence[Path]) -> str:
    """Return the digest that an index of these trees would have if it were built now."""
    return _digest(list(tree_files(roots)))


def build_index(
    tree_roots: Sequence[str | Path],
    path: str | Path,
    *,
    engine: TrialEngine | None = None,
    remembered: Records | None = None,
    progress: Progress = lambda what, done, of: None,
) -> IndexSummary:
    """Scan TeX trees and write the index file.

    Args:
        tree_roots: The roots from `trees.tree_roots`, the one whose files win first.
        path: The index file. It is replaced as a whole once the new one is complete. Packages whose files
            are as they were when it was built are not tried again.
        engine: The engine that lists what every document knows and tries packages; pdfLaTeX by default.
        remembered: Earlier trials, beside those of the index file; by default what comes with this package.
        progress: Is told what is done and how far.

    Raises:
        TreeError: The engine is missing, or the trees hold no package.
    """
    if engine is None:
        with PdfLatex(_unknown_to_kpathsea(tree_roots)) as pdflatex:
            return build_index(tree_roots, path, engine=pdflatex, remembered=remembered, progress=progress)
    started, target = time.monotonic(), Path(path)
    roots = [Path(root) for root in tree_roots]
    files = list(tree_files(roots))
    with Readers(len(files)) as readers:
        scans = read_structure(files, readers, progress)
        usable = loadable_units(units(scans.files), scans.files, scans.installed, scans.demanding)
        known_by = popularity(scans.files)
        worth_trying = [
            unit
            for unit in usable
            if unit.provider.kind is ProviderKind.PACKAGE and known_by.get(unit.provider, 0) >= _WORTH_TRYING
        ]
        read_names(scans, usable, worth_trying, readers, progress)
    earlier = [read_trials(target), shipped_records() if remembered is None else remembered]
    records = _records(engine, scans, roots, earlier)
    seen = try_out(worth_trying, scans, engine, records, progress)
    usable = [unit for unit in usable if seen.get(unit.provider, ()) is not None]
    if not usable:
        raise TreeError(f"no package that pdfLaTeX can load in {', '.join(map(str, tree_roots))}")
    candidates = read_candidates(usable, scans)
    apply_trials(candidates, seen, worth_trying, scans)
    _add_preferred(candidates, usable)
    rows = [*_ranked_rows(candidates, known_by, engine), *_file_rows(usable)]
    target.parent.mkdir(parents=True, exist_ok=True)
    digest = _digest(files)
    write(target, digest, rows, records.used)
    seconds = time.monotonic() - started
    return IndexSummary(target, digest, len(scans.files), len(records.made), len(usable), len(rows), seconds)


def _records(
    engine: TrialEngine, scans: Scans, roots: Sequence[Path], earlier: Sequence[Records]
) -> TrialRecords:
    """Return what trials have shown before, in the trees as they are."""
    of_formats = sorted(name for name, file in scans.installed.items() if file.bundle in _OF_FORMATS)
    identity = "\n".join([engine.identity, *(f"{name} {scans.digests.get(name)}" for name in of_formats)])
    others = cache(lambda: _files_of_other_formats(roots))

    @cache
    def digest(name: str) -> str:
        known = scans.digests.get(name)
        if known is not None:
            return known
        file = scans.installed.get(name)
        path = file.path if file else others().get(name)
        return digest_of(path.read_bytes()) if path else ""

    return TrialRecords(earlier, identity, digest)


def _files_of_other_formats(roots: Sequence[Path]) -> dict[str, Path]:
    """Return every file of the trees by base name; TeX also looks in folders of other formats, last."""
    found: dict[str, Path] = {}
    for root in roots:
        for folder, _, names in sorted(os.walk(root / "tex")):
            for name in names:
                found.setdefault(name, Path(folder) / name)
    return found


def _unknown_to_kpathsea(roots: Sequence[str | Path]) -> list[Path]:
    known = tree_roots()
    return [Path(root) for root in roots if Path(root).resolve() not in known]


def _digest(files: Sequence[TreeFile]) -> str:
    return tree_digest(files, *_makers())


@cache
def _makers() -> tuple[bytes, ...]:
    """Return the code and the tables that make an index; one that others have made is stale."""
    own = resources.files(__package__).iterdir()
    return tuple(
        one.read_bytes()
        for one in sorted(own, key=lambda one: one.name)
        if one.name.endswith((".py", ".toml"))
    )


def _add_preferred(candidates: Candidates, usable: Sequence[Unit]) -> None:
    """Let preferred providers stand for a name whose definition no scan can see."""
    installed = {unit.provider for unit in usable}
    for name, providers in preferences().items():
        for provider in providers:
            if provider in installed:
                candidates[name].append(ProviderCandidate(provider, How.NESTED, own=True))


def _ranked_rows(candidates: Candidates, known_by: dict[Provider, int], engine: TrialEngine) -> Iterator[Row]:
    asked = {name for category, name in candidates if category is not Category.KEY}
    never_undefined = engine.known(sorted(asked))
    preferred = preferences()
    for (category, name), found in candidates.items():
        if category is Category.KEY or name not in never_undefined:
            order = ranked(category, name, found, known_by, preferred.get((category, name), ()), last())
            yield category, name, order[:MOST_PROVIDERS]


def _file_rows(usable: Sequence[Unit]) -> Iterator[Row]:
    similar: dict[str, list[Provider]] = defaultdict(list)
    for unit in usable:
        similar[folded(unit.provider.name)].append(unit.provider)
    for name, providers in similar.items():
        yield Category.FILE, name, sorted(providers)[:MOST_PROVIDERS]
