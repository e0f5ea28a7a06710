"""Plotting programs of libraries of several years, out of their source distributions."""

from __future__ import annotations

import ast
import doctest
import io
import re
import sys
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from benchmarks.python.gallery import distribution

#: Source distributions by the year in which they came out; "old" is before 2022.
RELEASES: Mapping[str, tuple[str, ...]] = {
    "old": ("matplotlib==2.2.5", "matplotlib==3.1.3", "matplotlib==3.3.4", "networkx==2.4", "scipy==1.4.1"),
    "2023": ("matplotlib==3.6.3", "networkx==3.0", "numpy==1.24.2", "scipy==1.10.0"),
    "2024": ("matplotlib==3.8.4", "networkx==3.4.2", "numpy==1.26.4", "scipy==1.12.0"),
    "2025": ("matplotlib==3.10.8", "networkx==3.6.1", "numpy==2.2.2", "scipy==1.15.0"),
    "2026": ("matplotlib==3.11.2", "numpy==2.4.1", "scipy==1.17.0"),
}
#: What programs may import, by the names of modules.
LIBRARIES = frozenset(
    [
        "PIL",
        "cycler",
        "dateutil",
        "joblib",
        "matplotlib",
        "matplotlib_venn",
        "mpl_toolkits",
        "networkx",
        "numpy",
        "pandas",
        "pylab",
        "scipy",
        "seaborn",
        "shapely",
        "sklearn",
        "squarify",
        "sympy",
    ]
)
_FILES = re.compile(r"(?:galleries/)?(?:examples|plot_types|tutorials|users_explain)/.*\.py$")
_SOURCES = re.compile(r"(?:lib/)?(?:matplotlib|mpl_toolkits|networkx|numpy|scipy)/(?!.*tests/).*\.py$")
#: Programs that their authors do not run, or that need a display, a network or another program.
_LEFT_OUT = re.compile(r"_sgskip\.py$|/conf\.py$|/user_interfaces/")
_NEEDS = re.compile(
    r"urlopen|load_dataset\(|fetch_\w+\(|nx_agraph|nx_pydot|pygraphviz|backends\.backend_(?!agg|pdf)"
)
_MOST_BESIDE, _BESIDE_BYTES = 50, 2**20
_PRELUDE = "import numpy as np\nimport matplotlib.pyplot as plt\n"


@dataclass(frozen=True, slots=True)
class Program:
    """A program."""

    name: str  #: Release and path; of an example in a docstring also the name of the object.
    code: str  #: The program.
    #: Files that lie beside it in the distribution, by relative path.
    files: Mapping[str, bytes] = field(default_factory=dict)


def programs(release: str, number: int, folder: Path) -> list[Program]:
    """Return programs of a release, evenly taken from all of them in alphabetical order.

    Files of galleries, and examples of docstrings that show a figure; those count that import only what
    programs of the renderer may import.

    Args:
        release: Such as "matplotlib==3.8.4".
        number: Number of programs.
        folder: Folder that keeps source distributions.
    """
    chosen = sorted(filter(_is_chosen, _all(release, folder)), key=lambda program: program.name)
    step = max(1.0, len(chosen) / number)
    return [chosen[int(at * step)] for at in range(min(number, len(chosen)))]


def _all(release: str, folder: Path) -> Iterator[Program]:
    with tarfile.open(fileobj=io.BytesIO(distribution(release, folder))) as archive:
        contents = {}
        for member in archive:
            path = member.name.partition("/")[2]
            wanted = _SOURCES.match(path) if path.endswith(".py") else "examples/" in path
            if member.isfile() and (wanted or _FILES.match(path)) and member.size < _BESIDE_BYTES:
                file = archive.extractfile(member)
                contents[path] = file.read() if file is not None else b""
    for path, content in contents.items():
        if _FILES.match(path):
            yield Program(f"{release}/{path}", content.decode(errors="replace"), _beside(path, contents))
        elif _SOURCES.match(path) and b"plt.show" in content:
            yield from _examples(f"{release}/{path}", content.decode(errors="replace"))


def _beside(path: str, contents: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files of data in the folder of a program."""
    folder = PurePosixPath(path).parent
    beside = [
        name for name in contents if PurePosixPath(name).is_relative_to(folder) and not name.endswith(".py")
    ]
    return {str(PurePosixPath(name).relative_to(folder)): contents[name] for name in beside[:_MOST_BESIDE]}


def _examples(name: str, source: str) -> Iterator[Program]:
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        text = ast.get_docstring(node) or ""
        try:
            code = "".join(example.source for example in doctest.DocTestParser().get_examples(text))
        except ValueError:
            continue
        if "plt.show(" in code:
            yield Program(f"{name}:{node.name}", _PRELUDE + code)


def _is_chosen(program: Program) -> bool:
    """Return whether a program can be run with the libraries of the renderer, and without network."""
    if _LEFT_OUT.search(program.name) or _NEEDS.search(program.code) or "plt" not in program.code:
        return False
    try:
        tree = ast.parse(program.code)
    except SyntaxError:
        return False
    modules = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            modules.add(node.module or "")
    return {module.partition(".")[0] for module in modules} <= LIBRARIES | sys.stdlib_module_names
