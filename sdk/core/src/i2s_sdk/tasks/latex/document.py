"""The document that is sent to the renderer: its fixed preamble, and mathematics without numbers.

Every document that the task makes begins with the text of a preamble file, so a renderer that is given
the files can prepare a format for each. A document that needs a package of the fixed list to be absent begins
with that text less some lines; such a beginning is prepared once it is seen often.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from i2s_sdk.tasks.latex.tex_source import commands, own_line, rewrite_code
from i2s_wire.metrics.profile import Profile


@dataclass(frozen=True)
class LatexDocument(ABC):
    r"""A complete LaTeX document, from ``\documentclass`` to ``\end{document}``."""

    @property
    @abstractmethod
    def source(self) -> str:
        """The text that the engine reads."""

    @property
    @abstractmethod
    def text(self) -> str:
        """The part that the metric ``edit`` compares: no preamble, spaces normalised."""


#: Begins every preamble file, in a line of its own.
DOCUMENT_CLASS = r"\documentclass{article}"

_USEPACKAGE = re.compile(r"^\\usepackage(?:\[(?P<options>[^\]]*)\])?\{(?P<names>[^}]*)\}$", re.MULTILINE)
_LIBRARY = re.compile(r"^\\use(?:tikz|pgfplots)library\{(?P<names>[^}]*)\}$", re.MULTILINE)


def preamble_path(profile: Profile) -> Path:
    """Return the file that holds the fixed preamble of ``profile``."""
    return Path(str(files("i2s_sdk.tasks.latex").joinpath("preambles", f"{profile}.tex")))


def preamble_files() -> tuple[Path, ...]:
    """Return the preamble files of all profiles, for a renderer to prepare."""
    return tuple(preamble_path(profile) for profile in Profile)


@cache
def preamble(profile: Profile) -> str:
    """Return the fixed preamble of ``profile``; it ends with a line feed."""
    return preamble_path(profile).read_text(encoding="utf-8")


@cache
def preamble_without(profile: Profile, section: str) -> str:
    """Return the fixed preamble less one of its sections.

    A section begins with a comment line ``%% name`` and ends before the next such line.

    Raises:
        ValueError: There is no section of that name.
    """
    parts = re.split(r"(?m)^(?=%% )", preamble(profile))
    kept = [part for part in parts if not part.startswith(f"%% {section}\n")]
    if len(kept) == len(parts):
        raise ValueError(f"the preamble of profile {profile} has no section {section!r}")
    return "".join(kept)


@cache
def fixed_packages(text: str) -> dict[str, frozenset[str]]:
    """Return the packages that a preamble loads, with the options it gives to each."""
    loaded: dict[str, frozenset[str]] = {}
    for match in _USEPACKAGE.finditer(text):
        options = frozenset(filter(None, (match["options"] or "").split(",")))
        for name in match["names"].split(","):
            loaded[name] = loaded.get(name, frozenset()) | options
    return loaded


@cache
def fixed_libraries(text: str) -> frozenset[str]:
    """Return the TikZ and pgfplots libraries that a preamble loads."""
    return frozenset(name for match in _LIBRARY.finditer(text) for name in match["names"].split(","))


#: Environments that number what they hold and have a starred form that does not.
NUMBERED = (
    "equation",
    "align",
    "alignat",
    "gather",
    "flalign",
    "multline",
    "eqnarray",
    "subeqnarray",
    "aligneq",
)

_DELIMITER = re.compile(rf"(\\(?:begin|end)\s*\{{(?:{'|'.join(NUMBERED)}))\}}")


def without_numbers(source: str) -> str:
    r"""Return ``source`` with numbered environments starred and every ``\label{…}`` removed.

    Only environments are touched, and nothing in comments or verbatim text. A line that holds a label and
    nothing else goes as a whole, because a blank line in its place would end a paragraph.

    Source: Image2Struct, appendix on post-processing.
    """
    return _without_labels(rewrite_code(_DELIMITER, r"\1*}", source))


def _without_labels(source: str) -> str:
    kept: list[str] = []
    position = 0
    for start, end in _labels(source):
        cut_from, cut_to = own_line(source, start, end)
        kept.append(source[position:cut_from])
        position = cut_to
    return "".join([*kept, source[position:]])


def _labels(source: str) -> list[tuple[int, int]]:
    """Return where labels stand; those with nothing but blanks between them stand together."""
    labels: list[tuple[int, int]] = []
    for command in commands(source, {"label": 1}):
        if labels and not source[labels[-1][1] : command.start].strip(" \t"):
            labels[-1] = labels[-1][0], command.end
        else:
            labels.append((command.start, command.end))
    return labels
