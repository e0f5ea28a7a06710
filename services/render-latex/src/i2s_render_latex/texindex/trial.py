r"""Trying packages out: pdfLaTeX loads one and says which names exist then.

Reading source cannot see names that macros put together (``\SetKwInput{KwData}{…}`` defines
``\KwData``), nor why a package refuses to load. The engine can. Files of the installation are as
trustworthy as the engine itself; nothing of a document is run here.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Protocol

from i2s_chassis.jail.work_folder import WorkFolder

from .trees import TreeError

_SECONDS = 60
_ASKABLE = re.compile(r"[A-Za-z0-9:.*-]+")
#: What many packages expect to be there; tried where a package does not load alone.
_COMPANY = ("amsmath", "amssymb", "graphicx", "xcolor", "tikz", "hyperref")
_DUMP = r"\documentclass{article}\dump"
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


class TrialEngine(Protocol):
    """The calls of an engine that the build makes."""

    def known(self, names: Collection[str]) -> frozenset[str]:
        """Return which control sequences exist in a document without packages."""

    def load(self, packages: Mapping[str, Collection[str]]) -> dict[str, frozenset[str] | None]:
        """Load each package in a document of its own.

        Args:
            packages: The control sequences to ask for, by package.

        Returns:
            For each package those that exist because it is loaded; None if it does not load.
        """


class PdfLatex:
    """pdfLaTeX with class article, ready to be asked. A context manager."""

    def __init__(self, roots: Sequence[Path] = (), workers: int | None = None) -> None:
        """Prepare.

        Args:
            roots: Trees that kpathsea does not know of.
            workers: Processes at the same time; as many as processors by default.
        """
        self._workers = workers or len(os.sched_getaffinity(0))
        extra = "".join(f"{root}/tex//:" for root in roots)
        self._environment = {**os.environ, "TEXINPUTS": f".:{extra}", "max_print_line": "1000"}
        self._folder = WorkFolder("texindex")

    def __enter__(self) -> PdfLatex:
        """Make a format with class article in it, which saves its loading in every trial.

        Raises:
            TreeError: pdflatex is missing or fails on an empty document.
        """
        (self._home / "dump.tex").write_text(_DUMP, "utf-8")
        try:
            made = self._run(self._home, "-ini", "-jobname=article", "&pdflatex", "dump.tex")
        except FileNotFoundError:
            raise TreeError("pdflatex is not installed; install texlive-latex-base") from None
        if not made:
            raise TreeError("pdflatex fails on an empty document; reinstall texlive-latex-base")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._folder.remove()

    def known(self, names: Collection[str]) -> frozenset[str]:
        """See `TrialEngine.known`.

        Raises:
            TreeError: pdflatex fails on an empty document.
        """
        found = self._ask((), _ASK_KNOWN, names)
        if found is None:
            raise TreeError("pdflatex fails on an empty document; reinstall texlive-latex-base")
        return found

    def load(self, packages: Mapping[str, Collection[str]]) -> dict[str, frozenset[str] | None]:
        """See `TrialEngine.load`. A package that does not load alone is tried in common company."""
        with ThreadPoolExecutor(self._workers) as pool:
            return dict(zip(packages, pool.map(self._load, packages, packages.values()), strict=True))

    def _load(self, package: str, names: Collection[str]) -> frozenset[str] | None:
        alone = self._ask((package,), _ASK_DEFINED, names)
        if alone is not None:
            return alone
        together = self._ask((*_COMPANY, package), _ASK_DEFINED, names)
        if together is None:
            return None
        return together - (self._ask(_COMPANY, _ASK_DEFINED, names) or frozenset())

    def _ask(self, packages: Sequence[str], ask: str, names: Iterable[str]) -> frozenset[str] | None:
        questions = "".join(f"\\ask{{{name}}}%\n" for name in names if _ASKABLE.fullmatch(name))
        loading = "".join(f"\\usepackage{{{package}}}\n" for package in packages)
        with tempfile.TemporaryDirectory(dir=self._home) as folder:
            (Path(folder) / "trial.tex").write_text(
                f"{loading}\\begin{{document}}\n{ask}{questions}\\immediate\\closeout\\asked\n"
                "\\csname @@end\\endcsname\n",
                "utf-8",
            )
            answer = Path(folder) / "known.txt"
            if not self._run(Path(folder), "-draftmode", "&../article", "trial.tex") or not answer.exists():
                return None
            return frozenset(answer.read_text("latin-1").split())

    def _run(self, folder: Path, *arguments: str) -> bool:
        command = ["pdflatex", "-no-shell-escape", "-interaction=batchmode", "-halt-on-error", *arguments]
        try:
            run = subprocess.run(
                command,
                cwd=folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
                timeout=_SECONDS,
            )
        except subprocess.TimeoutExpired:
            return False
        return run.returncode == 0

    @property
    def _home(self) -> Path:
        return self._folder.path
