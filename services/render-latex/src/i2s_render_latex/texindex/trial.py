r"""Trying packages out: pdfLaTeX loads one and says which names exist then.

Reading source cannot see names that macros put together (``\SetKwInput{KwData}{…}`` defines
``\KwData``), nor why a package refuses to load. The engine can. Files of the installation are as
trustworthy as the engine itself; nothing of a document is run here.
"""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import tempfile
import threading
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Protocol

from i2s_chassis.jail.work_folder import WorkFolder

from .trees import TreeError

_SECONDS = 60
_GZIP = b"\x1f\x8b"
_BROKEN = "pdflatex fails on an empty document; reinstall texlive-latex-base"
_ASKABLE = re.compile(r"[A-Za-z0-9:.*-]+")
#: What many packages expect to be there; tried where a package does not load alone.
_COMPANY = ("amsmath", "amssymb", "graphicx", "xcolor", "tikz", "hyperref")
_CLASS = r"\documentclass{article}"
_ARTICLE, _WITH_COMPANY = "article", "company"  # formats
_ASK = r"""\newwrite\asked
\immediate\openout\asked=known.txt
\def\say#1{\immediate\write\asked{#1}}
"""
#: TeX stops at a name only where it means nothing at all.
_ASK_KNOWN = _ASK + r"\def\ask#1{\ifcsname#1\endcsname\say{#1}\fi}" + "\n"
#: A package that merely asked for a name has made it mean ``\relax``.
_ASK_DEFINED = (
    _ASK
    + r"\def\ask#1{\ifcsname#1\endcsname\expandafter\ifx\csname#1\endcsname\relax\else\say{#1}\fi\fi}"
    + "\n"
)
#: What kpathsea says where TeX looks for a file; fonts and formats have other types.
_LOOKED_FOR = re.compile(rb"kpse_find_file: searching for (?:[^\s/]*/)*([^\s/]+) of type tex ")
_OWN = re.compile(r"trial\..*|known\.txt")
_NOWHERE = "/nonexistent"
_ENVIRONMENT = {
    "max_print_line": "1000",
    "KPATHSEA_DEBUG": "32",  # searches
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",  # a format is loaded faster
    # The index is for all users of a machine, and jobs see no trees of a user either.
    "TEXMFHOME": _NOWHERE,
    "TEXMFVAR": _NOWHERE,
    "TEXMFCONFIG": _NOWHERE,
}


@dataclass(frozen=True, slots=True)
class Trial:
    """What the loading of a package has shown."""

    #: The names, of those that were asked for, that exist because it is loaded; None if it does not load.
    names: frozenset[str] | None
    #: Base names of the files that TeX looked for, whether they are installed or not; None if it was stopped
    #: after a time, so that another trial may end otherwise.
    looked_for: frozenset[str] | None


class TrialEngine(Protocol):
    """The calls of an engine that the build makes."""

    @property
    def identity(self) -> str:
        """All that the result of a trial depends on beside files of the trees and the names asked for."""

    def known(self, names: Collection[str]) -> frozenset[str]:
        """Return which control sequences exist in a document without packages."""

    def load(self, package: str, names: Collection[str]) -> Trial:
        """Load a package in a document of its own and ask for control sequences; from any thread."""


@dataclass(frozen=True, slots=True)
class _Ended:
    """How a run of TeX ended."""

    #: Whether without an error.
    is_good: bool
    #: Base names of the files that TeX looked for.
    looked_for: frozenset[str]


class PdfLatex:
    """pdfLaTeX with class article, ready to be asked. A context manager."""

    def __init__(self, roots: Sequence[Path] = ()) -> None:
        """Prepare.

        Args:
            roots: Trees that kpathsea does not know of.
        """
        extra = "".join(f"{root}/tex//:" for root in roots)
        self._environment = {**os.environ, **_ENVIRONMENT, "TEXINPUTS": f".:{extra}"}
        self._folder = WorkFolder("texindex")
        self._company: _Ended | None = None
        self._making_company = threading.Lock()

    def __enter__(self) -> PdfLatex:
        """Make a format with class article in it, which saves its loading in every trial.

        Raises:
            TreeError: pdflatex is missing or fails on an empty document.
        """
        try:
            ended = self._make_format(_ARTICLE, "pdflatex", _CLASS)
        except FileNotFoundError:
            raise TreeError("pdflatex is not installed; install texlive-latex-base") from None
        if not ended.is_good:
            raise TreeError(_BROKEN)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._folder.remove()

    @property
    def identity(self) -> str:
        """See `TrialEngine.identity`."""
        banner = subprocess.run(
            ["pdflatex", "--version"], capture_output=True, text=True, check=True, timeout=_SECONDS
        ).stdout.partition("\n")[0]
        return "\n".join((banner, _CLASS, _ASK_DEFINED, *_COMPANY))

    def known(self, names: Collection[str]) -> frozenset[str]:
        """See `TrialEngine.known`.

        Raises:
            TreeError: pdflatex fails on an empty document.
        """
        found, _ = self._ask(_ARTICLE, "", _ASK_KNOWN, names)
        if found is None:
            raise TreeError(_BROKEN)
        return found

    def load(self, package: str, names: Collection[str]) -> Trial:
        """See `TrialEngine.load`. A package that does not load alone is tried in common company."""
        loading = f"\\usepackage{{{package}}}\n"
        try:
            found, looked_for = self._ask(_ARTICLE, loading, _ASK_DEFINED, names)
            if found is None:
                company = self._with_company()
                looked_for |= company.looked_for
                if company.is_good:
                    found, further = self._ask(_WITH_COMPANY, loading, _ASK_DEFINED, names)
                    looked_for |= further
                if found is not None:
                    found -= self._ask(_WITH_COMPANY, "", _ASK_DEFINED, names)[0] or frozenset()
        except subprocess.TimeoutExpired:
            return Trial(None, None)
        return Trial(found, looked_for)

    def _with_company(self) -> _Ended:
        """Have the format with common company; return how its making ended."""
        with self._making_company:
            if self._company is None:
                loading = "\n".join(f"\\usepackage{{{package}}}" for package in _COMPANY)
                self._company = self._make_format(_WITH_COMPANY, f"../{_ARTICLE}", loading)
            return self._company

    def _make_format(self, name: str, base: str, loading: str) -> _Ended:
        folder = self._home / f"{name}-build"
        folder.mkdir()
        (folder / "trial.tex").write_text(f"{loading}\n\\dump\n", "utf-8")
        ended = self._run(folder, "-ini", f"-jobname={name}", f"&{base}", "trial.tex")
        if ended.is_good:
            # TeX packs it, and each trial would unpack it.
            packed = (folder / f"{name}.fmt").read_bytes()
            plain = gzip.decompress(packed) if packed.startswith(_GZIP) else packed
            (self._home / f"{name}.fmt").write_bytes(plain)
        return ended

    def _ask(
        self, format_name: str, loading: str, ask: str, names: Iterable[str]
    ) -> tuple[frozenset[str] | None, frozenset[str]]:
        """Return which names exist after something is loaded, if it can be, and what TeX looked for."""
        questions = "".join(f"\\ask{{{name}}}%\n" for name in names if _ASKABLE.fullmatch(name))
        with tempfile.TemporaryDirectory(dir=self._home) as folder:
            (Path(folder) / "trial.tex").write_text(
                f"{loading}\\begin{{document}}\n{ask}{questions}\\immediate\\closeout\\asked\n"
                "\\csname @@end\\endcsname\n",
                "utf-8",
            )
            answer = Path(folder) / "known.txt"
            ended = self._run(Path(folder), "-draftmode", f"&../{format_name}", "trial.tex")
            if not ended.is_good or not answer.exists():
                return None, ended.looked_for
            return frozenset(answer.read_text("latin-1").split()), ended.looked_for

    def _run(self, folder: Path, *arguments: str) -> _Ended:
        """Run TeX.

        Raises:
            subprocess.TimeoutExpired: It had to be stopped.
        """
        run = subprocess.run(
            ["pdflatex", "-no-shell-escape", "-interaction=batchmode", "-halt-on-error", *arguments],
            cwd=folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=_SECONDS,
        )
        found = {name.decode("latin-1") for name in _LOOKED_FOR.findall(run.stderr)}
        return _Ended(run.returncode == 0, frozenset(name for name in found if not _OWN.fullmatch(name)))

    @property
    def _home(self) -> Path:
        return self._folder.path
