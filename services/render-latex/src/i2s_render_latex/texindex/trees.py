"""The installed TeX trees: where they are, which files matter, and a digest of their state."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

#: Endings of files that hold definitions.
SUFFIXES = (".sty", ".cls", ".clo", ".def", ".tex", ".ltx", ".cfg", ".fd", ".mkii")

#: Folders below ``tex/`` of each tree: what pdfLaTeX searches (TEXINPUTS.pdflatex of texmf.cnf).
FORMAT_FOLDERS = ("latex", "generic")

#: Variables of kpathsea that name the trees of an installation, the one that wins first.
_TREE_VARIABLES = ("TEXMFLOCAL", "TEXMFSYSCONFIG", "TEXMFSYSVAR", "TEXMFDEBIAN", "TEXMFDIST")


class TreeError(RuntimeError):
    """The TeX installation cannot be found."""


@dataclass(frozen=True, slots=True)
class TreeFile:
    """A file that TeX can load."""

    #: Where it is.
    path: Path
    #: Its base name; TeX finds files by that alone.
    name: str
    #: The folder below ``tex/latex`` or ``tex/generic`` that it was installed with. Files of one bundle are
    #: maintained together. Empty for files outside any.
    bundle: str
    #: Bytes.
    size: int
    #: Time of the last change, nanoseconds since the epoch.
    modified: int

    @property
    def is_source(self) -> bool:
        """Whether it can hold a definition that a document sees."""
        return self.name.endswith(SUFFIXES)


def tree_roots() -> tuple[Path, ...]:
    """Ask kpsewhich for the trees of this machine, the one whose files win first.

    Trees of a user's home are left out: a jailed job does not see them.

    Raises:
        TreeError: kpsewhich is missing or knows of no tree.
    """
    roots: dict[Path, None] = {}
    for variable in _TREE_VARIABLES:
        try:
            asked = subprocess.run(
                ["kpsewhich", f"-var-value={variable}"],
                capture_output=True,
                text=True,
                check=False,
                timeout=30,
            )
        except FileNotFoundError:
            raise TreeError(
                "kpsewhich is not installed, so the TeX trees cannot be found; install texlive-binaries"
            ) from None
        folder = asked.stdout.strip()
        if folder and (Path(folder) / "tex").is_dir():
            roots[Path(folder).resolve()] = None
    if not roots:
        raise TreeError("kpsewhich names no TeX tree that exists; install texlive-latex-base")
    return tuple(roots)


def tree_files(roots: Sequence[Path]) -> Iterator[TreeFile]:
    """Yield the files that pdfLaTeX would find, each base name once, in a fixed order."""
    seen: set[str] = set()
    for root in roots:
        for folder in FORMAT_FOLDERS:
            for file in sorted(_walk(root / "tex" / folder, ""), key=lambda file: str(file.path)):
                if file.name not in seen:
                    seen.add(file.name)
                    yield file


def _walk(folder: Path, bundle: str) -> Iterator[TreeFile]:
    try:
        entries = list(os.scandir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in entries:
        if entry.is_dir():
            yield from _walk(Path(entry.path), bundle or entry.name)
        elif entry.is_file():
            state = entry.stat()
            yield TreeFile(Path(entry.path), entry.name, bundle, state.st_size, state.st_mtime_ns)


def tree_digest(files: Sequence[TreeFile], *salt: bytes) -> str:
    """Return a digest that changes with the name, size or time of any file.

    Args:
        files: The result of `tree_files`.
        salt: What else the result of a scan depends on.

    Returns:
        SHA-256, lower-case hexadecimal.
    """
    digest = hashlib.sha256()
    for part in salt:
        digest.update(hashlib.sha256(part).digest())
    for file in files:
        digest.update(f"{file.bundle}/{file.name}\0{file.size}\0{file.modified}\n".encode())
    return digest.hexdigest()
